"""Records of made-up studies of any size, drawn at random: quick to make, with failed, pending and added trials."""

from __future__ import annotations

from typing import Literal

import numpy as np

from camobo.cost.budget import Budget
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.protocol import Cost
from camobo.history.trial import State, Trial
from camobo.insight.record import Record
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from camobo.strategy.notes import Note, Reason
from camobo.strategy.plan import Plan
from camobo.study.study import Study
from tests.support.hostile import HOSTILE

_IMPROVES = (Note(Reason.IMPROVES_FRONT),)


def sample(objectives: int = 2, inputs: int = 4, trials: int = 30, *, cost: bool = True, budget: int = 40) -> Record:
    """A record with that many objectives, inputs and trials; every tenth trial failed, the last two are pending."""
    kinds: list[Input] = [
        Real(0, 20, unit="%"),
        Categorical(["air", "oil", "water"], expensive=["water"]),
        Integer(1, 12, unit="h"),
        Real(1e-4, 10, log=True, unit="mol/L", expensive="low"),
    ]
    space = Space({f"input {j}": kinds[j % 4] for j in range(inputs)})
    order = Order.parse([f"input {j}" for j in range(min(inputs, 3))])
    goals: dict[str, Literal["min", "max"]] = {f"objective {m}": "min" if m % 2 else "max" for m in range(objectives)}
    plan = Plan(space, goals, cost=OrderCost(order) if cost else None, budget=Budget(budget), seed=5)
    rng = np.random.default_rng(1)
    centres = rng.random((objectives, inputs))
    found = []
    for i in range(trials):
        unit = space.snap(rng.random((1, inputs)))[0]
        values = {
            name: float(100.0 * np.exp(-((unit - centre) ** 2).sum() / inputs))
            for name, centre in zip(goals, centres, strict=True)
        }
        params, added = space.from_unit(unit), i % 7 == 6
        if i >= trials - 2 and trials > 2:
            found.append(Trial(i, params, notes=_IMPROVES, step=i + 1))
        elif i % 10 == 9:
            found.append(Trial(i, params, State.FAILED, reason="crucible cracked", told=i, step=i + 1))
        else:
            told = Trial(i, params, State.COMPLETE, values, None, _IMPROVES, added, told=i, step=i + 1)
            found.append(told)
    return Record(plan, tuple(found))


PARTS, STRINGS_EACH = 4, 50


def hostile_record(part: int) -> tuple[Record, str, tuple[str, ...]]:
    """A record all of whose names, units, choices, reasons and notes are hostile; a title; and the strings it took."""
    texts = HOSTILE[STRINGS_EACH * part : STRINGS_EACH * (part + 1)]
    a, b, c, d, unit_a, unit_b, goal_a, goal_b, reason, note, title, *choices = texts
    some, others = choices[:19], choices[19:]
    numbers: dict[str, Input] = {a: Real(0, 1, unit=unit_a), b: Integer(1, 9, unit=unit_b)}
    space = Space({**numbers, c: Categorical(some, expensive=some[:2]), d: Categorical(others)})
    order = Order(((a,), (b,), (c,)), frozenset({(0, 1), (1, 2), (0, 2)}))
    plan = Plan(space, {goal_a: "max", goal_b: "min"}, cost=OrderCost(order), budget=Budget(40))
    notes = (Note(Reason.OTHER, {"text": note}),)
    rng = np.random.default_rng(part)
    found = []
    for i in range(24):
        params = {a: float(rng.random()), b: int(rng.integers(1, 10)), c: some[i % 19], d: others[i % 20]}
        values = {goal_a: float(rng.random()), goal_b: float(rng.random())}
        if i < 21:
            found.append(Trial(i, params, State.COMPLETE, values, notes=notes, told=i, step=i + 1))
        elif i == 21:
            found.append(Trial(i, params, State.FAILED, reason=reason, told=i, step=i + 1))
        else:
            found.append(Trial(i, params, notes=notes, step=i + 1))
    return Record(plan, tuple(found)), title, texts


SPACE = Space({"nickel": Real(0, 20), "soak": Integer(1, 12), "quench": Categorical(["air", "oil"], expensive=["oil"])})


def _value(params: dict[str, object]) -> dict[str, float]:
    u = SPACE.to_unit(params)
    return {"strength": 500 - 80 * float((u[0] - 0.6) ** 2) + 5 * float(u[2]), "rust": 1.0 - 0.5 * float(u[0] * u[1])}


def small_study(n: int = 12, **options: object) -> Study:
    """A real study of two smooth objectives, `n` trials into its budget of twenty."""
    given = {"cost": "nickel > soak > quench", "budget": 20, "seed": 3, **options}
    study = Study(SPACE, {"strength": "max", "rust": "min"}, **given)  # type: ignore[arg-type]
    return study.optimize(lambda p: _value(p), n) if n else study


def smooth_record(n: int) -> Record:
    """The same objectives at random points, without a study."""
    points = [SPACE.from_unit(unit) for unit in np.random.default_rng(3).random((n, 3))]
    plan = Plan(SPACE, {"strength": "max", "rust": "min"}, cost=OrderCost("nickel > soak > quench"), budget=Budget(20))
    return Record(plan, tuple(Trial(i, own, State.COMPLETE, _value(own), step=i + 1) for i, own in enumerate(points)))


def drawn(n: int, objectives: int, *, cost: Cost | None = None, space: Space = SPACE) -> Record:
    """Random values at random points, made without a study, as another tool would."""
    rng = np.random.default_rng(0)
    names = [f"y{m}" for m in range(objectives)]
    points = [space.from_unit(rng.random(space.dimension)) for _ in range(n)]
    values = rng.random((n, objectives)).tolist()
    trials = tuple(
        Trial(i, own, State.COMPLETE, dict(zip(names, row, strict=True)))
        for i, (own, row) in enumerate(zip(points, values, strict=True))
    )
    return Record(Plan(space, dict.fromkeys(names, "max"), cost=cost), trials)
