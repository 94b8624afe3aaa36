"""Jobs on several processes. This module imports little: every worker imports it."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.paper.processes import Step, check_can_be_sent, work_through


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


class TestWhatCanBeSent:
    @pytest.mark.slow
    def test_a_function_of_a_module_can_be_with_arguments_filled_in_too(self) -> None:
        check_can_be_sent(partial(_fail, 1))

    def test_a_nested_function_or_a_lambda_cannot_be_and_what_to_do_is_said(self) -> None:
        def nested() -> None: ...

        for given in (nested, lambda: None, partial(nested)):
            with pytest.raises(
                InvalidOptionError, match=r"\(.*(nested|lambda).*\)\. Define it with def.*or use jobs=1"
            ):
                check_can_be_sent(given)

    @pytest.mark.slow
    @pytest.mark.parametrize("file", [True, False])
    def test_one_that_only_this_process_finds_cannot_be(self, file: bool, tmp_path: Path) -> None:
        """In a script that does not guard what it runs, and where there is no script, as in a notebook."""
        source = "from camobo.paper.processes import check_can_be_sent\ndef f(): pass\ncheck_can_be_sent(f)\n"
        (tmp_path / "script.py").write_text(source)
        given = ["script.py"] if file else ["-c", source]
        done = subprocess.run([sys.executable, *given], cwd=tmp_path, check=False, capture_output=True, text=True)
        last = done.stderr.splitlines()[-1]
        assert "ended with exit code 1; its error is printed above" in last
        assert 'below if __name__ == "__main__":, or use jobs=1' in last
