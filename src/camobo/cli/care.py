"""Looking after a stored study: check, backup, repair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from camobo.cli import output, phrases
from camobo.cli.arguments import AsJson, Force, StudyPlace
from camobo.hints import counted, redacted

if TYPE_CHECKING:
    from camobo.storage.salvage import Finding

app = typer.Typer()
_PANEL = "Look after a study"
_MOST_SHOWN = 20

NewFile = Annotated[str, typer.Argument(metavar="FILE", show_default=False, help="The file to write, such as copy.db.")]


@app.command(rich_help_panel=_PANEL)
def check(study: StudyPlace, json: AsJson = False) -> None:
    """Say whether a stored study is whole, and if not what is wrong and where.

    Examples:
      camobo check alloy.db
      camobo check alloy.db --json

    Verifies every event, the description of the study, the table of trials,
    and of a file also its structure and its log. Changes nothing. The exit
    code is 1 if anything is wrong.
    """
    from camobo.storage.inspection import inspect

    found = inspect(study)
    history = None if found.salvage is None else found.salvage.history
    if json:
        output.as_json(
            {
                "study": redacted(study),
                "sound": found.sound,
                "format": found.format,
                "events": None if history is None else history.count,
                "trials": None if history is None else len(history.trials),
                "findings": [each.as_dict() for each in found.findings],
            }
        )
    elif found.sound and history is not None:
        what = f"{counted(history.count, 'event')} and {counted(len(history.trials), 'trial')}"
        output.say(f"{study}: sound, {what}.")
    else:
        output.say(f"{study}: not sound.")
        _show(found.findings)
        if found.document is not None:
            command = phrases.command_line("camobo", "repair", study, "fixed.db")
            output.hint(f"Restore it from a copy, or save what is whole: {command}")
    if not found.sound:
        raise typer.Exit(1)


@app.command(rich_help_panel=_PANEL)
def backup(study: StudyPlace, file: NewFile, force: Force = False) -> None:
    """Copy a study into a file while others may use it, and verify the copy.

    Examples:
      camobo backup alloy.db copy.db
      camobo backup postgresql+psycopg://lab@server/alloy copy.db

    The copy is a study like any other. An existing file is not overwritten
    without --force.
    """
    from camobo.storage.copies import backup as copied

    events = copied(study, file, force=force)
    output.say(f"{file}: a copy of {redacted(study)}, {counted(events, 'event')}, verified.")


@app.command(rich_help_panel=_PANEL)
def repair(study: StudyPlace, file: NewFile, json: AsJson = False, force: Force = False) -> None:
    """Save what is whole of a damaged study into a new file.

    Examples:
      camobo repair alloy.db fixed.db

    Keeps every event that is as it was stored and can follow on those before
    it, and says what it drops. The damaged study stays as it is. If a trial
    was lost, those after it get new numbers; they are shown.
    """
    from camobo.storage.copies import repair as repaired

    done = repaired(study, file, force=force)
    kept, trials = done.salvage.history.count, len(done.salvage.history.trials)
    if json:
        output.as_json(
            {
                "study": redacted(study),
                "file": file,
                "events": kept,
                "trials": trials,
                "findings": [each.as_dict() for each in done.findings],
                "renumbered": {str(old): new for old, new in done.renumbered.items()},
            }
        )
        return
    output.say(f"{file}: {counted(kept, 'event')} and {counted(trials, 'trial')} of {redacted(study)}.")
    if done.findings:
        output.say("What was wrong, and is not in it:")
        _show(done.findings)
    else:
        output.say("Nothing was wrong.")
    for old, new in done.renumbered.items():
        output.say(f"  trial {old} is now trial {new}")
    output.hint(f"{redacted(study)} is unchanged. Compare them: {phrases.command_line('camobo', 'log', file)}")


def _show(findings: tuple[Finding, ...]) -> None:
    for each in findings[:_MOST_SHOWN]:
        output.say(f"  {each}")
    if len(findings) > _MOST_SHOWN:
        output.say(f"  and {len(findings) - _MOST_SHOWN} more; --json shows all")
