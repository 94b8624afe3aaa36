"""The arithmetic of the benchmarks, and short runs of what they measure at length."""

from __future__ import annotations

import gzip
import importlib
import itertools
import json
import math
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import camobo

FOLDER = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(FOLDER))  # as when a script there is started


SCRIPTS = (
    "bench",
    "kernels",
    "model_selection",
    "money.page",
    "money.receipts",
    "money.run",
    "quality_peers",
    "sampler",
    "storage",
    "peers.growth",
    "peers.run",
)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_can_be_imported(script: str) -> None:
    if script == "model_selection":
        pytest.importorskip("optuna")
    if script in ("quality_peers", "sampler"):
        pytest.importorskip("botorch")
        pytest.importorskip("optuna")
    try:
        assert callable(importlib.import_module(script).main)
    finally:
        if "torch" in sys.modules:
            sys.modules["torch"].set_flush_denormal(False)  # which the peers' set-up turns on, for the whole process


def test_the_fingerprint_covers_all_that_decides_suggestions_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = importlib.import_module("sources")
    root = Path(camobo.__file__).parent
    copy = tmp_path / "camobo"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = sources.fingerprint()
    monkeypatch.setattr(camobo, "__file__", str(copy / "__init__.py"))
    assert sources.fingerprint() == before
    for name, counts in [
        ("cli/run.py", False),
        ("report/page.py", False),
        ("cost/ordered.py", True),
        ("optuna/sampler.py", True),
    ]:
        with (copy / name).open("a") as file:
            file.write("# changed\n")
        assert (sources.fingerprint() != before) == counts
        before = sources.fingerprint()


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    return importlib.import_module("peers.measures")


def contest_run(hypervolume: list[float], money: list[float], **more: object) -> dict[str, object]:
    count = len(money)
    return {
        "status": "finished",
        "limit": 900.0,
        "evaluations": count,
        "at": list(range(1, count + 1)),
        "hypervolume": hypervolume,
        "money": money,
        "asks": [0.1],
        "use": [1.0],
        **more,
    }


