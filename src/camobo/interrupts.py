"""Ctrl-C, and the requests to end that batch systems, containers and closed terminals send: none may get lost."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NoReturn, TypeAlias

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Ctrl-C; a batch system's or container's request; a terminal that was closed."""
Handler: TypeAlias = Callable[[int, FrameType | None], Any]


class AskedToEndError(KeyboardInterrupt):
    """A signal came whose own effect is to end the process."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    def obey(self) -> None:
        """End by that signal, as if it had not been caught."""
        signal.signal(self.number, signal.SIG_DFL)
        signal.raise_signal(self.number)


def interrupt(number: int, _: FrameType | None = None) -> NoReturn:
    """Take a signal for a Ctrl-C."""
    raise KeyboardInterrupt(signal.Signals(number).name)


def ask_to_end(number: int, _: FrameType | None = None) -> NoReturn:
    """Take a signal for what it is, but leave time to put things in order."""
    raise AskedToEndError(number)


@contextlib.contextmanager
def interruptible(asked: Handler = interrupt) -> Iterator[Callable[[], None]]:
    """A request to end becomes what `asked` makes of it, and neither such a one nor a Ctrl-C is dropped.

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
    before = {number: _handler(number) for number in ENDING}
    try:
        for number, handler in before.items():
            if handler is signal.SIG_DFL:
                signal.signal(number, _Keeping(asked, kept, handler))
            elif callable(handler):
                signal.signal(number, _Keeping(handler, kept, handler))
        yield again
        again()
    finally:
        for number, handler in before.items():
            if handler is not None:  # None: not Python's
                signal.signal(number, handler)


@dataclass(frozen=True, slots=True)
class _Keeping:
    """A handler of signals that notes what it raises."""

    handler: Handler
    kept: list[BaseException]
    before: Handler | int
    """What it stands in for."""
    process: int = field(default_factory=os.getpid)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        try:
            self.handler(number, frame)
        except BaseException as raised:
            self.kept.append(raised)
            raise


def _handler(number: int) -> Handler | int | None:
    """What handles a signal, but for what a parent had put there for itself when it forked this process."""
    handler = signal.getsignal(number)
    while isinstance(handler, _Keeping) and handler.process != os.getpid():
        handler = handler.before
    return handler
