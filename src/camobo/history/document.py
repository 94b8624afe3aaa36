"""A plan as plain data, and back: one form for storages and problem files.

    {"space": {"nickel": {"type": "real", "low": 0, "high": 20, "unit": "%"}},
     "objectives": {"strength": "max"},
     "study": {"cost": "nickel", "budget": 60, "seed": 7}}

Writing includes every option, so that a new default does not change an old study. Reading fills in defaults; a mistake
is an error that names its place.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from camobo.checks import Goal, Values, objectives_of, one_of, values_of, whole
from camobo.cost.additive import AdditiveCost
from camobo.cost.order import Order
from camobo.cost.paper import PaperCost
from camobo.cost.reading import CostLike, as_cost
from camobo.errors import CamoboError, InvalidOptionError
from camobo.hints import meant
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from camobo.strategy.plan import Beta, Method, Plan

_NUMBER_KEYS = ("type", "low", "high", "log", "unit", "expensive")
_INPUT_KEYS = {
    "real": (*_NUMBER_KEYS, "step"),
    "integer": _NUMBER_KEYS,
    "categorical": ("type", "choices", "expensive"),
}
_COST_KEYS = {
    "additive": ("type", "order", "strength", "cooling", "indifference", "weights", "power"),
    "paper": ("type", "order", "weights"),
}
_STUDY_KEYS = ("cost", "constraints", "budget", "seed", "method", "reference", "beta", "refit_every")
Document: TypeAlias = dict[str, Any]
T = TypeVar("T")


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
    """A checked plan from the arguments of `Study`. Without a seed, it draws one."""
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
    """The plan as plain data that JSON and TOML can hold, with every option."""
    study: Document = {"cost": _cost_document(plan.cost)} if plan.cost is not None else {}
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
        return {"type": "categorical", "choices": list(given.choices), "expensive": list(given.expensive)}
    kind = "integer" if isinstance(given, Integer) else "real"
    written: Document = {
        "type": kind,
        "low": given.low,
        "high": given.high,
        "log": given.log,
        "unit": given.unit,
        "expensive": given.expensive,
    }
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
    """The plan that plain data describes. A mistake is an error that names its place."""
    _known("the problem", document, ("space", "objectives", "study"))
    for part, example in (("space", 'nickel = { type = "real", low = 0, high = 20 }'), ("objectives", 'y = "max"')):
        if part not in document:
            raise InvalidOptionError(f"[{part}] is missing. Example:\n    [{part}]\n    {example}")
    options = document.get("study", {})
    _known("[study]", options, _STUDY_KEYS)
    inputs = _table("[space]", document["space"])
    constraints = options.get("constraints", [])
    if not isinstance(constraints, list) or not all(isinstance(text, str) for text in constraints):
        raise InvalidOptionError(f"[study] constraints: need a list of strings, got {constraints!r}.")
    read = {name: _read_input(f"[space] {name}", given) for name, given in inputs.items()}
    space = _placed("[space]", lambda: Space(read, constraints=tuple(constraints)))
    others = {key: options[key] for key in _STUDY_KEYS if key in options and key not in ("cost", "constraints")}
    cost = _read_cost(options.get("cost"))
    return _placed("[study]", lambda: make_plan(space, _goals(document["objectives"]), cost=cost, **others))


def _goals(given: Any) -> dict[str, Goal]:
    return _placed("[objectives]", lambda: objectives_of(given))


def _read_input(place: str, given: Any) -> Input:
    example = '{ type = "real", low = 0, high = 20 }'
    if not isinstance(given, Mapping) or not _is_one(given.get("type"), _INPUT_KEYS):
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
        return _placed(place, lambda: Categorical(given["choices"], expensive=given.get("expensive", ())))
    make: Callable[..., Input] = Real if kind == "real" else Integer
    return _placed(place, lambda: make(**{key: value for key, value in given.items() if key != "type"}))


def _read_cost(given: Any) -> CostLike:
    place = "[study] cost"
    if not isinstance(given, Mapping):
        if given is not None and not isinstance(given, (str, list)):
            raise InvalidOptionError(f'{place}: need an order such as "nickel > chromium", got {given!r}.')
        return None if given is None else _placed(place, lambda: Order.parse(given))
    kind = given.get("type", "additive")
    if not _is_one(kind, _COST_KEYS):
        raise InvalidOptionError(f'{place}: type must be "additive" or "paper", got {kind!r}.')
    _known(place, given, _COST_KEYS[kind])
    if "order" not in given:
        raise InvalidOptionError(f'{place}: order is missing. Example: order = "nickel > chromium".')
    if not isinstance(given["order"], (str, list)):
        raise InvalidOptionError(f'{place}: order: need a string such as "nickel > chromium", got {given["order"]!r}.')
    options = {key: value for key, value in given.items() if key not in ("type", "order")}
    make: Callable[..., CostLike] = PaperCost if kind == "paper" else AdditiveCost
    return _placed(place, lambda: make(given["order"], **options))


def _is_one(kind: Any, kinds: Mapping[str, object]) -> bool:
    return isinstance(kind, str) and kind in kinds


def _table(place: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InvalidOptionError(f"{place}: need a table, got {given!r}.")
    return given


def _known(place: str, given: Any, keys: tuple[str, ...]) -> None:
    for key in _table(place, given):
        if key == "dear" and "expensive" in keys:
            raise InvalidOptionError(f"{place}: the key dear is now called expensive. Rename it.")
        if key not in keys:
            raise InvalidOptionError(
                f"{place}: unknown key {key!r}.{meant(str(key), keys)} Known keys: {', '.join(keys)}."
            )


def _placed(place: str, make: Callable[[], T]) -> T:
    """Calls `make`, and adds the place to an error that does not have one."""
    try:
        return make()
    except CamoboError as error:
        if error.place is not None:
            raise
        raise error.within(place) from error


def differences(stored: Document, given: Document) -> list[str]:
    """Where two documents differ, one line per place: "study.budget: 60 is stored, 40 was given"."""
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
