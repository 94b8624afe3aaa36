"""The loop of `optimize`: keep evaluations running, record their outcomes, leave a clean study behind."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import replace

from camobo.errors import (
    BudgetSpent,
    CamoboError,
    SpaceExhausted,
    StorageError,
    TrialStateError,
)
from camobo.hints import counted
from camobo.history.history import is_free
from camobo.history.trial import State, Trial, shown_time
from camobo.run.ahead import NextTrials
from camobo.run.command import Command
from camobo.run.coroutines import coroutine_preparation, is_async
from camobo.run.evaluate import CAN_FORK, Evaluation, Function, Outcome
from camobo.run.guard import guarding
from camobo.run.interrupts import interruptible, undisturbed
from camobo.run.patience import PatientQueue, patiently
from camobo.run.progress_bar import Headline, progress_bar
from camobo.run.trial_queue import Run
from camobo.run.verdict import Verdict
from camobo.run.workers import Prepare, executor_preparation, preparation

_log = logging.getLogger("camobo")

_SHORTEST_PAUSE, _LONGEST_PAUSE, _LONGER = 0.001, 0.05, 1.1
"""Seconds between polls of what is running, and by how much a pause is longer than the one before: an end is noticed
after a tenth of the time that passed, or less."""
_IDLE_PAUSE = 0.2
"""Seconds between attempts to get a trial that others hold."""
_WAIT_WORTH_LOGGING = 1.0
"""Seconds of waiting for others before it is logged: most waits are shorter."""


def optimize(
    run: Run,
    function: Function | Command,
    *,
    count: int | None,
    budget: int | None,
    executor: Executor | None,
    jobs: int,
    trial_timeout: float | None,
    headline: Callable[[], Headline] | None,
) -> None:
    """Evaluate `count` trials, or with None what is left of the budget; show progress if there is a `headline`.

    budget: in trials; None: only money or time limits the run. A spent budget in money ends it and is logged; if
    `count` trials were asked for and none could be paid for, BudgetSpent is raised.
    """
    objectives = run.queue.plan.objectives
    with contextlib.ExitStack() as stack:
        if isinstance(function, Command) or (executor is None and not is_async(function)):
            elsewhere = isinstance(function, Command) or jobs > 1 or trial_timeout is not None
            prepare = preparation(
                function,
                objectives,
                jobs=jobs,
                timeout=trial_timeout,
                keep_lease=lambda trial: _renewing(run, trial),
                guard=stack.enter_context(guarding()) if elsewhere and CAN_FORK else None,
            )
        elif executor is None:
            prepare = stack.enter_context(coroutine_preparation(function, objectives, trial_timeout))
        else:
            prepare = stack.enter_context(executor_preparation(function, objectives, executor, trial_timeout))
        show = stack.enter_context(progress_bar(budget if count is None else count, wanted=headline is not None))
        before = 0 if count is None else sum(trial.evaluated for trial in run.queue.trials)

        def show_progress() -> None:
            if show is not None and headline is not None:
                show(sum(trial.evaluated for trial in PatientQueue(run.queue).trials) - before, patiently(headline))

        show_progress()
        raise_interrupt = stack.enter_context(interruptible())
        work_through(run, prepare, jobs=jobs, most=count, on_recorded=show_progress, raise_interrupt=raise_interrupt)


def work_through(
    run: Run,
    prepare: Prepare,
    *,
    jobs: int,
    most: int | None,
    on_recorded: Callable[[], object],
    raise_interrupt: Callable[[], None],
) -> None:
    """Evaluate up to `most` trials, or all available ones, `jobs` at a time.

    `on_recorded` is called after results were recorded; `raise_interrupt` raises if the run is to end. However the run
    ends, evaluations still running are stopped and their trials released.
    """
    patient = replace(run, queue=PatientQueue(run.queue))
    running = _Running(patient, prepare, jobs, most)
    others = _WaitingForOthers(patient)
    pause = _SHORTEST_PAUSE
    try:
        while True:
            raise_interrupt()
            running.start_more()
            if running.record_finished():
                on_recorded()
                others.reset()
                pause = _SHORTEST_PAUSE
            elif running.evaluations:
                others.reset()
                running.renew_leases()
                time.sleep(pause)
                pause = min(_LONGER * pause, _LONGEST_PAUSE)
            elif running.exhausted is not None and not running.verdict.over:
                raise running.exhausted
            elif running.none_left and not running.verdict.over and others.may_release():
                time.sleep(_IDLE_PAUSE)
            else:
                running.verdict.end()
                return
    finally:
        running.hand_back(run)


class _Running:
    """The evaluations in progress, by trial number."""

    def __init__(self, run: Run, prepare: Prepare, jobs: int, most: int | None) -> None:
        self.run, self.prepare, self.jobs, self.most = run, prepare, jobs, most
        self.trials = NextTrials(run)
        self.evaluations: dict[int, tuple[Trial, Evaluation]] = {}
        self.none_available = False
        """Whether no trial was available when one was last wanted."""
        self.exhausted: SpaceExhausted | None = None
        """The reason, if the space has no point left."""
        self.verdict = Verdict(run, most)
        self._spent_with: object = None
        self._broken: Counter[int] = Counter()
        self._began = self._renewed = time.monotonic()

    def start_more(self) -> None:
        """Take and start trials until `jobs` evaluations run or no trial is available.

        A spent budget is asked again after every change: a receipt may come in below what was reserved for its trial.
        """
        self.none_available, self.exhausted = False, None
        while len(self.evaluations) < self.jobs and not self._enough() and not self.verdict.over:
            known = self._known()
            if self.verdict.spent is not None and known == self._spent_with and not self._others_left_some():
                return
            self.verdict.spent = None
            try:
                trial = self.trials.next(frozenset(self.evaluations))
            except SpaceExhausted as error:
                self.exhausted = error
                return
            except BudgetSpent as error:
                self.verdict.spent, self._spent_with = error, known
                return
            if trial is None:
                self.none_available = True
                return
            self.verdict.started += 1
            self._begin(trial)
        if len(self.evaluations) == self.jobs > 1 and not self._enough() and not self.verdict.over:
            self.trials.look_ahead(frozenset(self.evaluations))

    @property
    def none_left(self) -> bool:
        """Whether no trial can be had now, while the run is to go on until the budget is spent."""
        return self.most is None and (self.none_available or self.verdict.spent is not None)

    def _enough(self) -> bool:
        return self.most is not None and self.verdict.started >= self.most

    def _known(self) -> object:
        """What decides whether another trial can be paid for. Asking takes a suggestion, comparing this does not."""
        queue = self.run.queue
        return queue.plan, [(trial.state, trial.cost, trial.late) for trial in queue.trials]

    def _others_left_some(self) -> bool:
        """Whether there is a trial whose holder gave it up or let its lease end."""
        now = self.run.queue.now()
        return any(is_free(trial, now) for trial in self.run.queue.trials if trial.number not in self.evaluations)

    def _begin(self, trial: Trial) -> None:
        self.trials.settle()
        evaluation = self.prepare(trial)
        self.evaluations[trial.number] = (trial, evaluation)  # before it begins: an interrupt must find it here
        evaluation.begin()

    def record_finished(self) -> bool:
        """Record every outcome there is; whether there was any.

        When a process pool breaks, all its evaluations are lost and which one broke it is unknown. Each gets a second
        try; a trial that is running when a pool breaks again has failed.
        """
        finished, recorded, well = False, list[Trial](), self.verdict.doubt is None
        for number, (trial, evaluation) in list(self.evaluations.items()):
            try:
                outcome = evaluation.poll()
            except BrokenExecutor as error:
                self._broken[number] += 1
                if self._broken[number] < 2:
                    self._begin(trial)
                    continue
                outcome = Outcome.lost(f"its worker process died twice: {error}")
            if outcome is not None:
                self.trials.evaluated.add(outcome.seconds or 0.0)
                recorded += self._recorded(trial, outcome)
                del self.evaluations[number]
                finished = True
        if well and self.verdict.doubt is not None and self.evaluations:
            under_way = counted(len(self.evaluations), "trial is", "trials are")
            _log.warning("%s still under way, and no other is started: %s", under_way, self.verdict.doubt)
        for trial in recorded:  # after all were recorded: a callback may raise
            for callback in self.run.callbacks:
                callback(trial)
        return finished

    def _recorded(self, trial: Trial, outcome: Outcome) -> list[Trial]:
        """Record an outcome; empty if it is a mistake, or no longer needed."""
        recorded = None if self.verdict.refuses(trial, outcome) else _record(self.run, trial, outcome)
        if recorded is None:
            return []
        self.verdict.note(recorded, outcome)
        return [recorded]

    def renew_leases(self) -> None:
        """Renew the leases of all running trials, three times per lease."""
        lease = self.run.lease
        if lease is not None and time.monotonic() - self._renewed > lease.total_seconds() / 3:
            self._renewed = time.monotonic()
            for trial, _ in self.evaluations.values():
                _renew(self.run, trial)

    def hand_back(self, run: Run) -> None:
        """Stop what is running and release every trial this run still holds, and those that a broken function failed.

        An interrupt may have come while a trial was handed out, so the study is asked which trials are held. A trial
        that cannot be released becomes available when its lease ends.
        """
        with undisturbed():
            for _, evaluation in self.evaluations.values():
                evaluation.kill()
        self.trials.close()
        self._say_how_busy()
        try:
            for trial in run.held():
                run.queue.release(trial)
            for number in self.verdict.blameless:
                run.queue.retry(number)
        except CamoboError as error:
            _log.warning("not all trials could be released: %s", error)

    def _say_how_busy(self) -> None:
        """Log how much of the time the workers evaluated trials, if there were several."""
        busy, took = self.trials.evaluated.total, time.monotonic() - self._began
        if self.jobs > 1 and busy > 0.0:
            _log.info(
                "the %d workers evaluated trials for %.0f %% of the time", self.jobs, 100 * busy / took / self.jobs
            )


class _WaitingForOthers:
    """Waits for trials that others hold under a lease; logs each of them once."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._since = time.monotonic()
        self._logged: set[int] = set()

    def reset(self) -> None:
        """This run has work of its own, so it is not waiting."""
        self._since = time.monotonic()

    def may_release(self) -> bool:
        """Whether another holder's lease may end, so that waiting makes sense."""
        held = [trial for trial in self.run.queue.trials if trial.state is State.PENDING and trial.expires is not None]
        if time.monotonic() - self._since > _WAIT_WORTH_LOGGING:
            for trial in held:
                self._log(trial)
        return bool(held)

    def _log(self, trial: Trial) -> None:
        if trial.number not in self._logged and trial.expires is not None:
            self._logged.add(trial.number)
            holder, until = trial.owner or "somebody", shown_time(trial.expires)
            _log.warning("waiting for trial %d, which %s holds until %s or longer", trial.number, holder, until)


def _record(run: Run, trial: Trial, outcome: Outcome) -> Trial | None:
    """Record an outcome; None if it does not count, because somebody else has taken the trial."""
    try:
        recorded = run.record(trial, outcome)
    except TrialStateError as error:
        _log.warning("a result does not count: %s", error)
        return None
    except StorageError:
        _log.error("the result of trial %d could not be stored: %s. Record it by hand.", trial.number, outcome)
        raise
    if outcome.reason is not None:
        _log.warning("%s", recorded)
    return recorded


def _renew(run: Run, trial: Trial) -> None:
    """Renew a lease. A failure is only logged: the next attempt may work, and a result that comes too late is kept."""
    try:
        run.queue.renew(trial, run.lease)
    except (TrialStateError, StorageError) as error:
        _log.warning("a lease could not be renewed: %s", error)


@contextlib.contextmanager
def _renewing(run: Run, trial: Trial) -> Iterator[None]:
    """Renew a trial's lease from a thread while this thread is busy evaluating it."""
    lease = run.lease
    if lease is None:
        yield
        return
    over = threading.Event()

    def renew() -> None:
        while not over.wait(lease.total_seconds() / 3):
            _renew(run, trial)

    thread = threading.Thread(target=renew, name="camobo lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
