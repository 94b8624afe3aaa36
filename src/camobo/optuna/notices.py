"""What a sampler has to tell about a study, in the log, each thing once."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Sequence

import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from camobo.hints import meant
from camobo.inputs import Categorical, Input
from camobo.optuna.inputs import Inputs
from camobo.optuna.told import constraints_of

_log = logging.getLogger("camobo")

_TOLD_AFTER = 10  # trials without a parameter the order names
_IF_MEANT = "; if that is meant, say CostAwareSampler(..., warn_independent_sampling=False)."


def is_flat(given: Input) -> bool:
    """Whether all its values cost the same: a category without dear choices."""
    return isinstance(given, Categorical) and not given.dear


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

        A name that is itself in the order is no misspelling of another in the order: its like may yet come. So in
        `dear`. Trials that have no parameters yet say nothing. Warn too of a parameter in `dear` that the order lacks.
        """
        begun = [trial for trial in trials if trial.params]
        seen = sorted({name for trial in begun for name in trial.params})
        for name in seen:
            if name in self._dear and name not in self._named:
                self._once(
                    "unpriced", name, f"dear: {name!r} is not in the cost's order, so it costs nothing. Name it there."
                )
        for option, names in (("cost", self._named), ("dear", self._dear)):
            strangers = [name for name in seen if name not in names]
            for name in names:
                hint = "" if name in seen else meant(name, strangers)
                if hint or (name not in seen and len(begun) >= _TOLD_AFTER):
                    self._once(
                        "name",
                        name,
                        f"{option}: the study has no parameter called {name!r}. "
                        f"So far it has suggested {', '.join(seen)}.{hint}",
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

    def values(self, trials: Sequence[FrozenTrial]) -> None:
        """Warn of results that are infinite, and of constraints that are, or that are no numbers."""
        for trial in trials:
            if trial.state is TrialState.COMPLETE and not all(map(math.isfinite, trial.values)):
                self._once(
                    "not finite",
                    "",
                    f"trial {trial.number} has a value that is not finite, {trial.values}: it is counted as failed. "
                    "To say that a trial went badly return a large finite number; to say that it failed, raise.",
                )
            told = constraints_of(trial) if trial.state.is_finished() else {}
            unread = [name for name, value in told.items() if math.isnan(value)]
            if unread:
                self._once(
                    "no number",
                    "",
                    f"trial {trial.number} has a constraint that is no number, {', '.join(unread)}: it counts as "
                    "failed. Constraints need numbers: zero or below where they hold, above where they do not.",
                )
            infinite = [name for name, value in told.items() if value == math.inf]
            if infinite:
                self._once(
                    "infinite",
                    "",
                    f"trial {trial.number} has a constraint at infinity, {', '.join(infinite)}: it counts as failed. "
                    "To say that a constraint is far from held, which a model can learn, give a large finite number.",
                )

    def independent(self, study: optuna.Study, name: str, given: BaseDistribution) -> None:
        """Warn of a parameter that is not modelled: a complete trial lacks it, or has it with another range."""
        if ("independent", name) in self._told:
            return
        trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        changed = next((trial for trial in trials if trial.distributions.get(name, given) != given), None)
        if changed is not None:
            self._once(
                "independent",
                name,
                f"parameter {name!r} changes its range, {changed.distributions[name]} in trial {changed.number} and "
                f"{given} now: no model can learn from it, and it is drawn at random. Keep its range the same in every "
                f"trial{_IF_MEANT}",
            )
        without = [trial.number for trial in trials if name not in trial.distributions]
        if without:
            which = f"trial {without[0]}" + (f" and {len(without) - 1} more" if len(without) > 1 else "")
            self._once(
                "independent",
                name,
                f"parameter {name!r} is not in {which}: what not every complete trial has is not modelled with the "
                f"others, and it is drawn at random. Suggest it in every trial{_IF_MEANT}",
            )

    def _once(self, kind: str, name: str, message: str) -> None:
        if (kind, name) not in self._told:
            self._told.add((kind, name))
            _log.warning("%s", message)
