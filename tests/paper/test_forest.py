from __future__ import annotations

import sys

import pytest

from camobo import InvalidOptionError, MissingExtraError
from camobo.paper import forest


@pytest.mark.slow
def test_a_bigger_forest_takes_longer_and_errs_less() -> None:
    pytest.importorskip("sklearn")
    measure = forest.objective("digits")
    (short, rough), (long, fine) = (measure({"estimators": n, "depth": n}) for n in (1, 30))
    assert long > 5 * short
    assert fine < 0.5 * rough


@pytest.mark.parametrize("dataset", ["breast-cancer", "wine"])
def test_the_same_forest_errs_the_same(dataset: str) -> None:
    pytest.importorskip("sklearn")
    params = {"estimators": 2, "depth": 3}
    (seconds, error), (_, again) = (forest.objective(dataset)(params) for _ in range(2))
    assert seconds > 0.0
    assert 0.0 < error == again < 1.0


def test_an_unknown_data_set_is_named_with_those_there_are() -> None:
    with pytest.raises(InvalidOptionError, match="need one of digits, breast-cancer, wine, got 'mnist'"):
        forest.objective("mnist")


def test_without_scikit_learn_the_message_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=r"scikit-learn.*pip install 'camobo\[paper\]'"):
        forest.objective("digits")
