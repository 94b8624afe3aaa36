"""Multi-objective Bayesian optimisation that starts with cheap inputs and moves to expensive ones only when they pay.

Names load on first use: `import camobo` alone costs a few milliseconds, not SciPy's half second.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from camobo.cost.budget import Budget
    from camobo.cost.formula import Formula
    from camobo.cost.order import Order
    from camobo.cost.ordered import OrderCost
    from camobo.cost.paper import PaperCost
    from camobo.cost.prices import Prices
    from camobo.cost.receipts import LearnedCost
    from camobo.errors import (
        BudgetSpent,
        CamoboError,
        InvalidOptionError,
        InvalidOrderError,
        InvalidSpaceError,
        InvalidValueError,
        MissingExtraError,
        OutcomeUnknown,
        SpaceExhausted,
        StorageError,
        TrialStateError,
        UnknownTrialError,
    )
    from camobo.history.events import Event
    from camobo.history.trial import Measurement, State, Trial
    from camobo.insight.explanation import Explanation
    from camobo.run.command import Command
    from camobo.space.inputs import Categorical, Integer, Real
    from camobo.space.space import Space
    from camobo.strategy.notes import Note, Reason
    from camobo.study.study import Study

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "BudgetSpent",
    "CamoboError",
    "Categorical",
    "Command",
    "Event",
    "Explanation",
    "Formula",
    "Integer",
    "InvalidOptionError",
    "InvalidOrderError",
    "InvalidSpaceError",
    "InvalidValueError",
    "LearnedCost",
    "Measurement",
    "MissingExtraError",
    "Note",
    "Order",
    "OrderCost",
    "OutcomeUnknown",
    "PaperCost",
    "Prices",
    "Real",
    "Reason",
    "Space",
    "SpaceExhausted",
    "State",
    "StorageError",
    "Study",
    "Trial",
    "TrialStateError",
    "UnknownTrialError",
]

_HOMES = {
    "run.command": ("Command",),
    "cost.budget": ("Budget",),
    "cost.formula": ("Formula",),
    "cost.ordered": ("OrderCost",),
    "cost.paper": ("PaperCost",),
    "cost.prices": ("Prices",),
    "cost.receipts": ("LearnedCost",),
    "errors": (
        "BudgetSpent",
        "CamoboError",
        "InvalidOptionError",
        "InvalidOrderError",
        "InvalidSpaceError",
        "InvalidValueError",
        "MissingExtraError",
        "OutcomeUnknown",
        "SpaceExhausted",
        "StorageError",
        "TrialStateError",
        "UnknownTrialError",
    ),
    "insight.explanation": ("Explanation",),
    "history.events": ("Event",),
    "cost.order": ("Order",),
    "strategy.notes": ("Note", "Reason"),
    "space.inputs": ("Categorical", "Integer", "Real"),
    "space.space": ("Space",),
    "study.study": ("Study",),
    "history.trial": ("Measurement", "State", "Trial"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module(f"camobo.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'camobo' has no attribute {name!r}. It has {', '.join(__all__)}.")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
