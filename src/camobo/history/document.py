"""A plan as plain data, and back: one form for storages and problem files.

    {"space": {"nickel": {"type": "real", "low": 0, "high": 20, "unit": "%"}},
     "objectives": {"strength": "max"},
     "study": {"cost": "nickel", "budget": 60, "seed": 7}}

A price list may stand under "prices" instead of a cost under "study".

Writing includes every option, so that a new default does not change an old study. Reading fills in defaults; a mistake
is an error that names its place.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from camobo.checks import Goal, GoalWord, Values, objectives_of, one_of, values_of, whole
from camobo.cost.budget import Budget, as_budget
from camobo.cost.prices import Prices
from camobo.cost.protocol import Cost
from camobo.cost.reading import CostLike, as_cost, check_cost, read_cost
from camobo.cost.thrift import thrift_of
from camobo.errors import CamoboError, InvalidOptionError
from camobo.hints import meant
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from camobo.strategy.plan import Beta, Method, Plan

_NUMBER_KEYS = ("type", "low", "high", "log", "unit", "expensive", "free")
_INPUT_KEYS = {
    "real": (*_NUMBER_KEYS, "step"),
    "integer": _NUMBER_KEYS,
    "categorical": ("type", "choices", "expensive"),
}
_STUDY_KEYS = ("cost", "thrift", "constraints", "budget", "seed", "method", "reference", "beta", "refit_every")
_BUDGET_KEYS = ("trials", "cost", "unit")
CHANGEABLE = ("budget", "cost", "thrift")
"""What of a plan may change in the middle of a study."""
Document: TypeAlias = dict[str, Any]
T = TypeVar("T")


def make_plan(
    space: Space,
    objectives: Mapping[str, GoalWord],
    *,
    cost: CostLike = None,
    budget: int | Budget | None = None,
    thrift: float = 1.0,
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
        cost=_checked_cost(cost, space, method),
        budget=as_budget(budget),
        thrift=thrift_of(thrift),
        seed=secrets.randbits(32) if seed is None else whole("seed", seed, 0),
        method=method,
        reference=None if reference is None else tuple(values_of(reference, goals, what="reference").values()),
        beta=one_of("beta", beta, ("practical", "theory")),
        refit_every=whole("refit_every", refit_every, 1),
    )


def to_document(plan: Plan) -> Document:
    """The plan as plain data that JSON and TOML can hold, with every option."""
    study: Document = {"cost": plan.cost.document()} if plan.cost is not None else {}
    study["thrift"] = plan.thrift
    if plan.space.constraints:
        study["constraints"] = list(plan.space.constraints)
    if plan.budget is not None:
        study["budget"] = budget_document(plan.budget)
    study |= {"seed": plan.seed, "method": plan.method}
    if plan.reference is not None:
        study["reference"] = dict(zip(plan.objectives, plan.reference, strict=True))
    study |= {"beta": plan.beta, "refit_every": plan.refit_every}
    inputs = {name: _input_document(given) for name, given in plan.space.inputs.items()}
    return {"space": inputs, "objectives": dict(plan.objectives), "study": study}


def changed_plan(plan: Plan, facts: Mapping[str, Any]) -> Plan:
    """The plan after a change of its budget, cost or thrift, given as plain data."""
    _known("change", facts, CHANGEABLE)
    changes: dict[str, Any] = {}
    if "budget" in facts:
        changes["budget"] = read_budget(facts["budget"])
    if "cost" in facts:
        changes["cost"] = _checked_cost(read_cost(facts["cost"]), plan.space, plan.method)
    if "thrift" in facts:
        changes["thrift"] = thrift_of(facts["thrift"])
    return replace(plan, **changes)


def _checked_cost(given: Any, space: Space, method: Method) -> Cost | None:
    cost = as_cost(given, paper=method == "paper")
    if cost is not None:
        check_cost(cost, space)
    return cost


def budget_document(budget: Budget | None) -> Any:
    """A number of trials, a table, or None."""
    if budget is None:
        return None
    if budget.cost is None and not budget.unit:
        return budget.trials
    return {key: value for key in _BUDGET_KEYS if (value := getattr(budget, key)) not in (None, "")}


def read_budget(given: Any) -> Budget | None:
    """The budget that plain data describes: a number of trials, or a table with trials, cost and unit."""
    if not isinstance(given, Mapping):
        return as_budget(given)
    _known("budget", given, _BUDGET_KEYS)
    return Budget(**given)


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
    if given.free is not None:
        written["free"] = given.free
    return written


def read_plan(document: Any) -> Plan:
    """The plan that plain data describes. A mistake is an error that names its place."""
    _known("the problem", document, ("space", "objectives", "study", "prices"))
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
    space = _placed("[space]", lambda: Space(read))
    if constraints:
        space = _placed("[study] constraints", lambda: Space(read, constraints=tuple(constraints)))
    others = {
        key: options[key] for key in _STUDY_KEYS if key in options and key not in ("cost", "budget", "constraints")
    }
    cost = _cost_of(document, options, paper=options.get("method") == "paper")
    budget = _placed("[study]", lambda: read_budget(options.get("budget")))
    goals = _goals(document["objectives"])
    return _placed("[study]", lambda: make_plan(space, goals, cost=cost, budget=budget, **others))


def _cost_of(document: Mapping[str, Any], options: Mapping[str, Any], *, paper: bool) -> Cost | None:
    """The cost under [study], or the price list under [prices]."""
    if "prices" not in document:
        return _placed("[study] cost", lambda: as_cost(read_cost(options.get("cost")), paper=paper))
    if "cost" in options:
        raise InvalidOptionError(
            "[prices]: there is a cost under [study] too. Give one of them. An order of inputs without a price goes "
            'into [prices]: rest = "soak > temper".'
        )
    listed = dict(_table("[prices]", document["prices"]))
    besides = {key: listed.pop(key) for key in ("per_trial", "rest") if key in listed}
    return _placed("[prices]", lambda: as_cost(Prices(listed, **besides), paper=paper))


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
