"""Terminals for tests: what commands print on one, and shells that somebody types into."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tests.support.commands import SOURCE

_PATIENCE = 60.0


@contextlib.contextmanager
def terminal() -> Iterator[tuple[TextIO, bytearray]]:
    """A terminal to print on, and the bytes it has received when the block ends."""
    leader, follower = pty.openpty()
    seen = bytearray()

    def read() -> None:
        while not seen.endswith(b"\0"):
            seen.extend(os.read(leader, 65536))

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(follower, "w", encoding="utf-8") as screen:
        try:
            yield screen, seen
        finally:
            screen.write("\0")
            screen.flush()
            reader.join(_PATIENCE)
    os.close(leader)
    del seen[-1]


@dataclass(frozen=True, slots=True)
class Shell:
    """An interactive shell at a terminal, with the `camobo` command and its completion installed."""

    process: subprocess.Popen[bytes]
    screen: int

    def type(self, text: str) -> None:
        """Type some keys."""
        os.write(self.screen, text.encode())

    def wait(self, sign: str) -> str:
        """What the terminal receives until it shows `sign` and, later or just then, a prompt."""
        seen, end = b"", time.monotonic() + _PATIENCE
        while _PROMPT.encode() not in seen[max(0, seen.find(sign.encode())) :] or sign.encode() not in seen:
            ready, _, _ = select.select([self.screen], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {sign!r} from the shell, which showed {seen.decode(errors='replace')!r}")
            seen += os.read(self.screen, 65536)
        return seen.decode(errors="replace")

    def complete(self, line: str, *, enter: bool) -> str:
        """What the terminal shows after a line and TAB, and then Enter or else a key that discards the line."""
        self.type(f"{line}\t{_ENTER if enter else _DISCARD}")  # read one by one, each when the last has done its work
        self.type(f"printf 'done %s.' 42{_ENTER}")
        return self.wait("done 42.")


_PROMPT, _ENTER, _DISCARD = "<ready>", "\r", "\x15"
_SETTINGS = {
    "bash": (".bashrc", f"PS1='{_PROMPT}'\n"),
    "zsh": (".zshrc", f"PS1='{_PROMPT}'\nunsetopt prompt_sp\n"),
    "fish": (".config/fish/config.fish", f"function fish_prompt; echo '{_PROMPT}'; end\n"),
}


@contextlib.contextmanager
def shell(name: str, folder: Path) -> Iterator[Shell]:
    """A shell that works in `folder`, which also holds its home; completion is installed as users install it."""
    home, programs = folder / "home", folder / "programs"
    home.mkdir()
    programs.mkdir()
    command = programs / "camobo"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCE} exec {sys.executable} -m camobo "$@"\n')
    command.chmod(0o755)
    file, settings = _SETTINGS[name]
    (home / file).parent.mkdir(parents=True, exist_ok=True)
    (home / file).write_text(settings)
    surroundings = {
        "HOME": str(home),
        "PATH": f"{programs}:/usr/bin:/bin",
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    installed = [str(command), "--install-completion", name]
    subprocess.run(installed, env=surroundings, check=True, capture_output=True, timeout=_PATIENCE)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [name, "-i"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=surroundings,
        cwd=folder,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # makes it the terminal that controls
    )
    os.close(follower)
    at_it = Shell(process, leader)
    try:
        at_it.wait(_PROMPT)
        at_it.complete("camobo ", enter=False)  # the first TAB in zsh only loads the completion
        yield at_it
    finally:
        process.kill()
        process.wait()
        os.close(leader)
