"""Results in rows of a file: `tell --sheet` records a filled-in sheet, `import` adds experiments done before.

Each file is recorded as a whole or, if anything in it is wrong, not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from camobo.cli import parse, phrases
from camobo.cli.csv_cells import agrees, headings, read_param
from camobo.cli.tables import Row, column_of, read_rows
from camobo.errors import Advice, InvalidOptionError, InvalidValueError, TrialStateError
from camobo.history import transitions
from camobo.history.trial import State, Trial
from camobo.space.inputs import Params
from camobo.strategy.plan import Plan
from camobo.study.study import Study

_NOT_FAILED = ("no", "n", "not", "none", "false", "f", "0", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "na", "n/a", "ok")
"""What people write in column failed when a trial did not fail."""
_TOLD = ("cost", "note", "failed", "reason")
"""What a sheet can tell besides results."""
_CONTRADICTS = "there are results, but column failed or state says there are none. Empty one of them."


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was recorded from a file, and what was skipped."""

    trials: tuple[Trial, ...]
    before: int
    """Rows that were recorded before."""
    empty: int = 0
    """Rows without results that count."""
    in_part: int = 0
    """Rows of open trials with some of their results."""
    besides: int = 0
    """Rows that only added a cost or a note to what was recorded."""
    left_out: tuple[float, ...] = ()
    """Costs in rows that were skipped."""
    reasons: int = 0
    """Rows, complete or skipped, with a reason, which was not recorded."""
    notes: int = 0
    """Rows that were skipped, or whose trial has another note, with a note, which was not recorded."""


def add_rows(study: Study, path: str) -> Recorded:
    """Add every experiment of a file to a study, or none."""
    plan, rows = study.plan, read_rows(path, study.plan)
    _need_columns(path, plan, rows)
    added, left_out = list[Trial](), list[float]()
    before = empty = in_part = besides = reasons = notes = 0
    with study.together():
        known: dict[str, list[int]] = {}
        for trial in study.trials:
            for fingerprint in _fingerprints(trial):
                known.setdefault(fingerprint, []).append(trial.number)
        for row in rows:
            cost, why = parse.amount(row.at("cost"), row.text("cost")), _why_failed(row)
            if not _counts(plan, row) and why is None:
                partly = not row.blank("objective")
                in_part, empty = in_part + partly, empty + (not partly)
                left_out += [] if cost is None else [cost]
                reasons += row.text("reason") is not None
                notes += row.text("note") is not None
                continue
            params = {
                name: read_param(row.at(column_of(plan, "input", name)), given, row.get("input", name))
                for name, given in plan.space.inputs.items()
            }
            values = None if why is not None else _results(plan, row, all_of_them=True)
            alike = known.get(_fingerprint(params, why if values is None else values))
            with row.placed():
                if alike is None:
                    added.append(study.add(params, values, cost=cost, note=row.text("note"), reason=why))
                    reasons += why is None and row.text("reason") is not None
                else:
                    before, besides = before + 1, besides + _add_cost(study, row, alike, cost)
                    notes += row.text("note") not in (None, *(study.trials[number].note for number in alike))
    return Recorded(tuple(added), before, empty, in_part, besides, tuple(left_out), reasons, notes)


def _why_failed(row: Row) -> str | None:
    """Why the experiment of a row failed, empty if nothing says why; None if it did not fail.

    Text in column reason fails it if there is neither a state nor a result.
    """
    why, state = _failure(row), _state(row)
    if state == "failed":
        return why or ""
    if not row.blank("objective"):
        return None
    return row.text("reason") if why is None and state == "" else why


def _add_cost(study: Study, row: Row, alike: list[int], cost: float | None) -> bool:
    """Whether one of the trials that are like a row had no cost and got that of the row.

    An error if all have another.
    """
    paid = {number: study.trials[number].cost for number in alike}
    if cost is None or cost in paid.values():
        return False
    number = next((number for number, known in paid.items() if known is None), alike[0])
    study.tell(number, cost=_new_cost(study, row, study.trials[number]))
    return True


def _new_cost(study: Study, row: Row, trial: Trial) -> float | None:
    """What a row says its trial cost, if that is not recorded yet; an error if another cost is."""
    cost = parse.amount(row.at("cost"), row.text("cost"))
    if trial.cost is None or cost is None or cost == trial.cost:
        return None if cost == trial.cost else cost
    command = phrases.command_line("camobo", "amend", study.storage, str(trial.number), "--cost", f"{cost:.12g}")
    raise TrialStateError(
        f"trial {trial.number}: its cost is {cost:.12g} here, but {trial.cost:.12g} was recorded before. "
        f"To correct it: {command} --reason …"
    )


