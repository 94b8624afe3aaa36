from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from camobo.errors import InvalidSpaceError
from camobo.inputs import Categorical, Integer, Real
from camobo.optuna.inputs import Inputs
from optuna_studies import UNIT
from strategies import label, law

pytestmark = pytest.mark.usefixtures("quiet_optuna")


class TestInputs:
    @pytest.mark.parametrize(
        ("distribution", "expected"),
        [
            (FloatDistribution(-2, 3), Real(-2.0, 3.0)),
            (FloatDistribution(1e-5, 1, log=True), Real(1e-5, 1.0, log=True)),
            (FloatDistribution(0, 1, step=0.25), Integer(0, 4)),
            (IntDistribution(-3, 9), Integer(-3, 9)),
            (IntDistribution(1, 64, log=True), Integer(1, 64, log=True)),
            (IntDistribution(4, 20, step=4), Integer(0, 4)),
            (IntDistribution(0, 2**50), Real(0.0, 2.0**50)),
            (IntDistribution(2**50, 2**50 + 7), Integer(0, 7)),
            (IntDistribution(2**40, 2**43, step=2**40), Integer(0, 7)),
            (CategoricalDistribution(["a", math.nan, None]), Categorical([0, 1, 2])),
            (CategoricalDistribution([1, "sqrt", 1.0, "log2"]), Categorical([0, 1, 3])),
        ],
        ids=label,
    )
    def test_every_distribution_has_its_input(self, distribution: BaseDistribution, expected: Any) -> None:
        assert Inputs.of({"x": distribution}, {}).space.inputs["x"] == expected

    @law
    @given(st.data())
    def test_what_is_suggested_is_in_the_distribution_and_found_again_where_it_was(self, data: st.DataObject) -> None:
        distribution = data.draw(distributions())
        inputs = Inputs.of({"x": distribution}, {})
        unit = inputs.space.snap(np.array([[data.draw(st.floats(0, 1))]]))[0]
        value = inputs.params(unit)["x"]
        assert distribution._contains(distribution.to_internal_repr(value))
        again = inputs.unit({"x": value})
        assert again is not None
        assert again == pytest.approx(unit, abs=1e-6)

    def test_params_that_are_missing_or_out_of_range_have_no_place(self) -> None:
        inputs = Inputs.of({"x": IntDistribution(0, 8, step=2), "c": CategoricalDistribution(["a", "b"])}, {})
        assert inputs.unit({"x": 4, "c": "b"}) == pytest.approx([0.5, 0.75])
        for params in ({"x": 4}, {"x": 10, "c": "a"}, {"x": 3, "c": "a"}, {"x": 4, "c": "z"}):
            assert inputs.unit(params) is None

    def test_dear_turns_a_number_and_ranks_choices(self) -> None:
        given = {"rate": UNIT, "quench": CategoricalDistribution(["air", "oil", "vacuum"])}
        space = Inputs.of(given, {"rate": "low", "quench": ["vacuum", "oil"]}).space
        assert space.cheapest().tolist() == pytest.approx([1.0, 1 / 6])

    @pytest.mark.parametrize(
        ("distribution", "dear", "told"),
        [
            (UNIT, "left", '"high".*"low"'),
            (UNIT, ["a"], "is a number"),
            (CategoricalDistribution(["a", "b"]), "high", "list its dear choices"),
            (CategoricalDistribution(["a", "b"]), ["c"], "its choices are"),
        ],
        ids=label,
    )
    def test_a_dear_end_that_cannot_be_is_refused_with_what_can(
        self, distribution: BaseDistribution, dear: Any, told: str
    ) -> None:
        with pytest.raises(InvalidSpaceError, match=told):
            Inputs.of({"x": distribution}, {"x": dear})


@st.composite
def distributions(draw: st.DrawFn) -> BaseDistribution:
    kind = draw(st.sampled_from(["float", "log", "step", "int", "int log", "int step", "categorical"]))
    if kind == "categorical":
        return CategoricalDistribution(list(range(draw(st.integers(2, 6)))))
    if kind.startswith("int"):
        low = draw(st.integers(1, 100) if "log" in kind else st.integers(-100, 100))
        step = draw(st.integers(2, 5)) if "step" in kind else 1
        return IntDistribution(low, low + step * draw(st.integers(1, 1000)), log="log" in kind, step=step)
    low_float = draw(st.floats(1e-6, 1.0) if kind == "log" else st.floats(-100, 100))
    if kind == "step":
        size, start = draw(st.sampled_from([0.25, 0.5, 3.0])), float(draw(st.integers(-100, 100)))
        return FloatDistribution(start, start + size * draw(st.integers(1, 200)), step=size)
    return FloatDistribution(low_float, low_float + draw(st.floats(0.1, 1000)), log=kind == "log")
