"""`camobo report`: a study, or a study of Optuna's, as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from camobo.cli import arguments, output, parse, phrases
from camobo.cli.arguments import Force, MaybeStudyPlace
from camobo.errors import InvalidOptionError

if TYPE_CHECKING:
    from camobo.cost.budget import Budget

app = typer.Typer()


@app.command(rich_help_panel="See results")
def report(
    study: MaybeStudyPlace = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The file to write. Default: the study's name, such as alloy.html."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The heading of the report.")] = None,
    trial: Annotated[
        str | None,
        typer.Option(
            "--trial",
            metavar="TRIAL",
            autocompletion=arguments.all_trials,
            help="The trial whose surroundings are shown. Default: the best compromise.",
        ),
    ] = None,
    optuna: Annotated[
        str | None,
        typer.Option("--optuna", metavar="URL", help="Report on an Optuna study: its storage, a URL or a file."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--study", metavar="NAME", help="With --optuna: the study's name, if there are several."),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option("--cost", metavar="ORDER", help='With --optuna: the cost order, such as "trees > depth".'),
    ] = None,
    expensive: Annotated[
        list[str] | None,
        typer.Option(
            "--expensive",
            metavar="NAME=END",
            help="With --optuna: the expensive end or choices of a parameter: rate=low or quench=vacuum,oil.",
        ),
    ] = None,
    dear: Annotated[list[str] | None, typer.Option("--dear", hidden=True)] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", help='With --optuna: the budget planned, such as 60, "2000 EUR" or 2h.'),
    ] = None,
    force: Force = False,
) -> None:
    """Write a report: one HTML file with figures and tables that opens offline.

    Examples:
      camobo report alloy.db
      camobo report alloy.db -o alloy.html --title "Alloy, week 12"
      camobo report --optuna sqlite:///forest.db --study forest

    Overwrites an existing camobo report; refuses any other file without
    --force. Needs Plotly: pip install 'camobo\\[plot]'
    """
    if dear:
        raise typer.BadParameter("--dear is now --expensive. Use the new name.")
    if (study is None) == (optuna is None):
        raise InvalidOptionError("report: need one study, either a file such as alloy.db or --optuna URL.")
    if study is not None and any(given is not None for given in (name, cost, expensive, budget)):
        raise InvalidOptionError(
            "--study, --cost, --expensive and --budget go with --optuna only: a camobo study holds its own."
        )
    if out is None and study is not None and "://" in study:
        raise InvalidOptionError("--out: need a file to write, such as -o alloy.html.")
    number = None if trial is None else parse.trial_number(trial)
    from camobo.report import report as write_report

    if study is not None:
        target = _report_file(out or arguments.with_ending(study, ".html"), force=force)
        with arguments.open_study(study) as opened:
            written = write_report(opened, target, title=title, trial=number)
    elif optuna is not None:
        from camobo.optuna import load, record

        loaded = load(optuna, name)
        target = _report_file(out or f"{phrases.file_name(loaded.study_name)}.html", force=force)
        ends = parse.expensive_ends(expensive or [])
        found = record(loaded, cost=cost, expensive=ends, budget=_optuna_budget(budget, cost))
        written = write_report(found, target, title=title, trial=number)
    output.say(f"{written}: open it in a browser.")


def _optuna_budget(text: str | None, cost: str | None) -> Budget | str | None:
    """The sampler's budget; a time if trials cost what they last."""
    if text is None or (cost == "duration" and not text.strip().isdigit()):
        return text
    from camobo.history.document import read_budget

    return read_budget(parse.budget(text))


def _report_file(target: str, *, force: bool) -> str:
    """A file the report may be written to: a new one or an older report; any other file only with `force`."""
    from camobo.cli.csv_files import refuse_existing
    from camobo.report.page import is_report

    refuse_existing(target, force=force or is_report(target))
    return target
