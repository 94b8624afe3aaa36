"""Locks on a file between processes. The system releases them when the holder ends, even if it is killed."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: no locks; processes may compute the same suggestions, and the transaction sorts it out
    fcntl = None  # type: ignore[assignment]


@contextmanager
def alone(path: Path, patience: float) -> Iterator[None]:
    """Hold the lock; after `patience` seconds, or where files cannot be locked, continue without it."""
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
