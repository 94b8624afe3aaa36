"""Several processes on one Optuna study, one of them killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.trial import FrozenTrial, TrialState

TESTS = Path(__file__).parents[1]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'study.db'}"
    return str(request.getfixturevalue("server"))


@contextmanager
def opened(url: str) -> Iterator[optuna.storages.RDBStorage]:
    """A storage whose connections are closed afterwards: Optuna leaves them open until the process ends."""
    storage = optuna.storages.RDBStorage(url)
    try:
        yield storage
    finally:
        storage.remove_session()
        storage.engine.dispose()


def worker(url: str, trials: int) -> subprocess.Popen[str]:
    paths = [str(TESTS.parent / "src"), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, str(TESTS / "support" / "optuna_worker.py"), url, str(trials)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


def says(process: subprocess.Popen[str], word: str) -> None:
    """Wait for a line of a worker, which begins with the word."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith(word), process.stderr and process.stderr.read()


def at_once(a: FrozenTrial, b: FrozenTrial) -> bool:
    """Whether two trials ran at the same time; one without an end ran until the study ended."""
    later, earlier = max(a, b, key=_start), min(a, b, key=_start)
    return earlier.datetime_complete is None or _start(later) < earlier.datetime_complete


def _start(trial: FrozenTrial) -> Any:
    return trial.datetime_start


def test_a_killed_worker_loses_no_trial_and_no_two_trials_run_at_one_point(url: str) -> None:
    trials = 30
    with opened(url) as storage:
        optuna.create_study(study_name="shared", storage=storage, directions=["minimize", "minimize"])
    processes = [worker(url, trials) for _ in range(2)]
    try:
        for process in processes:
            says(process, "ready")
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        for _ in range(8):
            says(processes[0], "started")
        processes[0].kill()
        _, err = processes[1].communicate(timeout=240)
        assert processes[1].returncode == 0, err
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    with opened(url) as storage:
        found = optuna.load_study(study_name="shared", storage=storage).get_trials(deepcopy=False)
    complete = [trial for trial in found if trial.state is TrialState.COMPLETE]
    assert trials <= len(complete) <= trials + 1
    assert [trial.number for trial in found] == list(range(len(found)))
    assert all(trial.values is not None and np.isfinite(trial.values).all() for trial in complete)
    orphans = [trial for trial in found if trial.state is TrialState.RUNNING]
    assert len(orphans) <= 1  # the killed worker's; Optuna's heartbeat can fail and retry it
    doubles = [
        (a.number, b.number)
        for i, a in enumerate(found)
        for b in found[:i]
        if a.params and a.params == b.params and at_once(a, b)
    ]
    assert doubles == []
