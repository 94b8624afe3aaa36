"""A study that is stopped and opened again makes the same suggestions, to the last bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.space.inputs import Param

LONG = bool(os.environ.get("CAMOBO_LONG"))
TRIALS = 40 if LONG else 14
SEEDS = (1, 2, 3) if LONG else (1,)
SPACE = cm.Space(
    {
        "nickel": cm.Real(0, 20),
        "rate": cm.Real(1e-4, 1.0, log=True),
        "soak": cm.Integer(1, 12),
        "quench": cm.Categorical(["air", "oil", "water"]),
    }
)


def study_of(seed: int, storage: Path | None) -> cm.Study:
    goals: Any = {"strength": "max", "corrosion": "min"}
    return cm.Study(SPACE, goals, cost="nickel > soak", budget=TRIALS, seed=seed, storage=storage)


def measure(params: Mapping[str, Param]) -> dict[str, float]:
    bonus = {"air": 0.0, "oil": 0.7, "water": 1.1}[params["quench"]]
    return {
        "strength": params["nickel"] ** 0.5 + bonus + 0.1 * params["soak"],
        "corrosion": (params["nickel"] - 12.0) ** 2 / 50.0 + bonus + params["rate"],
    }


def bits(trial: cm.Trial) -> list[str]:
    return [value.hex() if isinstance(value, float) else repr(value) for value in trial.params.values()]


def step(study: cm.Study) -> list[str]:
    """One suggestion, then depending on its number: told, told late, told in part, failed or amended."""
    trial = study.ask()
    values = measure(trial.params)
    kind = trial.number % 7
    if kind == 3:
        study.fail(trial, "broke")
    elif kind == 4:
        study.tell(trial, {"strength": values["strength"]})
    elif kind == 5:
        study.tell(trial.number - 1, {"corrosion": measure(study.trials[trial.number - 1].params)["corrosion"]})
        study.tell(trial, {**values, "strength": 99.0})
        study.amend(trial, {"strength": values["strength"]}, "typed wrongly")
    else:
        study.tell(trial, values)
    return bits(trial)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_study_opened_anew_before_every_trial_makes_the_same_suggestions(
    seed: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    whole = study_of(seed, None)
    expected = [step(whole) for _ in range(TRIALS)]
    path = tmp_path / "alloy.db"
    study_of(seed, path).close()
    equal = 0
    for k in range(TRIALS):
        with cm.Study.load(path) as study:
            equal += step(study) == expected[k]
    figure(f"opened anew before each of {TRIALS} trials, seed {seed}: {equal} suggestions bit-equal")
    assert equal == TRIALS


CONTINUE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import test_reopen
study = test_reopen.cm.Study.load(sys.argv[2])
print(json.dumps([test_reopen.step(study) for _ in range(3)]))
"""


def test_another_process_makes_the_same_suggestions_too(tmp_path: Path) -> None:
    path, half = tmp_path / "alloy.db", TRIALS // 2
    whole, stored = study_of(1, None), study_of(1, path)
    for _ in range(half):
        assert step(whole) == step(stored)
    stored.close()
    done = subprocess.run(
        [sys.executable, "-c", CONTINUE, str(Path(__file__).parent), str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert json.loads(done.stdout) == [step(whole) for _ in range(3)]


@pytest.mark.parametrize("method", ["default", "paper"])
def test_the_models_a_study_keeps_between_suggestions_change_nothing(method: str, tmp_path: Path) -> None:
    path = tmp_path / "alloy.db"
    options: Any = {"cost": "nickel > soak", "seed": 5, "method": method, "storage": path}
    kept = cm.Study(SPACE, {"strength": "max", "corrosion": "min"}, **options)
    for _ in range(9):
        trial = kept.ask()
        kept.tell(trial, measure(trial.params))
    fresh = cm.Study.load(path)
    trial = kept.ask()
    kept.release(trial)
    assert fresh.ask().params == trial.params
    fresh.tell(trial.number, measure(trial.params))
    assert kept.explain(trial.number) == fresh.explain(trial.number)
