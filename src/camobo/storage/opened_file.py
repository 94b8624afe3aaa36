"""Notices when an open SQLite file was removed, replaced or cut short.

SQLite would keep writing to the file that is gone, and would apply its log (the -wal file) to whatever has the name
now. So the file and its log are compared with what they were, before each use and after each change, and the log's
content is checked before SQLite first reads it (`write_ahead`).
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from camobo.errors import Advice, StorageError
from camobo.storage import write_ahead

Identity: TypeAlias = tuple[int, int]
Rest: TypeAlias = tuple[int, int, int, int]


@dataclass(slots=True)
class OpenedFile:
    """A SQLite file as it was when opened, and the log that SQLite writes beside it."""

    path: Path
    log: Path
    _file: Identity | None = field(default=None, repr=False)
    _size: int = field(default=0, repr=False)
    _log: Identity | None = field(default=None, repr=False)
    _log_set_aside: bool = field(default=False, repr=False)

    @property
    def index(self) -> Path:
        """The index of the log: it says how long the log is."""
        return self.log.with_name(self.log.name.removesuffix("-wal") + "-shm")

    def remember(self) -> None:
        """Remember the file at the path as the right one."""
        found = os.stat(self.path)
        self._file, self._size = (found.st_dev, found.st_ino), found.st_size

    def at_rest(self) -> Rest | None:
        """What tells this state of the file from later ones; None if it is in use, so that its log counts too."""
        try:
            if self.log.exists() and (self.log.stat().st_size or self.index.exists()):
                return None
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def check_log(self) -> None:
        """Raise if the log is damaged, or shorter than it was written: SQLite would drop changes without a word."""
        harm = self.harm_to_log()
        if harm is not None:
            raise StorageError(
                f"{self.path}: {harm}. Stop every process that uses the study and restore {self.log.name}.",
                advice=Advice.REPAIR,
                place=str(self.path),
            )

    def harm_to_log(self) -> str | None:
        """What is wrong with the log, in words; None if nothing is."""
        harm = write_ahead.damage(self.log, self.index)
        empty = not self.path.exists() or not self.path.stat().st_size
        if harm is None and empty and self.log.exists() and self.log.stat().st_size:
            return f"the file is empty or gone, though its log {self.log.name} is there"
        return None if harm is None else f"{self.log.name}, which holds the latest results, {harm}"

    def check(self, connection: MutableMapping[Any, Any] | None = None) -> None:
        """Raise if the file is no longer the one opened. `connection` is a connection's `info`: check its log too."""
        if self._file is None:
            return
        try:
            found = os.stat(self.path)
        except OSError as error:
            raise StorageError(
                f"{self.path}: the file was removed while the study was open ({error.strerror or error}). Put it back. "
                f"To put a copy in its place, stop every process that uses the study and remove {self.log.name} first. "
                "Treat a change in progress as not stored."
            ) from error
        if (found.st_dev, found.st_ino) != self._file:
            raise StorageError(
                f"{self.path}: the file was replaced by another while the study was open; the new file is unchanged. "
                f"{self._set_log_aside()}Treat a change in progress as not stored.",
                advice=Advice.REOPEN,
                place=str(self.path),
            )
        if found.st_size < self._size and not _whole(self.path, found.st_size):
            raise StorageError(
                f"{self.path}: the file was cut short while the study was open, from {self._size} to "
                f"{found.st_size} bytes. Restore it from a copy. Treat a change in progress as not stored."
            )
        self._size = found.st_size
        if write_ahead.shortness(self.log, self.index):
            self.check_log()
        if connection is not None:
            self._check_log(connection)

    def _check_log(self, connection: MutableMapping[Any, Any]) -> None:
        """SQLite keeps the log in place while a connection is open: if it is gone, somebody else took it."""
        now = _identity(self.log)
        if connection.setdefault("log", now) != now:
            raise StorageError(
                f"{self.path}: {self.log.name}, which holds the latest results, was removed or replaced while the "
                "study was open. Put it back, or stop every process that uses the study and open it again. "
                "Treat a change in progress as not stored."
            )
        self._log = now

    def _set_log_aside(self) -> str:
        """Rename the old file's log, so that SQLite does not apply it to the new one; a sentence that says so."""
        aside = self.log.with_name(self.log.name + "-replaced")
        if self._log is not None and _identity(self.log) == self._log:  # else it came with the new file
            try:
                os.replace(self.log, aside)
                self.index.unlink(missing_ok=True)
            except OSError:
                return f"First remove {self.log.name}: it is the log of the old file. "
            self._log_set_aside = True
        if not self._log_set_aside:
            return ""
        return f"The latest results of the old file are in {aside.name}: put it beside that file as its -wal. "


def opened_file(path: Path) -> OpenedFile:
    """The file at a path. SQLite writes the log beside the target of a link."""
    real = path.resolve()
    return OpenedFile(path.absolute(), real.with_name(real.name + "-wal"))


def _identity(path: Path) -> Identity | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _whole(path: Path, size: int) -> bool:
    """Whether a file that became shorter is as long as its header says: somebody ran VACUUM."""
    file = os.open(path, os.O_RDONLY)  # it stays open: to close it would release SQLite's locks on it
    header = os.read(file, 32)
    if len(header) < 32:
        return False
    page = int.from_bytes(header[16:18], "big")
    return size == (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
