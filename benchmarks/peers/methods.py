"""The methods of the contest: the packages they need, what they know, and how they start."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from peers.chosen import able
from peers.problems import Contest
from peers.session import Session
from sources import fingerprint


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the contest: the module and function that make it, its packages, and what it knows about cost."""

    module: str
    maker: str
    packages: tuple[str, ...]
    knows: str
    start: Literal["own", "uniform", "cheap"] = "uniform"
    """Whether it chooses its own first points, or is given uniform ones, or uniform ones in the cheap half."""
    takes_points: bool = True
    """Whether it learns from points it did not suggest."""
    stretch: int = 1
    """It is given this many times the evaluations of the problem."""
    told: str = "nothing"
    """What it is told about the problem besides space and constraints."""
    begins: str = ""
    """Its own first points, or what it adds to those it is given."""

    @property
    def first_points(self) -> str:
        """A phrase about its first points."""
        given = "max(5, inputs + 1) uniform"
        begun = {"own": "", "uniform": given, "cheap": f"{given} in the cheap half"}[self.start]
        return ", ".join(filter(None, (begun, self.begins)))

    def made(self, contest: Contest, seed: int) -> Session:
        """A new run; ImportError if what it needs is not installed."""
        session: Session = getattr(importlib.import_module(f"peers.{self.module}"), self.maker)(contest, seed)
        return session

    def missing(self) -> str | None:
        """Why it cannot take part here, or None."""
        try:
            importlib.import_module(f"peers.{self.module}")
        except Exception as error:  # whatever the reason, it is reported and the peer skipped
            return f"{type(error).__name__}: {error}"[:200]
        return None

    def versions(self) -> dict[str, str]:
        """The installed versions of its packages; camobo's with a fingerprint of its sources."""
        found = {}
        for package in self.packages:
            try:
                found[package] = version(package) + (f" ({fingerprint()})" if package == "camobo" else "")
            except PackageNotFoundError:
                continue
        return found


OURS, BLIND = "camobo", "camobo without cost"
_REFERENCE = "the reference"
_BOTORCH = ("botorch", "gpytorch", "torch")
_CAMOBO = ("camobo", "numpy", "scipy")


def _flaml(maker: str, *packages: str) -> Method:
    return Method(
        "in_flaml",
        maker,
        packages,
        "the cheap end, what was paid",
        start="own",
        takes_points=False,
        stretch=3,
        told=f"{_REFERENCE}, the best of each objective",
        begins="the cheap corner",
    )


METHODS: dict[str, Method] = {
    OURS: Method(
        "in_optuna",
        "camobo",
        _CAMOBO,
        "the order",
        start="own",
        told=f"{_REFERENCE}, the number of evaluations",
        begins="half as many as inputs, at least three, spread over the space, denser where it is cheap",
    ),
    BLIND: Method(
        "in_optuna",
        "camobo_blind",
        _CAMOBO,
        "nothing",
        start="own",
        told=f"{_REFERENCE}, the number of evaluations",
        begins="half as many as inputs, at least three, spread evenly",
    ),
    "Optuna GPSampler": Method("in_optuna", "gpsampler", ("optuna", "torch"), "nothing", told="no noise"),
    "Optuna TPE": Method("in_optuna", "tpe", ("optuna",), "nothing", begins="to 10 in all, its default"),
    "Optuna NSGA-II": Method("in_optuna", "nsga2", ("optuna",), "nothing", begins="to 20 in all, its population"),
    "qLogNEHVI": Method("in_botorch", "InBotorch", _BOTORCH, "nothing", told=f"{_REFERENCE}, no noise"),
    "qLogNParEGO": Method("in_botorch", "ParEGO", _BOTORCH, "nothing", told="no noise"),
    "qLogNEHVI ÷ cost": Method(
        "in_botorch",
        "PerMoney",
        _BOTORCH,
        "the true cost; on the forest a model of what was paid",
        start="cheap",
        told=f"{_REFERENCE}, no noise",
    ),
    "FLAML CFO": _flaml("cfo", "flaml"),
    "FLAML BlendSearch": _flaml("blendsearch", "flaml", "optuna"),
    "SMAC3 ParEGO": Method(
        "in_smac",
        "Smac",
        ("smac",),
        "nothing",
        start="own",
        takes_points=False,
        told="the number of evaluations, no noise",
        begins="8 per input, at most a quarter of the evaluations: its default",
    ),
    "pymoo NSGA-II": Method(
        "in_pymoo", "Nsga2", ("pymoo",), "nothing", start="own", takes_points=False, begins="20 uniform, its population"
    ),
    "random": Method("session", "Random", ("numpy",), "nothing"),
    "cheapest first": Method(
        "session",
        "CheapestFirst",
        ("numpy",),
        "the order",
        start="own",
        told="the number of evaluations",
        begins="the cheapest of an evenly spread set",
    ),
}


def installed(names: Sequence[str]) -> list[str]:
    """The methods that can take part here."""
    return able("method", names, METHODS, Method.missing)
