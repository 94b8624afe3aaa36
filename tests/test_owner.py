"""An owner is one worker: its trials come back to it after a crash, and are never taken by a second under its name."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

import camobo as cm

SCRIPT = """
import os, sys, time
import camobo as cm

def measure(params):
    print(os.getpid(), flush=True)
    time.sleep(600)

cm.Study.load(sys.argv[1]).optimize(measure, 1, owner="anna", jobs=int(sys.argv[2]), progress=False)
"""


@pytest.mark.parametrize("place", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_name_is_refused_while_another_works_under_it_and_free_as_soon_as_that_is_killed(
    place: Any, jobs: int
) -> None:
    study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1, budget=9, storage=place)
    command = [sys.executable, "-c", SCRIPT, str(place), str(jobs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        evaluating = other.pid
        try:
            evaluating = int(other.stdout.readline())
            with pytest.raises(cm.InvalidOptionError, match=r"^owner: 'anna' is at work on .* in another process"):
                study.optimize(lambda params: {"y": params["x"]}, 1, owner="anna", progress=False)
            assert [trial.state for trial in study.trials] == [cm.State.PENDING]
            study.optimize(lambda params: {"y": params["x"]}, 1, owner="ben", progress=False)
            assert [trial.owner for trial in study.trials] == ["anna", "ben"]
            other.kill()
            other.wait()
            if "postgresql" in str(place) and jobs > 1:  # a forked evaluation keeps the connection and so the name
                os.kill(evaluating, signal.SIGKILL)
            study.optimize(lambda params: {"y": params["x"]}, 1, owner="anna", progress=False)
        finally:
            other.kill()
            with contextlib.suppress(ProcessLookupError):
                os.kill(evaluating, signal.SIGKILL)
    assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 2
    study.close()


@pytest.mark.parametrize("place", ["memory", "sqlite", "postgresql"], indirect=True)
def test_a_name_is_free_again_when_its_run_has_ended(place: Any) -> None:
    study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1, storage=place)
    for _ in range(2):
        study.optimize(lambda params: {"y": params["x"]}, 1, owner="anna", progress=False)
    assert len(study.trials) == 2
    study.close()
