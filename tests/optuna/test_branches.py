from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.acquisition.acquisition import Acquisition
from camobo.acquisition.maximise import maximise
from camobo.acquisition.utilities import ScalarisedUCB
from camobo.model.gp import condition
from camobo.model.hyper import Hyper
from camobo.optuna.branches import BranchedSpace, branched, decide
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from tests.support.strategies import label, law

INPUTS: dict[str, Input] = {
    "c": Real(1, 100, log=True, expensive="low"),
    "depth": Integer(1, 16),
    "kernel": Categorical(["linear", "rbf"]),
    "layers": Integer(1, 3),
    "model": Categorical(["forest", "svm", "net"]),
    "size1": Real(0, 1),
    "size2": Real(0, 1),
    "size3": Real(0, 1),
    "spread": Real(0, 1),
    "width": Real(0, 1),
}


def asked(model: str, kernel: str, layers: int) -> list[str]:
    """The inputs that an objective asks for, in branches within branches."""
    if model == "forest":
        return ["model", "width", "depth"]
    if model == "svm":
        return ["model", "width", "kernel", "c"] + (["spread"] if kernel == "rbf" else [])
    return ["model", "width", "layers", *(f"size{i + 1}" for i in range(layers))]


def row(model: str, kernel: str = "linear", layers: int = 1, at: float = 0.5) -> dict[str, float]:
    """The coordinates of a trial."""
    choices: dict[str, Any] = {"model": model, "kernel": kernel, "layers": layers}
    return {
        name: INPUTS[name].to_unit(choices[name]) if name in choices else at for name in asked(model, kernel, layers)
    }


ROWS = [row("forest"), row("svm"), row("svm", "rbf"), row("net"), row("net", layers=2), row("net", layers=3)]


def space() -> BranchedSpace:
    found = branched(INPUTS, ROWS)
    assert isinstance(found, BranchedSpace)
    return found


def unit(**params: Any) -> np.ndarray[Any, Any]:
    """The (1, d) point with these values, and 0.7 elsewhere."""
    return np.array([[given.to_unit(params[name]) if name in params else 0.7 for name, given in INPUTS.items()]])


class TestConditions:
    def test_inputs_that_all_trials_have_span_a_plain_space(self) -> None:
        inputs: dict[str, Input] = {"a": Real(0, 1), "b": Integer(0, 3)}
        assert branched(inputs, [{"a": 0.1, "b": 0.0}, {"a": 0.7, "b": 1.0}]) == Space(inputs)

    @law
    @given(
        model=st.sampled_from(["forest", "svm", "net"]),
        kernel=st.sampled_from(["linear", "rbf"]),
        layers=st.integers(1, 3),
    )
    def test_a_point_has_what_the_objective_would_ask_for(self, model: str, kernel: str, layers: int) -> None:
        has = space().has(unit(model=model, kernel=kernel, layers=layers))[0]
        assert {name for name, here in zip(INPUTS, has, strict=True) if here} == set(asked(model, kernel, layers))

    def test_a_choice_of_two_parameters_together_decides(self) -> None:
        inputs: dict[str, Input] = {"a": Categorical(["no", "yes"]), "b": Categorical(["no", "yes"]), "x": Real(0, 1)}
        rows = [
            {"a": a, "b": b} | ({"x": 0.5} if a > 0.5 and b > 0.5 else {}) for a in (0.25, 0.75) for b in (0.25, 0.75)
        ]
        found = branched(inputs, rows)
        assert found is not None
        assert found.has(np.array([[0.75, 0.75, 0.0], [0.75, 0.25, 0.0], [0.25, 0.75, 0.0]]))[:, 2].tolist() == [
            1,
            0,
            0,
        ]

    def test_a_number_of_layers_beyond_those_seen_counts_as_the_most_seen(self) -> None:
        inputs: dict[str, Input] = {"layers": Integer(1, 9), "second": Real(0, 1)}
        found = branched(inputs, [{"layers": 0.0}, {"layers": 0.125, "second": 0.5}])
        assert found is not None
        assert found.has(np.array([[0.0, 0.5], [1.0, 0.5]]))[:, 1].tolist() == [False, True]

    @pytest.mark.parametrize("decides", [Real(0, 1), Integer(1, 400)], ids=label)
    def test_an_input_that_nothing_decides_about_is_left_out(self, decides: Input) -> None:
        inputs: dict[str, Input] = {"any": decides, "x": Real(0, 1)}
        assert branched(inputs, [{"any": 0.1}, {"any": 0.9, "x": 0.5}]) == Space({"any": decides})

    def test_without_any_known_input_there_is_no_space(self) -> None:
        assert branched({"a": Real(0, 1), "b": Real(0, 1)}, [{"a": 0.1}, {"b": 0.1}]) is None

    def test_an_input_that_no_trial_has_counts_as_one_that_all_have(self) -> None:
        inputs: dict[str, Input] = {"a": Real(0, 1), "b": Real(0, 1)}
        assert branched(inputs, [{"a": 0.1}]) == Space(inputs)

    def test_conditions_agree_with_every_trial(self) -> None:
        found = space()
        columns = {name: np.array([given.get(name, np.nan) for given in ROWS]) for name in INPUTS}
        for name, tree in found.conditions.items():
            np.testing.assert_array_equal(decide(tree, columns, len(ROWS)), ~np.isnan(columns[name]))


