from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from camobo.paper.claims import (
    CLAIMS,
    Finding,
    Verdict,
    about,
    above,
    all_of,
    below,
    findings,
    of_figure_two,
)
from camobo.paper.experiments import Method
from camobo.paper.statistics import Interval
from camobo.paper.surface import taken_off
from tests.support.paper_runs import RUNS, SPREAD, first, numbers, summary_of

NONE = Interval(1.0, math.nan, math.nan)


def between(low: float, high: float) -> Interval:
    return Interval((low + high) / 2, low, high)


class TestSides:
    @pytest.mark.parametrize(
        ("found", "lower", "higher"),
        [
            (between(0.8, 0.9), "holds", "contradicted"),
            (between(1.1, 1.2), "contradicted", "holds"),
            (between(0.9, 1.1), "not shown", "not shown"),
            (between(0.9, 1.0), "not shown", "not shown"),
            (NONE, "not shown", "not shown"),
        ],
    )
    def test_an_interval_decides_if_it_lies_on_one_side_of_the_limit(
        self, found: Interval, lower: Verdict, higher: Verdict
    ) -> None:
        assert (below(found, 1.0), above(found, 1.0)) == (lower, higher)

    @pytest.mark.parametrize(
        ("found", "verdict"),
        [
            (between(9.1, 10.9), "holds"),
            (between(8.0, 8.9), "contradicted"),
            (between(11.1, 12.0), "contradicted"),
            (between(8.5, 9.5), "not shown"),
            (between(10.5, 11.5), "not shown"),
            (between(8.0, 12.0), "not shown"),
            (NONE, "not shown"),
        ],
    )
    def test_about_is_decided_if_the_interval_lies_inside_or_outside_the_tolerance(
        self, found: Interval, verdict: Verdict
    ) -> None:
        assert about(found, 10.0, 0.1) == verdict

    @pytest.mark.parametrize(
        ("parts", "verdict"),
        [
            (["holds", "holds"], "holds"),
            (["holds", "not shown"], "not shown"),
            (["holds", "not shown", "contradicted"], "contradicted"),
        ],
    )
    def test_all_parts_must_hold_and_one_contradicted_contradicts(self, parts: list[Verdict], verdict: Verdict) -> None:
        assert all_of(parts) == verdict


class Case(NamedTuple):
    """A claim with numbers of CA-MOBO and of MO-UCB that confirm it, and others that contradict it."""

    experiment: str
    text: str
    confirm: tuple[dict[str, Any], dict[str, Any]]
    contradict: tuple[dict[str, Any], dict[str, Any]]


def near(value: float) -> list[float]:
    """A number of every run, about this."""
    return [float(value * (1 + each)) for each in SPREAD]


def ratio_of(key: str, confirm: float, contradict: float) -> tuple[Any, Any]:
    """MO-UCB has 1 of something, CA-MOBO first so much and then so much."""
    one = {key: near(1.0)}
    return ({key: near(confirm)}, one), ({key: near(contradict)}, one)


def used(confirm: tuple[float, ...], contradict: tuple[float, ...]) -> tuple[Any, Any]:
    """CA-MOBO's sums of inputs."""
    return ({"use": confirm}, {}), ({"use": contradict}, {})


def blind_used(confirm: tuple[float, ...], contradict: tuple[float, ...]) -> tuple[Any, Any]:
    """MO-UCB's sums of inputs."""
    return ({}, {"use": confirm}), ({}, {"use": contradict})


REST = (30.0, 40.0, 50.0, 60.0)
BROKEN: list[bool] = [True] * (RUNS - 1) + [False]
BOUND: tuple[Any, Any] = ({"own_regret": near(90.0)}, {}), ({"own_regret": near(110.0)}, {})
DIVERSE = "CA-MOBO's front is more diverse, with more points at high error"
BELOW_BOUND = "the cumulative regret stays below Theorem 1's bound"

