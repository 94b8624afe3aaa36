"""Creating a study: init, new."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, output, phrases
from camobo.cli.arguments import AsJson, Force, PriceList, Problem
from camobo.errors import InvalidOptionError
from camobo.hints import counted, redacted

if TYPE_CHECKING:
    from camobo.cost.protocol import Cost
    from camobo.space.inputs import Input
    from camobo.strategy.plan import Plan
    from camobo.study.study import Study

app = typer.Typer()
_PANEL = "Create or change a study"


def example_problem() -> str:
    """The text of the example problem file."""
    return resources.files("camobo.cli").joinpath("problem.toml").read_text(encoding="utf-8")


@app.command(rich_help_panel=_PANEL)
def init(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The problem file to write; - for standard output.")
    ] = "problem.toml",
    force: Force = False,
) -> None:
    """Write an example problem file, to edit into your own.

    Examples:
      camobo init alloy.toml
      camobo init -                 print it instead

    It describes the steel study of camobo demo. Edit it, then create your
    study with camobo new.
    """
    from camobo.cli.csv_files import new_file, refuse_existing

    refuse_existing(file, force=force)
    with new_file(file, marked=False) as write:
        write(example_problem())
    if file != "-":
        output.say(f"{file}: an example problem. Edit it to describe yours.")
        output.hint(f"Then run: {phrases.command_line('camobo', 'new', file)}")


@app.command(rich_help_panel=_PANEL)
def new(
    problem: Problem,
    storage: Annotated[
        str | None,
        typer.Option(
            "--storage",
            metavar="PLACE",
            help="Where to store the study: a file or a database URL. Default: alloy.db for alloy.toml.",
        ),
    ] = None,
    prices: PriceList = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check and show the problem; create nothing.")] = False,
    json: AsJson = False,
) -> None:
    """Create a study from a problem file, and show how the file was understood.

    Examples:
      camobo new alloy.toml                  create alloy.db
      camobo new alloy.toml --dry-run        only check the file
      camobo new alloy.toml --prices list.csv
      camobo new alloy.toml --storage postgresql+psycopg://lab@server/alloy

    A price list has one row per price: an input and its price per unit, or an
    input, one of its choices and the price of that. A row "per trial" is what
    every trial costs. What is not listed is free.

    If the study exists already and its problem is the same, it continues;
    if the problem differs, camobo says where and changes nothing.
    """
    from camobo.history.document import to_document
    from camobo.history.problem_file import plan_of_toml
    from camobo.strategy.affordable import check_terms

    place = arguments.study_of_problem(problem) if storage is None else storage
    plan, document = plan_of_toml(problem)
    trials = 0
    if prices is not None:
        plan = replace(plan, cost=_priced(problem, document, plan, prices))
        check_terms(plan)
    if dry_run:
        place = redacted(place)
    else:
        with _created(problem, document, None if prices is None else plan, place) as study:
            plan, trials, place = study.plan, len(study.trials), study.storage
    if json:
        output.as_json({"study": place, "problem": to_document(plan), "trials": trials})
        return
    _show_plan(plan)
    output.say()
    if dry_run:
        output.say("Nothing was written.")
        return
    state = f"continues with {counted(trials, 'trial')}" if trials else "ready"
    output.say(f"{place}: {state}.")
    output.hint(f"What to try {'next' if trials else 'first'}: {phrases.command_line('camobo', 'ask', place)}")


def _priced(problem: str, document: dict[str, Any], plan: Plan, prices: str) -> Cost:
    """The price list as the cost of a problem file that gives no cost itself."""
    from camobo.cli.price_list import read_prices

    for place, given in (("[study] cost", "cost" in document.get("study", {})), ("[prices]", "prices" in document)):
        if given:
            raise InvalidOptionError(
                f"--prices: {problem} says what trials cost too, under {place}. Put a # in front of that, "
                "or leave --prices out."
            )
    if plan.method == "paper":
        raise InvalidOptionError('--prices: goes with method = "default"; the paper\'s method needs an order as cost.')
    return read_prices(prices, plan.space)


def _created(problem: str, document: dict[str, Any], plan: Plan | None, place: str) -> Study:
    """The study of a problem file, or of a plan that was made from it."""
    from camobo.study.study import Study

    if plan is None:
        return Study.from_toml(problem, storage=place)
    return Study(
        plan.space,
        plan.objectives,
        cost=plan.cost,
        budget=plan.budget,
        thrift=plan.thrift,
        seed=plan.seed if "seed" in document.get("study", {}) else None,
        storage=place,
        reference=None if plan.reference is None else dict(zip(plan.objectives, plan.reference, strict=True)),
        beta=plan.beta,
        refit_every=plan.refit_every,
    )


def _show_plan(plan: Plan) -> None:
    from camobo.cli.money import about, costs_of_inputs, range_of_costs, remark_on_budget, unit_of
    from camobo.insight.record import Record

    titles = ["input", "type", "from", "to", "unit", "details"]
    rows = [[name, *_described(given)] for name, given in plan.space.inputs.items()]
    costs, unit = costs_of_inputs(plan), unit_of(plan)
    if costs is not None:
        titles.insert(5, f"cost {unit}".rstrip())
        for row in rows:
            row.insert(5, costs[row[0]])
    output.table([output.Column(title, right=title in ("from", "to")) for title in titles], rows)
    if plan.space.constraints:
        output.head("constraints")
        for text in plan.space.constraints:
            output.say(f"{text}{'   (always true: it says nothing)' if text in plan.space.idle else ''}")
    output.head("objectives")
    output.table(
        [output.Column("objective"), output.Column("goal")],
        [[n, f"{goal}imise"] for n, goal in plan.objectives.items()],
    )
    output.say()
    output.say(f"cost       {'none' if plan.cost is None else plan.cost}")
    span = range_of_costs(plan)
    if span is not None:
        least, most = (about(each, unit) for each in span)
        output.say(f"           the cheapest trial costs {least}, the most expensive {most}")
    output.say(f"budget     {'none' if plan.budget is None else plan.budget}")
    remark = remark_on_budget(Record(plan, ()))
    if remark is not None:
        output.say(f"           {remark}")
    if plan.thrift != 1.0:
        output.say(f"thrift     {plan.thrift:g}")
    output.say(f"seed       {plan.seed}")
    if plan.method != "default":
        output.say(f"method     {plan.method}, beta {plan.beta}")
    if plan.reference is not None:
        named = zip(plan.objectives, plan.reference, strict=True)
        output.say(f"reference  {', '.join(f'{name}={value:.6g}' for name, value in named)}")


def _described(given: Input) -> list[Any]:
    """The cells after an input's name: type, from, to, unit, details."""
    from camobo.space.inputs import Categorical, Real

    if isinstance(given, Categorical):
        details = [", ".join(map(str, given.choices))]
        details += [f"expensive: {', '.join(map(str, given.expensive))}"] if given.expensive else []
        return ["categorical", None, None, None, "; ".join(details)]
    details = ["log scale"] if given.log else []
    details += [f"steps of {given.step}"] if isinstance(given, Real) and given.step is not None else []
    details += ["low end is expensive"] if given.expensive == "low" else []
    return [type(given).__name__.lower(), given.low, given.high, given.unit, "; ".join(details)]
