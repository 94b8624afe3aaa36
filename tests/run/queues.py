"""A queue of trials with money: each costs about a price, within a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from camobo.cost.budget import Budget
from camobo.cost.protocol import Cost
from camobo.errors import BudgetSpent
from camobo.history.transitions import Ahead, Request
from camobo.history.trial import State, Trial
from tests.support.trial_queues import FakeQueue


class Queue(FakeQueue):
    """Reserves the price for trials without a receipt, and hands out new ones as long as the budget pays for them."""

    def __init__(
        self, points: int = 100, *, budget: Budget | None = None, price: float = 0.0, cost: Cost | None = None
    ) -> None:
        super().__init__(points)
        self.plan = replace(self.plan, budget=budget, cost=cost)
        self.price = price
        self.refused = 0
        """How often a trial was wanted and could not be paid for."""

    def spent(self) -> float:
        return sum(self._costs(trial) for trial in self.trials if not trial.state.open)

    def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
        limit = None if self.plan.budget is None else self.plan.budget.cost
        left = any(trial.state is State.RELEASED and trial.number not in request.skip for trial in self.trials)
        reserved = sum(map(self._costs, self.trials))
        if limit is not None and not left and reserved + self.price > limit:
            self.refused += 1
            raise BudgetSpent(f"the cheapest trial left costs about {self.price:g}.")
        return super().hand_out(request, ahead)

    def fail(self, trial: Trial, reason: str, cost: float | None = None, *, teaches: bool = True) -> Trial:
        return self._set(trial, state=State.FAILED, reason=reason, cost=cost, teaches=teaches)

    def _costs(self, trial: Trial) -> float:
        return self.price if trial.cost is None else trial.cost

    def change(self, number: int, **changes: Any) -> None:
        """What somebody else does to a trial."""
        self._set(self.trials[number], **changes)
