"""Seeing the results: status, front, explain, log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, output, parse
from camobo.cli.arguments import AnyTrial, AsJson, Objective, StudyPlace
from camobo.cli.trials import input_columns
from camobo.errors import InvalidValueError
from camobo.hints import counted, meant

if TYPE_CHECKING:
    from camobo.history.trial import Trial
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

    The level of an input is its average distance from its cheap end, over the
    suggested trials: 0 % at the cheap end, 100 % at the expensive end. The
    cost order is kept if the level of the more expensive input is no larger
    than that of the cheaper one.
    """
    from camobo.insight.record import record_of
    from camobo.insight.status import status as facts_of

    with arguments.open_study(study) as opened:
        facts = {"study": opened.storage, **facts_of(record_of(opened))}
    if json:
        output.as_json(facts)
        return
    planned = "" if facts["budget"] is None else f" of {facts['budget']} planned"
    counts = ", ".join(f"{count} {state}" for state, count in facts["trials"].items() if count)
    added = f", {facts['added']} of them added by hand" if facts["added"] else ""
    output.say(f"{facts['study']}: {_goals(facts['objectives'])}")
    output.say(f"evaluated    {facts['evaluated']}{planned}")
    output.say(f"trials       {counts or 'none yet'}{added}")
    if facts["spent"] is not None:
        output.say(f"spent        {output.cell(facts['spent'])}, recorded for {counted(facts['costs_told'], 'trial')}")
    reference = "the worst seen" if facts["reference"] is None else _pairs(facts["reference"])
    output.say(f"hypervolume  {output.cell(facts['hypervolume'])}, against {reference}")
    output.say(f"front        {_listed(facts['front'])}")
    _show_use(facts)
    _show_open(facts["open"])


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
    output.head("use of inputs" + ("" if facts["order"] is None else f", cost order {facts['order']}"))
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
    if facts["added"] and facts["comparisons"]:
        output.say(f"Levels do not include the {counted(facts['added'], 'trial')} added by hand.")
    for found in facts["comparisons"]:
        expensive, cheap = (" = ".join(found[side]) for side in ("more_expensive", "cheaper"))
        levels = " against ".join(f"{level:.0%}" for level in found["levels"])
        output.say(f"{expensive} > {cheap}: {'kept' if found['kept'] else 'not kept'}, {levels}")


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
    without being worse in another.
    """
    with arguments.open_study(study) as opened:
        plan, found, volume = opened.plan, opened.front(), opened.hypervolume()
    if sort is not None:
        found = _sorted(plan, found, sort)
    if json:
        output.as_json(
            {"objectives": dict(plan.objectives), "hypervolume": volume, "trials": [trial.as_dict() for trial in found]}
        )
    elif found:
        show_front(plan, found)
    else:
        output.hint("No front yet: no trial has all its results.")


def _sorted(plan: Plan, trials: list[Trial], name: str) -> list[Trial]:
    if name not in plan.objectives:
        names = ", ".join(plan.objectives)
        raise InvalidValueError(
            f"--sort: unknown objective {name!r}.{meant(name, plan.objectives)} This study measures {names}."
        )
    return sorted(trials, key=lambda t: (t.values or {})[name], reverse=plan.objectives[name] == "max")


def show_front(plan: Plan, trials: list[Trial]) -> None:
    """Print trials with their inputs and results as a table."""
    columns = [output.Column("trial", right=True), *input_columns(plan)]
    columns += [output.Column(f"{name} ({goal})", right=True) for name, goal in plan.objectives.items()]
    output.table(columns, [[t.number, *t.params.values(), *(t.values or {}).values()] for t in trials])


@app.command(rich_help_panel=_PANEL)
def explain(study: StudyPlace, trial: AnyTrial, json: AsJson = False) -> None:
    """Show why a trial was suggested.

    Examples:
      camobo explain alloy.db 3

    Shows what the models expected, what the trial promised, how much of that
    its cost took away, and what would have been suggested without cost.
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
            _details(e["new"]),
            _details(e["old"]),
        ]
        for e in facts
    ]
    output.table([output.Column(title, right=title in ("event", "trial")) for title in titles], rows)


def _details(facts: dict[str, Any] | None) -> str:
    """What an event recorded, in one line: inputs and results by name, then the rest."""
    parts = []
    for name, fact in (facts or {}).items():
        if isinstance(fact, dict):
            parts.append(_unbroken_pairs(fact))
        elif fact not in (None, []) and name != "notes":
            text = output.local_time(fact) if name == "expires" else output.cell(fact)
            parts.append(output.unbroken(f"{name}: ") + (text or ""))
    return ", ".join(parts)
