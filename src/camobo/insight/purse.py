"""What a study has spent and has left, and what its points cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from camobo.arrays import Array
from camobo.cost.formula import AbsentFunction
from camobo.cost.protocol import CostModel
from camobo.cost.sweep import costs_at
from camobo.history.history import receipts_of
from camobo.history.trial import Trial
from camobo.strategy.plan import Plan


@dataclass(frozen=True, slots=True)
class Purse:
    """The money of a study. Experiments recorded with `add` teach what trials cost, but do not count."""

    paid: float
    """Recorded costs, those of late results included."""
    receipts: int
    """Trials with a recorded cost, which may be 0."""
    estimated: float
    """Expected cost of settled trials without a receipt; 0 as long as costs are not in money."""
    reserved: float
    """Expected cost of open trials without a receipt."""
    budget: float | None
    unit: str
    """"EUR", or empty."""
    model: CostModel | None
    """What points cost, after all receipts; None without a cost, and if it is a function that was not given again."""

    @property
    def spent(self) -> float:
        """Paid and estimated."""
        return self.paid + self.estimated

    @property
    def remaining(self) -> float | None:
        """What is left of the budget, at least 0; None without a budget in money."""
        return None if self.budget is None else max(0.0, self.budget - self.spent - self.reserved)

    @property
    def in_money(self) -> bool:
        """Whether amounts are known: there are receipts, or the cost tells amounts."""
        return self.receipts > 0 or self.spent + self.reserved > 0.0 or (self.model is not None and self.model.in_money)


def purse_of(plan: Plan, trials: Sequence[Trial], units: Array) -> Purse:
    """The money of a study with these trials at (n, d) points."""
    budget = None if plan.budget is None else plan.budget.cost
    unit = "" if plan.budget is None else plan.budget.unit
    receipts, model = receipts_of(plan, trials, list(units)), None
    if plan.cost is not None and not isinstance(plan.cost, AbsentFunction):
        model = plan.cost.over(plan.space)
        if receipts is not None and len(receipts.paid):
            model = model.fitted(receipts.units, receipts.paid)
    paid = [trial.cost for trial in trials if not trial.added and trial.cost is not None]
    late = sum(trial.late_cost for trial in trials if not trial.added)
    rest = [i for i, trial in enumerate(trials) if not trial.added and trial.unpaid]
    settled, waiting = ([i for i in rest if trials[i].state.open is is_open] for is_open in (False, True))
    estimated, reserved = (_expected(model, [trials[i] for i in rows], units[rows]) for rows in (settled, waiting))
    return Purse(sum(paid) + late, len(paid), estimated, reserved, budget, unit, model)


def _expected(model: CostModel | None, trials: Sequence[Trial], units: Array) -> float:
    """What trials at (n, d) points are expected to cost; without a model, what was expected at the time."""
    if model is None:
        return sum(trial.expected or 0.0 for trial in trials)
    with np.errstate(over="ignore"):  # of costs near the largest float
        return float(costs_at(model, units).sum()) if model.in_money else 0.0