def _new_note(row: Row, trial: Trial) -> str | None:
    note = row.text("note")
    return None if note == trial.note else note


def _need_columns(path: str, plan: Plan, rows: list[Row]) -> None:
    found = {key for row in rows for key in row.cells}
    for heading in headings(plan, ()):
        if rows and (heading.kind, heading.name) not in found:
            raise InvalidValueError(f"{path}: column {heading.label!r} is missing. Need one column per {heading.kind}.")


def _fingerprints(trial: Trial) -> list[str]:
    """What a row that says the same as a trial may be known by: by its results, and why it failed."""
    found = [_fingerprint(trial.params, trial.values)] if trial.values else []
    return [*found, *([_fingerprint(trial.params, trial.reason or "")] if trial.state is State.FAILED else [])]


def _fingerprint(params: Params, outcome: Mapping[str, float] | str | None) -> str:
    return repr((sorted(params.items()), sorted(outcome.items()) if isinstance(outcome, Mapping) else outcome))


def _counts(plan: Plan, row: Row) -> bool:
    """Whether a row is to be added; an error if its state and its results contradict each other."""
    state = _state(row)
    measured = [bool(row.get("objective", name).strip()) for name in plan.objectives]
    columns = ", ".join(column_of(plan, "objective", name) for name in plan.objectives)
    if any(measured) and state in ("", "complete") and _failure(row) is not None:
        raise InvalidValueError(_CONTRADICTS).within(row.place)
    if state == "complete" and not any(measured):
        raise InvalidValueError(
            f"its state is complete, but there are no results in {columns}. Fill them in, or delete the row."
        ).within(row.place)
    if state in ("pending", "released") and all(measured):
        raise InvalidValueError(
            f"is {state}, but all results are filled in: {columns}. "
            "If they count, write complete; otherwise empty their cells."
        ).within(row.at("state"))
    return any(measured) and state in ("", "complete")


def _state(row: Row) -> str:
    """The state a row gives, in lower case; empty if it gives none."""
    found = row.get("about", "state").strip().casefold()
    if found not in ("", *(state.value for state in State)):
        raise InvalidValueError(
            f"need complete, pending, released or failed, got {row.get('about', 'state')!r}. "
            "Leave it empty for a row with results."
        ).within(row.at("state"))
    return found


def _failure(row: Row) -> str | None:
    """Why the trial failed, from column failed, or from column reason if the state is failed; None if it did not."""
    why = row.text("failed")
    if why is None and _state(row) == "failed":
        return row.text("reason")
    if why is not None and why.strip().casefold() in _NOT_FAILED:
        raise InvalidValueError(
            f"any text in this column fails the trial, got {why!r}. Leave it empty, or write why it failed."
        ).within(row.at("failed"))
    return why


def _results(plan: Plan, row: Row, *, all_of_them: bool = False) -> dict[str, float]:
    """The results in a row; empty cells are left out or, if all results are needed, an error."""
    return {
        name: parse.number(row.at(column_of(plan, "objective", name)), row.get("objective", name), advice=Advice.FAIL)
        for name in plan.objectives
        if all_of_them or row.get("objective", name).strip()
    }


def tell_sheet(study: Study, path: str) -> Recorded:
    """Record all results of a sheet, or none."""
    rows = read_rows(path, study.plan)
    if rows and ("about", "trial") not in rows[0].cells:
        raise InvalidValueError(
            f"{path}: column 'trial' is missing. To add experiments that camobo did not suggest, use camobo import."
        )
    if rows and not any(kind == "objective" or name in _TOLD for kind, name in rows[0].cells):
        raise InvalidValueError(
            f"{path}: no column has anything to record. Need one of {', '.join((*study.objectives, *_TOLD))}."
        )
    _refuse_contradictions(study.plan, rows)
    trials: list[Trial] = []
    before = besides = 0
    with study.together():
        plan = study.plan
        for row in rows:
            known = study.trials
            with row.placed():
                done = _tell_row(study, plan, row)
            if done is not None:
                trials.append(done)
                besides += _told_before(known, done)
            elif not row.blank("objective") or _failure(row) is not None:
                before += 1
    return Recorded(tuple(trials), before, besides=besides)


def _told_before(known: Sequence[Trial], done: Trial) -> bool:
    """Whether a trial has the state and the values it had before: then only its cost or its note is new."""
    old = known[done.number]
    return (old.state, old.values) == (done.state, done.values)


