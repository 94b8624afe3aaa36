"""Which inputs are dearer than which: "nickel > chromium = moly > iron, soak > temper".

The language: `a > b` says a is dearer than b, `a = b` that they cost the same, a comma starts another chain that says
nothing about the first unless they share a name. The names must be those of the space.

The meaning: an order stands for every weighting of its inputs that agrees with it,

    V = { v ≥ 0, Σ v = 1, v_a ≥ v_b where a > b, v_a = v_b where a = b },

and `Order.sample` draws uniformly from V, `Order.centre` is its mean; `lineups` says how.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from camobo.errors import InvalidOrderError, shown
from camobo.hints import meant
from camobo.inputs import Array
from camobo.lineups import LineUps, members

_TOKEN = re.compile(r"\s*(?:(?P<sign>[>=,])|(?P<name>[^\s>=,<][^>=,<]*?)(?=\s*(?:[>=,<]|$)))")


@dataclass(frozen=True)
class Order:
    """A partial order of inputs by cost. `Order.parse` reads one.

    >>> order = Order.parse("nickel > chromium = moly")
    >>> order.names
    ('nickel', 'chromium', 'moly')
    >>> order.dearer("nickel", "moly")
    True
    >>> order.centre().round(3)
    array([0.667, 0.167, 0.167])
    """

    groups: tuple[tuple[str, ...], ...]
    """Inputs that cost the same, in the order they were first named."""
    above: frozenset[tuple[int, int]] = field(default=frozenset())
    """Pairs of group indices (i, j): group i is dearer than group j. Closed under transitivity."""
    text: str = field(default="", compare=False, repr=False)
    """The order as it was written, if it was."""

    def __post_init__(self) -> None:
        if not isinstance(self.groups, tuple) or not all(isinstance(group, tuple) and group for group in self.groups):
            raise InvalidOrderError(
                f'order: groups must be a tuple of tuples of names, such as (("nickel",), ("iron", "zinc")), '
                f"got {shown(self.groups)}. Order.parse reads text."
            )
        if not self.groups:
            raise InvalidOrderError("order: need at least one input, got none. If nothing is dear, leave the cost out.")
        if not all(isinstance(name, str) and name.strip() for name in self.names):
            raise InvalidOrderError(f"order: a name must be text that is not blank, got {shown(self.names)}.")
        if len(set(self.names)) < len(self.names):
            twice = next(name for i, name in enumerate(self.names) if name in self.names[:i])
            raise InvalidOrderError(f"order: {twice!r} is in its groups twice, need it once.")
        self._check_above()
        if not isinstance(self.text, str) or (self.text and _meaning(self.text) != (self.groups, self.above)):
            raise InvalidOrderError(
                f"order: text must say what groups and above say, got {shown(self.text)} for {shown(str(self))}. "
                "Leave it out."
            )

    def _check_above(self) -> None:
        """Pairs of groups there are, that contradict neither each other nor what follows from them."""
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
        below = self._line_ups.lowers
        wrong = [(i, j) for i, j in self.above if i == j or below[j] >> i & 1 or below[j] & ~below[i]]
        for i, j in sorted(wrong):
            left, right = self.groups[i][0], self.groups[j][0]
            if i == j:
                raise InvalidOrderError(f"order: {left!r} is compared with itself, got the pair {(i, j)} in above.")
            if below[j] >> i & 1:
                raise InvalidOrderError(
                    f"order: {left!r} cannot be dearer than {right!r} and the other way round, "
                    f"got the pairs {(i, j)} and {(j, i)} in above."
                )
            k = next(members(below[j] & ~below[i]))
            raise InvalidOrderError(
                f"order: above must hold what follows too, got {(i, j)} and {(j, k)} without {(i, k)}. "
                "Order.parse works it out."
            )

    @classmethod
    def parse(cls, text: str | Sequence[str] | Order) -> Order:
        """Read an order from its language, or from a sequence of names, dearest first."""
        if isinstance(text, Order):
            return text
        if not isinstance(text, str):
            return cls._of_sequence(text)
        return cls(*_meaning(text), text)

    @classmethod
    def _of_sequence(cls, names: Sequence[str]) -> Order:
        if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
            raise InvalidOrderError(
                f'order: need text such as "nickel > chromium" or a list of names, dearest first, got {names!r}.'
            )
        if not names:
            raise InvalidOrderError(
                "order: need at least one input, got an empty list. If nothing is dear, leave the cost out."
            )
        for name in names:
            _check_name(name)
        return cls.parse(" > ".join(names))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The inputs, group by group; the coordinates of weights are in this order."""
        return tuple(name for group in self.groups for name in group)

    def dearer(self, a: str, b: str) -> bool:
        """Whether input a is dearer than input b."""
        return (self._group_of(a), self._group_of(b)) in self.above

    def _group_of(self, name: str) -> int:
        for i, group in enumerate(self.groups):
            if name in group:
                return i
        raise InvalidOrderError(f"order: no input called {name!r}. It names {', '.join(self.names)}.")

    def columns(self, names: Sequence[str]) -> list[int]:
        """Where the order's inputs stand among a space's names, or an error that shows the one it lacks."""
        for name in self.names:
            if name not in names:
                raise InvalidOrderError(
                    f"order: {name!r} is not an input.{_show(str(self), _place(name, str(self)))}\n"
                    f"The space has {', '.join(names)}.{meant(name, names)} "
                    "Correct the name, or add the input to the space."
                )
        return [names.index(name) for name in self.names]

    def among(self, names: Sequence[str]) -> Order | None:
        """What the order says about those of its inputs that are among `names`; None if they are none.

        >>> str(Order.parse("nickel > chromium = moly > iron").among(["iron", "nickel", "gold"]))
        'nickel > iron'
        """
        kept = [tuple(name for name in group if name in names) for group in self.groups]
        place = {old: new for new, old in enumerate(i for i, group in enumerate(kept) if group)}
        if not place:
            return None
        above = frozenset((place[i], place[j]) for i, j in self.above if i in place and j in place)
        return Order(tuple(kept[i] for i in place), above)

    def agrees(self, weights: Array, *, slack: float = 1e-12) -> bool:
        """Whether (k,) weights, in the order of `names`, agree with the order."""
        of_group = np.split(weights, np.cumsum([len(group) for group in self.groups])[:-1])
        ties = all(np.ptp(members) <= slack for members in of_group)
        return ties and all(of_group[i][0] >= of_group[j][0] - slack for i, j in self.above)

    def sample(self, rng: np.random.Generator) -> Array:
        """(k,) weights drawn uniformly from those that agree with the order. They sum to one."""
        return self.weighable()._line_ups.sample(rng)

    def centre(self) -> Array:
        """(k,) the mean of `sample`: what the order says on average."""
        return self.weighable()._line_ups.centre.copy()

    def reversed(self) -> Order:
        """The same inputs, cheapest called dearest."""
        return Order(self.groups, frozenset((j, i) for i, j in self.above))

    def weighable(self) -> Order:
        """Itself, or an error if it leaves so much open that `sample` and `centre` would not end."""
        if not self._line_ups.countable:
            raise InvalidOrderError(
                f"order: {len(self.groups)} groups with so few comparisons leave too many line-ups to weigh. "
                "Compare more of them, or tie those that cost about the same with '='."
            )
        return self

    @cached_property
    def _line_ups(self) -> LineUps:
        return LineUps(tuple(len(group) for group in self.groups), self.above)

    @property
    def spelled(self) -> str:
        """Text that `parse` reads as exactly this order, its groups in this sequence: as it was written, if it was.

        The sequence matters: weights are drawn along it.
        """
        if self.text:
            return self.text
        for name in self.names:
            _check_name(name)
        ties = [" = ".join(group) for group in self.groups]
        return ", ".join(ties + [f"{self.groups[i][0]} > {self.groups[j][0]}" for i, j in sorted(self.above)])

    def __str__(self) -> str:
        """The order in its own language: one chain for each direct comparison not already in a longer chain."""
        tied = [" = ".join(group) for group in self.groups]
        lowers, uppers = self._line_ups.lowers, self._line_ups.uppers
        direct = [(i, j) for i, j in self.above if not lowers[i] & uppers[j]]
        chains: list[list[int]] = []
        for i, j in sorted(direct):
            chain = next((c for c in chains if c[-1] == i), None)
            if chain is None:
                chains.append([i, j])
            else:
                chain.append(j)
        lone = [[i] for i in range(len(tied)) if not any(i in chain for chain in chains)]
        return ", ".join(" > ".join(tied[i] for i in chain) for chain in chains + lone)


