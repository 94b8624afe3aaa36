from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial, TrialState

from camobo.errors import InvalidOptionError
from camobo.optuna.costs import Source
from camobo.optuna.notices import Notices
from camobo.optuna.search_space import Inputs
from tests.support.optuna_studies import UNIT, trial_with
from tests.support.strategies import label

pytestmark = pytest.mark.usefixtures("quiet_optuna")


@pytest.fixture
def log() -> Iterator[list[str]]:
    """The warnings of camobo, as they come."""
    messages: list[str] = []
    listener = logging.Handler()
    listener.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("camobo").addHandler(listener)
    yield messages
    logging.getLogger("camobo").removeHandler(listener)


def noticing(
    priced: Sequence[str] = (), expensive: Mapping[str, Any] | None = None, ordered: Sequence[str] | None = None
) -> Notices:
    return Notices(priced, priced if ordered is None else ordered, expensive or {})


def tried(*names: str, count: int = 1) -> list[FrozenTrial]:
    return [trial_with(dict.fromkeys(names, 0.5), number=number) for number in range(count)]


class TestNames:
    @pytest.mark.parametrize("misspelt", ["expensiev", "EXPENSIVE", "expensive "])
    def test_a_name_that_looks_misspelt_is_reported_at_once_with_the_one_meant(
        self, misspelt: str, log: list[str]
    ) -> None:
        noticing([misspelt, "cheap"]).names(tried("expensive", "cheap"))
        assert log == [
            f"cost: the study has no parameter {misspelt!r}. Its parameters so far: cheap, expensive. "
            "Did you mean 'expensive'?"
        ]

    def test_a_name_that_only_looks_the_same_is_reported_at_once(self, log: list[str]) -> None:
        noticing(["gr\u00f6\u00dfe"]).names(tried("gro\u0308\u00dfe"))
        (message,) = log
        assert r"written as 'gro\u0308\xdfe', not as 'gr\xf6\xdfe'" in message

    def test_any_other_name_is_reported_after_ten_trials_and_once(self, log: list[str]) -> None:
        notices = noticing(["nickel", "a"])
        notices.names(tried("a", "b", count=9))
        assert log == []
        for count in (10, 11):
            notices.names(tried("a", "b", count=count))
        assert log == ["cost: the study has no parameter 'nickel'. Its parameters so far: a, b."]

    def test_trials_without_parameters_do_not_count(self, log: list[str]) -> None:
        noticing(["trees"]).names([trial_with({}, state=TrialState.FAIL) for _ in range(12)])
        assert log == []

    @pytest.mark.parametrize(
        ("priced", "seen"),
        [(["layer_a", "layer_b"], "layer_a"), (["units_0", "units_1"], "units_0"), (["n_l2", "n_l1"], "n_l0")],
        ids=["in the order", "in the order, numbered", "another number"],
    )
    def test_a_name_in_the_order_or_with_another_number_is_not_taken_for_a_misspelling(
        self, priced: list[str], seen: str, log: list[str]
    ) -> None:
        noticing(priced).names(tried(seen, count=6))
        assert log == []

    def test_a_misspelt_name_in_expensive_is_reported_though_the_order_has_the_one_meant(self, log: list[str]) -> None:
        noticing(["expensive", "cheap"], {"chaep": "low"}).names(tried("expensive", "cheap"))
        assert log == [
            "expensive: the study has no parameter 'chaep'. Its parameters so far: cheap, expensive. "
            "Did you mean 'cheap'?"
        ]

    def test_a_parameter_in_expensive_that_the_order_lacks_is_reported(self, log: list[str]) -> None:
        noticing(["cheap"], {"rate": "low", "cheap": "low"}).names(tried("rate", "cheap"))
        assert log == ["expensive: no order names 'rate', so its expensive end means nothing. Add it to the order."]

    def test_a_parameter_in_expensive_that_has_a_price_and_no_order_is_reported(self, log: list[str]) -> None:
        noticing(["rate"], {"rate": "low"}, ordered=[]).names(tried("rate"))
        assert log == ["expensive: no order names 'rate', so its expensive end means nothing. Add it to the order."]


CATEGORY_AND_NUMBER = {"c": CategoricalDistribution(["a", "b"]), "x": UNIT}


class TestCategories:
    def test_a_category_in_the_order_without_expensive_choices_is_reported_once(self, log: list[str]) -> None:
        notices = noticing(["c", "x"])
        for _ in range(2):
            notices.categories(Inputs.of(CATEGORY_AND_NUMBER, {}))
        assert log == [
            "cost: 'c' is categorical and has no expensive choices, so it costs nothing. "
            'List them, most expensive first: expensive={"c": [...]}.'
        ]

    @pytest.mark.parametrize(("priced", "expensive"), [(["x"], {}), (["c"], {"c": ["b"]})], ids=label)
    def test_a_category_without_a_price_or_with_expensive_choices_is_not(
        self, priced: list[str], expensive: dict[str, Any], log: list[str]
    ) -> None:
        noticing(priced, expensive).categories(Inputs.of(CATEGORY_AND_NUMBER, expensive))
        assert log == []

    def test_a_category_with_a_price_per_choice_needs_no_expensive_choices(self, log: list[str]) -> None:
        noticing(["c", "x"], ordered=["x"]).categories(Inputs.of(CATEGORY_AND_NUMBER, {}))
        assert log == []


