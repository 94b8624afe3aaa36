from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.moment import Moment
from tests.support.strategies import law, moments


@law
@given(st.integers(1, 200), st.integers(1, 12), st.integers(1, 30))
def test_a_larger_budget_never_starts_on_a_larger_part_of_an_input(budget: int, objectives: int, inputs: int) -> None:
    small, large = (Moment(1, trials, objectives, inputs) for trials in (budget, budget + 10))
    assert 0.5 <= large.cheap_side <= small.cheap_side < 1.0
    assert (large.cheap_side < small.cheap_side) == (small.adequacy < 1.0)


@law
@given(moments())
def test_the_share_left_falls_from_one_to_zero(moment: Moment) -> None:
    assert 0.0 <= moment.left <= 1.0
    assert Moment(1, moment.budget).left == 1.0
    assert Moment(moment.step + 1, moment.budget).left <= moment.left
    assert (moment.left == 0.0) == (moment.budget is not None and moment.step > moment.budget)


@law
@given(moments())
def test_the_cheap_side_grows_to_the_whole_range_and_the_front_matures(moment: Moment) -> None:
    later = Moment(moment.step + 1, moment.budget, moment.objectives, moment.inputs)
    assert 0.5 <= moment.cheap_side <= later.cheap_side <= 1.0
    assert 0.0 <= moment.maturity <= later.maturity <= 1.0
    assert moment.left > 0.0 or (moment.cheap_side, moment.maturity) == (1.0, 1.0)


@law
@given(moments(), st.integers(1, 30))
def test_factors_are_above_zero_and_at_most_one(moment: Moment, inputs: int) -> None:
    given = Moment(moment.step, moment.budget, moment.objectives, inputs)
    for factor in (given.objective_factor, given.budget_factor, given.adequacy):
        assert 0.0 < factor <= 1.0


@pytest.mark.parametrize(("objectives", "dimensions"), [(1, 1), (2, 1), (3, 2), (10, 9)])
def test_a_front_has_one_dimension_less_than_objectives(objectives: int, dimensions: int) -> None:
    assert Moment(1, objectives=objectives).front_dimensions == dimensions
    assert Moment(1, objectives=objectives).objective_factor == 1.0 / dimensions**2


@pytest.mark.parametrize(("inputs", "enough"), [(1, 46), (4, 64), (5, 75), (10, 150)])
def test_an_adequate_budget_has_forty_trials_and_six_per_input_or_fifteen_per_input(inputs: int, enough: int) -> None:
    assert Moment(1, enough, inputs=inputs).adequacy == 1.0
    assert Moment(1, enough - 1, inputs=inputs).adequacy == (enough - 1) / enough


def test_without_a_budget_thirty_steps_halve_what_is_left_and_costs_have_a_quarter_of_their_strength() -> None:
    assert Moment(31).left == 0.5
    assert Moment(1).budget_factor == 0.25
