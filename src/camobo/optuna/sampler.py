"""`CostAwareSampler`: what Optuna asks, answered by the engine.

    the study's trials ──> Inputs: the search space they share ──> Data ──> engine.suggest ──> a claim in the storage

Everything a suggestion depends on is in the storage, the sampler's options and the trial's number. So a sampler in
another thread, process or machine, or one made anew after a crash, goes on as this one would. What this object keeps
beside its options are fitted models and an order's weights, to save time (a cache that does not match the data is
ignored), and which warnings it has given.

Once chosen, a point is claimed in the storage (`claims`). Whoever claims one then looks whether another running trial
has claimed the same; since both write before they look, at least one sees the other. It waits a random moment, and if
the other has not moved, chooses again with the other's point counted as taken.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from camobo import engine
from camobo.checks import few_enough, one_of, whole
from camobo.cost import AdditiveCost, CostLike, Moment, PaperCost
from camobo.errors import InvalidOptionError, SpaceExhausted
from camobo.inputs import Array, Input, Integer
from camobo.models import Models
from camobo.optuna import claims, held, observed
from camobo.optuna.given import cost_among, finite_numbers, numbers, read_cost, read_dear
from camobo.optuna.inputs import Dear, Inputs, only_value, size_of
from camobo.optuna.notices import Notices, is_flat
from camobo.optuna.told import constraints_of, objectives_of
from camobo.plan import Method, Plan

_TRIES = 8
_KEPT_MODELS = 8  # of as many studies or search spaces as share a sampler at a time
_FEW = 1000  # values of a parameter; of more, trials that run at once hardly draw the same
_ROW = 16  # trials before the first result that draw from the same values


class CostAwareSampler(BaseSampler):
    """Suggests cheap parameters first, and dear ones only when they pay. For one objective or many.

    cost: which parameters are dearer than which, "n_estimators > max_depth"; a list, dearest first; or a cost model of
        camobo. None: no cost-awareness. Parameters it names may be missing from some trials, or from all.
    budget: planned trials. The cost's influence fades as they are spent; without one, with the trials made.
    seed: same seed, same trials, same suggestions. None draws one, kept as `sampler.seed`.
    dear: for parameters that do not cost more as they rise: {"learning_rate": "low", "quench": ["vacuum", "oil"]}, the
        end that is dear, or a categorical's dear choices, dearest first.
    method: "default", or "paper" for the paper's Algorithm 1.
    reference: for each objective, the value beyond which nothing counts; None: taken from the trials.
    constraints_func: a function of a finished trial that gives numbers which must not be above zero. With Optuna 5,
        `trial.set_constraint` in the objective does the same and needs no function here.
    warn_independent_sampling: whether to warn, once a parameter, of those that are drawn at random though there are
        results, because some complete trial lacks them or has them with another range. False where that is meant.

    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> sampler = CostAwareSampler("trees > depth", budget=20, seed=0)
    >>> study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
    >>> def objective(trial):
    ...     trees, depth = trial.suggest_int("trees", 10, 500, log=True), trial.suggest_int("depth", 2, 16)
    ...     return 1.0 / trees + 1.0 / depth, depth**2 * trees
    >>> study.optimize(objective, n_trials=8)
    >>> len(study.best_trials) > 0
    True
    """

    def __init__(
        self,
        cost: CostLike = None,
        *,
        budget: int | None = None,
        seed: int | None = None,
        dear: Dear | None = None,
        method: Method = "default",
        reference: Sequence[float] | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        warn_independent_sampling: bool = True,
    ) -> None:
        one_of("method", method, ("default", "paper"))
        if constraints_func is not None and not callable(constraints_func):
            raise InvalidOptionError(f"constraints_func: need a function of a trial, got {constraints_func!r}.")
        self._cost = read_cost(cost, paper=method == "paper")
        self._named: Sequence[str] = () if self._cost is None else self._cost.order.names
        self._budget = None if budget is None else whole("budget", budget, 1)
        self._draws_its_seed = seed is None
        self._seed = secrets.randbits(32) if seed is None else whole("seed", seed, 0)
        self._dear = read_dear(dear)
        self._method = method
        self._reference = None if reference is None else finite_numbers("reference", reference)
        self._constraints_func = constraints_func
        self._warn_independent_sampling = warn_independent_sampling
        self._costs: deque[tuple[Sequence[str], PaperCost | AdditiveCost | None]] = deque(maxlen=_KEPT_MODELS)
        self._inputs: deque[Inputs] = deque(maxlen=_KEPT_MODELS)
        self._models: deque[tuple[Plan, Models]] = deque(maxlen=_KEPT_MODELS)
        self._notices = Notices(self._named, self._dear)
        # One suggestion at a time in a process: the next thread sees this one's claim.
        self._turn = threading.Lock()

    @property
    def seed(self) -> int:
        """What the suggestions are drawn from."""
        return self._seed

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or one in another process, gets the options alone."""
        kept = ("_costs", "_inputs", "_models", "_notices", "_turn")
        options = {name: value for name, value in self.__dict__.items() if name not in kept}
        return _made, (type(self), self._cost, self._dear), options

    def reseed_rng(self) -> None:
        """Nothing to do: random numbers derive from the seed and a trial's number, so no two trials share them."""

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Refuse a reference that is not of this study's objectives, and too many of them, before a trial costs."""
        try:
            few_enough(study.directions)
            self._checked_reference(len(study.directions))
        except InvalidOptionError:
            study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)  # or it would seem to run for ever
            raise

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The parameters that every complete trial has with one and the same range, and more than one value."""
        shared = optuna.search_space.intersection_search_space(study.get_trials(deepcopy=False))
        return {name: given for name, given in shared.items() if size_of(given) > 1}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Suggest values of all shared parameters together; {} while there are none."""
        self._notices.names([given for given in study.get_trials(deepcopy=False) if given.number != trial.number])
        if not search_space:
            return {}
        with self._turn:
            return self._claimed(study, trial, self._inputs_of(search_space))

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """One value of a parameter that is not shared, drawn at random, from the cheap side if the cost names it.

        Before the first result no parameter is shared, and trials that run at once are kept apart otherwise (`_first`).
        """
        if size_of(param_distribution) == 1:
            return only_value(param_distribution)
        if self._warn_independent_sampling:
            self._notices.independent(study, param_name, param_distribution)
        inputs = Inputs.of({param_name: param_distribution}, self._dear)
        if isinstance(param_distribution, FloatDistribution) and param_distribution.step is not None:
            # Optuna takes a value to be off the grid if it is so by 1e-8 of a step, as fine steps far from zero are.
            claimed = claims.params(trial, inputs)
            if inputs.unit(claimed) is not None:
                return claimed[param_name]
        self._notices.categories(inputs)
        if study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            return self._drawn(study, inputs, trial)[param_name]
        return self._first(study, inputs, trial)[param_name]

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Evaluate the constraints of a trial that came to an end."""
        if self._constraints_func is None or state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return
        found = numbers(f"constraints_func, trial {trial.number}", self._constraints_func(trial))
        study._storage.set_trial_system_attr(trial._trial_id, "constraints", list(found))

    def _stream(self, purpose: str, *number: int, seed: int | None = None) -> np.random.Generator:
        return np.random.default_rng([self._seed if seed is None else seed, zlib.crc32(purpose.encode()), *number])

    def _drawn(self, study: optuna.Study, inputs: Inputs, trial: FrozenTrial) -> dict[str, Any]:
        """Params at random, those that the cost names from their cheap side."""
        names = inputs.space.names
        levels = np.array([[self._stream(f"drawn {name}", trial.number).random() for name in names]])
        priced = [self._prices(name, given) for name, given in inputs.space.inputs.items()]
        levels[:, priced] *= self._cheap_side(study, trial.number, len(names))
        return inputs.params(inputs.space.at_expense(levels)[0])

    def _first(self, study: optuna.Study, inputs: Inputs, trial: FrozenTrial) -> dict[str, Any]:
        """One parameter before there is any result: the first trials differ, as many as the cheap side has points.

        Nobody has to look at the others, who may be writing. A parameter's values come in random order, each once in
        as many trials as there are values. Trials that meet in one value got it in different rounds, and the round is
        what counts as the trial's number at the next parameter. That order is the same for all workers: that of the
        seed they were given, or without one of the study's name.
        """
        number = trial.number
        for earlier, distribution in trial.distributions.items():
            if number == 0:
                break
            if 1 < size_of(distribution) <= _FEW:
                number //= len(self._starts(study, Inputs.of({earlier: distribution}, self._dear), trial)) or 1
        starts = self._starts(study, inputs, trial)
        if not len(starts):
            return self._drawn(study, inputs, trial)
        ((name, given),) = inputs.space.inputs.items()
        seed = zlib.crc32(study.study_name.encode()) if self._draws_its_seed else self._seed
        draws = self._stream(f"first {name} {trial.params}", number // len(starts), seed=seed).gumbel(size=len(starts))
        slope = math.log(given.high / given.low) if isinstance(given, Integer) and given.log else 0.0
        order = np.argsort(slope * starts[:, 0] - draws)  # on a log scale small values come sooner, as draws would
        return inputs.params(starts[order[number % len(starts)]])

    def _starts(self, study: optuna.Study, inputs: Inputs, trial: FrozenTrial) -> Array:
        """(n, 1) the values of one parameter, of its cheap side if the cost names it; none if they are many."""
        ((name, given),) = inputs.space.inputs.items()
        if given.size > _FEW:
            return np.zeros((0, 1))
        units, row = inputs.space.grid(), trial.number - trial.number % _ROW
        cheap = self._cheap_side(study, row) if self._prices(name, given) else 1.0
        return units[inputs.space.expense(units)[:, 0] * (1.0 - 1.0 / given.size) < cheap]  # as draws below it would be

    def _cheap_side(self, study: optuna.Study, number: int, inputs: int = 1) -> float:
        return Moment(number + 1, self._budget, len(study.directions), inputs).cheap_side

    def _prices(self, name: str, given: Input) -> bool:
        """Whether the cost names it and it has a dear side."""
        return name in self._named and not is_flat(given)

    def _inputs_of(self, search_space: dict[str, BaseDistribution]) -> Inputs:
        """The inputs of a search space, those of before if they are written alike: True equals 1 and is another."""
        written = repr(search_space)
        known = next((given for given in self._inputs if repr(given.distributions) == written), None)
        if known is None:
            known = Inputs.of(search_space, self._dear)
            self._inputs.append(known)
        return known

    def _claimed(self, study: optuna.Study, trial: FrozenTrial, inputs: Inputs) -> dict[str, Any]:
        """Params no other running trial has, written down for the others to see; any, once all have been tried.

        Those a trial was enqueued with are not chosen: the others are, for the sake of these.
        """
        settled = claims.settled(trial)
        fixed = inputs.coordinates(settled)
        kept = {name: settled[name] for name in fixed}
        params: dict[str, Any] = {}
        for attempt in range(_TRIES):
            start = time.monotonic()
            trials = [given for given in study.get_trials(deepcopy=False) if given.number != trial.number]
            try:
                unit = self._suggested(study, trials, trial.number, inputs, fixed)
            except SpaceExhausted:
                if not fixed:
                    self._notices.exhausted()
                return {**self._drawn(study, inputs, trial), **kept}
            params = {**inputs.params(unit), **kept}
            claims.write(study, trial, attempt, params, inputs)
            ended = {given.number for given in trials if given.state.is_finished()}
            if not claims.rivals(study, trial, unit, inputs, ended):
                break
            time.sleep(4.0 * (time.monotonic() - start) * self._stream("wait", trial.number, attempt).random())
            if not claims.rivals(study, trial, unit, inputs, ended):
                break
        return params

    def _suggested(
        self,
        study: optuna.Study,
        trials: Sequence[FrozenTrial],
        number: int,
        inputs: Inputs,
        fixed: Mapping[str, float],
    ) -> Array:
        """(d,) the engine's point, with the inputs that are fixed where they are."""
        objectives = objectives_of(study)
        told = {name for given in trials for name, value in constraints_of(given).items() if not math.isnan(value)}
        plan = Plan(
            space=inputs.space,
            objectives=objectives,
            cost=self._cost_among(inputs.space.names),
            budget=self._budget,
            seed=self._seed,
            method=self._method,
            reference=self._checked_reference(len(objectives)),
            constraints=tuple(sorted(told)),
        )
        self._notices.categories(inputs)
        self._notices.values(trials)
        data = observed.data(trials, number + 1, inputs, plan)
        known = next((entry for entry in self._models if entry[0] == plan), None)
        suggestion = engine.suggest(plan, data, number, None if known is None else known[1])
        if suggestion.models is not None:
            if known is not None:
                self._models.remove(known)  # its matrices are large: one of a kind is enough
            self._models.append((plan, suggestion.models))
        if fixed:
            return held.best(plan, data, suggestion, fixed, self._stream("held", number))
        return suggestion.unit

    def _cost_among(self, names: Sequence[str]) -> PaperCost | AdditiveCost | None:
        """What the cost says about these parameters, as before: of many unordered ones, weights take seconds."""
        known = next((entry for entry in self._costs if entry[0] == names), None)
        if known is None:
            known = names, cost_among(self._cost, names)
            self._costs.append(known)
        return known[1]

    def _checked_reference(self, objectives: int) -> tuple[float, ...] | None:
        if self._reference is not None and len(self._reference) != objectives:
            raise InvalidOptionError(
                f"reference: need one number for each of the study's {objectives} objectives, got {self._reference}."
            )
        return self._reference


def _made(kind: type[CostAwareSampler], cost: CostLike, dear: Dear) -> CostAwareSampler:
    """A sampler of that kind that knows nothing yet, whatever its kind's own __init__ would ask for."""
    sampler = kind.__new__(kind)
    CostAwareSampler.__init__(sampler, cost, dear=dear)
    return sampler
