"""The progress bar of `optimize`: trials done, hypervolume, spending, time left. Silent without a terminal."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from camobo.hints import printable
from camobo.run.money import Money, spent_of

Headline: TypeAlias = tuple[float, Money, Mapping[str, Any]]
"""The hypervolume, the money, and how much of each input was used."""
Show: TypeAlias = Callable[[int, Headline], None]
"""Shows how many trials are done, and the headline."""


@contextlib.contextmanager
def progress_bar(total: int | None, *, wanted: bool) -> Iterator[Show | None]:
    """Yields a function that shows progress; None if it is not wanted or standard error is not a terminal.

    total: the trials to do; None: only money limits the run, so the bar shows how much of the budget is spent.
    """
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    # Imported here: Rich takes a tenth of a second, and most runs show no bar.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[facts]}", markup=False),
        TimeRemainingColumn(),
    )
    # Drawn after each trial, not by a thread: evaluations are forked, and forking beside threads is unsafe.
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as progress:
        task = progress.add_task("trials" if total is not None else "budget", total=total, count="", facts="")

        def show(done: int, headline: Headline) -> None:
            _, money, _ = headline
            if total is None:
                count = f"{done} trial{'' if done == 1 else 's'}"
                step: dict[str, Any] = {"total": money.budget, "completed": money.spent, "count": count}
            else:
                step = {"completed": done, "count": f"{done}/{total}"}
            progress.update(task, facts=facts(*headline), refresh=True, **step)

        yield show


def facts(hypervolume: float, money: Money, used: Mapping[str, Any]) -> str:
    """One line: "hypervolume 12.35 · spent 41.5 of 2000 EUR · used nickel 32.1 · quench air 2, oil 1".

    Spending is left out as long as no amount is known, unless there is a budget in money.
    """
    parts = [f"hypervolume {hypervolume:.4g}" if math.isfinite(hypervolume) else "hypervolume too large to compute"]
    if money.in_money or money.budget is not None:
        parts.append(f"spent {spent_of(money.spent, money.budget, money.unit)}")
    for i, (name, amount) in enumerate(used.items()):
        if isinstance(amount, Mapping):
            amount = ", ".join(f"{choice} {count}" for choice, count in amount.items())
        else:
            amount = f"{amount:.3g}"
        parts.append(f"{'used ' if i == 0 else ''}{name} {amount}")
    return printable(" · ".join(parts))
