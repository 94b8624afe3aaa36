from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.insight.slips import beyond, slips
from tests.support.strategies import law

USUAL = [480.0, 512.0, 390.0, 455.0, 501.0]
sizes = st.floats(1e-6, 1e6)


def trials(*values: float) -> list[cm.Trial]:
    return [cm.Trial(i, {"x": 0.5}, cm.State.COMPLETE, {"y": value}) for i, value in enumerate(values)]


@pytest.mark.parametrize(
    ("value", "others"),
    [
        (512.0, USUAL),
        (4700.0, USUAL),  # less than ten times the median
        (20.0, [1.0, 1.0, 1.1, 1.2, 5.0]),  # the largest was as far from the others
        (5200.0, USUAL[:4]),  # too few to know
        (-5200.0, USUAL),  # another sign
        (5200.0, [0.0, *USUAL]),
        (5200.0, [-1.0, *USUAL]),
        (50.0, [1e-4, 1e-3, 0.01, 0.1, 1.0]),  # values that span orders of magnitude
        (0.001, USUAL),
    ],
)
def test_a_value_that_may_well_be_right_is_not_beyond(value: float, others: list[float]) -> None:
    assert beyond(value, others) is None


def test_ten_times_the_usual_is_beyond_on_either_side_of_zero() -> None:
    assert beyond(4810.0, USUAL) == pytest.approx(10.02, abs=0.01)
    assert beyond(-4810.0, [-size for size in USUAL]) == beyond(4810.0, USUAL)


@law
@given(st.lists(sizes, min_size=5, max_size=12), sizes, st.integers(-9, 9))
def test_the_unit_of_measurement_does_not_matter(others: list[float], value: float, power: int) -> None:
    unit = 2.0**power  # exact
    assert beyond(value, others) == beyond(unit * value, [unit * other for other in others])


def test_only_changed_trials_are_spoken_of_with_their_value_and_the_remedy() -> None:
    found = trials(*USUAL, 5200.0)
    assert slips(found, [0, 1, 4]) == []
    (said,) = slips(found, range(6))
    assert str(said) == (
        "trial 5: 'y' is 5200, 10.8 times the median of the other results. "
        'Is it mistyped? To correct or withdraw a result use study.amend(trial, values, "why").'
    )


def test_results_that_came_in_part_and_failures_count_as_far_as_they_go() -> None:
    failed = cm.Trial(5, {"x": 0.5}, cm.State.FAILED, None, "cracked")
    partly = cm.Trial(6, {"x": 0.5}, cm.State.PENDING, {"y": 5200.0})
    assert len(slips([*trials(*USUAL), failed, partly], [5, 6])) == 1


def test_one_result_of_that_size_among_many_is_enough_to_say_nothing() -> None:
    assert slips(trials(*USUAL, *USUAL, 6000.0, 5200.0), [11]) == []
