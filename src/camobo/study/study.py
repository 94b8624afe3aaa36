"""`Study`: ask what to try, tell what was measured, read the best trade-offs."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from datetime import datetime
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, overload

from camobo.checks import Duration, Goal, GoalWord, Values, duration, lease_of, money, owner_name, whole
from camobo.cost.budget import Budget
from camobo.cost.formula import AbsentFunction, Formula, stored_whole
from camobo.cost.protocol import Cost
from camobo.cost.reading import CostLike, as_cost, check_cost
from camobo.errors import InvalidOptionError, InvalidValueError, StorageError
from camobo.history import transitions
from camobo.history.document import make_plan
from camobo.history.events import Event
from camobo.history.history import History
from camobo.history.problem_file import plan_of_toml
from camobo.history.transitions import Ahead, Change, Request
from camobo.history.trial import State, Trial
from camobo.insight import explanation, overview, slips, spending, summary
from camobo.insight.dataframe import dataframe
from camobo.insight.explanation import Explanation
from camobo.insight.record import Record
from camobo.run import loop
from camobo.run.command import Command
from camobo.run.evaluate import Function
from camobo.run.faults import Catch, caught
from camobo.run.trial_queue import Run
from camobo.run.workers import jobs_of
from camobo.space.inputs import Params
from camobo.space.space import Space
from camobo.storage.protocol import Store
from camobo.storage.store import Storage, begin_study, load_study
from camobo.strategy.affordable import check_budget, check_terms
from camobo.strategy.plan import Beta, Method, Plan
from camobo.study.identity import worker_name
from camobo.study.ledger import Ledger

if TYPE_CHECKING:
    from pandas import DataFrame

_log = logging.getLogger("camobo")

_MOST_ASKED = 1000
"""Trials handed out by one `ask`: each is chosen with those before it in mind, which takes longer and longer."""


class Study:
    """Finds the best trade-offs between objectives and uses little of the expensive inputs.

    space: the inputs that can be varied.
    objectives: what is measured, and which way is better: {"strength": "max", "corrosion": "min"}; or in full,
        "maximize", "minimise" and so on.
    cost: which inputs are more expensive than which, "nickel > chromium"; or `Prices`, a `Formula` or function,
        `LearnedCost`. None: cost is ignored. What `tell(…, cost=…)` records sharpens an order by itself.
    budget: planned trials, or a `Budget` in money or both. Over its last tenth the cost counts less.
    thrift: how much the cost counts: 0 not at all, 1 promise for the money, more is more frugal.
    seed: the same seed and the same data give the same suggestions. None draws a seed, see `study.seed`.
    storage: where the study is stored: None for memory, a file "alloy.db", or a URL "postgresql+psycopg://…". The same
        study stored there continues; a different one is an error. `Study.load` opens whatever is stored there.
    method: "default", or "paper" for Algorithm 1 of the paper to the letter (with cost=None its baseline, MO-UCB).
    reference: per objective the worst value that still counts, {"strength": 300, "corrosion": 2}. None: from the data.
    beta: the exploration weight of the paper's method, "practical" or "theory" (Theorem 1).
    refit_every: models are refitted at every trial up to the 20th (10th with the paper's method), then every so many
        trials; the default method doubles the interval at 200, 400, 800 and 1600 trials.

    >>> import camobo as cm
    >>> space = cm.Space({"nickel": cm.Real(0, 20, unit="%"), "soak": cm.Integer(1, 12, unit="h")})
    >>> study = cm.Study(space, {"strength": "max", "price": "min"}, cost="nickel > soak", budget=20, seed=7)

    Ask what to try, measure it, tell the result:

    >>> trial = study.ask()
    >>> strength = 300 + 10 * trial.params["nickel"]  # your measurement
    >>> study.tell(trial, {"strength": strength, "price": 5.5}).state.value
    'complete'

    Or let the study call a function:

    >>> study.optimize(lambda p: {"strength": 300 + 10 * p["nickel"], "price": p["nickel"] + p["soak"]}, 5)
    <Study of strength, price over nickel, soak: 6 complete>
    >>> len(study.front()) >= 1
    True
    """

    def __init__(
        self,
        space: Space,
        objectives: Mapping[str, GoalWord],
        *,
        cost: CostLike = None,
        budget: int | Budget | None = None,
        thrift: float = 1.0,
        seed: int | None = None,
        storage: Storage = None,
        method: Method = "default",
        reference: Values | None = None,
        beta: Beta = "practical",
        refit_every: int = 10,
    ) -> None:
        plan = make_plan(
            space,
            objectives,
            cost=cost,
            budget=budget,
            thrift=thrift,
            seed=seed,
            method=method,
            reference=reference,
            beta=beta,
            refit_every=refit_every,
        )
        check_terms(plan)
        self._attach(*begin_study(plan, storage, any_seed=seed is None), storage, plan.cost)
        self._warn_of_idle()

    @classmethod
    def load(cls, storage: Storage, *, cost: Formula | Callable[..., float] | None = None) -> Study:
        """Open a stored study; it continues as if it had never been closed.

        cost: the Python function that was its cost, which is not stored. To change the cost use `change`.

        >>> import camobo as cm, tempfile
        >>> file = tempfile.mkdtemp() + "/alloy.db"
        >>> with cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1, storage=file) as study:
        ...     _ = study.tell(study.ask(), {"y": 3.0})
        >>> cm.Study.load(file)
        <Study of y over x: 1 complete>
        """
        study = cls.__new__(cls)
        study._attach(*load_study(storage), storage)
        if cost is not None:
            study._give_function(as_cost(cost))
        return study

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str], *, storage: Storage = None) -> Study:
        """Create the study that a problem file describes, or continue it if `storage` holds it.

        >>> import camobo as cm, pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "alloy.toml")
        >>> text = '[space]\\nx = {type = "real", low = 0, high = 1}\\n[objectives]\\ny = "max"'
        >>> _ = file.write_text(text)
        >>> cm.Study.from_toml(file)
        <Study of y over x: no trials>
        """
        plan, text = plan_of_toml(Path(path))
        study = cls.__new__(cls)
        study._attach(*begin_study(plan, storage, any_seed="seed" not in text.get("study", {})), storage)
        study._warn_of_idle()
        return study

    def _attach(self, store: Store, plan: Plan, storage: Storage, cost: Cost | None = None) -> None:
        self._ledger = Ledger(store, plan)
        self._ledger.keep_function(cost)
        self._durable = storage is not None
        self._stops: tuple[threading.Event, ...] = ()  # set to end the runs under way
        self._outside: tuple[str, ...] = ()  # constraints of which it was said that added trials do not meet them
        self._warned = False  # whether it was said that receipts contradict the order
        if store is not storage:
            weakref.finalize(self, store.close)  # a store this study opened is closed with it
        try:
            self._ledger.read()
        except BaseException:
            if store is not storage:
                store.close()  # nobody gets this study: nothing may stay open
            raise

    def _warn_of_idle(self) -> None:
        """Say of a study that begins which of its constraints say nothing."""
        idle = self.space.idle
        for text in idle if idle and not self.trials else ():
            _log.warning("the constraint %r says nothing: it holds for every point of the inputs' ranges.", text)

    def _give_function(self, cost: Cost | None) -> None:
        """Keep the function that was this study's cost, or refuse what was not."""
        plans = (self.plan, self._ledger.created.plan)
        absent = next((plan.cost for plan in plans if isinstance(plan.cost, AbsentFunction)), None)
        if absent is None or cost is None or stored_whole(cost):
            self.close()
            raise InvalidOptionError(
                f"cost: need the Python function that was this study's cost, which was {plans[0].cost}. "
                "To change the cost use study.change(cost=…)."
            )
        check_cost(cost, self.space)
        self._ledger.keep_function(cost, absent.name)

    def close(self) -> None:
        """Close the file or connection. The study can still be used: it opens them again."""
        self._ledger.store.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        """Refuse to be copied: the copies would drift apart and give one number to two trials."""
        keep = "Open" if self._durable else "Store it in a file with storage='alloy.db', and open"
        place = self.storage if self._durable else "alloy.db"
        raise StorageError(
            "a study cannot be copied, pickled or sent to another process; processes share its storage instead. "
            f"{keep} it there with Study.load({place!r})."
        )

    def __repr__(self) -> str:
        plan, trials = self.plan, self.trials
        states = Counter(trial.state for trial in trials)
        counts = ", ".join(f"{count} {state}" for state, count in states.items()) or "no trials"
        return f"<Study of {', '.join(plan.objectives)} over {', '.join(plan.space.names)}: {counts}>"

    def __str__(self) -> str:
        return overview.text(self._record())

    def _repr_html_(self) -> str:
        return overview.html(self._record())

    @property
    def plan(self) -> Plan:
        """Everything the study was created with: space, objectives, cost, budget, seed, method."""
        return self._ledger.read().plan

    @property
    def space(self) -> Space:
        """The inputs that can be varied."""
        return self._ledger.created.plan.space

    @property
    def objectives(self) -> dict[str, Goal]:
        """What is measured, and which way is better."""
        return dict(self._ledger.created.plan.objectives)

    @property
    def seed(self) -> int:
        """The seed of the suggestions, given or drawn."""
        return self._ledger.created.plan.seed

    @property
    def budget(self) -> Budget | None:
        """What the study may spend: as given, as implied by `optimize`, or as changed since."""
        return self.plan.budget

    @property
    def storage(self) -> str:
        """Where the study is stored: a file, a URL without its password, or "memory"."""
        return self._ledger.store.place

    def now(self) -> datetime:
        """The time by which leases end: the server's clock, or this machine's for a study in a file or in memory."""
        return self._ledger.now()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All trials, by number: pending, released, complete and failed ones."""
        return self._ledger.read().trials

    def log(self) -> list[Event]:
        """The audit trail: every event with its time, its author, and what it replaced.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1)
        >>> _ = study.tell(study.ask(), {"y": 3.0})
        >>> [event.kind for event in study.log()]
        ['asked', 'told']
        """
        return self._ledger.events()

    @overload
    def ask(
        self,
        n: None = None,
        *,
        owner: str | None = None,
        lease: Duration | None = None,
        fixed: Params | None = None,
    ) -> Trial: ...
    @overload
    def ask(
        self,
        n: int,
        *,
        owner: str | None = None,
        lease: Duration | None = None,
        fixed: Params | None = None,
        same: Sequence[str] = (),
    ) -> list[Trial]: ...

    def ask(
        self,
        n: int | None = None,
        *,
        owner: str | None = None,
        lease: Duration | None = None,
        fixed: Params | None = None,
        same: Sequence[str] = (),
    ) -> Trial | list[Trial]:
        """The next trial to evaluate, or a list of `n` of them (at most 1000), each chosen with the others in mind.

        owner: who evaluates it. An owner who asks again, for instance after a crash, gets its pending trials first.
        lease: how long the trial is reserved, "90s", "2h", "3d", at most a year; after that others may get it. None:
            without end.
        fixed: values that some inputs must have, {"quench": "air"}; the others are chosen to suit them.
        same: inputs that must have one value in all `n` trials, ["furnace"]: it is chosen with the first of them.

        Released trials and trials whose lease has ended come before new ones. If a finite space or a budget in money
        runs out, the list is shorter than `n`; if nothing is left, SpaceExhausted or BudgetSpent is raised.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"n": cm.Integer(1, 3)}), {"y": "max"}, seed=1)
        >>> sorted(trial.params["n"] for trial in study.ask(3, owner="anna", lease="2h"))
        [1, 2, 3]

        Only air is free today, and the oven runs once, for all three:

        >>> quench = cm.Categorical(["air", "oil"])
        >>> space = cm.Space({"soak": cm.Integer(1, 12), "nickel": cm.Real(0, 9), "quench": quench})
        >>> study = cm.Study(space, {"y": "max"}, seed=1)
        >>> trials = study.ask(3, fixed={"quench": "air"}, same=["soak"])
        >>> {trial.params["quench"] for trial in trials}, len({trial.params["soak"] for trial in trials})
        ({'air'}, 1)
        """
        count = 1 if n is None else whole("n", n, 1, _MOST_ASKED)
        held, shared = self.space.check_fixed(fixed or {}), self._shared(same, fixed or {})
        handed = self.hand_out(Request(count, owner_name(owner), lease_of(lease), fixed=held, same=shared))
        return handed[0] if n is None else handed

    def _shared(self, same: Sequence[str], fixed: Params) -> tuple[str, ...]:
        """The inputs that trials are to share, checked: something must be left to choose."""
        names = (same,) if isinstance(same, str) else tuple(same)
        self.space.check_names("same", names)
        if names and {*names, *fixed} >= set(self.space.names):
            raise InvalidValueError(
                "same: all inputs are the same or fixed, so all trials would be one. Leave one out."
            )
        return names

    def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
        """What `ask` and `optimize` are built on: trials as requested, available ones before new ones."""
        return self._ledger.hand_out(request, ahead)

    def look_ahead(self, request: Request) -> Ahead | None:
        """Suggestions for a `hand_out` to come: `optimize` computes them while its workers are busy."""
        return self._ledger.look_ahead(request)

    def tell(
        self, trial: Trial | int, values: Values | None = None, cost: float | None = None, note: str | None = None
    ) -> Trial:
        """Record the results of a trial: a finite number per objective, all at once or some now and the rest later.

        cost: what the trial cost; told in parts, the parts add up. note: any remark, in place of the one before. Both
            can be told without results, before or after them, as bills come. Those of a trial that somebody else was
            handed since are kept in `trial.late`.

        A result that comes after the lease has ended counts, unless somebody else has taken or settled the trial by
        then. What was measured is kept all the same, in `trial.late`, and its cost is spent. TrialStateError says how
        to make it count: while the trial is open, by naming it by its number.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"strength": "max", "rust": "min"}, seed=1)
        >>> trial = study.ask()
        >>> study.tell(trial, {"strength": 512.0}, cost=41.5).state.value
        'pending'
        >>> study.tell(trial, {"rust": 0.3}, note="after a week of salt spray").state.value
        'complete'
        >>> study.tell(trial, cost=8.5).cost  # the bill of the salt spray
        50.0
        """
        change = self._ledger.change(trial, transitions.tell, trial, values, cost=money(cost), note=note)
        if cost is not None:
            self._warn_of_disagreement(change.history)  # reading again could fail, though the result is stored
        return self._recorded(change)

    def _warn_of_disagreement(self, history: History) -> None:
        """Warn once if receipts clearly contradict the order. Every tenth receipt is early enough to look."""
        receipts = sum(trial.cost is not None for trial in history.trials)
        if self._warned or receipts % 10 != 0:
            return
        found = spending.disagreements(Record(history.plan, history.trials))
        if found:
            self._warned = True
            _log.warning("%s. The cost learned from receipts is used either way; check the order.", found[0])

    def amend(
        self,
        trial: Trial | int,
        values: Values | EllipsisType | None = ...,
        reason: str = "",
        *,
        cost: float | None = None,
    ) -> Trial:
        """Correct recorded values, or withdraw them with None; correct what the trial cost. The log keeps the old ones.

        A failed trial becomes complete if every objective is given. A reason is required.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"strength": "max"}, seed=1)
        >>> _ = study.tell(study.ask(), {"strength": 512.0})
        >>> dict(study.amend(0, {"strength": 521.0}, "digits swapped").values)
        {'strength': 521.0}
        >>> study.amend(0, cost=44.0, reason="invoice").cost
        44.0
        """
        return self._recorded(self._ledger.change(trial, transitions.amend, trial, values, reason, cost=money(cost)))

    def fail(self, trial: Trial | int, reason: str, cost: float | None = None, *, teaches: bool = True) -> Trial:
        """Record that a trial could not be measured. It gives the models no value; its point is not tried again.

        As with `tell`, it is kept in `trial.late` if somebody else has taken or settled the trial.

        cost: what it cost all the same. teaches: whether that is what its point costs; False only counts it as spent,
            such as the seconds until a crash.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Integer(1, 9)}), {"y": "max"}, seed=1)
        >>> study.fail(study.ask(), "crucible cracked").state.value
        'failed'
        """
        return self._ledger.change(trial, transitions.fail, trial, reason, cost=money(cost), teaches=teaches).trial

    def release(self, trial: Trial | int) -> Trial:
        """Give a trial back without a result; the next `ask` hands it out again."""
        return self._ledger.change(trial, transitions.release, trial).trial

    def retry(self, trial: Trial | int) -> Trial:
        """Give a failed trial back: the next `ask` hands it out again. For failures that were the program's fault.

        It no longer counts as made, and its point no longer as one that fails; what it cost stays.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Integer(1, 9)}), {"y": "max"}, seed=1)
        >>> failed = study.fail(study.ask(), "disk full")
        >>> study.retry(failed).state.value, study.ask().number
        ('released', 0)
        """
        return self._ledger.change(None, transitions.retry, trial).trial

    def renew(self, trial: Trial | int, lease: Duration | None) -> Trial:
        """Extend a trial's lease: `lease` counts from now. None: without end."""
        return self._ledger.change(trial, transitions.renew, trial, lease_of(lease)).trial

    def add(
        self,
        params: Params,
        values: Values | None,
        cost: float | None = None,
        note: str | None = None,
        *,
        reason: str | None = None,
    ) -> Trial:
        """Record an experiment done before. It informs the models and does not count against the budget.

        reason: why it could not be measured; then `values` is None.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1)
        >>> print(study.add({"x": 0.5}, {"y": 2.0}, note="from last year"))
        trial 0: x=0.5 -> y=2
        >>> print(study.add({"x": 0.9}, None, cost=12, reason="cracked"))
        trial 1: x=0.9 (failed: cracked); cost 12
        """
        if values is None and reason is None:
            raise InvalidValueError(
                "values: need a number for each objective, got None. For an experiment that could not be measured "
                'give the reason too: study.add(params, None, reason="cracked").'
            )
        known = money(cost)
        changed = self._ledger.change(None, transitions.add, params, values, cost=known, note=note, reason=reason)
        self._warn_of_outside(changed.trial)
        return self._recorded(changed)

    def _recorded(self, change: Change) -> Trial:
        """The trial of a change that is stored; inside `together` its values are looked at in the end."""
        if not self._ledger.inside and [event for event in change.events if "values" in event.new]:
            self._warn_of_slips(change.history.trials, [change.trial.number])
        return change.trial

    def _warn_of_slips(self, trials: Sequence[Trial], changed: Iterable[int]) -> None:
        """Warn of values that may be a slip of the hand."""
        for slip in slips.slips(trials, changed):
            _log.warning("%s", slip)

    def _warn_of_outside(self, trial: Trial) -> None:
        """Say of each constraint once that a trial was added which does not meet it."""
        for text in self.space.broken(trial.params):
            if text not in self._outside:
                self._outside = (*self._outside, text)
                _log.warning(
                    "trial %d does not meet the constraint %r: it counts as a result, and no trial like it will be "
                    "suggested. Others that do not meet it are not reported.",
                    trial.number,
                    text,
                )

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Store several changes together, or none of them if one is refused.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1)
        >>> with study.together():
        ...     for x, y in [(0.1, 1.0), (0.2, 3.0)]:
        ...         _ = study.add({"x": x}, {"y": y})
        """
        nested = self._ledger.inside
        with self._ledger.together():
            before = self.trials
            yield
            after = self.trials
        if not nested:
            pairs = zip_longest(after, before)
            self._warn_of_slips(after, [new.number for new, old in pairs if old is None or new.values != old.values])

    def optimize(
        self,
        function: Function | Command,
        n_trials: int | None = None,
        *,
        executor: Executor | None = None,
        jobs: int | None = None,
        timeout: Duration | None = None,
        trial_timeout: Duration | None = None,
        catch: Catch = (),
        callbacks: Iterable[Callable[[Study, Trial], object]] = (),
        progress: bool = True,
        owner: str | None = None,
        lease: Duration | Literal["auto"] | None = "auto",
    ) -> Study:
        """Ask, evaluate and tell in a loop.

        function: takes the params as a dict and returns the values as a dict, or (values, cost); it may be an
            `async def`; or a `Command`. If it raises, exits, takes too long or measures a number that is not finite,
            the trial is recorded as failed with the reason, a warning is logged, and the loop continues.
        n_trials: how many trials this call evaluates. Without a budget they become the budget, and each further call
            extends it; if several processes run at once, give the study a budget. None: until the budget is used
            up, in trials or in money; several processes together never exceed it. If the money left pays for none of
            them, BudgetSpent is raised.
        executor: any `concurrent.futures.Executor`, such as a process pool or Dask's `client.get_executor()`.
        jobs: how many evaluations run at once; by default one, or one per worker of the executor.
        timeout: how long this call may take, "2h" or seconds; then it starts no further trial, and ends with the ones
            under way.
        trial_timeout: how long an evaluation may take; then it and all processes it started are stopped.
        catch: types of exceptions that are expected at some points: such trials are recorded as failed, however many.
            `TimeoutError` stands for the trial_timeout, `ChildProcessError` for whatever exits or is killed.
        callbacks: functions called with the study and each trial that was recorded, complete or failed, in the thread
            that called `optimize`. What they raise ends the run.
        progress: show a progress bar if standard error is a terminal.
        owner: who evaluates; by default this user, host and process. A given owner gets its pending trials first. While
            a process runs under that name, other processes may not use it.
        lease: how long a trial stays reserved if this process dies; renewed while it is evaluated. By default ten
            minutes for a stored study.

        A broken function wastes no budget. If the first 3 trials or more all fail alike, with the same exception in the
        same place, the same exit code and message, or all out of time, they are released and InvalidOptionError is
        raised, from the exception if it was raised in this process. A result of the wrong shape raises
        InvalidValueError at once. In both cases the trials under way are awaited first. `catch` turns this off for the
        exceptions it names.

        With a trial_timeout, several jobs or a process pool, each evaluation has its own process, so a crash affects no
        other; those of an `async def` share one event loop. On Ctrl-C (or SIGTERM, SIGHUP) running trials are released;
        everything recorded stays.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(-1, 1)}), {"y": "min"}, seed=1)
        >>> study.optimize(lambda params: {"y": params["x"] ** 2}, 6)
        <Study of y over x: 6 complete>
        """
        count = None if n_trials is None else whole("n_trials", n_trials, 1)
        if not callable(function) and not isinstance(function, Command):
            raise InvalidOptionError(f"optimize: need a function that takes a dict of params, got {function!r}.")
        if lease == "auto":
            lease = "10m" if self._durable else None
        length = lease_of(lease)
        total, limit = duration("timeout", timeout), duration("trial_timeout", trial_timeout)
        many = jobs_of(executor, None if jobs is None else whole("jobs", jobs, 1))
        name = worker_name(owner)
        expected, told = caught(catch), tuple(partial(callback, self) for callback in callbacks)
        trials = self._trials_for(count, timed=total is not None)
        stop = threading.Event()
        run = Run(
            self,
            name,
            length,
            trials if count is None else None,
            self._ledger.read().count,
            catch=expected,
            until=None if total is None else time.monotonic() + total.total_seconds(),
            stopped=stop.is_set,
            callbacks=told,
        )
        with self._reserved(owner), self._stoppable(stop):
            loop.optimize(
                run,
                function,
                count=count,
                budget=trials,
                executor=executor,
                jobs=many,
                trial_timeout=None if limit is None else limit.total_seconds(),
                headline=(lambda: summary.headline(self._record())) if progress else None,
            )
        return self

    def stop(self) -> None:
        """End `optimize`, from a callback or another thread: no new trial is started, those under way finish.

        Without a run under way it does nothing.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(-1, 1)}), {"y": "min"}, seed=1)
        >>> enough = lambda study, trial: study.stop() if trial.values["y"] < 0.5 else None
        >>> len(study.optimize(lambda params: {"y": params["x"] ** 2}, 20, callbacks=[enough]).trials) < 20
        True
        """
        for stop in self._stops:
            stop.set()

    @contextlib.contextmanager
    def _stoppable(self, stop: threading.Event) -> Iterator[None]:
        """Let `stop` set an event while a run is under way."""
        self._stops = (*self._stops, stop)
        try:
            yield
        finally:
            self._stops = tuple(other for other in self._stops if other is not stop)

    @contextlib.contextmanager
    def _reserved(self, owner: str | None) -> Iterator[None]:
        """Reserve an owner's name: two processes under one name would take each other's trials for their own."""
        with contextlib.nullcontext(True) if owner is None else self._ledger.store.at_work(owner) as free:
            if not free:
                raise InvalidOptionError(
                    f"owner: {owner!r} is running on {self.storage} in another process. "
                    "Give each process its own name, or leave owner out."
                )
            yield

    def _trials_for(self, count: int | None, *, timed: bool) -> int | None:
        """The trials to plan for: enough for `count` more if the study was created without a budget. None: no limit."""
        with self.together():
            history = self._ledger.read()
            budget = history.plan.budget
            if budget is None and count is None and not timed:
                raise InvalidOptionError(
                    "n_trials: the study has no budget, so say how many trials to run, such as n_trials=20."
                )
            if self._ledger.created.plan.budget is None and count is not None:
                planned = 0 if budget is None else budget.trials or 0
                released = sum(trial.state is State.RELEASED for trial in history.trials)
                wanted = max(planned, history.suggested - released + count)
                if budget is None or (budget.cost is None and wanted != planned):
                    self._ledger.change(None, transitions.change_plan, {"budget": wanted})
                return wanted
            return None if budget is None else budget.trials

    def change(
        self,
        *,
        budget: int | Budget | EllipsisType | None = ...,
        cost: CostLike | EllipsisType = ...,
        thrift: float | EllipsisType = ...,
    ) -> Study:
        """Change the budget, the cost or the thrift in the middle of the study, on record.

        Suggestions from now on are made as if it had always been so. What is not given stays.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, budget=20, seed=1)
        >>> print(study.change(budget=cm.Budget(cost=500, unit="EUR"), cost="x").budget)
        500 EUR
        >>> [event.kind for event in study.log()]
        ['set']
        """
        plan = self.plan
        wanted = make_plan(
            plan.space,
            plan.objectives,
            cost=plan.cost if isinstance(cost, EllipsisType) else cost,
            budget=plan.budget if isinstance(budget, EllipsisType) else budget,
            thrift=plan.thrift if isinstance(thrift, EllipsisType) else thrift,
            seed=plan.seed,
            method=plan.method,
        )
        if not isinstance(cost, EllipsisType):
            check_terms(wanted)
        elif not isinstance(budget, EllipsisType):
            check_budget(wanted)
        given = {"budget": budget, "cost": cost, "thrift": thrift}
        facts = transitions.plan_facts(wanted)
        changes = {name: facts[name] for name, one in given.items() if not isinstance(one, EllipsisType)}
        replaced = wanted.cost is not None and not stored_whole(wanted.cost) and isinstance(plan.cost, Formula)
        anew = ("cost",) if replaced and wanted.cost != plan.cost else ()  # its name may be the same, such as <lambda>
        self._ledger.keep_function(wanted.cost)
        self._ledger.change(None, transitions.change_plan, changes, anew=anew)
        return self

    def spent(self) -> float:
        """Money spent: what was recorded, and for settled trials without a receipt what they are expected to have cost.

        Experiments recorded with `add` do not count. Without receipts, as long as only an order is known, it is 0.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, cost="x", budget=cm.Budget(cost=100), seed=1)
        >>> _ = study.tell(study.ask(), {"y": 3.0}, cost=12.5)
        >>> study.spent(), study.remaining()
        (12.5, 87.5)
        """
        return self._record().purse.spent

    def remaining(self) -> float | None:
        """Money left of the budget, after what pending trials are expected to cost; None without a budget in money."""
        return self._record().purse.remaining

    def _record(self) -> Record:
        history = self._ledger.read()
        return Record(history.plan, history.trials)

    def front(self) -> list[Trial]:
        """The best trade-offs: complete trials that no other dominates, by number.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"strength": "max", "rust": "min"}, seed=1)
        >>> for x, strength, rust in [(0.1, 400, 0.2), (0.5, 500, 0.5), (0.9, 450, 0.9)]:
        ...     _ = study.add({"x": x}, {"strength": strength, "rust": rust})
        >>> [trial.number for trial in study.front()]
        [0, 1]
        """
        return list(self._record().front)

    def hypervolume(self, reference: Values | None = None) -> float:
        """The volume the front dominates beyond a reference point: larger is better.

        The reference is the one given here, else the study's, else the worst value seen per objective. The worst value
        moves as trials come in, so give a reference to compare studies or times. A volume too large for a float is
        infinite. From seven objectives on it is an estimate, accurate to about one per cent.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"strength": "max", "rust": "min"}, seed=1)
        >>> _ = study.add({"x": 0.1}, {"strength": 400, "rust": 0.25})
        >>> study.hypervolume({"strength": 300, "rust": 0.75})
        50.0
        """
        return self._record().hypervolume(reference)

    def dataframe(self) -> DataFrame:
        """The trials as a pandas DataFrame: a row per trial, a column per input, objective and other fact.

        Needs pandas: `pip install 'camobo[pandas]'`.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1)
        >>> _ = study.add({"x": 0.5}, {"y": 2.0})
        >>> study.dataframe().shape, list(study.dataframe().columns)[:4]
        ((1, 9), ['state', 'x', 'y', 'cost'])
        """
        return dataframe(self._record())

    def usage(self) -> dict[str, Any]:
        """How much of each input the finished trials used: the sum of a number's values, the count of each choice.

        Choices that a dict cannot tell apart, such as 0 and False, are keyed by their repr.

        >>> import camobo as cm
        >>> space = cm.Space({"nickel": cm.Real(0, 20), "quench": cm.Categorical(["air", "oil"])})
        >>> study = cm.Study(space, {"y": "max"}, seed=1)
        >>> _ = study.add({"nickel": 2.5, "quench": "oil"}, {"y": 1.0})
        >>> study.usage()
        {'nickel': 2.5, 'quench': {'air': 0, 'oil': 1}}
        """
        return summary.usage(self._record())

    def explain(self, trial: Trial | int) -> Explanation:
        """Why a trial was suggested, from what was known at that time. Takes about twice as long as the suggestion did.

        >>> import camobo as cm
        >>> study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1)
        >>> study.explain(study.ask()).trial.notes[0].reason.value
        'initial-design'
        """
        found = transitions.find(self.trials, trial)
        *events, asked = self._ledger.events(found.asked + 1)
        known = self._ledger.after(transitions.known_to(events, asked))
        return explanation.explain(found, known, asked.new.get("fixed"))
