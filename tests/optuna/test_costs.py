from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError, InvalidOrderError
from camobo.optuna.costs import SharedCost, Source, Terms, cost_among, read_terms
from camobo.optuna.search_space import Inputs
from camobo.optuna.shown import shown_space
from tests.support.optuna_studies import UNIT, took, trial_with
from tests.support.strategies import label


class TestTerms:
    @pytest.mark.parametrize(
        "given", ["a > b", ["a", "b"], ("a", "b"), Order.parse("a > b"), OrderCost("a > b")], ids=label
    )
    def test_an_order_in_any_form_is_an_order_cost(self, given: Any) -> None:
        found = read_terms(given)
        assert str(found.cost) == "a > b"
        assert isinstance(found.cost, OrderCost)
        assert found.source is None

    def test_an_order_is_the_papers_cost_for_the_papers_method(self) -> None:
        assert read_terms("a > b", paper=True).cost == PaperCost("a > b")

    @pytest.mark.parametrize(
        "given", [None, Prices({"a": 2}), Formula("a + 1"), Formula(lambda params: 1.0)], ids=label
    )
    def test_other_costs_are_taken_as_they_are_and_none_is_no_cost(self, given: Any) -> None:
        assert read_terms(given) == Terms(given)

    def test_a_function_is_a_formula(self) -> None:
        assert read_terms(lambda params: params["a"]).cost.document()["type"] == "function"  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("cost", "prior", "learned", "source"),
        [
            ("duration", None, LearnedCost(of="seconds"), Source()),
            ("duration", "a > b", LearnedCost("a > b", of="seconds"), Source()),
            (LearnedCost("a", of="seconds"), None, LearnedCost("a", of="seconds"), Source()),
            ("attr:gpu seconds", None, LearnedCost(), Source("gpu seconds")),
            ("attr:gpu", ["a", "b"], LearnedCost("a > b"), Source("gpu")),
            (LearnedCost("a > b"), None, LearnedCost("a > b"), Source("cost")),
        ],
        ids=label,
    )
    def test_durations_and_attributes_are_learned_from(
        self, cost: Any, prior: Any, learned: LearnedCost, source: Source
    ) -> None:
        assert read_terms(cost, prior=prior) == Terms(learned, source=source)

    def test_a_parameter_called_duration_is_named_in_a_list(self) -> None:
        assert read_terms(["duration"]).cost == OrderCost("duration")
        assert read_terms("duration > depth").cost == OrderCost("duration > depth")

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"cost": "a > "}, InvalidOrderError, "name"),
            ({"cost": 3}, InvalidOrderError, "need an order"),
            ({"cost": ", ".join(f"x{j}" for j in range(18))}, InvalidOrderError, "18 groups.*Compare more"),
            ({"cost": {"a": 2.0}}, InvalidOptionError, "rices"),
            ({"cost": "attr: "}, InvalidOptionError, "need the name of a user attribute"),
            ({"cost": "a > b", "prior": "a"}, InvalidOptionError, "prior: it goes with"),
            ({"prior": "a"}, InvalidOptionError, "prior: it goes with"),
            ({"cost": "duration", "prior": "a >"}, InvalidOrderError, "name"),
            ({"cost": "duration", "paper": True}, InvalidOptionError, "paper"),
            ({"cost": PaperCost("a")}, InvalidOptionError, "paper"),
            ({"cost": Prices({"a": 2}), "paper": True}, InvalidOptionError, "paper"),
        ],
        ids=label,
    )
    def test_what_is_no_cost_is_refused(self, options: Any, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            read_terms(**{"cost": None, **options})

    def test_which_parameters_a_cost_names_and_which_an_order_ranks(self) -> None:
        found = read_terms(Prices({"a": 2}, rest="b > c"))
        assert (found.priced, found.ordered, found.rising) == (("a", "b", "c"), ("b", "c"), ("a", "b", "c"))
        found = read_terms("duration", prior="a > b")
        assert found.priced == found.ordered == found.rising == ("a", "b")
        found = read_terms(Formula("600 / batch"))
        assert (found.priced, found.ordered, found.rising) == (("batch",), (), ())
        assert read_terms(None).priced == read_terms("duration").ordered == ()


class TestBudgets:
    @pytest.mark.parametrize(
        ("cost", "budget", "expected"),
        [
            ("a", 60, Budget(trials=60)),
            (None, np.int64(5), Budget(trials=5)),
            ("duration", "2h", Budget(cost=7200.0, unit="s")),
            (LearnedCost(of="seconds"), "90s", Budget(cost=90.0, unit="s")),
            ("attr:gpu", Budget(cost=30, unit="GPU h"), Budget(cost=30, unit="GPU h")),
            ("attr:gpu", Budget(cost=30, trials=9), Budget(cost=30, trials=9)),
            (Prices({"a": 2}), Budget(cost=30), Budget(cost=30)),
            ("a", None, None),
        ],
        ids=label,
    )
    def test_they_are_trials_a_time_or_money(self, cost: Any, budget: Any, expected: Budget | None) -> None:
        assert read_terms(cost, budget=budget).budget == expected

    @pytest.mark.parametrize(
        ("cost", "budget", "message"),
        [
            ("a", 0, "budget: need a whole number"),
            ("a", "2h", "budget: a time goes with cost=\"duration\", got '2h'"),
            ("attr:gpu", "2h", "budget: a time goes with"),
            ("duration", "soon", "budget: need a time"),
            ("a", Budget(cost=9, unit="EUR"), "budget: 9 EUR needs a cost in money, got the order a. Use"),
            (None, Budget(cost=9), "budget: 9 needs a cost in money, got none"),
        ],
        ids=label,
    )
    def test_others_are_refused(self, cost: Any, budget: Any, message: str) -> None:
        with pytest.raises(InvalidOptionError, match=message):
            read_terms(cost, budget=budget)


class TestReceipts:
    @pytest.mark.parametrize("state", [TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL], ids=lambda s: s.name)
    def test_a_trial_costs_the_seconds_it_took_however_it_ended(self, state: TrialState) -> None:
        assert Source().paid(took(2.5, {"x": 0.5}, state=state)) == 2.5

    def test_durations_are_right_with_time_zones_and_across_a_change_of_the_clocks(self) -> None:
        trial = took(0.0, {"x": 0.5})
        trial.datetime_start = datetime(2024, 3, 31, 0, 30, tzinfo=timezone.utc)
        trial.datetime_complete = datetime(2024, 3, 31, 3, 30, tzinfo=timezone(timedelta(hours=2)))
        assert Source().paid(trial) == 3600.0

    @pytest.mark.parametrize("seconds", [-3.0, None], ids=["backwards", "no start"])
    def test_a_duration_that_is_none_is_no_receipt(self, seconds: float | None) -> None:
        trial = took(seconds or 0.0, {"x": 0.5})
        if seconds is None:
            trial.datetime_start = None
        assert Source().paid(trial) is None
        assert Source().missing(trial) == f"its duration is {seconds} s"

    def test_a_time_in_the_year_1_is_no_receipt(self) -> None:
        trial = took(5.0, {"x": 0.5})
        trial.datetime_start = datetime(1, 1, 1)
        assert Source().paid(trial) is None

    def test_a_trial_that_was_added_was_not_run(self) -> None:
        assert not Source().ran(trial_with({"x": 0.5}))
        assert Source().ran(took(0.1, {"x": 0.5}))
        assert Source("gpu").ran(trial_with({"x": 0.5}))

    @pytest.mark.parametrize("value", [3, 0, 2.5, np.float64(1.5), np.int64(4)], ids=label)
    def test_a_user_attribute_is_what_it_says(self, value: Any) -> None:
        trial = trial_with({"x": 0.5})
        trial.user_attrs = {"gpu": value}
        assert Source("gpu").paid(trial) == float(value)
        assert Source("gpu").missing(trial) is None

    @pytest.mark.parametrize("value", [math.nan, math.inf, -1, "3", True, None, [1]], ids=label)
    def test_an_attribute_that_is_no_amount_is_no_receipt(self, value: Any) -> None:
        trial = trial_with({"x": 0.5})
        trial.user_attrs = {"gpu": value}
        assert Source("gpu").paid(trial) is None
        assert str(Source("gpu").missing(trial)).startswith("its user attribute 'gpu' is ")
        assert Source("cpu").missing(trial) == "it has no user attribute 'cpu'"

    def test_what_is_spent_is_the_sum_of_finished_trials(self) -> None:
        running = took(50.0, {"x": 0.5})
        running.state = TrialState.RUNNING
        trials = [took(2.0, {"x": 0.5}), took(3.0, {}, state=TrialState.FAIL), running]
        assert read_terms("duration").spent(trials) == 5.0
        assert read_terms("x").spent(trials) is None


SPACE: dict[str, BaseDistribution] = {
    "trees": IntDistribution(10, 50, step=10),
    "share": FloatDistribution(0.5, 1.0, step=0.25),
    "rule": CategoricalDistribution(["sqrt", None, 2]),
}


def cost_at(given: Any, params: dict[str, Any]) -> float:
    """What a cost says about params of SPACE, as a strategy sees it."""
    inputs, space = Inputs.of(SPACE, {}), shown_space(SPACE, {}, distinct=True)
    cost, lacks = cost_among(read_terms(given).cost, space, SPACE)
    assert cost is not None
    assert lacks is None
    model = SharedCost(cost, space).over(inputs.space)
    unit = inputs.unit(params)
    assert unit is not None
    return float(np.exp(model.log_cost(unit[None])[0]))


class TestSharedCosts:
    @pytest.mark.parametrize(
        ("cost", "expected"),
        [
            (Prices({"trees": 0.5, "share": 8, "rule": {2: 3}}, per_trial=1), 15 + 6 + 3 + 1),
            (Prices({"trees": 0.5, "rule": {None: 3}, "rare": 9}), 15),
            (Formula("trees * share + if(rule == 2, 4, 0)"), 30 * 0.75 + 4),
            (lambda p: p["trees"] * p["share"] + (4 if p["rule"] == 2 else 0), 30 * 0.75 + 4),
            (lambda p: 7 if isinstance(p["trees"], int) and p["rule"] is not None else 9, 7),
        ],
        ids=["prices", "some prices", "formula", "function", "types"],
    )
    def test_a_cost_sees_parameters_in_their_own_values(self, cost: Any, expected: float) -> None:
        assert cost_at(cost, {"trees": 30, "share": 0.75, "rule": 2}) == pytest.approx(expected, rel=1e-5)

    def test_a_function_sees_choices_that_are_none(self) -> None:
        assert cost_at(lambda p: 1 if p["rule"] is None else 2, {"trees": 30, "share": 0.75, "rule": None}) == 1.0

    @pytest.mark.parametrize(
        ("names", "order"),
        [(["a", "b", "c"], "a > b > c"), (["c", "a"], "a > c"), (["b"], "b"), (["x"], None)],
        ids=label,
    )
    def test_an_order_is_reduced_to_the_parameters_there_are(self, names: list[str], order: str | None) -> None:
        given: dict[str, BaseDistribution] = dict.fromkeys(names, UNIT)
        found, lacks = cost_among(OrderCost("a > b > c"), shown_space(given, {}), given)
        assert found == (None if order is None else OrderCost(order))
        assert lacks is None

    @pytest.mark.parametrize("cost", [Formula("rare + trees"), Formula(lambda p: p["rare"] + p["trees"])], ids=label)
    def test_a_formula_needs_all_its_parameters(self, cost: Formula) -> None:
        assert cost_among(cost, shown_space(SPACE, {}), SPACE) == (None, "rare")

    def test_where_a_function_raises_something_else_a_point_is_as_expensive_as_can_be(self) -> None:
        space = shown_space(SPACE, {})
        found, _ = cost_among(Formula(lambda p: p["trees"] / 0), space, SPACE)
        assert found is not None
        assert SharedCost(found, space).over(space).log_cost(space.cheapest()[None, :]) > 700.0

    def test_it_is_the_cost_it_holds(self) -> None:
        cost = SharedCost(OrderCost("trees > share"), shown_space(SPACE, {}))
        assert cost == SharedCost(OrderCost("trees > share"), shown_space(SPACE, {}))
        assert cost.order == OrderCost("trees > share").order
        assert (cost.names(), cost.document(), str(cost)) == (("trees", "share"), "trees > share", "trees > share")
        assert cost.among(["share"]) == OrderCost("share")