class TestPoints:
    def test_what_a_point_lacks_is_at_its_cheap_end(self) -> None:
        found = space()
        snapped = found.snap(unit(model="forest", depth=4))[0]
        moved = {
            name: u for name, u in zip(INPUTS, snapped.tolist(), strict=True) if name not in asked("forest", "", 0)
        }
        ends = dict(zip(INPUTS, Space(INPUTS).cheapest().tolist(), strict=True))
        assert moved == {name: ends[name] for name in moved}
        assert moved["c"] == 1.0

    @law
    @given(st.lists(st.floats(0, 1), min_size=len(INPUTS), max_size=len(INPUTS)))
    def test_snapping_twice_changes_nothing(self, at: list[float]) -> None:
        once = space().snap(np.array([at]))
        np.testing.assert_allclose(space().snap(once), once, atol=1e-15)

    def test_a_model_sees_what_is_lacking_halfway_between_its_values(self) -> None:
        found = space()
        features = found.features(found.snap(unit(model="forest", depth=4)))[0]
        assert features[found.feature_column[list(INPUTS).index("c")]] == 0.5
        kernel = found.feature_column[list(INPUTS).index("kernel")]
        assert features[kernel : kernel + 2].tolist() == [0.0, 0.0]
        assert features[found.feature_column[list(INPUTS).index("width")]] == 0.7

    def test_a_surface_has_no_slope_along_what_a_point_lacks_and_the_right_one_along_the_rest(self) -> None:
        found, rng = space(), np.random.default_rng(0)
        units = found.snap(rng.random((30, len(INPUTS))))
        process = condition(
            found.features(units), rng.random(30), Hyper(np.full(13, 0.8), 1.0, 1e-3), kernel="matern52"
        )
        surface = Acquisition(found, (process,), ScalarisedUCB(np.ones(1), np.full(1, -9.0), 1.0))
        slope, has, step = surface.with_gradient(units)[1], found.has(units), 1e-5
        assert (slope[~has] == 0.0).all()
        for j in np.flatnonzero(found.continuous):
            rows = has[:, j] & (units[:, j] < 0.99)
            ahead = units[rows].copy()
            ahead[:, j] += step
            np.testing.assert_allclose(slope[rows, j], (surface(ahead) - surface(units[rows])) / step, atol=1e-4)

    def test_the_best_point_found_lacks_what_it_lacks(self) -> None:
        found = space()
        process = condition(np.eye(13)[:3], np.arange(3.0), Hyper(np.full(13, 0.8), 1.0, 1e-3), kernel="matern52")
        surface = Acquisition(found, (process,), ScalarisedUCB(np.ones(1), np.full(1, -9.0), 1.0))
        none = np.zeros((0, len(INPUTS)))
        for seed in range(6):
            best = maximise(surface, found, best=none, taken=none, rng=np.random.default_rng(seed))
            np.testing.assert_array_equal(found.snap(best[None])[0], best)

    def test_a_finite_space_lists_each_point_once(self) -> None:
        inputs: dict[str, Input] = {"kind": Categorical(["a", "b"]), "x": Integer(0, 4)}
        found = branched(inputs, [{"kind": 0.25}, {"kind": 0.75, "x": 0.5}])
        assert found is not None
        assert len(found.grid()) == 1 + 5
