from __future__ import annotations

import numpy as np
import pytest

from camobo.acquisition.pareto import hypervolume
from camobo.paper import steel
from camobo.paper.regret import survey


def test_the_stated_optimum_is_the_optimum() -> None:
    found = survey(steel.SPACE, steel.single)
    assert found.best[0] == pytest.approx(steel.STRONGEST, abs=1e-5)
    assert steel.WEAKEST < found.worst[0] < steel.WEAKEST + 2.0


def test_the_stated_hypervolume_is_nearly_reached_and_never_passed() -> None:
    nickel, chromium = np.linspace(0.3, 1.0, 400), np.linspace(0.5, 1.0, 400)  # where the front lies
    values = steel.double(np.stack(np.meshgrid(nickel, chromium), axis=-1).reshape(-1, 2))
    reached = hypervolume(values, np.array(steel.REFERENCE))
    assert 0.999 * steel.BEST_HYPERVOLUME < reached <= steel.BEST_HYPERVOLUME


def test_iron_alone_rusts_and_chromium_keeps_rust_away() -> None:
    chromium = np.linspace(0.0, 20.0, 50)
    resistance = steel.resistance(np.zeros(50), chromium)
    assert resistance[0] < 0.05
    assert (np.diff(resistance) > 0).all()
    assert (steel.resistance(np.full(50, 5.0), chromium) > resistance).all()


def test_the_objectives_are_functions_of_the_contents_in_per_cent() -> None:
    unit = np.array([[0.5, 0.25]])
    nickel, chromium = np.array([10.0]), np.array([5.0])
    assert steel.single(unit).tolist() == [[steel.strength(nickel, chromium)[0]]]
    assert steel.double(unit)[0, 1] == steel.resistance(nickel, chromium)[0]
