from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from camobo.account import account
from camobo.engine import suggest
from camobo.plan import Plan
from plans import constrained, data, every_plan, plan, some


@every_plan
def test_it_finds_again_what_the_models_expected_of_the_suggestion(made: Callable[[], Plan]) -> None:
    given = made()
    known = data(given, some(given, 12))
    found = suggest(given, known, 12)
    told = account(given, known, 12, found.unit)
    assert told.notes == found.notes
    assert found.acquisition is not None
    features = given.space.features(found.unit[None, :])
    predicted = [model.predict(features) for model in found.acquisition.gps]
    assert told.mean is not None
    assert told.deviation is not None
    np.testing.assert_array_equal(told.mean, [mean[0] for mean, _ in predicted])
    np.testing.assert_array_equal(told.deviation, [deviation[0] for _, deviation in predicted])
    assert told.utility is not None
    assert told.utility > 0.0
    if given.cost is None:
        assert told.cost is None
        assert told.without_cost is None
    else:
        assert told.cost is not None
        assert 0.0 <= told.cost < 1.0
        assert told.without_cost is not None
        assert told.without_cost.shape == found.unit.shape
        promise = replace(found.acquisition, terms=found.acquisition.terms[:1])
        discounted = np.log(told.utility) + np.log1p(-told.cost)
        assert discounted == pytest.approx(promise(found.unit[None, :])[0], abs=1e-6)


def test_an_objective_to_minimise_is_predicted_with_its_own_sign() -> None:
    up, down = plan(seed=1), plan(seed=1, objectives={"f": "min", "g": "max"})
    known = data(up, some(up, 12))
    unit = suggest(up, known, 12).unit
    one, other = account(up, known, 12, unit), account(down, known, 12, unit)
    assert one.mean is not None
    assert other.mean is not None
    np.testing.assert_allclose(other.mean, one.mean * [-1.0, 1.0])


def test_before_there_are_models_it_says_only_what_it_can() -> None:
    given = plan(cost="dear", seed=1)
    told = account(given, data(given, np.zeros((0, 2))), 0, np.array([0.1, 0.2]))
    assert (told.mean, told.deviation, told.utility, told.cost) == (None, None, None, None)
    assert told.without_cost is not None
    assert told.notes == ("initial design",)


def test_the_account_speaks_of_the_objectives() -> None:
    given = plan(constraints=("at most",))
    units = some(given, 12)
    told = account(given, constrained(units, 0.5), 50, units[0])
    assert told.mean is not None
    assert told.mean.shape == (2,)
