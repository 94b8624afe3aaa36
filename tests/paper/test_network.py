from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest

from camobo import MissingExtraError
from camobo.paper import network
from camobo.paper.digits import from_idx
from tests.support.mnist import small_mnist

PARAMS = {"layers": 1, "units": 60, "learning_rate": 0.01, "dropout": 0.4, "l1": 1e-6, "l2": 1e-6}


@pytest.mark.slow
class TestMeasuring:
    @pytest.fixture(autouse=True)
    def keras(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KERAS_BACKEND", "torch")
        pytest.importorskip("keras")

    def test_a_network_learns_what_can_be_learned_and_is_timed(self, tmp_path: Path) -> None:
        measure = network.objective(from_idx(small_mnist(tmp_path)), 60, 0)
        error, microseconds = measure(PARAMS)
        assert error < 0.2
        assert microseconds > 0
        assert measure(PARAMS)[0] == error  # the same seed gives the same network

    def test_a_network_is_freed_before_the_next_is_trained(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made: list[weakref.ref[Any]] = []
        alive: list[int] = []
        build = network._network

        def noted(*given: Any) -> Any:
            alive.append(sum(one() is not None for one in made))
            model = build(*given)
            made.append(weakref.ref(model))
            return model

        monkeypatch.setattr(network, "_network", noted)
        measure = network.objective(from_idx(small_mnist(tmp_path)), 1, 0)
        gc.disable()  # it runs too seldom to be relied on, but might by chance
        try:
            for _ in range(3):
                measure(PARAMS)
        finally:
            gc.enable()
        assert alive == [0, 0, 0]

    def test_a_network_that_diverges_errs_as_much_as_a_guess(self, tmp_path: Path) -> None:
        measure = network.objective(from_idx(small_mnist(tmp_path)), 3, 0)
        error, _ = measure(PARAMS | {"units": 50, "learning_rate": 1e38})
        assert error == pytest.approx(0.75)


def test_without_keras_the_message_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "keras"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "keras", None)
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    with pytest.raises(MissingExtraError, match=r"Keras.*pip install 'camobo\[paper\]'"):
        network._keras()
