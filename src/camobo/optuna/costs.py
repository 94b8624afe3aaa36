"""What a user says about cost and money, the receipts that trials leave, and the cost of the parameters they share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState

from camobo.checks import duration, money
from camobo.cost.budget import Budget, as_budget
from camobo.cost.formula import Formula
from camobo.cost.order import Order
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.protocol import Cost, CostModel
from camobo.cost.reading import CostLike, as_cost
from camobo.cost.receipts import LearnedCost
from camobo.errors import InvalidOptionError, InvalidValueError, shown
from camobo.optuna.shown import own_params
from camobo.space.space import Space

Prior: TypeAlias = str | Sequence[str] | Order | None
BudgetLike: TypeAlias = int | str | Budget | None
"""A number of trials, a time such as "2h", or a Budget."""

_DURATION, _ATTRIBUTE = "duration", "attr:"
_RECEIPT = "cost"  # the user attribute that a LearnedCost without `of` learns from, as `tell(trial, values, cost=41.5)`


@dataclass(frozen=True, slots=True)
class Source:
    """Where trials leave their receipts: in a user attribute, or without one in how many seconds they took."""

    attribute: str | None = None

    def ran(self, trial: FrozenTrial) -> bool:
        """Whether a finished trial was run in this study: one added with `add_trial` ends as it begins."""
        return self.attribute is not None or _seconds(trial) != 0.0

    def paid(self, trial: FrozenTrial) -> float | None:
        """What a finished trial cost; None if that is missing, or no number of at least 0."""
        try:
            return money(_seconds(trial) if self.attribute is None else trial.user_attrs.get(self.attribute))
        except InvalidValueError:
            return None

    def teaches(self, trial: FrozenTrial) -> bool:
        """Whether a receipt says what the trial's point costs; how long a trial took to fail does not."""
        return self.attribute is not None or trial.state is not TrialState.FAIL

    def missing(self, trial: FrozenTrial) -> str | None:
        """What is wrong with the receipt of a finished trial, in words; None if nothing is."""
        if self.paid(trial) is not None:
            return None
        if self.attribute is None:
            return f"its duration is {_seconds(trial)} s"
        if self.attribute not in trial.user_attrs:
            return f"it has no user attribute {self.attribute!r}"
        return f"its user attribute {self.attribute!r} is {shown(trial.user_attrs[self.attribute])}"


@dataclass(frozen=True, slots=True)
class Terms:
    """Cost and budget as the user gave them; the cost may name any parameter."""

    cost: Cost | None = None
    budget: Budget | None = None
    source: Source | None = None
    """Where receipts are; None: there are none."""

    @property
    def priced(self) -> tuple[str, ...]:
        """The parameters that the cost names."""
        return () if self.cost is None else self.cost.names()

    @property
    def rising(self) -> tuple[str, ...]:
        """Those of them that cost more towards their expensive end; with a formula, nobody knows."""
        return () if isinstance(self.cost, Formula) else self.priced

    @property
    def ordered(self) -> tuple[str, ...]:
        """Those of them that an order ranks, so that their expensive end or choices matter."""
        order = None if self.cost is None else self.cost.order
        return () if order is None else order.names

    def spent(self, trials: Iterable[FrozenTrial]) -> float | None:
        """What finished trials have cost; None without receipts."""
        if self.source is None:
            return None
        return sum(self.source.paid(trial) or 0.0 for trial in trials if trial.state.is_finished())


def read_terms(cost: CostLike, *, prior: Prior = None, budget: BudgetLike = None, paper: bool = False) -> Terms:
    """The terms that a user's options stand for."""
    source: Source | None = None
    given: Any = cost
    if isinstance(cost, str) and (cost == _DURATION or cost.startswith(_ATTRIBUTE)):
        source = Source(None if cost == _DURATION else _attribute(cost))
        given = LearnedCost(prior, of="seconds" if cost == _DURATION else None)
    elif prior is not None:
        raise InvalidOptionError(
            f'prior: it goes with cost="duration" or cost="attr:…", got cost={shown(cost)}. Leave one of them out.'
        )
    elif isinstance(cost, LearnedCost):
        source = Source(_RECEIPT if cost.of is None else None)
    read = as_cost(given, paper=paper)
    return Terms(read, _read_budget(budget, read, source), source)


