"""A price list: money per unit of an input, per choice and per trial."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from camobo.arrays import Array
from camobo.cost.learned import learned
from camobo.cost.levels import Levels
from camobo.cost.order import Order
from camobo.cost.protocol import CostModel
from camobo.errors import InvalidOptionError, shown
from camobo.hints import meant
from camobo.space.inputs import Categorical, Input
from camobo.space.space import Space

Price: TypeAlias = "float | Mapping[Any, float]"
_FREE = 1e-6  # of the most expensive trial: the least that one may cost, since log 0 is no number
_ROUNDING = 1e-9  # of the most expensive trial
_LARGEST = 1e300  # no cost overflows when it is added up


@dataclass(frozen=True)
class Prices:
    """What a trial costs, from a price list.

    prices: per input its price per unit, or for a categorical input a price per choice; a choice not listed is free.
        An input with a free value costs its price per unit of the distance from there.
    per_trial: what every trial costs besides.
    rest: an order of inputs without a price, "soak > temper". Each is taken to add about as much as a priced input
        does on average; receipts correct it.

    >>> prices = Prices({"nickel": 13.9, "quench": {"oil": 2}}, per_trial=12)
    >>> from camobo.space.inputs import Real
    >>> space = Space({"nickel": Real(0, 20), "quench": Categorical(["air", "oil"])})
    >>> np.exp(prices.over(space).log_cost(np.array([[0.5, 0.75]]))).round(2)
    array([153.])
    """

    prices: Mapping[str, Price]
    per_trial: float = 0.0
    rest: Order | None = None

    def __init__(
        self,
        prices: Mapping[str, Price],
        *,
        per_trial: float = 0.0,
        rest: str | Sequence[str] | Order | None = None,
    ) -> None:
        if not isinstance(prices, Mapping):
            raise InvalidOptionError(
                f'Prices: need a price per input, such as {{"nickel": 13.9}}, got {shown(prices)}.'
            )
        checked: dict[str, Price] = {}
        for name, price in prices.items():
            if not isinstance(name, str) or not name.strip():
                raise InvalidOptionError(f"Prices: an input's name must be text that is not blank, got {shown(name)}.")
            checked[name] = _price_list(name, price) if isinstance(price, Mapping) else _amount(repr(name), price)
        order = None if rest is None else Order.parse(rest).weighable()
        twice = [] if order is None else [name for name in order.names if name in checked]
        if twice:
            raise InvalidOptionError(f"Prices: {twice[0]!r} has a price and is in rest too. Leave it out of one.")
        object.__setattr__(self, "prices", MappingProxyType(checked))
        object.__setattr__(self, "per_trial", _amount("per_trial", per_trial))
        object.__setattr__(self, "rest", order)

    def __hash__(self) -> int:
        return hash((tuple(self.prices), self.per_trial, self.rest))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles plain dicts: a read-only view cannot be pickled."""
        plain = {name: dict(price) if isinstance(price, Mapping) else price for name, price in self.prices.items()}
        return _restored, (plain, self.per_trial, self.rest)

    @property
    def order(self) -> Order | None:
        """That of the inputs without a price."""
        return self.rest

    def names(self) -> tuple[str, ...]:
        """The priced inputs, then those of the rest."""
        return (*self.prices, *(() if self.rest is None else self.rest.names))

    def over(self, space: Space) -> CostModel:
        """Its model over a space."""
        for name, price in self.prices.items():
            given = space.inputs.get(name)
            if given is None:
                raise InvalidOptionError(
                    f"Prices: {name!r} is not an input.{meant(name, space.names)} "
                    f"The space has {', '.join(space.names)}."
                )
            _check_kind(name, price, given)
        with np.errstate(over="ignore", invalid="ignore"):  # refused by `_check_costs`
            return self._sum(space)

    def _sum(self, space: Space) -> PriceSum:
        columns, adds, base = [], [], self.per_trial
        lists: list[tuple[int, Array]] = []
        for j, (name, given) in enumerate(space.inputs.items()):
            if name in self.prices and isinstance(given, Categorical):
                lists.append((j, _list_of(self.prices[name], given)))
            elif name in self.prices:
                whole_range, start = _range_costs(self.prices[name], given)
                columns.append(j)
                adds.append(whole_range)
                base += start
        if self.rest is not None:
            centre = self.rest.centre()
            typical = _mean_above_zero([*adds, *(float(np.ptp(prices)) for _, prices in lists)]) or max(base, 1.0)
            columns += self.rest.columns(space.names).tolist()
            adds += (typical * len(centre) * centre).tolist()
        least = base + sum(float(prices.min()) for _, prices in lists)
        most = base + sum(adds) + sum(float(prices.max()) for _, prices in lists)
        _check_costs(least, most)
        levels = Levels(space, np.array(columns, dtype=np.intp))
        base += max(0.0, _FREE * most - least)
        return PriceSum(levels, np.array(adds), base, tuple(lists), self.rest is not None)

    def among(self, names: Collection[str]) -> Prices | None:
        """The prices of these inputs, and what every trial costs; None if all of that is free."""
        prices = {name: price for name, price in self.prices.items() if name in names}
        rest = None if self.rest is None else self.rest.among(names)
        paid = [
            amount
            for price in prices.values()
            for amount in (price.values() if isinstance(price, Mapping) else [price])
        ]
        if rest is None and not any([self.per_trial, *paid]):
            return None
        return Prices(prices, per_trial=self.per_trial, rest=rest)

    def document(self) -> Any:
        """As plain data."""
        listed = {name: dict(price) if isinstance(price, Mapping) else price for name, price in self.prices.items()}
        written: dict[str, Any] = {"type": "prices", "prices": listed, "per_trial": self.per_trial}
        return written if self.rest is None else written | {"rest": self.rest.spelled}

    def __str__(self) -> str:
        parts = [
            f"{name} {'by choice' if isinstance(price, Mapping) else f'{price:g}'}"
            for name, price in self.prices.items()
        ]
        parts += [f"{self.per_trial:g} per trial"] if self.per_trial else []
        return ", ".join(parts) + ("" if self.rest is None else f"; the rest: {self.rest}")