class TestReceipts:
    def test_the_first_finished_trial_without_a_receipt_is_reported_once(self, log: list[str]) -> None:
        notices, source = noticing(), Source("gpu")
        waiting = trial_with({}, state=TrialState.RUNNING)
        for _ in range(2):
            notices.receipts([waiting, trial_with({}, number=3), trial_with({}, number=4)], source)
        assert log == [
            "cost: trial 3 has no receipt: it has no user attribute 'gpu'. It counts as what such a trial is expected "
            "to cost. Give every trial a number of at least 0, also if it fails."
        ]

    def test_trials_need_no_receipt_where_none_is_learned_from(self, log: list[str]) -> None:
        noticing().receipts([trial_with({})], None)
        assert log == []


class TestValues:
    def test_a_value_that_is_not_finite_is_reported_once(self, log: list[str]) -> None:
        noticing().values([trial_with({"x": 0.5}, number=n, value=v) for n, v in enumerate((1.0, math.inf, -math.inf))])
        assert log == [
            "trial 1: a value is not finite, [inf]: it counts as failed. "
            "For a bad result return a large finite number; for a failed trial raise an exception."
        ]

    @pytest.mark.parametrize(
        ("stored", "message"),
        [
            ([0.0, math.inf], "trial 3: constraint 1 is infinite: it counts as failed"),
            (["a"], "trial 3: constraint 0 is not a number: it counts as failed"),
            (3, "trial 3: constraint 0 is not a number: it counts as failed"),
            ([math.nan, None], "trial 3: constraint 0, 1 is not a number"),
        ],
        ids=label,
    )
    def test_a_constraint_that_is_infinite_or_not_a_number_is_reported_once(
        self, stored: Any, message: str, log: list[str]
    ) -> None:
        notices, trials = (
            noticing(),
            [trial_with({}, number=n, system_attrs={"constraints": stored}) for n in (3, 4)],
        )
        for _ in range(2):
            notices.values(trials)
        (text,) = log
        assert text.startswith(message)

    def test_a_constraint_at_minus_infinity_and_a_running_trial_are_not(self, log: list[str]) -> None:
        running = trial_with({}, state=TrialState.RUNNING, system_attrs={"constraints": ["a"]})
        noticing().values([trial_with({}, system_attrs={"constraints": [-math.inf]}), running])
        assert log == []


class TestIndependent:
    def test_a_range_that_changes_is_reported_once(self, log: list[str]) -> None:
        notices, trials = noticing(), tried("x")
        for high in (2.0, 3.0):
            notices.independent(trials, "x", FloatDistribution(0, high))
        (message,) = log
        assert message.startswith("parameter 'x' changes its range, from FloatDistribution(high=1.0")
        assert "in trial 0 to FloatDistribution(high=2.0" in message
        assert "Keep its range the same in every trial, or, if this is intended, pass" in message
        assert message.endswith("CostAwareSampler(..., warn_independent_sampling=False).")

    @pytest.mark.parametrize(("count", "which"), [(1, "trial 0"), (12, "trial 0 and 11 more")])
    def test_a_parameter_that_complete_trials_lack_is_reported_with_the_trials(
        self, count: int, which: str, log: list[str]
    ) -> None:
        noticing().independent([*tried("x", count=count), *tried("rate")], "rate", UNIT)
        (message,) = log
        assert message.startswith(f"parameter 'rate' is missing from {which}, and no other parameter says which trials")
        assert "Suggest it in every trial" in message

    def test_one_of_both_is_enough(self, log: list[str]) -> None:
        noticing().independent([*tried("x"), *tried("x", "rate")], "rate", FloatDistribution(0, 9))
        assert len(log) == 1

    def test_one_that_no_trial_has_had_is_not(self, log: list[str]) -> None:
        noticing().independent(tried("x", count=3), "rate", UNIT)
        assert log == []

    def test_one_that_another_parameter_decides_about_is_not(self, log: list[str]) -> None:
        kind = CategoricalDistribution(["forest", "svm"])
        trials = [
            trial_with({"kind": "svm"}, {"kind": kind}),
            trial_with({"kind": "forest", "depth": 0.5}, {"kind": kind, "depth": UNIT}),
        ]
        noticing().independent(trials, "depth", UNIT)
        assert log == []

    def test_a_warning_does_not_silence_another_about_the_same_name(self, log: list[str]) -> None:
        notices, trials = noticing(["rate"]), tried("x", count=12)
        notices.names(trials)
        notices.independent([*trials, *tried("rate")], "rate", UNIT)
        first, second = log
        assert "no parameter 'rate'" in first
        assert "parameter 'rate' is missing" in second


def test_a_search_space_that_is_used_up_is_reported_once(log: list[str]) -> None:
    notices = noticing()
    for _ in range(2):
        notices.exhausted()
    assert log == ["every point of the search space has been tried; from now on points repeat."]


def test_money_that_is_spent_is_reported_once(log: list[str]) -> None:
    notices = noticing()
    for spent in ("3 s of 2 s are spent.", "4 s of 2 s are spent."):
        notices.spent(spent)
    (message,) = log
    assert message.startswith("budget: 3 s of 2 s are spent. `optimize` stops")


def test_a_cost_that_does_not_fit_is_reported_once(log: list[str]) -> None:
    notices = noticing()
    for text in ("cost: need a number above 0.", "cost: need another."):
        notices.unfit(InvalidOptionError(text))
    assert log == ["cost: need a number above 0. Until this is corrected, cost does not count."]


def test_a_formula_without_its_parameters_is_reported_once_per_parameter(log: list[str]) -> None:
    notices = noticing()
    for name in ("rare", "rare", "x"):
        notices.incomplete(name, tried("rare", "x"))
    notices.incomplete("later", tried("x", count=9))
    assert [message.split(",")[0] for message in log] == ["cost: it needs 'rare'", "cost: it needs 'x'"]
