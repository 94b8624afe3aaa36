"""Writes files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path


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
