"""Working with trials: ask, tell, amend, fail, release."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, output, parse, phrases
from camobo.cli.arguments import (
    AnyTrial,
    AsJson,
    Fix,
    Force,
    Lease,
    OpenTrials,
    Owner,
    Paid,
    Reason,
    Same,
    SheetIn,
    SheetOut,
    StudyPlace,
    ValuePairs,
)
from camobo.errors import Advice, BudgetSpent, InvalidOptionError
from camobo.run.money import amount

if TYPE_CHECKING:
    from camobo.history.trial import Trial
    from camobo.space.space import Space
    from camobo.strategy.plan import Plan
    from camobo.study.study import Study

app = typer.Typer()
_PANEL = "Work with trials"


@app.command(rich_help_panel=_PANEL)
def ask(
    study: StudyPlace,
    n: Annotated[int, typer.Option("-n", "--number", metavar="N", min=1, help="How many trials, up to 1000.")] = 1,
    owner: Owner = None,
    lease: Lease = None,
    fix: Fix = None,
    same: Same = None,
    sheet: SheetOut = None,
    force: Force = False,
    json: AsJson = False,
) -> None:
    """Get the next trials to evaluate.

    Examples:
      camobo ask alloy.db
      camobo ask alloy.db -n 4 --sheet monday.csv    a sheet; or monday.xlsx
      camobo ask alloy.db --owner anna --lease 3d    reserved for Anna
      camobo ask alloy.db --fix quench=air           only air is free today
      camobo ask alloy.db -n 4 --same soak           one oven run

    Trials asked for together are chosen to complement each other. Trials
    that were released, or whose lease has ended, come before new ones.

    "expected" is what a trial is expected to cost, if amounts are known. If
    what is left of a budget in money pays for no trial, that is an error; a
    budget in trials is only counted here, and ends camobo run.
    """
    parse.at_most_one(sheet=sheet is not None, json=json)
    from camobo.cli import csv_files, tables

    if sheet is not None:
        csv_files.refuse_existing(sheet, force=force)
        tables.check_writable(sheet)
    with arguments.open_study(study) as opened:
        length, fixed = parse.duration(lease), _fixed(opened.space, fix or [])
        if sheet is not None:
            with csv_files.new_file(sheet) as write, opened.together(), _raising(study):
                trials = opened.ask(n, owner=owner, lease=length, fixed=fixed, same=same or ())
                write(tables.contents(sheet, opened.plan, trials, csv_files.SHEET))
        else:
            with _raising(study):
                trials = opened.ask(n, owner=owner, lease=length, fixed=fixed, same=same or ())
        plan = opened.plan
        why = None if len(trials) == n else _why_fewer(opened, held=bool(fixed or same))
        past = _past_the_trials(opened)
    if why is not None:
        output.hint(f"Only {len(trials)} of {n}: {why}")
    if past is not None:
        output.hint(past)
    if json:
        output.as_json({"trials": [trial.as_dict() for trial in trials]})
    elif sheet is None:
        show_params(plan, trials)
        example = phrases.to_fill_in(plan.objectives)
        output.hint(
            f"\nOnce measured: {phrases.command_line('camobo', 'tell', study, str(trials[0].number))} {example}"
        )
    elif sheet != "-":
        numbers = ", ".join(str(trial.number) for trial in trials)
        output.say(f"{sheet}: a sheet for trial{'s' if len(trials) > 1 else ''} {numbers}.")
        output.hint(f"Once filled in: {phrases.command_line('camobo', 'tell', study, '--sheet', sheet)}")


@contextlib.contextmanager
def _raising(study: str) -> Iterator[None]:
    """Adds to the error of a spent budget the command that raises it."""
    try:
        yield
    except BudgetSpent as error:
        command = phrases.command_line("camobo", "set", study)
        raise BudgetSpent(f"{error.message} To go on, raise it: {command} --budget …") from error


def _past_the_trials(study: Study) -> str | None:
    """That more trials were asked for than the budget has; None if not."""
    limit, asked = None if study.budget is None else study.budget.trials, sum(not t.added for t in study.trials)
    if limit is None or asked <= limit:
        return None
    return f"The budget is {study.budget}, and {asked} trials have been asked for. Cost no longer counts."


def _fixed(space: Space, texts: Sequence[str]) -> dict[str, Any]:
    """The values of --fix, by input."""
    from camobo.cli.csv_cells import read_param

    found = dict[str, Any]()
    for text in texts:
        name, value = parse.named("--fix", text, space.names)
        if name in found:
            raise InvalidOptionError(f"--fix: {name!r} is given twice. Give each input once.")
        found[name] = read_param(f"--fix: {name!r}", space.inputs[name], value)
    return found


def _why_fewer(study: Study, *, held: bool) -> str:
    """Why there are fewer trials than were asked for; `held` says that some inputs had to have certain values."""
    if held and (study.budget is None or study.budget.cost is None):
        return "no other points have these values."
    if len({tuple(trial.params.items()) for trial in study.trials}) >= study.space.size:
        return "the space has no other points left."
    return f"what is left of the budget of {study.budget} pays for no more."


def show_params(plan: Plan, trials: Sequence[Trial]) -> None:
    """Print the inputs of each trial as a table, and what it is expected to cost."""
    held = any(trial.owner or trial.expires for trial in trials)
    priced = any(trial.expected is not None for trial in trials)
    unit = "" if plan.budget is None else plan.budget.unit
    columns = [output.Column("trial", right=True), *input_columns(plan)]
    columns += [output.Column(f"expected {unit}".rstrip(), right=True)] if priced else []
    columns += [output.Column("owner"), output.Column("until")] if held else []
    output.table(
        columns,
        [
            [trial.number, *trial.params.values()]
            + ([None if trial.expected is None else amount(trial.expected)] if priced else [])
            + ([trial.owner, output.local_time(trial.expires)] if held else [])
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
    cost: Paid = None,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="A remark, stored with the trial.")] = None,
    sheet: SheetIn = None,
    json: AsJson = False,
) -> None:
    """Record results of one trial, or of many from a sheet.

    Examples:
      camobo tell alloy.db 3 strength=512 corrosion=0.31
      camobo tell alloy.db 3 strength=512 --cost 41.50 --note "furnace B"
      camobo tell alloy.db 3 --cost 8.50           another bill for trial 3
      camobo tell alloy.db --sheet monday.csv      or monday.xlsx

    You can record some objectives now and the others later. Costs add up, and
    may come without results, before or after them. To correct what was
    recorded use camobo amend.

    A sheet is recorded as a whole; if anything in it is wrong, nothing is
    recorded. Empty rows, and rows recorded before, are skipped: you can fill
    in a sheet bit by bit and record it again. If a trial could not be
    measured, write why in column "failed"; otherwise leave it empty. Its
    column "cost" is what the trial cost in all; it can be filled in later.
    """
    if (trial is None) == (sheet is None):
        raise typer.BadParameter("need a trial number and its results, or --sheet with a file.")
    if sheet is not None and (values or cost is not None or note is not None):
        raise typer.BadParameter("with --sheet, results, costs and notes come from the sheet only.")

    from camobo.cli import money

    paid_before = None
    with arguments.open_study(study) as opened:
        if sheet is not None:
            from camobo.cli.csv_results import tell_sheet

            recorded = tell_sheet(opened, sheet)
            trials, before, besides = recorded.trials, recorded.before, recorded.besides
        else:
            number = parse.trial_number(trial or "")
            results = parse.pairs(values or [], list(opened.objectives))
            if not results and cost is None and note is None:
                example = next(iter(opened.objectives))
                text = f"values: need a result, such as {example}=0.31, or --cost or --note."
                raise InvalidOptionError(text, advice=Advice.FAIL)
            trials, paid = opened.trials, parse.amount("--cost", cost)
            paid_before = trials[number].cost if number < len(trials) and paid is not None else None
            trials = (opened.tell(number, results or None, cost=paid, note=note),)
            before, besides = 0, 0
        plan = opened.plan
        budget = money.remark_on_budget(opened) if any(done.cost is not None for done in trials) else None
    if budget is not None:
        output.hint(budget)
    if json:
        output.as_json({"trials": [trial.as_dict() for trial in trials], "told_before": before})
        return
    for done in trials:
        _show_recorded(plan, done, paid_before)
    if sheet is not None:
        late = f", {besides} of them only with a cost or a note" if besides else ""
        output.say(f"{len(trials)} recorded{late}" + (f"; {before} already recorded" if before else "") + ".")


def _show_recorded(plan: Plan, trial: Trial, paid_before: float | None = None) -> None:
    from camobo.cli.money import receipt

    missing = [name for name in plan.objectives if name not in (trial.values or {})]
    paid = receipt(plan, trial, paid_before)
    waiting = f"{'.' if paid else ''} Still missing: {', '.join(missing)}." if missing and trial.state.open else ""
    output.say(trial.outcome + paid + waiting)


@app.command(rich_help_panel=_PANEL)
def amend(
    study: StudyPlace,
    trial: AnyTrial,
    reason: Reason,
    values: ValuePairs = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Withdraw the result: the trial counts as failed.")
    ] = False,
    cost: Annotated[
        str | None,
        typer.Option("--cost", metavar="NUMBER", help="What the trial cost in all, in place of what was told."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Correct or withdraw a result, or correct what a trial cost.

    Examples:
      camobo amend alloy.db 3 strength=498 --reason "the scale was off"
      camobo amend alloy.db 3 --cost 44 --reason invoice
      camobo amend alloy.db 3 --withdraw --reason "wrong sample"

    The log keeps what was recorded before.
    """
    if (withdraw and values) or not (withdraw or values or cost is not None):
        raise typer.BadParameter("need corrected results such as strength=498, or --withdraw, or --cost.")

    with arguments.open_study(study) as opened:
        number, paid = parse.trial_number(trial), parse.amount("--cost", cost)
        results = parse.pairs(values or [], list(opened.objectives))
        known = opened.trials
        done = opened.amend(number, None if withdraw else results or ..., reason, cost=paid)
        plan = opened.plan
    if json:
        output.as_json({"trials": [done.as_dict()]})
        return
    from camobo.cli.money import corrected

    output.say(done.outcome + corrected(plan, done, known[number].cost))


