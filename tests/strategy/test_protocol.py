from __future__ import annotations

import math

import numpy as np
import pytest

from camobo.cost.formula import Formula
from camobo.cost.ordered import OrderCost
from camobo.strategy.default import DefaultStrategy
from camobo.strategy.notes import Note, Reason
from camobo.strategy.paper import PaperStrategy
from camobo.strategy.protocol import Fitted, Strategy, Suggestion
from tests.support.plans import PLANE, PRICES


def suggestion(cost: object, *unit: float) -> Suggestion:
    model = cost if cost is None else cost.over(PLANE)  # type: ignore[attr-defined]
    return Suggestion(np.array(unit), (Note(Reason.EXPLORES),), Fitted(cost=model))


class TestExpected:
    def test_it_is_the_models_cost_of_the_point(self) -> None:
        assert suggestion(PRICES, 0.5, 1.0).expected == pytest.approx(8.0)

    @pytest.mark.parametrize("cost", [None, OrderCost("expensive > cheap")])
    def test_without_amounts_there_is_none(self, cost: object) -> None:
        assert suggestion(cost, 0.5, 1.0).expected is None

    def test_of_a_point_whose_cost_cannot_be_told_there_is_none(self) -> None:
        cost = Formula(lambda params: math.nan if params["cheap"] == 0.625 else 3.0)
        assert suggestion(cost, 0.5, 0.625).expected is None
        assert suggestion(cost, 0.5, 0.5).expected == pytest.approx(3.0)


def test_both_methods_are_strategies() -> None:
    strategies: list[Strategy] = [DefaultStrategy(), PaperStrategy()]
    assert len(strategies) == 2
