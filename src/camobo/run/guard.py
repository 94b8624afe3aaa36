"""A small process that stops evaluations which this process can no longer stop, because it was killed itself.

`kill -9` and the system's out-of-memory killer leave no time to clean up. So a process is forked first that does
nothing but watch: when its parent is gone, it kills what the parent had started, each with its process group.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from camobo.run.interrupts import END_SIGNALS, undisturbed

_LOOKS = 0.5
"""Seconds between looks at the parent. A pipe would tell at once, but others may have inherited an end of it."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Tells the watching process which process groups to kill when this process dies."""

    pipe: int

    def watch(self, group: int) -> None:
        """Kill this group when this process dies."""
        self._say(f"+{group}\n")

    def forget(self, group: int) -> None:
        """It has ended."""
        self._say(f"-{group}\n")

    def _say(self, line: str) -> None:
        with contextlib.suppress(OSError):  # somebody killed the guard; evaluations go on without
            os.write(self.pipe, line.encode())


@contextlib.contextmanager
def guarding() -> Iterator[Guard]:
    """A guard of this process until the block ends."""
    process, said = None, -1
    try:
        with undisturbed():
            heard, said = os.pipe()
            process = _forked(heard)
            os.close(heard)
        yield Guard(said)
    finally:
        if process is not None:
            with contextlib.suppress(OSError):
                os.write(said, b".\n")  # closing would not do: a process that outlives the block may have this end too
            os.close(said)
            with contextlib.suppress(ChildProcessError):  # somebody waits for all children
                os.waitpid(process, 0)


def _forked(pipe: int) -> int:
    """Fork the watching process, which never returns from here; its process id."""
    parent = os.getpid()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of a fork beside threads
            process = os.fork()
        if process == 0:
            os.setsid()
            for number in END_SIGNALS:  # the parent decides when to end, and may need this until then
                signal.signal(number, signal.SIG_IGN)
            _watch(pipe, parent)
        return process
    finally:
        if os.getpid() != parent:
            os._exit(0)


def _watch(pipe: int, parent: int) -> None:
    groups, text, orphaned = set[int](), b"", False
    while True:
        if select.select([pipe], [], [], 0.0 if orphaned else _LOOKS)[0]:
            piece = os.read(pipe, 65536)
            if not piece:
                break
            *lines, text = (text + piece).split(b"\n")
            for line in lines:
                if line == b".":
                    return
                (groups.add if line.startswith(b"+") else groups.discard)(int(line[1:]))
        elif orphaned:
            break
        orphaned = os.getppid() != parent  # then what it said last is still to be read
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