def _amount(what: str, given: Any) -> float:
    """An amount of money: a finite number of at least 0."""
    plain = given.item() if isinstance(given, np.generic) else given
    if isinstance(plain, bool) or not isinstance(plain, (int, float)) or not 0.0 <= plain <= _LARGEST:
        raise InvalidOptionError(f"Prices: {what}: a price must be a finite number of at least 0, got {shown(given)}.")
    return float(plain)


def _price_list(name: str, given: Mapping[Any, float]) -> Mapping[str, float]:
    """A price per choice, by the text of the choice."""
    found: dict[str, float] = {}
    for choice, price in given.items():
        if _text(choice) in found:
            raise InvalidOptionError(
                f"Prices: {name!r} has two prices for choices that are written alike, {_text(choice)}. "
                "Leave one out, or rename the choice."
            )
        found[_text(choice)] = _amount(f"{name!r}, choice {choice!r}", price)
    return MappingProxyType(found)


def _text(choice: Any) -> str:
    """A choice as files spell it, where every key is text."""
    plain = choice.item() if isinstance(choice, np.generic) else choice
    return str(plain).lower() if plain is None or isinstance(plain, bool) else str(plain)


def _restored(prices: dict[str, Price], per_trial: float, rest: Order | None) -> Prices:
    return Prices(prices, per_trial=per_trial, rest=rest)


