"""An owner is one worker: its trials come back to it after a crash, and are never taken by a second under its name."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping
from typing import Any

import pytest

import camobo as cm
from camobo.space.inputs import Param
from tests.support.processes import Say, forked, heard


def quick(params: Mapping[str, Param]) -> dict[str, float]:
    return {"y": params["x"]}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_name_is_refused_while_another_process_runs_under_it_and_free_as_soon_as_that_is_killed(
    place: Any, jobs: int
) -> None:
    study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1, budget=9, storage=place)
    study.close()  # no connection of this process may end up in the other

    def work(say: Say) -> None:
        def hang(params: Mapping[str, Param]) -> dict[str, float]:
            say(os.getpid())
            time.sleep(600)
            return {}

        cm.Study.load(place).optimize(hang, 1, owner="anna", jobs=jobs, progress=False)

    other, lines = forked(work)
    evaluating = other
    try:
        (evaluating,) = heard([lines.readline()])
        with pytest.raises(cm.InvalidOptionError, match=r"^owner: 'anna' is running on .* in another process"):
            study.optimize(quick, 1, owner="anna", progress=False)
        assert [trial.state for trial in study.trials] == [cm.State.PENDING]
        study.optimize(quick, 1, owner="ben", progress=False)
        assert [trial.owner for trial in study.trials] == ["anna", "ben"]
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)
        if "postgresql" in str(place) and jobs > 1:  # a forked evaluation keeps the connection and so the name
            os.kill(evaluating, signal.SIGKILL)
        study.optimize(quick, 1, owner="anna", progress=False)
    finally:
        for process in (other, evaluating):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        lines.close()
    assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 2
    study.close()


@pytest.mark.parametrize("place", ["memory", "sqlite", "postgresql"], indirect=True)
def test_a_name_is_free_again_when_its_run_has_ended(place: Any) -> None:
    study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1, storage=place)
    for _ in range(2):
        study.optimize(quick, 1, owner="anna", progress=False)
    assert len(study.trials) == 2
    study.close()
