"""add: one experiment done before, from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, output, parse
from camobo.cli.arguments import AsJson, Facts, Paid, StudyPlace
from camobo.errors import Advice, InvalidOptionError, InvalidValueError

if TYPE_CHECKING:
    from camobo.strategy.plan import Plan

app = typer.Typer()


@app.command(rich_help_panel="Work with trials")
def add(
    study: StudyPlace,
    facts: Facts,
    cost: Paid = None,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="A remark, stored with the trial.")] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", "-r", metavar="TEXT", help="Why it failed, if there are no results.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Add an experiment done before. It informs the models and uses no budget.

    Examples:
      camobo add alloy.db nickel=5 chromium=3 soak=4 quench=air \\
                          strength=512 corrosion=0.3 --cost 40
      camobo add alloy.db nickel=5 chromium=3 soak=4 quench=oil \\
                          --reason "the crucible cracked"

    Give every input, and every objective or --reason. For many experiments
    use camobo import.
    """
    with arguments.open_study(study) as opened:
        plan = opened.plan
        params, values = _read(plan, facts)
        if not values and reason is None:
            names = ", ".join(plan.objectives)
            raise InvalidOptionError(f"values: need a result for {names}, or --reason if it failed.")
        if values and reason is not None:
            raise InvalidOptionError("--reason: says that it failed, but there are results. Leave one of them out.")
        paid = parse.amount("--cost", cost)
        done = opened.add(params, values or None, cost=paid, note=note, reason=reason)
    if json:
        output.as_json({"trials": [done.as_dict()]})
        return
    from camobo.cli.money import receipt

    output.say(done.outcome + receipt(plan, done, None))


def _read(plan: Plan, facts: Sequence[str]) -> tuple[dict[str, Any], dict[str, float]]:
    """Inputs and results from `name=value` pairs. Names are those of the columns of a sheet."""
    from camobo.cli.csv_cells import headings, read_param

    known = {heading.label: heading for heading in headings(plan, ())}
    params, values = dict[str, Any](), dict[str, float]()
    for text in facts:
        label, value = parse.named("", text, list(known))
        column = known[label]
        found = params if column.kind == "input" else values
        if column.name in found:
            raise InvalidValueError(f"{label!r} is given twice. Give each once.")
        if column.kind == "input":
            params[column.name] = read_param(f"input {label!r}", plan.space.inputs[column.name], value)
        else:
            values[column.name] = parse.number(f"objective {label!r}", value, advice=Advice.FAIL)
    return params, values
