from __future__ import annotations

import contextlib
import decimal
import functools
import math
import operator
import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from camobo.arrays import Array
from camobo.cost.expression import Columns, Expression, parse
from camobo.cost.expression_text import LONGEST, quoted, spelled
from camobo.errors import InvalidOptionError
from camobo.space.inputs import Categorical, Input, Integer, Param, Real
from tests.support.strategies import label, law, marked

INPUTS: dict[str, Input] = {
    "wc": Real(-5, 5),
    "soak": Real(0.1, 10, log=True),
    "nickel %": Real(0, 20),
    "layers": Integer(-3, 9),
    "quench": Categorical(["air", "oil", 'sea "salt"']),
    "batch": Categorical([1, 2, -4, 0.5]),
    "vacuum": Categorical([True, False, None]),
}
NUMBERS = [name for name, given in INPUTS.items() if not isinstance(given, Categorical)]


@dataclass(frozen=True)
class Tree:
    """A formula as a tree, independent of how camobo reads, checks and evaluates text."""

    sign: str
    """An operator or a function, or "number", "input" or "is"."""
    children: tuple[Tree, ...] = ()
    leaf: Any = None
    """A number, a name, or a pair of a name and the position of a choice."""
    bracketed: bool = False
    """Whether it stands in brackets that it may not need."""


BINDING = {"or": 1, "and": 2, "not": 3, "is": 4, "+": 5, "-": 5, "*": 6, "/": 6, "negative": 7, "^": 8}
BINDING |= dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 4)
LOOSEST = {"or": (1, 2), "and": (2, 3), "not": (3,), "+": (5, 6), "-": (5, 6), "*": (6, 7), "/": (6, 7)}
LOOSEST |= {"negative": (7,), "^": (9, 7)} | dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), (5, 5))
"""For each operand, how loosely it may bind without brackets."""


def written(tree: Tree, loosest: int = 0) -> str:
    """The text of a tree, with brackets where they are needed or asked for."""
    if tree.bracketed or BINDING.get(tree.sign, 9) < loosest:
        return f"({_bare(tree)})"
    return _bare(tree)


def _bare(tree: Tree) -> str:
    if tree.sign == "number":
        return repr(tree.leaf)
    if tree.sign == "input":
        return spelled(tree.leaf)
    if tree.sign == "is":
        name, position = tree.leaf
        return f"{spelled(name)} == {quoted(choices(name)[position])}"
    if tree.sign not in LOOSEST:
        return f"{tree.sign}({', '.join(map(written, tree.children))})"
    parts = [written(child, loosest) for child, loosest in zip(tree.children, LOOSEST[tree.sign], strict=True)]
    return f"{tree.sign} {parts[0]}".replace("negative ", "-") if len(parts) == 1 else f" {tree.sign} ".join(parts)


def choices(name: str) -> tuple[Param, ...]:
    found = INPUTS[name]
    assert isinstance(found, Categorical)
    return found.choices


NUMPY: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
    "negative": np.negative,
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "min": lambda *values: functools.reduce(np.minimum, values),
    "max": lambda *values: functools.reduce(np.maximum, values),
    "if": np.where,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
}
DECIMAL: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
    "negative": operator.neg,
    "abs": abs,
    "exp": Decimal.exp,
    "log": Decimal.ln,
    "log10": Decimal.log10,
    "sqrt": Decimal.sqrt,
    "min": min,
    "max": max,
    "if": lambda condition, yes, no: yes if condition else no,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
}


def evaluated(tree: Tree, point: Mapping[str, Any], functions: dict[str, Callable[..., Any]], number: Any) -> Any:
    """The value of a tree by other people's functions."""
    if tree.sign == "number":
        return number(tree.leaf)
    if tree.sign == "input":
        return point[tree.leaf]
    if tree.sign == "is":
        name, position = tree.leaf
        return point[name] == position
    return functions[tree.sign](*(evaluated(child, point, functions, number) for child in tree.children))


