from __future__ import annotations

import numpy as np
import pytest

from camobo.acquisition.utilities import ScalarisedUCB
from camobo.arrays import Array
from camobo.cost.paper import PaperCost
from camobo.errors import InvalidOptionError
from camobo.paper.departures import (
    SCRIPT,
    DepartingStrategy,
    Departure,
    VarianceUCB,
    departures_of,
    initial_observations,
)
from camobo.paper.experiments import experiment, planned
from camobo.strategy.paper import PaperStrategy
from camobo.strategy.plan import Data, Plan
from camobo.strategy.protocol import Suggestion
from tests.support.plans import measure

ZDT3 = planned(experiment("zdt3", {}), "paper", 50, 0)
BLIND = planned(experiment("zdt3", {}), "mo-ucb", 50, 0)


def known(plan: Plan, count: int = 20) -> Data:
    none = np.zeros((0, plan.space.dimension))
    units = np.random.default_rng(0).random((count, plan.space.dimension))
    return Data(units, measure(units), none, none, 1)


def step(plan: Plan, *departures: Departure, number: int = 20, t: int = 1) -> Suggestion:
    return DepartingStrategy(departures).step(plan, known(plan), number, t, None)


def theta(found: Suggestion) -> Array:
    assert found.acquisition is not None
    assert isinstance(found.acquisition.utility, ScalarisedUCB)
    scaled = np.column_stack([gp.z for gp in found.acquisition.gps])
    return np.asarray(found.acquisition.utility.weights * np.ptp(scaled, axis=0))


def test_without_departures_it_is_the_text() -> None:
    text = PaperStrategy().step(ZDT3, known(ZDT3), 20, 1, None)
    assert step(ZDT3).unit.tolist() == text.unit.tolist()
    assert initial_observations(ZDT3, ()).shape == (6, 5)


def test_a_given_length_scale_is_not_fitted() -> None:
    found = step(ZDT3, "length")
    assert found.fitted.outcomes is not None
    assert all(gp.hyper.lengths.tolist() == [0.032] * 5 for gp in found.fitted.outcomes.gps)
    assert all(len(gp.z) == 20 for gp in found.fitted.outcomes.gps)


def test_the_search_takes_the_best_of_random_points() -> None:
    found, climbed = step(ZDT3, "search"), step(ZDT3)
    assert found.acquisition is not None
    assert climbed.acquisition is not None
    reached = [float(one.acquisition(one.unit[None, :])[0]) for one in (found, climbed) if one.acquisition]
    sample = found.acquisition(np.random.default_rng(1).random((100, 5)))
    assert sample.max() < reached[0] < reached[1]


def test_a_variance_stands_for_the_deviation_with_matching_slopes() -> None:
    plain = ScalarisedUCB(np.array([0.3, 0.7]), np.zeros(2), 4.0)
    squared = VarianceUCB(plain.weights, plain.reference, plain.beta)
    mean, deviation, move = np.array([[0.5, 0.9]]), np.array([[0.3, 0.2]]), 1e-6
    np.testing.assert_allclose(squared.log(mean, deviation), plain.log(mean, deviation**2))
    _, _, slope = squared.log_slopes(mean, deviation)
    for m in range(2):
        moved = deviation + move * np.eye(2)[m]
        rise = (squared.log(mean, moved) - squared.log(mean, deviation))[0] / move
        assert slope[0, m] == pytest.approx(rise, abs=1e-5)
    assert step(ZDT3, "variance").unit.tolist() != step(ZDT3).unit.tolist()


def test_sorted_weights_rise() -> None:
    for number in range(20, 26):
        drawn, in_order = theta(step(ZDT3, number=number)), theta(step(ZDT3, "sorted", number=number))
        np.testing.assert_allclose(np.sort(drawn), in_order)
        assert in_order[0] <= in_order[1]


def test_two_starts_lie_in_the_cheap_corner_the_same_for_every_method() -> None:
    units = initial_observations(ZDT3, SCRIPT)
    assert units.shape == (2, 5)
    assert units.max() <= 0.1
    assert units.tolist() == initial_observations(BLIND, SCRIPT).tolist()


class TestWithoutAModel:
    def test_cost_alone_decides(self) -> None:
        found = step(ZDT3, "model")
        cheapest = PaperCost("x1 > x2 > x3 > x4 > x5").at(1, ZDT3.space, ZDT3.stream("suggestion", 20))
        sample = np.random.default_rng(1).random((200, 5))
        assert cheapest.log(found.unit[None, :])[0] > np.quantile(cheapest.log(sample), 0.98)
        assert found.acquisition is None

    def test_without_a_cost_chance_does(self) -> None:
        units = np.array([step(BLIND, "model", number=number).unit for number in range(100)])
        assert np.abs(units.mean(axis=0) - 0.5).max() < 0.12


def test_names_are_checked_and_sorted() -> None:
    assert departures_of(["starts", "length", "length"]) == ("length", "starts")
    with pytest.raises(InvalidOptionError, match=r"--depart: need length, .*, got theta"):
        departures_of(["theta"])
