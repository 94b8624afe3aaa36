"""`camobo paper …`: every experiment in short, resuming, and what cannot be run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import camobo
from camobo.cli import main
from camobo.paper import drawing, folder, forest, network, runs, summary
from camobo.paper.digits import from_idx
from camobo.paper.experiments import METHODS, NAMES, cost_of, experiment
from camobo.paper.workers import Step, work_through
from test_paper_digits import small_mnist

FIGURES = {
    "zdt3": {"quality", "fronts", "use", "money", "bound"},
    "cross-holder": {"quality", "fronts", "use", "money", "bound"},
    "matyas-booth": {"quality", "fronts", "use", "money", "bound"},
    "steel": {"quality", "path", "use", "money", "bound"},
    "forest": {"quality", "fronts", "points", "use", "money"},
    "network": {"quality", "fronts", "points", "use", "money"},
}


def paper(*arguments: object) -> None:
    main(["paper", *map(str, arguments)])


def run_short(name: str, out: Path, *more: object) -> None:
    with pytest.raises(SystemExit) as stopped:
        paper(name, "--runs", 2, "--iterations", 3, "--jobs", 1, "--out", out, *more)
    assert stopped.value.code == 0


def drawn(out: Path) -> set[str]:
    return {path.stem for path in out.glob("*.png")}


class TestEveryExperiment:
    @pytest.mark.parametrize(
        ("name", "more"),
        [
            ("zdt3", ()),
            ("cross-holder", ("--cost", "printed", "--cost", "paper")),
            ("matyas-booth", ("--booth", "printed")),
            ("steel", ()),
            ("forest", ("--dataset", "wine", "--cost", "additive")),
        ],
    )
    def test_it_runs_and_draws_and_sums_up(
        self, name: str, more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / name
        run_short(name, out, *more)
        assert drawn(out) == FIGURES[name]
        assert {path.stem for path in out.glob("*.pdf")} == FIGURES[name]
        assert "| MO-UCB |" in capsys.readouterr().out
        numbers = json.loads((out / "summary.json").read_text())
        costs = [value for option, value in zip(more[::2], more[1::2], strict=True) if option == "--cost"]
        assert set(numbers["methods"]) == {"mo-ucb", *(costs or ("paper", "additive"))}
        for method in numbers["methods"].values():
            assert method["runs"] == [0, 1]
            assert all(0.0 <= share <= 1.0 for share in [*method["near"], *method["mapped"]])

    def test_the_network_runs_on_mnist_s_own_files(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out, data = tmp_path / "network", small_mnist(tmp_path / "mnist")
        with pytest.raises(SystemExit) as stopped:
            paper(
                *("network", "--data", data, "--epochs", 2, "--runs", 1, "--iterations", 2, "--jobs", 1),
                *("--cost", "paper", "--out", out),
            )
        assert stopped.value.code == 0
        assert drawn(out) == FIGURES["network"]
        assert "IDX files in mnist" in capsys.readouterr().out

    def test_the_cost_surface_is_drawn(self, tmp_path: Path) -> None:
        with pytest.raises(SystemExit):
            paper("cost-surface", "--out", tmp_path)
        assert drawn(tmp_path) == {"cost-surface"}

    def test_steel_has_a_two_objective_variant(self) -> None:
        setting = folder.Setting("steel", 3, 0, {"objectives": 2})
        record = runs.one_run(setting, "additive", 0, lambda: None)
        assert record.values.shape == (3, 2)
        assert summary.curves([record], setting)["additive"].near.shape == (1, 3)

    @pytest.mark.parametrize("name", NAMES)
    def test_the_paper_s_protocol_is_the_default(self, name: str) -> None:
        protocol = experiment(name, {}).paper
        expected = {"forest": (10, 300), "network": (10, 300), "steel": (50, 10)}.get(name, (50, 500))
        assert (protocol.runs, protocol.iterations) == expected

    def test_only_the_cost_differs_between_methods(self) -> None:
        assert cost_of("mo-ucb", "x1 > x2") is None
        assert {type(cost_of(method, "x1 > x2")) for method in METHODS} == {
            type(None),
            camobo.PaperCost,
            camobo.AdditiveCost,
        }


class TestARun:
    SETTING = folder.Setting("cross-holder", 5, 3, {})

    def test_the_same_setting_gives_the_same_run(self) -> None:
        one, other = (runs.one_run(self.SETTING, "paper", 1, lambda: None) for _ in range(2))
        assert one.units.tolist() == other.units.tolist()
        assert one.regrets is not None
        assert other.regrets is not None
        assert one.regrets.tolist() == other.regrets.tolist()

    def test_methods_start_from_the_same_observations_and_then_differ(self) -> None:
        one, other = (runs.one_run(self.SETTING, method, 1, lambda: None) for method in ("paper", "mo-ucb"))
        assert one.first_units.tolist() == other.first_units.tolist()
        assert one.units.tolist() != other.units.tolist()

    def test_without_cost_it_is_what_a_study_asks_for(self) -> None:
        record = runs.one_run(self.SETTING, "mo-ucb", 1, lambda: None)
        problem = experiment("cross-holder", {})
        study = camobo.Study(problem.space, problem.objectives, method="paper", budget=5, seed=4)
        for unit, value in zip(record.first_units, record.first_values, strict=True):
            study.add(problem.space.from_unit(unit), dict(zip(problem.objectives, value.tolist(), strict=True)))
        for unit, value in zip(record.units, record.values, strict=True):
            trial = study.ask()
            assert problem.space.to_unit(trial.params) == pytest.approx(unit, abs=1e-12)
            study.tell(trial, dict(zip(problem.objectives, value.tolist(), strict=True)))

    def test_own_and_common_regret_agree_where_the_cost_is_the_paper_s(self) -> None:
        record = runs.one_run(self.SETTING, "paper", 0, lambda: None)
        assert record.regrets is not None
        assert record.own_regrets is not None
        assert record.bound is not None
        assert record.regrets.tolist() == record.own_regrets.tolist()
        assert (np.cumsum(record.own_regrets) <= record.bound).all()

    def test_the_hypervolume_never_falls(self) -> None:
        record = runs.one_run(self.SETTING, "additive", 0, lambda: None)
        found = summary.curves([record], self.SETTING)["additive"]
        assert (np.diff(found.near[0]) >= 0).all()
        assert (np.diff(found.money[0]) > 0).all()


class TestTheFolder:
    SETTING = folder.Setting("steel", 3, 0, {"objectives": 1})

    def test_only_what_is_missing_is_made(self, tmp_path: Path) -> None:
        runs.make(folder.missing(tmp_path, self.SETTING, ["mo-ucb", "paper"], 2), 1, lambda: None)
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").iterdir()}
        more = folder.missing(tmp_path, self.SETTING, ["mo-ucb", "paper", "printed"], 3)
        assert [(job.method, job.run) for job in more] == [
            ("printed", 0),
            ("printed", 1),
            ("mo-ucb", 2),
            ("paper", 2),
            ("printed", 2),
        ]
        runs.make(more, 1, lambda: None)
        assert folder.missing(tmp_path, self.SETTING, ["mo-ucb", "paper", "printed"], 3) == []
        assert {path: path.stat().st_mtime_ns for path in before} == before

    def test_runs_come_back_as_they_were_made(self, tmp_path: Path) -> None:
        runs.make(folder.missing(tmp_path, self.SETTING, ["additive"], 1), 1, lambda: None)
        (found,) = folder.load(tmp_path, self.SETTING)
        again = runs.one_run(self.SETTING, "additive", 0, lambda: None)
        assert found.units.tolist() == again.units.tolist()
        assert found.values.tolist() == again.values.tolist()
        assert found.bound is not None
        assert again.bound is not None
        assert found.bound.tolist() == again.bound.tolist()

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (("steel", "--iterations", "5"), "iterations 4 (now 5)"),
            (("steel", "--iterations", "4", "--seed", "9"), "seed 0 (now 9)"),
            (("steel", "--iterations", "4", "--objectives", "2"), "options {'objectives': 1}"),
            (("zdt3", "--iterations", "4"), "experiment 'steel' (now 'zdt3')"),
        ],
    )
    def test_a_folder_of_other_settings_is_left_as_it_is(
        self, arguments: tuple[str, ...], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder.claim(tmp_path, folder.Setting("steel", 4, 0, {"objectives": 1}))
        before = {path: path.read_bytes() for path in tmp_path.rglob("*")}
        with pytest.raises(SystemExit) as stopped:
            paper(*arguments, "--runs", 1, "--jobs", 1, "--out", tmp_path)
        assert stopped.value.code == 1
        assert told in capsys.readouterr().err
        assert {path: path.read_bytes() for path in tmp_path.rglob("*")} == before

    def test_a_folder_of_something_else_is_left_as_it_is(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(camobo.InvalidOptionError, match="other files"):
            folder.claim(tmp_path, folder.Setting("steel", 4, 0, {}))
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_file_in_the_folder_s_place_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("")
        with pytest.raises(camobo.InvalidOptionError, match="got the file"):
            folder.claim(tmp_path / "out", folder.Setting("steel", 4, 0, {}))

    @pytest.mark.parametrize("content", ["", "{", "[1]", "{}", '{"method": "paper"}'])
    def test_a_spoilt_run_is_named(self, content: str, tmp_path: Path) -> None:
        (tmp_path / "runs").mkdir()
        (tmp_path / "runs" / "paper-0000.json").write_text(content)
        with pytest.raises(camobo.InvalidValueError, match=r"paper-0000\.json.*Delete it"):
            folder.load(tmp_path, self.SETTING)

    @pytest.mark.parametrize(
        ("field", "value", "told"),
        [
            ("units", [[0.1, 0.2]], "need 3 × 2 finite numbers in 'units'"),
            ("units", "abc", "could not convert"),
            ("values", [[1.0], [None], [2.0]], "'values'"),
            ("values", [[1.0], [float("inf")], [2.0]], "'values'"),
            ("values", [[1.0], [1.0, 2.0], [2.0]], "inhomogeneous"),
            ("first_values", [], "'first_values'"),
            ("method", "printed", "it says it is run 0 of 'printed'"),
            ("method", ["paper"], "it says it is run 0"),
            ("run", 1, "it says it is run 1 of 'paper'"),
            ("run", "zero", "format code"),
            ("whole", None, "NoneType"),
        ],
    )
    def test_a_run_that_is_not_whole_or_not_its_own_is_named(
        self, field: str, value: object, told: str, tmp_path: Path
    ) -> None:
        runs.make(folder.missing(tmp_path, self.SETTING, ["paper"], 1), 1, lambda: None)
        (path,) = (tmp_path / "runs").iterdir()
        path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
        with pytest.raises(camobo.InvalidValueError, match=r"paper-0000\.json.*Delete it") as caught:
            folder.load(tmp_path, self.SETTING)
        assert told in str(caught.value)

    def test_spoilt_settings_are_not_to_be_deleted(self, tmp_path: Path) -> None:
        folder.claim(tmp_path, self.SETTING)
        (tmp_path / "settings.json").write_text('{"exp')
        for read in (lambda: folder.claim(tmp_path, self.SETTING), lambda: folder.read_setting(tmp_path)):
            with pytest.raises(camobo.InvalidValueError, match=r"settings\.json.*nothing says what its runs are"):
                read()

    def test_settings_of_one_experiment_have_folders_of_their_own(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for more in ((), ("--objectives", 2), ("--quick",)):
            with pytest.raises(SystemExit) as stopped:
                paper("steel", *more, "--runs", 1, "--iterations", 2, "--jobs", 1, "--cost", "paper")
            assert stopped.value.code == 0
        found = {str(path.parent.relative_to(tmp_path)) for path in tmp_path.rglob("summary.json")}
        assert found == {"paper-runs/steel", "paper-runs/steel-2", "paper-runs-quick/steel"}

    def test_a_folder_without_settings_cannot_be_redrawn(self, tmp_path: Path) -> None:
        with pytest.raises(camobo.InvalidOptionError, match=r"settings\.json"):
            folder.read_setting(tmp_path)


def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing came of it in time"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text().split()] if listed.exists() else []


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")
class TestStopping:
    COMMAND = (sys.executable, "-m", "camobo", "paper", "cross-holder", "--runs", "4", "--iterations", "12")

    def started(self, out: Path) -> subprocess.Popen[str]:
        command = [*self.COMMAND, "--cost", "paper", "--jobs", "2", "--out", str(out)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def stopped(self, out: Path, how: signal.Signals) -> tuple[int, str]:
        """Exit code and errors of an experiment stopped after its second run, when all its workers are gone too."""
        process = self.started(out)
        until(lambda: len(list((out / "runs").glob("[!.]*.json"))) >= 2)
        workers = children(process.pid)
        process.send_signal(how)
        _, errors = process.communicate(timeout=120)
        until(lambda: not any(alive(worker) for worker in workers))
        return process.returncode, errors

    def test_a_killed_experiment_goes_on_where_it_was(self, tmp_path: Path) -> None:
        out = tmp_path / "out"
        assert self.stopped(out, signal.SIGKILL)[0] == -signal.SIGKILL
        made = out / "runs"
        kept = {path: path.read_bytes() for path in made.glob("[!.]*.json")}
        assert 2 <= len(kept) < 8
        again = self.started(out)
        said, errors = again.communicate(timeout=300)
        assert again.returncode == 0, errors
        assert f"{len(kept)} already there" in said
        assert len(list(made.glob("[!.]*.json"))) == 8
        assert {path: path.read_bytes() for path in kept} == kept
        assert errors == ""  # no terminal, no progress bar

    def test_ctrl_c_says_that_finished_runs_are_kept(self, tmp_path: Path) -> None:
        code, errors = self.stopped(tmp_path / "out", signal.SIGINT)
        assert code == 130
        assert "finished runs are kept" in errors
        assert "Traceback" not in errors


def _fail(job: int, on_step: Step) -> None:
    on_step()
    if job == 1:
        raise camobo.InvalidValueError("job 1 went wrong")


def _vanish(job: int, on_step: Step) -> None:
    os._exit(3)


class TestWorkers:
    def test_an_error_in_a_worker_is_raised_here(self) -> None:
        with pytest.raises(camobo.InvalidValueError, match="job 1"):
            work_through([0, 1, 2], _fail, 2, lambda: None)

    def test_a_worker_that_vanishes_is_noticed(self) -> None:
        with pytest.raises(RuntimeError, match="exit code 3"):
            work_through([0, 1], _vanish, 2, lambda: None)


class TestMissingExtras:
    @pytest.mark.parametrize(
        ("package", "needs"),
        [
            ("matplotlib", drawing.available),
            ("sklearn", lambda: forest.objective("digits")),
            ("keras", network._keras),
            ("mlxtend", lambda: runs.ready(folder.Setting("network", 1, 0, {"data": None, "epochs": 1}))),
        ],
    )
    def test_the_message_names_the_command_that_installs_it(
        self, package: str, needs: Callable[[], object], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [name for name in sys.modules if name.split(".")[0] == package]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(camobo.MissingExtraError, match=r"pip install 'camobo\[paper\]'"):
            needs()


class TestBadInput:
    @pytest.mark.parametrize(
        "arguments",
        [
            ("zdt9",),
            ("zdt3", "--runs", "0"),
            ("zdt3", "--runs", "1000000000"),
            ("zdt3", "--iterations", "99999999999"),
            ("zdt3", "--iterations", "-1"),
            ("zdt3", "--seed", "-1"),
            ("zdt3", "--cost", "cheap"),
            ("zdt3", "--protocol", "long"),
            ("matyas-booth", "--booth", "telephone"),
            ("forest", "--dataset", "mnist"),
            ("steel", "--objectives", "3"),
        ],
    )
    def test_a_command_line_that_cannot_be_read_is_a_usage_error(self, arguments: tuple[str, ...]) -> None:
        with pytest.raises(SystemExit) as stopped:
            paper(*arguments)
        assert stopped.value.code == 2

    def test_bad_digits_are_told_before_a_folder_is_made(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        data = small_mnist(tmp_path / "mnist")
        (data / "train-labels-idx1-ubyte").write_bytes(b"\0\0\x08\1")
        with pytest.raises(SystemExit) as stopped:
            paper("network", "--data", data, "--out", tmp_path / "out")
        assert stopped.value.code == 1
        assert "train-labels-idx1-ubyte" in capsys.readouterr().err
        assert not (tmp_path / "out").exists()

    def test_the_cost_surface_is_not_drawn_among_other_files(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(SystemExit) as stopped:
            paper("cost-surface", "--out", tmp_path)
        assert stopped.value.code == 1
        assert "holds other files" in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_an_empty_folder_has_no_table(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as stopped:
            paper("table", tmp_path)
        assert stopped.value.code == 1
        assert "camobo paper zdt3" in capsys.readouterr().err


class TestMeasuring:
    def test_a_bigger_forest_takes_longer_and_errs_less(self) -> None:
        measure = forest.objective("digits")
        (short, rough), (long, fine) = (measure({"estimators": n, "depth": n}) for n in (1, 30))
        assert long > 5 * short
        assert fine < 0.5 * rough

    def test_a_network_learns_what_can_be_learned_and_is_timed(self, tmp_path: Path) -> None:
        measure = network.objective(from_idx(small_mnist(tmp_path)), 60, 0)
        params = {"layers": 1, "units": 60, "learning_rate": 0.01, "dropout": 0.4, "l1": 1e-6, "l2": 1e-6}
        error, microseconds = measure(params)
        assert error < 0.2
        assert microseconds > 0
        assert measure(params)[0] == error  # the same seed gives the same network

    def test_a_network_that_blows_up_errs_as_much_as_a_guess(self, tmp_path: Path) -> None:
        measure = network.objective(from_idx(small_mnist(tmp_path)), 3, 0)
        error, _ = measure({"layers": 1, "units": 50, "learning_rate": 1e38, "dropout": 0.4, "l1": 1e-6, "l2": 1e-6})
        assert error == pytest.approx(0.75)
