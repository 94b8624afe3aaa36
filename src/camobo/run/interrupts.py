"""Ctrl-C, and the requests to end that batch systems, containers and closed terminals send.

None may get lost (`interruptible`), and none may leave something half done (`undisturbed`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn, TypeAlias

END_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Ctrl-C; a request from a batch system or container; a closed terminal."""
Handler: TypeAlias = Callable[[int, FrameType | None], Any]


class TerminationRequestedError(KeyboardInterrupt):
    """A signal arrived that ends a process by default."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    def obey(self) -> None:
        """End this process by that signal, as if nothing had caught it."""
        signal.signal(self.number, signal.SIG_DFL)
        signal.raise_signal(self.number)


def interrupt(number: int, _: FrameType | None = None) -> NoReturn:
    """Handle a signal like Ctrl-C."""
    raise KeyboardInterrupt(signal.Signals(number).name)


def request_termination(number: int, _: FrameType | None = None) -> NoReturn:
    """Handle a signal by an exception that remembers it, so that the process can clean up and then obey."""
    raise TerminationRequestedError(number)


@contextlib.contextmanager
def interruptible(on_request: Handler = interrupt) -> Iterator[Callable[[], None]]:
    """Turn requests to end into what `on_request` raises, and lose none of them, nor a Ctrl-C.

    Python drops what a signal handler raises inside a callback, an import or a finaliser. So the exception is
    remembered, and the function this yields raises it again: call it regularly. Signals that are ignored (`nohup`) stay
    ignored; handlers that somebody else installed keep working.
    """
    interrupts = _Interrupts()
    if threading.current_thread() is not threading.main_thread():  # signals reach the main thread only
        yield interrupts.raise_again
        return
    previous = {number: _handler_of_this_process(number) for number in END_SIGNALS}
    try:
        for number, handler in previous.items():
            if handler is signal.SIG_DFL:
                signal.signal(number, _Remembering(on_request, interrupts, handler))
            elif callable(handler):
                signal.signal(number, _Remembering(handler, interrupts, handler))
        yield interrupts.raise_again
        interrupts.raise_again()
    finally:
        for number, handler in previous.items():
            if handler is not None:  # None: installed outside Python
                signal.signal(number, handler)


class _Interrupts:
    """Remembers the last exception a signal handler raised."""

    def __init__(self) -> None:
        self.last: BaseException | None = None

    def raise_again(self) -> None:
        if self.last is not None:
            raise self.last


class _Remembering:
    """A signal handler that remembers what it raises."""

    def __init__(self, handler: Handler, interrupts: _Interrupts, replaced: Handler | int) -> None:
        self.handler = handler
        self.interrupts = interrupts
        self.replaced = replaced
        self.process = os.getpid()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        try:
            self.handler(number, frame)
        except BaseException as raised:
            self.interrupts.last = raised
            raise


def _handler_of_this_process(number: int) -> Handler | int | None:
    """The handler of a signal, skipping those a parent process installed for itself before it forked this one."""
    handler = signal.getsignal(number)
    while isinstance(handler, _Remembering) and handler.process != os.getpid():
        handler = handler.replaced
    return handler


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Deliver signals that arrive in this block when it ends; one that arrives a second time, at once.

    A handler that raises can leave a lock taken or a process unknown to whoever started it: no `finally` covers the
    instant between a call that acquires something and the assignment of what it returns. Use this for short blocks.
    """
    if threading.current_thread() is not threading.main_thread():  # handlers run in the main thread only
        yield
        return
    handlers = {number: handler for number in END_SIGNALS if callable(handler := signal.getsignal(number))}
    deferring = _Deferring(handlers)
    try:
        for number in handlers:
            signal.signal(number, deferring)
        deferring.active = True
        yield
    finally:
        deferring.active = False  # first: whatever interrupts the rest, no handler is lost
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in deferring.received:
            signal.raise_signal(number)


class _Deferring:
    """A signal handler that collects signals while it is active and passes them on otherwise; a forked process too."""

    def __init__(self, handlers: dict[int, Handler]) -> None:
        self.handlers = handlers
        self.active = False
        self.process = os.getpid()
        self.received: list[int] = []

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.active and number not in self.received and os.getpid() == self.process:
            self.received.append(number)
        else:
            self.handlers[number](number, frame)
