"""Progress in lines on standard error, for logs and notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from camobo.paper.processes import Step

Progress: TypeAlias = Callable[[int], AbstractContextManager[Step]]
"""Shows progress: given how many steps there will be, a block in which the step is called at each of them."""


@contextmanager
def in_lines(total: int) -> Iterator[Step]:
    """A line at every tenth of the steps, at most once a minute."""
    start = last = time.monotonic()
    made = 0

    def advance() -> None:
        nonlocal made, last
        made += 1
        now = time.monotonic()
        if 10 * made // total == 10 * (made - 1) // total or now - last < 60.0:
            return
        last, spent = now, (now - start) / 60.0
        left = spent * (total - made) / made
        print(f"{made / total:.0%} of the iterations after {spent:.0f} min, about {left:.0f} min left", file=sys.stderr)

    yield advance
