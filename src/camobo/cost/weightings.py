"""The price vectors that agree with an order of costs.

Inputs that cost the same form a group; group g has n_g members. A pair (i, j) says that group i is more expensive than
group j. The weightings (price vectors) that agree with all pairs are

    V = { v ≥ 0, Σ v = 1, v_a ≥ v_b where a's group is more expensive than b's, v_a = v_b within a group }.

`Weightings.sample` draws uniformly from V and `Weightings.centre` is the mean of V. Both split V into simplices, one
per *ranking*: a list of all groups, most expensive first, that respects every pair. The corners of a ranking's simplex
are "the first j groups share everything": weight 1/N_j for each of their N_j = n_1 + … + n_j members, 0 for all others.
The simplices cover V and overlap only on their borders. Each has volume ∝ Π_j 1/N_j. So a uniform draw is a ranking
with probability ∝ Π_j 1/N_j, then a flat Dirichlet mixture of its corners. For one chain without ties this is a sorted
flat Dirichlet draw; two chains that are not compared are interleaved at random.

Rankings are counted and drawn exactly, by dynamic programming over *prefixes*: the sets of groups a ranking can start
with. A chain of k groups has k + 1 prefixes; their number grows exponentially only with the number of groups that are
not compared with each other. A set of groups is an integer, one bit per group.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from camobo.arrays import Array

_MOST_PREFIXES = 200_000  # with more, one draw would take seconds


@dataclass(frozen=True)
class Weightings:
    """The set V for groups of the given sizes.

    >>> Weightings((1, 2), frozenset({(0, 1)})).centre.round(3)
    array([0.667, 0.167, 0.167])
    """

    sizes: tuple[int, ...]
    above: frozenset[tuple[int, int]]
    """Pairs of groups (i, j): i is more expensive than j. Closed under transitivity."""

    def sample(self, rng: np.random.Generator) -> Array:
        """(k,) one weight per member of the groups, drawn uniformly from V."""
        corners = self._corners(self._ranking(rng))
        return np.asarray(rng.dirichlet(np.ones(len(corners))) @ corners)

    @cached_property
    def countable(self) -> bool:
        """Whether there are few enough prefixes for `sample` and `centre` to be quick."""
        found, prefixes = {0}, [0]
        for prefix in prefixes:  # the list grows meanwhile, small prefixes first
            for group, uppers in enumerate(self.uppers):
                bigger = prefix | 1 << group
                if uppers & ~prefix == 0 and bigger not in found:
                    found.add(bigger)
                    prefixes.append(bigger)
            if len(found) > _MOST_PREFIXES:
                return False
        return True

    def _corners(self, ranking: Sequence[int]) -> Array:
        """(groups, k) the corners of a ranking's simplex: in row j the first j + 1 groups share everything."""
        corners = np.zeros((len(ranking), sum(self.sizes)))
        for j, group in enumerate(ranking):
            corners[j:, self._members[group]] = 1.0
        return np.asarray(corners / corners.sum(axis=1, keepdims=True))

    def _ranking(self, rng: np.random.Generator) -> list[int]:
        """A ranking drawn with probability ∝ Π_j 1/N_j, built from its cheapest group."""
        remaining, cheapest_first = (1 << len(self.sizes)) - 1, []
        while remaining:
            lasts = list(self._possible_lasts(remaining))
            masses = np.array([self._mass[remaining & ~(1 << g)] for g in lasts])
            last = lasts[int(rng.choice(len(lasts), p=masses / masses.sum()))] if len(lasts) > 1 else lasts[0]
            cheapest_first.append(last)
            remaining &= ~(1 << last)
        return cheapest_first[::-1]

    @cached_property
    def _members(self) -> list[list[int]]:
        """For each group, the positions of its members in a weighting."""
        starts = np.cumsum([0, *self.sizes])
        return [list(range(a, b)) for a, b in itertools.pairwise(starts)]

    @cached_property
    def uppers(self) -> list[int]:
        """For each group, the set of groups more expensive than it."""
        return _sets(len(self.sizes), ((j, i) for i, j in self.above))

    @cached_property
    def lowers(self) -> list[int]:
        """For each group, the set of groups cheaper than it."""
        return _sets(len(self.sizes), self.above)

    def _possible_lasts(self, prefix: int) -> Iterator[int]:
        """The groups that can come last in a prefix: those more expensive than no other group in it."""
        for group, lowers in enumerate(self.lowers):
            if prefix >> group & 1 and not prefix & lowers:
                yield group

    @cached_property
    def _mass(self) -> dict[int, float]:
        """For every prefix, Σ Π_j 1/N_j over the rankings of its groups (each factor times k, to stay near 1)."""
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
        # From all groups down, `layer` holds the probability that a random ranking starts with each prefix.
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
    """For each of `count` groups, the set of groups that it is paired with."""
    found = [bytearray(count // 8 + 1) for _ in range(count)]
    for i, j in pairs:
        found[i][j >> 3] |= 1 << (j & 7)
    return [int.from_bytes(bits, "little") for bits in found]


def groups_in(bits: int) -> Iterator[int]:
    """The groups of a set, in ascending order."""
    return (group for group, bit in enumerate(reversed(bin(bits))) if bit == "1")
