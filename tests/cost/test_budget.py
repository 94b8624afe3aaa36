from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.budget import Budget, as_budget, share_left
from camobo.errors import InvalidOptionError
from tests.support.strategies import label, law


class TestShareLeft:
    def test_of_trials_it_is_the_share_not_made_yet(self) -> None:
        assert [share_left(Budget(trials=10), made, 1e9) for made in (0, 4, 10, 12)] == pytest.approx([1, 0.6, 0, 0])

    def test_of_money_it_is_the_share_not_spent_yet(self) -> None:
        budget = Budget(cost=200, unit="EUR")
        assert [share_left(budget, 99, spent) for spent in (0, 50, 200, 300)] == pytest.approx([1, 0.75, 0, 0])

    def test_of_both_it_is_the_smaller(self) -> None:
        budget = Budget(trials=10, cost=200)
        assert share_left(budget, 5, 20.0) == 0.5
        assert share_left(budget, 1, 150.0) == 0.25

    def test_without_a_budget_it_fades_with_the_trials_and_is_a_half_after_thirty(self) -> None:
        assert [share_left(None, made, 1e9) for made in (0, 30, 90)] == [1.0, 0.5, 0.25]

    @law
    @given(
        st.none() | st.builds(Budget, trials=st.integers(1, 10**6), cost=st.none() | st.floats(1e-300, 1e300)),
        st.lists(st.tuples(st.integers(0, 10**7), st.floats(0, 1e301)), min_size=2, max_size=2),
    )
    def test_it_is_between_zero_and_one_and_never_rises(
        self, budget: Budget | None, spendings: list[tuple[int, float]]
    ) -> None:
        made_before, made_after = sorted(pair[0] for pair in spendings)
        spent_before, spent_after = sorted(pair[1] for pair in spendings)
        before, after = share_left(budget, made_before, spent_before), share_left(budget, made_after, spent_after)
        assert 0.0 <= after <= before <= 1.0


class TestAsBudget:
    def test_a_whole_number_is_a_number_of_trials(self) -> None:
        assert as_budget(60) == as_budget(np.int64(60)) == Budget(trials=60)

    @pytest.mark.parametrize("given", [None, Budget(cost=5)])
    def test_none_and_a_budget_stay_themselves(self, given: Any) -> None:
        assert as_budget(given) is given

    @pytest.mark.parametrize("given", ["60", 60.0, True, math.nan, [60], {"trials": 60}, Budget], ids=label)
    def test_anything_else_is_refused_with_an_example_of_money(self, given: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^budget: need a whole number of trials, or a Budget") as caught:
            as_budget(given)
        assert 'Budget(cost=2000, unit="EUR")' in str(caught.value)
        assert repr(given) in str(caught.value)

    @pytest.mark.parametrize("given", [0, -1])
    def test_no_trials_are_refused(self, given: int) -> None:
        with pytest.raises(InvalidOptionError, match=rf"need a whole number of at least 1, got {given}"):
            as_budget(given)


class TestBudget:
    def test_numbers_from_numpy_are_taken(self) -> None:
        assert Budget(trials=np.int64(5), cost=np.int32(200)) == Budget(trials=5, cost=200.0)  # type: ignore[arg-type]
        assert type(Budget(cost=np.float32(0.5)).cost) is float  # type: ignore[arg-type]

    @pytest.mark.parametrize("cost", [0, -5, math.nan, math.inf, True, "2000", 10**400, Decimal(5), [5]], ids=label)
    def test_money_that_is_no_number_above_zero_is_refused(self, cost: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^Budget: cost must be a finite number above 0, got "):
            Budget(cost=cost)

    @pytest.mark.parametrize("trials", [0, -1, 2.5, True, "60"], ids=label)
    def test_trials_that_are_no_whole_number_are_refused(self, trials: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^Budget: trials: need a whole number of at least 1, got "):
            Budget(trials=trials)

    def test_a_budget_of_nothing_is_refused_with_an_example(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"^Budget: need trials, cost or both, got neither\. Example: "):
            Budget()

    @pytest.mark.parametrize("unit", [None, 5, b"EUR", "3", "100 EUR"], ids=label)
    def test_a_unit_that_is_no_text_or_begins_with_a_digit_is_refused(self, unit: Any) -> None:
        message = r'^Budget: unit must be text on one line, such as "EUR", and begin with no digit, got '
        with pytest.raises(InvalidOptionError, match=message):
            Budget(cost=5, unit=unit)

    @pytest.mark.parametrize(
        ("budget", "text"),
        [
            (Budget(trials=1), "1 trial"),
            (Budget(trials=60), "60 trials"),
            (Budget(cost=2000, unit="EUR"), "2000 EUR"),
            (Budget(cost=1234567.25), "1234567.25"),
            (Budget(trials=60, cost=2000, unit="EUR"), "60 trials, 2000 EUR"),
        ],
        ids=str,
    )
    def test_it_is_written_as_a_person_would(self, budget: Budget, text: str) -> None:
        assert str(budget) == text
