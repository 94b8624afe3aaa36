"""Small studies for tests, and made-up measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import camobo as cm
from camobo.space.inputs import Param

PLANE = cm.Space({"expensive": cm.Real(0, 1), "cheap": cm.Real(0, 1)})
ALLOY = cm.Space(
    {
        "nickel": cm.Real(0, 20),
        "soak": cm.Integer(1, 12),
        "quench": cm.Categorical(["air", "oil", "water"]),
    }
)
BOTH = {"strength": "max", "corrosion": "min"}
GOOD = {"strength": 1.0, "corrosion": 1.0}


def study_of(space: cm.Space = PLANE, objectives: Any = BOTH, **options: Any) -> cm.Study:
    return cm.Study(space, objectives, **{"seed": 1, **options})


def measure(params: Mapping[str, Param]) -> dict[str, float]:
    """Strength wants much of the expensive input, corrosion little; both want the cheap one near 0.3."""
    expensive, cheap = params["expensive"], params["cheap"]
    return {"strength": 5.0 * expensive - (cheap - 0.3) ** 2, "corrosion": expensive**2 + (cheap - 0.3) ** 2}


def alloy(params: Mapping[str, Param]) -> dict[str, float]:
    bonus = {"air": 0.0, "oil": 1.0, "water": 2.0}[params["quench"]]
    return {
        "strength": params["nickel"] + bonus + 0.1 * params["soak"],
        "corrosion": (params["nickel"] - 12.0) ** 2 / 50.0 + bonus,
    }


def told(
    study: cm.Study, count: int, function: Callable[[Mapping[str, Param]], dict[str, float]] = measure
) -> cm.Study:
    """The study after `count` more trials."""
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, function(trial.params))
    return study


def params_of(study: cm.Study) -> list[dict[str, Param]]:
    return [dict(trial.params) for trial in study.trials]
