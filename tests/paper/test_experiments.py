from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import camobo
from camobo.cost.budget import Budget
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.paper.experiments import NAMES, Method, experiment, planned


@pytest.mark.parametrize("name", NAMES)
class TestEveryExperiment:
    def test_the_paper_s_protocol_is_the_default(self, name: str) -> None:
        protocol = experiment(name, {}).paper
        expected = {"forest": (10, 300), "network": (10, 300), "steel": (50, 10)}.get(name, (50, 500))
        assert (protocol.runs, protocol.iterations) == expected

    def test_the_quick_protocol_is_shorter(self, name: str) -> None:
        given = experiment(name, {})
        assert given.quick.runs * given.quick.iterations < given.paper.runs * given.paper.iterations / 10

    def test_its_order_names_inputs_of_its_space(self, name: str) -> None:
        given = experiment(name, {})
        assert set(Order.parse(given.order).names) <= set(given.space.names)

    def test_its_formula_gives_every_objective_and_none_comes_with_a_reference(self, name: str) -> None:
        given = experiment(name, {})
        assert len(given.labels) == len(given.objectives)
        if given.function is None:
            assert (given.reference, given.best_hypervolume) == (None, None)
        else:
            units = np.random.default_rng(0).random((4, given.space.dimension))
            assert given.function(units).shape == (4, len(given.objectives))
            assert given.reference is not None
            assert len(given.reference) == len(given.objectives)


def test_only_the_cost_differs_between_the_methods_of_algorithm_1() -> None:
    methods: tuple[Method, ...] = ("mo-ucb", "paper", "printed")
    plans = {method: planned(experiment("zdt3", {}), method, 40, 7) for method in methods}
    assert plans["mo-ucb"].cost is None
    for cost, weights in ((plans["paper"].cost, "ascending"), (plans["printed"].cost, "printed")):
        assert isinstance(cost, camobo.PaperCost)
        assert cost.weights == weights
    assert plans["mo-ucb"].method == "paper"
    for plan in plans.values():
        assert replace(plan, cost=None) == plans["mo-ucb"]


def test_the_default_is_the_default_strategy_with_the_same_order_and_budget() -> None:
    plan = planned(experiment("zdt3", {}), "default", 40, 7)
    assert (plan.method, plan.cost, plan.seed) == ("default", OrderCost("x1 > x2 > x3 > x4 > x5"), 7)
    assert plan.budget == planned(experiment("zdt3", {}), "paper", 40, 7).budget == Budget(trials=40)


def test_options_change_the_problem() -> None:
    assert experiment("matyas-booth", {"booth": "printed"}).title == "Matyas and Booth as printed"
    assert list(experiment("steel", {"objectives": 2}).objectives) == ["strength", "resistance"]
    assert experiment("forest", {"dataset": "breast-cancer"}).title == "Random forest on breast cancer"


def test_an_unknown_experiment_is_named_with_those_there_are() -> None:
    with pytest.raises(camobo.InvalidOptionError, match=r"unknown experiment 'zdt9': need one of zdt3, cross-holder"):
        experiment("zdt9", {})


def test_steel_has_one_objective_or_two() -> None:
    with pytest.raises(camobo.InvalidOptionError, match="got 3"):
        experiment("steel", {"objectives": 3})
