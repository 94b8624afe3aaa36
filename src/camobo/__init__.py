"""Multi-objective Bayesian optimisation that starts with cheap inputs and moves to dear ones only when they pay.

Names load on first use: `import camobo` alone costs a few milliseconds, not SciPy's half second.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from camobo.command import Command
    from camobo.cost import AdditiveCost, PaperCost
    from camobo.errors import (
        CamoboError,
        InvalidOptionError,
        InvalidOrderError,
        InvalidSpaceError,
        InvalidValueError,
        MissingExtraError,
        SpaceExhausted,
        StorageError,
        TrialStateError,
        UnknownTrialError,
    )
    from camobo.explanation import Explanation
    from camobo.history import Event
    from camobo.inputs import Categorical, Integer, Real
    from camobo.order import Order
    from camobo.space import Space
    from camobo.study import Study
    from camobo.trial import State, Trial

__version__ = "0.1.0"

__all__ = [
    "AdditiveCost",
    "CamoboError",
    "Categorical",
    "Command",
    "Event",
    "Explanation",
    "Integer",
    "InvalidOptionError",
    "InvalidOrderError",
    "InvalidSpaceError",
    "InvalidValueError",
    "MissingExtraError",
    "Order",
    "PaperCost",
    "Real",
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
    "command": ("Command",),
    "cost": ("AdditiveCost", "PaperCost"),
    "errors": (
        "CamoboError",
        "InvalidOptionError",
        "InvalidOrderError",
        "InvalidSpaceError",
        "InvalidValueError",
        "MissingExtraError",
        "SpaceExhausted",
        "StorageError",
        "TrialStateError",
        "UnknownTrialError",
    ),
    "explanation": ("Explanation",),
    "history": ("Event",),
    "order": ("Order",),
    "inputs": ("Categorical", "Integer", "Real"),
    "space": ("Space",),
    "study": ("Study",),
    "trial": ("State", "Trial"),
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
