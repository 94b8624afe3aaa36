"""Beginning a study: init, new."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, show, words
from camobo.cli.arguments import AsJson, Force, Problem

if TYPE_CHECKING:
    from camobo.plan import Plan

app = typer.Typer()
_PANEL = "Begin"


def example_problem() -> str:
    """The text of the commented problem file."""
    return resources.files("camobo.cli").joinpath("problem.toml").read_text(encoding="utf-8")


@app.command(rich_help_panel=_PANEL)
def init(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The problem file to write; - for standard output.")
    ] = "problem.toml",
    force: Force = False,
) -> None:
    """Write a commented problem file to change into yours.

    \b
    Examples:
      camobo init alloy.toml
    """
    from camobo.cli.sheets import new_file, refuse_existing

    refuse_existing(file, force=force)
    with new_file(file) as write:
        write(example_problem())
    if file != "-":
        show.say(f"{file}: a problem to change into yours.")
        show.hint(f"Then: {words.typed('camobo', 'new', file)}")


@app.command(rich_help_panel=_PANEL)
def new(
    problem: Problem,
    storage: Annotated[
        str | None,
        typer.Option("--storage", metavar="PLACE", help="Where to keep it: a file or a URL. Default: alloy.db."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what was understood.")] = False,
    json: AsJson = False,
) -> None:
    """Begin a study from a problem file, and show what was understood.

    \b
    Examples:
      camobo new alloy.toml                                     begins alloy.db
      camobo new alloy.toml --dry-run
      camobo new alloy.toml --storage postgresql+psycopg://lab@server/alloy
    """
    from camobo.cli.facts import plan_facts
    from camobo.document import plan_of_toml

    place = arguments.study_of_problem(problem) if storage is None else storage
    if dry_run:
        plan, trials = plan_of_toml(problem)[0], 0
    else:
        from camobo.study import Study

        with Study.from_toml(problem, storage=place) as study:
            plan, trials, place = study.plan, len(study.trials), study.storage
    if json:
        show.as_json({**plan_facts(place, plan), "trials": trials})
        return
    _show_plan(plan)
    show.say()
    if dry_run:
        show.say("Nothing was written.")
        return
    stands = "goes on with " + words.counted(trials, "trial") if trials else "ready"
    show.say(f"{place}: {stands}.")
    show.hint(f"What to try {'next' if trials else 'first'}: {words.typed('camobo', 'ask', place)}")


def _show_plan(plan: Plan) -> None:
    show.table(
        [show.Column(name, right=name in ("from", "to")) for name in ("input", "type", "from", "to", "unit", "also")],
        [[name, *_about(given)] for name, given in plan.space.inputs.items()],
    )
    show.head("objectives")
    show.table([show.Column("objective"), show.Column("better")], [[n, f"{g}imum"] for n, g in plan.objectives.items()])
    show.say()
    show.say(f"cost    {'none' if plan.cost is None else f'{plan.cost.order} ({type(plan.cost).__name__})'}")
    show.say(f"budget  {'none' if plan.budget is None else f'{plan.budget} evaluations'}")
    show.say(f"seed    {plan.seed}")
    if plan.method != "default":
        show.say(f"method  {plan.method}, beta {plan.beta}")
    if plan.reference is not None:
        named = zip(plan.objectives, plan.reference, strict=True)
        show.say(f"counts  from {', '.join(f'{name}={value:.6g}' for name, value in named)}")


def _about(given: Any) -> list[Any]:
    if hasattr(given, "choices"):
        dear = f"dear: {', '.join(map(str, given.dear))}" if given.dear else None
        return ["categorical", None, None, None, "; ".join(filter(None, [", ".join(map(str, given.choices)), dear]))]
    kind = type(given).__name__.lower()
    step = getattr(given, "step", None)  # whole numbers have none
    also = (
        ["log scale"] * given.log
        + [f"steps of {step}"] * (step is not None)
        + ["dear at its low end"] * (given.dear == "low")
    )
    return [kind, given.low, given.high, given.unit, "; ".join(also)]
