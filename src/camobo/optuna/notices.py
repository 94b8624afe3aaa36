"""What a sampler has to tell about a study, in the log, each thing once."""

from __future__ import annotations

import difflib
import logging
import math
import unicodedata
from collections.abc import Collection, Sequence

import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from camobo.inputs import Categorical, Input
from camobo.optuna.inputs import Inputs
from camobo.optuna.records import constraints_of

_log = logging.getLogger("camobo")

_TOLD_AFTER = 10  # trials without a parameter the order names


def is_flat(given: Input) -> bool:
    """Whether all its values cost the same: a category without dear choices."""
    return isinstance(given, Categorical) and not given.dear


def _like(name: str, others: Sequence[str]) -> list[str]:
    """The one among others, quoted, that a name is probably meant for; none if none is."""
    for other in others:
        if unicodedata.normalize("NFKC", other) == unicodedata.normalize("NFKC", name):
            return [f"{other!r}, written as {other!a}, not as {name!a}"]
    folded = {other.casefold(): other for other in others}
    return [repr(folded[like]) for like in difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.75)]


class Notices:
    """Warnings about the names in an order and in `dear`, and about trials; remembered by kind and name."""

    def __init__(self, named: Collection[str], dear: Collection[str]) -> None:
        self._named = named
        self._dear = dear
        self._told: set[tuple[str, str]] = set()

    def exhausted(self) -> None:
        """Warn that a finite space is used up."""
        self._once("exhausted", "", "every point of the search space has been tried: some are tried again.")

    def names(self, trials: Sequence[FrozenTrial]) -> None:
        """Warn of a name in the order or in `dear` that no trial has: at once if it looks misspelt, else after a few.

        A name that is itself in the order or in `dear` is nobody's misspelling: its like may yet come.
        """
        seen = sorted({name for trial in trials for name in trial.params})
        strangers = [name for name in seen if name not in self._named and name not in self._dear]
        for option, names in (("cost", self._named), ("dear", self._dear)):
            for name in names:
                near = [] if name in seen else _like(name, strangers)
                if near or (name not in seen and len(trials) >= _TOLD_AFTER):
                    self._once(
                        "name",
                        name,
                        f"{option}: the study has no parameter called {name!r}. "
                        f"So far it has suggested {', '.join(seen) or 'none'}."
                        + (f" Did you mean {near[0]}?" if near else ""),
                    )

    def categories(self, inputs: Inputs) -> None:
        """Warn of a category in the order that has no dear choices."""
        for name, given in inputs.space.inputs.items():
            if name in self._named and is_flat(given):
                self._once(
                    "category",
                    name,
                    f"cost: {name!r} is a category, and none of its choices is called dear, so it costs nothing. "
                    f'List the dear ones, dearest first: dear={{"{name}": [...]}}.',
                )

    def values(self, trials: Sequence[FrozenTrial], *, constrained: bool) -> None:
        """Warn of results that are infinite, and of constraints if there are any."""
        for trial in trials:
            if trial.state is TrialState.COMPLETE and not all(map(math.isfinite, trial.values)):
                self._once(
                    "not finite",
                    "",
                    f"trial {trial.number} has a value that is not finite, {trial.values}: it is counted as failed. "
                    "To say that a trial went badly return a large finite number; to say that it failed, raise.",
                )
            if not constrained or not trial.state.is_finished():
                continue
            infinite = [name for name, value in constraints_of(trial).items() if value == math.inf]
            if infinite:
                self._once(
                    "infinite",
                    "",
                    f"trial {trial.number} has a constraint at infinity, {', '.join(infinite)}: it counts as failed. "
                    "To say that a constraint is far from held, which a model can learn, give a large finite number.",
                )

    def changing_range(self, study: optuna.Study, name: str, given: BaseDistribution) -> None:
        """Warn of a parameter that an earlier trial has with another range."""
        if ("range", name) in self._told:
            return
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            other = trial.distributions.get(name, given)
            if other != given:
                self._once(
                    "range",
                    name,
                    f"parameter {name!r} changes its range, {other} in trial {trial.number} and {given} now: "
                    "no model can learn from it, and it is drawn at random. Keep its range the same in every trial.",
                )

    def _once(self, kind: str, name: str, message: str) -> None:
        if (kind, name) not in self._told:
            self._told.add((kind, name))
            _log.warning("%s", message)