def _check_kind(name: str, price: Price, given: Input) -> None:
    """Refuse a price per unit of choices, prices per choice of a number, and choices that there are not."""
    if isinstance(given, Categorical) != isinstance(price, Mapping):
        need = "one price per unit, such as 13.9"
        if isinstance(given, Categorical):
            need = f"a price per choice, such as {{{given.choices[0]!r}: 13.9}}"
        raise InvalidOptionError(f"Prices: {name!r} needs {need}, got {shown(price)}.")
    if not isinstance(given, Categorical) and given.expensive == "low":
        raise InvalidOptionError(
            f"Prices: {name!r} is expensive at its low end, which a price per unit cannot say. "
            "Use a Formula, or name it in rest."
        )
    if isinstance(given, Categorical) and isinstance(price, Mapping):
        texts = [_text(choice) for choice in given.choices]
        for named in price:
            if named not in texts:
                raise InvalidOptionError(
                    f"Prices: {name!r} has no choice {named!r}.{meant(named, texts)} "
                    f"Its choices are {', '.join(texts)}."
                )
            if texts.count(named) > 1:
                alike = " and ".join(repr(choice) for choice in given.choices if _text(choice) == named)
                raise InvalidOptionError(
                    f"Prices: {name!r} has choices that are written alike, {alike}, so a price for {named} "
                    "could be either's. Rename one of them."
                )


def _range_costs(price: Any, given: Any) -> tuple[float, float]:
    """What the whole range of a number costs at a price per unit, and what its start costs."""
    low, high = float(given.low), float(given.high)
    if given.free is not None:
        return price * max(high - given.free, given.free - low), 0.0
    return price * (high - low), price * low


def _list_of(price: Any, given: Categorical) -> Array:
    """(choices,) prices; a choice without one is free."""
    return np.array([price.get(_text(choice), 0.0) for choice in given.choices])


def _mean_above_zero(amounts: Sequence[float]) -> float:
    """The mean of the amounts above 0; 0 if there are none."""
    found = [amount for amount in amounts if amount > 0.0]
    return sum(found) / len(found) if found else 0.0


def _check_costs(least: float, most: float) -> None:
    """Refuse price lists by which some trial costs less than nothing, no trial costs anything, or one too much."""
    if not max(abs(least), abs(most)) <= _LARGEST:
        raise InvalidOptionError(
            "Prices: the most expensive trial would cost more than floating point can hold. "
            "Check the prices and the ranges of the inputs, or use a larger unit of money."
        )
    if least < -_ROUNDING * max(most, 0.0) or (least < 0.0 and most <= 0.0):
        raise InvalidOptionError(
            f"Prices: the cheapest trial would cost {least:.6g}, because an input goes below 0. "
            "Raise per_trial, or give the input the value at which it costs nothing, such as free=0."
        )
    if most <= 0.0:
        raise InvalidOptionError("Prices: every trial is free by this list. Give a price, or leave the cost out.")


@dataclass(frozen=True, slots=True)
class PriceSum:
    """c = base + Σ what each number adds × its level + Σ what the choices cost."""

    levels: Levels
    """Of the priced numbers, and of all inputs of the rest."""
    adds: Array
    """(k,) what each adds at most."""
    base: float
    lists: tuple[tuple[int, Array], ...]
    """Per priced category its column and (choices,) prices."""
    learns: bool
    in_money: bool = True

    def fitted(self, units: Array, paid: Array, earlier: CostModel | None = None) -> CostModel:
        """Itself, since a price list is exact; learned from receipts if it has a rest."""
        return learned(self, self.levels.space, units, paid, earlier) if self.learns else self

    def log_cost(self, units: Array) -> Array:
        """(n,) log of the sum."""
        cost = self.base + self.levels.of(units) @ self.adds
        inputs = list(self.levels.space.inputs.values())
        for column, prices in self.lists:
            given = inputs[column]
            if isinstance(given, Categorical):
                cost = cost + prices[given.positions(units[:, column])]
        return np.asarray(np.log(cost))

    def log_cost_slope(self, units: Array) -> Array:
        """(n, d) gradient of `log_cost`."""
        slope = np.zeros(units.shape)
        slope[:, self.levels.columns] = self.levels.slopes(units) * self.adds
        return slope * np.exp(-self.log_cost(units))[:, None]
