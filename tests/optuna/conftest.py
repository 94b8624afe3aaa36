"""Optuna databases for tests, copied from one that is made once: creating its tables takes a third of a second."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import optuna
import pytest


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with Optuna's tables and no study."""
    path = tmp_path_factory.mktemp("optuna") / "empty.db"
    optuna.storages.RDBStorage(f"sqlite:///{path}").engine.dispose()
    return path


@pytest.fixture
def database(empty_database: Path) -> Callable[..., str]:
    """Creates an Optuna database with studies of the given names, and returns its URL."""

    def create(path: Path, *names: str) -> str:
        shutil.copy(empty_database, path)
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
        for name in names:
            optuna.create_study(study_name=name, storage=storage)
        storage.remove_session()
        storage.engine.dispose()
        return str(storage.url)

    return create
