"""An Optuna study as camobo's record of one, for whatever reads those: reports, figures, numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from camobo.checks import Goal, few_enough, whole
from camobo.cost import CostLike
from camobo.errors import InvalidOptionError, InvalidOrderError, InvalidSpaceError, InvalidValueError, shown
from camobo.hints import meant
from camobo.inputs import Categorical, Input, Integer, Real
from camobo.insight import ForeignRecord, Record
from camobo.optuna.given import cost_among, read_cost, read_dear
from camobo.optuna.inputs import Dear, size_of
from camobo.optuna.told import constraints_of, objectives_of
from camobo.plan import Plan
from camobo.space import Space
from camobo.trial import State, Trial


def record(
    study: optuna.Study, *, cost: CostLike = None, dear: Dear | None = None, budget: int | None = None
) -> Record:
    """What an Optuna study has tried, in camobo's words; `camobo.report.report` and `camobo.plot` take it.

    cost: which parameters are dearer than which, to see whether that order was kept. dear: as of `CostAwareSampler`.
    The parameters are those that every complete trial has; trials keep Optuna's numbers, pruned and infeasible ones
    count as failed with the reason. One that never got as far as all parameters, or lies outside their ranges, is left
    out; the record says which and why, and which names in `cost` and `dear` it has no use for.

    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(direction="minimize")
    >>> study.add_trial(optuna.create_trial(
    ...     params={"x": 0.5}, distributions={"x": optuna.distributions.FloatDistribution(0, 1)}, value=2.0
    ... ))
    >>> print(record(study, cost="x").trials[0])
    trial 0: x=0.5 -> value=2
    """
    if not isinstance(study, optuna.Study):
        raise InvalidOptionError(f"record: need an Optuna study, got {shown(study)}. load_study opens one by its name.")
    ends, model = read_dear(dear), read_cost(cost)
    budget = None if budget is None else whole("budget", budget, 1)
    trials = study.get_trials(deepcopy=False)
    everywhere = optuna.search_space.intersection_search_space(trials)
    shared = {name: given for name, given in everywhere.items() if size_of(given) > 1}
    if not shared:
        fixed = f" ({', '.join(everywhere)} can have one value only)" if everywhere else ""
        raise InvalidSpaceError(
            f"the Optuna study {study.study_name!r} has no parameter that all its complete trials have with the same "
            f"range and more than one value{fixed}; {len(trials)} trials so far. Nothing can be shown before."
        )
    named = {"order": () if model is None else model.order.names, "dear": tuple(ends)}
    remarks = [_unused(option, names, trials, shared) for option, names in named.items()]
    space = Space({name: _input(name, given, ends.get(name)) for name, given in shared.items()})
    labels = {name: _labels(given) for name, given in shared.items() if isinstance(given, CategoricalDistribution)}
    objectives = objectives_of(study)
    few_enough(objectives)
    plan = Plan(space, objectives, cost=cost_among(model, space.names), budget=budget)
    records = {trial.number: _record(trial, space, labels, objectives) for trial in trials}
    return ForeignRecord(
        plan,
        tuple(found for found in records.values() if found is not None),
        {trial.number: _why_left_out(trial, space) for trial in trials if records[trial.number] is None},
        tuple(remark for remark in remarks if remark is not None),
    )


def _unused(option: str, names: Sequence[str], trials: Sequence[FrozenTrial], shared: Collection[str]) -> str | None:
    """What to say of the names that only some trials have; one that no trial has is refused."""
    known = sorted({name for trial in trials for name in trial.params})
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        refused = InvalidOrderError if option == "order" else InvalidOptionError
        raise refused(
            f"{option}: no trial has a parameter called {unknown!r}.{meant(unknown, known)} They have "
            f"{', '.join(known)}. Correct the name."
        )
    unused = [name for name in names if name not in shared]
    if not unused:
        return None
    return (
        f"{option}: {', '.join(unused)} left out here. Only parameters count that every complete trial has, with one "
        "and the same range and more than one value."
    )


def _why_left_out(trial: FrozenTrial, space: Space) -> str:
    """Why a trial has no place in the space."""
    missing = [name for name in space.names if name not in trial.params]
    if not missing:
        return "a parameter lies outside the range the study has for it"
    return "it ended without all parameters" if trial.state.is_finished() else "it does not have all parameters yet"


def _input(name: str, given: BaseDistribution, dear: Any) -> Input:
    """The input as people read it: a category by its choices, a number by its range, without steps."""
    try:
        if isinstance(given, CategoricalDistribution):
            labels, named = _labels(given), () if dear is None else dear
            if isinstance(named, Sequence) and not isinstance(named, str):
                named = [labels.get(repr(choice), choice) for choice in named]
            return Categorical(list(labels.values()), dear=named)
        end: Any = "high" if dear is None else dear
        if isinstance(given, IntDistribution) and max(abs(given.low), abs(given.high)) <= 2**40:
            return Integer(given.low, given.high, log=given.log, dear=end)
        if isinstance(given, (FloatDistribution, IntDistribution)):
            return Real(given.low, given.high, log=given.log, dear=end)
    except InvalidSpaceError as error:
        raise InvalidSpaceError(f"parameter {name!r}: {error}") from None
    raise InvalidSpaceError(f"parameter {name!r}: need a float, int or categorical distribution, got {given!r}.")


def _labels(given: CategoricalDistribution) -> dict[str, str]:
    """Choices as people read them, by how Python writes them: Optuna's may be NaN, or equal and yet differ.

    >>> _labels(CategoricalDistribution(["oil", None])), _labels(CategoricalDistribution(["1", 1]))
    ({"'oil'": 'oil', 'None': 'None'}, {"'1'": "'1'", '1': '1'})
    """
    read = {repr(choice): choice if isinstance(choice, str) else repr(choice) for choice in given.choices}
    return read if len(set(read.values())) == len(read) else {written: written for written in read}


def _record(
    trial: FrozenTrial, space: Space, labels: Mapping[str, Mapping[str, str]], objectives: Mapping[str, Goal]
) -> Trial | None:
    """The trial over the space's inputs; None if it lacks one, or lies outside."""
    try:
        params = {name: trial.params[name] for name in space.names}
        read = {name: labels[name][repr(value)] if name in labels else value for name, value in params.items()}
        params = space.check(read)
    except (KeyError, InvalidValueError):
        return None
    if not trial.state.is_finished():
        return Trial(trial.number, params, asked=trial.number)
    reason, told = _why_not(trial), trial.number
    if reason is not None:
        return Trial(trial.number, params, State.FAILED, reason=reason, asked=told, told=told)
    values = dict(zip(objectives, trial.values, strict=True))
    return Trial(trial.number, params, State.COMPLETE, values, asked=told, told=told)


def _why_not(trial: FrozenTrial) -> str | None:
    """Why a finished trial is no result; None if it is one."""
    if trial.state is TrialState.PRUNED:
        return f"pruned at step {trial.last_step}" if trial.last_step is not None else "pruned"
    if trial.state is not TrialState.COMPLETE:
        return str(trial.system_attrs.get("fail_reason", "failed"))
    told = constraints_of(trial)
    unread = [name for name, value in told.items() if math.isnan(value)]
    if unread:
        return f"constraint {', '.join(unread)} is no number"
    violated = [name for name, value in told.items() if value > 0]
    if violated:
        return f"infeasible: constraint {', '.join(violated)} is violated"
    if not all(math.isfinite(value) for value in trial.values):
        return f"a value is not finite: {', '.join(map(str, trial.values))}"
    return None
