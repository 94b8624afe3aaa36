"""Locks on a file between processes. The system releases them when the holder ends, even if it is killed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: no locks; processes may compute the same suggestions, and the transaction sorts it out
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def alone(path: Path, patience: float) -> Iterator[None]:
    """Hold the lock, first come first served; after `patience` seconds, or where files cannot be locked, go without."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        yield
        return
    try:
        _take_turn(file, patience)
        yield
    finally:
        _leave(file)


@contextlib.contextmanager
def claimed(path: Path, name: str) -> Iterator[bool]:
    """Reserve a name until the block ends; False if another process has it. Where files cannot be locked: True."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        yield True
        return
    try:
        yield _claim(file, name)
    finally:
        os.close(file)


def _claim(file: int, name: str) -> bool:
    """Lock the name's byte of the file. Children that outlive this process do not inherit such a lock."""
    if fcntl is None:
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number_of(name) >> 1)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True


def number_of(name: str) -> int:
    """A 63-bit hash of a name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 1


def _take_turn(file: int, patience: float) -> None:
    """Stand in the queue. In a thread, because the system's wait has no end of its own.

    A wait that is given up ends when its turn comes: by then its file is closed, and whatever it locked is free.
    """
    if fcntl is None:
        return
    with contextlib.suppress(OSError):  # files cannot be locked here
        ticket = _ticket(file)
        waiting = threading.Thread(target=_wait, args=(file, ticket), name="camobo turn", daemon=True)
        waiting.start()
        waiting.join(patience)


def _leave(file: int) -> None:
    """Let the next one in, also if a child that was forked meanwhile has the file open."""
    if fcntl is not None:
        with contextlib.suppress(OSError):
            _unlock(file)
    os.close(file)


if sys.platform == "linux":
    # A lock of Linux's is for a range of bytes, which the file need not have, and belongs to the open file, not to the
    # process. A ticket is a byte, numbered by the time; whoever holds one waits until no byte before it is locked.

    def _ticket(file: int) -> int:
        while True:
            ticket = time.monotonic_ns()
            try:
                _lock(file, fcntl.F_OFD_SETLK, fcntl.F_WRLCK, ticket, 1)
            except BlockingIOError:  # somebody else's, or a later one was faster and has its turn: draw again
                time.sleep(0.001)
            else:
                return ticket

    def _wait(file: int, ticket: int) -> None:
        with contextlib.suppress(OSError):
            _lock(file, fcntl.F_OFD_SETLKW, fcntl.F_RDLCK, 0, ticket)

    def _unlock(file: int) -> None:
        _lock(file, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, 0, 0)

    def _lock(file: int, command: int, kind: int, start: int, length: int) -> None:
        """Set or remove a lock, as the system's `struct flock` describes it."""
        fcntl.fcntl(file, command, struct.pack("hhqqi0q", kind, os.SEEK_SET, start, length, 0))

else:  # the system's queue: nearly first come, first served

    def _ticket(file: int) -> int:
        return 0

    def _wait(file: int, ticket: int) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
