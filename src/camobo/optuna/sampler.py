"""`CostAwareSampler`: camobo's suggestions for an Optuna study.

    trials of the study ──> Inputs: parameters, and which a trial has ──> Data ──> suggest ──> a claim in the storage

A suggestion depends only on the storage, the sampler's options and the trial's number. So a sampler in another thread,
process or machine, or a new one after a crash, continues as this one would. Beside its options a sampler holds caches,
which save time and change no suggestion, and which warnings it has given.

A chosen point is claimed in the storage (`claims`). The sampler then checks whether another running trial has claimed
the same point; since both write before they check, at least one sees the other. It waits for a random time, and if the
other has not moved it chooses again, with the other's point counted as taken.
"""

from __future__ import annotations

import contextlib
import math
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from camobo.arrays import Array
from camobo.checks import check_objective_count, one_of, renamed, whole
from camobo.cost.protocol import Cost
from camobo.cost.reading import CostLike, check_cost
from camobo.cost.thrift import thrift_of
from camobo.errors import BudgetSpent, CamoboError, InvalidOptionError, SpaceExhausted, shown
from camobo.model.blas import one_thread
from camobo.optuna import claims
from camobo.optuna.costs import BudgetLike, Prior, SharedCost, cost_among, missing_name, read_terms
from camobo.optuna.draws import Draws
from camobo.optuna.notices import Notices
from camobo.optuna.observations import TrialReader
from camobo.optuna.options import finite_numbers, numbers, read_expensive
from camobo.optuna.outcomes import constraints_of, objectives_of
from camobo.optuna.search_space import Expensive, Inputs, only_value, size_of, stable
from camobo.optuna.shown import as_shown, shown_space
from camobo.strategy.cheapest import cheapest_untried
from camobo.strategy.funds import funds
from camobo.strategy.plan import Data, Method, Plan
from camobo.strategy.protocol import Fitted, Suggestion
from camobo.strategy.suggest import suggest, with_fixed

_ATTEMPTS = 8  # to find a point that no other running trial has claimed
_CACHED = 8  # studies or search spaces that share a sampler at a time


