"""Why a trial was suggested, told from what was known then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from camobo.history import History, data_of
from camobo.inputs import Param
from camobo.trial import Trial


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a trial was suggested. Print it to read it."""

    trial: Trial
    predictions: Mapping[str, tuple[float, float]]
    """Mean and standard deviation the models expected of each objective; empty before there were models."""
    utility: float | None
    """Q: what the point promised before its cost."""
    cost: float | None
    """C in [0, 1): the share of that promise its cost took away. None without cost-awareness."""
    without_cost: Mapping[str, Param] | None
    """What would have been suggested without cost-awareness."""

    def __str__(self) -> str:
        lines = [str(self.trial), *(f"  {note}" for note in self.trial.notes)]
        for name, (mean, deviation) in self.predictions.items():
            measured = (self.trial.values or {}).get(name)
            seen = "" if measured is None else f", measured {measured:.6g}"
            lines.append(f"  {name}: expected {mean:.6g} ± {deviation:.2g}{seen}")
        if self.utility is not None:
            lines.append(
                f"  promise Q = {self.utility:.3g}" + ("" if self.cost is None else f", cost C = {self.cost:.3f}")
            )
        if self.without_cost is not None:
            shown = ", ".join(
                f"{k}={v:.6g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.without_cost.items()
            )
            lines.append(f"  without cost: {shown}")
        return "\n".join(line.replace("\n", "\\n") for line in lines)


def explain(record: Trial, before: History) -> Explanation:
    """Why a trial was suggested, from the history before it was."""
    if record.added:
        return Explanation(record, {}, None, None, None)
    from camobo.account import account  # here and not above: SciPy takes as long to load as a small study takes to open

    space = before.plan.space
    found = account(before.plan, data_of(before), record.number, space.to_unit(record.params))
    predictions = {}
    if found.mean is not None and found.deviation is not None:
        rows = zip(before.plan.objectives, found.mean.tolist(), found.deviation.tolist(), strict=True)
        predictions = {name: (mean, deviation) for name, mean, deviation in rows}
    blind = None if found.without_cost is None else space.from_unit(found.without_cost)
    return Explanation(record, predictions, found.utility, found.cost, blind)
