"""The `camobo` command.

`app` holds the commands, a module a group; `main` runs them and turns an error into one line and an exit code:
0 done, 1 something the user can mend, 2 a command line that cannot be read, 130 interrupted. No traceback without
--debug. Modules import NumPy, SQLAlchemy and the like inside their commands, so that help and completion are quick.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

import camobo
from camobo.cli import demo, reading, running, show, studies, tables, trials, words
from camobo.errors import CamoboError
from camobo.paper import command as paper

app = typer.Typer(
    name="camobo",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_MANY = 200_000
"""New records between collections of garbage: a large study is many records, none of them garbage."""
for group in (studies, trials, reading, tables, running, demo, paper):
    app.add_typer(group.app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"camobo {camobo.__version__}")
        raise typer.Exit


@app.callback()
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = (
        False
    ),
) -> None:
    """Find the best trade-offs while using little of what is dear.

    \b
    A study, from its problem to its front:
      camobo init alloy.toml               a commented problem file
      camobo new alloy.toml                begins the study alloy.db
      camobo ask alloy.db -n 4             what to try next
      camobo tell alloy.db 0 strength=512  what came of it
      camobo front alloy.db                the best trade-offs so far
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line (that of the process if None) and exit."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    ours = given[: given.index("--")] if "--" in given else given
    debug = "--debug" in ours
    given = [part for part in ours if part != "--debug"] + given[len(ours) :]
    if sys.stdout is None:
        raise SystemExit("Error: standard output is closed, so nothing was done. Let it go somewhere.")
    gc.set_threshold(_MANY)
    with _quiet_pipe():
        try:
            app(args=given, prog_name="camobo")
        except CamoboError as error:
            if debug:
                raise
            show.error(str(error))
            raise SystemExit(1) from None
        except SystemExit as stopped:
            if stopped.code == 130 and ours[:1] != ["paper"]:  # which has said so itself
                show.hint("Interrupted. What was recorded before is kept.")
            elif stopped.code == 2 and ours[:1] == ["run"] and "--" not in given:
                show.hint("The command that evaluates a trial comes after --: camobo run alloy.toml -- python train.py")
            elif stopped.code == 2 and (dashed := _dashed(ours)):
                show.hint(f"A name that begins with a dash comes after --: {words.typed('camobo', *dashed)}")
            raise
        except BrokenPipeError:
            raise
        except Exception as error:
            if debug:
                raise
            show.error(_explained(error))
            raise SystemExit(1) from None


def _dashed(given: list[str]) -> list[str]:
    """The line with its results after --, if a name that begins with a dash was taken for an option; else nothing."""
    names = [part for part in given if re.match("-(?!r=)[^-].*=", part) and given[0] in ("tell", "amend")]
    return [part for part in given if part not in names] + ["--", *names] if names else []


def _explained(error: Exception) -> str:
    """An error that is none of ours, in a line."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG):
        return f"the output could not be written: {error.strerror}. What the command had done by then is in camobo log."
    return f"{type(error).__name__}: {error}. With --debug there is a traceback to report."


@contextlib.contextmanager
def _quiet_pipe() -> Iterator[None]:
    """Whoever reads the output may stop reading, as `head` does: no reason to complain."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show µ shows \xb5
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered has nowhere to go; without this the interpreter would try, and complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