def _attribute(cost: str) -> str:
    name = cost.removeprefix(_ATTRIBUTE)
    if not name.strip():
        raise InvalidOptionError(f'cost: need the name of a user attribute, such as "attr:gpu_seconds", got {cost!r}.')
    return name


def _read_budget(given: BudgetLike, cost: Cost | None, source: Source | None) -> Budget | None:
    if isinstance(given, str):
        if source is None or source.attribute is not None:
            raise InvalidOptionError(
                f'budget: a time goes with cost="duration", got {given!r}. Give a number of trials, or '
                "Budget(cost=…) in the unit of the cost."
            )
        length = duration("budget", given)
        return None if length is None else Budget(cost=length.total_seconds(), unit="s")
    found = as_budget(given)
    priceless = source is None and (cost is None or isinstance(cost, (OrderCost, PaperCost)))
    if priceless and found is not None and found.cost is not None:
        raise InvalidOptionError(
            f"budget: {found} needs a cost in money, got {'none' if cost is None else f'the order {cost}'}. "
            'Use cost="duration", cost="attr:…", Prices or a Formula, or give a number of trials.'
        )
    return found


@dataclass(frozen=True, slots=True)
class SharedCost:
    """The cost of the parameters that trials share, over their own values: the space of the plan counts steps."""

    cost: Cost
    space: Space
    _model: CostModel = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_model", self.cost.over(self.space))

    @property
    def order(self) -> Order | None:
        """The order it states."""
        return self.cost.order

    def names(self) -> tuple[str, ...]:
        """The parameters it speaks of."""
        return self.cost.names()

    def over(self, space: Space) -> CostModel:
        """Its model over its own space, whose points have the unit coordinates of those of the plan."""
        return self._model

    def among(self, names: Collection[str]) -> Cost | None:
        """What it says about these parameters."""
        return self.cost.among(names)

    def document(self) -> Any:
        """As plain data."""
        return self.cost.document()

    def __str__(self) -> str:
        return str(self.cost)


def cost_among(
    cost: Cost | None, space: Space, distributions: Mapping[str, BaseDistribution]
) -> tuple[Cost | None, str | None]:
    """The cost reduced to the parameters of a shown space; or None, and the parameter a formula cannot do without."""
    if not isinstance(cost, Formula):
        return None if cost is None else cost.among(space.names), None
    if callable(cost.formula):
        cost = Formula(_in_own_params(cost.formula, distributions))
        lacks = _looked_for(cost.formula, space)
    else:
        lacks = next((name for name in cost.names() if name not in space.names), None)
    return (cost, None) if lacks is None else (None, lacks)


def _in_own_params(
    function: Callable[[Mapping[str, Any]], float], distributions: Mapping[str, BaseDistribution]
) -> Callable[[Mapping[str, Any]], float]:
    """A user's function, for params of the shown space."""

    @functools.wraps(function)
    def translated(params: Mapping[str, Any]) -> float:
        return function(own_params(distributions, params))

    return translated


def _looked_for(function: Any, space: Space) -> str | None:
    """The parameter that a function looks for at the cheapest point and does not find."""
    try:
        function(space.from_unit(space.cheapest()))
    except Exception as error:  # whatever a user's function raises: its model says where
        return missing_name(error, space)
    return None


def missing_name(error: BaseException | None, space: Space) -> str | None:
    """The name that a function looked for, if it is none of the space's."""
    name = error.args[0] if isinstance(error, KeyError) and error.args else None
    return name if isinstance(name, str) and name not in space.names else None


def _seconds(trial: FrozenTrial) -> float | None:
    """How long a trial took; None if that is not known."""
    begun, ended = trial.datetime_start, trial.datetime_complete
    if begun is None or ended is None:
        return None
    try:
        return ended.timestamp() - begun.timestamp()  # right across a change of the clocks, and with time zones
    except (ValueError, OverflowError, OSError):  # in the year 1
        return None
