"""A study's plan as plain data, and back: what a storage keeps and what a problem file says, one and the same.

    {"space": {"nickel": {"type": "real", "low": 0, "high": 20, "unit": "%"}},
     "objectives": {"strength": "max"},
     "study": {"cost": "nickel", "budget": 60, "seed": 7}}

Written down, everything is spelt out, so that a default that changes does not change a study. Read, everything that has
a default may be left out, and a mistake is an error that names its place.
"""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from camobo.checks import Goal, Values, objectives_of, one_of, values_of, whole
from camobo.cost import AdditiveCost, CostLike, PaperCost, as_cost
from camobo.errors import CamoboError, InvalidOptionError, StorageError, shown
from camobo.hints import meant
from camobo.inputs import Categorical, Input, Integer, Real
from camobo.order import Order
from camobo.plan import Beta, Method, Plan
from camobo.space import Space

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_NUMBER_KEYS = ("type", "low", "high", "log", "unit", "dear")
_INPUT_KEYS = {"real": (*_NUMBER_KEYS, "step"), "integer": _NUMBER_KEYS, "categorical": ("type", "choices", "dear")}
_COST_KEYS = {
    "additive": ("type", "order", "strength", "cooling", "indifference", "weights", "power"),
    "paper": ("type", "order", "weights"),
}
_STUDY_KEYS = ("cost", "constraints", "budget", "seed", "method", "reference", "beta", "refit_every")
Document: TypeAlias = dict[str, Any]
T = TypeVar("T")
_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")


def make_plan(
    space: Space,
    objectives: Mapping[str, Goal],
    *,
    cost: CostLike = None,
    budget: int | None = None,
    seed: int | None = None,
    method: Method = "default",
    reference: Values | None = None,
    beta: Beta = "practical",
    refit_every: int = 10,
) -> Plan:
    """A plan from what `Study` takes, checked; without a seed one is drawn."""
    if not isinstance(space, Space):
        raise InvalidOptionError(f'space: need a Space, such as Space({{"nickel": Real(0, 20)}}), got {space!r}.')
    goals = objectives_of(objectives)
    one_of("method", method, ("default", "paper"))
    return Plan(
        space=space,
        objectives=goals,
        cost=as_cost(cost, space.names, paper=method == "paper"),
        budget=None if budget is None else whole("budget", budget, 1),
        seed=secrets.randbits(32) if seed is None else whole("seed", seed, 0),
        method=method,
        reference=None if reference is None else tuple(values_of(reference, goals, what="reference").values()),
        beta=one_of("beta", beta, ("practical", "theory")),
        refit_every=whole("refit_every", refit_every, 1),
    )


def to_document(plan: Plan) -> Document:
    """The plan as plain data that JSON and TOML can hold, every option spelt out."""
    study: Document = {"cost": _cost_document(plan.cost)} if plan.cost is not None else {}
    if plan.space.constraints:
        study["constraints"] = list(plan.space.constraints)
    if plan.budget is not None:
        study["budget"] = plan.budget
    study |= {"seed": plan.seed, "method": plan.method}
    if plan.reference is not None:
        study["reference"] = dict(zip(plan.objectives, plan.reference, strict=True))
    study |= {"beta": plan.beta, "refit_every": plan.refit_every}
    inputs = {name: _input_document(given) for name, given in plan.space.inputs.items()}
    return {"space": inputs, "objectives": dict(plan.objectives), "study": study}


def _input_document(given: Input) -> Document:
    if isinstance(given, Categorical):
        return {"type": "categorical", "choices": list(given.choices), "dear": list(given.dear)}
    kind = "integer" if isinstance(given, Integer) else "real"
    written: Document = {
        "type": kind, "low": given.low, "high": given.high, "log": given.log, "unit": given.unit, "dear": given.dear
    }  # fmt: skip
    if isinstance(given, Real) and given.step is not None:
        written["step"] = given.step
    return written


def _cost_document(cost: PaperCost | AdditiveCost) -> Document:
    if isinstance(cost, PaperCost):
        return {"type": "paper", "order": cost.order.spelled, "weights": cost.weights}
    written: Document = {"type": "additive", "order": cost.order.spelled, "cooling": cost.cooling}
    written |= {"weights": cost.weights, "power": cost.power}
    chosen = {"strength": cost.strength, "indifference": cost.indifference}  # None: as the budget allows
    return written | {name: number for name, number in chosen.items() if number is not None}


def read_plan(document: Any) -> Plan:
    """The plan that plain data describes, or an error that names the place of a mistake."""
    _known("the problem", document, ("space", "objectives", "study"))
    for part, example in (("space", 'nickel = { type = "real", low = 0, high = 20 }'), ("objectives", 'y = "max"')):
        if part not in document:
            raise InvalidOptionError(f"[{part}] is missing. Example:\n    [{part}]\n    {example}")
    options = document.get("study", {})
    _known("[study]", options, _STUDY_KEYS)
    inputs = _table("[space]", document["space"])
    constraints = options.get("constraints", [])
    if not isinstance(constraints, list) or not all(isinstance(text, str) for text in constraints):
        raise InvalidOptionError(f"[study] constraints: need a list of texts, got {constraints!r}.")
    read = {name: _read_input(f"[space] {name}", given) for name, given in inputs.items()}
    space = _placed("[space]", lambda: Space(read, constraints=tuple(constraints)))
    kept = {key: options[key] for key in _STUDY_KEYS if key in options and key not in ("cost", "constraints")}
    cost = _read_cost(options.get("cost"))
    return _placed("[study]", lambda: make_plan(space, _goals(document["objectives"]), cost=cost, **kept))


