"""Working with trials: ask, tell, amend, fail, release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from camobo.cli import arguments, output, parse, phrases
from camobo.cli.arguments import (
    AnyTrial,
    AsJson,
    CsvIn,
    Force,
    Lease,
    OpenTrials,
    Owner,
    Reason,
    StudyPlace,
    ValuePairs,
)
from camobo.errors import Advice, InvalidOptionError

if TYPE_CHECKING:
    from camobo.history.trial import Trial
    from camobo.strategy.plan import Plan

app = typer.Typer()
_PANEL = "Work with trials"


@app.command(rich_help_panel=_PANEL)
def ask(
    study: StudyPlace,
    n: Annotated[int, typer.Option("-n", "--number", metavar="N", min=1, help="How many trials, up to 1000.")] = 1,
    owner: Owner = None,
    lease: Lease = None,
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write a CSV sheet to fill in; - for standard output.")
    ] = None,
    force: Force = False,
    json: AsJson = False,
) -> None:
    """Get the next trials to evaluate.

    Examples:
      camobo ask alloy.db
      camobo ask alloy.db -n 4 --csv monday.csv      a sheet to fill in
      camobo ask alloy.db --owner anna --lease 3d    reserved for Anna

    Trials asked for together are chosen to complement each other. Trials
    that were released, or whose lease has ended, come before new ones.
    """
    parse.at_most_one(csv=csv is not None, json=json)
    from camobo.cli import csv_files

    if csv is not None:
        csv_files.refuse_existing(csv, force=force)
    with arguments.open_study(study) as opened:
        length = parse.duration(lease)
        if csv is not None:
            with csv_files.new_file(csv) as write, opened.together():
                trials = opened.ask(n, owner=owner, lease=length)
                write(csv_files.csv_text(opened.plan, trials, csv_files.SHEET))
        else:
            trials = opened.ask(n, owner=owner, lease=length)
        plan = opened.plan
    if len(trials) < n:
        output.hint(f"Only {len(trials)} of {n}: the space has no other points left.")
    if json:
        output.as_json({"trials": [trial.as_dict() for trial in trials]})
    elif csv is None:
        show_params(plan, trials)
        example = phrases.to_fill_in(plan.objectives)
        output.hint(
            f"\nOnce measured: {phrases.command_line('camobo', 'tell', study, str(trials[0].number))} {example}"
        )
    elif csv != "-":
        numbers = ", ".join(str(trial.number) for trial in trials)
        output.say(f"{csv}: a sheet for trial{'s' if len(trials) > 1 else ''} {numbers}.")
        output.hint(f"Once filled in: {phrases.command_line('camobo', 'tell', study, '--csv', csv)}")


def show_params(plan: Plan, trials: Sequence[Trial]) -> None:
    """Print the inputs of each trial as a table."""
    held = any(trial.owner or trial.expires for trial in trials)
    columns = [output.Column("trial", right=True), *input_columns(plan)]
    columns += [output.Column("owner"), output.Column("until")] if held else []
    output.table(
        columns,
        [
            [trial.number, *trial.params.values()] + ([trial.owner, output.local_time(trial.expires)] if held else [])
            for trial in trials
        ],
    )


def input_columns(plan: Plan) -> list[output.Column]:
    """One column per input, its unit in the title."""
    from camobo.space.inputs import Categorical

    return [
        output.Column(name)
        if isinstance(given, Categorical)
        else output.Column(f"{name} {given.unit}".strip(), right=True)
        for name, given in plan.space.inputs.items()
    ]


@app.command(rich_help_panel=_PANEL)
def tell(
    study: StudyPlace,
    trial: Annotated[
        str | None,
        typer.Argument(
            metavar="TRIAL", show_default=False, autocompletion=arguments.open_trials, help="The trial's number."
        ),
    ] = None,
    values: ValuePairs = None,
    cost: Annotated[str | None, typer.Option("--cost", metavar="NUMBER", help="What the trial cost.")] = None,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="A remark, stored with the trial.")] = None,
    csv: CsvIn = None,
    json: AsJson = False,
) -> None:
    """Record results of one trial, or of many from a CSV sheet.

    Examples:
      camobo tell alloy.db 3 strength=512 corrosion=0.31
      camobo tell alloy.db 3 strength=512 --cost 41.50 --note "furnace B"
      camobo tell alloy.db --csv monday.csv

    You can record some objectives now and the others later.

    A sheet is recorded as a whole; if anything in it is wrong, nothing is
    recorded. Rows without results, and rows recorded before, are skipped: you
    can fill in a sheet bit by bit and record it again. If a trial could not
    be measured, write why in column "failed"; otherwise leave it empty.
    """
    if (trial is None) == (csv is None):
        raise typer.BadParameter("need a trial number and its results, or --csv with a sheet.")
    if csv is not None and (values or cost is not None or note is not None):
        raise typer.BadParameter("with --csv, results, costs and notes come from the sheet only.")

    with arguments.open_study(study) as opened:
        if csv is not None:
            from camobo.cli.csv_results import tell_sheet

            sheet = tell_sheet(opened, csv)
            trials, before, not_recorded = sheet.trials, sheet.before, sheet.not_recorded
        else:
            number = parse.trial_number(trial or "")
            results = parse.pairs(values or [], list(opened.objectives))
            if not results:
                raise InvalidOptionError(
                    f"values: need at least one result, such as {next(iter(opened.objectives))}=0.31.",
                    advice=Advice.FAIL,
                )
            trials = (opened.tell(number, results, cost=parse.amount("--cost", cost), note=note),)
            before, not_recorded = 0, ()
        plan = opened.plan
    for remark in not_recorded:
        output.hint(remark)
    if json:
        output.as_json({"trials": [trial.as_dict() for trial in trials], "told_before": before})
        return
    for done in trials:
        _show_recorded(plan, done)
    if csv is not None:
        output.say(f"{len(trials)} recorded" + (f", {before} already recorded" if before else "") + ".")


def _show_recorded(plan: Plan, trial: Trial) -> None:
    missing = [name for name in plan.objectives if name not in (trial.values or {})]
    waiting = f" Still missing: {', '.join(missing)}." if missing and trial.state.open else ""
    output.say(output.clean(str(trial)) + waiting)


@app.command(rich_help_panel=_PANEL)
def amend(
    study: StudyPlace,
    trial: AnyTrial,
    reason: Reason,
    values: ValuePairs = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Withdraw the result: the trial counts as failed.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Correct or withdraw a result.

    Examples:
      camobo amend alloy.db 3 strength=498 --reason "the scale was off"
      camobo amend alloy.db 3 --withdraw --reason "wrong sample"

    The log keeps the old result.
    """
    if withdraw == bool(values):
        raise typer.BadParameter("need corrected results such as strength=498, or --withdraw.")

    with arguments.open_study(study) as opened:
        number = parse.trial_number(trial)
        results = None if withdraw else parse.pairs(values or [], list(opened.objectives))
        done = opened.amend(number, results, reason)
    output.as_json({"trials": [done.as_dict()]}) if json else output.say(output.clean(str(done)))


