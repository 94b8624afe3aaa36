"""`camobo run`: a command as the objective."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from camobo.cli import arguments, show, words
from camobo.cli.arguments import AsJson, Owner, ProblemOrStudy
from camobo.interrupts import ENDING

if TYPE_CHECKING:
    from camobo.study import Study
    from camobo.trial import Trial

app = typer.Typer()


@app.command(rich_help_panel="Run")
def run(
    study: ProblemOrStudy,
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND...", show_default=False, help="What evaluates a trial.")
    ],
    n: Annotated[
        int | None, typer.Option("-n", "--trials", min=1, help="How many trials. Default: until the budget is met.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many at once.")] = 1,
    timeout: Annotated[
        str | None, typer.Option("--timeout", metavar="TIME", help="How long one may take: 90s, 30m, 2h.")
    ] = None,
    owner: Owner = None,
    lease: Annotated[
        str,
        typer.Option("--lease", metavar="TIME", help="How long others leave a trial alone if this run is gone."),
    ] = "10m",
    storage: Annotated[
        str | None, typer.Option("--storage", metavar="PLACE", help="Where the study of a problem file is kept.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Evaluate trials with a command: python train.py --trees {trees}

    Each {name} becomes the value of that input, {trial} the trial's number; {{ and }} are plain braces. There is no
    shell in between. The values are also in the environment variable CAMOBO_PARAMS, as JSON. The command prints its
    results: one JSON object on its last line, or lines name=value; cost may be among them. One that exits with another
    code than 0, prints no results or takes too long is a failed trial with the reason, and the run goes on.

    Many runs, on many machines, may work on one study. Ctrl-C hands back what is under way.

    \b
    Examples:
      camobo run forest.toml -- python train.py --trees {trees} --depth {depth}
      camobo run forest.toml -n 20 --jobs 4 --timeout 10m -- ./train.sh {trees}
      camobo run postgresql+psycopg://server/forest -- python train.py
    """
    from camobo.command import Command
    from camobo.who import worker_name

    name = owner or worker_name()
    with _open(study, storage) as opened, _terminated(), _warnings():
        first = {trial.number for trial in opened.trials if not trial.state.open}
        opened.optimize(
            Command(command, opened.space.names, list(opened.objectives)),
            n,
            jobs=jobs,
            timeout=words.time_of("timeout", timeout),
            owner=owner,
            lease=words.time_of("lease", lease),
        )
        ended = (trial for trial in opened.trials if not trial.state.open and trial.number not in first)
        _finish(opened, [trial for trial in ended if trial.owner == name], json)


@contextmanager
def _open(place: str, storage: str | None) -> Iterator[Study]:
    from camobo.errors import InvalidOptionError
    from camobo.study import Study

    if place.endswith(".toml"):
        study = Study.from_toml(place, storage=storage or arguments.study_of_problem(place))
    elif storage is not None:
        raise InvalidOptionError(f"--storage: goes with a problem file; {place} is a study already.")
    else:
        study = arguments.open_study(place)
    with study:
        yield study


@contextmanager
def _terminated() -> Iterator[None]:
    """Exit as a shell would say it: 143 for a SIGTERM, 129 for a terminal that was closed. `nohup` keeps its word."""

    def stop(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    asked = [number for number in ENDING[1:] if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in asked}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Shown(logging.Handler):
    """Warnings as lines on whatever standard error is now: a progress bar takes its place for a while."""

    def emit(self, record: logging.LogRecord) -> None:
        text = show.clean(record.getMessage(), keep="\n")
        print(text, file=sys.stderr)


@contextmanager
def _warnings() -> Iterator[None]:
    logger, handler = logging.getLogger("camobo"), _Shown(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _finish(study: Study, trials: list[Trial], json: bool) -> None:
    """Say what came of the run; it counts as failed if every one of its trials did."""
    failed = [trial for trial in trials if trial.state.value == "failed"]
    facts: dict[str, Any] = {
        "study": study.storage,
        "evaluated": len(trials),
        "failed": len(failed),
        "hypervolume": study.hypervolume(),
        "front": [trial.number for trial in study.front()],
    }
    if json:
        show.as_json(facts)
    elif trials:
        show.say(f"{study.storage}: {len(trials)} evaluated, {len(failed)} of them failed.")
        found = words.counted(len(facts["front"]), "trial")
        show.say(f"hypervolume {show.cell(facts['hypervolume'])}, {found} on the front.")
    else:
        show.say(f"{study.storage}: the budget of {study.budget} is met, nothing was left to do. For more give -n.")
    if trials and len(failed) == len(trials):
        show.error(f"{words.counted(len(trials), 'trial')} evaluated, none with results. The last: {failed[-1].reason}")
        raise typer.Exit(1)
