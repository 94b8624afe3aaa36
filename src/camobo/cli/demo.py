"""`camobo demo`: a made-up steel study, from start to finish."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import begin, output, phrases
from camobo.cli.arguments import AsJson
from camobo.cli.look import show_front
from camobo.hints import counted

if TYPE_CHECKING:
    from camobo.cost.reading import CostLike
    from camobo.study.study import Study

app = typer.Typer()
_QUENCH_STRENGTH = {"air": 0.0, "oil": 28.0, "water": 41.0}
_QUENCH_CORROSION = {"air": 0.0, "oil": 0.02, "water": 0.09}


def furnace(params: Mapping[str, Any]) -> dict[str, float]:
    """Yield strength in MPa and corrosion in mm per year of a made-up steel, after textbook tendencies.

    Chromium forms the protective film and nickel supports it. Both add strength, with diminishing returns; too much
    coarsens the grain. A long soak helps the film and costs strength; a hard quench does the opposite.

    >>> furnace({"nickel": 5.0, "chromium": 12.0, "soak": 4, "quench": "oil"})
    {'strength': 530.5, 'corrosion': 0.534}
    """
    nickel, chromium, soak = params["nickel"], params["chromium"], params["soak"]
    hardening = 150 * (1 - math.exp(-nickel / 4)) + 190 * (1 - math.exp(-chromium / 8))
    coarsening = 0.9 * max(0.0, nickel - 7) ** 2 + 1.6 * max(0.0, chromium - 11) ** 2 + 0.5 * (soak - 3) ** 2
    film = 1 / (1 + math.exp(-(chromium - 11) / 2.5))
    corrosion = 1.1 - 0.8 * film - 0.12 * (1 - math.exp(-nickel / 5)) - 0.05 * (1 - math.exp(-soak / 4))
    strength = 250 + hardening - coarsening + _QUENCH_STRENGTH[params["quench"]]
    return {"strength": round(strength, 1), "corrosion": round(corrosion + _QUENCH_CORROSION[params["quench"]], 3)}


@app.command(rich_help_panel="Create or change a study")
def demo(
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="FILE", help="Store the study in this file, to look at it afterwards."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Run a made-up steel study: forty melts, knowing only that nickel costs more than chromium.

    Examples:
      camobo demo
      camobo demo --keep demo.db

    Shows the best trade-offs, and how much nickel it took to find them, next
    to the same study without a cost: medians of five studies each, because
    one study is one throw.
    """
    from camobo.cli.csv_files import refuse_existing

    if keep is not None:
        refuse_existing(keep, force=False)
    aware = _melted(keep, cost=True)
    studies = {
        "aware": [aware, *(_melted(None, cost=True, throw=throw) for throw in range(1, _STUDIES))],
        "blind": [_melted(None, cost=False, throw=throw) for throw in range(_STUDIES)],
    }
    best = max(study.hypervolume(_REFERENCE) for same in studies.values() for study in same)
    compared = {
        label: {
            "hypervolume": statistics.median(study.hypervolume(_REFERENCE) for study in same),
            "nickel": statistics.median(study.usage()["nickel"] for study in same),
            "nickel_until": {f"{share:.0%}": _nickel_until(same, share * best) for share in _SHARES},
        }
        for label, same in studies.items()
    }
    front = sorted(aware.front(), key=lambda trial: -(trial.values or {})["strength"])
    if json:
        output.as_json({"trials": [trial.as_dict() for trial in front], "compared": compared})
        return
    output.say(f"{counted(len(aware.trials), 'melt')} with the cost order nickel > chromium. The front:\n")
    show_front(aware.plan, front)
    output.head(
        f"nickel used until so much of the best front was found, medians of {_STUDIES} studies, in percentage points"
    )
    names = {"aware": "nickel > chromium", "blind": "none"}
    titles = [f"{share:.0%}" for share in _SHARES]
    output.table(
        [output.Column("cost"), *(output.Column(title, right=True) for title in (*titles, "all melts", "hypervolume"))],
        [
            [names[label], *(use["nickel_until"][title] for title in titles), use["nickel"], use["hypervolume"]]
            for label, use in compared.items()
        ],
    )
    output.say("\nThe steel is made up; examples/steel.py compares the paper's method too.")
    if keep is not None:
        output.hint(f"Look at it: {phrases.command_line('camobo', 'status', keep)}")


_REFERENCE = {"strength": 250.0, "corrosion": 1.2}
"""A fixed reference, so that the two hypervolumes can be compared."""
_SHARES = (0.8, 0.9, 0.95)
_STUDIES = 5


def _nickel_until(studies: Sequence[Study], volume: float) -> float | None:
    """The median nickel used until a hypervolume was reached; None if half of the studies never reach it."""
    found = statistics.median_high(_nickel_of(study, volume) for study in studies)
    return found if math.isfinite(found) else None


def _nickel_of(study: Study, volume: float) -> float:
    """The nickel used until a hypervolume was reached; infinite if it never was."""
    from camobo.insight.record import Record

    trials, volumes = Record(replace(study.plan, reference=tuple(_REFERENCE.values())), study.trials).volumes
    used = 0.0
    for trial, reached in zip(trials, volumes.tolist(), strict=True):
        used += float(trial.params["nickel"])
        if reached >= volume:
            return used
    return math.inf


def _melted(keep: str | None, *, cost: bool, throw: int = 0) -> Study:
    """The example study after all its trials, with or without its cost; each throw has its seed."""
    from camobo.history.problem_file import plan_of_toml
    from camobo.study.study import Study

    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.toml"
        problem.write_text(begin.example_problem(), encoding="utf-8")
        if cost and throw == 0:
            study = Study.from_toml(problem, storage=keep)
        else:
            plan = plan_of_toml(problem)[0]
            told: CostLike = plan.cost if cost else None
            study = Study(plan.space, plan.objectives, cost=told, budget=plan.budget, seed=plan.seed + throw)
    return study.optimize(furnace, progress=False)  # the bar would show a hypervolume with another reference
