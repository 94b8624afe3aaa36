"""An Optuna study as a `Record`, which reports, figures and summaries read."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from camobo.checks import Goal, check_objective_count, renamed, whole
from camobo.cost.reading import CostLike
from camobo.errors import InvalidOptionError, InvalidOrderError, InvalidSpaceError, InvalidValueError, shown
from camobo.hints import meant
from camobo.history.trial import State, Trial
from camobo.insight.record import ForeignRecord, Record
from camobo.optuna.options import cost_among, read_cost, read_expensive
from camobo.optuna.outcomes import constraints_of, objectives_of
from camobo.optuna.search_space import Expensive, numeric, size_of
from camobo.space.inputs import Categorical, Input, Integer, Real
from camobo.space.space import Space
from camobo.strategy.plan import Plan

_MOST = 2**40  # the largest bound of an Integer


@renamed("dear", "expensive")
def record(
    study: optuna.Study, *, cost: CostLike = None, expensive: Expensive | None = None, budget: int | None = None
) -> Record:
    """An Optuna study as the record that `camobo.report.report` and `camobo.plot` take.

    cost: which parameters are more expensive than which, to see whether the study saved them. expensive: as in
    `CostAwareSampler`. The parameters are those that every complete trial has. Trials keep Optuna's numbers; pruned and
    infeasible ones count as failed, with the reason. A trial that lacks a parameter, or has one outside its range, is
    left out; the record says which and why, and which names in `cost` and `expensive` it does not use.

    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(direction="minimize")
    >>> study.add_trial(optuna.create_trial(
    ...     params={"x": 0.5}, distributions={"x": optuna.distributions.FloatDistribution(0, 1)}, value=2.0
    ... ))
    >>> print(record(study, cost="x").trials[0])
    trial 0: x=0.5 -> value=2
    """
    if not isinstance(study, optuna.Study):
        raise InvalidOptionError(
            f"record: need an Optuna study, got {shown(study)}. Open one with camobo.optuna.load(storage, name)."
        )
    ends, model = read_expensive(expensive), read_cost(cost)
    budget = None if budget is None else whole("budget", budget, 1)
    trials = study.get_trials(deepcopy=False)
    shared = _shared(study, trials)
    named = {"cost": () if model is None else model.order.names, "expensive": tuple(ends)}
    remarks = [_unused(option, names, trials, shared) for option, names in named.items()]
    space = Space({name: _input(name, given, ends.get(name)) for name, given in shared.items()})
    labels = {name: _labels(given) for name, given in shared.items() if isinstance(given, CategoricalDistribution)}
    objectives = objectives_of(study)
    check_objective_count(objectives)
    plan = Plan(space, objectives, cost=cost_among(model, space.names), budget=budget)
    records = {trial.number: _record(trial, space, labels, objectives) for trial in trials}
    return ForeignRecord(
        plan,
        tuple(found for found in records.values() if found is not None),
        {trial.number: _why_left_out(trial, space) for trial in trials if records[trial.number] is None},
        tuple(remark for remark in remarks if remark is not None),
    )


def _shared(study: optuna.Study, trials: list[FrozenTrial]) -> dict[str, BaseDistribution]:
    """The parameters that every complete trial has, with the same range and more than one value."""
    everywhere = optuna.search_space.intersection_search_space(trials)
    shared = {name: given for name, given in everywhere.items() if size_of(given) > 1}
    if not shared:
        single = f" ({', '.join(everywhere)} can have one value only)" if everywhere else ""
        raise InvalidSpaceError(
            f"Optuna study {study.study_name!r}: need a parameter that every complete trial has, with the same range "
            f"and more than one value, got none{single} in {len(trials)} trials. Run trials that share a parameter."
        )
    return shared


def _unused(option: str, names: Sequence[str], trials: Sequence[FrozenTrial], shared: Collection[str]) -> str | None:
    """A remark about names that only some trials have; a name that no trial has is refused."""
    known = sorted({name for trial in trials for name in trial.params})
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        refused = InvalidOrderError if option == "cost" else InvalidOptionError
        raise refused(
            f"{option}: no trial has a parameter {unknown!r}.{meant(unknown, known)} "
            f"The parameters are {', '.join(known)}."
        )
    unused = [name for name in names if name not in shared]
    if not unused:
        return None
    return (
        f"{option}: {', '.join(unused)} left out. Only parameters that every complete trial has, with the same range "
        "and more than one value, are shown."
    )


def _why_left_out(trial: FrozenTrial, space: Space) -> str:
    """Why a trial is not a point of the space."""
    if all(name in trial.params for name in space.names):
        return "a parameter is outside the study's range for it"
    return "ended before all parameters were suggested" if trial.state.is_finished() else "lacks some parameters so far"


def _input(name: str, given: BaseDistribution, expensive: Any) -> Input:
    """The input as a reader sees it: choices by their labels, numbers by their range, without steps."""
    try:
        if isinstance(given, CategoricalDistribution):
            labels, choices = _labels(given), () if expensive is None else expensive
            if isinstance(choices, Sequence) and not isinstance(choices, str):
                choices = [labels.get(repr(choice), choice) for choice in choices]
            return Categorical(list(labels.values()), expensive=choices)
        end: Any = "high" if expensive is None else expensive
        number = numeric(given)
        if isinstance(number, IntDistribution) and max(abs(number.low), abs(number.high)) <= _MOST:
            return Integer(number.low, number.high, log=number.log, expensive=end)
        return Real(number.low, number.high, log=number.log, expensive=end)
    except InvalidSpaceError as error:
        raise error.within(f"parameter {name!r}") from None


def _labels(given: CategoricalDistribution) -> dict[str, str]:
    """How a reader sees each choice, by its repr: Optuna's choices may be NaN, or equal but different.

    >>> _labels(CategoricalDistribution(["oil", None])), _labels(CategoricalDistribution(["1", 1]))
    ({"'oil'": 'oil', 'None': 'None'}, {"'1'": "'1'", '1': '1'})
    """
    labels = {repr(choice): choice if isinstance(choice, str) else repr(choice) for choice in given.choices}
    return labels if len(set(labels.values())) == len(labels) else {written: written for written in labels}


def _record(
    trial: FrozenTrial, space: Space, labels: Mapping[str, Mapping[str, str]], objectives: Mapping[str, Goal]
) -> Trial | None:
    """The trial over the space's inputs; None if it lacks one, or has one outside its range."""
    try:
        params = {name: trial.params[name] for name in space.names}
        read = {name: labels[name][repr(value)] if name in labels else value for name, value in params.items()}
        params = space.check(read)
    except (KeyError, InvalidValueError):
        return None
    number = trial.number
    if not trial.state.is_finished():
        return Trial(number, params, asked=number)
    reason = _why_failed(trial)
    if reason is not None:
        return Trial(number, params, State.FAILED, reason=reason, asked=number, told=number)
    values = dict(zip(objectives, trial.values, strict=True))
    return Trial(number, params, State.COMPLETE, values, asked=number, told=number)


def _why_failed(trial: FrozenTrial) -> str | None:
    """Why a finished trial is not a result; None if it is one."""
    if trial.state is TrialState.PRUNED:
        return f"pruned at step {trial.last_step}" if trial.last_step is not None else "pruned"
    if trial.state is not TrialState.COMPLETE:
        return str(trial.system_attrs.get("fail_reason", "failed"))
    measured = constraints_of(trial)
    not_numbers = [name for name, value in measured.items() if math.isnan(value)]
    if not_numbers:
        return f"constraint {', '.join(not_numbers)} is not a number"
    violated = [name for name, value in measured.items() if value > 0]
    if violated:
        return f"infeasible: constraint {', '.join(violated)} is violated"
    if not all(math.isfinite(value) for value in trial.values):
        return f"a value is not finite: {', '.join(map(str, trial.values))}"
    return None
