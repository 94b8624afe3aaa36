"""Which inputs are more expensive than which: "nickel > chromium = moly > iron, soak > temper".

`order_text` explains the language. An order stands for all weightings (price vectors) of its inputs that agree with it,

    V = { v ≥ 0, Σ v = 1, v_a ≥ v_b where a > b, v_a = v_b where a = b }.

`Order.sample` draws uniformly from V and `Order.centre` is the mean of V; `weightings` explains how.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from camobo.arrays import Array
from camobo.cost.order_text import Groups, Pairs, check_name, place_of, read_order
from camobo.cost.weightings import Weightings, groups_in
from camobo.errors import InvalidOrderError, shown
from camobo.hints import caret, meant

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Order:
    """A partial order of inputs by cost. `Order.parse` reads one.

    >>> order = Order.parse("nickel > chromium = moly")
    >>> order.names
    ('nickel', 'chromium', 'moly')
    >>> order.costs_more("nickel", "moly")
    True
    >>> order.centre().round(3)
    array([0.667, 0.167, 0.167])
    """

    groups: Groups
    """Inputs that cost the same, in the order they were first named."""
    above: Pairs = field(default=frozenset())
    """Pairs of group indices (i, j): group i is more expensive than group j. Closed under transitivity."""
    text: str = field(default="", compare=False, repr=False)
    """The text the order was read from; empty if it was not."""

    def __post_init__(self) -> None:
        if not isinstance(self.groups, tuple) or not all(isinstance(group, tuple) and group for group in self.groups):
            raise InvalidOrderError(
                f'order: groups must be a tuple of tuples of names, such as (("nickel",), ("iron", "zinc")), '
                f"got {shown(self.groups)}. Order.parse reads text."
            )
        if not self.groups:
            raise InvalidOrderError(
                "order: need at least one input, got none. If nothing is expensive, leave the cost out."
            )
        if not all(isinstance(name, str) and name.strip() for name in self.names):
            raise InvalidOrderError(f"order: a name must be text that is not blank, got {shown(self.names)}.")
        if len(set(self.names)) < len(self.names):
            twice = next(name for i, name in enumerate(self.names) if name in self.names[:i])
            raise InvalidOrderError(f"order: need every name once, got {twice!r} twice in groups.")
        self._check_above()
        if not isinstance(self.text, str) or (self.text and read_order(self.text) != (self.groups, self.above)):
            raise InvalidOrderError(
                f"order: text must say the same as groups and above, got {shown(self.text)} for {shown(str(self))}. "
                "Leave it out."
            )

    def _check_above(self) -> None:
        """Refuse pairs that name unknown groups, contradict each other, or lack a pair that follows from two others."""
        count = len(self.groups)
        if not isinstance(self.above, frozenset):
            raise InvalidOrderError(f"order: above must be a frozenset of pairs, got {shown(self.above)}.")
        for pair in self.above:
            if (
                not isinstance(pair, tuple)
                or len(pair) != 2
                or not all(type(i) is int and 0 <= i < count for i in pair)
            ):
                raise InvalidOrderError(
                    f"order: above must hold pairs (i, j) of group numbers from 0 to {count - 1}, got {shown(pair)}."
                )
        below = self._weightings.lowers
        wrong = [(i, j) for i, j in self.above if i == j or below[j] >> i & 1 or below[j] & ~below[i]]
        for i, j in sorted(wrong):
            left, right = self.groups[i][0], self.groups[j][0]
            if i == j:
                raise InvalidOrderError(f"order: {left!r} is compared with itself, got the pair {(i, j)} in above.")
            if below[j] >> i & 1:
                raise InvalidOrderError(
                    f"order: {left!r} cannot be both more expensive and cheaper than {right!r}, "
                    f"got the pairs {(i, j)} and {(j, i)} in above."
                )
            k = next(groups_in(below[j] & ~below[i]))
            raise InvalidOrderError(
                f"order: above must include what follows, got {(i, j)} and {(j, k)} without {(i, k)}. "
                "Order.parse adds it for you."
            )

    @classmethod
    def parse(cls, text: str | Sequence[str] | Order) -> Order:
        """Read an order from its language, or from a sequence of names, most expensive first."""
        if isinstance(text, Order):
            return text
        if not isinstance(text, str):
            return cls._of_sequence(text)
        return cls(*read_order(text), text)

    @classmethod
    def _of_sequence(cls, names: Sequence[str]) -> Order:
        if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
            raise InvalidOrderError(
                'order: need text such as "nickel > chromium" or a list of names, most expensive first, '
                f"got {shown(names)}."
            )
        if not names:
            raise InvalidOrderError(
                "order: need at least one input, got an empty list. If nothing is expensive, leave the cost out."
            )
        for name in names:
            check_name(name)
        return cls.parse(" > ".join(names))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The inputs, group by group; weights are in the same order."""
        return tuple(name for group in self.groups for name in group)

    @property
    def direct(self) -> tuple[tuple[int, int], ...]:
        """The pairs of `above` that do not follow from two others, sorted."""
        lowers, uppers = self._weightings.lowers, self._weightings.uppers
        return tuple(sorted((i, j) for i, j in self.above if not lowers[i] & uppers[j]))

    def costs_more(self, a: str, b: str) -> bool:
        """Whether input a is more expensive than input b."""
        return (self._group_of(a), self._group_of(b)) in self.above

    def _group_of(self, name: str) -> int:
        for i, group in enumerate(self.groups):
            if name in group:
                return i
        raise InvalidOrderError(f"order: no input called {name!r}. The order names {', '.join(self.names)}.")

    def columns(self, names: Sequence[str]) -> NDArray[np.intp]:
        """(k,) the index of each of the order's inputs in `names`, or an error that shows the one that is missing."""
        for name in self.names:
            if name not in names:
                formula = ' A formula is given as cm.Formula("…").' if set(name) & set("*/+-()") else ""
                raise InvalidOrderError(
                    f"order: {name!r} is not an input.{caret(str(self), place_of(name, str(self)))}\n"
                    f"The space has {', '.join(names)}.{meant(name, names)} "
                    f"Correct the name, or add the input to the space.{formula}"
                )
        return np.array([names.index(name) for name in self.names], dtype=np.intp)

    def among(self, names: Collection[str]) -> Order | None:
        """What the order says about the inputs in `names`; None if it names none of them.

        >>> str(Order.parse("nickel > chromium = moly > iron").among(["iron", "nickel", "gold"]))
        'nickel > iron'
        """
        kept = [tuple(name for name in group if name in names) for group in self.groups]
        place = {old: new for new, old in enumerate(i for i, group in enumerate(kept) if group)}
        if not place:
            return None
        above = frozenset((place[i], place[j]) for i, j in self.above if i in place and j in place)
        return Order(tuple(kept[i] for i in place), above)

    def agrees(self, weights: Array) -> bool:
        """Whether (k,) weights, in the order of `names`, agree with the order up to rounding."""
        of_group = np.split(weights, np.cumsum([len(group) for group in self.groups])[:-1])
        ties = all(np.ptp(members) <= _ROUNDING for members in of_group)
        return ties and all(of_group[i][0] >= of_group[j][0] - _ROUNDING for i, j in self.above)

    def sample(self, rng: np.random.Generator) -> Array:
        """(k,) weights drawn uniformly from all that agree with the order; they sum to one."""
        return self.weighable()._weightings.sample(rng)

    def centre(self) -> Array:
        """(k,) the mean of all weights that agree with the order."""
        return self.weighable()._weightings.centre.copy()

    def reversed(self) -> Order:
        """The opposite order: the cheapest inputs become the most expensive."""
        return Order(self.groups, frozenset((j, i) for i, j in self.above))

    def weighable(self) -> Order:
        """The order itself, or an error if it compares so little that `sample` and `centre` would take too long."""
        if not self._weightings.countable:
            raise InvalidOrderError(
                f"order: {len(self.groups)} groups with so few comparisons can be ranked in too many ways. "
                "Compare more of them, or tie those that cost about the same with '='."
            )
        return self

    @cached_property
    def _weightings(self) -> Weightings:
        return Weightings(tuple(len(group) for group in self.groups), self.above)

    @property
    def spelled(self) -> str:
        """Text that `parse` reads as exactly this order: the original text if there is one.

        Unlike `str(order)` it keeps the sequence of the groups, along which weights are drawn.
        """
        if self.text:
            return self.text
        for name in self.names:
            check_name(name)
        ties = [" = ".join(group) for group in self.groups]
        return ", ".join(ties + [f"{self.groups[i][0]} > {self.groups[j][0]}" for i, j in sorted(self.above)])

    def __str__(self) -> str:
        """The order in its own language, as few chains as a simple search finds, without what follows from others."""
        tied = [" = ".join(group) for group in self.groups]
        chains: list[list[int]] = []
        for i, j in self.direct:
            chain = next((c for c in chains if c[-1] == i), None)
            if chain is None:
                chains.append([i, j])
            else:
                chain.append(j)
        lone = [[i] for i in range(len(tied)) if not any(i in chain for chain in chains)]
        return ", ".join(" > ".join(tied[i] for i in chain) for chain in chains + lone)
