"""Taking turns between processes, by a lock on a file that the system lifts when its holder ends, however it ends."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: everybody goes at once, which costs effort and nothing else
    fcntl = None  # type: ignore[assignment]


@contextmanager
def alone(path: Path, patience: float) -> Iterator[None]:
    """Hold the turn; after `patience` seconds, or where there are no such locks, go on without it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        yield
        return
    try:
        _take_turn(file, time.monotonic() + patience)
        yield
    finally:
        os.close(file)


@contextmanager
def claimed(path: Path, name: str) -> Iterator[bool]:
    """Whether no other process works under a name; until the end of this none can. Without such locks: yes."""
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
    """Lock the name's byte of the file. Such a lock is not handed on to children that outlive this process."""
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
    """A number of 63 bits that no two names are likely to share."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 1


def _take_turn(file: int, end: float) -> None:
    pause = 0.002
    while fcntl is not None and time.monotonic() < end:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
        except OSError:
            return
