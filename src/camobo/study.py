"""`Study`: ask, tell, and read the result. The only class in camobo that changes."""

from __future__ import annotations

import logging
import math
import numbers
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np

from camobo import engine
from camobo.cost import CostLike, as_cost
from camobo.engine import Beta, Data, Method, Models, Plan
from camobo.errors import (
    InvalidOptionError,
    InvalidValueError,
    NotBuiltError,
    SpaceExhausted,
    TrialStateError,
    UnknownTrialError,
)
from camobo.pareto import hypervolume, on_front
from camobo.space import Array, Categorical, Param, Params, Space
from camobo.trial import State, Trial

_log = logging.getLogger("camobo")

Values = Mapping[str, float]


class Study:
    """Finds the best trade-offs between objectives while using little of the inputs called dear.

    space: what can be varied.
    objectives: what is measured, and which way is better: {"strength": "max", "corrosion": "min"}.
    cost: which inputs are dearer than which, "nickel > chromium"; or a cost model; None for no cost-awareness.
    budget: planned evaluations. The cost's influence fades as they are spent; without one, with the steps made.
    seed: same seed, same data, same suggestions. None draws one, kept as `study.seed`.
    method: "default", or "paper" for Algorithm 1 of the paper to the letter (with cost=None its baseline, MO-UCB).
    reference: the value of every objective beyond which nothing counts, {"strength": 300}; None: taken from the data.
    beta: how far the paper's method trusts uncertainty, "practical" or "theory" (Theorem 1).
    refit_every: evaluations between fits of the models' hyper-parameters.

    >>> from camobo import Integer, Real, Space, Study
    >>> space = Space({"nickel": Real(0, 20), "soak": Integer(1, 12)})
    >>> study = Study(space, {"strength": "max"}, cost="nickel > soak", budget=20, seed=7)
    >>> trial = study.ask()
    >>> trial = study.tell(trial, {"strength": 300.0 + 10 * trial.params["nickel"]})
    >>> [t.number for t in study.front()]
    [0]
    """

    def __init__(
        self,
        space: Space,
        objectives: Mapping[str, Literal["min", "max"]],
        *,
        cost: CostLike = None,
        budget: int | None = None,
        seed: int | None = None,
        storage: str | None = None,
        method: Method = "default",
        reference: Values | None = None,
        beta: Beta = "practical",
        refit_every: int = 10,
    ) -> None:
        if storage is not None:
            raise NotBuiltError(f"storage: studies live in memory for now, got storage={storage!r}. Leave it out.")
        if not isinstance(space, Space):
            raise InvalidOptionError(f'space: need a Space, such as Space({{"nickel": Real(0, 20)}}), got {space!r}.')
        goals = _checked_objectives(objectives)
        self._plan = Plan(
            space=space,
            objectives=goals,
            cost=as_cost(cost, space.names, paper=method == "paper"),
            budget=None if budget is None else _whole("budget", budget, 1),
            seed=secrets.randbits(32) if seed is None else _whole("seed", seed, 0),
            method=_one_of("method", method, ("default", "paper")),
            reference=None
            if reference is None
            else tuple(_checked_values(reference, goals, what="reference").values()),
            beta=_one_of("beta", beta, ("practical", "theory")),
            refit_every=_whole("refit_every", refit_every, 1),
        )
        self._trials: list[Trial] = []
        self._units: list[Array] = []
        self._models: Models | None = None
        self._events = 0

    def __repr__(self) -> str:
        states = Counter(trial.state for trial in self._trials)
        told = ", ".join(f"{count} {state}" for state, count in states.items()) or "no trials"
        return f"<Study of {', '.join(self._plan.objectives)} over {', '.join(self._plan.space.names)}: {told}>"

    @property
    def plan(self) -> Plan:
        """What the study is about, every setting of it, as one frozen record."""
        return self._plan

    @property
    def space(self) -> Space:
        """What can be varied."""
        return self._plan.space

    @property
    def objectives(self) -> dict[str, Literal["min", "max"]]:
        """What is measured, and which way is better."""
        return dict(self._plan.objectives)

    @property
    def seed(self) -> int:
        """What the suggestions are drawn from."""
        return self._plan.seed

    @property
    def budget(self) -> int | None:
        """Planned evaluations, as given or as `optimize` implied."""
        return self._plan.budget

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Everything tried, by number."""
        return tuple(self._trials)

    @overload
    def ask(self) -> Trial: ...
    @overload
    def ask(self, n: int) -> list[Trial]: ...

    def ask(self, n: int | None = None) -> Trial | list[Trial]:
        """The next trial to evaluate; `ask(4)` gives a list of four, each chosen with the others in mind.

        A finite space that runs out on the way gives the ones there were; asked once more it raises SpaceExhausted.
        """
        if n is None:
            return self._ask_one()
        batch: list[Trial] = []
        for _ in range(_whole("n", n, 1)):
            try:
                batch.append(self._ask_one())
            except SpaceExhausted:
                if not batch:
                    raise
                break
        return batch

    def _ask_one(self) -> Trial:
        number = len(self._trials)
        step = 1 + sum(not trial.added for trial in self._trials)
        suggestion = engine.suggest(self._plan, self._data_at(self._events, step), number, self._models)
        self._models = suggestion.models or self._models
        params = self.space.from_unit(suggestion.unit)
        trial = Trial(number, params, notes=suggestion.notes, asked=self._event(), step=step, budget=self._plan.budget)
        return self._append(trial)

    def tell(self, trial: Trial | int, values: Values) -> Trial:
        """Record what a pending trial gave: one finite number for every objective."""
        pending = self._pending(trial, "told")
        return self._settle(pending, state=State.COMPLETE, values=_checked_values(values, self._plan.objectives))

    def fail(self, trial: Trial | int, reason: str) -> Trial:
        """Record that a pending trial could not be measured; nothing of it reaches a model but where it was."""
        return self._settle(self._pending(trial, "failed"), state=State.FAILED, reason=str(reason))

    def add(self, params: Params, values: Values) -> Trial:
        """Record an experiment done before; it informs the models and does not count against the budget."""
        checked = self.space.check(params)
        results = _checked_values(values, self._plan.objectives)
        asked = self._event()
        return self._append(
            Trial(
                len(self._trials),
                checked,
                State.COMPLETE,
                results,
                notes=("added by hand",),
                added=True,
                asked=asked,
                told=asked,
                budget=self._plan.budget,
            )
        )

    def optimize(self, function: Callable[[dict[str, Param]], Values], n_trials: int) -> Study:
        """Ask, evaluate and tell `n_trials` times; without a budget, these are the plan.

        `function` takes the params as a dict and returns a dict of values. If it raises, or returns anything but finite
        numbers for all objectives, that trial is marked failed, a warning is logged, and the loop goes on.
        Interrupted with Ctrl-C, the trial under way is marked failed and everything told so far is kept.
        """
        count = _whole("n_trials", n_trials, 1)
        if not callable(function):
            raise InvalidOptionError(f"optimize: need a function of a params dict, got {function!r}.")
        if self._plan.budget is None:
            asked = sum(not trial.added for trial in self._trials)
            self._plan = replace(self._plan, budget=asked + count)
        for _ in range(count):
            trial = self._ask_one()
            try:
                self.tell(trial, function(dict(trial.params)))
            except (KeyboardInterrupt, SystemExit):
                self.fail(trial, "interrupted")
                raise
            except Exception as error:  # whatever a measurement raises is a result: it is recorded, not hidden
                failed = self.fail(trial, f"{type(error).__name__}: {error}")
                _log.warning("%s", failed)
        return self

    def front(self) -> list[Trial]:
        """The complete trials that no other dominates, by number."""
        complete = self._complete()
        if not complete:
            return []
        return [trial for trial, kept in zip(complete, on_front(self._signed(complete)), strict=True) if kept]

    def hypervolume(self, reference: Values | None = None) -> float:
        """Volume dominated by the front above a reference point.

        The point is the one given here, else the study's own, else the worst value seen of each objective. That one
        moves as trials come in: give one to compare studies or times.
        """
        given = self._plan.reference
        if reference is not None:
            given = tuple(_checked_values(reference, self._plan.objectives, what="reference").values())
        complete = self._complete()
        if not complete:
            return 0.0
        signed = self._signed(complete)
        return hypervolume(signed, signed.min(axis=0) if given is None else self._plan.signs * np.array(given))

    def usage(self) -> dict[str, Any]:
        """How much of each input the evaluated trials used: the sum of a number's values, the count of each choice."""
        done = [trial.params for trial in self._trials if trial.state is not State.PENDING]
        used: dict[str, Any] = {}
        for name, given in self.space.inputs.items():
            if isinstance(given, Categorical):
                used[name] = {choice: sum(params[name] is choice for params in done) for choice in given.choices}
            else:
                used[name] = sum(params[name] for params in done)
        return used

    def explain(self, trial: Trial | int) -> Explanation:
        """Why a trial was suggested, told from what was known then. As slow as the suggestion itself, twice."""
        record = self._find(trial)
        plan = replace(self._plan, budget=record.budget)
        if record.added:
            return Explanation(record, {}, None, None, None)
        data = self._data_at(record.asked, record.step)
        found = engine.account(plan, data, record.number, self._units[record.number])
        predictions = {}
        if found.mean is not None and found.deviation is not None:
            rows = zip(self.objectives, found.mean.tolist(), found.deviation.tolist(), strict=True)
            predictions = {name: (mean, deviation) for name, mean, deviation in rows}
        blind = None if found.without_cost is None else self.space.from_unit(found.without_cost)
        return Explanation(record, predictions, found.utility, found.cost, blind)

    def _data_at(self, event: int, step: int) -> Data:
        """What was known just before an event."""
        known = [trial for trial in self._trials if trial.asked < event or event == self._events]
        groups: dict[State, list[Trial]] = {state: [] for state in State}
        for trial in known:
            settled = trial.told is not None and (trial.told < event or event == self._events)
            groups[trial.state if settled else State.PENDING].append(trial)
        complete, pending, failed = groups[State.COMPLETE], groups[State.PENDING], groups[State.FAILED]
        return Data(self._rows(complete), self._signed(complete), self._rows(pending), self._rows(failed), step)

    def _rows(self, trials: list[Trial]) -> Array:
        return np.array([self._units[trial.number] for trial in trials]).reshape(-1, self.space.dimension)

    def _signed(self, trials: list[Trial]) -> Array:
        values = [list(trial.values.values()) for trial in trials if trial.values is not None]
        return np.array(values).reshape(-1, len(self._plan.objectives)) * self._plan.signs

    def _complete(self) -> list[Trial]:
        return [trial for trial in self._trials if trial.state is State.COMPLETE]

    def _event(self) -> int:
        self._events += 1
        return self._events - 1

    def _append(self, trial: Trial) -> Trial:
        self._units.append(self.space.to_unit(trial.params))
        self._trials.append(trial)
        return trial

    def _settle(self, trial: Trial, **changes: Any) -> Trial:
        settled = replace(trial, told=self._event(), **changes)
        self._trials[trial.number] = settled
        return settled

    def _find(self, trial: Trial | int) -> Trial:
        number = trial.number if isinstance(trial, Trial) else trial
        if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
            raise UnknownTrialError(f"trial: need a Trial or its number, got {trial!r}.")
        if not 0 <= number < len(self._trials):
            has = f"trials 0 to {len(self._trials) - 1}" if self._trials else "no trials yet"
            raise UnknownTrialError(
                f"trial {number}: this study has {has}. To record an earlier experiment use study.add."
            )
        return self._trials[int(number)]

    def _pending(self, trial: Trial | int, wanted: str) -> Trial:
        found = self._find(trial)
        if found.state is not State.PENDING:
            raise TrialStateError(
                f"trial {found.number} is {found.state} already and cannot be {wanted} again: {found}."
            )
        if isinstance(trial, Trial) and trial.params != found.params:
            raise UnknownTrialError(
                f"trial {found.number} of this study has other params than the one given: is it another study's?"
            )
        return found


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a trial was suggested. Print it to read it."""

    trial: Trial
    predictions: Mapping[str, tuple[float, float]]
    """Mean and standard deviation the models expected of each objective; empty before there were models."""
    utility: float | None
    """Q: what the point promised before its cost."""
    cost: float | None
    """C in [0, 1): the share of that promise its cost took away. None without cost-awareness."""
    without_cost: Mapping[str, Param] | None
    """What would have been suggested without cost-awareness."""

    def __str__(self) -> str:
        lines = [str(self.trial), *(f"  {note}" for note in self.trial.notes)]
        for name, (mean, deviation) in self.predictions.items():
            seen = "" if self.trial.values is None else f", measured {self.trial.values[name]:.6g}"
            lines.append(f"  {name}: expected {mean:.6g} ± {deviation:.2g}{seen}")
        if self.utility is not None:
            lines.append(
                f"  promise Q = {self.utility:.3g}" + ("" if self.cost is None else f", cost C = {self.cost:.3f}")
            )
        if self.without_cost is not None:
            shown = ", ".join(
                f"{k}={v:.6g}" if isinstance(v, float) else f"{k}={v}" for k, v in self.without_cost.items()
            )
            lines.append(f"  without cost: {shown}")
        return "\n".join(lines)


def _checked_objectives(objectives: Any) -> dict[str, Literal["min", "max"]]:
    if not isinstance(objectives, Mapping) or not objectives:
        raise InvalidOptionError(f'objectives: need at least one, such as {{"strength": "max"}}, got {objectives!r}.')
    for name, goal in objectives.items():
        if not isinstance(name, str) or not name.strip():
            raise InvalidOptionError(f"objectives: a name must be text that is not blank, got {name!r}.")
        if goal not in ("min", "max"):
            raise InvalidOptionError(f'objectives: {name!r} must be "min" or "max", got {goal!r}.')
    return dict(objectives)


def _checked_values(values: Any, objectives: Mapping[str, str], *, what: str = "values") -> dict[str, float]:
    """One finite float for every objective, in the objectives' order; `what` names the argument in errors."""
    if not isinstance(values, Mapping):
        raise InvalidValueError(f"{what}: need a number for each of {', '.join(objectives)} by name, got {values!r}.")
    unknown = [name for name in values if name not in objectives]
    missing = [name for name in objectives if name not in values]
    if unknown or missing:
        problem = f"no objective called {unknown[0]!r}" if unknown else f"no value for {missing[0]!r}"
        raise InvalidValueError(f"{what}: {problem}. This study measures {', '.join(objectives)}.")
    return {name: _finite(name, values[name], what) for name in objectives}


def _finite(name: str, value: Any, what: str) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)):
        try:
            number = float(value)
        except OverflowError:
            value = number = math.inf  # a whole number beyond any float, perhaps too long to print
        if math.isfinite(number):
            return number
    if what != "values":
        raise InvalidValueError(f"{what}: objective {name!r} needs a finite number, got {value!r}.")
    raise InvalidValueError(
        f"objective {name!r}: need a finite number, got {value!r}. "
        'To record a failed measurement use study.fail(trial, "why").'
    )


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidOptionError(f"{name}: need a whole number of at least {least}, got {value!r}.")
    return int(value)


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise InvalidOptionError(f"{name}: need one of {', '.join(map(repr, allowed))}, got {value!r}.")
    return value
