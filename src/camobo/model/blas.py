"""One BLAS thread while suggestions are computed.

Matrices here are small: a second BLAS thread makes fits up to fifteen times slower, and changes results. The number of
BLAS threads belongs to the whole process, so studies in several Python threads share one limit.
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
_inside: list[Any] = []  # one per active `one_thread`; the first holds the original number of threads


@functools.cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 - SciPy has its own BLAS, which the controller sees only once it is loaded

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread; when the last active block ends, the original number is restored."""
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
    """Let this Python thread set the number of BLAS threads, whichever thread set it before.

    Since threadpoolctl 3.8, OpenBLAS's number belongs to the Python thread that sets it first, and other threads are
    silently ignored. Here one thread may set it and another restore it.
    """
    release = getattr(OpenBLASController, "clear_controlling_thread", lambda *, force: None)
    release(force=True)
    try:
        yield
    finally:
        release(force=True)


def _reset_after_fork() -> None:
    """Restore the original number in a forked child: the blocks active in the parent's threads never end there."""
    for first in _inside[:1]:
        with _from_any_thread():
            first.restore_original_limits()
    _inside.clear()
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_reset_after_fork)
