"""Optuna's own tests for samplers, part of its package since version 5. None of them is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from optuna.samplers import BaseSampler

from camobo.optuna import CostAwareSampler

suite: Any = pytest.importorskip("optuna.testing.pytest_samplers", reason="Optuna's suite comes with Optuna 5")
Maker: TypeAlias = Callable[[], BaseSampler]


class WithCostAndWithout:
    @pytest.fixture(params=[None, "x > y", "duration"], ids=["no cost", "an order", "durations"])
    def sampler(self, request: pytest.FixtureRequest) -> Maker:
        return lambda: CostAwareSampler(request.param, seed=0)


class TestBasic(WithCostAndWithout, suite.BasicSamplerTestCase):  # type: ignore[misc]
    pass


class TestRelative(WithCostAndWithout, suite.RelativeSamplerTestCase):  # type: ignore[misc]
    pass


class TestMultiObjective(WithCostAndWithout, suite.MultiObjectiveSamplerTestCase):  # type: ignore[misc]
    pass