CASES = [
    Case("zdt3", "CA-MOBO uses less of x1", *used((20.0, *REST), (60.0, *REST))),
    Case("zdt3", "CA-MOBO's Σ x1 is about 17.8", *used((17.8, *REST), (20.0, *REST))),
    Case("zdt3", "MO-UCB's Σ x1 is about 85.2", *blind_used((85.2, *REST), (70.0, *REST))),
    Case(
        "zdt3",
        "CA-MOBO's use follows the order, least of x1 and most of x5",
        *used((20.0, *REST), (20.0, 30.0, 50.0, 40.0, 60.0)),
    ),
    Case("zdt3", "MO-UCB uses most of x3", *blind_used((40.0, 50.0, 70.0, 60.0, 10.0), (40.0, 50.0, 60.0, 70.0, 10.0))),
    Case("zdt3", "both reach about the same hypervolume", *ratio_of("mapped", 0.99, 0.96)),
    Case("zdt3", "MO-UCB has the better average regret at first", *ratio_of("early_average_regret", 1.2, 0.8)),
    Case("zdt3", "CA-MOBO has the better regret at the end", *ratio_of("average_regret", 0.8, 1.2)),
    Case("zdt3", BELOW_BOUND, *BOUND),
    Case("cross-holder", "CA-MOBO uses less of x1 than of x2", *used((20.0, 40.0), (40.0, 20.0))),
    Case("cross-holder", "CA-MOBO uses less of x1 than MO-UCB", *used((20.0, 40.0), (60.0, 40.0))),
    Case("cross-holder", "MO-UCB uses about as much of x1 as of x2", *blind_used((50.0, 52.0), (60.0, 50.0))),
    Case("cross-holder", "CA-MOBO reaches the same hypervolume", *ratio_of("mapped", 0.99, 0.96)),
    Case("cross-holder", "CA-MOBO's hypervolume is higher at first", *ratio_of("early_mapped", 1.1, 0.9)),
    Case(
        "cross-holder",
        "CA-MOBO has the better average and cumulative regret at first",
        *ratio_of("early_average_regret", 0.8, 1.2),
    ),
    Case("cross-holder", BELOW_BOUND, *BOUND),
    Case("matyas-booth", "CA-MOBO has used less of x1 than of x2 at every t", *used((20.0, 40.0), (40.0, 20.0))),
    Case("matyas-booth", "MO-UCB has used more of x1 than of x2 at every t", *blind_used((50.0, 40.0), (40.0, 50.0))),
    Case("matyas-booth", "MO-UCB uses more of x1 than of x2 in all", *blind_used((50.0, 40.0), (40.0, 50.0))),
    Case(
        "matyas-booth",
        "MO-UCB explores the expensive region more: CA-MOBO uses less of x1",
        *used((20.0, 40.0), (60.0, 40.0)),
    ),
    Case("matyas-booth", "CA-MOBO reaches a better hypervolume", *ratio_of("mapped", 1.001, 0.999)),
    Case("matyas-booth", BELOW_BOUND, *BOUND),
    Case("forest", "CA-MOBO uses fewer estimators", *used((20.0, 40.0), (60.0, 40.0))),
    Case("forest", "CA-MOBO's Σ estimators is about 71.4", *used((71.4, 40.0), (90.0, 40.0))),
    Case("forest", "MO-UCB's Σ estimators is about 141.8", *blind_used((141.8, 40.0), (120.0, 40.0))),
    Case("forest", "MO-UCB uses almost twice as many", *used((26.0, 40.0), (40.0, 40.0))),
    Case("forest", DIVERSE, *ratio_of("front_high_error", 1.2, 0.8)),
    Case("forest", "MO-UCB's front has more points at low error", *ratio_of("front_low_error", 0.8, 1.2)),
    Case(
        "forest",
        "most solutions of CA-MOBO have few estimators",
        ({"front_cheap": near(0.6)}, {}),
        ({"front_cheap": near(0.4)}, {}),
    ),
    Case("network", "CA-MOBO uses fewer layers", *used((20.0, 40.0), (60.0, 40.0))),
    Case("network", DIVERSE, *ratio_of("front_high_error", 1.2, 0.8)),
    Case("network", "CA-MOBO's solutions favour the cheaper region", *ratio_of("front_use", 0.8, 1.2)),
    Case("steel", "CA-MOBO uses less nickel", *used((20.0, 40.0), (60.0, 40.0))),
    Case(
        "steel",
        "both find the optimum",
        ({"mapped": 0.995}, {"mapped": 0.995}),
        ({"mapped": 0.995}, {"mapped": 0.98}),
    ),
]
FRONTS = {key: near(1.0) for key in ("front_high_error", "front_low_error", "front_use", "front_cheap")}


