"""The benchmarks' own arithmetic, and a short run of what `make bench` measures at length."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def cost_study() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cost_study", FOLDER / "cost_study.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["cost_study"] = module
    spec.loader.exec_module(module)
    return module


def test_money_counts_hidden_prices_that_halve_and_a_tenth_for_each_evaluation(cost_study: ModuleType) -> None:
    assert cost_study.money(np.array([[1.0, 0.0], [0.0, 1.0]])) == pytest.approx((2 / 3 + 0.1) + (1 / 3 + 0.1))


def test_a_study_compared_with_itself_costs_and_finds_the_same(cost_study: ModuleType) -> None:
    outcomes = [cost_study.Outcome(2.0 + i, 5.0 + i) for i in range(2 * len(cost_study.PROBLEMS))]
    assert list(cost_study.compare(outcomes, outcomes, 2).summary().values()) == pytest.approx([1.0] * 4)


def test_a_short_cost_aware_run_spends_less_than_a_blind_one(
    cost_study: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost_study, "EVALUATIONS", 25)
    seeds = range(3)
    aware = sum(cost_study.run("matyas-booth", seed, {}).money for seed in seeds)
    blind = sum(cost_study.run("matyas-booth", seed, {"cost": None}).money for seed in seeds)
    assert aware < 0.8 * blind
