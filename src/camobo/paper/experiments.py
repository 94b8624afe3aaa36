"""The experiments: each one's problem, order of inputs, protocol, and published results; the methods compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.errors import InvalidOptionError, shown
from camobo.history.document import make_plan, read_plan, to_document
from camobo.paper import steel
from camobo.problems import Problem, cross_holder, matyas_booth, zdt3
from camobo.space.inputs import Integer, Real
from camobo.space.space import Space
from camobo.strategy.plan import Beta, Plan

Options: TypeAlias = Mapping[str, Any]
Method: TypeAlias = Literal["mo-ucb", "paper", "printed", "default"]

METHODS: Mapping[Method, str] = {
    "mo-ucb": "MO-UCB",
    "paper": "CA-MOBO, ascending",
    "printed": "CA-MOBO, as printed",
    "default": "camobo's default",
}
"""Every method with its name in figures and tables, baseline first."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """The number of runs of an experiment, and of points chosen per run."""

    runs: int
    iterations: int


@dataclass(frozen=True, slots=True)
class Published:
    """The paper's sums of the most expensive input over all iterations, for CA-MOBO and for MO-UCB."""

    cost_aware: float
    blind: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment of the paper.

    `function` maps (n, d) points of the unit cube to (n, M) values in the objectives' own units. It is None if values
    are measured; then so are `reference` and `best_hypervolume`, and the front of all runs stands in for the true one.
    """

    name: str
    title: str
    space: Space
    objectives: Mapping[str, Literal["min", "max"]]
    labels: tuple[str, ...]
    """The objectives' axis labels."""
    order: str
    paper: Protocol
    quick: Protocol
    function: Callable[[Array], Array] | None = None
    reference: tuple[float, ...] | None = None
    best_hypervolume: float | None = None
    published: Published | None = None
    scale: float = 1.0
    """The published amount at level 1 of the most expensive input: 20 g of nickel in a melt of 100 g."""


OWN = "own"
"""The name of a problem that is not the paper's."""
SYNTHETIC = ("zdt3", "cross-holder", "matyas-booth")
NAMES = (*SYNTHETIC, "forest", "network", "steel")
_SYNTHETIC_PROTOCOL, _REAL_PROTOCOL = Protocol(50, 500), Protocol(10, 300)
_QUICK = Protocol(4, 60)


def planned(given: Experiment, method: Method, iterations: int, seed: int, beta: Beta = "practical") -> Plan:
    """What a method does in an experiment: Algorithm 1 with a cost or without, or the default strategy."""
    budget = Budget(trials=iterations)
    if method == "default":
        return Plan(given.space, given.objectives, OrderCost(given.order), budget, seed)
    weights: Literal["ascending", "printed"] = "printed" if method == "printed" else "ascending"
    cost = None if method == "mo-ucb" else PaperCost(given.order, weights=weights)
    return Plan(given.space, given.objectives, cost, budget, seed, "paper", beta=beta)


def experiment(name: str, options: Options) -> Experiment:
    """The experiment with that name, and with the options that change its problem."""
    return _built(name, tuple(sorted(options.items())))


@cache
def _built(name: str, options: tuple[tuple[str, Any], ...]) -> Experiment:
    given = dict(options)
    if name == "zdt3":
        found = _synthetic(zdt3(), "ZDT3, five inputs", Published(17.8, 85.2))
        return replace(found, function=_with_29(found)) if given.get("g") == "script" else found
    if name == "cross-holder":
        return _synthetic(cross_holder(), "Cross-in-tray and Hölder table")
    if name == "matyas-booth":
        kind = given.get("booth", "standard")
        return _synthetic(matyas_booth(kind), "Matyas and Booth" + (" as printed" if kind == "printed" else ""))
    if name == "steel":
        return _steel(int(given.get("objectives", 1)))
    if name == "forest":
        return _forest(str(given.get("dataset", "digits")))
    if name == "network":
        return _network()
    if name == OWN:
        return _own(str(given["problem"]), str(given["title"]))
    raise InvalidOptionError(f"unknown experiment {name!r}: need one of {', '.join(NAMES)}.")


