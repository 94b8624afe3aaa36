"""One run: a study asked and told from start to end, and the record of what it reached for which money."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import camobo as cm
from money.case import Case, Floats
from money.families import case
from money.measures import SHARES
from money.methods import METHODS, WITHOUT_COST, Method
from money.settings import applied, shown

MOST_TRIALS = 400
"""Trials at most of a run that goes on until its money is spent."""
ALL = "all"
"""The price of a run that stands for all price functions."""
STEP = 0.001
"""Improvements of less than this are recorded only where they complete one of the SHARES, or are the last."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run to make.

    Attributes:
        case: the case's name.
        method: the method's name.
        price: the hidden price function, or ALL.
        seed: of the study.
        budget: planned trials.
        settings: other values of camobo's constants.
        limit: money after which the run ends; None: it ends with its budget of trials.
    """

    case: str
    method: str
    price: str
    seed: int
    budget: int
    settings: Mapping[str, Any]
    limit: float | None = None

    def key(self, fingerprint: str) -> dict[str, Any]:
        """The part of the record that says which run it is."""
        return {
            "family": case(self.case).family,
            "case": self.case,
            "method": self.method,
            "price": self.price,
            "seed": self.seed,
            "budget": self.budget,
            "settings": shown(self.settings),
            "fingerprint": fingerprint,
        }


def play(job: Job) -> dict[str, Any]:
    """Make a run."""
    with applied(job.settings):
        given, method = case(job.case), METHODS[job.method]
        return played(given, method, job)


def played(given: Case, method: Method, job: Job) -> dict[str, Any]:
    """Ask and tell until the budget, the money or the space is used up."""
    price = next(iter(given.prices)) if job.price == ALL else job.price
    budget = job.budget if job.limit is None else cm.Budget(cost=job.limit)
    study = method.begin(given, budget=budget, seed=job.seed, **method.keywords(given, price))
    units: list[Floats] = []
    values: list[list[float]] = []
    seconds, spent = [], 0.0
    most = job.budget if job.limit is None else MOST_TRIALS
    ended = "budget"
    while len(units) < most:
        begun = time.process_time()
        try:
            trial = study.ask()
        except (cm.SpaceExhausted, cm.BudgetSpent) as error:
            ended = "space" if isinstance(error, cm.SpaceExhausted) else "money"
            break
        seconds.append(time.process_time() - begun)
        found, cost = given.values(trial.params), given.money(price, trial.params)
        study.tell(trial, found, cost=cost if method.tells_receipts else None)
        units.append(given.unit(trial.params)[0])
        values.append(list(found.values()))
        spent += cost
        if job.limit is not None and spent >= job.limit:
            ended = "money"
            break
    prices = given.prices if job.price == ALL else {price: given.prices[price]}
    money = {name: function(np.array(units)) for name, function in prices.items()}
    return {
        **curve(given, np.array(values), money),
        "ended": ended,
        "ask": round(statistics.median(seconds or [0.0]), 5),
    }


def curve(given: Case, values: Floats, money: Mapping[str, Floats]) -> dict[str, Any]:
    """The trials that improved the front, by number from 1; the hypervolume with each, and the money paid by then.

    Every figure of `measures` follows from these: money to a share, and hypervolume for an amount or after some trials.
    """
    shares = [round(given.hypervolume(values[:number]), 5) for number in range(1, len(values) + 1)]
    at: list[int] = []
    reached: list[float] = []
    for number, share in enumerate(shares, 1):
        last = reached[-1] if reached else 0.0
        crossing = any(last < limit <= share for limit in SHARES)
        if crossing or share >= last + STEP or (share > last and share == shares[-1]):
            at.append(number)
            reached.append(share)
    spent = {price: np.cumsum(paid) for price, paid in money.items()}
    return {
        "best": given.best,
        "trials": len(values),
        "at": at,
        "hypervolume": reached,
        "money": {price: [_short(paid[number - 1]) for number in at] for price, paid in spent.items()},
        "total": {price: _short(paid[-1]) for price, paid in spent.items()},
    }


def _short(money: float) -> float:
    """Five digits: enough, and a third of the space."""
    return float(f"{money:.5g}")


def goes_until_spent(given: Case, method: str) -> bool:
    """Whether a method's runs on a case end with the money of the blind study, not with its number of trials."""
    return given.until_spent and method not in WITHOUT_COST
