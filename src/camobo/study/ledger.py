"""The history of a study, synchronised with its store."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from camobo.cost.formula import AbsentFunction, stored_whole
from camobo.cost.protocol import Cost
from camobo.errors import Advice, StorageError
from camobo.history import transitions
from camobo.history.events import Event
from camobo.history.history import History, fold
from camobo.history.transitions import Ahead, Change, Request, Stamp
from camobo.history.trial import Trial
from camobo.run.interrupts import undisturbed
from camobo.storage.protocol import Store, Transaction
from camobo.strategy.plan import Plan
from camobo.study.identity import login

if TYPE_CHECKING:
    from camobo.strategy.protocol import Fitted

P = ParamSpec("P")

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

    @contextlib.contextmanager
    def together(self) -> Iterator[Transaction]:
        """Store several changes together, or none of them if the block raises. May be nested."""
        with self._lock:
            if self._transaction is not None:
                yield self._transaction
                return
            before, fitted = self._history, self._fitted
            try:
                with self.store.transaction() as transaction:
                    self._transaction = transaction
                    self._history = self._folded(transaction.events(before.count))
                    yield transaction
                    if self._broken:
                        raise StorageError(
                            f"{self.store.place}: a change of this block could not be stored, so none of it is."
                        )
            except BaseException:
                self._history, self._fitted = before, fitted
                raise
            finally:
                self._transaction, self._broken = None, False

    def change(
        self,
        by: Trial | int | None,
        transition: Callable[Concatenate[History, Stamp, P], Change],
        *args: P.args,
        **options: P.kwargs,
    ) -> Change:
        """Apply a transition and store its events. They are signed by the trial's owner, else by this user."""
        with undisturbed(), self.together() as transaction:
            owner = by.owner if isinstance(by, Trial) else None
            change = transition(self._history, self._stamp(transaction, owner), *args, **options)
            self._append(transaction, change)
            return change

    def hand_out(self, request: Request) -> list[Trial]:
        """Trials as requested: available ones, then new ones.

        Suggestions take long, so they are computed before the transaction, which checks that they still fit.
        """
        with self._lock:
            for _ in range(_ATTEMPTS if self._transaction is None else 0):
                with contextlib.ExitStack() as turn:
                    ahead = self._look_ahead(request, turn)
                    with undisturbed(), self.together() as transaction:
                        if ahead is None or ahead.fits(self._history):
                            return self._take(transaction, request, ahead)
            # Others were faster each time, or this is part of a larger change.
            with undisturbed(), self.together() as transaction:
                return self._take(transaction, request, None)

    def _look_ahead(self, request: Request, turn: contextlib.ExitStack) -> Ahead | None:
        """Suggestions, if any are needed, computed under the store's advisory lock, which `turn` holds."""
        now = datetime.now(timezone.utc)
        if transitions.suggestions_wanted(self._history, now, request) <= 0:  # by the last read, which costs nothing
            return None
        with undisturbed():
            turn.enter_context(self.store.asking())
        wanted = transitions.suggestions_wanted(self.read(), now, request)
        return transitions.look_ahead(self._history, wanted, self._fitted) if wanted > 0 else None

    def _take(self, transaction: Transaction, request: Request, ahead: Ahead | None) -> list[Trial]:
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

    def _folded(self, events: list[Event]) -> History:
        try:
            return self._with_function(fold(self._history, events)) if events else self._history
        except StorageError as error:
            said = f"{self.store.place}: the study is damaged: {error}"
            raise StorageError(said, advice=Advice.REPAIR, place=self.store.place) from error
