"""Seeing the results: status, front, explain, log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, output, parse
from camobo.cli.arguments import AnyTrial, AsJson, Objective, StudyPlace
from camobo.cli.trials import input_columns
from camobo.errors import InvalidValueError
from camobo.hints import counted, meant
from camobo.run.money import amount

if TYPE_CHECKING:
    from camobo.cost.budget import Budget
    from camobo.history.trial import Trial
    from camobo.insight.costs import Costs
    from camobo.strategy.plan import Plan

app = typer.Typer()
_PANEL = "See results"
_MOST_OPEN = 20


@app.command(rich_help_panel=_PANEL)
def status(study: StudyPlace, json: AsJson = False) -> None:
    """Show the progress of a study, its spending and its use of each input.

    Examples:
      camobo status alloy.db
      camobo status alloy.db --json

    Spent is what was told, and for finished trials without a cost what they
    are expected to have cost. Reserved is what open trials are expected to
    cost. Experiments that were added or imported do not count.

    The level of an input is its average distance from its cheap end, over the
    suggested trials: 0 % at the cheap end, 100 % at the expensive end.
    """
    from camobo.insight.record import record_of
    from camobo.insight.spending import disagreements
    from camobo.insight.status import status as facts_of

    with arguments.open_study(study) as opened:
        record = record_of(opened)
        facts, budget = {"study": opened.storage, **facts_of(record)}, opened.budget
    if json:
        output.as_json(facts)
        return
    planned = f" of {budget.trials} planned" if budget is not None and budget.trials is not None else ""
    counts = ", ".join(f"{count} {state}" for state, count in facts["trials"].items() if count)
    added = f", {facts['added']} of them added by hand" if facts["added"] else ""
    output.say(f"{facts['study']}: {_goals(facts['objectives'])}")
    output.say(
        f"cost         {facts['cost'] or 'none'}" + (f", thrift {facts['thrift']:g}" if facts["thrift"] != 1 else "")
    )
    output.say(f"budget       {'none' if budget is None else budget}")
    output.say(f"evaluated    {facts['evaluated']}{planned}")
    output.say(f"trials       {counts or 'none yet'}{added}")
    _show_money(facts, budget)
    reference = "the worst seen" if facts["reference"] is None else _pairs(facts["reference"])
    output.say(f"hypervolume  {output.cell(facts['hypervolume'])}, against {reference}")
    output.say(f"front        {_listed(facts['front'])}")
    if facts["late"]:
        late, of = counted(len(facts["late"]), "result"), sorted({result["trial"] for result in facts["late"]})
        output.say(f"late         {late} that came too late to count, of {_listed(of)}")
    for sentence in map(str, disagreements(record)):
        output.say(f"{sentence[:1].upper()}{sentence[1:]}.")
    _show_use(facts)
    _show_open(facts["open"])


def _show_money(facts: dict[str, Any], budget: Budget | None) -> None:
    """What was spent of what, how much of it is only expected, and what is left."""
    from camobo.cli.money import about, money

    found = facts["money"]
    limit = None if budget is None or budget.cost is None else money(budget.cost, budget.unit)
    if found is None:
        if limit is not None:
            output.say(f"spent        nothing recorded, of {limit}; record costs with camobo tell --cost")
        return
    unit = found["unit"]
    spent = amount(found["spent"]) if found["estimated"] else output.cell(found["spent"])
    spent += "" if limit else f" {unit}".rstrip()
    estimated = f", {about(found['estimated'], unit)} of it expected" if found["estimated"] else ""
    told = f", recorded for {counted(facts['costs_told'], 'trial')}" if facts["costs_told"] else ""
    output.say(f"spent        {spent}{f' of {limit}' if limit else ''}{told}{estimated}")
    if found["reserved"]:
        output.say(f"reserved     {about(found['reserved'], unit)}, expected for open trials")
    if found["remaining"] is not None:
        output.say(f"remaining    {about(found['remaining'], unit)}")


def _goals(objectives: dict[str, str]) -> str:
    return ", ".join(f"{name} {goal}" for name, goal in objectives.items())


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={output.cell(value)}" for name, value in values.items())


def _unbroken_pairs(values: dict[str, Any]) -> str:
    """The same for a table, which may break lines only between pairs."""
    return ", ".join(output.unbroken(f"{name}={output.cell(value)}") for name, value in values.items())


def _listed(numbers: list[int]) -> str:
    """How many trials, and the numbers of the first twelve."""
    if not numbers:
        return "none yet"
    shown = ", ".join(map(str, numbers[:12])) + (", …" if len(numbers) > 12 else "")
    return f"{counted(len(numbers), 'trial')}: {shown}"


def _show_use(facts: dict[str, Any]) -> None:
    output.head("use of inputs")
    rows = [
        [
            name,
            _unbroken_pairs(use["used"]) if isinstance(use["used"], dict) else use["used"],
            use["mean"],
            use["unit"],
            None if use["level"] is None else f"{use['level']:.0%}",
        ]
        for name, use in facts["inputs"].items()
    ]
    names = ("input", "used", "mean", "unit", "level")
    output.table([output.Column(name, right=name in ("used", "mean", "level")) for name in names], rows)
    if facts["added"] and any(use["level"] is not None for use in facts["inputs"].values()):
        output.say(f"Levels do not include the {counted(facts['added'], 'trial')} added by hand.")


def _show_open(trials: list[dict[str, Any]]) -> None:
    if not trials:
        return
    output.head(f"open trials{f', the first {_MOST_OPEN} of {len(trials)}' if len(trials) > _MOST_OPEN else ''}")
    names = ("trial", "state", "owner", "until", "inputs", "results so far")
    rows = [
        [
            t["number"],
            t["state"],
            t["owner"],
            output.local_time(t["expires"]),
            _unbroken_pairs(t["params"]),
            _unbroken_pairs(t["values"]),
        ]
        for t in trials[:_MOST_OPEN]
    ]
    used = [i for i, name in enumerate(names) if name in ("trial", "state", "inputs") or any(row[i] for row in rows)]
    columns = [output.Column(names[i], right=i == 0) for i in used]
    output.table(columns, [[row[i] for i in used] for row in rows])


@app.command(rich_help_panel=_PANEL)
def front(study: StudyPlace, sort: Objective = None, json: AsJson = False) -> None:
    """Show the front: the best trade-offs found so far.

    Examples:
      camobo front alloy.db
      camobo front alloy.db --sort strength
      camobo export alloy.db --only front -o front.csv

    A trial is on the front if no other trial is better in one objective
    without being worse in another. Its cost is what was told, or with ≈ what
    it is expected to have cost.
    """
    from camobo.insight.record import record_of

    with arguments.open_study(study) as opened:
        record = record_of(opened)
        plan, found, volume = opened.plan, opened.front(), opened.hypervolume()
    if sort is not None:
        found = _sorted(plan, found, sort)
    if json:
        output.as_json(
            {"objectives": dict(plan.objectives), "hypervolume": volume, "trials": [trial.as_dict() for trial in found]}
        )
    elif found:
        show_front(plan, found, record.costs)
    else:
        output.hint("No front yet: no trial has all its results.")


def _sorted(plan: Plan, trials: list[Trial], name: str) -> list[Trial]:
    if name not in plan.objectives:
        names = ", ".join(plan.objectives)
        raise InvalidValueError(
            f"--sort: unknown objective {name!r}.{meant(name, plan.objectives)} This study measures {names}."
        )
    return sorted(trials, key=lambda t: (t.values or {})[name], reverse=plan.objectives[name] == "max")


def show_front(plan: Plan, trials: list[Trial], costs: Costs | None = None) -> None:
    """Print trials with their inputs, results and, if amounts are known, costs as a table."""
    columns = [output.Column("trial", right=True), *input_columns(plan)]
    columns += [output.Column(f"{name} ({goal})", right=True) for name, goal in plan.objectives.items()]
    rows: list[list[Any]] = [[t.number, *t.params.values(), *(t.values or {}).values()] for t in trials]
    if costs is not None and costs.in_money:
        columns.append(output.Column(f"cost {costs.unit}".rstrip(), right=True))
        for trial, row in zip(trials, rows, strict=True):
            row.append(_cost(trial, costs))
    output.table(columns, rows)


def _cost(trial: Trial, costs: Costs) -> str | None:
    """What a trial cost, or with ≈ is expected to have cost; None if nothing is known."""
    if trial.number not in costs.amounts:
        return None
    known = costs.amounts[trial.number]
    return output.cell(known) if trial.number in costs.paid else f"≈ {amount(known)}"


@app.command(rich_help_panel=_PANEL)
def explain(study: StudyPlace, trial: AnyTrial, json: AsJson = False) -> None:
    """Show why a trial was suggested.

    Examples:
      camobo explain alloy.db 3

    Shows what the models expected, how much the trial promised to improve
    the front, what it was expected to cost and what was paid, and what would
    have been suggested without cost.
    """
    with arguments.open_study(study) as opened:
        found = opened.explain(parse.trial_number(trial))
    output.as_json(found.as_dict()) if json else output.say(str(found))


@app.command(rich_help_panel=_PANEL)
def log(
    study: StudyPlace,
    trial: Annotated[
        str | None,
        typer.Option(
            "--trial", metavar="TRIAL", autocompletion=arguments.all_trials, help="Only events of this trial."
        ),
    ] = None,
    last: Annotated[
        int | None, typer.Option("--last", "-n", metavar="N", min=1, help="Only the last N events.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Show everything that happened in a study.

    Examples:
      camobo log alloy.db
      camobo log alloy.db --trial 3
      camobo log alloy.db -n 20 --json

    Each event says what happened, when, by whom, and what it replaced.
    """
    from camobo.history import transitions

    number = None if trial is None else parse.trial_number(trial)
    with arguments.open_study(study) as opened:
        about = None if number is None else transitions.find(opened.trials, number)
        events = [event for event in opened.log() if about is None or event.trial == about.number]
    facts = [event.as_dict() for event in (events if last is None else events[-last:])]
    if json:
        output.as_json({"events": facts})
        return
    titles = ("event", "when", "who", "what", "trial", "details", "before")
    rows = [
        [
            e["number"],
            output.local_time(e["when"]),
            e["who"],
            e["kind"],
            e["trial"],
            *(_plan_details(e[side]) if e["kind"] == "set" else _details(e[side]) for side in ("new", "old")),
        ]
        for e in facts
    ]
    output.table([output.Column(title, right=title in ("event", "trial")) for title in titles], rows)


def _details(facts: dict[str, Any] | None) -> str:
    """What an event recorded, in one line: inputs and results by name, then the rest."""
    parts = []
    for name, fact in (facts or {}).items():
        if isinstance(fact, dict):
            parts.append((output.unbroken("fixed: ") if name == "fixed" else "") + _unbroken_pairs(fact))
        elif fact not in (None, []) and name != "notes":
            text = output.local_time(fact) if name == "expires" else output.cell(fact)
            parts.append(output.unbroken(f"{name}: ") + (text or ""))
    return ", ".join(parts)


def _plan_details(facts: dict[str, Any] | None) -> str:
    """What a change of the plan recorded: "budget: 60 trials, 2000 EUR"."""
    from camobo.cli.money import in_words

    return "; ".join(f"{name}: {in_words(name, fact)}" for name, fact in (facts or {}).items())
