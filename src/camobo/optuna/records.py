"""An Optuna study as a `Record`, which reports, figures and summaries read."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.trial import FrozenTrial, TrialState

from camobo.checks import Goal, check_objective_count, renamed
from camobo.cost.reading import CostLike
from camobo.errors import InvalidOptionError, InvalidOrderError, InvalidSpaceError, InvalidValueError, shown
from camobo.hints import meant
from camobo.history.trial import State, Trial
from camobo.insight.record import ForeignRecord, Record
from camobo.optuna.costs import BudgetLike, Prior, Source, cost_among, read_terms
from camobo.optuna.options import read_expensive
from camobo.optuna.outcomes import constraints_of, objectives_of
from camobo.optuna.search_space import Expensive, size_of
from camobo.optuna.shown import labels, shown_space
from camobo.space.inputs import Param
from camobo.space.space import Space
from camobo.strategy.plan import Plan


@renamed("dear", "expensive")
def record(
    study: optuna.Study,
    *,
    cost: CostLike = None,
    prior: Prior = None,
    expensive: Expensive | None = None,
    budget: BudgetLike = None,
) -> Record:
    """An Optuna study as the record that `camobo.report.report` and `camobo.plot` take.

    cost, prior, expensive, budget: as in `CostAwareSampler`; "duration" and "attr:…" also record what each trial cost.
    The parameters are those that every complete trial has. Trials keep Optuna's numbers; pruned and infeasible ones
    count as failed, with the reason. A trial that lacks a parameter, or has one outside its range, is left out; the
    record says which and why, and which names in `cost` and `expensive` it does not use.

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
    ends, terms = read_expensive(expensive), read_terms(cost, prior=prior, budget=budget)
    trials = study.get_trials(deepcopy=False)
    shared = _shared(study, trials)
    named = {"cost": terms.priced, "expensive": tuple(ends)}
    remarks = [_unused(option, names, trials, shared) for option, names in named.items()]
    space, objectives = shown_space(shared, ends), objectives_of(study)
    check_objective_count(objectives)
    reduced, lacks = cost_among(terms.cost, space, shared)
    if lacks is not None:
        remarks.append(f"cost: it needs {lacks!r}, so it is not shown.")
    chosen = {
        name: labels(given.choices) for name, given in shared.items() if isinstance(given, CategoricalDistribution)
    }
    records = {trial.number: _record(trial, space, chosen, objectives, terms.source) for trial in trials}
    remarks.append(_unpaid([trial for trial in trials if records[trial.number] is not None], terms.source))
    return ForeignRecord(
        Plan(space, objectives, cost=reduced, budget=terms.budget),
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


def _unpaid(trials: Sequence[FrozenTrial], source: Source | None) -> str | None:
    """A remark about finished trials without a receipt."""
    finished = [trial for trial in trials if trial.state.is_finished()]
    missing = [trial for trial in finished if source is not None and source.missing(trial) is not None]
    if source is None or not missing:
        return None
    first = missing[0]
    return (
        f"cost: {len(missing)} of {len(finished)} finished trials have no receipt, "
        f"the first of them trial {first.number}: {source.missing(first)}."
    )


def _why_left_out(trial: FrozenTrial, space: Space) -> str:
    """Why a trial is not a point of the space."""
    if all(name in trial.params for name in space.names):
        return "a parameter is outside the study's range for it"
    return "ended before all parameters were suggested" if trial.state.is_finished() else "lacks some parameters so far"


def _record(
    trial: FrozenTrial,
    space: Space,
    chosen: Mapping[str, Mapping[str, Param]],
    objectives: Mapping[str, Goal],
    source: Source | None,
) -> Trial | None:
    """The trial over the space's inputs; None if it lacks one, or has one outside its range.

    chosen: the labels of choices, by parameter.
    """
    try:
        params = {name: trial.params[name] for name in space.names}
        read = {name: chosen[name][repr(value)] if name in chosen else value for name, value in params.items()}
        params = space.check(read)
    except (KeyError, InvalidValueError):
        return None
    number = trial.number
    if not trial.state.is_finished():
        return Trial(number, params, asked=number)
    cost = source.paid(trial) if source is not None and source.ran(trial) else None
    reason = _why_failed(trial)
    if reason is not None:
        teaches = source is None or source.teaches(trial)
        return Trial(number, params, State.FAILED, reason=reason, asked=number, told=number, cost=cost, teaches=teaches)
    values = dict(zip(objectives, trial.values, strict=True))
    return Trial(number, params, State.COMPLETE, values, asked=number, told=number, cost=cost)


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
