"""The `camobo` command.

`main` runs a command line. It turns an error into one line and an exit code: 0 done, 1 an error the user can fix,
2 a command line that cannot be parsed, 130 interrupted. A traceback is shown only with --debug. Commands import NumPy,
SQLAlchemy and the rooms that need them inside their functions, so that help and completion start quickly.

Inside this room:
    arguments      arguments that commands share, their shell completion, opening a study
    begin          init, new
    change         set: the budget or the cost in the middle of a study
    trials         ask, tell, amend, fail, release
    look           status, front, explain, log
    report         report: one HTML file
    add            add: an experiment done before
    csv_commands   export, import
    care           check, backup, repair: looking after a stored study
    csv_results    the results in rows, for import and `tell --sheet`
    tables         tables from CSV and Excel files: their columns and rows
    csv_files      reading and writing CSV files
    csv_cells      one cell, to and from the value it stands for
    excel          reading and writing Excel workbooks
    price_list     a price list in a CSV file
    money          cost, budget and money as the commands word them
    run            run: a command evaluates the trials
    demo           demo: a made-up steel study
    paper          paper: the paper's experiments, figures and table
    parse          numbers, budgets, trial numbers and name=value pairs as users type them
    phrases        advice, command lines and file names as the command line words them
    output         tables, lines, JSON and errors, safe to show on a terminal
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import camobo
from camobo.cli import add, begin, care, change, csv_commands, demo, look, output, paper, phrases, report, run, trials
from camobo.errors import CamoboError


class _Commands(TyperGroup):
    """The commands; what Typer says about a command line that cannot be parsed is made safe to show."""

    def make_context(self, *given: Any, **options: Any) -> Any:
        with _safe_complaints():
            return super().make_context(*given, **options)

    def invoke(self, ctx: Any) -> Any:
        with _safe_complaints():
            return super().invoke(ctx)


@contextlib.contextmanager
def _safe_complaints() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "message"):  # of Click's, or of Typer's copy of it
            error.message = output.safe(str(error.message))
        raise


app = typer.Typer(
    name="camobo",
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_GARBAGE_THRESHOLD = 200_000
"""New objects between garbage collections: opening a large study makes many objects and no garbage."""
for group in (begin, demo, change, trials, add, look, report, csv_commands, care, run):
    app.add_typer(group.app)
app.add_typer(paper.app, rich_help_panel="The paper")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"camobo {camobo.__version__}")
        raise typer.Exit


@app.callback()
def root(
    debug: Annotated[bool, typer.Option("--debug", help="On an error, show the traceback.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = (False),
) -> None:
    """Find the best trade-offs between objectives that are expensive to measure.

    A study from start to finish:
      camobo init alloy.toml                  write an example problem file
      camobo new alloy.toml                   create the study alloy.db
      camobo ask alloy.db -n 4                what to try next
      camobo tell alloy.db 0 strength=512     record a result
      camobo front alloy.db                   the best trade-offs so far

    Each command has its own help with examples: camobo ask --help
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, by default that of the process, and exit."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    ours = given[: given.index("--")] if "--" in given else given
    theirs = given[len(ours) :]
    debug = "--debug" in ours
    ours = [part for part in ours if part != "--debug"]
    given = ours + theirs
    if sys.stdout is None:
        raise SystemExit("Error: standard output is closed; nothing was done. Redirect it to a terminal or a file.")
    gc.set_threshold(_GARBAGE_THRESHOLD)
    with _quiet_pipe(), output.messages():
        try:
            app(args=given, prog_name="camobo")
        except CamoboError as error:
            output.failure() if debug else output.error(error)
            raise SystemExit(1) from None
        except SystemExit as stopped:
            if stopped.code == 130 and ours[:1] != ["paper"]:  # which prints its own message
                output.hint("Interrupted. Everything recorded so far is stored.")
            elif stopped.code == 2 and ours[:1] == ["run"] and "--" not in given:
                output.hint(
                    "The command that evaluates trials comes after --: camobo run alloy.toml -- python train.py"
                )
            elif stopped.code == 2 and ours[:1] == ["set"] and len(ours) > 1:
                output.hint('A value with spaces stands in quotes: --budget "2000 EUR", --cost "nickel > chromium".')
            elif stopped.code == 2 and (dashed := _dashed(ours)):
                output.hint(f"A name that starts with a dash comes after --: {phrases.command_line('camobo', *dashed)}")
            raise
        except BrokenPipeError:
            raise
        except Exception as error:
            output.failure() if debug else output.error(_explained(error))
            raise SystemExit(1) from None


def _dashed(given: list[str]) -> list[str]:
    """The command line with its results moved after --, if a name starts with a dash; otherwise empty."""
    names = [part for part in given if re.match("-(?!r=)[^-].*=", part) and given[0] in ("tell", "amend", "add")]
    return [part for part in given if part not in names] + ["--", *names] if names else []


def _explained(error: Exception) -> str:
    """One line about an error that is not a CamoboError."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG):
        return f"the output could not be written: {error.strerror}. camobo log shows what was done before."
    return f"{type(error).__name__}: {error}. Run with --debug to get a traceback you can report."


@contextlib.contextmanager
def _quiet_pipe() -> Iterator[None]:
    """End quietly when the reader of the output stops reading, as `head` does."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show µ shows \xb5
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Otherwise the interpreter would flush its buffer into the closed pipe on exit and print an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
