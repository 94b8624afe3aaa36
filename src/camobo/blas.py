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

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside: list[Any] = []  # what each who is at work found when they came; that of the first is put back at the end


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS to one thread; the last to leave puts back what the first found."""
    with _lock:
        _inside.append(_controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            first = _inside[0]
            _inside.pop()
            if not _inside:
                first.restore_original_limits()


def _begin_anew() -> None:
    """In a process forked off while others were at work: they are not here."""
    for first in _inside[:1]:
        first.restore_original_limits()
    _inside.clear()
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_begin_anew)
