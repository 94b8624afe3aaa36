"""Writes files whole or not at all, and reads none without end."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from camobo.errors import StorageError

_MOST = 64_000_000
"""Bytes: a table of 100,000 trials has a third of that."""


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Callable[[bytes], None]]:
    """A function that writes a file's new content; it replaces the old one when the block ends without an error.

    The content goes to a hidden file in the same folder first, which is removed after an error. A symbolic link stays
    one: its target is replaced. Errors of the file system are raised as they come, as `OSError`.
    """
    target = Path(os.path.realpath(path))
    fresh = target.parent / f".camobo-{secrets.token_hex(6)}"

    def write(content: bytes) -> None:
        with open(fresh, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    try:
        yield write
        os.replace(fresh, target)
    finally:
        with contextlib.suppress(OSError):  # a file system that cannot be written has raised above
            fresh.unlink(missing_ok=True)


def contents(path: str | os.PathLike[str], stream: BinaryIO | None = None) -> bytes:
    """The content of a file, or of a stream called `path`. One that is too large, or never ends, is refused."""
    try:
        with contextlib.nullcontext(stream) if stream is not None else open(path, "rb") as file:
            data = file.read(_MOST + 1)
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if len(data) > _MOST:
        raise StorageError(
            f"{path}: need a file of at most {_MOST // 10**6} MB, got a larger one or one without end. "
            "Is it the right file? A long table can be read in parts."
        )
    return data
