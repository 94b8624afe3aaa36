"""Where an evaluation happens.

    in this process      one after another: the default
    in child processes   with a timeout, several jobs, or a command
    in a thread          if the function is an `async def`: in one event loop, however many jobs and with a timeout
    on an executor       in the executor's workers; there in a child process if there is a timeout, or if the executor
                         is a process pool, which one crash would break

In this process an evaluation may raise or exit. In a child process it may do anything.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from camobo.errors import InvalidOptionError
from camobo.history.trial import Trial
from camobo.run.command import Command, CommandEvaluation
from camobo.run.evaluate import (
    CAN_FORK,
    ChildEvaluation,
    Evaluation,
    EvaluationHere,
    Function,
    Outcome,
    evaluate,
    evaluate_in_child,
    evaluate_in_worker,
)
from camobo.run.guard import Guard

_log = logging.getLogger("camobo")

Prepare: TypeAlias = Callable[[Trial], Evaluation]
"""Makes the evaluation of a trial, which then begins."""


@dataclass(slots=True)
class SubmittedEvaluation:
    """An evaluation on an executor."""

    submit: Callable[[], Future[Outcome]]
    future: Future[Outcome] | None = None

    def begin(self) -> None:
        """Submit it."""
        self.future = self.submit()

    def poll(self) -> Outcome | None:
        """The outcome; None while it is queued or running.

        Raises BrokenExecutor if the executor lost it, InvalidOptionError if it cannot be sent to a worker.
        """
        if self.future is None or not self.future.done():
            return None
        try:
            return self.future.result()
        except BrokenExecutor:
            raise
        except (Exception, CancelledError) as error:  # a lost worker, or something that could not be sent
            if _is_unsendable(error):
                raise InvalidOptionError(
                    f"optimize: the function cannot be sent to the executor's workers: {type(error).__name__}: "
                    f"{error}. Define it, and what it uses, at the top of a module; or use jobs= without an executor."
                ) from error
            return Outcome.lost(f"its worker: {type(error).__name__}: {error}")

    def kill(self) -> None:
        """Cancel it if it has not started; an executor cannot stop what is running."""
        if self.future is not None:
            self.future.cancel()


def preparation(
    function: Function | Command,
    objectives: Mapping[str, str],
    *,
    jobs: int,
    timeout: float | None,
    keep_lease: Callable[[Trial], AbstractContextManager[None]],
    guard: Guard | None = None,
) -> Prepare:
    """How evaluations are made without an executor.

    `keep_lease` renews a trial's lease while this process is busy evaluating it. `guard` stops what is evaluated in
    another process if this one is killed.
    """
    if isinstance(function, Command):
        function.check()
        command = function
        return lambda trial: CommandEvaluation(command, trial, timeout, guard)
    call = function
    if timeout is None and jobs == 1:

        def evaluated(trial: Trial) -> Outcome:
            with keep_lease(trial):
                return evaluate(call, trial.params, objectives)

        return lambda trial: EvaluationHere(lambda: evaluated(trial))
    if not CAN_FORK:
        raise InvalidOptionError(
            "optimize: a trial_timeout or several jobs need os.fork, which this system does not have. "
            "Use an executor without a trial_timeout, an async function, or a command."
        )
    return lambda trial: ChildEvaluation(call, trial.params, objectives, timeout, guard)


@contextlib.contextmanager
def executor_preparation(
    function: Function, objectives: Mapping[str, str], executor: Executor, timeout: float | None
) -> Iterator[Prepare]:
    """How evaluations are made for an executor. A process pool that breaks is replaced by one with the same options."""
    in_child = CAN_FORK and (timeout is not None or _is_process_pool(executor))
    if timeout is not None and not in_child:
        raise InvalidOptionError(
            "optimize: a trial_timeout needs os.fork, which this system does not have. Leave it out."
        )
    submitting = _Submitting(function, dict(objectives), executor, timeout, in_child=in_child)
    try:
        yield lambda trial: SubmittedEvaluation(lambda: submitting.submit(trial))
    finally:
        submitting.close()


class _Submitting:
    """Submits evaluations to an executor, and to its replacement once it has broken."""

    def __init__(
        self,
        function: Function,
        objectives: dict[str, str],
        executor: Executor,
        timeout: float | None,
        *,
        in_child: bool,
    ) -> None:
        self.function, self.objectives, self.timeout, self.in_child = function, objectives, timeout, in_child
        self.executor = executor
        self.replacements: list[Executor] = []

    def submit(self, trial: Trial) -> Future[Outcome]:
        while True:
            try:
                return self._submit(trial)
            except BrokenExecutor:
                self.executor = _replacement(self.executor)
                self.replacements.append(self.executor)

    def _submit(self, trial: Trial) -> Future[Outcome]:
        given = (self.function, dict(trial.params), self.objectives)
        if self.in_child:
            return self.executor.submit(evaluate_in_child, *given, self.timeout, trial.number)
        return self.executor.submit(evaluate_in_worker, *given, trial.number)

    def close(self) -> None:
        """Shut down the replacements; the executor the caller gave is the caller's."""
        for pool in self.replacements:
            pool.shutdown(wait=False, cancel_futures=True)


def _is_unsendable(error: BaseException) -> bool:
    """Whether Python could not pickle something. A function's own errors never come this way: they are outcomes."""
    return isinstance(error, (TypeError, AttributeError)) or type(error).__name__ == "PicklingError"


def _is_process_pool(executor: Executor) -> bool:
    from concurrent.futures import ProcessPoolExecutor  # imported here: it loads multiprocessing

    return isinstance(executor, ProcessPoolExecutor)


def _replacement(broken: Executor) -> Executor:
    """A process pool with the options of one whose worker died."""
    from concurrent.futures import ProcessPoolExecutor  # imported here: it loads multiprocessing

    if not isinstance(broken, ProcessPoolExecutor):
        raise BrokenExecutor(f"the executor {type(broken).__name__} is broken and cannot be replaced automatically")
    _log.warning("a worker process died; continuing with a new pool of the same size")
    options: dict[str, Any] = {name: getattr(broken, f"_{name}", None) for name in ("mp_context", "initializer")}
    workers, arguments = getattr(broken, "_max_workers", None), getattr(broken, "_initargs", ())
    return ProcessPoolExecutor(workers, initargs=arguments, **options)


def jobs_of(executor: Executor | None, jobs: int | None) -> int:
    """How many evaluations to run at once: `jobs`, else one per worker of the executor, else one."""
    if jobs is not None:
        return jobs
    if executor is None:
        return 1
    workers = getattr(executor, "_max_workers", None)
    client = getattr(executor, "_client", None)
    if workers is None and client is not None:  # Dask's executor knows its cluster
        workers = sum(client.nthreads().values())
    if not isinstance(workers, int) or workers < 1:
        raise InvalidOptionError(
            f"jobs: {type(executor).__name__} does not say how many workers it has. "
            "Give the number of evaluations to run at once with jobs=…"
        )
    return workers
