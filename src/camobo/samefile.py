"""Whether a SQLite file is still the one that was opened.

SQLite writes on into a file that was removed or replaced, and the log it keeps beside it would be applied to whatever
has its name now. So the file and its log are compared with what they were, before each use and after each change.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from camobo.errors import StorageError

Identity: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A SQLite file as it was when it was opened; `log` is what SQLite keeps beside it."""

    path: Path
    log: Path
    _seen: dict[str, Any] = field(default_factory=dict, repr=False)

    def remember(self) -> None:
        """From now on this is the file that is meant."""
        found = os.stat(self.path)
        self._seen.update(file=(found.st_dev, found.st_ino), size=found.st_size)

    def check(self, connection: MutableMapping[Any, Any] | None = None) -> None:
        """Refuse to go on with another file; `connection` holds the log that a connection writes to."""
        if "file" not in self._seen:
            return
        try:
            found = os.stat(self.path)
        except OSError as error:
            raise StorageError(
                f"{self.path}: the file was removed while the study was open ({error.strerror or error}). Put it back; "
                f"to put a copy in its place, end all who use the study and remove {self.log.name} first. "
                "Count a change under way as not stored."
            ) from error
        if (found.st_dev, found.st_ino) != self._seen["file"]:
            raise StorageError(
                f"{self.path}: the file was replaced by another while the study was open; that one was left as it is. "
                f"Open the study again with Study.load.{self._set_log_aside()} Count a change under way as not stored."
            )
        if found.st_size < self._seen["size"] and not _whole(self.path, found.st_size):
            raise StorageError(
                f"{self.path}: the file was cut short while the study was open, from {self._seen['size']} to "
                f"{found.st_size} bytes. Restore it from a copy. Count a change under way as not stored."
            )
        self._seen.update(size=found.st_size)
        if connection is not None:
            self._check_log(connection)

    def _check_log(self, connection: MutableMapping[Any, Any]) -> None:
        """While a connection is open SQLite leaves its log in place: one that is gone was taken by somebody else."""
        now = _identity(self.log)
        if connection.setdefault("log", now) != now:
            raise StorageError(
                f"{self.path}: {self.log.name}, where the latest results are, was removed or replaced while the study "
                "was open. Put it back, or end all who use the study and open it again. "
                "Count a change under way as not stored."
            )
        self._seen.update(log=now)

    def _set_log_aside(self) -> str:
        """Keep the log of the old file from being applied to the new one, and say where it is."""
        aside = self.log.with_name(self.log.name + "-replaced")
        if self._seen.get("log") is not None and _identity(self.log) == self._seen["log"]:  # or it came with the new
            try:
                os.replace(self.log, aside)
                os.unlink(self.log.with_name(self.log.name.removesuffix("-wal") + "-shm"))  # an index of the log
            except OSError:
                return f" First remove {self.log.name}, which is not its log but that of the old one."
            self._seen.update(aside=True)
        if "aside" not in self._seen:
            return ""
        return f" The latest results of the old one are in {aside.name}, to be put beside it as its -wal."


def opened_file(path: Path) -> OpenedFile:
    """The file of that name; SQLite puts its log beside what a link points to."""
    real = path.resolve()
    return OpenedFile(path.absolute(), real.with_name(real.name + "-wal"))


def _identity(path: Path) -> Identity | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _whole(path: Path, size: int) -> bool:
    """Whether a file that became shorter is as long as its header says: somebody tidied it up (VACUUM)."""
    with path.open("rb") as file:
        header = file.read(32)
    if len(header) < 32:
        return False
    page = int.from_bytes(header[16:18], "big")
    return size == (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
