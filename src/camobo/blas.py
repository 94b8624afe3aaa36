"""One BLAS thread while suggestions are worked out.

Matrices here are small: a second BLAS thread makes fits up to fifteen times slower, and changes results. How many there
are is one number for the whole process, so several studies in its threads must not each put back what they found.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController

_lock = threading.Lock()
_inside: list[Any] = []  # what each who is at work found when they came; that of the first is put back at the end


@functools.cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 - its BLAS is another than NumPy's, and is not seen before it is loaded

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS to one thread; the last to leave puts back what the first found."""
    with _lock, _from_any_thread():
        _inside.append(_controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock, _from_any_thread():
            first = _inside[0]
            _inside.pop()
            if not _inside:
                first.restore_original_limits()


@contextmanager
def _from_any_thread() -> Iterator[None]:
    """Let this thread set how many there are, whoever did before.

    Since threadpoolctl 3.8 OpenBLAS's number belongs to the thread that sets it first, and what others set is ignored
    without a word. Here the first to come sets it and the last to leave puts it back, and these may be two threads.
    """
    disown = getattr(OpenBLASController, "clear_controlling_thread", lambda *, force: None)
    disown(force=True)
    try:
        yield
    finally:
        disown(force=True)


def _begin_anew() -> None:
    """In a process forked off while others were at work: they are not here."""
    for first in _inside[:1]:
        with _from_any_thread():
            first.restore_original_limits()
    _inside.clear()
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_begin_anew)
