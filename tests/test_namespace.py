from __future__ import annotations

import contextlib
import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import camobo
from camobo import errors, plot, problems, report

DOCUMENTED = {
    "Budget",
    "Categorical",
    "Command",
    "Event",
    "Explanation",
    "Formula",
    "Integer",
    "LearnedCost",
    "Measurement",
    "Note",
    "Order",
    "OrderCost",
    "PaperCost",
    "Prices",
    "Real",
    "Reason",
    "Space",
    "State",
    "Study",
    "Trial",
} | {name for name, given in vars(errors).items() if inspect.isclass(given) and issubclass(given, Exception)}
HOMES = [camobo, problems, plot, report]
for _extra in ("camobo.optuna", "camobo.botorch"):
    with contextlib.suppress(ImportError):  # an extra that is not installed
        HOMES.append(importlib.import_module(_extra))
PUBLIC = [(home, name) for home in HOMES for name in sorted(home.__all__)]


def methods(given: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods, properties and constructor a class of camobo defines itself."""
    for name, member in vars(given).items():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
            yield name, function


def unannotated(function: Callable[..., Any]) -> list[str]:
    signature = inspect.signature(function)
    bare = [name for name, given in signature.parameters.items() if given.annotation is inspect.Parameter.empty]
    missing_result = signature.return_annotation is inspect.Signature.empty
    return [name for name in bare if name not in ("self", "cls")] + ["return"] * missing_result


def test_the_public_names_are_the_documented_ones() -> None:
    assert sorted(camobo.__all__) == sorted(DOCUMENTED)
    assert len(set(camobo.__all__)) == len(camobo.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="Nickel"):
        camobo.Nickel  # noqa: B018


def test_the_public_names_are_listed_where_an_editor_looks() -> None:
    assert set(camobo.__all__) <= set(dir(camobo))


def test_the_version_is_that_of_a_release() -> None:
    assert [part.isdigit() for part in camobo.__version__.split(".")] == [True, True, True]


@pytest.mark.parametrize(("home", "name"), PUBLIC, ids=[name for _, name in PUBLIC])
def test_every_public_name_is_documented_and_annotated(home: Any, name: str) -> None:
    given = getattr(home, name)
    assert (inspect.getdoc(given) or "").strip()
    if not inspect.isclass(given):
        assert unannotated(given) == []
        return
    assert given.__doc__ != (given.__base__ or object).__doc__
    for method, function in methods(given):
        assert unannotated(function) == [], method
        assert method == "__init__" or (function.__doc__ or "").strip(), method


@pytest.mark.parametrize(("home", "name"), PUBLIC, ids=[name for _, name in PUBLIC])
def test_every_public_name_is_the_one_its_module_defines(home: Any, name: str) -> None:
    given = getattr(home, name)
    assert getattr(importlib.import_module(given.__module__), name) is given
    assert given.__module__.startswith("camobo.")


def loaded_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(done.stdout.split())


HEAVY = {"scipy.stats", "matplotlib", "torch", "pandas", "sklearn", "plotly", "optuna", "botorch", "sqlalchemy"}


STUDY = "from camobo import *; study = Study(Space({'x': Real(0, 1)}), {'y': 'min'})"


@pytest.mark.parametrize(
    "code",
    ["import camobo", STUDY, f"{STUDY}; study.optimize(lambda p: {{'y': p['x']}}, 4).explain(3)"],
    ids=["imported", "with every name", "used"],
)
def test_camobo_loads_nothing_heavy(code: str) -> None:
    loaded = loaded_after(code)
    assert "camobo" in loaded
    assert not loaded & HEAVY
