"""Trials at the bench: ask, tell, amend, fail, release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from camobo.cli import arguments, show, words
from camobo.cli.arguments import AnyTrial, AsJson, CsvIn, Force, Lease, OpenTrials, Owner, Reason, StudyPlace
from camobo.cli.arguments import ValuePairs as Values
from camobo.errors import InvalidOptionError

if TYPE_CHECKING:
    from camobo.plan import Plan
    from camobo.trial import Trial

app = typer.Typer()
_PANEL = "Trials"


@app.command(rich_help_panel=_PANEL)
def ask(
    study: StudyPlace,
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="How many trials, up to 1000.")] = 1,
    owner: Owner = None,
    lease: Lease = None,
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write a sheet to fill in; - for standard output.")
    ] = None,
    force: Force = False,
    json: AsJson = False,
) -> None:
    """What to try next.

    Several trials asked for at once are each chosen with the others in mind. Trials that were released, or whose lease
    has ended, are handed out before new ones.

    \b
    Examples:
      camobo ask alloy.db
      camobo ask alloy.db -n 4 --csv monday.csv        a sheet with empty columns for the results
      camobo ask alloy.db --owner anna --lease 3d      asking again, Anna gets the same trial
    """
    words.one_way(csv=csv is not None, json=json)
    from camobo.cli import sheets
    from camobo.cli.facts import trials_facts

    if csv is not None:
        sheets.refuse_existing(csv, force=force)
    with arguments.open_study(study) as opened:
        length = words.time_of("lease", lease)
        if csv is not None:
            with sheets.new_file(csv) as write, opened.together():
                trials = opened.ask(n, owner=owner, lease=length)
                write(sheets.csv_text(opened.plan, trials, sheets.SHEET))
        else:
            trials = opened.ask(n, owner=owner, lease=length)
        plan = opened.plan
    if len(trials) < n:
        show.hint(f"{len(trials)} instead of {n}: there are no other points in this space.")
    if json:
        show.as_json(trials_facts(trials))
    elif csv is None:
        show_params(plan, trials)
        example = words.to_fill_in(plan.objectives)
        show.hint(f"\nWhen it is measured: {words.typed('camobo', 'tell', study, str(trials[0].number))} {example}")
    elif csv != "-":
        numbers = ", ".join(str(trial.number) for trial in trials)
        show.say(f"{csv}: a sheet for trial{'s' if len(trials) > 1 else ''} {numbers}.")
        show.hint(f"When it is filled in: {words.typed('camobo', 'tell', study, '--csv', csv)}")


def show_params(plan: Plan, trials: Sequence[Trial]) -> None:
    """A table of what to do in each trial."""
    held = any(trial.owner or trial.expires for trial in trials)
    columns = [show.Column("trial", right=True), *input_columns(plan)]
    columns += [show.Column("for"), show.Column("until")] if held else []
    show.table(
        columns,
        [
            [trial.number, *trial.params.values()] + ([trial.owner, show.moment(trial.expires)] if held else [])
            for trial in trials
        ],
    )


def input_columns(plan: Plan) -> list[show.Column]:
    """A column an input, with its unit."""
    units = {name: getattr(given, "unit", "") for name, given in plan.space.inputs.items()}
    return [
        show.Column(f"{name} {unit}".strip(), right=not hasattr(plan.space.inputs[name], "choices"))
        for name, unit in units.items()
    ]


@app.command(rich_help_panel=_PANEL)
def tell(
    study: StudyPlace,
    trial: Annotated[
        str | None,
        typer.Argument(
            metavar="TRIAL", show_default=False, autocompletion=arguments.open_trials, help="The number of the trial."
        ),
    ] = None,
    values: Values = None,
    cost: Annotated[str | None, typer.Option("--cost", metavar="NUMBER", help="What the trial cost.")] = None,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="Anything worth remembering.")] = None,
    csv: CsvIn = None,
    json: AsJson = False,
) -> None:
    """Record results: of one trial, or of many from a sheet.

    Some objectives may be told now and the others later. A sheet counts as a whole or, if anything in it is wrong, not
    at all. Its rows without results are passed over, as are those told before, so one sheet can be filled in bit by
    bit and told again. In its column "failed" write why a trial could not be measured; leave it empty otherwise.

    \b
    Examples:
      camobo tell alloy.db 3 strength=512 corrosion=0.31
      camobo tell alloy.db 3 strength=512 --cost 41.50 --note "furnace B"
      camobo tell alloy.db --csv monday.csv
    """
    if (trial is None) == (csv is None):
        raise typer.BadParameter("need a trial's number and its results, or --csv with a sheet.")
    if csv is not None and (values or cost is not None or note is not None):
        raise typer.BadParameter("with --csv results, costs and notes stand in the sheet.")
    from camobo.cli.facts import trials_facts

    with arguments.open_study(study) as opened:
        if csv is not None:
            from camobo.cli.tables import tell_sheet

            told = tell_sheet(opened, csv)
            trials, before, lost = told.trials, told.before, told.lost
        else:
            number = words.trial_number(trial or "")
            results = words.pairs(values or [], list(opened.objectives))
            if not results:
                raise InvalidOptionError(
                    f"values: need at least one result, such as {next(iter(opened.objectives))}=0.31. {words.FAILED}"
                )
            trials = [opened.tell(number, results, cost=words.amount("--cost", cost), note=note)]
            before, lost = 0, ()
        plan = opened.plan
    for what in lost:
        show.hint(what)
    if json:
        show.as_json({**trials_facts(trials), "told_before": before})
        return
    for done in trials:
        _show_told(plan, done)
    if csv is not None:
        show.say(f"{len(trials)} told" + (f", {before} told before" if before else "") + ".")


def _show_told(plan: Plan, trial: Trial) -> None:
    missing = [name for name in plan.objectives if name not in (trial.values or {})]
    wanting = f" Still to come: {', '.join(missing)}." if missing and trial.state.open else ""
    show.say(show.clean(str(trial)) + wanting)


@app.command(rich_help_panel=_PANEL)
def amend(
    study: StudyPlace,
    trial: AnyTrial,
    reason: Reason,
    values: Values = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take the result back: it counts no more.")] = False,
    json: AsJson = False,
) -> None:
    """Correct a result that was told, or take it back.

    What it was stays in the log.

    \b
    Examples:
      camobo amend alloy.db 3 strength=498 --reason "the scale was off"
      camobo amend alloy.db 3 --withdraw --reason "wrong sample"
    """
    if withdraw == bool(values):
        raise typer.BadParameter("need corrected results such as strength=498, or --withdraw.")
    from camobo.cli.facts import trials_facts

    with arguments.open_study(study) as opened:
        number = words.trial_number(trial)
        results = None if withdraw else words.pairs(values or [], list(opened.objectives))
        done = opened.amend(number, results, reason)
    show.as_json(trials_facts([done])) if json else show.say(show.clean(str(done)))


@app.command(rich_help_panel=_PANEL)
def fail(study: StudyPlace, trials: OpenTrials, reason: Reason, json: AsJson = False) -> None:
    """Record that trials could not be measured.

    The study goes on around them. Several at once are recorded all or none.

    \b
    Examples:
      camobo fail alloy.db 3 --reason "the crucible cracked"
    """
    from camobo.cli.facts import trials_facts

    if not reason.strip():
        raise InvalidOptionError("--reason: need a few words on why, got none.")
    with arguments.open_study(study) as opened, opened.together():
        done = [opened.fail(number, reason) for number in words.trial_numbers(trials)]
    if json:
        show.as_json(trials_facts(done))
    else:
        for trial in done:
            show.say(show.clean(str(trial)))


@app.command(rich_help_panel=_PANEL)
def release(study: StudyPlace, trials: OpenTrials, json: AsJson = False) -> None:
    """Hand trials back without a result: the next ask gives them to somebody.

    \b
    Examples:
      camobo release alloy.db 3
    """
    from camobo.cli.facts import trials_facts

    with arguments.open_study(study) as opened, opened.together():
        done = [opened.release(number) for number in words.trial_numbers(trials)]
    if json:
        show.as_json(trials_facts(done))
    else:
        for trial in done:
            show.say(show.clean(str(trial)))