def _goals(given: Any) -> dict[str, Goal]:
    return _placed("[objectives]", lambda: objectives_of(given))


def _read_input(place: str, given: Any) -> Input:
    example = '{ type = "real", low = 0, high = 20 }'
    if not isinstance(given, Mapping) or given.get("type") not in _INPUT_KEYS:
        got = f"type {given.get('type')!r}" if isinstance(given, Mapping) and "type" in given else repr(given)
        raise InvalidOptionError(
            f'{place}: need type "real", "integer" or "categorical", got {got}. Example: nickel = {example}'
        )
    kind = given["type"]
    _known(place, given, _INPUT_KEYS[kind])
    needed = ("choices",) if kind == "categorical" else ("low", "high")
    for key in needed:
        if key not in given:
            raise InvalidOptionError(f"{place}: {key} is missing. A {kind} input needs {' and '.join(needed)}.")
    if kind == "categorical":
        return _placed(place, lambda: Categorical(given["choices"], dear=given.get("dear", ())))
    make: Callable[..., Input] = Real if kind == "real" else Integer
    return _placed(place, lambda: make(**{key: value for key, value in given.items() if key != "type"}))


def _read_cost(given: Any) -> CostLike:
    place = "[study] cost"
    if not isinstance(given, Mapping):
        if given is not None and not isinstance(given, (str, list)):
            raise InvalidOptionError(f'{place}: need an order such as "nickel > chromium", got {given!r}.')
        return None if given is None else _placed(place, lambda: Order.parse(given))
    kind = given.get("type", "additive")
    if kind not in _COST_KEYS:
        raise InvalidOptionError(f'{place}: type must be "additive" or "paper", got {kind!r}.')
    _known(place, given, _COST_KEYS[kind])
    if "order" not in given:
        raise InvalidOptionError(f'{place}: order is missing. Example: order = "nickel > chromium".')
    if not isinstance(given["order"], (str, list)):
        raise InvalidOptionError(f'{place}: order must be text such as "nickel > chromium", got {given["order"]!r}.')
    options = {key: value for key, value in given.items() if key not in ("type", "order")}
    make: Callable[..., CostLike] = PaperCost if kind == "paper" else AdditiveCost
    return _placed(place, lambda: make(given["order"], **options))


def _table(place: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InvalidOptionError(f"{place}: need a table, got {given!r}.")
    return given


def _known(place: str, given: Any, keys: tuple[str, ...]) -> None:
    for key in _table(place, given):
        if key not in keys:
            raise InvalidOptionError(
                f"{place}: nothing is called {key!r} here.{meant(str(key), keys)} It can have {', '.join(keys)}."
            )


def _placed(place: str, make: Callable[[], T]) -> T:
    """What `make` makes; the errors it raises say where."""
    try:
        return make()
    except CamoboError as error:
        if str(error).startswith("["):
            raise
        raise type(error)(f"{place}: {error}") from error


def read_toml(path: str | Path) -> Document:
    """The document in a problem file."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if data.startswith(b"SQLite format 3\0"):
        raise InvalidOptionError(f"{path}: is a database, perhaps a study, and no problem file. Name a TOML file.")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InvalidOptionError(
            f"{path}, line {line}: not text in UTF-8 (byte {data[error.start]:#04x}). Save it from the editor as UTF-8."
        ) from error
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise InvalidOptionError(f"{path}: not valid TOML: brackets within brackets, too many of them.") from error
    except ValueError as error:  # TOMLDecodeError, and what Python says to a number of thousands of digits
        raise InvalidOptionError(_toml_mistake(path, text, str(error))) from error


def _toml_mistake(path: str | Path, text: str, said: str) -> str:
    """What is wrong with a problem file, with the line and, of what is there twice, the name."""
    said = "a number of thousands of digits" if said.startswith("Exceeds the limit") else said
    found = _AT_LINE.search(said)
    if found is None:
        return f"{path}: not valid TOML: {said}."
    place, what = f"{path}, line {found[1]}, column {found[2]}", said[: found.start()]
    line = text.split("\n")[int(found[1]) - 1].strip()
    key, sign, _ = line.partition("=")
    if what == "Cannot overwrite a value" and sign:
        return f"{place}: {key.strip()} is given twice. Take one of the two lines out."
    if what.startswith("Cannot declare") and line.startswith("["):
        return f"{place}: {line.partition('#')[0].strip()} is there twice. Put all its lines under one of them."
    return f"{place}: not valid TOML: {what}." + (f" The line is {shown(line)}." if line else "")


def plan_of_toml(path: str | Path) -> tuple[Plan, Document]:
    """The plan that a problem file describes, and what it says; errors name the file and the place in it."""
    document = read_toml(path)
    try:
        return read_plan(document), document
    except CamoboError as error:
        raise type(error)(f"{path}: {error}") from error


def differences(stored: Document, given: Document) -> list[str]:
    """Where two documents differ, a line each: "study.budget: 60 is stored, 40 was given"."""
    flat_stored, flat_given = _flat(stored), _flat(given)
    places = list(dict.fromkeys([*flat_stored, *flat_given]))
    lines = [
        f"{place}: {_side(flat_stored, place)} is stored, {_side(flat_given, place)} was given"
        for place in places
        if flat_stored.get(place) != flat_given.get(place)
    ]
    if not lines and list(flat_stored) != list(flat_given):
        lines.append("the inputs or objectives are in another order")
    return lines


def _side(flat: Mapping[str, Any], place: str) -> str:
    return repr(flat[place]) if place in flat else "nothing"


def _flat(document: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in document.items():
        flat.update(_flat(value, f"{above}{key}.") if isinstance(value, Mapping) else {f"{above}{key}": value})
    return flat
