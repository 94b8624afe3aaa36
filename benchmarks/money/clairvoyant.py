"""The clairvoyant's money: about the least that buys a share of the front, if all functions are known beforehand.

It buys from a set of candidates: points of the best front, and points that are cheaper than any that is as good, found
by a search with money as one more objective (on a table: all of those). It always buys the one that gains most
hypervolume per money; at each step it also looks for the cheapest single candidate that would complete the share, and
in the end it gives back what is not needed. Greedy is not optimal: the true least is at most this, and often a little
less. It pays for no exploration, so no method that has to learn the functions can be expected near it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from money.case import Case, Floats, Price, volume
from money.search import searched

STEPS = 300
"""Points bought at most. With more objectives a high share would take more, and is left out."""


def least_money(case: Case, price: str, shares: Sequence[float]) -> dict[float, float]:
    """Money to each share of the best hypervolume; shares that the candidates do not reach are left out."""
    units = candidates(case, case.prices[price])
    shop = Shop(case.evaluate(units), case.prices[price](units), case.reference)
    wanted = {share: share * case.best for share in shares}
    found: dict[float, tuple[float, list[int]]] = {}
    for bought in shop.purchases(max(wanted.values())):
        for share, target in wanted.items():
            limit = found[share][0] if share in found else np.inf
            last = shop.cheapest_that_completes(target, limit)
            if last is not None:
                found[share] = (shop.spent + float(shop.money[last]), [*bought, last])
    return {share: shop.without_spare(chosen, wanted[share]) for share, (_, chosen) in found.items()}


def candidates(case: Case, price: Price) -> Floats:
    """(k, d) points to buy from."""
    if case.candidates is not None:
        return case.candidates(price)

    def with_money(units: Floats) -> Floats:
        return np.column_stack([case.evaluate(units), price(units)])

    best = best_front(case)
    money_too = (*case.reference, np.inf)
    cheap = searched(with_money, case.space.dimension, money_too, starts=best, generations=120, kept=1200)
    return np.vstack([best, cheap])


@cache
def best_front(case: Case) -> Floats:
    """(k, d) points close to the best front."""
    return searched(case.evaluate, case.space.dimension, case.reference)


@dataclass(slots=True)
class Shop:
    """Candidates, and what has been bought of them."""

    values: Floats
    money: Floats
    reference: tuple[float, ...]
    bought: list[int] = field(default_factory=list)
    reached: float = 0.0
    spent: float = 0.0
    bounds: Floats = field(init=False)
    """(k,) at least what each candidate would gain now: what it gained when last asked. Gains never grow."""

    def __post_init__(self) -> None:
        self.bounds = np.prod(np.maximum(np.array(self.reference) - self.values, 0.0), axis=1)

    def gain(self, candidate: int) -> float:
        """The hypervolume a candidate would add."""
        gained = volume(self.values[[*self.bought, candidate]], self.reference) - self.reached
        self.bounds[candidate] = gained
        return gained

    def purchases(self, target: float) -> Iterator[list[int]]:
        """Buy by gain per money until `target` is reached; what has been bought so far, before every purchase."""
        heap = [(-bound / cost, i) for i, (bound, cost) in enumerate(zip(self.bounds, self.money, strict=True))]
        heapq.heapify(heap)
        while self.reached < target and len(self.bought) < STEPS:
            yield list(self.bought)
            while True:
                _, best = heapq.heappop(heap)
                again = (-self.gain(best) / float(self.money[best]), best)
                if not heap or again <= heap[0]:
                    break
                heapq.heappush(heap, again)
            if self.bounds[best] <= 0.0:
                return
            self.reached += float(self.bounds[best])
            self.spent += float(self.money[best])
            self.bought.append(best)

    def cheapest_that_completes(self, target: float, limit: float) -> int | None:
        """The cheapest candidate that reaches `target` for less than `limit` in all; None if there is none."""
        enough = (self.bounds >= target - self.reached) & (self.spent + self.money < limit)
        for i in sorted(np.flatnonzero(enough), key=lambda i: float(self.money[i])):
            if self.gain(int(i)) >= target - self.reached:
                return int(i)
        return None

    def without_spare(self, chosen: list[int], target: float) -> float:
        """The money of what is chosen without what is not needed, the most expensive given back first."""
        kept = list(chosen)
        for i in sorted(chosen, key=lambda i: -float(self.money[i])):
            rest = [j for j in kept if j != i]
            if volume(self.values[rest], self.reference) >= target:
                kept = rest
        return float(self.money[kept].sum())
