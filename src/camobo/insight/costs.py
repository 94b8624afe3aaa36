"""What each trial cost: as recorded, or as expected where nothing is recorded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from camobo.arrays import Array
from camobo.cost.sweep import costs_at
from camobo.history.trial import Trial
from camobo.insight.purse import Purse


@dataclass(frozen=True, slots=True)
class Costs:
    """What trials cost, by their number."""

    amounts: Mapping[int, float]
    """A trial of which nothing is known lacks."""
    paid: frozenset[int]
    """Trials whose cost is recorded; that of the others is expected."""
    in_money: bool
    """True: amounts of money. False: multiples of the cheapest trial."""
    unit: str
    """"EUR", or empty."""


def costs_of(purse: Purse, trials: Sequence[Trial], units: Array, cheapest: float | None) -> Costs | None:
    """What trials at (n, d) points cost; None if nothing is known about cost.

    cheapest: what the cheapest trial is expected to cost; None if no input is known to change the cost.
    """
    paid = frozenset(trial.number for trial in trials if trial.cost is not None)
    in_money = purse.in_money or bool(paid)
    if not in_money and cheapest is None:
        return None
    expected = [math.nan if trial.expected is None else trial.expected for trial in trials]
    if purse.model is not None and purse.model.in_money is in_money:
        expected = costs_at(purse.model, units).tolist()
        expected = expected if in_money else (np.array(expected) / cheapest).tolist()
    known = {t.number: own if t.cost is None else t.cost for t, own in zip(trials, expected, strict=True)}
    return Costs({n: own for n, own in known.items() if not math.isnan(own)}, paid, in_money, purse.unit)
