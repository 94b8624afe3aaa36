"""CSV in and out: results from a sheet, experiments done before, a whole study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, show, words
from camobo.cli.arguments import AsJson, CsvFile, Force, StudyPlace
from camobo.errors import InvalidOptionError, InvalidValueError, TrialStateError

if TYPE_CHECKING:
    from camobo.cli.sheets import Row
    from camobo.inputs import Param
    from camobo.plan import Plan
    from camobo.study import Study
    from camobo.trial import Trial

app = typer.Typer()
_PANEL = "Files"
_NOT_FAILED = ("no", "n", "not", "none", "false", "f", "0", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "na", "n/a", "ok")
"""What people write in column failed when a trial did not fail."""
_CONTRADICTS = "there are results, and a word in column failed or a state that says there are none. Empty one of them."


class Some(str, Enum):
    """Which trials to write."""

    all = "all"
    front = "front"
    complete = "complete"
    pending = "pending"
    released = "released"
    failed = "failed"


@app.command(rich_help_panel=_PANEL)
def export(
    study: StudyPlace,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The file to write; - for standard output.")
    ] = "-",
    only: Annotated[Some, typer.Option("--only", help="Which trials.")] = Some.all,
    force: Force = False,
) -> None:
    """Write trials as CSV: a row a trial, a column an input and objective.

    Numbers have all their digits. Text that a spreadsheet would run as a formula gets an apostrophe in front, which
    import and tell take away again.

    \b
    Examples:
      camobo export alloy.db -o alloy.csv
      camobo export alloy.db --only front
      camobo export alloy.db --only pending -o waiting.csv
    """
    from camobo.cli import sheets

    sheets.refuse_existing(out, force=force)
    with arguments.open_study(study) as opened:
        trials = opened.front() if only is Some.front else list(opened.trials)
        if only not in (Some.all, Some.front):
            trials = [trial for trial in trials if trial.state.value == only.value]
        plan = opened.plan
    with sheets.new_file(out) as write:
        write(sheets.csv_text(plan, trials, sheets.EXPORT))
    if out != "-":
        show.say(f"{out}: {words.counted(len(trials), 'trial')}.")


@app.command("import", rich_help_panel=_PANEL)
def import_(study: StudyPlace, file: CsvFile, json: AsJson = False) -> None:
    """Add experiments done before, from a CSV file: all its rows or none.

    It needs a column for every input and objective; cost and note may be there too. What export wrote can be read.
    Rows without results or, if their state says that they are open or failed, with a part of them are passed over, as
    are rows that the study has already. What is added informs the models and does not count against the budget.

    \b
    Examples:
      camobo import alloy.db last-year.csv
    """
    from camobo.cli.facts import trials_facts

    with arguments.open_study(study) as opened:
        done = _add_rows(opened, file)
    if json:
        passed = {"there_before": done.before, "without_results": done.empty, "in_part": done.in_part}
        show.as_json({**trials_facts(done.trials), **passed})
        return
    said = [f"{len(done.trials)} added"]
    said += [f"{done.before} there already"] if done.before else []
    said += [f"{done.empty} without results passed over"] if done.empty else []
    said += [f"{done.in_part} measured in part passed over"] if done.in_part else []
    show.say(", ".join(said) + ".")


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a file."""

    trials: list[Trial]
    before: int
    """Rows that were known already."""
    empty: int = 0
    """Rows without results that count."""
    in_part: int = 0
    """Rows of open trials with some of their results."""
    lost: tuple[str, ...] = ()
    """What rows told before say in addition, which was not recorded."""


def _add_rows(study: Study, path: str) -> Done:
    from camobo.cli.cells import read_param
    from camobo.cli.sheets import column_of, read_rows

    plan, added, before, empty, in_part = study.plan, list[Any](), 0, 0, 0
    rows = read_rows(path, plan)
    _need_columns(path, plan, rows)
    with study.together():
        known = {_fingerprint(trial.params, trial.values) for trial in study.trials if trial.values}
        for row in rows:
            if not _complete(plan, row):
                partly = not row.blank("objective") and _state(row) != "failed"  # failed, it was perhaps withdrawn
                in_part, empty = in_part + partly, empty + (not partly)
                continue
            params: dict[str, Param] = {}
            for name, given in plan.space.inputs.items():
                place = row.at(column_of(plan, "input", name))
                params[name] = read_param(place, given, row.get("input", name))
            values = _results(plan, row, all_of_them=True)
            cost = words.amount(row.at("cost"), row.text("cost"))
            if _fingerprint(params, values) in known:
                before += 1
                continue
            with row.placed():
                added.append(study.add(params, values, cost=cost, note=row.text("note")))
    return Done(added, before, empty, in_part)


