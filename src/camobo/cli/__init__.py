"""The `camobo` command.

`app` holds the commands, a module a group; `main` runs them and turns an error into one line and an exit code:
0 done, 1 something the user can mend, 2 a command line that cannot be read. No traceback without --debug.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

import camobo
from camobo.errors import CamoboError
from camobo.paper import command as paper

app = typer.Typer(
    name="camobo",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(paper.app)


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
    """Find the best trade-offs while using little of what is dear."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line (that of the process if None) and exit."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(args=given, prog_name="camobo")
    except CamoboError as error:
        if "--debug" in given:
            raise
        Console(stderr=True, soft_wrap=True).print(f"[bold red]Error:[/] {escape(str(error))}", highlight=False)
        raise SystemExit(1) from None
