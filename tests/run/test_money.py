from __future__ import annotations

import pytest

from camobo.run.money import amount, spent_of


@pytest.mark.parametrize(
    ("money", "text"), [(0.0, "0"), (9999.4, "9999"), (9999.6, "10000"), (1234567.8, "1234568"), (0.00125, "0.00125")]
)
def test_an_amount_has_four_digits_and_more_only_before_the_point(money: float, text: str) -> None:
    assert amount(money) == text


def test_an_amount_of_absurd_size_stays_short() -> None:
    assert amount(1e300) == "1e+300"


@pytest.mark.parametrize(
    ("given", "text"),
    [((41.5, 2000.0, "EUR"), "41.5 of 2000 EUR"), ((41.5, None, "EUR"), "41.5 EUR"), ((0.0, 50.0, ""), "0 of 50")],
)
def test_what_was_spent_is_said_of_the_budget_if_there_is_one(given: tuple[float, float, str], text: str) -> None:
    assert spent_of(*given) == text
