"""The progress bar of `optimize`: how far, how good, what was used, how long to go. Silent when nobody watches."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Show: TypeAlias = Callable[[int, float, float | None, Mapping[str, Any]], None]
"""Trials done, the hypervolume, what was spent if costs were told, and how much of each input was used."""


@contextlib.contextmanager
def progress_bar(total: int, *, wanted: bool) -> Iterator[Show | None]:
    """Something to show progress with; None if it is not wanted or standard error is no terminal."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[facts]}", markup=False),
        TimeRemainingColumn(),
    )
    # Drawn when something happens, not by a thread: evaluations are forked, and a fork does not bear threads well.
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as progress:
        task = progress.add_task("trials", total=total, facts="")

        def show(done: int, hypervolume: float, spent: float | None, used: Mapping[str, Any]) -> None:
            progress.update(task, completed=done, facts=facts(hypervolume, spent, used), refresh=True)

        yield show


def facts(hypervolume: float, spent: float | None, used: Mapping[str, Any]) -> str:
    """Hypervolume, spending and use in a few words.

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
