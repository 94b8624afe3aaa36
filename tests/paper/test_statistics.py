from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.paper.statistics import in_order, mean, ratio, share, versus
from tests.support.paper_runs import numbers, summary_of


class TestIntervals:
    def test_a_ratio_pairs_the_runs(self) -> None:
        base = np.array([10.0, 100.0, 1000.0])  # runs differ widely, the methods by exactly a half
        found = ratio(0.5 * base, base)
        assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))

    def test_a_mean_lies_in_its_interval_which_narrows_with_runs(self) -> None:
        values = np.random.default_rng(0).normal(5.0, 1.0, 400)
        few, many = mean(values[:25]), mean(values)
        assert few.low < few.value < few.high
        assert many.high - many.low < 0.5 * (few.high - few.low)

    def test_one_run_has_no_interval(self) -> None:
        assert mean(np.array([3.0])).shown(1) == "3.0"

    def test_a_ratio_to_zero_has_no_value(self) -> None:
        assert ratio(np.ones(3), np.zeros(3)).shown(2) == "–"
        assert ratio(np.ones(2), np.array([1.0, 0.0])).value == 2.0

    def test_a_share_of_all_runs_is_not_certain(self) -> None:
        found = share(np.ones(50, dtype=np.bool_))
        assert found.value == 1.0
        assert 0.9 < found.low < 0.95

    @given(st.lists(st.booleans(), min_size=1, max_size=60))
    def test_a_share_lies_in_its_interval_and_that_in_zero_to_one(self, held: list[bool]) -> None:
        found = share(np.array(held))
        assert 0.0 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1.0


def test_methods_are_compared_over_the_runs_both_have() -> None:
    blind, aware = numbers((50.0, 50.0)), numbers((20.0, 40.0))
    for name in ("runs", "use"):
        aware[name] = aware[name][5:]
    aware["use"] = [[x / 2 for x in blind["use"][run]] for run in aware["runs"]]
    found = versus(summary_of(mo_ucb=blind, paper=aware), "paper", lambda n: np.array(n["use"])[:, 0])
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_the_order_is_kept_where_each_more_expensive_input_is_used_strictly_less() -> None:
    assert in_order(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 2.0], [3.0, 2.0, 4.0]])).tolist() == [True, False, False]