class CostAwareSampler(BaseSampler):
    """Suggests cheap parameters first, and expensive ones only when they pay. For one objective or several.

    cost: which parameters are more expensive than which, "n_estimators > max_depth", or a list, most expensive first;
        "duration": learned from how long trials take; "attr:gpu_seconds": learned from that user attribute, a
        `LearnedCost()` from the one called "cost"; `Prices`, a `Formula` or a function of the parameters. None: no
        cost-awareness. A parameter that a trial lacks is at its cheap end there.
    prior: with "duration" and "attr:…", the order that is probably right, until trials show otherwise.
    budget: planned trials; "2h" with cost="duration"; or a `Budget` in the unit of the cost. As it is spent, cost
        counts less. When what is left of the money pays for no further trial, `study.optimize` is stopped.
    thrift: how much cost counts: 0 not at all, 1 promise for the money, more is more frugal.
    seed: same seed, same trials, same suggestions. None: a random one, see `sampler.seed`.
    expensive: per parameter that does not cost more as it rises, its expensive end, or the expensive choices of a
        categorical, most expensive first: {"learning_rate": "low", "quench": ["vacuum", "oil"]}.
    method: "default", or "paper" for the paper's Algorithm 1.
    reference: per objective, the value beyond which nothing counts. None: derived from the trials.
    constraints_func: maps a finished trial to numbers that must be zero or below. In Optuna 5 the objective may call
        `trial.set_constraint` instead.
    warn_independent_sampling: whether to warn, once per parameter, that it is drawn at random because its range
        changes, or because no other parameter says which trials have it. Pass False where this is intended.

    Parameters may be conditional, as those of one of several models; when a trial has them is learned from the trials.

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

    @renamed("dear", "expensive")
    def __init__(
        self,
        cost: CostLike = None,
        *,
        prior: Prior = None,
        budget: BudgetLike = None,
        thrift: float = 1.0,
        seed: int | None = None,
        expensive: Expensive | None = None,
        method: Method = "default",
        reference: Sequence[float] | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        warn_independent_sampling: bool = True,
    ) -> None:
        one_of("method", method, ("default", "paper"))
        if constraints_func is not None and not callable(constraints_func):
            raise InvalidOptionError(f"constraints_func: need a function of a trial, got {shown(constraints_func)}.")
        self._terms = read_terms(cost, prior=prior, budget=budget, paper=method == "paper")
        self._thrift = thrift_of(thrift)
        self._seed = secrets.randbits(32) if seed is None else whole("seed", seed, 0)
        self._expensive = read_expensive(expensive)
        self._method = method
        self._reference = None if reference is None else finite_numbers("reference", reference)
        self._constraints_func = constraints_func
        self._warn_independent_sampling = warn_independent_sampling
        self._draws = Draws(self._seed, seed is not None, self._terms.budget, self._terms.rising, self._expensive)
        self._forget()

    def _forget(self) -> None:
        """Empty the caches."""
        self._costs: deque[tuple[Inputs, Cost | None, str | None]] = deque(maxlen=_CACHED)
        self._readers: deque[TrialReader] = deque(maxlen=_CACHED)
        self._fitted: deque[tuple[Plan, Fitted]] = deque(maxlen=_CACHED)
        self._notices = Notices(self._terms.priced, self._terms.ordered, self._expensive)
        # One suggestion at a time per process: the next thread sees this one's claim.
        self._turn = threading.Lock()

    @property
    def seed(self) -> int:
        """The seed of the suggestions."""
        return self._seed

    def __getstate__(self) -> dict[str, Any]:
        """A copy, here or in another process, gets the options only."""
        own = ("_costs", "_readers", "_fitted", "_notices", "_turn")
        return {name: value for name, value in self.__dict__.items() if name not in own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the options, with empty caches."""
        self.__dict__.update(state)
        self._forget()

    def reseed_rng(self) -> None:
        """Do nothing: random numbers derive from the seed and the trial's number, so no two trials share them."""

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Check the number of objectives and the reference before the trial costs anything."""
        try:
            check_objective_count(study.directions)
            self._checked_reference(len(study.directions))
        except InvalidOptionError:
            study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)  # or it would stay "running"
            raise

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The parameters of complete trials that have the same range in each, and more than one value."""
        return stable(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)))

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Suggest values of the parameters that the trial is going to ask for, together; {} while none are known."""
        trials = [given for given in study.get_trials(deepcopy=False) if given.number != trial.number]
        self._notices.names(trials)
        self._notices.receipts(trials, self._terms.source)
        self._stop_if_spent(study, trials)
        with self._turn:
            reader = self._reader(search_space, trials)
            return {} if reader is None else self._claimed(study, trial, reader)

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A random value of a parameter that is not known yet, from its cheap side if the cost names it.

        Before the first result none is known; then concurrent trials draw different values (`Draws`). A parameter is
        known from the first complete trial that has it.
        """
        if size_of(param_distribution) == 1:
            return only_value(param_distribution)
        trials = study.get_trials(deepcopy=False)
        complete = [given for given in trials if given.state is TrialState.COMPLETE]
        if not complete:
            self._check_cost({**trial.distributions, param_name: param_distribution})
        elif self._warn_independent_sampling:
            self._notices.independent(complete, param_name, param_distribution)
        inputs = Inputs.of({param_name: param_distribution}, self._expensive)
        if isinstance(param_distribution, FloatDistribution) and param_distribution.step is not None:
            # Optuna rejects a value that is off its grid by 1e-8 of a step, as values on fine steps far from zero are,
            # and then asks again here.
            claimed = claims.params(trial, inputs)
            if inputs.unit(claimed) is not None:
                return claimed[param_name]
        self._notices.categories(inputs)
        if complete:
            return self._draws.independent(inputs, trial, self._terms.spent(trials))[param_name]
        return self._draws.before_results(study, inputs, trial)[param_name]

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Evaluate the constraints of a complete or pruned trial."""
        if self._constraints_func is None or state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return
        found = numbers(f"constraints_func, trial {trial.number}", self._constraints_func(trial))
        study._storage.set_trial_system_attr(trial._trial_id, "constraints", list(found))

    def _reader(self, search_space: dict[str, BaseDistribution], trials: Sequence[FrozenTrial]) -> TrialReader | None:
        """The reader of what is known of a search space, from the cache if it is there; None if nothing is known."""
        complete = [trial.params for trial in trials if trial.state is TrialState.COMPLETE]
        inputs = Inputs.known(search_space, self._expensive, complete)
        if inputs is None:
            return None
        known = next((reader for reader in self._readers if reader.inputs.text == inputs.text), None)
        if known is None:
            known = TrialReader(inputs)
            self._readers.append(known)
        return known

    def _check_cost(self, distributions: Mapping[str, BaseDistribution]) -> None:
        """Refuse a cost that does not fit the parameters it names, once the first trial knows all of them."""
        cost, known = self._terms.cost, {name: given for name, given in distributions.items() if size_of(given) > 1}
        names = () if cost is None or self._method == "paper" else cost.names()
        if cost is not None and names and list(distributions)[-1] in names and all(name in known for name in names):
            check_cost(cost, shown_space({name: known[name] for name in names}, self._expensive, distinct=True))

    def _claimed(self, study: optuna.Study, trial: FrozenTrial, reader: TrialReader) -> dict[str, Any]:
        """Params that no other running trial has, claimed in the storage; random ones once all have been tried.

        Parameters that a trial was enqueued with stay, and the others are chosen to go with them.
        """
        inputs, decided = reader.inputs, claims.decided(trial)
        fixed = inputs.coordinates(decided)
        given = {name: decided[name] for name in fixed}
        params: dict[str, Any] = {}
        for attempt in range(_ATTEMPTS):
            start = time.monotonic()
            trials = [other for other in study.get_trials(deepcopy=False) if other.number != trial.number]
            try:
                unit = self._suggested(study, trials, trial.number, reader, fixed)
            except SpaceExhausted:
                if not fixed:
                    self._notices.exhausted()
                return {**self._draws.independent(inputs, trial, self._terms.spent(trials)), **given}
            params = {**inputs.params(unit), **given}
            claims.write(study, trial, params, inputs)
            ended = {other.number for other in trials if other.state.is_finished()}
            if not claims.rivals(study, trial, unit, inputs, ended):
                break
            time.sleep(4.0 * (time.monotonic() - start) * self._draws.stream("wait", trial.number, attempt).random())
            if not claims.rivals(study, trial, unit, inputs, ended):
                break
        return params

    def _suggested(
        self,
        study: optuna.Study,
        trials: Sequence[FrozenTrial],
        number: int,
        reader: TrialReader,
        fixed: Mapping[str, float],
    ) -> Array:
        """(d,) the point to try as trial `number`, with the fixed inputs where they are."""
        space, objectives = reader.inputs.space, objectives_of(study)
        constraints = {
            name for trial in trials for name, value in constraints_of(trial).items() if not math.isnan(value)
        }
        plan = Plan(
            space=space,
            objectives=objectives,
            cost=self._shared_cost(reader.inputs, trials),
            budget=self._terms.budget,
            thrift=self._thrift,
            seed=self._seed,
            method=self._method,
            reference=self._checked_reference(len(objectives)),
            constraints=tuple(sorted(constraints)),
        )
        self._notices.categories(reader.inputs)
        self._notices.values(trials)
        data = reader.data(trials, number + 1, plan, self._terms.source)
        suggestion = self._affordable(study, plan, data, number)
        return self._with_fixed(study, plan, data, number, suggestion, fixed) if fixed else suggestion.unit

    def _with_fixed(
        self,
        study: optuna.Study,
        plan: Plan,
        data: Data,
        number: int,
        found: Suggestion,
        fixed: Mapping[str, float],
    ) -> Array:
        """(d,) the suggestion with the fixed inputs; if the money pays for none, the cheapest, and the study stops."""
        try:
            return np.asarray(plan.space.snap(with_fixed(plan, data, number, found, fixed).unit[None])[0])
        except BudgetSpent:
            self._stop(study, f"what is left of {plan.budget} pays for no trial with the enqueued {', '.join(fixed)}.")
            with one_thread():
                return cheapest_untried(plan, data, number, found.fitted.cost, fixed)

    def _affordable(self, study: optuna.Study, plan: Plan, data: Data, number: int) -> Suggestion:
        """The suggestion; once the money pays for none, the cheapest point left, and the study stops."""
        known = next((entry for entry in self._fitted if entry[0] == plan), None)
        earlier = Fitted() if known is None else known[1]
        try:
            suggestion = suggest(plan, data, number, earlier)
        except BudgetSpent as error:
            self._stop(study, f"{error.message} To go on, give the sampler a larger budget.")
            with one_thread():
                model = funds(plan, data, earlier.cost).model
                return Suggestion(cheapest_untried(plan, data, number, model), (), Fitted(cost=model))
        if known is not None:
            self._fitted.remove(known)  # its matrices are large: one per plan is enough
        self._fitted.append((plan, suggestion.fitted))
        return suggestion

    def _stop_if_spent(self, study: optuna.Study, trials: Sequence[FrozenTrial]) -> None:
        budget, spent = self._terms.budget, self._terms.spent(trials)
        if budget is not None and budget.cost is not None and spent is not None and spent >= budget.cost:
            self._stop(study, f"{spent:.4g} of {budget} are spent.")

    def _stop(self, study: optuna.Study, reason: str) -> None:
        self._notices.spent(reason)
        with contextlib.suppress(RuntimeError):  # outside `optimize` there is nothing to stop
            study.stop()

    def _shared_cost(self, inputs: Inputs, trials: Sequence[FrozenTrial]) -> Cost | None:
        """The cost reduced to these parameters, from the cache: weights of many unordered ones take seconds."""
        known = next((entry for entry in self._costs if entry[0] is inputs), None)
        if known is None:
            known = (inputs, *self._reduced_cost(inputs))
            self._costs.append(known)
        _, cost, lacks = known
        if lacks is not None:
            self._notices.incomplete(lacks, trials)
        return cost

    def _reduced_cost(self, inputs: Inputs) -> tuple[Cost | None, str | None]:
        """The same, and the parameter that a formula lacks."""
        space = as_shown(inputs, self._expensive)
        try:
            found, lacks = cost_among(self._terms.cost, space, inputs.distributions)
            # The paper's strategy looks for Eq. 8 itself, which depends on unit coordinates alone.
            if found is None or self._method == "paper":
                return found, lacks
            check_cost(found, space)
            return SharedCost(found, space), lacks
        except CamoboError as error:
            lacks = missing_name(error.__cause__, space)
            if lacks is None:
                self._notices.unfit(error)
            return None, lacks

    def _checked_reference(self, objectives: int) -> tuple[float, ...] | None:
        if self._reference is not None and len(self._reference) != objectives:
            raise InvalidOptionError(
                f"reference: need {objectives} numbers, one per objective of the study, got {self._reference}."
            )
        return self._reference