def _check_name(name: str) -> None:
    match = _TOKEN.fullmatch(name)
    if match is None or (match["name"] or "").strip() != name:
        raise InvalidOrderError(
            f"order: the name {shown(name)} cannot be written in an order: need text without '>', '=', ',' or '<' "
            "and without blanks at its ends. Rename the input."
        )


def _read(text: str) -> tuple[list[str], list[tuple[str, str, str, int]]]:
    """Names as they appear, and (left, sign, right, place) for every comparison."""
    names: dict[str, None] = {}  # in the order they come
    relations: list[tuple[str, str, str, int]] = []
    left, sign, place = "", "", 0
    end = len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        expected = "an input's name" if sign or not left else "'>', '=' or ','"
        if match is None or bool(match["name"]) != (expected == "an input's name"):
            start = place + len(text[place:]) - len(text[place:].lstrip())
            hint = " Write the dearer input first and use '>'." if text[start] == "<" else ""
            raise InvalidOrderError(f"order: expected {expected}, got {text[start]!r}.{hint}{_show(text, start)}")
        if match["sign"]:
            sign = match["sign"]
            if sign == ",":
                left, sign = "", ""
        else:
            name = match["name"].strip()
            names[name] = None
            if sign:
                relations.append((left, sign, name, match.start("name")))
            left, sign = name, ""
        place = match.end()
    if not left or sign:
        raise InvalidOrderError(
            f'order: expected an input\'s name, the text ends. Example: "nickel > chromium".{_show(text, end)}'
        )
    return list(names), relations