def trees(depth: int = 4) -> st.SearchStrategy[Tree]:
    """Trees that stand for numbers."""
    numbers = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 10.0, 1e-3, 12345.678]) | st.floats(0, 1e6)
    leaves = st.builds(Tree, st.just("number"), leaf=numbers) | st.builds(
        Tree, st.just("input"), leaf=st.sampled_from(NUMBERS), bracketed=st.booleans()
    )
    return leaves if depth == 0 else leaves | _inner(depth)


@functools.cache
def _inner(depth: int) -> st.SearchStrategy[Tree]:
    below, bracketed = trees(depth - 1), st.booleans()
    one = st.sampled_from(["negative", "abs", "exp", "log", "log10", "sqrt"])
    return st.one_of(
        st.builds(Tree, st.sampled_from(["+", "-", "*", "/", "^"]), st.tuples(below, below), bracketed=bracketed),
        st.builds(Tree, one, st.tuples(below), bracketed=bracketed),
        st.builds(Tree, st.sampled_from(["min", "max"]), st.lists(below, min_size=2, max_size=3).map(tuple)),
        st.builds(Tree, st.just("if"), st.tuples(conditions(depth - 1), below, below)),
    )


@functools.cache
def conditions(depth: int) -> st.SearchStrategy[Tree]:
    """Trees that stand for true or false."""
    signs, below, bracketed = (
        st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
        trees(max(depth - 1, 0)),
        st.booleans(),
    )
    compared = st.builds(Tree, signs, st.tuples(below, below), bracketed=bracketed)
    matching = st.sampled_from([(name, i) for name in INPUTS if name not in NUMBERS for i in range(len(choices(name)))])
    leaves = compared | st.builds(Tree, st.just("is"), leaf=matching, bracketed=bracketed)
    if depth == 0:
        return leaves
    inner = conditions(depth - 1)
    return st.one_of(
        leaves,
        st.builds(Tree, st.sampled_from(["and", "or"]), st.tuples(inner, inner), bracketed=bracketed),
        st.builds(Tree, st.just("not"), st.tuples(inner), bracketed=bracketed),
    )


@st.composite
def columns(draw: st.DrawFn) -> dict[str, Array]:
    """One to four points, often with values at which functions have kinks, poles and ends."""
    rows = draw(st.integers(1, 4))
    number = st.floats(-20, 20) | st.sampled_from([0.0, -0.0, 1.0, 2.0, -1.0, 1e300, -1e-300])
    drawn: dict[str, Any] = {name: draw(hnp.arrays(np.float64, rows, elements=number)) for name in NUMBERS}
    for name in INPUTS.keys() - set(NUMBERS):
        drawn[name] = draw(hnp.arrays(np.intp, rows, elements=st.integers(0, len(choices(name)) - 1)))
    return drawn


def at(text: str, **values: Any) -> Any:
    """The value at one point."""
    point = {"wc": 0.0, **values}
    (value,) = parse(text, INPUTS).values({name: np.array([here]) for name, here in point.items()})
    return value


def slope(text: str, wc: float, **others: float) -> float:
    """The derivative with respect to wc at one point."""
    point = {"wc": wc, **others}
    _, slopes = parse(text, INPUTS).slopes({name: np.array([here]) for name, here in point.items()})
    return float(slopes["wc"][0])


