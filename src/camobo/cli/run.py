"""`camobo run`: a command evaluates the trials."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from camobo.cli import arguments, output, parse, phrases
from camobo.cli.arguments import AsJson, Owner, ProblemOrStudy
from camobo.errors import CamoboError, InvalidOptionError
from camobo.hints import counted
from camobo.run.interrupts import END_SIGNALS

if TYPE_CHECKING:
    from camobo.history.trial import Trial
    from camobo.study.study import Study

app = typer.Typer()


@app.command(rich_help_panel="Automate")
def run(
    study: ProblemOrStudy,
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND", show_default=False, help="The command that evaluates a trial.")
    ],
    n: Annotated[
        int | None,
        typer.Option("-n", "--trials", metavar="N", min=1, help="How many trials. Default: until the budget is spent."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="How many trials at once.")] = 1,
    timeout: Annotated[
        str | None,
        typer.Option("--timeout", metavar="TIME", help="Longest time per trial: 90s, 30m, 2h. Default: no limit."),
    ] = None,
    owner: Owner = None,
    lease: Annotated[
        str,
        typer.Option("--lease", metavar="TIME", help="How long trials stay reserved if this run is killed."),
    ] = "10m",
    storage: Annotated[
        str | None,
        typer.Option("--storage", metavar="PLACE", help="With a problem file: where to store its study."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Evaluate trials with a command, such as a training script.

    Examples:
      camobo run forest.toml -- python train.py --trees {trees} --depth {depth}
      camobo run forest.toml -n 20 --jobs 4 --timeout 10m -- ./train.sh {trees}
      camobo run postgresql+psycopg://server/forest -- python train.py

    Each {name} becomes the value of that input, {trial} the trial's number;
    {{ and }} are plain braces. No shell is involved. The environment variable
    CAMOBO_PARAMS holds the inputs as JSON, CAMOBO_TRIAL the trial's number.

    The command prints its results: lines name=value, or one JSON object on
    its last line; cost may be among them. If it exits with a code other than
    0, prints no results or takes too long, the trial is recorded as failed
    with the reason, and the run continues.

    Several runs, also on several machines, can share one study. Ctrl-C hands
    unfinished trials back.
    """
    from camobo.run.command import Command
    from camobo.study.identity import worker_name

    name = worker_name(owner)
    with _open(study, storage) as opened, _terminated(), _warnings():
        before = {trial.number for trial in opened.trials if not trial.state.open}
        opened.optimize(
            Command(command, opened.space.names, list(opened.objectives)),
            n,
            jobs=jobs,
            timeout=parse.duration(timeout),
            owner=owner,
            lease=parse.duration(lease),
        )
        ended = (trial for trial in opened.trials if not trial.state.open and trial.number not in before)
        _finish(opened, [trial for trial in ended if trial.owner == name], json)


@contextmanager
def _open(place: str, storage: str | None) -> Iterator[Study]:
    from camobo.study.study import Study

    if place.endswith(".toml"):
        study = Study.from_toml(place, storage=storage or arguments.study_of_problem(place))
    elif storage is not None:
        raise InvalidOptionError(f"--storage: goes with a problem file; {place} is a study.")
    else:
        study = arguments.open_study(place)
    with study:
        yield study


@contextmanager
def _terminated() -> Iterator[None]:
    """Exit with the shell's code for a signal: 143 for SIGTERM, 129 for a closed terminal. `nohup` is respected."""

    def stop(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    asked = [number for number in END_SIGNALS[1:] if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in asked}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _PrintWarnings(logging.Handler):
    """Prints warnings to the current standard error, which a progress bar replaces for a while."""

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple):  # errors carry advice, which is a command here
            record.args = tuple(phrases.error(a) if isinstance(a, CamoboError) else a for a in record.args)
        text = output.clean(record.getMessage(), keep="\n")
        print(text, file=sys.stderr)


@contextmanager
def _warnings() -> Iterator[None]:
    logger, handler = logging.getLogger("camobo"), _PrintWarnings(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _finish(study: Study, trials: list[Trial], json: bool) -> None:
    """Report the run; exit code 1 if every trial failed."""
    failed = [trial for trial in trials if trial.state.value == "failed"]
    facts: dict[str, Any] = {
        "study": study.storage,
        "evaluated": len(trials),
        "failed": len(failed),
        "hypervolume": study.hypervolume(),
        "front": [trial.number for trial in study.front()],
    }
    if json:
        output.as_json(facts)
    elif trials:
        output.say(f"{study.storage}: {len(trials)} evaluated, {len(failed)} failed.")
        found = counted(len(facts["front"]), "trial")
        output.say(f"hypervolume {output.cell(facts['hypervolume'])}, {found} on the front.")
    else:
        output.say(f"{study.storage}: the budget of {study.budget} trials is spent. To run more, give -n.")
    if trials and len(failed) == len(trials):
        output.error(f"{counted(len(trials), 'trial')} evaluated, all failed. The last: {failed[-1].reason}")
        raise typer.Exit(1)
