"""Whether SQLite's write-ahead log, `alloy.db-wal`, is whole. SQLite itself does not say.

The log holds the latest changes until they are copied into the file. SQLite takes it as far as its first frame with a
wrong checksum and drops what follows. That is right after a power cut, which leaves half a change, and silent if the
log was damaged. While a study is open, SQLite believes the log's index, `alloy.db-shm`, even of a log that is shorter.
So the log (https://www.sqlite.org/fileformat2.html#walformat) and the index (https://www.sqlite.org/walformat.html)
are read here, before SQLite does.

    header   8 numbers of 4 bytes: magic, version, page size, sequence, salts (2), checksum (2)
    frame    6 numbers: page, size of the file after a change or 0 within one, salts (2), checksum (2); then a page

A checksum covers all before it: for each pair of numbers, s0 += x0 + s1, then s1 += x1 + s0, modulo 2^32. This is
linear: with the matrix of one such step, what each frame adds is one product for all frames.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from camobo.hints import counted

Words: TypeAlias = NDArray[np.uint64]

_ORDERS = {0x377F0682: "<u4", 0x377F0683: ">u4"}
"""By the first number of a log: how the numbers are read that a checksum covers."""
_HEADER, _FRAME_HEADER, _INDEX_HEADER = 32, 24, 48
_INDEX_START = 2 * _INDEX_HEADER + 4
_PAGES = range(512, 65537)
_AT_ONCE = 256
_LOOKS, _PAUSE = 5, 0.02  # others may write meanwhile: only what every look shows is true
_MASK = np.uint64(0xFFFFFFFF)
_KEPT_OPEN = dict[tuple[int, int], int]()
"""Descriptors of indexes, by device and inode."""
_STEP = np.array([[1, 1], [1, 2]], dtype=np.uint64)
"""What one pair of zeros does to a checksum."""


def damage(log: Path, index: Path) -> str | None:
    """What is wrong with a log, as in "alloy.db-wal …"; None if nothing is, or there is no log."""
    return _seen_every_time(lambda: _shortness(log, index) or _damage(log, index))


def shortness(log: Path, index: Path) -> str | None:
    """How much shorter a log is than its index says; None if it is not, or there is no index."""
    return _seen_every_time(lambda: _shortness(log, index))


def _seen_every_time(look: Callable[[], str | None]) -> str | None:
    found = look()
    for _ in range(_LOOKS):
        if found is None:
            break
        time.sleep(_PAUSE)
        found = look()
    return found


def _shortness(log: Path, index: Path) -> str | None:
    frames, page = _needed(index)
    size = log.stat().st_size if frames and log.exists() else 0
    needed = _HEADER + frames * (_FRAME_HEADER + page)
    return f"has {size} bytes, not the {needed} that were written" if frames and size < needed else None


def _needed(index: Path) -> tuple[int, int]:
    """How many frames a log must have, by its index, and how long their pages are; no frames if all were copied."""
    try:
        start = _start_of_index(index)
    except OSError:
        return 0, 0
    if len(start) < _INDEX_START or start[:_INDEX_HEADER] != start[_INDEX_HEADER:-4]:
        return 0, 0  # it is just being written
    code, frames = struct.unpack_from("=HI", start, 14)
    (copied,) = struct.unpack_from("=I", start, 2 * _INDEX_HEADER)
    return frames if frames > copied else 0, (code & 0xFE00) + ((code & 1) << 16)


def _start_of_index(path: Path) -> bytes:
    """The two copies of an index's header, and how many frames were copied into the file.

    The file stays open until it is removed: to close it would release the locks that SQLite has on it in this process
    (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    """
    if not hasattr(os, "pread"):  # Windows, where a file that is open cannot be removed
        return b""
    found = os.stat(path)
    file = _KEPT_OPEN.get((found.st_dev, found.st_ino))
    if file is None:
        for key, kept in list(_KEPT_OPEN.items()):
            if os.fstat(kept).st_nlink == 0 and _KEPT_OPEN.pop(key, None) is not None:
                os.close(kept)
        file = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        found = os.fstat(file)
        _KEPT_OPEN[found.st_dev, found.st_ino] = file
    return os.pread(file, _INDEX_START, 0)


def _damage(log: Path, index: Path) -> str | None:
    needed = _needed(index)
    try:
        with log.open("rb") as file:
            found = _damage_in(file, needed[0])
    except OSError:
        return None  # there is none, or SQLite will say why it cannot be read
    return found if needed == _needed(index) else None  # somebody writes, so it was whole


def _damage_in(file: BinaryIO, needed: int) -> str | None:
    """What is wrong with a log that must have so many whole frames."""
    header = file.read(_HEADER)
    if not header:
        return None
    words = np.frombuffer(header.ljust(_HEADER, b"\0"), ">u4")
    order, page = _ORDERS.get(int(words[0])), int(words[2])
    if order is None or page not in _PAGES:
        return "has a damaged header"
    powers = _powers((8 + page) // 8)
    checksum = _added(np.frombuffer(header[:24], order).reshape(1, -1), powers)[0]
    if not np.array_equal(checksum, words[6:]):
        return "has a damaged header"
    length, place, lost, whole = _FRAME_HEADER + page, _HEADER, 0, True
    end = _HEADER + needed * length
    while len(body := file.read(_AT_ONCE * length)) >= length:
        frames = np.frombuffer(body[: len(body) // length * length], ">u4").reshape(-1, length // 4)
        numbers = frames if order == ">u4" else frames.view(order)
        added = _added(np.delete(numbers, slice(2, 6), axis=1), powers)
        for frame, sums in zip(frames, added, strict=True):
            ours = np.array_equal(frame[2:4], words[4:6])
            checksum = (powers[0] @ checksum + sums) & _MASK
            whole = whole and ours and np.array_equal(checksum, frame[4:6])
            place += length * whole
            lost += not whole and ours and bool(frame[1])
    if not lost and place >= end:
        return None
    return f"is damaged at byte {place}, and {counted(max(lost, 1), 'change')} from there on cannot be read"


def _added(numbers: NDArray[np.uint32], powers: Words) -> Words:
    """(n, 2) what rows of numbers add to a checksum."""
    pairs = numbers.astype(np.uint64).reshape(len(numbers), -1, 2)
    pairs[:, :, 1] += pairs[:, :, 0]
    added: Words = np.einsum("nki,kji->nj", pairs & _MASK, powers[-pairs.shape[1] :]) & _MASK
    return added


def _powers(count: int) -> Words:
    """(count + 1, 2, 2) the powers of a step from the highest to the zeroth: what later steps make of a pair."""
    found = [np.eye(2, dtype=np.uint64)]
    for _ in range(count):
        found.append((found[-1] @ _STEP) & _MASK)
    return np.array(found[::-1])
