"""Runs: the same for the same settings, the same as a study's, made where they are missing, and stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import camobo
from camobo.paper import folder, results, runs, summary
from camobo.paper.experiments import METHODS, OWN, Method, experiment, problem_text
from camobo.paper.folder import Setting
from tests.support.commands import camobo as command
from tests.support.mnist import small_mnist

SETTING = Setting("cross-holder", 5, 3, {})


class TestARun:
    def test_the_same_setting_gives_the_same_run(self) -> None:
        one, other = (runs.one_run(SETTING, "paper", 1, lambda: None) for _ in range(2))
        assert one.units.tolist() == other.units.tolist()
        assert one.regrets is not None
        assert other.regrets is not None
        assert one.regrets.tolist() == other.regrets.tolist()

    @pytest.mark.parametrize("name", ["cross-holder", "zdt3"])
    def test_methods_start_from_the_same_observations_and_then_differ(self, name: str) -> None:
        found = [runs.one_run(Setting(name, 5, 3, {}), method, 1, lambda: None) for method in METHODS]
        assert len(found[0].first_units) == experiment(name, {}).space.dimension + 1
        assert all(one.first_units.tolist() == found[0].first_units.tolist() for one in found)
        assert all(one.first_values.tolist() == found[0].first_values.tolist() for one in found)
        assert len({str(one.units.tolist()) for one in found}) == len(METHODS)

    @pytest.mark.parametrize(
        ("method", "asked"),
        [
            ("mo-ucb", {"method": "paper"}),
            ("paper", {"method": "paper", "cost": camobo.PaperCost("x1 > x2 > x3 > x4 > x5")}),
            ("default", {"cost": "x1 > x2 > x3 > x4 > x5"}),
        ],
    )
    def test_it_is_what_a_study_asks_for_to_the_bit(self, method: Method, asked: dict[str, Any]) -> None:
        record = runs.one_run(Setting("zdt3", 5, 3, {}), method, 1, lambda: None)
        problem = experiment("zdt3", {})  # its inputs are from 0 to 1: points pass through params without rounding
        study = camobo.Study(problem.space, problem.objectives, budget=5, seed=4, **asked)
        for unit, value in zip(record.first_units, record.first_values, strict=True):
            study.add(problem.space.from_unit(unit), dict(zip(problem.objectives, value.tolist(), strict=True)))
        for unit, value in zip(record.units, record.values, strict=True):
            trial = study.ask()
            assert problem.space.to_unit(trial.params).tolist() == unit.tolist()
            study.tell(trial, dict(zip(problem.objectives, value.tolist(), strict=True)))

    @pytest.mark.parametrize(
        ("method", "cost"), [("mo-ucb", None), ("paper", camobo.PaperCost("x1 > x2 > x3 > x4 > x5"))], ids=str
    )
    def test_a_study_draws_the_same_initial_observations_and_goes_on_alike(self, method: Method, cost: Any) -> None:
        record = runs.one_run(Setting("zdt3", 12, 3, {}), method, 1, lambda: None)
        problem = experiment("zdt3", {})
        study = camobo.Study(problem.space, problem.objectives, cost=cost, seed=4, method="paper")
        for unit, value in zip(
            np.vstack([record.first_units, record.units]), np.vstack([record.first_values, record.values]), strict=True
        ):
            trial = study.ask()
            assert problem.space.to_unit(trial.params).tolist() == unit.tolist()
            study.tell(trial, dict(zip(problem.objectives, value.tolist(), strict=True)))

    @pytest.mark.parametrize("name", ["cross-holder", "forest"])
    def test_the_default_has_no_regrets(self, name: str) -> None:
        options = {"dataset": "wine"} if name == "forest" else {}
        record = runs.one_run(Setting(name, 2, 0, options), "default", 0, lambda: None)
        assert (record.regrets, record.own_regrets, record.bound) == (None, None, None)
        assert record.units.shape == (2, 2)

    def test_own_and_common_regret_agree_where_the_cost_is_the_paper_s(self) -> None:
        record = runs.one_run(SETTING, "paper", 0, lambda: None)
        assert record.regrets is not None
        assert record.own_regrets is not None
        assert record.bound is not None
        assert record.regrets.tolist() == record.own_regrets.tolist()
        assert (np.cumsum(record.own_regrets) <= record.bound).all()

    @pytest.mark.parametrize("method", ["printed", "default"])
    def test_every_step_is_reported_and_timed(self, method: Method) -> None:
        steps: list[int] = []
        record = runs.one_run(SETTING, method, 0, lambda: steps.append(1))
        assert len(steps) == len(record.seconds) == 5
        assert record.whole >= record.seconds.sum()

    @pytest.mark.parametrize(
        ("name", "options"),
        [
            ("zdt3", {}),
            ("matyas-booth", {"booth": "printed"}),
            ("steel", {"objectives": 1}),
            ("steel", {"objectives": 2}),
            ("forest", {"dataset": "wine"}),
        ],
    )
    @pytest.mark.parametrize("method", ["printed", "default"])
    def test_every_experiment_runs_and_is_summed_up(
        self, method: Method, name: str, options: dict[str, object], tmp_path: Path
    ) -> None:
        setting = Setting(name, 2, 0, options)
        record = runs.one_run(setting, method, 0, lambda: None)
        assert record.values.shape == (2, len(experiment(name, options).objectives))
        assert (record.bound is None) == (name == "forest" or method == "default")
        found = summary.summarise(tmp_path, setting, results.curves([record], setting))
        assert found["methods"][method]["runs"] == [0]

    @pytest.mark.slow
    def test_the_network_runs_on_mnist_s_own_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KERAS_BACKEND", "torch")
        pytest.importorskip("keras")
        setting = Setting("network", 2, 0, {"data": str(small_mnist(tmp_path / "mnist")), "epochs": 2})
        runs.ready(setting)
        record = runs.one_run(setting, "paper", 0, lambda: None)
        assert record.values.shape == (2, 2)
        assert str(runs.source(setting)).startswith("IDX files in mnist")


class TestBeforehand:
    def test_bad_digits_are_reported_before_a_folder_is_made(self, tmp_path: Path) -> None:
        data = small_mnist(tmp_path / "mnist")
        (data / "train-labels-idx1-ubyte").write_bytes(b"\0\0\x08\1")
        done = command("paper", "network", "--data", data, "--out", tmp_path / "out")
        assert done.code == 1
        assert "train-labels-idx1-ubyte" in done.err
        assert not (tmp_path / "out").exists()

    def test_missing_packages_are_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sklearn", None)
        runs.ready(SETTING)
        with pytest.raises(camobo.MissingExtraError):
            runs.ready(Setting("forest", 1, 0, {"dataset": "wine"}))

    def test_the_source_of_data_is_named(self) -> None:
        assert runs.source(SETTING) is None
        assert runs.source(Setting("forest", 1, 0, {"dataset": "wine"})) == "wine of scikit-learn"

    def test_a_measured_experiment_has_no_regret(self) -> None:
        with pytest.raises(camobo.InvalidOptionError, match="'forest': its values are measured"):
            runs.surveyed("forest", ())


@pytest.mark.parametrize("method", ["printed", "default"])
def test_runs_are_made_once_and_come_back_as_they_were_made(method: Method, tmp_path: Path) -> None:
    setting = Setting("steel", 3, 0, {"objectives": 1})
    runs.make(folder.missing(tmp_path, setting, [method], 2), 1, lambda: None)
    assert folder.missing(tmp_path, setting, [method], 2) == []
    found = folder.load(tmp_path, setting)[1]
    again = runs.one_run(setting, method, 1, lambda: None)
    assert found.units.tolist() == again.units.tolist()
    assert found.values.tolist() == again.values.tolist()
    assert (found.bound is None) == (again.bound is None) == (method == "default")
    if found.bound is not None and again.bound is not None:
        assert found.bound.tolist() == again.bound.tolist()


def test_jobs_that_know_how_to_measure_keep_it_unless_another_way_is_given(tmp_path: Path) -> None:
    options = {"problem": problem_text(camobo.Space({"x": camobo.Real(0, 1)}), {"y": "min"}, "x"), "title": "Mine"}
    setting = Setting(OWN, 2, 0, options)
    folder.claim(tmp_path, setting)
    jobs = [replace(job, measure=lambda _: [5.0]) for job in folder.missing(tmp_path, setting, ["mo-ucb"], 2)]
    runs.make(jobs[:1], 1, lambda: None)
    runs.make(jobs[1:], 1, lambda: None, lambda _: [7.0])
    assert [record.values.tolist() for record in folder.load(tmp_path, setting)] == [[[5.0]] * 2, [[7.0]] * 2]


def test_nothing_missing_makes_nothing() -> None:
    steps: list[int] = []
    runs.make([], 2, lambda: steps.append(1))
    assert not steps


@pytest.mark.slow
def test_an_experiment_runs_draws_and_prints_its_table(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    short = ("--runs", "1", "--iterations", "3", "--jobs", "1", "--cost", "printed", "--cost", "default")
    done = command("paper", "cross-holder", *short, "--out", tmp_path)
    assert done.code == 0, done.err
    assert {path.stem for path in tmp_path.glob("*.png")} == {"figure", "money", "bound"}
    assert "| CA-MOBO, as printed |" in done.out
    assert "| camobo's default |" in done.out


def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


SCRIPT = """
import sys
from pathlib import Path
from camobo.paper import folder, runs