class TestTheContestsArithmetic:
    def test_money_to_a_target_is_what_was_paid_when_it_was_first_reached(self, figures: ModuleType) -> None:
        run = contest_run([0.1, 0.5, 0.9], [1.0, 2.5, 4.0])
        assert [figures.money_to(run, target) for target in (0.1, 0.4, 0.95)] == [1.0, 2.5, float("inf")]

    def test_a_ratio_compares_medians_and_charges_whoever_misses_the_target(self, figures: ModuleType) -> None:
        runs = {}
        for seed in range(6):
            runs["p", "ours", seed] = contest_run([0.5, 0.9], [1.0, 2.0 + 0.01 * seed])
            runs["p", "theirs", seed] = contest_run([0.2, 0.9 if seed < 5 else 0.3], [3.0, 4.0])
            runs["p", "never", seed] = contest_run([0.1, 0.2], [1.0, 8.0])
        found = figures.ratio(runs, "p", "ours", "theirs", 0.9)
        assert found.value == pytest.approx(2.025 / 4.0)
        assert found.ours_reached
        assert found.theirs_reached
        assert found.p_less < 0.025
        assert found.p_more > 0.95
        won = figures.ratio(runs, "p", "ours", "never", 0.9)
        assert (won.theirs_reached, won.theirs) == (False, 16.0)
        lost = figures.ratio(runs, "p", "never", "ours", 0.9)
        assert (lost.ours_reached, lost.value) == (False, pytest.approx(16.0 / 2.025))
        assert figures.ratio(runs, "p", "never", "never", 0.9) is None
        assert figures.ratio(runs, "p", "ours", "absent", 0.9) is None

    def test_which_seed_a_run_had_says_nothing_of_the_others_run_of_that_number(self, figures: ModuleType) -> None:
        def chance(order: list[int]) -> float:
            runs = {}
            for seed in range(6):
                runs["p", "ours", seed] = contest_run([0.9], [2.0 + seed])
                runs["p", "theirs", seed] = contest_run([0.9], [3.5 + order[seed]])
            return float(figures.ratio(runs, "p", "ours", "theirs", 0.9).p_less)

        assert chance([0, 1, 2, 3, 4, 5]) == chance([5, 3, 1, 0, 2, 4])
        assert 0.025 < chance([0, 1, 2, 3, 4, 5]) < 0.5

    def test_a_run_that_was_stopped_counts_as_far_as_it_came(self, figures: ModuleType) -> None:
        runs = {("p", "a", seed): contest_run([0.1 * seed], [1.0]) for seed in range(1, 4)}
        assert figures.best_reached(runs, "p", ["a", "b"]) == pytest.approx(0.2)
        runs["p", "b", 0] = contest_run([0.1, 0.3], [1.0, 2.0], status="time")
        runs["p", "b", 1] = contest_run([0.1], [1.0], status="memory")
        runs["p", "b", 2] = {"status": "memory", "detail": ""}
        runs["p", "b", 3] = contest_run([0.1], [0.5])
        assert figures.best_reached(runs, "p", ["a", "b"]) == pytest.approx(0.2)
        assert figures.best_reached(runs, "p", ["b"]) == pytest.approx(0.1)
        assert figures.paid(runs, "p", "b", 0.3) == {0: 2.0, 3: math.inf}
        assert figures.ratio(runs, "p", "a", "b", 0.3) is None  # one of three reached it, and one of two
        runs["p", "b", 4] = contest_run([0.1, 0.3], [1.0, 2.5])
        found = figures.ratio(runs, "p", "a", "b", 0.3)
        assert (found.ours_reached, found.theirs_reached, found.theirs) == (False, True, 2.5)
        assert figures.ratio(runs, "p", "b", "a", 0.3).theirs_reached is False
        del runs["p", "b", 0], runs["p", "b", 3], runs["p", "b", 4]
        assert figures.ratio(runs, "p", "a", "b", 0.3) is None

    def test_the_median_of_an_even_number_is_between_the_middle_two(self, figures: ModuleType) -> None:
        assert figures.spread([1.0, 2.0, 4.0, math.inf]).middle == 3.0
        assert figures.spread([1.0, 2.0, math.inf, math.inf]).middle == math.inf

    def test_a_method_that_is_given_more_evaluations_is_shown_after_as_many_as_the_others(
        self, figures: ModuleType
    ) -> None:
        runs = {("p", "a", 0): contest_run([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [1.0] * 6)}
        runs["p", "FLAML CFO", 0] = runs["p", "a", 0]
        assert figures.after(runs, "p", "FLAML CFO") == [0.2]
        assert figures.after(runs, "p", "a") == figures.final(runs, "p", "a") == [0.6]

    def test_a_miss_is_charged_by_what_was_spent_in_as_many_evaluations_as_the_others_make(
        self, figures: ModuleType
    ) -> None:
        spent = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        runs = {("p", method, 0): contest_run([0.1] * 6, spent) for method in ("a", "FLAML CFO")}
        assert figures.charge(runs, "p", ["a"], 2.0) == 12.0
        assert figures.charge(runs, "p", ["FLAML CFO"], 2.0) == 4.0

    def test_a_curve_of_stopped_runs_ends_with_the_shortest(self, figures: ModuleType) -> None:
        runs = {("p", "a", 0): contest_run([0.2, 0.6], [1.0, 3.0], status="time")}
        runs["p", "a", 1] = contest_run([0.4], [2.0], status="memory")
        at, shares = figures.median_curve(runs, "p", "a", False)
        assert (at.tolist(), shares.tolist()) == ([1.0], [pytest.approx(0.3)])
        runs["p", "a", 2] = contest_run([0.1, 0.2], [1.0, 2.0])
        assert figures.median_curve(runs, "p", "a", False)[1].tolist() == [0.1, 0.2]

    def test_a_curve_over_money_holds_what_had_been_reached_for_it(self, figures: ModuleType) -> None:
        grid, shares = figures.median_curve({("p", "a", 0): contest_run([0.2, 0.6], [1.0, 3.0])}, "p", "a", True)
        assert [shares[grid <= limit][-1] for limit in (0.9, 2.9, 3.0)] == [0.0, 0.2, 0.6]


def test_a_short_contest_runs_is_stored_and_is_not_run_again(tmp_path: Path) -> None:
    run = importlib.import_module("peers.run")
    found = run.measure("zdt1", "cheapest first", 0, 12, 60.0)
    assert found["status"] == "finished"
    assert len(found["hypervolume"]) == found["evaluations"] == 12
    assert found["money"] == sorted(found["money"])
    aware = run.measure("zdt1", "camobo", 0, 12, 60.0)
    assert aware["use"][0] < 6.0
    file = tmp_path / "runs.jsonl.gz"
    run.run_one(file, "zdt1", "random", 3, 60.0, short=True)
    assert list(run.stored(file)) == [("zdt1", "random", 3)]
    assert not run.wanted(run.stored(file), "zdt1", "random", 3, 60.0)
    assert run.wanted(run.stored(file), "zdt1", "random", 4, 60.0)


def test_a_contest_says_how_long_what_is_missing_will_take() -> None:
    left = importlib.import_module("peers.run").left
    runs = {
        ("p", "slow", 0): {"status": "finished", "cpu_seconds": 3600.0},
        ("p", "slow", 1): {"status": "finished", "cpu_seconds": 7200.0},
        ("q", "slow", 0): {"status": "finished", "cpu_seconds": 360.0},
    }
    for problem, method, hours in [("p", "slow", 1.5), ("q", "slow", 0.1), ("r", "slow", 1.0), ("p", "new", 0.5)]:
        asked = [(problem, method, seed) for seed in (0, 2)]
        runs_known = {**runs, (problem, method, 0): runs.get((problem, method, 0), {"status": "died"})}
        assert left(runs_known, asked, 1800.0) == f"1 run to make, about {hours} hours of processor time"
    assert left(runs, [("p", "slow", 0)], 1800.0).startswith("0 runs")


def test_the_contests_best_hypervolumes_of_zdt_are_those_of_their_fronts() -> None:
    problems = importlib.import_module("peers.problems")
    f1 = np.linspace(0, 1, 4001)
    for name in ("zdt1", "zdt2"):
        contest = problems.CONTESTS[name]()
        points = np.column_stack([f1, np.zeros((len(f1), contest.inputs - 1))])
        values = np.array([contest.measure(point).values for point in points])
        assert contest.hypervolume(values, np.zeros((len(values), 0))) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.slow
def test_the_contests_forest_costs_the_same_whenever_it_is_trained_and_more_the_more_trees_it_has() -> None:
    pytest.importorskip("sklearn")
    contest = importlib.import_module("peers.problems").CONTESTS["forest"]()
    small, large = np.array([0.0, 0.2, 0.2]), np.array([0.3, 0.2, 0.2])
    found = [contest.measure(unit) for unit in (small, small, large)]
    assert found[0].money == found[1].money < found[2].money
    assert found[0].values.tolist() == found[1].values.tolist()
    assert found[2].values[0] < found[0].values[0]


def test_a_forest_between_two_that_were_timed_costs_something_between() -> None:
    forest = importlib.import_module("peers.forest")
    timed = np.array(json.loads(forest.FILE.read_text())["seconds"])
    assert forest.seconds(np.array([0.25, 0.5, 1.0])) == pytest.approx(timed[1, 2, 4])
    assert timed[1, 2, 4] < forest.seconds(np.array([0.375, 0.5, 1.0])) < timed[2, 2, 4]


def test_a_method_that_met_a_limit_on_three_seeds_is_tried_on_five_and_not_with_more_objectives() -> None:
    wanted = importlib.import_module("peers.run").wanted
    runs = {("p", "slow", 0): {"status": "time", "limit": 60.0}, ("p", "fast", 0): {"status": "finished"}}
    assert wanted(runs, "p", "fast", 1, 60.0)
    assert not wanted(runs, "p", "fast", 0, 60.0)
    assert wanted(runs, "p", "slow", 0, 120.0)
    assert not wanted(runs, "p", "slow", 0, 60.0)
    runs["p", "slow", 1] = {"status": "memory", "limit": 60.0}
    assert all(wanted(runs, "p", "slow", seed, 60.0) for seed in (2, 7))
    runs["p", "slow", 2] = {"status": "time", "limit": 60.0}
    assert wanted(runs, "p", "slow", 4, 60.0)
    assert not wanted(runs, "p", "slow", 5, 60.0)
    assert wanted(runs, "q", "slow", 1, 60.0)
    many = {("dtlz2-4", "slow", 0): {"status": "memory", "limit": 60.0}}
    assert not wanted(many, "dtlz2-6", "slow", 0, 60.0)
    assert wanted(many, "dtlz2-2", "slow", 0, 60.0)


@pytest.mark.parametrize("cut", [1, 10, 30])
def test_a_results_file_has_the_last_record_of_each_kind_and_continues_after_a_crash(tmp_path: Path, cut: int) -> None:
    records = importlib.import_module("peers.records")
    file = tmp_path / "results" / "runs.jsonl.gz"
    assert records.read(file, "method") == {}
    for seconds in (3, 2):
        records.append(file, {"method": "a", "seconds": seconds})
    whole = file.stat().st_size
    records.append(file, {"method": "b", "seconds": 7})
    file.write_bytes(file.read_bytes()[:-cut])
    assert list(records.read(file, "method")) == [("a",)]
    records.append(file, {"method": "c", "seconds": 1})
    assert {key: record["seconds"] for key, record in records.read(file, "method").items()} == {("a",): 2, ("c",): 1}
    assert file.stat().st_size < 2 * whole
    assert len(gzip.decompress(file.read_bytes()).splitlines()) == 3  # any gzip reads it


def test_the_results_of_the_contest_are_all_readable() -> None:
    run, growth = importlib.import_module("peers.run"), importlib.import_module("peers.growth")
    assert len(run.stored(run.results_file(False))) > 1000
    assert len(run.read(growth.FILE, "method", "evaluations", "inputs", "objectives")) > 100


@pytest.mark.parametrize("takes_points", [True, False])
def test_growth_times_ten_suggestions_of_a_method_that_takes_points_and_of_one_that_makes_its_own(
    takes_points: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    growth, session = importlib.import_module("peers.growth"), importlib.import_module("peers.session")
    asked = []

    class Counted(session.Random):  # type: ignore[name-defined,misc]
        def ask(self) -> np.ndarray:
            asked.append(time.process_time())
            while time.process_time() < asked[-1] + 0.002:
                pass
            return np.asarray(super().ask())

    monkeypatch.setattr(session, "Random", Counted)
    monkeypatch.setitem(growth.METHODS, "random", replace(growth.METHODS["random"], takes_points=takes_points))
    assert growth.seconds_per_ask("random", growth.Size(5, 3, 2)) >= 0.002
    assert len(asked) == 10 + (0 if takes_points else 5)


def test_growth_is_measured_again_with_other_versions_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    growth, size = importlib.import_module("peers.growth"), importlib.import_module("peers.growth").Size(5, 3, 2)
    monkeypatch.setattr(growth, "FILE", tmp_path / "growth.jsonl.gz")
    for versions in ("1", "1", "2"):
        monkeypatch.setattr(growth.METHODS["random"].__class__, "versions", lambda _, given=versions: {"numpy": given})
        assert growth.measured("random", size) == "finished"
    lines = gzip.decompress((tmp_path / "growth.jsonl.gz").read_bytes()).splitlines()
    assert [json.loads(line)["versions"]["numpy"] for line in lines] == ["1", "2"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # BoTorch warns where its optimiser stops at a kink, and tries again
@pytest.mark.parametrize("peer", ["gpsampler", "chebyshev-ucb", "qlognehvi"])
def test_a_peer_of_the_bench_suggests_new_points_of_the_cube_and_is_timed(peer: str) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("botorch")
    try:
        timing = importlib.import_module("peers.timing")
        problem = importlib.import_module("camobo.problems").zdt3(inputs=3)
        units, values = (np.array(found) for found in zip(*timing.steps(peer, problem, 0, 7, 5), strict=True))
        assert len(np.unique(units, axis=0)) == 7
        assert ((units >= 0) & (units <= 1)).all()
        assert values == pytest.approx(problem.evaluate(units))
        assert timing.seconds_per_ask(peer, problem, units, asks=1) > 0.0
    finally:
        torch.set_flush_denormal(False)  # which the peers' set-up turns on, for the whole process


@pytest.mark.slow
def test_the_page_of_a_contest_says_who_won_and_draws_its_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write, growth = importlib.import_module("peers.write"), importlib.import_module("peers.growth")
    runs = {}
    for seed in range(6):
        for method, paid in (("camobo", 1.0), ("random", 2.0), ("FLAML CFO", 0.5)):
            spent = [paid, 2 * paid + 0.01 * seed]
            runs["zdt1", method, seed] = contest_run([0.5, 0.9], spent, versions={"numpy": "2"}, detail="")
    for seed in range(3):
        runs["zdt1", "camobo without cost", seed] = contest_run([0.2, 0.3], [1.0, 4.0], versions={}, detail="")
    runs["zdt1", "qLogNEHVI", 0] = contest_run([0.1] * 7, [1.0] * 7, status="time", detail="late", versions={})
    timed = {"status": "finished", "seconds": 0.01, "detail": ""}
    broken = {"status": "error", "detail": "RuntimeError: too many"}
    sizes = {("camobo", growth.Size(25, 5, 2)): timed, ("qLogNEHVI", growth.Size(50, 12, 10)): broken}
    page = write.page(runs, sizes, tmp_path)
    assert "qLogNEHVI at 50 evaluations, 12 inputs, 10 objectives: RuntimeError: too many." in page
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    begin = next(place for place, row in enumerate(rows) if row[:1] == ["bar"])
    _, won, lost, _ = (list(column) for column in zip(*rows[begin : begin + 13], strict=True))
    low, high = (float(end) for end in won.pop(3).split("–"))
    assert 2.00 / 4.05 < low < 0.503 < high < 2.05 / 4.00
    lost.pop(3)
    # On zdt1 qLogNEHVI met a limit: nothing is left of the peers without cost where none did.
    counted = ["0.503 on 1", "0.503 on 1", "– on 0", *["0.503 on 1"] * 3]
    assert won == ["≤ 0.6", "**0.503** on 1", "yes, so far", "0 / 0", "1 / 0 of 1", *counted, "6 of 7"]
    assert lost == ["≤ 0.7", "**1.98** on 1", "**no**, so far", "0 / 0", "0 / 1 of 1", *["1.98 on 1"] * 6, "0 of 7"]
    assert "| zdt1 | qLogNEHVI | 1 | 0.100 | 1 |" in page
    assert "| 95 % | 0.253 | 0.253 | 1 | 0 | 0 | 0 / 1 |" in page
    assert (
        "| the best peer that knows no cost | 0.503 on 1 | **0.503** on 1 | 0.503 on 1 | 1 / 0 of 1 | 0.503 to 0.503 |"
        in page
    )
    assert "camobo pays significantly more than the better of FLAML's two on zdt1 (FLAML CFO)." in page
    assert "The bar of 0.7 for the better of FLAML's two is reached by 0 of 7 ways of counting." in page
    assert "| zdt1 | 0.50 ✓ (random) | 1.98 ✗ (FLAML CFO) | – |" in page
    assert "| zdt1 | qLogNEHVI | 0 | time | 7 | late |" in page
    assert "0.100 <sub>0.100–0.100</sub> (stopped after 7) |" in page
    assert "Not finished: " in page
    assert "not measured yet" in write.page(runs, {}, tmp_path)
    drawn = sorted(file.name for file in tmp_path.glob("*.png"))
    assert drawn == [f"benchmarks-{name}.png" for name in ("evaluations", "growth", "money", "use")]


def test_the_page_counts_missing_runs_until_there_are_none() -> None:
    pytest.importorskip("matplotlib")
    write = importlib.import_module("peers.write")
    keys = list(itertools.product(write.CONTESTS, write.METHODS, range(write.SEEDS)))
    runs = {key: {"status": "finished"} for key in keys}
    assert write.to_be_made(runs) == ""
    del runs[keys[0]], runs[keys[-1]]
    assert f"Not finished: 2 of {len(keys)} runs" in write.to_be_made(runs)


def test_a_contest_refuses_problems_and_methods_it_does_not_have() -> None:
    with pytest.raises(SystemExit, match="unknown problem zdt9: need one of zdt3"):
        importlib.import_module("peers.run").ready(["zdt1", "zdt9"])
    with pytest.raises(SystemExit, match="unknown method Camobo: need one of camobo"):
        importlib.import_module("peers.methods").installed(["Camobo"])