def _meaning(text: str) -> tuple[tuple[tuple[str, ...], ...], frozenset[tuple[int, int]]]:
    """The groups and the pairs of them that a text says, or an error that shows where it goes wrong."""
    names, relations = _read(text)
    root = {name: name for name in names}
    for left, sign, right, place in relations:
        if left == right:
            raise InvalidOrderError(f"order: {left!r} is compared with itself.{_show(text, place)}")
        if sign == "=":
            kept, merged = root[left], root[right]
            root = {name: kept if group == merged else group for name, group in root.items()}
    leaders = list(dict.fromkeys(root[name] for name in root))
    index = {leader: i for i, leader in enumerate(leaders)}
    lowers, uppers = [0] * len(leaders), [0] * len(leaders)
    for left, sign, right, place in relations:
        i, j = index[root[left]], index[root[right]]
        if sign == ">" and (i == j or lowers[j] >> i & 1):
            raise InvalidOrderError(
                f"order: {left!r} cannot be dearer than {right!r}: "
                f"it has been said or follows that {_contradiction(left, right, i == j)}.{_show(text, place)}"
            )
        if sign == ">" and not lowers[i] >> j & 1:
            dearer, cheaper = uppers[i] | 1 << i, lowers[j] | 1 << j
            for upper in members(dearer):
                lowers[upper] |= cheaper
            for lower in members(cheaper):
                uppers[lower] |= dearer
    groups: dict[str, list[str]] = {leader: [] for leader in leaders}
    for name, leader in root.items():
        groups[leader].append(name)
    above = frozenset((i, j) for i, below in enumerate(lowers) for j in members(below))
    return tuple(map(tuple, groups.values())), above


def _contradiction(left: str, right: str, tied: bool) -> str:
    return f"{left!r} = {right!r}" if tied else f"{right!r} > {left!r}"


def _place(name: str, text: str) -> int:
    """Where the whole name, not a longer one that holds it, first stands in an order's text."""
    return next(m.start("name") for m in _TOKEN.finditer(text) if m["name"] == name)


def _show(text: str, place: int) -> str:
    """The text on a line of its own, with a caret under the place."""
    one_line = "".join(" " if letter.isspace() else letter for letter in text)
    return f"\n    {one_line}\n    {' ' * place}^"
