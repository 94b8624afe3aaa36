"""Looking at a study: status, front, explain, log, report."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, show, words
from camobo.cli.arguments import AnyTrial, AsJson, Force, MaybeStudyPlace, Objective, StudyPlace
from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.hints import meant

if TYPE_CHECKING:
    from camobo.plan import Plan
    from camobo.trial import Trial

app = typer.Typer()
_PANEL = "Look"
_MOST_OPEN = 20


@app.command(rich_help_panel=_PANEL)
def status(study: StudyPlace, json: AsJson = False) -> None:
    """Where a study stands: spend, open trials, hypervolume, the use of each input against the order.

    The share of an input is how far from its cheap end it was on average in the trials suggested: 0 % there, 100 % at
    its dear end. The order is kept where the dearer of two inputs was used no more than the cheaper, by that share.

    \b
    Examples:
      camobo status alloy.db
      camobo status alloy.db --json
    """
    from camobo.cli.facts import status_facts

    with arguments.open_study(study) as opened:
        facts = status_facts(opened)
    if json:
        show.as_json(facts)
        return
    planned = "" if facts["budget"] is None else f" of {facts['budget']} planned"
    counts = ", ".join(f"{count} {state}" for state, count in facts["trials"].items() if count)
    added = f", {facts['added']} of them done before" if facts["added"] else ""
    show.say(f"{facts['study']}: {_goals(facts['objectives'])}")
    show.say(f"evaluated    {facts['evaluated']}{planned}")
    show.say(f"trials       {counts or 'none yet'}{added}")
    if facts["spent"] is not None:
        show.say(f"spent        {show.cell(facts['spent'])}, told with {words.counted(facts['costs_told'], 'trial')}")
    against = "the worst seen" if facts["reference"] is None else _pairs(facts["reference"])
    show.say(f"hypervolume  {show.cell(facts['hypervolume'])}, against {against}")
    show.say(f"front        {_some(facts['front'])}")
    _show_use(facts)
    _show_open(facts["open"])


def _goals(objectives: dict[str, str]) -> str:
    return ", ".join(f"{name} {goal}" for name, goal in objectives.items())


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={show.cell(value)}" for name, value in values.items())


def _items(values: dict[str, Any]) -> str:
    """The same for a table, which breaks lines between them alone."""
    return ", ".join(show.whole(f"{name}={show.cell(value)}") for name, value in values.items())


def _some(numbers: list[int]) -> str:
    if not numbers:
        return "none yet"
    shown = ", ".join(map(str, numbers[:12])) + (", …" if len(numbers) > 12 else "")
    return f"{words.counted(len(numbers), 'trial')}: {shown}"


def _show_use(facts: dict[str, Any]) -> None:
    show.head("use of the inputs" + ("" if facts["order"] is None else f", told {facts['order']}"))
    rows = [
        [
            name,
            _items(use["used"]) if isinstance(use["used"], dict) else use["used"],
            use["mean"],
            use["unit"],
            None if use["level"] is None else f"{use['level']:.0%}",
        ]
        for name, use in facts["inputs"].items()
    ]
    names = ("input", "used", "mean", "unit", "share")
    show.table([show.Column(name, right=name in ("used", "mean", "share")) for name in names], rows)
    if facts["added"] and facts["comparisons"]:
        show.say(f"Shares are of the trials suggested, without the {facts['added']} added by hand.")
    for found in facts["comparisons"]:
        dear, cheap = (" = ".join(found[side]) for side in ("dearer", "cheaper"))
        shares = " against ".join(f"{level:.0%}" for level in found["levels"])
        show.say(f"{dear} > {cheap}: {'kept' if found['kept'] else 'not kept'}, {shares}")


def _show_open(trials: list[dict[str, Any]]) -> None:
    if not trials:
        return
    show.head(f"open trials{f', the first {_MOST_OPEN} of {len(trials)}' if len(trials) > _MOST_OPEN else ''}")
    names = ("trial", "state", "for", "until", "what", "so far")
    rows = [
        [t["number"], t["state"], t["owner"], show.moment(t["expires"]), _items(t["params"]), _items(t["values"])]
        for t in trials[:_MOST_OPEN]
    ]
    used = [i for i, name in enumerate(names) if name in ("trial", "state", "what") or any(row[i] for row in rows)]
    columns = [show.Column(names[i], right=i == 0) for i in used]
    show.table(columns, [[row[i] for i in used] for row in rows])


@app.command(rich_help_panel=_PANEL)
def front(study: StudyPlace, sort: Objective = None, json: AsJson = False) -> None:
    """The best trade-offs: trials that no other beats in every objective.

    \b
    Examples:
      camobo front alloy.db
      camobo front alloy.db --sort strength
      camobo front alloy.db --json
      camobo export alloy.db --only front -o front.csv
    """
    from camobo.cli.facts import trials_facts

    with arguments.open_study(study) as opened:
        plan, found, volume = opened.plan, opened.front(), opened.hypervolume()
    if sort is not None:
        found = _sorted(plan, found, sort)
    if json:
        show.as_json({"objectives": dict(plan.objectives), "hypervolume": volume, **trials_facts(found)})
    elif found:
        show_front(plan, found)
    else:
        show.hint("There is no front yet: no trial has all its results.")


def _sorted(plan: Plan, trials: list[Trial], name: str) -> list[Trial]:
    if name not in plan.objectives:
        names = ", ".join(plan.objectives)
        raise InvalidValueError(
            f"--sort: no objective called {name!r}.{meant(name, plan.objectives)} This study measures {names}."
        )
    return sorted(trials, key=lambda t: (t.values or {})[name], reverse=plan.objectives[name] == "max")


def show_front(plan: Plan, trials: list[Trial]) -> None:
    """A table of trials with their results."""
    from camobo.cli.trials import input_columns

    columns = [show.Column("trial", right=True), *input_columns(plan)]
    columns += [show.Column(f"{name} ({goal})", right=True) for name, goal in plan.objectives.items()]
    show.table(columns, [[t.number, *t.params.values(), *(t.values or {}).values()] for t in trials])


@app.command(rich_help_panel=_PANEL)
def explain(study: StudyPlace, trial: AnyTrial, json: AsJson = False) -> None:
    """Why a trial was suggested: what was expected of it, what it cost, what it would have been without cost.

    \b
    Examples:
      camobo explain alloy.db 3
    """
    from camobo.cli.facts import explanation_facts

    with arguments.open_study(study) as opened:
        found = opened.explain(words.trial_number(trial))
    show.as_json(explanation_facts(found)) if json else show.say(str(found))


@app.command(rich_help_panel=_PANEL)
def log(
    study: StudyPlace,
    trial: Annotated[
        str | None,
        typer.Option("--trial", metavar="TRIAL", autocompletion=arguments.all_trials, help="Of this trial alone."),
    ] = None,
    last: Annotated[int | None, typer.Option("--last", "-n", min=1, help="The last so many.")] = None,
    json: AsJson = False,
) -> None:
    """Everything that happened: what, when, by whom, and what it replaced.

    \b
    Examples:
      camobo log alloy.db
      camobo log alloy.db --trial 3
      camobo log alloy.db -n 20 --json
    """
    from camobo.cli.facts import event_facts

    number = None if trial is None else words.trial_number(trial)
    with arguments.open_study(study) as opened:
        if number is not None and number >= len(opened.trials):
            opened.explain(number)  # which says what trials there are
        events = [event for event in opened.log() if number is None or event.trial == number]
    facts = [event_facts(event) for event in (events if last is None else events[-last:])]
    if json:
        show.as_json({"events": facts})
        return
    titles = ("event", "when", "who", "what", "trial", "details", "before")
    rows = [
        [e["number"], show.moment(e["when"]), e["who"], e["kind"], e["trial"], _details(e["new"]), _details(e["old"])]
        for e in facts
    ]
    show.table([show.Column(title, right=title in ("event", "trial")) for title in titles], rows)


def _details(facts: dict[str, Any] | None) -> str:
    """An event's facts in a line: params and values by their names, the rest by its own."""
    parts = []
    for name, fact in (facts or {}).items():
        if isinstance(fact, dict):
            parts.append(_items(fact))
        elif fact not in (None, []) and name != "notes":
            text = show.moment(fact) if name == "expires" else show.cell(fact)
            parts.append(show.whole(f"{name}: ") + (text or ""))
    return ", ".join(parts)