class TestValues:
    @law
    @given(trees(), columns())
    def test_a_tree_written_and_read_has_the_values_that_numpy_gives_it(self, tree: Tree, at: dict[str, Array]) -> None:
        with np.errstate(all="ignore"):
            expected = evaluated(tree, at, NUMPY, np.float64)
        values = parse(written(tree), INPUTS).values(at)
        assert values.shape == (len(at["wc"]),)
        assert values.dtype == np.float64
        np.testing.assert_array_equal(values, np.broadcast_to(expected, values.shape))

    def test_a_formula_reads_as_in_a_spreadsheet(self) -> None:
        text = "0.36*wc + MIN(soak, 2)^2 - IF(quench = 'oil', 10, 0)"
        assert at(text, wc=10.0, soak=3.0, quench=1) == pytest.approx(3.6 + 4 - 10)
        assert at(text, wc=10.0, soak=3.0, quench=0) == pytest.approx(3.6 + 4)

    def test_a_power_binds_tighter_than_a_minus_and_from_the_right(self) -> None:
        assert (at("-2 ^ 2"), at("2 ^ 3 ^ 2"), at("2 ** -1")) == (-4.0, 512.0, 0.5)

    @pytest.mark.parametrize(
        ("condition", "holds"),
        [
            ("quench == 'air'", [1, 0, 0]),
            ('"air" != quench', [0, 1, 1]),
            ("quench == 'sea \"salt\"'", [0, 0, 1]),
            ('quench = "sea ""salt"""', [0, 0, 1]),
            ("batch == 2", [0, 1, 0]),
            ("batch == -4.0", [0, 0, 1]),
            ("2 = batch", [0, 1, 0]),
            ("batch == '-4'", [0, 0, 1]),
            ("vacuum == true", [1, 0, 0]),
            ("vacuum == 'False'", [0, 1, 0]),
            ("not vacuum == None", [1, 1, 0]),
        ],
    )
    def test_a_category_is_compared_with_its_choices(self, condition: str, holds: list[int]) -> None:
        formula = parse(f"if({condition}, 1, 0)", INPUTS)
        assert formula.values({formula.names[0]: np.arange(3)}).tolist() == holds

    def test_a_number_means_all_choices_equal_to_it_and_text_the_text_first(self) -> None:
        inputs = {"c": Categorical([1, 1.0, True, "1", "True"])}
        for condition, holds in [
            ("c == 1", [1, 1, 0, 0, 0]),
            ("c == '1'", [0, 0, 0, 1, 0]),
            ("c == '1.0'", [0, 1, 0, 0, 0]),
            ("c == true", [0, 0, 1, 0, 0]),
            ("c == 'True'", [0, 0, 0, 0, 1]),
        ]:
            assert parse(f"if({condition}, 1, 0)", inputs).values({"c": np.arange(5)}).tolist() == holds

    def test_there_is_one_value_for_each_point_even_of_a_constant_or_of_no_points(self) -> None:
        formula = parse("5", INPUTS)
        assert formula.values({"wc": np.zeros(3)}).tolist() == [5.0, 5.0, 5.0]
        assert formula.slopes({"wc": np.zeros(3)})[1] == {}
        assert parse("wc + 1", INPUTS).values({"wc": np.zeros(0)}).shape == (0,)

    def test_where_a_formula_has_no_finite_value_it_says_so_without_a_warning(self) -> None:
        assert math.isnan(at("log(wc)", wc=-1.0))
        assert at("1 / wc") == math.inf
        assert at("exp(10 ^ wc)", wc=9.0) == math.inf

    def test_values_are_a_copy(self) -> None:
        points = {"wc": np.zeros(2)}
        parse("wc", INPUTS).values(points)[:] = 7.0
        assert points["wc"].tolist() == [0.0, 0.0]

    def test_whole_numbers_may_come_as_integers(self) -> None:
        formula = parse("layers ^ -1", INPUTS)
        assert formula.values({"layers": np.array([2, 4])}).tolist() == [0.5, 0.25]


