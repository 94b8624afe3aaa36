"""Ctrl-C, and the requests to end that batch systems, containers and closed terminals send: none may get lost."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn, TypeAlias

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Ctrl-C; a batch system's or container's request; a terminal that was closed."""
Handler: TypeAlias = Callable[[int, FrameType | None], Any]


@contextlib.contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """A request to end is a Ctrl-C here, and none is dropped.

    What a signal's handler raises is dropped without a word if it meets a fork's hook, an import or a finaliser. So it
    is kept, and raised again by what this gives, to be called now and then.
    """
    kept: list[BaseException] = []

    def again() -> None:
        if kept:
            raise kept[-1]

    if threading.current_thread() is not threading.main_thread():  # the only one that signals reach
        yield again
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        for number, handler in before.items():
            if handler is signal.SIG_DFL:
                signal.signal(number, _keeping(_interrupt, kept))
            elif callable(handler):
                signal.signal(number, _keeping(handler, kept))
        yield again
        again()
    finally:
        for number, handler in before.items():
            if handler is not None:  # None: not Python's
                signal.signal(number, handler)


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(signal.Signals(number).name)


def _keeping(handler: Handler, kept: list[BaseException]) -> Handler:
    """A handler of signals that notes what it raises."""

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            handler(number, frame)
        except BaseException as raised:
            kept.append(raised)
            raise

    return handle
