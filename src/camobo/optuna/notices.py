"""Warnings about a study, written to the log, each once."""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Sequence

from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from camobo.errors import CamoboError
from camobo.hints import meant
from camobo.insight.spending import has_expensive_end
from camobo.optuna.costs import Source
from camobo.optuna.outcomes import constraints_of
from camobo.optuna.search_space import Inputs, stable

_log = logging.getLogger("camobo")

_PATIENCE = 10  # trials to wait for a parameter that the cost names or needs
_IF_INTENDED = ", or, if this is intended, pass CostAwareSampler(..., warn_independent_sampling=False)."


class Notices:
    """Warns about names in the cost and in `expensive`, and about trials. It remembers what it has said.

    priced, ordered: the parameters that the cost names, and those of them that an order ranks.
    """

    def __init__(self, priced: Collection[str], ordered: Collection[str], expensive: Collection[str]) -> None:
        self._priced = priced
        self._ordered = ordered
        self._expensive = expensive
        self._said: set[tuple[str, str]] = set()
        """Kinds of warnings, and the names they were about."""

    def exhausted(self) -> None:
        """Warn that every point of a finite search space has been tried."""
        self._once("exhausted", "", "every point of the search space has been tried; from now on points repeat.")

    def spent(self, reason: str) -> None:
        """Warn that the money is spent."""
        self._once(
            "spent",
            "",
            f"budget: {reason} `optimize` stops when its running trials end; until then the cheapest point left is "
            "suggested.",
        )

    def incomplete(self, name: str, trials: Sequence[FrozenTrial]) -> None:
        """Warn about a formula or function that needs a parameter which is not modelled, or did not come in time."""
        complete = [trial for trial in trials if trial.state is TrialState.COMPLETE]
        if len(complete) < _PATIENCE and not any(name in trial.params for trial in complete):
            return
        self._once(
            "incomplete",
            name,
            f"cost: it needs {name!r}, which is not a modelled parameter: one of complete trials, with the same range "
            "in each and more than one value. As long as that is so, cost does not count.",
        )

    def unfit(self, error: CamoboError) -> None:
        """Warn about a cost that does not fit the parameters, found when trials have been run already."""
        self._once("unfit", "", f"{error} Until this is corrected, cost does not count.")

    def receipts(self, trials: Sequence[FrozenTrial], source: Source | None) -> None:
        """Warn about a finished trial without a receipt, or with one that is no amount."""
        for trial in trials if source is not None and ("receipt", "") not in self._said else ():
            missing = source.missing(trial) if source is not None and trial.state.is_finished() else None
            if missing is not None:
                self._once(
                    "receipt",
                    "",
                    f"cost: trial {trial.number} has no receipt: {missing}. It counts as what such a trial is expected "
                    "to cost. Give every trial a number of at least 0, also if it fails.",
                )

    def names(self, trials: Sequence[FrozenTrial]) -> None:
        """Warn about names in the cost or in `expensive` that no trial has, and about unordered ones in `expensive`.

        A name that looks misspelt is reported at once, any other after a few trials with parameters. Two names
        in the same option are never taken for misspellings of each other: the parameter of either may come later.
        """
        begun = [trial for trial in trials if trial.params]
        seen = sorted({name for trial in begun for name in trial.params})
        for name in seen:
            if name in self._expensive and name not in self._ordered:
                self._once(
                    "unordered",
                    name,
                    f"expensive: no order names {name!r}, so its expensive end means nothing. Add it to the order.",
                )
        for option, names in (("cost", self._priced), ("expensive", self._expensive)):
            others = [name for name in seen if name not in names]
            for name in names:
                hint = "" if name in seen else meant(name, others)
                if hint or (name not in seen and len(begun) >= _PATIENCE):
                    self._once(
                        "name",
                        name,
                        f"{option}: the study has no parameter {name!r}. Its parameters so far: "
                        f"{', '.join(seen)}.{hint}",
                    )

    def categories(self, inputs: Inputs) -> None:
        """Warn about categorical parameters in the order without expensive choices."""
        for name, given in inputs.space.inputs.items():
            if name in self._ordered and not has_expensive_end(given):
                self._once(
                    "category",
                    name,
                    f"cost: {name!r} is categorical and has no expensive choices, so it costs nothing. "
                    f'List them, most expensive first: expensive={{"{name}": [...]}}.',
                )

    def values(self, trials: Sequence[FrozenTrial]) -> None:
        """Warn about values that are not finite, and about constraints that are infinite or not numbers."""
        for trial in trials:
            if trial.state is TrialState.COMPLETE and not all(map(math.isfinite, trial.values)):
                self._once(
                    "not finite",
                    "",
                    f"trial {trial.number}: a value is not finite, {trial.values}: it counts as failed. "
                    "For a bad result return a large finite number; for a failed trial raise an exception.",
                )
            if trial.state.is_finished():
                self._constraints(trial)

    def _constraints(self, trial: FrozenTrial) -> None:
        measured = constraints_of(trial)
        not_numbers = [name for name, value in measured.items() if math.isnan(value)]
        if not_numbers:
            self._once(
                "not a number",
                "",
                f"trial {trial.number}: constraint {', '.join(not_numbers)} is not a number: it counts as failed. "
                "Give a number: zero or below where the constraint holds, above zero where it does not.",
            )
        infinite = [name for name, value in measured.items() if value == math.inf]
        if infinite:
            self._once(
                "infinite",
                "",
                f"trial {trial.number}: constraint {', '.join(infinite)} is infinite: it counts as failed. "
                "For a constraint that is far from holding give a large finite number: a model can learn from that.",
            )

    def independent(self, trials: Sequence[FrozenTrial], name: str, given: BaseDistribution) -> None:
        """Warn about a parameter that is not modelled: its range changes, or trials lack it for no known reason."""
        if ("independent", name) in self._said:
            return
        changed = next((trial for trial in trials if trial.distributions.get(name, given) != given), None)
        if changed is not None:
            self._once(
                "independent",
                name,
                f"parameter {name!r} changes its range, from {changed.distributions[name]} in trial {changed.number} "
                f"to {given}: it is not modelled but drawn at random. Keep its range the same in every trial"
                f"{_IF_INTENDED}",
            )
        without = [trial.number for trial in trials if name not in trial.distributions]
        if 0 < len(without) < len(trials) and name not in (_known(trials) or ()):
            which = f"trial {without[0]}" + (f" and {len(without) - 1} more" if len(without) > 1 else "")
            self._once(
                "independent",
                name,
                f"parameter {name!r} is missing from {which}, and no other parameter says which trials have it: it is "
                "not modelled but drawn at random. Suggest it in every trial, or let a categorical or whole number "
                f"decide{_IF_INTENDED}",
            )

    def _once(self, kind: str, name: str, message: str) -> None:
        if (kind, name) not in self._said:
            self._said.add((kind, name))
            _log.warning("%s", message)


def _known(complete: Sequence[FrozenTrial]) -> Inputs | None:
    """The parameters of which complete trials show when a trial has them; None if there are none."""
    return Inputs.known(stable(complete), {}, [trial.params for trial in complete])