def _complete(plan: Plan, row: Row) -> bool:
    """Whether a row is to be added; an error if its state and its results contradict each other."""
    from camobo.cli.sheets import column_of

    state = _state(row)
    there = [bool(row.get("objective", name).strip()) for name in plan.objectives]
    columns = ", ".join(column_of(plan, "objective", name) for name in plan.objectives)
    if any(there) and state in ("", "complete") and _why(row) is not None:
        raise InvalidValueError(f"{row.place}: {_CONTRADICTS}")
    if state == "complete" and not any(there):
        raise InvalidValueError(
            f"{row.place}: its state is complete, but there are no results in {columns}. "
            "Fill them in, or take the row out."
        )
    if state in ("pending", "released") and all(there):
        raise InvalidValueError(
            f"{row.at('state')}: is {state}, but all results are there, in {columns}. "
            "If they count write complete, else empty their cells."
        )
    return any(there) and state in ("", "complete")


def _state(row: Row) -> str:
    from camobo.trial import State

    found = row.get("about", "state").strip().casefold()
    if found not in ("", *(state.value for state in State)):
        raise InvalidValueError(
            f"{row.at('state')}: need complete, pending, released or failed, got {row.get('about', 'state')!r}. "
            "Leave it empty for a row with results."
        )
    return found


def _fingerprint(params: Mapping[str, Param], values: Mapping[str, float]) -> str:
    return repr((sorted(params.items()), sorted(values.items())))


def _need_columns(path: str, plan: Plan, rows: list[Row]) -> None:
    from camobo.cli.cells import headings

    there = {key for row in rows for key in row.cells}
    for heading in headings(plan, ()):
        if rows and (heading.kind, heading.name) not in there:
            raise InvalidValueError(f"{path}: there is no column {heading.label!r}. Need one for each {heading.kind}.")


def _results(plan: Plan, row: Row, *, all_of_them: bool = False) -> dict[str, float]:
    """The results in a row: those of its cells that say something, or an error if all of them must."""
    from camobo.cli.sheets import column_of

    return {
        name: words.number(row.at(column_of(plan, "objective", name)), row.get("objective", name), words.FAILED)
        for name in plan.objectives
        if all_of_them or row.get("objective", name).strip()
    }


def tell_sheet(study: Study, path: str) -> Done:
    """Tell all results of a sheet, or none."""
    from camobo.cli.sheets import read_rows

    told, before, lost = list[Any](), 0, list[str]()
    rows = read_rows(path, study.plan)
    if rows and ("about", "trial") not in rows[0].cells:
        raise InvalidValueError(
            f"{path}: there is no column 'trial'. For experiments that were not asked for use camobo import."
        )
    _same_story(study.plan, rows)
    with study.together():
        plan = study.plan
        for row in rows:
            with row.placed():
                done = _tell_row(study, plan, row)
            if done is not None:
                told.append(done)
            elif not row.blank("objective") or _why(row) is not None:
                before += 1
                lost += _not_kept(study, row)
    return Done(told, before, lost=tuple(lost))


def _same_story(plan: Plan, rows: list[Row]) -> None:
    """Refuse a sheet in which two rows say different things of one trial."""
    first: dict[tuple[int, str], tuple[Row, Any]] = {}
    for row in rows:
        with row.placed():
            values, why = _results(plan, row), _why(row)
            if not values and why is None:
                continue
            number = words.trial_number(row.get("about", "trial"), row.at("trial"))
            cost = words.amount(row.at("cost"), row.text("cost"))
        said = {**{f"result for {name}": value for name, value in values.items()}, "reason to have failed": why}
        said |= {"cost": cost, "note": row.text("note"), "outcome": "measured" if why is None else "failed"}
        for what, fact in said.items():
            other, before = first.setdefault((number, what), (row, fact)) if fact is not None else (row, fact)
            if before != fact:
                raise InvalidValueError(
                    f"{row.file}: lines {other.line} and {row.line} both give trial {number}, with a different {what}: "
                    f"{before!r} and {fact!r}. Take one of them out; nothing of the sheet was recorded."
                )


