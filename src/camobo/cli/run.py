"""`camobo run`: a command evaluates the trials."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from camobo.cli import arguments, output, parse
from camobo.cli.arguments import AsJson, Owner, ProblemOrStudy
from camobo.errors import InvalidOptionError
from camobo.hints import counted
from camobo.run.interrupts import END_SIGNALS
from camobo.run.money import amount, spent_of

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
        typer.Option("--timeout", metavar="TIME", help="Start no trial after this time: 90s, 30m, 2h."),
    ] = None,
    trial_timeout: Annotated[
        str | None,
        typer.Option("--trial-timeout", metavar="TIME", help="Longest time per trial. Default: no limit."),
    ] = None,
    record_failures: Annotated[
        bool,
        typer.Option("--record-failures", help="Go on although the first trials all fail alike, and record them."),
    ] = False,
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
      camobo run forest.toml --jobs 4 --trial-timeout 10m -- ./train.sh {trees}
      camobo run postgresql+psycopg://server/forest -- python train.py

    Each {name} becomes the value of that input, {trial} the trial's number;
    {{ and }} are plain braces. No shell is involved. The environment variable
    CAMOBO_PARAMS holds the inputs as JSON, CAMOBO_TRIAL the trial's number.

    The command prints its results: lines name=value, or one JSON object on
    its last line. If it exits with a code other than 0, prints no results or
    takes too long, the trial is recorded as failed with the reason, and the
    run continues.

    If the first 3 trials all fail alike, the command is broken, and so it is
    if it prints something other than a number per objective. Then the run
    ends with exit code 1 and releases these trials: fix the command and run
    again. Where failures are expected give --record-failures.

    What a trial cost is printed as a line cost=41.5, or as the key "cost" of
    the JSON object; also by a command that fails. If an objective is called
    "cost", it is that. In a study whose cost is learned from durations, the
    seconds the command took are its cost where it prints none. A budget in
    money ends the run when what is left pays for no further trial.

    Several runs, also on several machines, can share one study. Ctrl-C hands
    unfinished trials back.
    """
    from camobo.run.command import Command
    from camobo.study.identity import worker_name

    name = worker_name(owner)
    with _open(study, storage) as opened, _terminated(), _all_messages():
        before = {trial.number for trial in opened.trials if not trial.state.open}
        opened.optimize(
            Command(command, opened.space.names, list(opened.objectives)),
            n,
            jobs=jobs,
            timeout=parse.duration(timeout),
            trial_timeout=parse.duration(trial_timeout),
            catch=Exception if record_failures else (),
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


@contextmanager
def _all_messages() -> Iterator[None]:
    """Print also what is no warning, such as that the money is spent."""
    logger = logging.getLogger("camobo")
    before = logger.level
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(before)


def _finish(study: Study, trials: list[Trial], json: bool) -> None:
    """Report the run; exit code 1 if every trial failed."""
    failed = [trial for trial in trials if trial.state.value == "failed"]
    facts: dict[str, Any] = {
        "study": study.storage,
        "evaluated": len(trials),
        "failed": len(failed),
        "hypervolume": study.hypervolume(),
        "front": [trial.number for trial in study.front()],
        "spent": _spent_on(trials),
        "spent_in_all": study.spent(),
        "remaining": study.remaining(),
    }
    if json:
        output.as_json(facts)
    elif trials:
        output.say(f"{study.storage}: {len(trials)} evaluated, {len(failed)} failed.")
        found = counted(len(facts["front"]), "trial")
        output.say(f"hypervolume {output.cell(facts['hypervolume'])}, {found} on the front.")
    else:
        output.say(f"{study.storage}: no trial was evaluated.")
    if not json and (facts["spent"] is not None or facts["remaining"] is not None):
        output.say(f"spent {_spending(study, facts['spent'], facts['spent_in_all'])}.")
    if trials and len(failed) == len(trials):
        output.error(f"{counted(len(trials), 'trial')} evaluated, all failed. The last: {failed[-1].reason}")
        raise typer.Exit(1)


def _spent_on(trials: list[Trial]) -> float | None:
    """What these trials cost, or are expected to have cost where no cost was recorded; None if nothing is known."""
    costs = [trial.expected if trial.cost is None else trial.cost for trial in trials]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def _spending(study: Study, here: float | None, in_all: float) -> str:
    """What this run and the whole study spent.

    Example: "180 EUR in this run, 1987 of 2000 EUR in all".
    """
    budget = study.budget
    limit, unit = (None, "") if budget is None else (budget.cost, budget.unit)
    run = "" if here is None else f"{amount(here)} {unit}".rstrip() + " in this run, "
    return f"{run}{spent_of(in_all, limit, unit)} in all"
