from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import camobo as cm
from camobo.run.evaluate import CAN_FORK
from camobo.run.guard import Guard, guarding
from tests.support.commands import SOURCE
from tests.support.processes import Say, forked
from tests.support.trial_queues import alive, wait_until

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")

PROBLEM = '[space]\nx = {type = "real", low = 0, high = 1}\n[objectives]\ny = "max"\n'
SLEEPS = "sleep 600 & echo $$ $! > {file}.part; mv {file}.part {file}; wait"
"""A script that starts a process of its own, and writes down both."""


def written(file: Path) -> list[int]:
    wait_until(file.exists)
    time.sleep(0.3)  # until the guard has been told
    return [int(word) for word in file.read_text().split()]


def gone(processes: list[int]) -> None:
    wait_until(lambda: not any(map(alive, processes)), 20)


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


@pytest.mark.slow
def test_a_command_and_all_it_started_end_when_camobo_run_is_killed(tmp_path: Path) -> None:
    (tmp_path / "alloy.toml").write_text(PROBLEM)
    script = SLEEPS.format(file=tmp_path / "started")
    line = [sys.executable, "-m", "camobo", "run", "alloy.toml", "-n", "3", "--", "sh", "-c", script]
    surroundings = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(line, cwd=tmp_path, env=surroundings, stderr=subprocess.DEVNULL) as running:
        started = written(tmp_path / "started")
        running.kill()
    gone(started)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["jobs", "worker"])
def test_a_function_and_all_it_started_end_when_the_process_is_killed(where: str, tmp_path: Path) -> None:
    def measure(params: object) -> dict[str, float]:
        subprocess.run(["sh", "-c", SLEEPS.format(file=tmp_path / "started")], check=False)
        return {"y": 1.0}

    def work(say: Say) -> None:
        study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1)
        if where == "jobs":
            study.optimize(measure, 1, trial_timeout=600)
        else:
            with ThreadPoolExecutor(1) as threads:
                study.optimize(measure, 1, executor=threads, trial_timeout=600)

    process, said = forked(work)
    started = written(tmp_path / "started")
    kill(process)
    gone(started)
    said.close()


def test_what_has_ended_is_forgotten_and_what_still_runs_is_killed() -> None:
    one, other = (subprocess.Popen(["sleep", "600"], start_new_session=True) for _ in range(2))

    def work(say: Say) -> None:
        with guarding() as guard:
            guard.watch(one.pid)
            guard.watch(other.pid)
            guard.forget(one.pid)
            say("watched")
            time.sleep(600)

    process, said = forked(work)
    assert said.readline() == b'"watched"\n'
    kill(process)
    assert other.wait(20) == -signal.SIGKILL
    assert one.poll() is None
    one.kill()
    one.wait()
    said.close()


def test_when_its_block_ends_the_guard_ends_and_kills_nothing() -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as running:
        with guarding() as guard:
            guard.watch(running.pid)
        with pytest.raises(ChildProcessError), guarding() as guard:
            raise ChildProcessError
        time.sleep(0.1)
        assert running.poll() is None
        running.kill()


def test_without_its_guard_which_somebody_killed_a_run_goes_on() -> None:
    heard, said = os.pipe()
    os.close(heard)
    guard = Guard(said)
    guard.watch(1)
    guard.forget(1)
    os.close(said)