@app.command(rich_help_panel=_PANEL)
def fail(study: StudyPlace, trials: OpenTrials, reason: Reason, cost: Paid = None, json: AsJson = False) -> None:
    """Record that trials could not be measured.

    Examples:
      camobo fail alloy.db 3 --reason "the crucible cracked"
      camobo fail alloy.db 3 --reason "the crucible cracked" --cost 12
      camobo fail alloy.db 4 5 6 --reason "power cut"

    The study continues without them. Several trials are recorded together or
    not at all.
    """
    if not reason.strip():
        raise InvalidOptionError("--reason: need a few words on why, got nothing.")
    numbers, paid = parse.trial_numbers(trials), parse.amount("--cost", cost)
    if paid is not None and len(numbers) > 1:
        raise InvalidOptionError(f"--cost: goes with one trial, got {len(numbers)}. Record each with its own cost.")
    with arguments.open_study(study) as opened, opened.together():
        known = opened.trials
        done = [opened.fail(number, reason, cost=paid) for number in numbers]
        plan = opened.plan
    if json:
        output.as_json({"trials": [trial.as_dict() for trial in done]})
        return
    from camobo.cli.money import receipt

    for trial in done:
        output.say(trial.outcome + receipt(plan, trial, None if paid is None else known[trial.number].cost))


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
            output.say(str(trial))
