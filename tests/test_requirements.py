"""What `make` and `.ci` install: the versions and hashes in `requirements/`, and what pyproject.toml declares."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
GROUPS = PROJECT["dependency-groups"]
FILES = ["core", "dev", "tools"]
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
ENTRY = re.compile(r"[a-z0-9-]+==[\w.+!]+(?: ; [^\\]+)?(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n")
COMMENT = re.compile(r" *# +(?:(?:via|-c) )?[\w.-][\w.():/ \[\]-]*\n| +# via\n|\n")


def declared(file: str) -> Iterator[Requirement]:
    if file == "tools":
        given = GROUPS["build"] + [tool for tool in GROUPS["tools"] if isinstance(tool, str)]
    else:
        given = PROJECT["project"]["dependencies"] + GROUPS["build"] + (list(extra("dev")) if file == "dev" else [])
    return (Requirement(each) for each in given)


def extra(name: str) -> Iterator[str]:
    """What an extra holds; where it names extras of camobo's own, what those hold."""
    for each in PROJECT["project"]["optional-dependencies"][name]:
        if (inner := Requirement(each)).name == "camobo":
            yield from (found for extras in inner.extras for found in extra(extras))
        else:
            yield each


@cache
def text(file: str) -> str:
    return (ROOT / "requirements" / f"{file}.txt").read_text()


def applies(requirement: Requirement, python: str) -> bool:
    environment = {"python_version": python, "python_full_version": f"{python}.9"}
    return requirement.marker is None or requirement.marker.evaluate(environment)


def pins(file: str, python: str) -> dict[str, tuple[str, str]]:
    """The version of each package that `python` gets on this platform, and its hashes."""
    found: dict[str, tuple[str, str]] = {}
    for entry in ENTRY.findall(text(file)):
        head, _, hashes = entry.partition(" \\\n")
        pin = Requirement(head)
        if applies(pin, python):
            assert pin.name not in found, f"requirements/{file}.txt holds {pin.name} twice for Python {python}"
            found[pin.name] = str(pin.specifier).removeprefix("=="), hashes
    return found


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("file", FILES)
def test_every_declared_dependency_is_pinned_to_a_version_it_admits(file: str, python: str) -> None:
    pinned = pins(file, python)
    needed = [each for each in declared(file) if applies(each, python) and each.name != "torch"]
    missing = [str(each) for each in needed if canonicalize_name(each.name) not in pinned]
    assert missing == [], "run `make pins RAISE=`, which pins what is missing and raises nothing"
    refused = [str(each) for each in needed if pinned[canonicalize_name(each.name)][0] not in each.specifier]
    assert refused == [], "run `make pins RAISE=`"


@pytest.mark.parametrize("file", FILES)
def test_a_file_holds_versions_with_hashes_and_remarks_but_no_address_or_path(file: str) -> None:
    remarks = ENTRY.sub("", text(file))
    assert [line for line in remarks.splitlines(keepends=True) if not COMMENT.fullmatch(line)] == []
    assert not re.search(r"://|[ =]/", text(file))


@pytest.mark.parametrize("python", PYTHONS)
def test_the_demo_and_the_tests_run_on_the_same_versions(python: str) -> None:
    assert pins("core", python).items() <= pins("dev", python).items()


def test_torch_alone_comes_without_a_hash_in_the_one_version_that_every_extra_names() -> None:
    constraints = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    extras = PROJECT["project"]["optional-dependencies"].values()
    named = {each for inside in extras for each in inside if Requirement(each).name == "torch"}
    assert named == set(constraints)
    assert not any("torch" in pins(file, python) for file in FILES for python in PYTHONS)


def test_what_builds_the_project_is_pinned_where_it_is_built() -> None:
    assert set(GROUPS["build"]) >= set(PROJECT["build-system"]["requires"])
