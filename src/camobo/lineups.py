"""Every way of lining up groups, dearest first, that respects a partial order; and the weights they stand for.

Given are groups of inputs that cost the same, g with n_g members, and pairs (i, j): group i is dearer than group j. The
weightings that agree with them are

    V = { v ≥ 0, Σ v = 1, v_a ≥ v_b where a's group is dearer than b's, v_a = v_b within a group }.

`LineUps.sample` draws uniformly from V, `LineUps.centre` is its mean. Both rest on how V falls into simplices. Every
line-up cuts one out of V, whose corners are "the first j groups share everything": weight 1/N_j on each of their
N_j = n_1 + … + n_j members, 0 elsewhere. The line-ups cover V and overlap only on their borders, and such a simplex has
volume ∝ Π_j 1/N_j. So a uniform draw is: a line-up with probability ∝ Π_j 1/N_j, then a flat Dirichlet mixture of its
corners. For one chain without ties that is the same law as a sorted flat Dirichlet draw; for two incomparable chains it
interleaves them at random.

Line-ups are counted and drawn exactly by dynamic programming over the sets of groups that can come first. That is
k + 1 sets for a chain of k groups and grows exponentially only with the number of groups that are all incomparable.
Sets of groups are integers, a bit a group.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from camobo.inputs import Array

_MOST_PREFIXES = 200_000  # sets of groups that can come first; beyond it a draw would take seconds


@dataclass(frozen=True)
class LineUps:
    """The line-ups of groups of given sizes.

    >>> LineUps((1, 2), frozenset({(0, 1)})).centre.round(3)
    array([0.667, 0.167, 0.167])
    """

    sizes: tuple[int, ...]
    above: frozenset[tuple[int, int]]
    """Pairs of groups (i, j): i is dearer than j. Closed under transitivity."""

    def sample(self, rng: np.random.Generator) -> Array:
        """(k,) weights of the k members of all groups, drawn uniformly from V."""
        corners = self._corners(self._line_up(rng))
        return np.asarray(rng.dirichlet(np.ones(len(corners))) @ corners)

    @cached_property
    def countable(self) -> bool:
        """Whether they are few enough for `sample` and `centre` to end soon."""
        found, prefixes = {0}, [0]
        for prefix in prefixes:  # which grows meanwhile, small ones first
            for group, uppers in enumerate(self.uppers):
                bigger = prefix | 1 << group
                if uppers & ~prefix == 0 and bigger not in found:
                    found.add(bigger)
                    prefixes.append(bigger)
            if len(found) > _MOST_PREFIXES:
                return False
        return True

    def _corners(self, line_up: Sequence[int]) -> Array:
        """(groups, k) the corners of a line-up's simplex: the first j groups share everything."""
        corners = np.zeros((len(line_up), sum(self.sizes)))
        for j, group in enumerate(line_up):
            corners[j:, self._members[group]] = 1.0
        return np.asarray(corners / corners.sum(axis=1, keepdims=True))

    def _line_up(self, rng: np.random.Generator) -> list[int]:
        """Groups, dearest first, drawn with probability ∝ Π_j 1/N_j; built from the cheapest up."""
        remaining, reversed_line_up = (1 << len(self.sizes)) - 1, []
        while remaining:
            lasts = list(self._possible_lasts(remaining))
            masses = np.array([self._mass[remaining & ~(1 << g)] for g in lasts])
            last = lasts[int(rng.choice(len(lasts), p=masses / masses.sum()))] if len(lasts) > 1 else lasts[0]
            reversed_line_up.append(last)
            remaining &= ~(1 << last)
        return reversed_line_up[::-1]

    @cached_property
    def _members(self) -> list[list[int]]:
        starts = np.cumsum([0, *self.sizes])
        return [list(range(a, b)) for a, b in itertools.pairwise(starts)]

    @cached_property
    def uppers(self) -> list[int]:
        """For each group, the set of groups dearer than it."""
        return _sets(len(self.sizes), ((j, i) for i, j in self.above))

    @cached_property
    def lowers(self) -> list[int]:
        """For each group, the set of groups cheaper than it."""
        return _sets(len(self.sizes), self.above)

    def _possible_lasts(self, prefix: int) -> Iterator[int]:
        """Groups that can come last among the groups of `prefix`: those above no other of them."""
        for group, lowers in enumerate(self.lowers):
            if prefix >> group & 1 and not prefix & lowers:
                yield group

    @cached_property
    def _mass(self) -> dict[int, float]:
        """For every set of groups that can come first, Σ Π 1/N_j over its line-ups (scaled by k to stay near one)."""
        total = sum(self.sizes)
        mass, layer = {0: 1.0}, {0: 1.0}
        for _ in self.sizes:
            grown: dict[int, float] = {}
            for prefix, value in layer.items():
                for group, uppers in enumerate(self.uppers):
                    if not prefix >> group & 1 and uppers & ~prefix == 0:
                        bigger = prefix | 1 << group
                        grown[bigger] = grown.get(bigger, 0.0) + value
            layer = {
                prefix: value * total / sum(size for g, size in enumerate(self.sizes) if prefix >> g & 1)
                for prefix, value in grown.items()
            }
            mass.update(layer)
        return mass

    @cached_property
    def centre(self) -> Array:
        """(k,) the mean of `sample`."""
        # Walks down from the whole, carrying the probability that a random line-up starts with each set of groups.
        sizes = np.array(self.sizes)
        share = np.zeros(len(self.sizes))
        layer = {(1 << len(self.sizes)) - 1: 1.0}
        while layer:
            smaller: dict[int, float] = {}
            for prefix, probability in layer.items():
                inside = np.array([prefix >> g & 1 for g in range(len(self.sizes))])
                share += probability * inside / (inside @ sizes)
                lasts = list(self._possible_lasts(prefix))
                masses = [self._mass[prefix & ~(1 << g)] for g in lasts]
                for group, value in zip(lasts, masses, strict=True):
                    rest = prefix & ~(1 << group)
                    if rest:
                        smaller[rest] = smaller.get(rest, 0.0) + probability * value / sum(masses)
            layer = smaller
        return np.repeat(share / len(self.sizes), sizes)


def _sets(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """For each of `count` numbers, the set of those it is paired with, as bits."""
    found = [bytearray(count // 8 + 1) for _ in range(count)]
    for i, j in pairs:
        found[i][j >> 3] |= 1 << (j & 7)
    return [int.from_bytes(bits, "little") for bits in found]


def members(given: int) -> Iterator[int]:
    """The numbers of a set."""
    return (place for place, bit in enumerate(reversed(bin(given))) if bit == "1")
