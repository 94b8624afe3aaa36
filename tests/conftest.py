"""One BLAS thread for every test, set before NumPy is imported, and how Hypothesis runs."""

from __future__ import annotations

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from hypothesis import settings  # noqa: E402  # it may import NumPy

settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

from pathlib import Path  # noqa: E402

import pytest  # noqa: E402

from camobo.store import MemoryStore, Storage  # noqa: E402


@pytest.fixture(params=["memory", "sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """Somewhere new to keep a study, of each kind in turn."""
    return MemoryStore() if request.param == "memory" else tmp_path / "alloy.db"
