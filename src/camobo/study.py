"""`Study`: ask, tell, and read the result. The only class in camobo that changes."""

from __future__ import annotations

import getpass
import logging
import os
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from camobo import decide, explanation, summary
from camobo.checks import Duration, Goal, Values, duration, money, owner_name, whole
from camobo.cost import CostLike
from camobo.decide import Stamp
from camobo.document import differences, make_plan, plan_of_toml, read_plan, to_document
from camobo.engine import Beta, Method, Models, Plan
from camobo.errors import CamoboError, InvalidOptionError, StorageError
from camobo.explanation import Explanation
from camobo.history import Event, History, fold
from camobo.space import Param, Params, Space
from camobo.store import Storage, Store, Transaction, open_store
from camobo.trial import Trial

_log = logging.getLogger("camobo")


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
        self._begin(plan, storage, any_seed=seed is None)

    @classmethod
    def load(cls, storage: Storage) -> Study:
        """The study that is kept in a file or at a URL; its next suggestions are those it would have made anyway."""
        if storage is None:
            raise InvalidOptionError('storage: need the file or URL of a study, such as "alloy.db", got None.')
        study = cls.__new__(cls)
        store = open_store(storage, create=False)
        try:
            study._attach(store, _stored_plan(store.place, store.document()), storage)
        except BaseException:
            store.close()
            raise
        return study

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str], *, storage: Storage = None) -> Study:
        """The study a problem file describes, kept in `storage`."""
        plan, text = plan_of_toml(Path(path))
        study = cls.__new__(cls)
        study._begin(plan, storage, any_seed="seed" not in text.get("study", {}))
        return study

    def _begin(self, plan: Plan, storage: Storage, *, any_seed: bool) -> None:
        """A new study, or the same one again if it is there already."""
        if storage is None:
            return self._attach(open_store(None, create=True), plan, storage)
        document = to_document(plan)
        store = open_store(storage, create=True)
        stored = store.create(document)
        kept = _stored_plan(store.place, stored)
        if any_seed:
            document = to_document(replace(plan, seed=kept.seed))
        found = differences(to_document(kept), document)
        if found:
            store.close()
            raise InvalidOptionError(
                f"storage: {store.place} holds another study:\n    " + "\n    ".join(found) + "\n"
                f"To go on with it as it is use Study.load({store.place!r}); for a new one give another place."
            )
        return self._attach(store, kept, storage)

    def _attach(self, store: Store, plan: Plan, storage: Storage) -> None:
        self._store = store
        if store is not storage:
            weakref.finalize(self, store.close)  # connections go with the study that made them
        self._history = self._first = History(plan)
        self._models: Models | None = None
        self._transaction: Transaction | None = None
        self._lock = threading.RLock()
        self._who = _login()
        self._now()

    def close(self) -> None:
        """Let go of the file or connection; used again, the study opens them again."""
        self._store.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        """The next trial to evaluate; `ask(4)` gives a list of four, each chosen with the others in mind.

        owner: who will evaluate it. Asking again, after a crash for instance, an owner gets its open trials back first.
        lease: how long the trial is kept for them, "90s", "2h", "3d"; then somebody else may get it. None: for ever.

        Trials that were released, or whose lease has ended, are handed out before new ones. A finite space that runs
        out on the way gives the ones there were; asked once more it raises SpaceExhausted.
        """
        handed = self._hand_out(1 if n is None else whole("n", n, 1), owner, lease)
        return handed[0] if n is None else handed

    def _hand_out(
        self,
        count: int,
        owner: str | None,
        lease: Duration | None,
        *,
        most: int | None = None,
        skip: frozenset[int] = frozenset(),
    ) -> list[Trial]:
        name, length = owner_name(owner), duration("lease", lease)
        with self.together():
            out = decide.hand_out(
                self._history,
                self._stamp(name),
                count=count,
                owner=name,
                lease=length,
                models=self._models,
                most=most,
                skip=skip,
            )
            self._record(*out.events)
            self._models = out.models
            return [self._history.trials[number] for number in out.numbers]

    def tell(self, trial: Trial | int, values: Values, cost: float | None = None, note: str | None = None) -> Trial:
        """Record what a trial gave: a finite number for each objective, or for some now and the others later.

        cost: what it cost. note: anything worth remembering. A result that comes after the trial's lease has ended
        counts, unless somebody else has taken the trial since.
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

    def optimize(self, function: Callable[[dict[str, Param]], Values], n_trials: int) -> Study:
        """Ask, evaluate and tell `n_trials` times; without a budget, these are the plan.

        `function` takes the params as a dict and returns a dict of values. If it raises, or returns anything but finite
        numbers for all objectives, that trial is marked failed, a warning is logged, and the loop goes on.
        Interrupted with Ctrl-C, the trial under way is released and everything told so far is kept.
        """
        count = whole("n_trials", n_trials, 1)
        if not callable(function):
            raise InvalidOptionError(f"optimize: need a function of a params dict, got {function!r}.")
        with self.together():
            if self._history.plan.budget is None:
                self._record(decide.plan_for(self._history, self._stamp(None), self._history.suggested + count))
        for _ in range(count):
            trial = self.ask()
            try:
                values = function(dict(trial.params))
                with self.together():
                    self._settle(
                        decide.tell(
                            self._history, self._stamp(trial), trial, values, cost=None, note=None, partial=False
                        )
                    )
            except (KeyboardInterrupt, SystemExit):
                self.release(trial)
                raise
            except Exception as error:  # whatever a measurement raises is a result: it is recorded, not hidden
                failed = self.fail(trial, f"{type(error).__name__}: {error}")
                _log.warning("%s", failed)
        return self

    def front(self) -> list[Trial]:
        """The complete trials that no other dominates, by number."""
        return summary.front(self._now())

    def hypervolume(self, reference: Values | None = None) -> float:
        """Volume dominated by the front above a reference point.

        The point is the one given here, else the study's own, else the worst value seen of each objective. That one
        moves as trials come in: give one to compare studies or times.
        """
        return summary.hypervolume(self._now(), reference)

    def usage(self) -> dict[str, Any]:
        """How much of each input the evaluated trials used: the sum of a number's values, the count of each choice."""
        return summary.usage(self._now())

    def explain(self, trial: Trial | int) -> Explanation:
        """Why a trial was suggested, told from what was known then. As slow as the suggestion itself, twice."""
        record = decide.find(self._now(), trial)
        with self._lock:
            before = fold(self._first, self._store.events(0, record.asked))
        return explanation.explain(record, before)


def _stored_plan(place: str, document: dict[str, Any]) -> Plan:
    try:
        return read_plan(document)
    except CamoboError as error:
        raise StorageError(f"{place}: the study is damaged, its description cannot be read: {error}") from error


def _login() -> str:
    """The name this process runs under."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that has no name
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"