class TestSlopes:
    @law
    @given(trees(), st.integers(0, 2**32))
    def test_slopes_are_finite_differences_away_from_kinks(self, tree: Tree, seed: int) -> None:
        """Differences of numbers with a hundred digits: an error of rounding or of a step does not hide anything."""
        formula = parse(written(tree), INPUTS)
        numbers = [name for name in formula.names if name in NUMBERS]
        assume(numbers)
        rng = np.random.default_rng(seed)
        name = numbers[rng.integers(len(numbers))]
        point: dict[str, Any] = {name: rng.uniform(0.3, 3.0) for name in NUMBERS}
        point |= {name: int(rng.integers(len(choices(name)))) for name in INPUTS.keys() - set(NUMBERS)}
        values, slopes = formula.slopes({name: np.array([value]) for name, value in point.items()})
        context = decimal.Context(prec=100, Emax=10_000, Emin=-10_000)
        with decimal.localcontext(context):
            exact = {name: Decimal(value) for name, value in point.items()}
            step = Decimal("1e-30")
            try:
                low, here, high = (
                    evaluated(tree, {**exact, name: exact[name] + move}, DECIMAL, Decimal) for move in (-step, 0, step)
                )
                assume(float(here) == pytest.approx(values[0], rel=1e-9, abs=1e-12))
                left, right = float((here - low) / step), float((high - here) / step)
            except (decimal.DecimalException, OverflowError):
                assume(False)
        assume(left == pytest.approx(right, rel=1e-6, abs=1e-12) and abs(values[0]) < 1e50)
        assert slopes[name][0] == pytest.approx(right, rel=1e-5, abs=1e-9)

    @law
    @given(trees(), columns())
    def test_slopes_come_with_the_same_values_and_one_for_each_number_mentioned(
        self, tree: Tree, at: dict[str, Array]
    ) -> None:
        formula = parse(written(tree), INPUTS)
        values, slopes = formula.slopes(at)
        np.testing.assert_array_equal(values, formula.values(at))
        assert list(slopes) == [name for name in formula.names if name in NUMBERS]
        assert all(slope.shape == values.shape for slope in slopes.values())
        assert not any(np.isnan(slope[np.isfinite(values)]).any() for slope in slopes.values())

    @pytest.mark.parametrize(
        ("text", "wc", "expected"),
        [
            ("wc ^ 0", 0.0, 0.0),
            ("wc ^ 2", 0.0, 0.0),
            ("wc ^ 2", -3.0, -6.0),
            ("0 * sqrt(wc)", 0.0, 0.0),
            ("wc * sqrt(wc)", 0.0, 0.0),
            ("sqrt(wc) * sqrt(wc)", 0.0, 1.0),
            ("sqrt(wc) ^ 2", 0.0, 1.0),
            ("sqrt(wc) - sqrt(wc)", 0.0, 0.0),
            ("sqrt(2 - wc) ^ 2", 2.0, -1.0),
            ("sqrt(1 - (1 - wc)) ^ 2", 0.0, 1.0),
            ("1 / (1 / wc + 1 / soak)", 0.0, 1.0),
            ("1 / (1 + exp(-1000 * wc))", -3.0, 0.0),
            ("exp(-exp(1000 * wc))", 3.0, 0.0),
            ("if(wc > 0, wc * log(wc), 0)", 0.0, 0.0),
            ("2 ^ wc", 3.0, 8 * math.log(2)),
            ("wc + 0 ^ wc", 2.0, 1.0),
            ("wc + (-1) ^ wc", 2.0, 1.0),
            ("sqrt(wc) ^ 2 + exp(-exp(1000 + wc))", 0.0, 1.0),
            ("log10(wc)", 2.0, 1 / (2 * math.log(10))),
            ("if(wc > 0, 1, 2)", 1.0, 0.0),
        ],
    )
    def test_a_finite_derivative_is_found_where_the_chain_rule_meets_zero_times_infinity(
        self, text: str, wc: float, expected: float
    ) -> None:
        assert slope(text, wc, soak=2.0) == pytest.approx(expected, abs=1e-9)

    def test_an_infinite_derivative_is_infinite(self) -> None:
        assert slope("sqrt(wc)", 0.0) == math.inf

    @pytest.mark.parametrize(
        ("text", "sides"),
        [
            ("abs(wc)", (-1, 1)),
            ("sqrt(wc ^ 2)", (-1, 1)),
            ("max(wc, 3 * wc)", (1, 3)),
            ("min(wc, 3 * wc, 2 * wc)", (1, 3)),
            ("if(wc < 0, 5 * wc, 2 * wc)", (5, 2)),
        ],
    )
    def test_at_a_kink_the_slope_is_that_of_a_side(self, text: str, sides: tuple[float, float]) -> None:
        assert slope(text, 0.0) in sides

    def test_a_value_beyond_a_branch_does_not_reach_its_slope(self) -> None:
        assert slope("if(wc > 0, sqrt(wc), -wc)", -1.0) == -1.0
        assert slope("max(wc, 2)", -1.0) == 0.0


