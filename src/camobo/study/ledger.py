"""The history of a study, synchronised with its store."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from camobo.cost.formula import AbsentFunction, stored_whole
from camobo.cost.protocol import Cost
from camobo.errors import Advice, OutcomeUnknown, StorageError
from camobo.history import transitions
from camobo.history.events import Event
from camobo.history.history import History, fold, is_free
from camobo.history.transitions import Ahead, Change, Request, Stamp
from camobo.history.trial import State, Trial
from camobo.run.interrupts import undisturbed
from camobo.storage.outcome import new_request, settled
from camobo.storage.protocol import Store, Transaction
from camobo.strategy.plan import Plan
from camobo.study.identity import login

if TYPE_CHECKING:
    from camobo.strategy.protocol import Fitted

_log = logging.getLogger("camobo")

P = ParamSpec("P")
T = TypeVar("T")

_ATTEMPTS = 3
"""How often suggestions are computed outside a transaction before they are computed inside one."""


class Ledger:
    """Reads and changes the history of a study.

    Reading includes what other processes have stored. A change is stored as a whole or, if anything in it is refused,
    not at all. Threads may share a ledger.
    """

    def __init__(self, store: Store, plan: Plan) -> None:
        self.store = store
        self.created = History(plan)
        """The history at the study's creation: its plan, no trials."""
        self._history = self.created
        self._fitted: Fitted | None = None
        self._transaction: Transaction | None = None
        self._broken = False  # whether a change of the transaction could not be stored
        self._late: list[Event] = []  # what the transaction keeps that came too late to count
        self._doubtful: dict[str, tuple[str, Any]] = {}  # changes that may be stored: their request and their result
        self._ahead = timedelta(0)  # by how much the store's clock is ahead of this machine's
        self._functions: dict[str, Cost] = {}
        self._lock = threading.RLock()
        self._login = login()

    def keep_function(self, cost: Cost | None, name: str | None = None) -> None:
        """Keep a cost that is a Python function: stores hold only its name, which is its own unless given."""
        if cost is not None and not stored_whole(cost):
            with self._lock:
                self._functions[name or cost.document()["name"]] = cost
                self._history = self._with_function(self._history)

    def _with_function(self, history: History) -> History:
        cost = history.plan.cost
        kept = self._functions.get(cost.name) if isinstance(cost, AbsentFunction) else None
        return history if kept is None else replace(history, plan=replace(history.plan, cost=kept))

    def read(self) -> History:
        """The history now; inside `together`, as changed so far."""
        with undisturbed(), self._lock:
            if self._transaction is None:
                self._history = self._folded(self.store.events(self._history.count))
            return self._history

    def events(self, until: int | None = None) -> list[Event]:
        """The stored events, all or those before number `until`."""
        with undisturbed(), self._lock:
            return self.store.events(0, until)

    def after(self, events: Iterable[Event]) -> History:
        """The history after some first events: what a suggestion knew."""
        return self._with_function(fold(self.created, events))

    def now(self) -> datetime:
        """The time by the store's clock, as of the last change."""
        return datetime.now(timezone.utc) + self._ahead

    @contextlib.contextmanager
    def together(self, request: str | None = None) -> Iterator[Transaction]:
        """Store several changes together, or none of them if the block raises. May be nested.

        request: the id of an earlier attempt at the same change. What came too late to count is kept even if the block
        raises.
        """
        with self._lock:
            if self._transaction is not None:
                yield self._transaction
                return
            before, fitted, request = self._history, self._fitted, request or new_request()
            try:
                with settled(self.store, request), self.store.transaction(request) as transaction:
                    self._transaction = transaction
                    self._ahead = transaction.now - datetime.now(timezone.utc)
                    self._history = self._folded(transaction.events(before.count))
                    yield transaction
                    if self._broken:
                        raise StorageError(
                            f"{self.store.place}: a change of this block could not be stored, so none of it is."
                        )
            except BaseException as error:
                late = [] if isinstance(error, StorageError) else self._late
                self._history, self._fitted = before, fitted
                self._transaction, self._broken, self._late = None, False, []
                failed = [failure for event in late if (failure := self._keep(event, request)) is not None]
                if failed and isinstance(error, Exception):
                    raise failed[0] from error
                raise
            self._transaction, self._late = None, []

    def _keep(self, late: Event, undone: str) -> StorageError | None:
        """Keep what came too late to count, after the block it was told in, the request `undone`, ended with an error.

        Returns why it cannot be kept: whoever told it was told that it is.
        """
        if late.trial is None:
            return None
        try:
            with undisturbed(), self.together() as transaction:
                if not transaction.holds(undone):  # or a signal came when the block was stored already
                    stamp = Stamp(transaction.now, late.who)
                    self._append(transaction, transitions.keep_late(self._history, stamp, late.trial, late.new))
                    self._late = []
        except StorageError as error:
            _log.error("a late result could not be stored: %s. It is: %s", error, late)
            return error
        return None

    def _once(
        self,
        what: Callable[[], str],
        make: Callable[[Transaction], T],
        left: Callable[[T, datetime], T | None] = lambda made, now: made,
    ) -> T:
        """Make a change in a transaction of its own; if it may have been made before, find that out first.

        what: describes the change. If nobody knows whether it was stored and it is made again, it is the same request.
        left: what is left by now of what the earlier attempt made; None if nothing is, then it is made anew.
        """
        known = what() if self._doubtful and self._transaction is None else ""
        request, earlier = self._doubtful.get(known, (new_request(), None))
        made: list[T] = [] if earlier is None else [earlier]
        anew = False
        try:
            with self.together(request) as transaction:
                if not made or not transaction.holds(request):
                    made = [make(transaction)]
                elif (rest := left(made[0], transaction.now)) is not None:
                    made = [rest]
                else:
                    anew = True  # as another request: this one is stored
        except OutcomeUnknown as error:
            self._doubtful[what()] = (request, made[0])
            error.advice = Advice.AGAIN
            raise
        self._doubtful.pop(known, None)
        return self._once(what, make, left) if anew else made[0]

    @property
    def inside(self) -> bool:
        """Whether a block of `together` is under way."""
        return self._transaction is not None

    def change(
        self,
        by: Trial | int | None,
        transition: Callable[Concatenate[History, Stamp, P], Change],
        *args: P.args,
        **options: P.kwargs,
    ) -> Change:
        """Apply a transition and store its events. They are signed by the trial's owner, else by this user."""

        def make(transaction: Transaction) -> Change:
            owner = by.owner if isinstance(by, Trial) else None
            change = transition(self._history, self._stamp(transaction, owner), *args, **options)
            self._append(transaction, change)
            return change

        def left(made: Change, _: datetime) -> Change | None:
            if transition is transitions.renew:
                return None  # a lease counts from now
            handed_back = transition in (transitions.release, transitions.retry)
            return None if handed_back and self._history.trials[made.trial.number] != made.trial else made

        with undisturbed(), self._lock:
            change = self._once(lambda: repr((transition.__name__, by, args, options)), make, left)
        if change.refusal is not None:
            raise change.refusal
        return change

    def look_ahead(self, request: Request) -> Ahead | None:
        """Suggestions for a `hand_out` to come, if it will need any; other threads may use the ledger meanwhile.

        None with a budget in money: what it pays for is known only when the trials before are paid. None inside
        `together`, whose thread would wait for this one, which would wait for its lock. None if the cost is a Python
        function: it is called where `optimize` was, and may not work in another thread.
        """
        if self._transaction is not None:
            return None
        with self._lock:
            now, history, fitted = self.now(), self.read(), self._fitted
        budget, cost = history.plan.budget, history.plan.cost
        wanted = transitions.suggestions_wanted(history, now, request)
        if wanted <= 0 or (budget is not None and budget.cost is not None) or not (cost is None or stored_whole(cost)):
            return None
        first = transitions.first_taken(history, now, request)
        ahead = transitions.look_ahead(history, wanted, fitted, request, first)
        return ahead if ahead.exhausted is None else None

    def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Trial]:
        """Trials as requested: available ones, then new ones.

        Suggestions take long, so they are computed before the transaction, which checks that they still fit. So may be
        those that the caller had computed `ahead`.
        """
        with self._lock:
            if ahead is not None and self._transaction is None:
                handed = self._taken_if_it_fits(request, ahead)
                if handed is not None:
                    return handed
            for _ in range(_ATTEMPTS if self._transaction is None else 0):
                with contextlib.ExitStack() as turn:
                    ahead = self._in_turn(request, turn)
                    handed = self._taken_if_it_fits(request, ahead)
                    if handed is not None:
                        return handed
            # Others were faster each time, or this is part of a larger change.
            with undisturbed():
                return self._once(lambda: repr(request), partial(self._take, request, None), self._still_held)

    def _in_turn(self, request: Request, turn: contextlib.ExitStack) -> Ahead | None:
        """Suggestions, if any are needed, computed under the store's advisory lock, which `turn` holds."""
        now = self.now()
        if transitions.suggestions_wanted(self._history, now, request) <= 0:  # by the last read, which costs nothing
            return None
        import camobo.strategy.suggest  # noqa: F401 - SciPy loads for half a second: not while others wait for their turn

        with undisturbed():
            turn.enter_context(self.store.asking())
        wanted = transitions.suggestions_wanted(self.read(), now, request)
        if wanted <= 0:
            return None
        first = transitions.first_taken(self._history, now, request)
        return transitions.look_ahead(self._history, wanted, self._fitted, request, first)

    def _taken_if_it_fits(self, request: Request, ahead: Ahead | None) -> list[Trial] | None:
        """Trials as requested, in a transaction; None if the suggestions computed ahead are out of date."""

        def take(transaction: Transaction) -> list[Trial] | None:
            return self._take(request, ahead, transaction) if ahead is None or ahead.fits(self._history) else None

        with undisturbed():
            return self._once(lambda: repr(request), take, self._still_held)

    def _still_held(self, handed: list[Trial] | None, now: datetime) -> list[Trial] | None:
        """Those of the trials handed out before that nobody has taken or settled, and whose lease has not ended."""
        found = [(trial, self._history.trials[trial.number]) for trial in handed or ()]
        held = [now_ for was, now_ in found if now_.held == was.held and now_.state is State.PENDING]
        return [trial for trial in held if not is_free(trial, now)] or None

    def _take(self, request: Request, ahead: Ahead | None, transaction: Transaction) -> list[Trial]:
        stamp = self._stamp(transaction, request.owner)
        handed = transitions.hand_out(self._history, stamp, request, ahead=ahead, fitted=self._fitted)
        self._append(transaction, handed.change)
        self._fitted = handed.fitted
        return list(handed.trials)

    def _stamp(self, transaction: Transaction, owner: str | None) -> Stamp:
        return Stamp(transaction.now, owner or self._login)

    def _append(self, transaction: Transaction, change: Change) -> None:
        if self._broken:
            raise StorageError(f"{self.store.place}: an earlier change of this block could not be stored, so none is.")
        numbers = sorted({event.trial for event in change.events if event.trial is not None})
        try:
            transaction.append(change.events, [change.history.trials[number] for number in numbers])
        except BaseException:
            self._broken = True
            raise
        self._history = self._with_function(change.history)
        self._late += change.events if change.refusal is not None else ()

    def _folded(self, events: list[Event]) -> History:
        try:
            return self._with_function(fold(self._history, events)) if events else self._history
        except StorageError as error:
            said = f"{self.store.place}: the study is damaged: {error}"
            raise StorageError(said, advice=Advice.REPAIR, place=self.store.place) from error
