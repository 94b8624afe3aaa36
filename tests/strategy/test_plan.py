from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.plan import Data, Receipts
from tests.support.plans import plan
from tests.support.strategies import law


def unit_cube(inputs: int) -> Space:
    return Space({f"x{i}": Real(0, 1) for i in range(inputs)})


class TestPlan:
    def test_signs_turn_every_objective_into_larger_is_better(self) -> None:
        assert plan(objectives={"f": "max", "g": "min", "h": "max"}).signs.tolist() == [1.0, -1.0, 1.0]

    @pytest.mark.parametrize(("inputs", "points"), [(1, 3), (2, 3), (6, 3), (7, 4), (9, 5), (20, 10)])
    def test_the_initial_design_has_half_as_many_points_as_inputs_and_at_least_three(
        self, inputs: int, points: int
    ) -> None:
        assert plan(unit_cube(inputs)).initial == points

    @pytest.mark.parametrize("inputs", [1, 5, 9])
    def test_the_papers_method_starts_with_one_point_per_input_and_one_more(self, inputs: int) -> None:
        assert plan(unit_cube(inputs), method="paper").initial == inputs + 1


class TestStream:
    @law
    @given(st.integers(0, 2**63), st.text(max_size=20), st.integers(0, 10**6))
    def test_it_is_the_same_every_time(self, seed: int, purpose: str, number: int) -> None:
        one, same = (plan(seed=seed).stream(purpose, number).random(4) for _ in range(2))
        np.testing.assert_array_equal(one, same)

    def test_seed_purpose_and_number_each_make_another(self) -> None:
        streams = [
            plan(seed=seed).stream(purpose, number)
            for seed, purpose, number in ((0, "a", 0), (1, "a", 0), (0, "b", 0), (0, "a", 1))
        ]
        assert len({stream.random() for stream in streams}) == 4

    def test_it_does_not_depend_on_what_was_drawn_before(self) -> None:
        given = plan(seed=3)
        expected = given.stream("suggestion", 5).random(3)
        given.stream("suggestion", 4).random(1000)
        np.testing.assert_array_equal(given.stream("suggestion", 5).random(3), expected)

    def test_it_is_the_stream_that_stored_studies_were_made_with(self) -> None:
        drawn = plan(seed=7).stream("suggestion", 12).random(2)
        np.testing.assert_array_equal(drawn, np.random.default_rng([7, 3716215579, 12]).random(2))


def test_tried_points_are_the_measured_pending_and_failed_ones() -> None:
    rows = np.arange(12.0).reshape(6, 2)
    data = Data(rows[:3], np.zeros((3, 1)), rows[3:5], rows[5:], step=7)
    np.testing.assert_array_equal(data.tried, rows)


class TestPending:
    ROWS = np.arange(12.0).reshape(6, 2)

    def test_a_point_that_is_suggested_is_pending_and_what_it_will_cost_is_reserved(self) -> None:
        rows = self.ROWS
        receipts = Receipts(rows[:3], np.ones(3), 3.0, rows[3:5])
        before = Data(rows[:3], np.zeros((3, 1)), rows[3:5], rows[:0], 6, receipts)
        after = before.with_pending(rows[5])
        assert after.receipts is not None
        np.testing.assert_array_equal(after.pending, rows[3:])
        np.testing.assert_array_equal(after.receipts.unpaid, rows[3:])
        assert (after.step, after.receipts.spent, before.step) == (7, 3.0, 6)
        np.testing.assert_array_equal(after.receipts.units, rows[:3])

    def test_without_receipts_nothing_is_reserved(self) -> None:
        after = Data(self.ROWS, np.zeros((6, 1)), self.ROWS[:0], self.ROWS[:0], 7).with_pending(self.ROWS[0])
        assert (after.receipts, len(after.pending)) == (None, 1)
