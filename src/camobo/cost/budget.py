"""How much a study may spend: trials, money, or both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from camobo.checks import whole
from camobo.errors import InvalidOptionError, shown

_MOST = float(np.finfo(np.float64).max)
_UNPLANNED = 30.0  # trials after which half of a study without a budget counts as spent


@dataclass(frozen=True, slots=True)
class Budget:
    """How many trials, and how much money. `optimize` and `camobo run` end with whichever is used up first.

    `ask` goes on after the trials; what the money left does not pay for is not suggested.

    >>> Budget(trials=60), Budget(cost=2000, unit="EUR")
    (Budget(trials=60, cost=None, unit=''), Budget(trials=None, cost=2000.0, unit='EUR'))
    """

    trials: int | None = None
    cost: float | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        if self.trials is None and self.cost is None:
            raise InvalidOptionError(
                'Budget: need trials, cost or both, got neither. Example: Budget(cost=2000, unit="EUR").'
            )
        if self.trials is not None:
            object.__setattr__(self, "trials", whole("Budget: trials", self.trials, 1))
        if self.cost is not None:
            object.__setattr__(self, "cost", _amount(self.cost))
        if not isinstance(self.unit, str) or len(self.unit.splitlines()) > 1 or self.unit[:1].isdigit():
            raise InvalidOptionError(
                'Budget: unit must be text on one line, such as "EUR", and begin with no digit, '
                f"got {shown(self.unit)}."
            )

    def share_left(self, made: int, spent: float) -> float:
        """The share left after `made` trials and so much money spent; the smaller if both are limited."""
        shares = [1.0 - made / self.trials] if self.trials is not None else []
        shares += [1.0 - spent / self.cost] if self.cost is not None else []
        return max(0.0, min(shares))

    def __str__(self) -> str:
        parts = [] if self.trials is None else [f"{self.trials} trial{'' if self.trials == 1 else 's'}"]
        parts += [] if self.cost is None else [f"{self.cost:.12g} {self.unit}".rstrip()]
        return ", ".join(parts)


def share_left(budget: Budget | None, made: int, spent: float) -> float:
    """The share of a budget left; without one, 1 / (1 + trials made / 30).

    >>> share_left(Budget(trials=10), 5, 0.0), share_left(None, 30, 0.0)
    (0.5, 0.5)
    """
    return 1.0 / (1.0 + made / _UNPLANNED) if budget is None else budget.share_left(made, spent)


def as_budget(given: Any) -> Budget | None:
    """A budget from what a user gives: a number of trials, a Budget, or None."""
    if given is None or isinstance(given, Budget):
        return given
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        raise InvalidOptionError(
            'budget: need a whole number of trials, or a Budget such as Budget(cost=2000, unit="EUR"), '
            f"got {shown(given)}."
        )
    return Budget(trials=whole("budget", given, 1))


def _amount(given: Any) -> float:
    number = given.item() if isinstance(given, np.generic) else given
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0.0 < number <= _MOST:
        raise InvalidOptionError(f"Budget: cost must be a finite number above 0, got {shown(given)}.")
    return float(number)
