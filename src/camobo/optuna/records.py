"""An Optuna study as camobo's record of one, for whatever reads those: reports, figures, numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import optuna
import sqlalchemy
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.exc import SQLAlchemyError

from camobo.checks import few_enough, whole
from camobo.cost import AdditiveCost, CostLike, PaperCost
from camobo.errors import (
    CamoboError,
    InvalidOptionError,
    InvalidOrderError,
    InvalidSpaceError,
    InvalidValueError,
    StorageError,
    shown,
)
from camobo.inputs import Categorical, Input, Integer, Real
from camobo.insight import Record
from camobo.optuna.given import cost_among, read_cost, read_dear
from camobo.optuna.inputs import Dear, size_of
from camobo.plan import Plan
from camobo.space import Space
from camobo.trial import State, Trial

Goal = Literal["min", "max"]

_KNOWS_CONSTRAINTS = hasattr(FrozenTrial, "constraints")  # from Optuna 5 on

_TABLES = {"studies", "trials", "version_info", "alembic_version"}  # as every Optuna since 2.0 makes them


def record(
    study: optuna.Study, *, cost: CostLike = None, dear: Dear | None = None, budget: int | None = None
) -> Record:
    """What an Optuna study has tried, in camobo's words; `camobo.report.report` and `camobo.plot` take it.

    cost: which parameters are dearer than which, to see whether that order was kept. dear: as of `CostAwareSampler`.
    The parameters are those that every complete trial has; trials keep Optuna's numbers, pruned and infeasible ones
    count as failed with the reason, and one that never got as far as all parameters is left out.

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
    _check_named(model, trials)
    space = Space({name: _input(name, given, ends.get(name)) for name, given in shared.items()})
    labels = {name: _labels(given) for name, given in shared.items() if isinstance(given, CategoricalDistribution)}
    objectives = objectives_of(study)
    few_enough(objectives)
    records = (_record(trial, space, labels, objectives) for trial in trials)
    plan = Plan(space, objectives, cost=cost_among(model, space.names), budget=budget)
    return Record(plan, tuple(trial for trial in records if trial is not None))


def _check_named(cost: PaperCost | AdditiveCost | None, trials: Sequence[FrozenTrial]) -> None:
    """Refuse an order with a parameter that no trial has; one that only some have is left out of the record."""
    known = sorted({name for trial in trials for name in trial.params})
    unknown = next((name for name in (cost.order.names if cost else ()) if name not in known), None)
    if unknown is not None:
        raise InvalidOrderError(
            f"order: no trial has a parameter called {unknown!r}. They have {', '.join(known)}. Correct the name."
        )


def load(storage: str, name: str | None = None) -> optuna.Study:
    """The Optuna study at a storage URL; it needs no name if it is the only one there.

    Creates nothing: a database without Optuna's tables is refused and left as it is.
    """
    url = _checked(storage)
    place = url.difference_update_query(["password"]).render_as_string(hide_password=True)
    path = (url.database or "").removeprefix("file:")  # SQLite takes a URI too
    if url.get_backend_name() == "sqlite" and path and not Path(path).exists():
        raise StorageError(f"{place}: there is no file {path!r}. Name the storage of the Optuna study.")
    try:
        _check_tables(url, place)
        kept = optuna.storages.RDBStorage(storage, skip_table_creation=True)
        names = [study.study_name for study in optuna.get_all_study_summaries(kept, include_best_trial=False)]
        if name is None and len(names) == 1:
            name = names[0]
        if name not in names:
            there = ", ".join(repr(known) for known in names) or "none"
            asked = "need the name of a study" if name is None else f"no Optuna study called {name!r}"
            raise InvalidOptionError(f"{place}: {asked}. There: {there}.")
        study = optuna.load_study(study_name=name, storage=kept)
        study.get_trials(deepcopy=False)  # of a damaged database, what cannot be read is only met there
        return study
    except CamoboError:
        raise
    except ImportError as error:
        extra = "pip install 'camobo[postgres]'" if url.get_backend_name() == "postgresql" else "its driver with pip"
        raise StorageError(f"{place}: cannot be opened here: {_first_line(error)}. Install {extra}.") from error
    except (SQLAlchemyError, RuntimeError, OSError, ValueError, LookupError, TypeError, AssertionError) as error:
        raise StorageError(
            f"{place}: cannot be read as Optuna's storage: {type(error).__name__}: {_first_line(error)}. "
            "See whether Optuna itself can load the study; if not, its database is damaged."
        ) from error


def _checked(storage: str) -> sqlalchemy.URL:
    try:
        url = sqlalchemy.make_url(storage)
    except (SQLAlchemyError, ValueError):  # the latter of a port that is no number
        hidden = re.sub(r":(?!//).*@", ":***@", storage) if isinstance(storage, str) else storage
        raise InvalidOptionError(
            f'storage: need a URL as Optuna writes it, such as "sqlite:///forest.db", got {hidden!r}.'
        ) from None
    if url.drivername.startswith("redis"):
        raise InvalidOptionError(
            'storage: need the URL of a database, such as "sqlite:///forest.db", got one of Redis. Optuna keeps '
            "studies there in a JournalStorage: load the study in Python and report on camobo.optuna.record(study)."
        )
    return url


def _check_tables(url: sqlalchemy.URL, place: str) -> None:
    """Refuse a database that is not Optuna's: opening it, Optuna would make its tables there."""
    engine = sqlalchemy.create_engine(url)
    try:
        there = sqlalchemy.inspect(engine).get_table_names()
    finally:
        engine.dispose()
    if not _TABLES.issubset(there):
        raise StorageError(
            f"{place}: is not Optuna's, it lacks the tables Optuna makes, and was left as it is. Name the storage of "
            "an Optuna study; camobo opens its own studies by their files, such as alloy.db."
        )


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _input(name: str, given: BaseDistribution, dear: Any) -> Input:
    """The input as people read it: a category by its choices, a grid by its values."""
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


def objectives_of(study: optuna.Study) -> dict[str, Goal]:
    """The objectives' names, as the study has them or else value0, value1, …, and which way is better.

    Names that repeat or are blank get their objective's number.
    """
    goals: list[Goal] = ["max" if given == StudyDirection.MAXIMIZE else "min" for given in study.directions]
    default = ["value"] if len(goals) == 1 else [f"value{m}" for m in range(len(goals))]
    named = getattr(study, "metric_names", None) or default  # a bracket of Hyperband's is a study without the former
    if len(set(named)) < len(named) or not all(name.strip() for name in named):
        named = [f"{name.strip() or 'value'} ({m})" for m, name in enumerate(named)]
    return dict(zip(named, goals, strict=True))


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """What the trial's constraints came out at, by name; it is feasible if none is above zero."""
    if _KNOWS_CONSTRAINTS:
        return dict(trial.constraints)
    return {str(k): value for k, value in enumerate(trial.system_attrs.get("constraints") or ())}


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
    violated = [name for name, value in constraints_of(trial).items() if value > 0]
    if violated:
        return f"infeasible: constraint {', '.join(violated)} is violated"
    if not all(math.isfinite(value) for value in trial.values):
        return f"a value is not finite: {', '.join(map(str, trial.values))}"
    return None