@app.command(rich_help_panel=_PANEL)
def report(
    study: MaybeStudyPlace = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The file to write. Default: alloy.html, or the Optuna study's name."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Its heading.")] = None,
    trial: Annotated[
        str | None,
        typer.Option(
            "--trial", metavar="TRIAL", autocompletion=arguments.all_trials, help="The trial to cut slices through."
        ),
    ] = None,
    optuna: Annotated[
        str | None,
        typer.Option("--optuna", metavar="URL", help="Report on an Optuna study instead: its storage's URL or file."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--study", metavar="NAME", help="With --optuna: which study, if there are several.")
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option("--cost", metavar="ORDER", help="With --optuna: which parameters are dearer than which."),
    ] = None,
    dear: Annotated[
        list[str] | None,
        typer.Option(
            "--dear", metavar="NAME=END", help="With --optuna: a dear end or dear choices: rate=low, quench=vacuum,oil."
        ),
    ] = None,
    budget: Annotated[int | None, typer.Option("--budget", min=1, help="With --optuna: planned trials.")] = None,
    force: Force = False,
) -> None:
    """Write a report: one HTML file with figures and tables that opens offline and can be sent to a colleague.

    A report that is there already is brought up to date, any other file left as it is. Needs Plotly:
    pip install 'camobo\\[plot]'

    \b
    Examples:
      camobo report alloy.db
      camobo report alloy.db -o alloy.html --title "Alloy, week 12"
      camobo report --optuna sqlite:///forest.db --study forest --cost "n_estimators > max_depth"
    """
    if (study is None) == (optuna is None):
        raise InvalidOptionError("report: need one study, either a file such as alloy.db or --optuna URL.")
    if study is not None and any(given is not None for given in (name, cost, dear, budget)):
        raise InvalidOptionError(
            "--study, --cost, --dear and --budget go with --optuna: a study of camobo's knows its own."
        )
    if out is None and study is not None and "://" in study:
        raise InvalidOptionError("--out: need a file to write, such as -o alloy.html.")
    number = None if trial is None else words.trial_number(trial)
    write = importlib.import_module("camobo.report").report
    if study is not None:
        target = _page(out or arguments.beside(study, ".html"), force=force)
        with arguments.open_study(study) as opened:
            written = write(opened, target, title=title, trial=number)
    else:
        loaded = importlib.import_module("camobo.optuna").load(optuna, name)
        target = _page(out or f"{words.file_name(loaded.study_name)}.html", force=force)
        record = importlib.import_module("camobo.optuna").record(
            loaded, cost=cost, dear=words.dear_ends(dear or []), budget=budget
        )
        written = write(record, target, title=title, trial=number)
    show.say(f"{written}: open it in a browser.")


def _page(target: str, *, force: bool) -> str:
    """A file a report may be written to: a report can be brought up to date, anything else may be dear."""
    from camobo.cli.sheets import refuse_existing

    refuse_existing(target, force=force or importlib.import_module("camobo.report.page").is_report(target))
    return target
