"""`Study`: ask, tell, and read the result. The only class in camobo that changes."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from camobo import decide, explanation, run, summary
from camobo.checks import Duration, Goal, Values, duration, money, owner_name, whole
from camobo.command import Command
from camobo.cost import CostLike
from camobo.decide import Ahead, Request, Stamp
from camobo.document import make_plan, plan_of_toml
from camobo.errors import InvalidOptionError, StorageError
from camobo.evaluate import Function, Outcome
from camobo.explanation import Explanation
from camobo.history import Event, History, fold
from camobo.inputs import Params
from camobo.plan import Beta, Method, Plan
from camobo.space import Space
from camobo.store import Storage, Store, Transaction, begin_study, load_study
from camobo.trial import Trial
from camobo.who import login, worker_name
from camobo.workers import jobs_of

if TYPE_CHECKING:
    from camobo.models import Models

_MOST_ASKED = 1000
"""Trials handed out by one `ask`: each is chosen with those before it in mind, which takes longer and longer."""


class Study:
    """Finds the best trade-offs between objectives while using little of the inputs called dear.

    space: what can be varied.
    objectives: what is measured, and which way is better: {"strength": "max", "corrosion": "min"}.
    cost: which inputs are dearer than which, "nickel > chromium"; or a cost model; None for no cost-awareness.
    budget: planned evaluations. The cost's influence fades as they are spent; without one, with the steps made.
    seed: same seed, same data, same suggestions. None draws one, kept as `study.seed`.
    storage: where it is kept: None for memory, a file "alloy.db", or a URL "postgresql+psycopg://…". If the same study
        is there already it goes on; if another is, that is an error. `Study.load` opens whatever is there.
    method: "default", or "paper" for Algorithm 1 of the paper to the letter (with cost=None its baseline, MO-UCB).
    reference: the value of every objective beyond which nothing counts, {"strength": 300}; None: taken from the data.
    beta: how far the paper's method trusts uncertainty, "practical" or "theory" (Theorem 1).
    refit_every: evaluations between fits of the models' hyper-parameters, once there are ten, and by the default
        method twenty; that one doubles it at 200, 400, 800 and 1600 evaluations.

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
        objectives: Mapping[str, Goal],
        *,
        cost: CostLike = None,
        budget: int | None = None,
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
            seed=seed,
            method=method,
            reference=reference,
            beta=beta,
            refit_every=refit_every,
        )
        self._attach(*begin_study(plan, storage, any_seed=seed is None), storage)

    @classmethod
    def load(cls, storage: Storage) -> Study:
        """The study that is kept in a file or at a URL; its next suggestions are those it would have made anyway."""
        study = cls.__new__(cls)
        study._attach(*load_study(storage), storage)
        return study

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str], *, storage: Storage = None) -> Study:
        """The study a problem file describes, kept in `storage`."""
        plan, text = plan_of_toml(Path(path))
        study = cls.__new__(cls)
        study._attach(*begin_study(plan, storage, any_seed="seed" not in text.get("study", {})), storage)
        return study

    def _attach(self, store: Store, plan: Plan, storage: Storage) -> None:
        self._store = store
        self._durable = storage is not None
        self._history = self._first = History(plan)
        self._models: Models | None = None
        self._transaction: Transaction | None = None
        self._lock = threading.RLock()
        self._who = login()
        if store is not storage:
            weakref.finalize(self, store.close)  # connections go with the study that made them
        self._now()

    def close(self) -> None:
        """Let go of the file or connection; used again, the study opens them again."""
        self._store.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        """A copy would go its own way, and two with one number would be two trials."""
        keep = "Open" if self._durable else "Keep it in a file with storage='alloy.db', and open"
        place = self.storage if self._durable else "alloy.db"
        raise StorageError(
            "a study cannot be copied, pickled or sent to another process: its place of storage is what is shared. "
            f"{keep} it there with Study.load({place!r})."
        )

    def __repr__(self) -> str:
        plan, trials = self.plan, self.trials
        states = Counter(trial.state for trial in trials)
        told = ", ".join(f"{count} {state}" for state, count in states.items()) or "no trials"
        return f"<Study of {', '.join(plan.objectives)} over {', '.join(plan.space.names)}: {told}>"

    @property
    def plan(self) -> Plan:
        """All it is about: space, objectives, cost, budget, seed, method."""
        return self._now().plan

    @property
    def space(self) -> Space:
        """What can be varied."""
        return self._first.plan.space

    @property
    def objectives(self) -> dict[str, Goal]:
        """What is measured, and which way is better."""
        return dict(self._first.plan.objectives)

    @property
    def seed(self) -> int:
        """What the suggestions are drawn from."""
        return self._first.plan.seed

    @property
    def budget(self) -> int | None:
        """Planned evaluations, as given or as `optimize` implied."""
        return self.plan.budget

    @property
    def storage(self) -> str:
        """Where it is kept."""
        return self._store.place

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Everything tried, by number."""
        return self._now().trials

    def log(self) -> list[Event]:
        """The audit trail: everything that happened, who, when, what it replaced."""
        with self._lock:
            return self._store.events()

    @overload
    def ask(self, n: None = None, *, owner: str | None = None, lease: Duration | None = None) -> Trial: ...
    @overload
    def ask(self, n: int, *, owner: str | None = None, lease: Duration | None = None) -> list[Trial]: ...

    def ask(
        self, n: int | None = None, *, owner: str | None = None, lease: Duration | None = None
    ) -> Trial | list[Trial]:
        """The next trial to evaluate; `ask(4)` gives a list of four, each chosen with the others in mind; at most 1000.

        owner: who will evaluate it. Asking again, after a crash for instance, an owner gets its open trials back first.
        lease: how long the trial is kept for them, "90s", "2h", "3d"; then somebody else may get it. None: for ever.

        Trials that were released, or whose lease has ended, are handed out before new ones. A finite space that runs
        out on the way gives the ones there were; asked once more it raises SpaceExhausted.
        """
        count = 1 if n is None else whole("n", n, 1, _MOST_ASKED)
        handed = self._hand_out(Request(count, owner_name(owner), duration("lease", lease)))
        return handed[0] if n is None else handed

    def _hand_out(self, request: Request) -> list[Trial]:
        with self._lock:
            for _ in range(3 if self._transaction is None else 0):
                with contextlib.ExitStack() as turn:
                    ahead = self._look_ahead(request, turn)
                    with self.together():
                        if ahead is None or ahead.fits(self._history):
                            return self._take(request, ahead)
            with self.together():  # others were quicker each time, or this is part of a larger change: all inside it
                return self._take(request, None)

    def _look_ahead(self, request: Request, turn: contextlib.ExitStack) -> Ahead | None:
        """Suggestions, if any are needed, worked out when it is this study's `turn` to."""
        now = datetime.now(timezone.utc)
        if decide.suggestions_wanted(self._history, now, request) <= 0:  # as of the last look, which is free
            return None
        turn.enter_context(self._store.asking())
        wanted = decide.suggestions_wanted(self._now(), now, request)
        return decide.look_ahead(self._history, wanted, self._models) if wanted > 0 else None

    def _take(self, request: Request, ahead: Ahead | None) -> list[Trial]:
        stamp = self._stamp(request.owner)
        out = decide.hand_out(self._history, stamp, request, ahead=ahead, models=self._models)
        self._record(*out.events)
        self._models = out.models
        return [self._history.trials[number] for number in out.numbers]

    def tell(self, trial: Trial | int, values: Values, cost: float | None = None, note: str | None = None) -> Trial:
        """Record what a trial gave: a finite number for each objective, or for some now and the others later.

        cost: what it cost. note: anything worth remembering. A result that comes after the trial's lease has ended
        counts, unless somebody else has taken the trial since; named by its number, it counts even then.
        """
        paid = money(cost)
        with self.together():
            return self._settle(decide.tell(self._history, self._stamp(trial), trial, values, cost=paid, note=note))

    def amend(self, trial: Trial | int, values: Values | None, reason: str) -> Trial:
        """Correct values that were told, or with None take them back; what they were stays in the log.

        A trial that was failed by mistake becomes complete if every objective is given.
        """
        with self.together():
            return self._settle(decide.amend(self._history, self._stamp(trial), trial, values, reason))

    def fail(self, trial: Trial | int, reason: str) -> Trial:
        """Record that a trial could not be measured; nothing of it reaches a model but where it was."""
        with self.together():
            return self._settle(decide.fail(self._history, self._stamp(trial), trial, reason))

    def release(self, trial: Trial | int) -> Trial:
        """Hand a trial back without a result; the next `ask` gives it to somebody."""
        with self.together():
            return self._settle(decide.release(self._history, self._stamp(trial), trial))

    def renew(self, trial: Trial | int, lease: Duration | None) -> Trial:
        """Keep a trial for longer: its lease counts anew from now."""
        length = duration("lease", lease)
        with self.together():
            return self._settle(decide.renew(self._history, self._stamp(trial), trial, length))

    def add(self, params: Params, values: Values, cost: float | None = None, note: str | None = None) -> Trial:
        """Record an experiment done before; it informs the models and does not count against the budget."""
        paid = money(cost)
        with self.together():
            return self._settle(decide.add(self._history, self._stamp(None), params, values, cost=paid, note=note))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Several changes as one: `with study.together(): …` keeps all of them or, if one is refused, none."""
        with self._lock:
            if self._transaction is not None:
                yield
                return
            before, models = self._history, self._models
            try:
                with self._store.transaction() as transaction:
                    self._transaction = transaction
                    self._history = self._fold(transaction.events(before.count))
                    yield
            except BaseException:
                self._history, self._models = before, models
                raise
            finally:
                self._transaction = None

    def _record(self, *events: Event) -> None:
        """Add events to the change under way."""
        if self._transaction is None:
            raise StorageError("no change is under way.")
        self._history = fold(self._history, events)
        numbers = sorted({event.trial for event in events if event.trial is not None})
        self._transaction.append(events, [self._history.trials[number] for number in numbers])

    def _settle(self, event: Event) -> Trial:
        self._record(event)
        return self._history.trials[-1 if event.trial is None else event.trial]

    def _stamp(self, by: Trial | int | str | None) -> Stamp:
        """Now, and who asks: the owner if one is known, else whoever runs this process."""
        if self._transaction is None:
            raise StorageError("no change is under way.")
        owner = by.owner if isinstance(by, Trial) else by if isinstance(by, str) else None
        return Stamp(self._transaction.now, owner or self._who)

    def _now(self) -> History:
        """Where the study stands, with what other processes did since the last look."""
        with self._lock:
            if self._transaction is None:
                self._history = self._fold(self._store.events(self._history.count))
            return self._history

    def _fold(self, events: list[Event]) -> History:
        try:
            return fold(self._history, events) if events else self._history
        except StorageError as error:
            raise StorageError(f"{self._store.place}: the study is damaged: {error}") from error

    def optimize(
        self,
        function: Function | Command,
        n_trials: int | None = None,
        *,
        executor: Executor | None = None,
        jobs: int | None = None,
        timeout: Duration | None = None,
        progress: bool = True,
        owner: str | None = None,
        lease: Duration | Literal["auto"] | None = "auto",
    ) -> Study:
        """Ask, evaluate and tell.

        function: takes the params as a dict and returns a dict of values; or a `Command`. If it raises, returns
            anything but finite numbers for all objectives, exits, or takes too long, that trial is marked failed with
            the reason, a warning is logged, and the loop goes on.
        n_trials: how many trials this call evaluates. If the study was given no budget, these are the plan, and each
            further call extends it to the end of its own; several processes at once should be given one. None: until
            the study's budget is met, exactly, however many processes work on it.
        executor: any `concurrent.futures.Executor`: a process pool, Dask's `client.get_executor()`.
        jobs: how many evaluations to keep going; by default one, or as many as the executor has workers.
        timeout: how long one may take, "30m" or seconds; then it is stopped, and all it started with it.
        progress: show a progress bar if standard error is a terminal.
        owner: who evaluates; by default this user, host and process. One that is given gets its open trials back first,
            so it must be one worker: while a process is at work under a name, another is refused it.
        lease: how long others leave a trial alone that this process no longer keeps up; renewed while it is evaluated.
            By default ten minutes for a study that is stored.

        With a timeout, several jobs or a process pool, every evaluation has a process of its own, so one that crashes
        takes nothing with it. Interrupted with Ctrl-C (or SIGTERM, SIGHUP), the trials under way are released and what
        was told is kept.
        """
        count = None if n_trials is None else whole("n_trials", n_trials, 1)
        if not callable(function) and not isinstance(function, Command):
            raise InvalidOptionError(f"optimize: need a function of a params dict, got {function!r}.")
        if lease == "auto":
            lease = "10m" if self._durable else None
        length = duration("lease", lease)
        limit = duration("timeout", timeout)
        many = jobs_of(executor, None if jobs is None else whole("jobs", jobs, 1))
        name = owner_name(owner) or worker_name()
        budget = self._planned(count)
        most = budget if count is None else None
        first = self._now().count
        desk = run.Desk(
            hand_out=lambda skip: self._hand_out(Request(1, name, length, most, skip)),
            settle=self._settle_outcome,
            release=self.release,
            renew=lambda trial: self.renew(trial, length),
            held=lambda: [trial for trial in self.trials if decide.holds(name, trial) and trial.held >= first],
            trials=lambda: self.trials,
            facts=lambda: summary.headline(self._now()),
            lease=length,
        )
        with self._under_the_name(owner):
            run.optimize(
                desk,
                function,
                self.objectives,
                count=count,
                budget=budget,
                executor=executor,
                jobs=many,
                timeout=None if limit is None else limit.total_seconds(),
                progress=progress,
            )
        return self

    @contextmanager
    def _under_the_name(self, owner: str | None) -> Iterator[None]:
        """Two at once under one name would take each other's trials for their own."""
        with contextlib.nullcontext(True) if owner is None else self._store.at_work(owner) as free:
            if not free:
                raise InvalidOptionError(
                    f"owner: {owner!r} is at work on {self.storage} in another process. "
                    "Give each its own name, or leave it out and each has one."
                )
            yield

    def _planned(self, count: int | None) -> int:
        """The budget; if none was given, what was planned, and with these trials asked for at least as many more."""
        with self.together():
            budget = self._history.plan.budget
            if budget is None and count is None:
                raise InvalidOptionError(
                    "n_trials: need a whole number of at least 1: the study has no budget to meet."
                )
            if self._first.plan.budget is None and count is not None:
                wanted = max(budget or 0, self._history.suggested + count)
                if wanted != budget:
                    self._record(decide.plan_for(self._history, self._stamp(None), wanted))
                return wanted
            return budget or 0

    def _settle_outcome(self, trial: Trial, outcome: Outcome) -> Trial:
        if outcome.values is None:
            return self.fail(trial, outcome.reason or "no values")
        known = trial.values or {}  # told in part before this evaluation: what was measured then stays
        fresh = {name: value for name, value in outcome.values.items() if name not in known}
        return self.tell(trial, fresh, cost=outcome.cost)

    def front(self) -> list[Trial]:
        """The complete trials that no other dominates, by number."""
        return summary.front(self._now())

    def hypervolume(self, reference: Values | None = None) -> float:
        """Volume dominated by the front above a reference point.

        The point is the one given here, else the study's own, else the worst value seen of each objective. That one
        moves as trials come in: give one to compare studies or times. A volume too large for a float is infinite. From
        seven objectives on it is an estimate, good to about one per cent.
        """
        return summary.hypervolume(self._now(), reference)

    def usage(self) -> dict[str, Any]:
        """How much of each input the evaluated trials used: the sum of a number's values, the count of each choice.

        Choices that one dict cannot hold beside each other, such as 0 and False, go by how Python writes them.
        """
        return summary.usage(self._now())

    def explain(self, trial: Trial | int) -> Explanation:
        """Why a trial was suggested, told from what was known then. As slow as the suggestion itself, twice."""
        record = decide.find(self._now(), trial)
        with self._lock:
            *events, asked = self._store.events(0, record.asked + 1)
        return explanation.explain(record, fold(self._first, decide.known_to(events, asked)))