def findings_of(name: str, aware: dict[str, Any], blind: dict[str, Any], runs: int = RUNS) -> dict[str, Finding]:
    rest = REST if name == "zdt3" else (40.0,)
    both = [numbers(**({"use": (x1, *rest)} | FRONTS | more)) for x1, more in ((20.0, aware), (50.0, blind))]
    paper, mo_ucb = (first(one, runs) for one in both)
    found = findings(summary_of(name, paper=paper, mo_ucb=mo_ucb), "paper")
    return {claim.text: finding for claim, finding in found}


def test_every_claim_has_a_case() -> None:
    claims = [(name, claim.text) for name, claims in CLAIMS.items() for claim in claims]
    assert sorted(claims) == sorted((case.experiment, case.text) for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.experiment}: {case.text}")
class TestEveryClaim:
    def test_holds_by_numbers_that_confirm_it(self, case: Case) -> None:
        assert findings_of(case.experiment, *case.confirm)[case.text].verdict == "holds"

    def test_is_contradicted_by_numbers_that_contradict_it(self, case: Case) -> None:
        assert findings_of(case.experiment, *case.contradict)[case.text].verdict == "contradicted"

    def test_is_not_shown_by_two_runs(self, case: Case) -> None:
        for side in (case.confirm, case.contradict):
            assert findings_of(case.experiment, *side, runs=2)[case.text].verdict == "not shown"


class TestTheOrder:
    CLAIM = "CA-MOBO uses less of x1 than of x2"

    @pytest.mark.parametrize(
        ("kept", "broken", "verdict"), [(10.0, -1.0, "holds"), (1.0, -10.0, "contradicted"), (3.0, -4.5, "not shown")]
    )
    def test_means_are_judged_and_not_the_share_of_runs(self, kept: float, broken: float, verdict: Verdict) -> None:
        gaps = [kept] * 12 + [broken] * 8
        aware = numbers((30.0, 30.0)) | {"use": [[30.0, 30.0 + gap] for gap in gaps]}
        summary = summary_of(paper=aware, mo_ucb=numbers((50.0, 50.0)))
        found = {claim.text: finding for claim, finding in findings(summary, "paper")}
        assert found[self.CLAIM].verdict == verdict
        assert found[self.CLAIM].evidence.endswith("in 0.60 of the runs")
        assert found[self.CLAIM].evidence.startswith(f"Σ x2 − Σ x1 = {np.mean(gaps):.1f} [")


class TestAtEveryStep:
    """Of gaps at t = 1, 10 and 100, each with a standard error of 1, which reaches 2.09 to either side."""

    @pytest.mark.parametrize(
        ("gap", "verdict", "evidence"),
        [
            ([3.0, 4.0, 5.0], "holds", "shown from t = 1 on"),
            ([2.0, 4.0, 5.0], "not shown", "shown from t = 10 on"),
            ([3.0, -2.0, 5.0], "not shown", "shown from t = 100 on"),
            ([3.0, 4.0, 2.0], "not shown", "not shown at t = 100"),
            ([1.0, 2.0, 1.0], "not shown", "shown at no t"),
            ([3.0, -3.0, 5.0], "contradicted", "the mean is on the other side at t = 10"),
            ([-3.0, -3.0, 5.0], "contradicted", "the mean is on the other side at t = 1"),
        ],
    )
    def test_it_must_be_shown_at_all_steps_and_is_contradicted_at_any(
        self, gap: list[float], verdict: Verdict, evidence: str
    ) -> None:
        error = [[1.0, 1.0, 1.0]]
        aware, blind = {"gap": [gap], "gap_error": error}, {"gap": [[-x for x in gap]], "gap_error": error}
        found = findings_of("matyas-booth", aware, blind)
        for text in ("CA-MOBO has used less of x1 than of x2", "MO-UCB has used more of x1 than of x2"):
            assert found[f"{text} at every t"] == (verdict, evidence)


