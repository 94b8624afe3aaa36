"""Files in and out: export, import."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camobo.cli import arguments, output
from camobo.cli.arguments import AsJson, Force, SheetFile, StudyPlace
from camobo.hints import counted

if TYPE_CHECKING:
    from camobo.cli.csv_results import Recorded

app = typer.Typer()
_PANEL = "CSV and Excel files"


class Which(str, Enum):
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
        str,
        typer.Option(
            "--out", "-o", metavar="FILE", show_default=False, help="The file to write. Default: standard output."
        ),
    ] = "-",
    only: Annotated[Which, typer.Option("--only", help="Which trials to write.")] = Which.all,
    force: Force = False,
) -> None:
    """Write trials to a CSV or Excel file: one row per trial, one column per input and objective.

    Examples:
      camobo export alloy.db -o alloy.csv
      camobo export alloy.db -o alloy.xlsx
      camobo export alloy.db --only front
      camobo export alloy.db --only pending -o waiting.csv

    Numbers have all their digits. In CSV, text that a spreadsheet would run as
    a formula gets an apostrophe in front; import and tell remove it again.
    """
    from camobo.cli import csv_files, tables

    csv_files.refuse_existing(out, force=force)
    tables.check_writable(out)
    with arguments.open_study(study) as opened:
        trials = opened.front() if only is Which.front else list(opened.trials)
        if only not in (Which.all, Which.front):
            trials = [trial for trial in trials if trial.state.value == only.value]
        plan = opened.plan
    with csv_files.new_file(out) as write:
        write(tables.contents(out, plan, trials, csv_files.EXPORT))
    if out != "-":
        output.say(f"{out}: {counted(len(trials), 'trial')}.")


@app.command("import", rich_help_panel=_PANEL)
def import_(study: StudyPlace, file: SheetFile, json: AsJson = False) -> None:
    """Add experiments done before, from a CSV or Excel file. They inform the models and use no budget.

    Examples:
      camobo import alloy.db last-year.csv

    The file needs one column per input and objective; cost and note are
    optional. Files written by export can be read. Text in column failed, or
    in column reason of a row without results, adds an experiment that failed.
    Rows that the study already has are skipped, as are rows without results
    and rows of open trials; what they cost is not recorded, and that is said.
    Costs teach what trials cost, and count against no budget. If anything is
    wrong in a row, nothing is added.
    """
    from camobo.cli.csv_results import add_rows

    with arguments.open_study(study) as opened:
        done = add_rows(opened, file)
    if json:
        output.as_json(_as_data(done))
    else:
        output.say(_in_words(done))


def _as_data(done: Recorded) -> dict[str, Any]:
    """What was added and skipped, as plain data."""
    return {
        "trials": [trial.as_dict() for trial in done.trials],
        "there_before": done.before,
        "without_results": done.empty,
        "in_part": done.in_part,
        "costs_added": done.besides,
        "costs_left_out": len(done.left_out),
        "reasons_left_out": done.reasons,
        "notes_left_out": done.notes,
    }


def _in_words(done: Recorded) -> str:
    """What was done with each kind of row, in one line."""
    from camobo.cli.money import money

    failed = sum(trial.values is None for trial in done.trials)
    counts = [f"{len(done.trials)} added"]
    counts += [f"{failed} of them failed"] if failed else []
    counts += [f"{done.before} already in the study"] if done.before else []
    counts += [f"{done.besides} of them without a cost until now"] if done.besides else []
    skipped = [f"{done.empty} without results"] if done.empty else []
    skipped += [f"{done.in_part} partly measured"] if done.in_part else []
    lost = [f"{counted(len(done.left_out), 'cost')} of skipped rows, {money(sum(done.left_out), '')} in all"]
    left_out = lost if done.left_out else []
    left_out += [counted(done.reasons, "reason")] if done.reasons else []
    left_out += [counted(done.notes, "note")] if done.notes else []
    parts = [", ".join(counts), f"skipped: {', '.join(skipped)}", f"not recorded: {', '.join(left_out)}"]
    return "; ".join(part for part, said in zip(parts, (counts, skipped, left_out), strict=True) if said) + "."
