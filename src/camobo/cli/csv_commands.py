"""CSV in and out: export, import."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from camobo.cli import arguments, output
from camobo.cli.arguments import AsJson, CsvFile, Force, StudyPlace
from camobo.hints import counted

app = typer.Typer()
_PANEL = "CSV files"


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
    """Write trials to a CSV file: one row per trial, one column per input and objective.

    Examples:
      camobo export alloy.db -o alloy.csv
      camobo export alloy.db --only front
      camobo export alloy.db --only pending -o waiting.csv

    Numbers have all their digits. Text that a spreadsheet would run as a
    formula gets an apostrophe in front; import and tell remove it again.
    """
    from camobo.cli import csv_files

    csv_files.refuse_existing(out, force=force)
    with arguments.open_study(study) as opened:
        trials = opened.front() if only is Which.front else list(opened.trials)
        if only not in (Which.all, Which.front):
            trials = [trial for trial in trials if trial.state.value == only.value]
        plan = opened.plan
    with csv_files.new_file(out) as write:
        write(csv_files.csv_text(plan, trials, csv_files.EXPORT))
    if out != "-":
        output.say(f"{out}: {counted(len(trials), 'trial')}.")


@app.command("import", rich_help_panel=_PANEL)
def import_(study: StudyPlace, file: CsvFile, json: AsJson = False) -> None:
    """Add experiments done before, from a CSV file. They inform the models and use no budget.

    Examples:
      camobo import alloy.db last-year.csv

    The file needs one column per input and objective; cost and note are
    optional. Files written by export can be read. Rows that the study already
    has are skipped, as are rows without results and rows of open or failed
    trials. Costs teach what trials cost, and count against no budget. If
    anything is wrong in a row, nothing is added.
    """
    from camobo.cli.csv_results import add_rows

    with arguments.open_study(study) as opened:
        done = add_rows(opened, file)
    if json:
        left_out = {"there_before": done.before, "without_results": done.empty, "in_part": done.in_part}
        left_out["costs_added"] = done.costs
        output.as_json({"trials": [trial.as_dict() for trial in done.trials], **left_out})
        return
    counts = [f"{len(done.trials)} added"]
    counts += [f"{done.before} already in the study"] if done.before else []
    counts += [f"{done.costs} of them without a cost until now"] if done.costs else []
    skipped = [f"{done.empty} without results"] if done.empty else []
    skipped += [f"{done.in_part} partly measured"] if done.in_part else []
    output.say(", ".join(counts) + (f"; skipped: {', '.join(skipped)}." if skipped else "."))
