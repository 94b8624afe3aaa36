"""`camobo demo`: a small made-up steel study to the end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import show, words
from camobo.cli.arguments import AsJson

if TYPE_CHECKING:
    from camobo.study import Study

app = typer.Typer()
_GRIP = {"air": 0.0, "oil": 28.0, "water": 41.0}
_STRAIN = {"air": 0.0, "oil": 0.02, "water": 0.09}


def furnace(params: Mapping[str, Any]) -> dict[str, float]:
    """Yield strength in MPa and corrosion in mm a year of a steel that is made up, from textbook tendencies.

    Chromium makes the rust-proof film, nickel toughens and helps it, both strengthen with diminishing returns and
    coarsen the grain in excess. A long soak helps the film and costs strength; a hard quench the other way round.

    >>> furnace({"nickel": 5.0, "chromium": 12.0, "soak": 4, "quench": "oil"})
    {'strength': 530.5, 'corrosion': 0.534}
    """
    nickel, chromium, soak = params["nickel"], params["chromium"], params["soak"]
    hardening = 150 * (1 - math.exp(-nickel / 4)) + 190 * (1 - math.exp(-chromium / 8))
    coarsening = 0.9 * max(0.0, nickel - 7) ** 2 + 1.6 * max(0.0, chromium - 11) ** 2 + 0.5 * (soak - 3) ** 2
    film = 1 / (1 + math.exp(-(chromium - 11) / 2.5))
    corrosion = 1.1 - 0.8 * film - 0.12 * (1 - math.exp(-nickel / 5)) - 0.05 * (1 - math.exp(-soak / 4))
    strength = 250 + hardening - coarsening + _GRIP[params["quench"]]
    return {"strength": round(strength, 1), "corrosion": round(corrosion + _STRAIN[params["quench"]], 3)}


@app.command(rich_help_panel="Begin")
def demo(
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="FILE", help="Keep the study in this file, to look at it.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Run a small made-up steel study to the end: forty melts, told only that nickel is dearer than chromium.

    Shows the trade-offs found and the nickel used, beside the same study without cost-awareness.

    \b
    Examples:
      camobo demo
      camobo demo --keep demo.db
    """
    from camobo.cli.facts import trials_facts
    from camobo.cli.reading import show_front
    from camobo.cli.sheets import refuse_existing

    if keep is not None:
        refuse_existing(keep, force=False)
    aware = _melted(keep, blind=False)
    blind = _melted(None, blind=True)
    compared = {
        label: {"hypervolume": study.hypervolume(_REFERENCE), **{k: study.usage()[k] for k in ("nickel", "chromium")}}
        for label, study in (("aware", aware), ("blind", blind))
    }
    front = sorted(aware.front(), key=lambda trial: -(trial.values or {})["strength"])
    if json:
        show.as_json({**trials_facts(front), "compared": compared})
        return
    show.say(f"{len(aware.trials)} melts, told {aware.plan.cost.order if aware.plan.cost else 'nothing'}. The front:\n")
    show_front(aware.plan, front)
    show.head("used, in percent summed over all melts")
    names = {"aware": "nickel > chromium", "blind": "without cost"}
    show.table(
        [show.Column("told"), *(show.Column(name, right=True) for name in ("nickel", "chromium", "hypervolume"))],
        [[names[label], use["nickel"], use["chromium"], use["hypervolume"]] for label, use in compared.items()],
    )
    less = 1 - compared["aware"]["nickel"] / compared["blind"]["nickel"]
    show.say(
        f"\n{less:.0%} less nickel. The steel is made up; examples/steel.py has more seeds and the paper's method."
    )
    if keep is not None:
        show.hint(f"Look at it: {words.typed('camobo', 'status', keep)}")


_REFERENCE = {"strength": 250.0, "corrosion": 1.2}


def _melted(keep: str | None, *, blind: bool) -> Study:
    from dataclasses import replace

    from camobo.document import plan_of_toml, to_document
    from camobo.study import Study

    with resources.as_file(resources.files("camobo.cli").joinpath("problem.toml")) as path:
        if not blind:
            study = Study.from_toml(path, storage=keep)
        else:
            plan = replace(plan_of_toml(path)[0], cost=None)
            options = to_document(plan)["study"]
            study = Study(plan.space, plan.objectives, budget=plan.budget, seed=options["seed"])
    return study.optimize(furnace, progress=False)  # whose hypervolume has no fixed reference, unlike that shown above