def _refuse_contradictions(plan: Plan, rows: list[Row]) -> None:
    """Refuse a sheet in which two rows say different things about one trial."""
    first: dict[tuple[int, str], tuple[Row, object]] = {}
    for row in rows:
        with row.placed():
            values, why = _results(plan, row), _failure(row)
            cost = parse.amount(row.at("cost"), row.text("cost"))
            if not values and why is None and cost is None and row.text("note") is None:
                continue
            number = parse.trial_number(row.get("about", "trial"), row.at("trial"))
        facts: dict[str, object] = {f"objective {name!r}": value for name, value in values.items()}
        outcome = "failed" if why is not None else "measured" if values else None
        facts |= {"the reason": why, "the outcome": outcome}
        facts |= {"the cost": cost, "the note": row.text("note")}
        for what, fact in facts.items():
            other, before = first.setdefault((number, what), (row, fact)) if fact is not None else (row, fact)
            if before != fact:
                raise InvalidValueError(
                    f"{row.file}: lines {other.line} and {row.line} disagree about trial {number}: {what} is "
                    f"{before!r} and {fact!r}. Correct one of them; nothing was recorded."
                )


def _amend_command(study: Study, number: int, name: str, value: float | None) -> str:
    dashes = ["--"] if name.startswith("-") else []
    command = phrases.command_line("camobo", "amend", study.storage, str(number))
    return f"{command} --reason … {phrases.command_line(*dashes, f'{name}={value!r}')}"


def _tell_row(study: Study, plan: Plan, row: Row) -> Trial | None:
    """Record what a row says of its trial; None if that is nothing, or nothing new."""
    values, why, state = _results(plan, row), _failure(row), _state(row)
    silent = not values and why is None and state in ("", "pending", "released")
    if silent and row.text("cost") is None and row.text("note") is None:
        return None
    trial = transitions.find(study.trials, parse.trial_number(row.get("about", "trial"), row.at("trial")))
    _need_same_inputs(plan, row, trial)
    cost, note = _new_cost(study, row, trial), _new_note(row, trial)
    if why is not None or state == "failed":
        return _fail_row(study, trial, why, values, cost, note)
    if not values and trial.state.open and not silent:
        raise InvalidOptionError("its state is complete, but there are no results. Fill them in, or empty its state.")
    known = trial.values or {}
    for name in values:
        if name in known and known[name] != values[name]:
            raise TrialStateError(
                f"trial {trial.number}: {name!r} is {values[name]!r} here, but {known[name]!r} was recorded before. "
                f"To correct it: {_amend_command(study, trial.number, name, values[name])}"
            )
    fresh = {name: value for name, value in values.items() if name not in known}
    return _told(study, trial, fresh, cost, note)


def _told(
    study: Study, trial: Trial, values: Mapping[str, float], cost: float | None, note: str | None
) -> Trial | None:
    """The trial after what is new of it; None if that is nothing."""
    if not values and cost is None and note is None:
        return None
    return study.tell(trial.number, values or None, cost=cost, note=note)


def _fail_row(
    study: Study, trial: Trial, why: str | None, values: Mapping[str, float], cost: float | None, note: str | None
) -> Trial | None:
    """Record that a row's trial failed, what it cost and its note; None if all was recorded before."""
    if trial.state is State.FAILED:
        if why is not None and why.strip() != (trial.reason or "").strip():
            raise TrialStateError(
                f"trial {trial.number}: it failed because {why!r} here, but {trial.reason!r} was recorded before. "
                "Write that again or empty the cell; a remark goes into column note."
            )
        return _told(study, trial, {}, cost, note)
    if values:
        raise InvalidOptionError(_CONTRADICTS)
    if why is None:
        raise InvalidOptionError("its state is failed. Write why in column failed or reason.")
    failed = study.fail(trial.number, why, cost=cost)
    return _told(study, failed, {}, None, note) or failed


def _need_same_inputs(plan: Plan, row: Row, trial: Trial) -> None:
    """Refuse a row whose inputs are not those of its trial: it describes another experiment."""
    for name, given in plan.space.inputs.items():
        text, place = row.get("input", name), row.at(column_of(plan, "input", name))
        if text.strip() and not agrees(place, given, trial.params[name], text):
            raise InvalidValueError(
                f"is {text!r}, but trial {trial.number} asked for {trial.params[name]!r}. "
                f"If {text!r} is what you used, release the trial and use camobo import."
            ).within(place)
