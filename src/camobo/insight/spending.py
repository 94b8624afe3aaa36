"""What was spent trial by trial, expected against paid, where receipts contradict the order, how the cost fades."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from camobo.arrays import Array
from camobo.cost.budget import share_left
from camobo.cost.levels import Levels
from camobo.history.trial import Trial
from camobo.insight.costs import Costs
from camobo.insight.record import Record
from camobo.space.inputs import Categorical, Input

_CLEARLY = 4.0  # standard errors by which receipts must contradict the order
_SPARE = 5  # receipts beyond those that a line through them needs: with fewer, chance reaches four errors too often
_ROUNDING = 1e-9  # of the largest receipt, or of the largest variance of levels
_ASTRAY = 1e-6  # how much of a sum of levels may lie where receipts tell nothing
_FEWEST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class Spend:
    """What was spent on each settled trial. Experiments recorded with `add` teach costs, but do not count."""

    trials: tuple[Trial, ...]
    amounts: Array
    """With the cost of late results; 0 for added trials, and for those of which nothing is known."""
    in_money: bool
    """True: recorded costs, and expected ones where none is recorded. False: multiples of the cheapest trial."""
    expected: int
    """Trials whose amount is expected rather than recorded; 0 unless `in_money`."""
    missing: int
    """Trials of which nothing is known."""


def spend(record: Record) -> Spend | None:
    """What was spent on each settled trial; None before the first, and if nothing is known about cost."""
    costs, counted = record.costs, record.evaluated
    if costs is None or not counted:
        return None
    amounts = [0.0 if trial.added else _spent_on(trial, costs) for trial in record.settled]
    missing = sum(trial.number not in costs.amounts for trial in counted)
    unpaid = sum(trial.number not in costs.paid for trial in counted)
    return Spend(record.settled, np.array(amounts), costs.in_money, unpaid - missing if costs.in_money else 0, missing)


def _spent_on(trial: Trial, costs: Costs) -> float:
    """What a trial cost or is expected to have cost, and its late results beside it."""
    own = costs.amounts.get(trial.number, 0.0) if trial.cost is not None or trial.unpaid else 0.0
    return own + trial.late_cost


@dataclass(frozen=True, slots=True)
class Forecast:
    """What trials were expected to cost when they were suggested, and what they cost. All amounts are above 0."""

    trials: tuple[Trial, ...]
    expected: Array
    paid: Array

    @property
    def typical_error(self) -> float:
        """By what share the larger of both is above the smaller: for half of the trials by less."""
        return float(np.expm1(np.median(np.abs(np.log(self.paid) - np.log(self.expected)))))


def forecast(record: Record) -> Forecast | None:
    """Expected against paid, of the trials that have both; None if there are fewer than three."""
    taught = [trial for trial in record.settled if trial.teaches]
    both = tuple(trial for trial in taught if (trial.expected or 0.0) > 0.0 and (trial.cost or 0.0) > 0.0)
    if len(both) < _FEWEST_PAIRS:
        return None
    pairs = np.array([(trial.expected, trial.cost) for trial in both], dtype=np.float64)
    return Forecast(both, pairs[:, 0], pairs[:, 1])


def has_expensive_end(given: Input) -> bool:
    """Whether some values cost more than others: always, but for a categorical without expensive choices."""
    return not isinstance(given, Categorical) or bool(given.expensive)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Receipts say that an input costs less than the order says."""

    more_expensive: str
    cheaper: str | None
    """What the order calls cheaper than it; None: receipts say that it makes trials cheaper altogether."""

    def __str__(self) -> str:
        if self.cheaper is None:
            return f"receipts say that trials get cheaper towards the expensive end of {self.more_expensive}"
        return f"receipts say that {self.cheaper} costs more than {self.more_expensive}, the order says less"

    def as_dict(self) -> dict[str, Any]:
        """As plain data that JSON can hold."""
        return {"more_expensive": self.more_expensive, "cheaper": self.cheaper}


