from __future__ import annotations

import pytest
from hypothesis import given

from camobo.errors import InvalidSpaceError
from camobo.space.constraints import exact, read_constraints
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from tests.support.constrained import constrained_spaces, few, limited
from tests.support.strategies import marked

INPUTS: dict[str, Input] = {
    "nickel": Real(0, 20, step=0.1),
    "soak": Integer(1, 12),
    "rate": Real(0.001, 1, log=True),
    "quench": Categorical(["air", "oil"]),
}


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("nickle <= 3", "Did you mean 'nickel'?", "nickle <= 3"),
        ("soak + x <= 3", "no input is called 'x'. The inputs are nickel, soak", "x <= 3"),
        ("quench <= 3", "'quench' is one of ['air', 'oil']: only numbers can be limited", "quench <= 3"),
        ("soak + rate == 3", "'rate' has a log scale", "rate == 3"),
        ("count(soak, rate) <= 1.5", "whole number, 0 or more, got 1.5", "count(soak, rate) <= 1.5"),
        ("count(soak, rate) >= -1", "whole number, 0 or more, got -1", "count(soak, rate) >= -1"),
    ],
)
def test_a_constraint_that_does_not_fit_the_inputs_is_refused(text: str, said: str, place: str) -> None:
    with pytest.raises(InvalidSpaceError) as caught:
        read_constraints([text], INPUTS)
    assert said in str(caught.value)
    assert marked(str(caught.value)) == place


@pytest.mark.parametrize(
    ("text", "meets", "breaks"),
    [
        ("nickel + 2*soak <= 10", {"nickel": 4.0, "soak": 3}, {"nickel": 4.1, "soak": 3}),
        ("nickel >= soak", {"nickel": 4.0, "soak": 4}, {"nickel": 3.9, "soak": 4}),
        ("nickel + soak == 4.3", {"nickel": 0.3, "soak": 4}, {"nickel": 0.2, "soak": 4}),
        ("count(nickel, soak) == 1", {"nickel": 0.1, "soak": 1}, {"nickel": 0.1, "soak": 2}),
        ("count(nickel, soak) >= 1", {"nickel": 0.0, "soak": 2}, {"nickel": 0.0, "soak": 1}),
    ],
)
def test_a_point_meets_what_is_said(text: str, meets: dict[str, float], breaks: dict[str, float]) -> None:
    (rule,) = read_constraints([text], INPUTS)
    assert rule.holds(meets, INPUTS)
    assert not rule.holds(breaks, INPUTS)


def test_a_rounding_error_breaks_no_sum() -> None:
    (rule,) = read_constraints(["a + b + c == 1"], dict.fromkeys("abc", Real(0, 1)))
    inputs = dict.fromkeys("abc", Real(0, 1))
    assert rule.holds({"a": 0.1, "b": 0.2, "c": 0.7}, inputs)
    assert rule.holds({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}, inputs)
    assert not rule.holds({"a": 0.1, "b": 0.2, "c": 0.700001}, inputs)


def test_what_always_holds_is_idle() -> None:
    space = limited("a + b <= 20", "a + b <= 19.9", "count(a, b) <= 2", "a >= 0", a=Real(0, 10), b=Real(0, 10))
    assert space.idle == ("a + b <= 20", "count(a, b) <= 2", "a >= 0")


@few
@given(constrained_spaces())
def test_fixing_values_of_a_point_that_meets_all_leaves_what_its_others_meet(space: Space) -> None:
    params = space.from_unit(space.region.settle(space.snap(space.cheapest()[None, :]))[0])
    name = space.names[0]
    left = space.given({name: space.inputs[name].to_unit(params[name])})
    assert left.broken({other: value for other, value in params.items() if other != name}) == ()


def test_decimals_are_exact() -> None:
    assert exact(33.3) + exact(33.3) + exact(33.4) == 100
