from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from camobo.errors import InvalidSpaceError
from camobo.optuna.search_space import Inputs, only_value, size_of
from camobo.space.inputs import Categorical, Integer, Real
from tests.support.optuna_studies import UNIT
from tests.support.strategies import label, law

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

    def test_expensive_turns_a_number_and_ranks_choices(self) -> None:
        given = {"rate": UNIT, "quench": CategoricalDistribution(["air", "oil", "vacuum"])}
        space = Inputs.of(given, {"rate": "low", "quench": ["vacuum", "oil"]}).space
        assert space.cheapest().tolist() == pytest.approx([1.0, 1 / 6])

    def test_coordinates_are_of_the_params_inside_their_ranges_in_the_spaces_order(self) -> None:
        inputs = Inputs.of({"x": UNIT, "n": IntDistribution(0, 4), "c": CategoricalDistribution(["a", "b"])}, {})
        params = {"c": "z", "n": 2, "other": 5, "x": 0.25}
        assert list(inputs.coordinates(params).items()) == [("x", 0.25), ("n", 0.5)]

    @pytest.mark.parametrize("value", ["much", True, math.inf, math.nan, 3, 10, None], ids=label)
    def test_a_value_that_is_not_on_the_grid_has_no_coordinate(self, value: Any) -> None:
        assert Inputs.of({"n": IntDistribution(0, 8, step=2)}, {}).coordinates({"n": value}) == {}

    def test_it_contains_its_parameters(self) -> None:
        inputs = Inputs.of({"x": UNIT}, {"y": "low"})
        assert "x" in inputs
        assert "y" not in inputs

    def test_a_huge_grid_is_searched_as_real_and_rounded(self) -> None:
        inputs = Inputs.of({"n": IntDistribution(0, 2**50)}, {})
        value = inputs.params(np.array([1 / 3]))["n"]
        assert isinstance(value, int)
        assert value == round(2**50 / 3)


class TestRefusals:
    @pytest.mark.parametrize(
        ("distribution", "expensive", "message"),
        [
            (UNIT, "left", '"high".*"low"'),
            (UNIT, ["a"], "is a number"),
            (UNIT, np.array(["high", "low"]), r"expensive: 'x' is a number.*array"),
            (CategoricalDistribution(["a", "b"]), "high", "list its expensive choices"),
            (CategoricalDistribution(["a", "b"]), ["c"], "its choices are"),
            (
                CategoricalDistribution(["a", "b"]),
                ["b", "b"],
                r"expensive: 'x' lists \['b', 'b'\]\. List each choice once",
            ),
        ],
        ids=["word", "list for a number", "array", "word for a category", "unknown choice", "twice"],
    )
    def test_an_invalid_expensive_end_is_refused_with_what_is_valid(
        self, distribution: BaseDistribution, expensive: Any, message: str
    ) -> None:
        with pytest.raises(InvalidSpaceError, match=message):
            Inputs.of({"x": distribution}, {"x": expensive})

    @pytest.mark.parametrize(
        ("distribution", "message"),
        [
            (IntDistribution(2**60, 2**60 + 10), r"parameter 'x': .*too narrow: floats cannot tell"),
            (IntDistribution(0, 10**400), r"parameter 'x': need bounds that a float can hold"),
            (FloatDistribution(-1.7e308, 1.7e308), r"parameter 'x': .*too wide"),
        ],
        ids=["narrow", "huge", "wide"],
    )
    def test_a_range_that_floats_cannot_hold_is_refused_by_the_parameters_name(
        self, distribution: BaseDistribution, message: str
    ) -> None:
        with pytest.raises(InvalidSpaceError, match=message):
            Inputs.of({"x": distribution}, {})

    def test_a_kind_of_distribution_that_optuna_does_not_have_is_refused(self) -> None:
        class Strange(BaseDistribution):
            def single(self) -> bool:
                return False

            def _contains(self, param_value_in_internal_repr: float) -> bool:
                return True

            def to_internal_repr(self, param_value_in_external_repr: Any) -> float:
                return 0.0

        with pytest.raises(InvalidSpaceError, match=r"^parameter 'x': need a float, int or categorical distribution"):
            Inputs.of({"x": Strange()}, {})
        with pytest.raises(InvalidSpaceError, match=r"^need a float, int or categorical distribution"):
            size_of(Strange())


@pytest.mark.parametrize(
    ("distribution", "size"),
    [
        (UNIT, math.inf),
        (FloatDistribution(2, 2), 1),
        (FloatDistribution(0, 1, step=0.25), 5),
        (FloatDistribution(0, 0, step=0.25), 1),
        (IntDistribution(3, 9), 7),
        (IntDistribution(4, 20, step=4), 5),
        (IntDistribution(4, 4), 1),
        (CategoricalDistribution(["a", "b"]), 2),
        (CategoricalDistribution(["a", "a"]), 1),
        (CategoricalDistribution([1, 1.0, True]), 1),
    ],
    ids=label,
)
def test_a_distribution_has_as_many_values_as_it_can_suggest(distribution: BaseDistribution, size: float) -> None:
    assert size_of(distribution) == size
    if size == 1:
        value = only_value(distribution)
        assert distribution._contains(distribution.to_internal_repr(value))


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