def _why(row: Row) -> str | None:
    """Why a trial failed, if it did: from a sheet to fill in, or as export writes it."""
    why = row.text("failed")
    if why is None and _state(row) == "failed":
        return row.text("reason")
    if why is not None and why.strip().casefold() in _NOT_FAILED:
        raise InvalidValueError(
            f"{row.at('failed')}: any text here fails the trial, and this is {why!r}. "
            "Leave it empty, or write why it failed."
        )
    return why


def _not_kept(study: Study, row: Row) -> list[str]:
    """What a row told before says in addition, which is recorded with a result only."""
    number = words.trial_number(row.get("about", "trial"))
    trial, note = study.trials[number], row.text("note")
    cost = words.amount(row.at("cost"), row.text("cost"))
    extra = ["cost"] if cost is not None and cost != trial.cost else []
    extra += ["note"] if note is not None and note != trial.note else []
    if not extra:
        return []
    name, value = next(iter((trial.values or {}).items()), (None, None))
    if trial.state.open:
        mend = "Tell it with the results still to come."
    elif trial.state.value == "failed" or name is None:
        mend = "Keep it elsewhere."
    else:
        dashes = ["--"] if name.startswith("-") else []
        command = words.typed("camobo", "amend", study.storage, str(number))
        mend = f"To have it in the log: {command} --reason … {words.typed(*dashes, f'{name}={value!r}')}"
    return [f"{row.place}: trial {number} was told before; its {' and '.join(extra)} here was not kept. {mend}"]


def _tell_row(study: Study, plan: Plan, row: Row) -> Trial | None:
    """Tell a row's result; None if it has none, or none that is new."""
    values, why, state = _results(plan, row), _why(row), _state(row)
    cost, note = words.amount(row.at("cost"), row.text("cost")), row.text("note")
    if not values and why is None and state in ("", "pending", "released"):
        if cost is not None or (note is not None and "state" not in {name for _, name in row.cells}):
            raise InvalidOptionError("there is a cost or a note but no result. Fill in a result, or empty the cell.")
        return None
    number, trials = words.trial_number(row.get("about", "trial"), row.at("trial")), study.trials
    if number >= len(trials):
        return study.tell(number, values)  # which says what trials there are
    trial = trials[number]
    _same_params(plan, row, trial)
    if why is not None or state == "failed":
        return _fail_row(study, trial, why, values)
    if not values and trial.state.open:
        raise InvalidOptionError("its state is complete, but there are no results. Fill them in, or empty its state.")
    known = trial.values or {}
    for name in values:
        if name in known and known[name] != values[name]:
            dashes = ["--"] if name.startswith("-") else []
            mend = words.typed(*dashes, f"{name}={values[name]!r}")
            raise TrialStateError(
                f"trial {number}: {name!r} was told already, {known[name]!r}, and is {values[name]!r} here. "
                f"To correct it: {words.typed('camobo', 'amend', study.storage, str(number))} --reason … {mend}"
            )
    fresh = {name: value for name, value in values.items() if name not in known}
    return study.tell(number, fresh, cost=cost, note=note) if fresh else None


def _fail_row(study: Study, trial: Trial, why: str | None, values: Mapping[str, float]) -> Trial | None:
    """Fail a row's trial; None if it had failed before."""
    if trial.state.value == "failed":
        return None
    if values:
        raise InvalidOptionError(_CONTRADICTS)
    if why is None:
        raise InvalidOptionError("its state is failed. Write why in column failed or reason.")
    return study.fail(trial.number, why)


def _same_params(plan: Plan, row: Row, trial: Trial) -> None:
    """A sheet whose inputs were changed tells of another experiment than was asked for."""
    from camobo.cli.cells import agrees
    from camobo.cli.sheets import column_of

    for name, given in plan.space.inputs.items():
        text = row.get("input", name)
        if text.strip() and not agrees(row.at(column_of(plan, "input", name)), given, trial.params[name], text):
            raise InvalidValueError(
                f"{row.at(column_of(plan, 'input', name))}: is {text!r}, but trial {trial.number} was to have "
                f"{trial.params[name]!r}. If that is what was done, release the trial and use camobo import."
            )