if __name__ == "__main__":
    out, setting = Path(sys.argv[1]), folder.Setting("cross-holder", 12, 0, {})
    folder.claim(out, setting)
    runs.make(folder.missing(out, setting, ["mo-ucb", "paper"], 4), 2, lambda: None)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")
class TestStopping:
    def stopped(self, out: Path, how: signal.Signals, *started: object) -> tuple[int, str]:
        """Exit code and errors of a process stopped after its second run, once all its workers are gone."""
        process = subprocess.Popen(list(map(str, started)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until(lambda: len(list((out / "runs").glob("[!.]*.json"))) >= 2)
        workers = children(process.pid)
        process.send_signal(how)
        _, errors = process.communicate(timeout=120)
        until(lambda: not any(alive(worker) for worker in workers))
        return process.returncode, errors

    def test_a_killed_experiment_continues_where_it_was(self, tmp_path: Path) -> None:
        out, script = tmp_path / "out", tmp_path / "script.py"
        script.write_text(SCRIPT)
        assert self.stopped(out, signal.SIGKILL, sys.executable, script, out)[0] == -signal.SIGKILL
        stored = {path: path.read_bytes() for path in (out / "runs").glob("[!.]*.json")}
        assert 2 <= len(stored) < 8
        setting = folder.read_setting(out)
        missing = folder.missing(out, setting, ["mo-ucb", "paper"], 4)
        assert len(missing) == 8 - len(stored)
        runs.make(missing, 1, lambda: None)
        assert len(folder.load(out, setting)) == 8
        assert {path: path.read_bytes() for path in stored} == stored

    def test_ctrl_c_says_that_finished_runs_are_stored(self, tmp_path: Path) -> None:
        protocol = ("--runs", 4, "--iterations", 12, "--cost", "paper", "--jobs", 2, "--out", tmp_path / "out")
        started = (sys.executable, "-m", "camobo", "paper", "cross-holder", *protocol)
        code, errors = self.stopped(tmp_path / "out", signal.SIGINT, *started)
        assert code == 130
        assert errors == "Interrupted. Finished runs are stored; run the same command to continue.\n"
