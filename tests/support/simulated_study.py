"""Histories of a study that several workers share while everything fails, each made from one seed.

`python -m tests.support.simulated_study 17` plays history 17 and prints what happened.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import camobo as cm
from camobo.errors import OutcomeUnknown, StorageError, TrialStateError
from camobo.history.transitions import Request
from camobo.storage import outcome
from camobo.strategy import suggest as suggesting
from camobo.strategy.notes import Note, Reason
from camobo.strategy.protocol import Suggestion
from camobo.study import ledger
from tests.support.simulated_deeds import KEPT, Deed, check_trials, judge
from tests.support.simulated_server import LONGEST, OBJECTIVES, START, Connection, Server, Vanished, Violation, mark_of

MOST = 8
SPACE = cm.Space({"x": cm.Real(0, 1)})
CLOCKS = (0.0, 0.0, 0.0, 3600.0, -3600.0, 8e8, -8e8)
"""Seconds by which clocks are wrong."""


@dataclass(eq=False)
class Worker:
    """One process after another under the same name."""

    name: str
    owner: str | None
    study: cm.Study
    connection: Connection
    ahead: timedelta
    claims: list[cm.Trial] = field(default_factory=list)
    deeds: list[Deed] = field(default_factory=list)
    doubtful: list[Request] = field(default_factory=list)
    """Requests for trials of which this process does not know whether they were met, and that it may repeat."""
    asked_in_doubt: list[Request] = field(default_factory=list)
    """All of which it ever did not know that: what they are given is what is left."""


class Simulation:
    """One history."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        self.seed = seed
        self.said: list[str] = []
        self.rate = self.draw.choice([0.0, 0.02, 0.05, 0.15])
        self.server = Server(MOST)
        self.deeds: list[Deed] = []
        self.active: list[Worker] = []
        self.changes = 0
        self.faultless = self._connection()
        self.faultless.rate = 0.0
        cm.Study(SPACE, dict.fromkeys(OBJECTIVES, "max"), budget=MOST, seed=1, storage=self.faultless)
        self.workers = [self._worker(i) for i in range(self.draw.choice([2, 3, 4]))]

    def _worker(self, number: int) -> Worker:
        name = f"w{number}"
        owner = None if self.draw.random() < 0.15 else name
        ahead = timedelta(seconds=self.draw.choice(CLOCKS))
        connection = self._connection()
        connection.gone = True
        return Worker(name, owner, cm.Study.load(self.faultless), connection, ahead)

    def _connection(self) -> Connection:
        return Connection(self.server, self.draw, self.rate, self.interlude, self.say)

    def say(self, text: str) -> None:
        self.said.append(f"{'    ' * len(self.active)}{self.active[-1].name if self.active else 'end'}: {text}")

    def play(self, steps: int = 40) -> None:
        """The history from beginning to end; Violation, with all that happened, if a promise is broken."""
        try:
            with self._simulated():
                for _ in range(steps):
                    self.step()
                self._finish()
        except Exception as error:
            told = "\n".join(self.said)
            raise Violation(f"seed {self.seed}: {type(error).__name__}: {error}\n{told}") from error

    @contextmanager
    def _simulated(self) -> Iterator[None]:
        """Clocks, waits, request ids and suggestions of this history in place of the real ones."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ledger, "datetime", SimpleNamespace(now=lambda _: self._local_time()))
            patch.setattr(ledger, "login", lambda: "someone")
            patch.setattr(ledger, "new_request", lambda: f"request {self._next()}")
            waiting = SimpleNamespace(sleep=self._pass, monotonic=lambda: (self.server.now - START).total_seconds())
            patch.setattr(outcome, "time", waiting)
            patch.setattr(suggesting, "suggest", self._suggest)
            yield

    def _next(self) -> int:
        self.changes += 1
        return self.changes

    def _local_time(self) -> Any:
        return self.server.now + (self.active[-1].ahead if self.active else timedelta(0))

    def _pass(self, seconds: float) -> None:
        self.server.now += timedelta(seconds=seconds)

    def _suggest(self, plan: Any, data: Any, number: int, *_: Any, **__: Any) -> Suggestion:
        self.interlude()
        return Suggestion(np.array([(number + 0.5) / 1000]), (Note(Reason.INITIAL_DESIGN),))

    def interlude(self) -> None:
        """Perhaps another worker comes between; nobody does during a transaction."""
        if 0 < len(self.active) < 3 and not self.server.writing and self.draw.random() < 0.1:
            self.step()

    def step(self) -> None:
        """Somebody does something."""
        waiting = [worker for worker in self.workers if worker not in self.active]
        if not waiting:
            return
        self._turn_clocks()
        worker = self.draw.choice(waiting)
        self.active.append(worker)
        try:
            self._act(worker)
        except Vanished:
            worker.connection.gone = True
            worker.claims = worker.claims if self.draw.random() < 0.5 else []  # a notebook survives, memory does not
        finally:
            self.active.pop()

    def _turn_clocks(self) -> None:
        draw = self.draw
        self._pass(draw.choice([0.0, 0.0, 1.0, 5.0, 20.0, 70.0]))
        if draw.random() < 0.03:
            self.server.now = START + timedelta(seconds=draw.choice(CLOCKS))
            self.said.append(f"the server's clock is set to {self.server.now}")
        if draw.random() < 0.03:
            draw.choice(self.workers).ahead = timedelta(seconds=draw.choice(CLOCKS))

    def _act(self, worker: Worker) -> None:
        if worker.connection.gone or self.draw.random() < 0.03:
            self._reopen(worker)
            return
        acts = {
            self._ask: 25,
            self._tell_claim: 30,
            self._tell_number: 5,
            self._bill: 4,
            self._add: 4,
            self._amend: 4,
            self._block: 8,
            self._again: 14,
            self._renew: 8,
            self._change_hands: 8,
        }
        self.draw.choices(list(acts), list(acts.values()))[0](worker)

    def _reopen(self, worker: Worker) -> None:
        """The worker's process ends, and another one opens the study."""
        self.say("opens the study")
        worker.connection, worker.doubtful, worker.asked_in_doubt = self._connection(), [], []
        try:
            worker.study = cm.Study.load(worker.connection)
        except StorageError:
            worker.connection.gone = True

    def _ask(self, worker: Worker) -> None:
        draw, study, trials = self.draw, worker.study, self.server.witness.trials
        lease = draw.choice([None, 10, 60, 60, LONGEST])
        length = None if lease is None else timedelta(seconds=lease)
        request = Request(draw.choice([1, 1, 2]), worker.owner, length, MOST)
        if worker.doubtful and draw.random() < 0.7:
            request = worker.doubtful.pop()
        self.say(f"asks for {request.count}, lease {request.lease}")
        before, losses, again = worker.connection.stored, worker.connection.losses, request in worker.asked_in_doubt
        try:
            ahead = study.look_ahead(request) if draw.random() < 0.3 else None
            handed = study.hand_out(request, ahead)
        except StorageError as error:
            if isinstance(error, OutcomeUnknown):
                worker.doubtful.append(request)
                worker.asked_in_doubt.append(request)
            self._is_told(worker, error, before)
            return
        self.say(f"has trials {[trial.number for trial in handed]}")
        worker.claims = [*worker.claims, *handed][-6:]
        if worker.connection.losses > losses:
            return  # while it was found out that they are stored, others came between
        for trial in handed:
            held = trials[trial.number]
            if held.state != "held" or (held.owner, held.expires) != (trial.owner, trial.expires):
                raise Violation(f"{worker.name} was handed {trial}, which is {held}")
        own = {number for number, held in enumerate(trials) if held.state == "held" and held.owner == worker.owner}
        missed = own - {trial.number for trial in handed}
        if worker.owner and missed and len(handed) < request.count and not again:
            raise Violation(f"{worker.name} holds trials {missed}, and is not handed them again")

    def _is_told(self, worker: Worker, error: cm.CamoboError, before: int) -> None:
        """Hold an error to what it says: after all but one kind, nothing was stored."""
        self.say(f"is told: {error.message}")
        if worker.connection.stored != before and not isinstance(error, OutcomeUnknown):
            raise Violation("an error said that the change was not stored, and it was")

    def _deed(self, worker: Worker, what: str, trial: Any, make: Callable[..., Any], **options: Any) -> Deed:
        mark = self._next()
        cost = self.draw.choice([None, 1.0, float(mark)])
        number = trial.number if isinstance(trial, cm.Trial) else trial
        deed = Deed(mark, f"{what} {number}", number, cost, partial(make, mark, cost), **options)
        self.deeds.append(deed)
        worker.deeds.append(deed)
        return deed

    def _telling(self, worker: Worker, trial: Any) -> Deed:
        """Tell values, some of them or all, or a failure, of a trial by its claim or its number."""
        part = self.draw.choice([OBJECTIVES, OBJECTIVES, OBJECTIVES, OBJECTIVES[:1], OBJECTIVES[1:]])
        owner = trial.owner if isinstance(trial, cm.Trial) else None
        if self.draw.random() < 0.15:
            fail = lambda mark, cost, study: study.fail(trial, f"mark {mark}", cost=cost)  # noqa: E731
            return self._deed(worker, "fail", trial, fail, claimant=owner)

        def tell(mark: int, cost: float | None, study: cm.Study) -> None:
            study.tell(trial, dict.fromkeys(part, float(mark)), cost=cost)

        noticed = part == OBJECTIVES and owner is not None
        return self._deed(worker, f"tell {'+'.join(part)} of", trial, tell, repeatable=noticed, claimant=owner)

    def _tell_claim(self, worker: Worker) -> None:
        if worker.claims:
            claim = self.draw.choice(worker.claims)
            if self.draw.random() < 0.7:
                worker.claims.remove(claim)
            self._attempt(worker, self._telling(worker, claim))

    def _any_trial(self) -> int | None:
        count = len(self.server.witness.trials)
        return self.draw.randrange(count) if count else None

    def _tell_number(self, worker: Worker) -> None:
        if (number := self._any_trial()) is not None:
            self._attempt(worker, self._telling(worker, number))

    def _bill(self, worker: Worker) -> None:
        if (number := self._any_trial()) is not None:
            make = lambda m, c, study: study.tell(number, cost=c, note=f"mark {m}")  # noqa: E731
            self._attempt(worker, self._deed(worker, "bill", number, make))

    def _adding(self, worker: Worker) -> Deed:
        def add(mark: int, cost: float | None, study: cm.Study) -> None:
            study.add({"x": 0.5}, dict.fromkeys(OBJECTIVES, float(mark)), cost=cost)

        return self._deed(worker, "add", None, add)

    def _add(self, worker: Worker) -> None:
        self._attempt(worker, self._adding(worker))

    def _amend(self, worker: Worker) -> None:
        if (number := self._any_trial()) is not None:
            values = self.draw.choice([None, {"y": 1.0}, {"y": 1.0, "z": 1.0}])

            def amend(mark: int, _: float | None, study: cm.Study) -> None:
                told = values if values is None else dict.fromkeys(values, float(mark))
                study.amend(number, told, f"mark {mark}")

            deed = self._deed(worker, "amend", number, amend)
            deed.cost = None
            self._attempt(worker, deed)

    def _attempt(self, worker: Worker, deed: Deed) -> None:
        """Do a deed, and hold camobo to what it says of it."""
        self.say(f"{deed}, cost {deed.cost}")
        deed.study = worker.study
        self._judge([deed], lambda: deed.do(worker.study))
        if deed.fate == "refused" and deed.claimant and deed.trial is not None:
            held = self.server.witness.trials[deed.trial]
            if held.state == "held" and held.owner not in (None, deed.claimant):
                raise Violation(f"{deed} was measured by {deed.claimant}, and is not kept beside {held}")

    def _block(self, worker: Worker) -> None:
        """Several deeds together, by somebody who may overlook errors."""
        deeds = [self._telling(worker, claim) for claim in worker.claims[:2]] + [self._adding(worker)]
        self.draw.shuffle(deeds)
        self.say(f"together: {', '.join(map(str, deeds))}")
        undone, careless = self.draw.random() < 0.2, self.draw.random() < 0.4
        kept, refused = list[Deed](), list[Deed]()

        def one(deed: Deed) -> None:
            try:
                deed.do(worker.study)
            except (StorageError, TrialStateError, cm.InvalidValueError) as error:
                self.say(f"is told of {deed}: {error}")
                (kept if KEPT in str(error) else refused).append(deed)
                if not careless:
                    raise

        def all_of_them() -> None:
            with worker.study.together():
                for deed in deeds:
                    one(deed)
                if undone:
                    raise LookupError("the worker's own mistake")

        worker.connection.signalled = True
        self._judge(deeds, all_of_them, kept, refused)
        worker.connection.signalled = False

    def _judge(self, deeds: list[Deed], do: Callable[[], object], *said: list[Deed]) -> None:
        judge(deeds, do, *said, witness=self.server.witness, say=self.say)

    def _again(self, worker: Worker) -> None:
        """Do something again: as it is safe by what the documents say, or as a mistake that camobo notices."""
        for deed in reversed(worker.deeds[-8:]):
            if deed.fate == "unknown" and deed.study is not worker.study:
                self._look_first(worker, deed)
                return
            if deed.fate in ("unknown", "not stored") or (deed.fate == "stored" and deed.repeatable):
                self._attempt(worker, deed)
                return

    def _look_first(self, worker: Worker, deed: Deed) -> None:
        """In another process, and after a block, the log says whether a change was stored."""
        self.say(f"looks for {deed}")
        try:
            log = worker.study.log()
        except StorageError:
            return
        if deed.mark in [mark_of(event.as_dict()["new"]) for event in log]:
            deed.fate = "stored"
        else:
            self._attempt(worker, deed)

    def _renew(self, worker: Worker) -> None:
        if not worker.claims:
            return
        claim = self.draw.choice(worker.claims)
        before, losses = worker.connection.stored, worker.connection.losses
        self.say(f"renews {claim.number}")
        try:
            renewed = worker.study.renew(claim, 60)
        except (StorageError, TrialStateError) as error:
            self._is_told(worker, error, before)
            return
        held = self.server.witness.trials[claim.number]
        alike = renewed.expires == held.expires or worker.connection.losses > losses
        if not alike or worker.connection.stored == before:
            raise Violation(f"{worker.name} renewed {claim.number} until {renewed.expires}, and it is {held}")

    def _change_hands(self, worker: Worker) -> None:
        """Release a trial that one holds, or have a failed one tried again."""
        number, trials = self._any_trial(), self.server.witness.trials
        before, losses = worker.connection.stored, worker.connection.losses
        try:
            if worker.claims and self.draw.random() < 0.6:
                claim = worker.claims[-1]
                self.say(f"releases {claim.number}")
                worker.study.release(claim)
                number = claim.number
            elif number is not None:
                self.say(f"has {number} tried again")
                worker.study.retry(number)
        except (StorageError, TrialStateError) as error:
            self._is_told(worker, error, before)
            return
        if number is not None and worker.connection.losses == losses and trials[number].state != "free":
            raise Violation(f"{worker.name} handed trial {number} back, and it is {trials[number]}")

    def _finish(self) -> None:
        """Everything works again: what is unknown is done again, then the study is opened anew and held to its log."""
        for worker in self.workers:
            worker.connection.rate, worker.connection.away = 0.0, 0
            for deed in worker.deeds:
                if deed.fate == "unknown" and not worker.connection.gone and deed.study is worker.study:
                    self.active.append(worker)
                    self._attempt(worker, deed)
                    self.active.pop()
        rows = list(self.server.rows)
        anew = cm.Study.load(self.faultless)
        for worker in self.workers:
            if not worker.connection.gone and repr(worker.study.trials) != repr(anew.trials):
                raise Violation(f"{worker.name} sees other trials than who opens the study anew")
        if self.server.rows != rows:
            raise Violation("opening and reading changed the study")
        check_trials(anew, self.deeds, self.server.witness)


if __name__ == "__main__":
    history = Simulation(int(sys.argv[1]))
    history.play()
    print("\n".join(history.said))
