"""A researcher's own problem: CA-MOBO, MO-UCB and the default strategy compared on it, with the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from camobo.checks import values_of, whole
from camobo.errors import InvalidOptionError, InvalidValueError, shown
from camobo.history.trial import Trial
from camobo.paper import drawing, figures, folder, results, summary
from camobo.paper.experiments import OWN, Method, problem_text
from camobo.paper.page import measured
from camobo.paper.processes import check_can_be_sent
from camobo.paper.progress import Progress, in_lines
from camobo.paper.runs import make
from camobo.paper.statistics import Summary
from camobo.run.command import Command, CommandEvaluation
from camobo.run.evaluate import wait
from camobo.space.space import Space
from camobo.strategy.plan import Beta

Function: TypeAlias = Callable[[dict[str, Any]], Any]
"""Takes the params and returns the values by name."""
MethodName: TypeAlias = Literal["mo-ucb", "ca-mobo", "ca-mobo-printed", "default"]

NAMES: Mapping[str, Method] = {
    "mo-ucb": "mo-ucb",
    "ca-mobo": "paper",
    "ca-mobo-printed": "printed",
    "default": "default",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison came to. As text, it is a table."""

    folder: Path
    summary: Summary
    """Numbers per method and run, as in summary.json."""
    figures: tuple[Path, ...]
    """PNG files; each has a PDF beside it."""

    def __str__(self) -> str:
        return measured([self.summary])


def compare(
    function: Function,
    space: Space,
    objectives: Mapping[str, Literal["min", "max"]],
    order: str,
    *,
    out: str | Path,
    methods: Sequence[MethodName] = ("mo-ucb", "ca-mobo", "default"),
    runs: int = 10,
    iterations: int = 100,
    jobs: int = 1,
    seed: int = 0,
    beta: Beta = "practical",
    title: str = "Your problem",
    progress: Progress = in_lines,
) -> Comparison:
    """Compare methods on your own problem, as the paper compares them on its own; draw figures into the folder `out`.

    function: from params to values by name, such as {"error": 0.1, "seconds": 3.2}.
    order: which inputs are more expensive than which, "x1 > x2"; MO-UCB ignores it.
    methods: of "mo-ucb", "ca-mobo", "ca-mobo-printed" (the paper's weights as they are printed) and "default".
    runs: of each method; run r of every method starts from the same random observations and has seed `seed` + r.
    jobs: processes at once. With more than one, the function must be defined at the top of a module.
    progress: how progress is shown; by default in lines on standard error.

    Every finished run is stored. The same call again makes only the missing ones: stop it, or ask for more runs.
    """
    chosen = _methods(methods)
    for name, number, least in (("runs", runs, 1), ("iterations", iterations, 1), ("jobs", jobs, 1), ("seed", seed, 0)):
        whole(name, number, least)
    options = {"problem": problem_text(space, objectives, order), "title": title}
    setting = folder.Setting(OWN, iterations, seed, options, beta)
    if jobs > 1:
        check_can_be_sent(function)
    drawing.available()
    place = Path(out)
    folder.claim(place, setting)
    missing = folder.missing(place, setting, chosen, runs)
    with progress(len(missing) * iterations) as step:
        make(missing, jobs, step, _Checked(function, dict(objectives)))
    found = results.curves(folder.load(place, setting), setting)
    numbers = summary.summarise(place, setting, found)
    return Comparison(place, numbers, tuple(figures.draw(place, setting, found)))


def _methods(given: Sequence[str]) -> list[Method]:
    if isinstance(given, str) or not given or any(name not in NAMES for name in given):
        raise InvalidOptionError(f"methods: need some of {', '.join(NAMES)}, got {shown(given)}.")
    return list(dict.fromkeys(NAMES[name] for name in given))


@dataclass(frozen=True, slots=True)
class _Checked:
    """A function whose values are checked, in the order of the objectives."""

    function: Function
    objectives: Mapping[str, Any]

    def __call__(self, params: Mapping[str, Any]) -> tuple[float, ...]:
        """The values for these params."""
        returned = self.function(dict(params))
        return tuple(values_of(returned, self.objectives).values())


@dataclass(frozen=True, slots=True)
class CommandFunction:
    """A command as the function: its placeholders are inputs, and it prints the values, as for `camobo run`."""

    command: Command

    def __call__(self, params: dict[str, Any]) -> Mapping[str, float]:
        """The values that the command prints for these params; an error if it fails."""
        evaluation = CommandEvaluation(self.command, Trial(0, params), None)
        evaluation.begin()
        outcome = wait(evaluation, lambda: None)
        if outcome.values is None:
            raise InvalidValueError(
                f"{outcome.reason}. The inputs were {shown(params)}. Finished runs are stored; "
                "once the command is fixed, run the same again to continue."
            )
        return outcome.values
