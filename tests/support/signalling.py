"""A signal at a chosen step of a piece of code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any


@contextlib.contextmanager
def signal_at(step: int, *, number: int = signal.SIGINT, within: str = "") -> Iterator[Callable[[], bool]]:
    """Send this process a signal when the block comes to its `step`-th step; what is yielded says whether it did.

    A step is a line, a call or a return; in files whose path contains `within`, if given, a single instruction.
    """
    process, count = os.getpid(), 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if within and within not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = bool(within)
        count += 1
        if count == step and os.getpid() == process:
            signal.raise_signal(number)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield lambda: count >= step
    finally:
        sys.settrace(before)