@app.command(rich_help_panel=_PANEL)
def fail(study: StudyPlace, trials: OpenTrials, reason: Reason, json: AsJson = False) -> None:
    """Record that trials could not be measured.

    Examples:
      camobo fail alloy.db 3 --reason "the crucible cracked"
      camobo fail alloy.db 4 5 6 --reason "power cut"

    The study continues without them. Several trials are recorded together or
    not at all.
    """
    if not reason.strip():
        raise InvalidOptionError("--reason: need a few words on why, got nothing.")
    with arguments.open_study(study) as opened, opened.together():
        done = [opened.fail(number, reason) for number in parse.trial_numbers(trials)]
    if json:
        output.as_json({"trials": [trial.as_dict() for trial in done]})
    else:
        for trial in done:
            output.say(output.clean(str(trial)))


@app.command(rich_help_panel=_PANEL)
def release(study: StudyPlace, trials: OpenTrials, json: AsJson = False) -> None:
    """Hand trials back without a result.

    Examples:
      camobo release alloy.db 3
      camobo release alloy.db 4 5 6

    The next ask hands them out again. Several trials are released together
    or not at all.
    """
    with arguments.open_study(study) as opened, opened.together():
        done = [opened.release(number) for number in parse.trial_numbers(trials)]
    if json:
        output.as_json({"trials": [trial.as_dict() for trial in done]})
    else:
        for trial in done:
            output.say(output.clean(str(trial)))