def disagreements(record: Record) -> tuple[Disagreement, ...]:
    """Where receipts clearly contradict the order of the cost.

    A straight line through the receipts, by the levels of the order's inputs, must contradict it by four standard
    errors. The cost learned from the receipts is not bound to the order, so nothing needs to be done; but the order, or
    an `expensive` end, may be a slip.
    """
    order, taught = record.order, [t for t in record.settled if t.cost is not None and t.teaches]
    if order is None or not taught:
        return ()
    levels = Levels(record.plan.space, order.columns(record.plan.space.names)).of(record.units(taught))
    paid = np.array([trial.cost for trial in taught], dtype=np.float64)
    paid /= paid.max() or 1.0  # squares and sums of amounts could overflow
    found = _line(levels, paid)
    if found is None:
        return ()
    slopes, covariance, known = found
    place = {name: i for i, name in enumerate(order.names)}

    def clearly(rise: Array) -> bool:
        """Whether costs rise along a (k,) sum of levels, beyond chance and rounding, as far as receipts tell."""
        if np.abs(known @ rise - rise).max() > _ASTRAY:
            return False
        error = math.sqrt(max(float(rise @ covariance @ rise), 0.0))
        return float(slopes @ rise) > max(_CLEARLY * error, _ROUNDING)

    along = np.eye(len(place))
    contrary = [Disagreement(name, None) for name, i in place.items() if clearly(-along[i])]
    for a, b in order.direct:
        for more, less in ((x, y) for x in order.groups[a] for y in order.groups[b]):
            if clearly(along[place[less]] - along[place[more]]):
                contrary.append(Disagreement(more, less))
    return tuple(contrary)


def _line(levels: Array, paid: Array) -> tuple[Array, Array, Array] | None:
    """(k,) slopes of paid amounts along (n, k) levels, their (k, k) covariance, and the projection on what varies.

    An input that never varies, or only together with others, has no slope of its own. None if too few receipts are left
    to tell chance from a slope.
    """
    centred = levels - levels.mean(axis=0)
    inverse = np.linalg.pinv(centred.T @ centred, rcond=_ROUNDING, hermitian=True)
    known = inverse @ centred.T @ centred
    slopes, spare = inverse @ centred.T @ paid, len(paid) - 1 - round(float(np.trace(known)))
    if spare < _SPARE:
        return None
    spread = float(((paid - paid.mean() - centred @ slopes) ** 2).sum()) / spare
    return slopes, spread * inverse, known


@dataclass(frozen=True, slots=True)
class Fading:
    """How the cost fades as the budget is spent."""

    shares: Array
    """(k,) shares of the budget spent."""
    inputs: tuple[str, ...]
    """Those that cost something, most expensive first."""
    powers: Array
    """(k, inputs) log₁₀ of how many times as much as the cheapest point a point must promise that has this input alone
    at its expensive end."""
    now: float
    """The share spent so far, or reserved for open trials. Without a budget, of one that half is left of after 30."""


def fading(record: Record) -> Fading | None:
    """How the cost fades; None if cost decides nothing, and with the paper's method, whose cost fades by Eq. 8."""
    # late: these imports take as long to load as a small study takes to open
    from camobo.strategy.funds import gamma

    plan, purse, effects = record.plan, record.purse, record.effects
    model, cheapest = purse.model, record.cheapest
    if model is None or cheapest is None or not effects or plan.thrift == 0.0 or plan.method == "paper":
        return None
    names = tuple(sorted(effects, key=lambda name: -effects[name]))
    shares = np.linspace(0.0, 1.0, 101)
    strength = np.array([gamma(plan.thrift, 1.0 - share) for share in shares.tolist()])
    made, spent = len(record.suggested), purse.spent + purse.reserved
    tops = np.log10(1.0 + np.array([effects[name] for name in names]))
    left = share_left(plan.budget, made, spent)
    return Fading(shares, names, strength[:, None] * tops, 1.0 - left)