class TestWhatIsClaimed:
    def test_mo_ucb_is_judged_by_its_own_runs_whatever_stands_for_ca_mobo(self) -> None:
        blind, aware = numbers((40.0, 50.0, 70.0, 60.0, 10.0)), numbers((20.0, *REST))
        for method in ("paper", "printed"):
            both: dict[str, Any] = {"mo_ucb": blind, method: aware}
            found = findings(summary_of("zdt3", **both), method)
            verdicts = {claim.text: finding for claim, finding in found}
            assert verdicts["MO-UCB uses most of x3"].verdict == "holds"
            sums = "Σ x1 / x2 / x3 / x4 / x5 of MO-UCB: 40.0 / 50.0 / 70.0 / 60.0 / 10.0"
            assert verdicts["MO-UCB uses most of x3"].evidence == sums

    @pytest.mark.parametrize(("runs", "shown"), [(RUNS, "2.50 [2.50, 2.50]"), (2, "2.50")])
    def test_twice_is_mo_ucb_s_use_by_ca_mobo_s_however_few_the_runs(self, runs: int, shown: str) -> None:
        found = findings_of("forest", {}, {}, runs)["MO-UCB uses almost twice as many"]
        assert found.evidence == f"MO-UCB's Σ estimators is {shown} of CA-MOBO's"

    def test_twice_is_not_contradicted_by_runs_that_say_next_to_nothing(self) -> None:
        aware = {"use": [[0.0 if run else 400.0, 40.0] for run in range(RUNS)]}
        paper = numbers((20.0, 40.0)) | FRONTS | aware
        found = findings(summary_of("forest", paper=paper, mo_ucb=numbers((50.0, 40.0)) | FRONTS), "paper")
        verdicts = {claim.text: finding.verdict for claim, finding in found}
        assert verdicts["MO-UCB uses almost twice as many"] == "not shown"

    def test_the_bound_is_compared_with_what_it_bounds(self) -> None:
        found = findings_of("cross-holder", {"below_bound": BROKEN}, {})[BELOW_BOUND]
        shown = "R(T) is 0.01000 [0.01000, 0.01000] of the bound"
        assert found.evidence == f"{shown}; below it at every t in {RUNS - 1} of {RUNS} runs"

    @pytest.mark.parametrize(
        ("regrets", "bounds", "verdict"),
        [
            ([110.0] + [50.0] * (RUNS - 1), [100.0] * RUNS, "holds"),
            ([90.0, 110.0] * (RUNS // 2), [100.0] * RUNS, "not shown"),
            ([105.0] * RUNS, [100.0] * RUNS, "contradicted"),
            ([1.0] * RUNS, [10.0, 1e6] * (RUNS // 2), "holds"),
        ],
    )
    def test_the_bound_is_on_the_mean_and_every_run_is_measured_by_its_own(
        self, regrets: list[float], bounds: list[float], verdict: Verdict
    ) -> None:
        held = [r <= b for r, b in zip(regrets, bounds, strict=True)]
        aware = {"own_regret": regrets, "bound": bounds, "below_bound": held}
        found = findings_of("cross-holder", aware, {})[BELOW_BOUND]
        assert found.verdict == verdict
        assert found.evidence.endswith(f"at every t in {sum(held)} of {RUNS} runs")

    @pytest.mark.parametrize("missing", ["mo-ucb", "paper"])
    def test_nothing_is_claimed_without_both_methods(self, missing: str) -> None:
        summary = summary_of(paper=numbers((20.0, 40.0)), mo_ucb=numbers((50.0, 50.0)))
        assert findings(summary, "paper")
        del summary["methods"][missing]
        assert findings(summary, "paper") == []

    @pytest.mark.parametrize(("objectives", "claims"), [(1, 2), (2, 0)])
    def test_the_paper_has_steel_with_one_objective_only(self, objectives: int, claims: int) -> None:
        aware, blind = numbers((20.0, 40.0)), numbers((50.0, 50.0))
        steel = summary_of("steel", options={"objectives": objectives}, paper=aware, mo_ucb=blind)
        assert len(findings(steel, "paper")) == claims


class TestFigureTwo:
    @staticmethod
    def verdicts(method: Method) -> list[Verdict]:
        return [finding.verdict for _, finding in of_figure_two(lambda t, units: taken_off(method, t, units))]

    def test_all_claims_hold_with_ascending_weights(self) -> None:
        assert self.verdicts("paper") == ["holds"] * 4

    def test_as_printed_the_order_of_inputs_is_the_other_way_round(self) -> None:
        assert self.verdicts("printed") == ["holds"] * 3 + ["contradicted"]

    def test_a_cost_that_never_changes_and_treats_inputs_alike_is_seen(self) -> None:
        found = of_figure_two(lambda _, units: np.asarray(0.01 * units.sum(axis=1)))
        assert [finding.verdict for _, finding in found] == ["contradicted"] * 4