REFUSED = [
    ("0.36 * wo", "wo", ["unknown input 'wo'", "The inputs are wc, soak, `nickel %`"]),
    ("sook + 1", "sook + 1", ["unknown input 'sook'. Did you mean 'soak'?"]),
    ("`nickel%`", "`nickel%`", ["unknown input 'nickel%'. Did you mean 'nickel %'?"]),
    (
        "quench * 2",
        "quench * 2",
        ["need a number, got the category 'quench'", '"air", "oil"', 'if(quench == "air", 1, 0)'],
    ),
    ("quench", "quench", ["need a number, got the category 'quench'"]),
    ("log(batch)", "batch)", ["need a number, got the category 'batch'", "1, 2, -4, 0.5", "if(batch == 1, 1, 0)"]),
    ("wc < 3", "< 3", ["need a number, got a condition", "if(condition, 1, 0)"]),
    ("2 * (wc < 3)", "< 3)", ["need a number, got a condition"]),
    ("(wc < 3) == (wc < 4)", "< 3) == (wc < 4)", ["need a number, got a condition"]),
    ("quench == 'Oil'", "'Oil'", ["'quench' has no choice 'Oil'. Did you mean 'oil'?", '"air", "oil"']),
    ("if(batch == 3, 1, 0)", "3, 1, 0)", ["'batch' has no choice 3.", "1, 2, -4, 0.5"]),
    ("vacuum == 'yes'", "'yes'", ["no choice 'yes'", "True, False, None"]),
    ("quench < 'oil'", "< 'oil'", ["'<' compares numbers", "'quench' with == or !="]),
    ("quench == wc", "wc", ["need one of the choices", "of 'quench', got a number"]),
    ("wc == quench", "wc == quench", ["need one of the choices", "of 'quench', got a number"]),
    ("quench == batch", "batch", ["of 'quench', got the category 'batch'"]),
    ("wc == '3'", "'3'", ["need a number, got '3'", "`backquotes`"]),
    ("'oil' == 'oil'", "'oil' == 'oil'", ["need a number, got 'oil'"]),
    ("true + 1", "true + 1", ["need a number, got True"]),
    ("if(wc, 1, 0)", "wc, 1, 0)", ["need a condition, got a number", "soak > 20"]),
    ("if(vacuum, 1, 0)", "vacuum, 1, 0)", ["need a condition, got the category 'vacuum'", "vacuum == True"]),
    ("if('oil', 1, 0)", "'oil', 1, 0)", ["need a condition, got 'oil'"]),
    ("if(wc < 1 and 2, 1, 0)", "2, 1, 0)", ["need a condition, got a number"]),
    ("if(not soak, 1, 0)", "soak, 1, 0)", ["need a condition, got a number"]),
    ("if(wc < 1, wc < 2, 0)", "< 2, 0)", ["need a number, got a condition"]),
    ("if(wc < 1, quench, 0)", "quench, 0)", ["need a number, got the category"]),
    ("log(1, 2)", "log(1, 2)", ["'log' takes 1 argument, got 2"]),
]


def refusal(text: str, inputs: Mapping[str, Input] = INPUTS) -> str:
    with pytest.raises(InvalidOptionError) as caught:
        parse(text, inputs)
    return str(caught.value)