def problem_text(space: Space, objectives: Mapping[str, Literal["min", "max"]], order: str) -> str:
    """A problem of one's own as text, for the options of its experiment; an error if its parts do not fit."""
    if not isinstance(order, str):
        raise InvalidOptionError(f'order: need text such as "x1 > x2", got {shown(order)}.')
    document = to_document(make_plan(space, objectives, cost=order, method="paper", seed=0))
    return json.dumps({name: document[name] for name in ("space", "objectives")} | {"order": order})


def _own(text: str, title: str) -> Experiment:
    problem = json.loads(text)
    plan = read_plan({name: problem[name] for name in ("space", "objectives")})
    names = tuple(plan.objectives)
    return Experiment(
        OWN, title, plan.space, plan.objectives, names, problem["order"], Protocol(10, 100), Protocol(2, 20)
    )


def _with_29(found: Experiment) -> Callable[[Array], Array]:
    """ZDT3 with 9/29 where the function of n inputs has 9/(n − 1)."""
    function, rest = found.function, found.space.dimension - 1
    if function is None:
        raise RuntimeError("ZDT3 has a formula")
    return lambda units: function(np.column_stack([units[:, :1], units[:, 1:] * rest / 29.0]))


def _synthetic(problem: Problem, title: str, published: Published | None = None) -> Experiment:
    names = problem.space.names
    return Experiment(
        "matyas-booth" if problem.name.startswith("matyas") else problem.name,
        title,
        problem.space,
        dict.fromkeys(problem.objectives, "min"),
        tuple(problem.objectives),
        " > ".join(names),
        _SYNTHETIC_PROTOCOL,
        _QUICK,
        problem.evaluate,
        problem.reference,
        problem.best_hypervolume,
        published,
    )


def _steel(objectives: int) -> Experiment:
    if objectives not in (1, 2):
        raise InvalidOptionError(f"steel: need 1 objective (strength) or 2 (and resistance), got {objectives}.")
    one = objectives == 1
    return Experiment(
        "steel",
        "Steel: strength" if one else "Steel: strength and resistance to corrosion",
        steel.SPACE,
        {"strength": "max"} if one else {"strength": "max", "resistance": "max"},
        ("yield strength, MPa",) if one else ("yield strength, MPa", "resistance to corrosion"),
        "nickel > chromium",
        Protocol(50, 10),  # as many melts as the grams in the paper's Figure 1 suggest
        Protocol(4, 10),
        steel.single if one else steel.double,
        (steel.WEAKEST,) if one else steel.REFERENCE,
        steel.STRONGEST - steel.WEAKEST if one else steel.BEST_HYPERVOLUME,
        Published(32.1, 54.1, "g") if one else None,
        scale=20.0,
    )


def _forest(dataset: str) -> Experiment:
    return Experiment(
        "forest",
        f"Random forest on {dataset.replace('-', ' ')}",
        Space({"estimators": Integer(1, 100), "depth": Integer(1, 100)}),
        {"training_time": "min", "error": "min"},
        ("training time, s", "prediction error"),
        "estimators > depth",
        _REAL_PROTOCOL,
        Protocol(2, 30),
        published=Published(71.4, 141.8),
    )


def _network() -> Experiment:
    """The paper's six hyper-parameters. Ranges that are open at zero start just above it, on a log scale."""
    return Experiment(
        "network",
        "Feed-forward network on handwritten digits",
        Space(
            {
                "layers": Integer(1, 4),
                "units": Integer(50, 300),
                "learning_rate": Real(1e-4, 0.2, log=True),
                "dropout": Real(0.4, 0.8),
                "l1": Real(1e-6, 0.1, log=True),
                "l2": Real(1e-6, 0.1, log=True),
            }
        ),
        {"error": "min", "prediction_time": "min"},
        ("test error", "prediction time, µs per digit"),
        "layers > units",
        _REAL_PROTOCOL,
        Protocol(1, 12),
        published=Published(205.7, 349.5),
    )
