from __future__ import annotations

from typing import Any

import pytest

from camobo.paper import verdicts
from tests.support.paper_runs import RUNS, numbers, summary_of

LESS, BELOW = "CA-MOBO uses less of x1 than MO-UCB", "CA-MOBO uses less of x1 than of x2"
BLIND, AWARE = numbers((50.0, 50.0)), numbers((20.0, 40.0))


def judged(found: dict[str, Any]) -> dict[str, str]:
    return {claim.split(": ", 1)[1]: verdict.strip("*") for claim, verdict, _ in verdicts.judged([found])}


def few(given: dict[str, Any], runs: int) -> dict[str, Any]:
    """The first runs only."""
    return {key: value[:runs] if isinstance(value, list) else value for key, value in given.items()}


class TestVerdicts:
    def test_a_claim_the_runs_confirm_holds(self) -> None:
        found = judged(summary_of(mo_ucb=BLIND, paper=AWARE))
        assert (found[LESS], found[BELOW]) == ("holds", "holds")

    def test_a_claim_the_runs_contradict_does_not_hold(self) -> None:
        found = judged(summary_of(mo_ucb=BLIND, paper=numbers((60.0, 40.0))))
        assert (found[LESS], found[BELOW]) == ("does not hold", "does not hold")

    def test_a_claim_the_printed_weights_break_holds_only_with_ascending_ones(self) -> None:
        given = summary_of(mo_ucb=BLIND, paper=AWARE, printed=numbers((60.0, 30.0)))
        assert judged(given)[BELOW] == "holds only with ascending weights"

    def test_the_default_s_verdict_stands_with_the_evidence(self) -> None:
        given = summary_of(mo_ucb=BLIND, paper=AWARE, default=numbers((60.0, 30.0)))
        evidence = {claim: evidence for claim, _, evidence in verdicts.judged([given])}
        assert ". camobo's default: does not hold (in 0.00" in evidence[f"Cross: {BELOW}"]
        blind_alone = evidence["Cross: MO-UCB uses about as much of x1 as of x2"]
        assert "default" not in blind_alone

    def test_the_default_s_verdict_is_said_where_the_evidence_is_the_same_too(self) -> None:
        given = summary_of(mo_ucb=BLIND, paper=AWARE, default=AWARE)
        evidence = {claim: evidence for claim, _, evidence in verdicts.judged([given])}
        assert ". camobo's default: holds (in 1.00" in evidence[f"Cross: {BELOW}"]

    @pytest.mark.parametrize("name", ["zdt3", "cross-holder", "matyas-booth"])
    def test_what_is_claimed_of_regret_is_not_judged_for_the_default(self, name: str) -> None:
        default = {key: value for key, value in AWARE.items() if "regret" not in key and "bound" not in key}
        given = summary_of(name, mo_ucb=BLIND, paper=AWARE, default=default)
        evidence = {claim: evidence for claim, _, evidence in verdicts.judged([given])}
        of_regret = {claim for claim in evidence if "regret" in claim}
        assert of_regret
        assert not any("default" in evidence[claim] for claim in of_regret)
        assert any("default" in evidence[claim] for claim in set(evidence) - of_regret)

    def test_two_runs_that_differ_leave_it_undecided(self) -> None:
        aware, blind = few(AWARE, 2), few(BLIND, 2)
        aware["use"] = [[20.0, 40.0], [60.0, 40.0]]
        assert judged(summary_of(mo_ucb=blind, paper=aware))[LESS] == "undecided"

    def test_one_run_that_keeps_the_order_does_not_decide_and_one_that_breaks_it_does(self) -> None:
        kept, broken, blind = (few(numbers(use), 1) for use in ((20.0, 40.0), (60.0, 40.0), (50.0, 50.0)))
        assert judged(summary_of(mo_ucb=blind, paper=kept))[BELOW] == "undecided"
        assert judged(summary_of(mo_ucb=blind, paper=broken))[BELOW] == "does not hold"

    def test_without_the_baseline_nothing_is_claimed(self) -> None:
        assert judged(summary_of(paper=AWARE)) == {}

    def test_nothing_is_claimed_of_steel_with_two_objectives(self) -> None:
        given = summary_of("steel", mo_ucb=BLIND, paper=AWARE)
        given["setting"]["options"] = {"objectives": 2}
        assert judged(given) == {}


FRONTS: dict[str, Any] = {
    "front_high_error": [5] * RUNS,
    "front_low_error": [5] * RUNS,
    "front_use": [0.4] * RUNS,
    "front_cheap": [0.6] * RUNS,
}


@pytest.mark.parametrize(
    ("name", "claim", "holds", "fails"),
    [
        ("cross-holder", "CA-MOBO reaches the same hypervolume", {"mapped": 0.98}, {"mapped": 0.94}),
        (
            "cross-holder",
            "the cumulative regret stays below Theorem 1's bound",
            {},
            {"below_bound": [True] * (RUNS - 1) + [False]},
        ),
        ("cross-holder", "CA-MOBO's hypervolume is higher at first", {"early_mapped": [0.6] * RUNS}, {}),
        (
            "cross-holder",
            "CA-MOBO has the better average and cumulative regret at first",
            {"early_average_regret": [0.4] * RUNS},
            {},
        ),
        ("matyas-booth", "CA-MOBO reaches a better hypervolume", {"mapped": 1.0}, {}),
        ("matyas-booth", "CA-MOBO has used less of x1 than of x2 at every t", {}, {"never_disordered": [False] * RUNS}),
        ("zdt3", "MO-UCB has the better average regret at first", {"early_average_regret": [0.6] * RUNS}, {}),
        ("zdt3", "CA-MOBO has the better regret at the end", {"average_regret": [0.05] * RUNS}, {}),
        (
            "forest",
            "CA-MOBO's front is more diverse, with more points at high error",
            {"front_high_error": [6] * RUNS},
            {},
        ),
        ("forest", "MO-UCB's front has more points at low error", {"front_low_error": [4] * RUNS}, {}),
        ("forest", "most solutions of CA-MOBO have few estimators", {}, {"front_cheap": [0.3] * RUNS}),
        ("network", "CA-MOBO's solutions favour the cheaper region", {"front_use": [0.3] * RUNS}, {}),
        ("steel", "both find the optimum", {"mapped": 0.995}, {"mapped": 0.9}),
    ],
)
def test_each_claim_is_judged_by_its_own_numbers(
    name: str, claim: str, holds: dict[str, Any], fails: dict[str, Any]
) -> None:
    blind = numbers((50.0, 50.0), mapped=0.995 if name == "steel" else 0.99, **FRONTS)
    for more, verdict in ((holds, "holds"), (fails, "does not hold")):
        aware = numbers((20.0, 40.0), **{**FRONTS, **more})
        assert judged(summary_of(name, mo_ucb=blind, paper=aware))[claim] == verdict


@pytest.mark.parametrize(("x1", "even", "more"), [(50.0, "holds", "does not hold"), (60.0, "does not hold", "holds")])
def test_what_is_claimed_of_the_baseline_is_judged_by_its_runs(x1: float, even: str, more: str) -> None:
    blind = numbers((x1, 50.0))
    found = judged(summary_of("cross-holder", mo_ucb=blind, paper=AWARE))
    assert found["MO-UCB uses about as much of x1 as of x2"] == even
    found = judged(summary_of("matyas-booth", mo_ucb=blind, paper=AWARE))
    assert found["MO-UCB uses more of x1 than of x2"] == more
