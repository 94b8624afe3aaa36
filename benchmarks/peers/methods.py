"""Who takes part, what each needs installed, and whether it makes its own first points."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from peers.chosen import able
from peers.problems import Contest
from peers.session import Session


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the contest: where it is made, the packages it stands on, and what it knows of cost."""

    module: str
    maker: str
    packages: tuple[str, ...]
    knows: str
    start: Literal["own", "uniform", "cheap"] = "uniform"
    """Whether it chooses its first points itself, or is given uniform ones, or uniform ones of the cheap half."""
    takes_points: bool = True
    """Whether it learns from points it did not suggest."""
    stretch: int = 1
    """How many times the problem's evaluations it is given."""

    def made(self, contest: Contest, seed: int) -> Session:
        """A new run; ImportError if what it needs is not installed."""
        session: Session = getattr(importlib.import_module(f"peers.{self.module}"), self.maker)(contest, seed)
        return session

    def missing(self) -> str | None:
        """Why it cannot take part here, or nothing."""
        try:
            importlib.import_module(f"peers.{self.module}")
        except Exception as error:  # a peer that cannot be loaded is skipped with its reason, whatever that is
            return f"{type(error).__name__}: {error}"[:200]
        return None

    def versions(self) -> dict[str, str]:
        """Of its packages, as installed."""
        found = {}
        for package in self.packages:
            try:
                found[package] = version(package)
            except PackageNotFoundError:
                continue
        return found


METHODS: dict[str, Method] = {
    "camobo": Method("in_optuna", "camobo", ("camobo", "numpy", "scipy"), "the order", start="own"),
    "camobo without cost": Method("in_optuna", "camobo_blind", ("camobo", "numpy", "scipy"), "nothing", start="own"),
    "Optuna GPSampler": Method("in_optuna", "gpsampler", ("optuna", "torch"), "nothing"),
    "Optuna TPE": Method("in_optuna", "tpe", ("optuna",), "nothing"),
    "Optuna NSGA-II": Method("in_optuna", "nsga2", ("optuna",), "nothing"),
    "qLogNEHVI": Method("in_botorch", "InBotorch", ("botorch", "gpytorch", "torch"), "nothing"),
    "qLogNParEGO": Method("in_botorch", "ParEGO", ("botorch", "gpytorch", "torch"), "nothing"),
    "qLogNEHVI ÷ cost": Method(
        "in_botorch", "PerMoney", ("botorch", "gpytorch", "torch"), "the true price", start="cheap"
    ),
    "FLAML CFO": Method("in_flaml", "cfo", ("flaml",), "the cheap end", start="own", takes_points=False, stretch=3),
    "FLAML BlendSearch": Method(
        "in_flaml", "blendsearch", ("flaml", "optuna"), "the cheap end", start="own", takes_points=False, stretch=3
    ),
    "SMAC3 ParEGO": Method("in_smac", "Smac", ("smac",), "nothing", start="own", takes_points=False),
    "pymoo NSGA-II": Method("in_pymoo", "Nsga2", ("pymoo",), "nothing", start="own", takes_points=False),
    "random": Method("session", "Random", ("numpy",), "nothing"),
    "cheapest first": Method("session", "CheapestFirst", ("numpy",), "the order", start="own"),
}


def installed(names: Sequence[str]) -> list[str]:
    """Those of the methods that can take part here."""
    return able("method", names, METHODS, Method.missing)
