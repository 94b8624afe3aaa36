"""Jobs on several processes. This module imports little: every worker imports it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from camobo.errors import InvalidValueError
from camobo.paper.processes import Step, work_through


def _touch(job: Path, on_step: Step) -> None:
    job.touch()
    on_step()
    on_step()


def _fail(job: int, on_step: Step) -> None:
    on_step()
    if job == 1:
        raise InvalidValueError("job 1 went wrong")


def _crash(job: int, on_step: Step) -> None:
    raise KeyError(f"job {job}")


def _vanish(job: int, on_step: Step) -> None:
    os._exit(3)


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_job_is_done_and_every_step_is_reported(processes: int, tmp_path: Path) -> None:
    jobs = [tmp_path / str(number) for number in range(5)]
    steps: list[int] = []
    work_through(jobs, _touch, processes, lambda: steps.append(1))
    assert sorted(tmp_path.iterdir()) == jobs
    assert len(steps) == 10


def test_a_single_job_needs_no_process() -> None:
    here: list[int] = []
    work_through([7], lambda job, on_step: here.append(job), 2, lambda: None)
    assert here == [7]
    work_through([], _fail, 2, lambda: None)


@pytest.mark.slow
class TestTrouble:
    def test_an_error_in_a_worker_is_raised_here(self) -> None:
        with pytest.raises(InvalidValueError, match="job 1"):
            work_through([0, 1, 2], _fail, 2, lambda: None)

    def test_a_crash_in_a_worker_is_raised_here_with_its_traceback(self) -> None:
        with pytest.raises(RuntimeError, match=r"(?s)job 0.*_crash.*KeyError"):
            work_through([0, 0], _crash, 2, lambda: None)

    def test_a_worker_that_vanishes_is_noticed(self) -> None:
        with pytest.raises(RuntimeError, match=r"exit code 3.*run the same command to continue"):
            work_through([0, 1], _vanish, 2, lambda: None)
