"""`docs/paper-items.md`: whatever it names is there, and nothing of the paper is missing."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from camobo.acquisition.utilities import ScalarisedUCB, beta_practical
from camobo.paper.claims import CLAIMS
from camobo.paper.experiments import NAMES, experiment, planned
from camobo.space.inputs import Real
from tests.support.effort import Counted, assert_linear

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper-items.md").read_text(encoding="utf-8")
SHORT = {name: f"paper/test_{name}.py" for name in ("figures", "panels", "errata")}
"""How the page shortens the names of test files."""


class Row(NamedTuple):
    """A row of a table: an item and its code, or an erratum, what is done here, and tests."""

    item: str
    code: str
    verdict: str
    tests: list[str]


def rows() -> list[Row]:
    """Every row of the page's tables, heads left out."""
    found = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and cells[-1] not in ("test", "---"):
            item, code, verdict, tests = cells
            found.append(Row(item, code, verdict, re.findall(r"`([^`]+)`", tests)))
    return found


ITEMS = [row for row in rows() if not re.fullmatch(r"E\d+", row.item)]
ERRATA = [row for row in rows() if re.fullmatch(r"E\d+", row.item)]


@cache
def names_in(file: str) -> frozenset[str]:
    """The tests of a file, as `name` or `Class::name`."""
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    classes = {"": tree.body} | {f"{c.name}::": c.body for c in tree.body if isinstance(c, ast.ClassDef)}
    return frozenset(
        prefix + each.name for prefix, body in classes.items() for each in body if isinstance(each, ast.FunctionDef)
    )


def found(dotted: str) -> Any:
    """What a dotted name below `camobo` stands for."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(["camobo", *parts[:count]]))
        except ModuleNotFoundError:
            continue
        for name in parts[count:]:
            thing = getattr(thing, name)
        return thing
    raise AttributeError(dotted)


@pytest.mark.parametrize("row", ITEMS, ids=lambda row: row.item)
def test_an_item_has_code_that_exists_a_verdict_and_a_test(row: Row) -> None:
    assert re.match(r"exact|open|departs", row.verdict)
    assert row.tests or (row.code == "–" and row.verdict.startswith("departs"))
    assert row.code == "–" or found(row.code.strip("`")) is not None


@pytest.mark.parametrize("name", sorted({name for row in ITEMS + ERRATA for name in row.tests}))
def test_a_test_that_is_named_exists(name: str) -> None:
    file, _, test = name.partition("::")
    assert test in names_in(SHORT.get(file, file))


def test_no_equation_line_figure_or_number_is_missing() -> None:
    named = " ".join(row.item for row in ITEMS)
    equations = {int(number) for number in re.findall(r"Eq\. (\d+)", named)}
    assert equations == set(range(1, 13))
    for item in ("Definition 1", "Proposition 1", "Theorem 1", "Corollary 1", "Corollary 2", "motivation 1", "2"):
        assert item in named
    for line in (
        "initial observations D",
        "GP prior",
        "for t =",
        "sample θ_t",
        "x_t = argmax",
        "update D",
        "update GP",
    ):
        assert line in named
    for figure in (
        "Figure 1,",
        "Figure 2 (a)–(d)",
        "Figures 3, 4, 7 (a)",
        "Figures 5, 6 (a)",
        "Figure 5 (c)",
        "Figure 6",
    ):
        assert figure in named
    for number in ("17.8", "85.2", "71.4", "141.8", "205.7", "349.5", "32.1", "54.1"):
        assert number in named


def test_as_many_claims_are_judged_as_the_page_says() -> None:
    said = [int(count) for row in ITEMS for count in re.findall(r"exact: all (\d+)", row.verdict)]
    assert said == [4, *(len(CLAIMS[name]) for name in NAMES if name != "steel")]
    assert len(CLAIMS["steel"]) == 2


def test_every_erratum_has_a_test_and_is_numbered_in_order() -> None:
    assert [row.item for row in ERRATA] == [f"E{i + 1}" for i in range(len(ERRATA))]
    assert all(row.tests for row in ERRATA)
    referred = {name for row in ITEMS for name in re.findall(r"\(?(E\d+)\)", " ".join(row[:3]))}
    assert referred <= {row.item for row in ERRATA}


def test_what_is_open_is_as_the_page_says() -> None:
    for name in ("cross-holder", "matyas-booth"):
        assert all(each == Real(-10, 10) for each in experiment(name, {}).space.inputs.values())
    for name in NAMES:
        plan = planned(experiment(name, {}), "paper", 10, 0)
        assert (plan.initial, plan.refit_every, plan.beta) == (plan.space.dimension + 1, 10, "practical")
        assert plan.reference is None
    assert experiment("steel", {}).paper.iterations == 10
    assert experiment("forest", {}).title == "Random forest on digits"
    assert beta_practical(1) == pytest.approx(0.125 * np.log(3.0))


def scored(objectives: int) -> Callable[[], object]:
    rng = np.random.default_rng(0)
    utility = ScalarisedUCB(rng.random(objectives).view(Counted), np.zeros(objectives), beta=1.0)
    mean, deviation = (rng.random((2000, objectives)).view(Counted) for _ in range(2))
    return lambda: utility.log(mean, deviation)


def test_the_acquisition_scales_linearly_with_the_number_of_objectives() -> None:
    assert_linear(scored)
