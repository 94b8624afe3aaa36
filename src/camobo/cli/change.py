"""Changing the plan of a study: set."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from camobo.cli import arguments, output, parse
from camobo.cli.arguments import AsJson, PriceList, StudyPlace

app = typer.Typer()


@app.command("set", rich_help_panel="Create or change a study")
def set_(
    study: StudyPlace,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="BUDGET",
            help='What the study may use: 80 (trials), "2000 EUR", "60, 2000 EUR", or none.',
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            "--cost",
            metavar="ORDER",
            help='Which inputs are more expensive than which: "nickel > chromium". Or none; or learned: from receipts.',
        ),
    ] = None,
    formula: Annotated[
        str | None,
        typer.Option("--formula", metavar="TEXT", help='The cost as a formula: "13.9*nickel + 8*chromium + 12".'),
    ] = None,
    prices: PriceList = None,
    thrift: Annotated[
        str | None,
        typer.Option(
            "--thrift", metavar="NUMBER", help="How much cost counts: 0 not at all, 1 promise for the money, up to 10."
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Change the budget or the cost in the middle of a study, on record.

    Examples:
      camobo set alloy.db --budget "2000 EUR"
      camobo set alloy.db --cost "nickel > chromium" --thrift 0.5
      camobo set alloy.db --prices prices.csv

    Suggestions from now on are made as if it had always been so. What is not
    given stays. camobo log shows the change.
    """
    parse.at_most_one(cost=cost is not None, formula=formula is not None, prices=prices is not None)
    if all(given is None for given in (budget, cost, formula, prices, thrift)):
        raise typer.BadParameter('need what to change, such as --budget 80 or --cost "nickel > chromium".')
    from camobo.cli import money
    from camobo.history.document import read_budget
    from camobo.history.transitions import plan_facts

    changes: dict[str, Any] = {}
    if budget is not None:
        changes["budget"] = read_budget(parse.budget(budget))
    if thrift is not None:
        changes["thrift"] = parse.number("--thrift", thrift)
    with arguments.open_study(study) as opened:
        if cost is not None or formula is not None:
            changes["cost"] = money.cost_of(opened.space, cost, formula)
        elif prices is not None:
            from camobo.cli.price_list import read_prices

            changes["cost"] = read_prices(prices, opened.space)
        before = plan_facts(opened.plan)
        opened.change(**changes)
        after = plan_facts(opened.plan)
        remark = money.remark_on_budget(opened) if {"budget", "cost"} & set(changes) else None
        place = opened.storage
    facts = {name: {"old": before[name], "new": after[name]} for name in changes if before[name] != after[name]}
    if json:
        output.as_json({"study": place, "changed": facts})
        return
    for name in changes:
        now, was = (money.in_words(name, each[name]) for each in (after, before))
        output.say(f"{name}: {now}; before: {was}." if name in facts else f"{name}: nothing to change, it is {now}.")
    for hint in (remark, money.remark_on_unit(before["budget"], after["budget"])):
        if hint is not None:
            output.hint(hint)
