"""The progress bar of `optimize`: trials done, hypervolume, spending, time left. Silent without a terminal."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Headline: TypeAlias = tuple[float, float | None, Mapping[str, Any]]
"""The hypervolume, the money spent if costs were recorded, and how much of each input was used."""
Show: TypeAlias = Callable[[int, Headline], None]
"""Shows how many trials are done, and the headline."""


@contextlib.contextmanager
def progress_bar(total: int, *, wanted: bool) -> Iterator[Show | None]:
    """Yields a function that shows progress; None if it is not wanted or standard error is not a terminal."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    # Imported here: Rich takes a tenth of a second, and most runs show no bar.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[facts]}", markup=False),
        TimeRemainingColumn(),
    )
    # Drawn after each trial, not by a thread: evaluations are forked, and forking beside threads is unsafe.
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as progress:
        task = progress.add_task("trials", total=total, facts="")

        def show(done: int, headline: Headline) -> None:
            progress.update(task, completed=done, facts=facts(*headline), refresh=True)

        yield show


def facts(hypervolume: float, spent: float | None, used: Mapping[str, Any]) -> str:
    """Hypervolume, spending and use of inputs in one line.

    >>> facts(12.3456, None, {"nickel": 32.125, "quench": {"air": 2, "oil": 1}})
    'hypervolume 12.35 · used nickel 32.1 · quench air 2, oil 1'
    >>> facts(12.3456, 17.5, {})
    'hypervolume 12.35 · spent 17.5'
    """
    parts = [f"hypervolume {hypervolume:.4g}" if math.isfinite(hypervolume) else "hypervolume too large to compute"]
    parts += [] if spent is None else [f"spent {spent:.4g}"]
    for i, (name, amount) in enumerate(used.items()):
        if isinstance(amount, Mapping):
            amount = ", ".join(f"{choice} {count}" for choice, count in amount.items())
        else:
            amount = f"{amount:.3g}"
        parts.append(f"{'used ' if i == 0 else ''}{name} {amount}")
    return " · ".join(parts)