FRAGMENTS = [*"+-*/^(),<>= %", *map(spelled, INPUTS), "**", "==", "'oil'", "2", "-4", "1e308", "0", "true"]
FRAGMENTS += ["if(", "max(", "log(", "sqrt(", " and ", " not ", "if(quench='oil',"]


class TestRefusing:
    @pytest.mark.parametrize(("text", "place", "said"), REFUSED, ids=[label(row[0]) for row in REFUSED])
    def test_a_formula_that_does_not_fit_the_inputs_shows_where(self, text: str, place: str, said: list[str]) -> None:
        message = refusal(text)
        assert message.startswith("formula: ")
        assert all(words in message for words in said), message
        assert marked(message) == place

    @pytest.mark.parametrize("condition", ["quench == 'air'", "not wc > 1", "wc < 1 or soak > 2"])
    def test_a_condition_that_counts_as_a_number_can_be_written_as_the_message_says(self, condition: str) -> None:
        assert "if(condition, 1, 0)" in refusal(condition)
        assert parse(f"if({condition}, 1, 0)", INPUTS)

    def test_of_many_inputs_or_choices_the_first_ten_are_listed(self) -> None:
        many: dict[str, Input] = {f"in{i}": Real(0, 1) for i in range(50)}
        assert "in9, …" in refusal("x", many)
        assert '"c9", …' in refusal("c", {"c": Categorical([f"c{i}" for i in range(50)])})

    def test_a_choice_that_would_command_the_terminal_is_shown_without_its_power(self) -> None:
        assert "\x1b" not in refusal("c", {"c": Categorical(["\x1b[31m", "b"])})

    @law
    @given(
        st.text(max_size=60)
        | st.lists(
            st.sampled_from(FRAGMENTS),
            max_size=20,
        ).map("".join),
        columns(),
    )
    def test_any_text_is_refused_properly_or_is_a_formula_with_values(self, text: str, at: dict[str, Array]) -> None:
        start = time.process_time()
        with contextlib.suppress(InvalidOptionError):
            formula = parse(text, INPUTS)
            values, slopes = formula.slopes(at)
            assert values.shape == (len(at["wc"]),)
            assert set(slopes) <= set(formula.names)
        assert time.process_time() - start < 0.5

    @pytest.mark.parametrize(
        "text", ["-" * (LONGEST - 1) + "1", "wc+" * 666 + "1", "2^" * 999 + "1", "not " * 490 + "wc<1", "x" * LONGEST]
    )
    def test_the_longest_formula_takes_a_blink(self, text: str) -> None:
        inputs = {**INPUTS, **{f"layer_{i}": Real(0, 1) for i in range(100)}}
        at = {"wc": np.zeros(1)}
        start = time.process_time()
        with contextlib.suppress(InvalidOptionError):
            parse(text, inputs).slopes(at)
        assert time.process_time() - start < 0.5


class TestExpression:
    @law
    @given(trees())
    def test_its_text_reads_as_the_same_formula(self, tree: Tree) -> None:
        formula = parse(written(tree), INPUTS)
        again = parse(str(formula), INPUTS)
        assert again == formula
        assert hash(again) == hash(formula)

    def test_it_names_its_inputs_once_in_the_order_they_appear(self) -> None:
        formula = parse("if(quench == 'oil', soak, 1) + soak * wc + if(batch != 2, 1, 0)", INPUTS)
        assert formula.names == ("quench", "soak", "wc", "batch")

    def test_it_can_be_sent_to_another_process(self) -> None:
        formula = parse("soak * 2 + if(quench == 'oil', 1, 0)", INPUTS)
        assert pickle.loads(pickle.dumps(formula)) == formula

    def test_columns_it_does_not_mention_do_no_harm(self) -> None:
        points: Columns = {"wc": np.ones(2), "soak": np.full(2, np.nan)}
        formula: Expression = parse("wc * 2", INPUTS)
        assert formula.values(points).tolist() == [2.0, 2.0]
        assert formula.slopes(points)[1]["wc"].tolist() == [2.0, 2.0]
