"""How evaluations begin.

    here       one after another, in this process: nothing else was asked for
    children   so many at once, a process each: a timeout, several jobs, or a command
    executor   on somebody else's workers, there in a child of the worker if it is a process pool, which one crash would
               break, or if there is a timeout, which executors do not know

The first costs nothing and bears what raises or exits; the others bear anything.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from camobo.command import Command
from camobo.errors import InvalidOptionError
from camobo.evaluate import CAN_FORK, Function, Outcome, Work, evaluate, evaluate_apart, evaluate_here, fork
from camobo.trial import Trial

_log = logging.getLogger("camobo")

Start: TypeAlias = Callable[[Trial], Work]


@dataclass(frozen=True, slots=True)
class Here:
    """An evaluation in this process: done as soon as it is begun."""

    outcome: Outcome

    def poll(self) -> Outcome:
        """What came of it."""
        return self.outcome

    def kill(self) -> None:
        """There is nothing left to stop."""


@dataclass(frozen=True, slots=True)
class Promised:
    """An evaluation on an executor."""

    future: Future[Outcome]

    def poll(self) -> Outcome | None:
        """What came of it; None while it goes on."""
        if not self.future.done():
            return None
        try:
            return self.future.result()
        except BrokenExecutor:
            raise
        except (Exception, CancelledError) as error:  # a worker that was lost, an answer that could not travel
            return Outcome(reason=f"its worker: {type(error).__name__}: {error}")

    def kill(self) -> None:
        """Take it back if it has not begun; an executor cannot stop what has."""
        self.future.cancel()


def starter(
    function: Function | Command,
    objectives: Mapping[str, str],
    *,
    jobs: int,
    timeout: float | None,
    keeping: Callable[[Trial], AbstractContextManager[None]],
) -> Start:
    """How evaluations begin without an executor; `keeping` holds on to a trial while this process is busy with it."""
    if isinstance(function, Command):
        function.check()
        command = function
        return lambda trial: command.start(trial, timeout)
    call = function
    if timeout is None and jobs == 1:

        def here(trial: Trial) -> Work:
            with keeping(trial):
                return Here(evaluate(call, trial.params, objectives))

        return here
    if not CAN_FORK:
        raise InvalidOptionError(
            "optimize: a timeout or several jobs need processes that fork, which this system does not have. "
            "Give an executor and leave the timeout out, or run a command."
        )
    return lambda trial: fork(call, trial.params, objectives, timeout)


@contextlib.contextmanager
def executor_starter(
    function: Function, objectives: Mapping[str, str], executor: Executor, timeout: float | None
) -> Iterator[Start]:
    """How evaluations begin on an executor; a process pool that broke is replaced by one like it."""
    from concurrent.futures import ProcessPoolExecutor  # here: it brings multiprocessing along

    apart = CAN_FORK and (timeout is not None or isinstance(executor, ProcessPoolExecutor))
    if timeout is not None and not apart:
        raise InvalidOptionError("optimize: a timeout needs processes that fork, which this system does not have.")
    pools = [executor]

    def submit(trial: Trial) -> Work:
        params = dict(trial.params)
        try:
            if apart:
                return Promised(
                    pools[-1].submit(evaluate_apart, function, params, dict(objectives), timeout, trial.number)
                )
            return Promised(pools[-1].submit(evaluate_here, function, params, dict(objectives), trial.number))
        except BrokenExecutor:
            pools.append(_one_like(pools[-1]))
            return submit(trial)

    try:
        yield submit
    finally:
        for pool in pools[1:]:
            pool.shutdown(wait=False, cancel_futures=True)


def _one_like(broken: Executor) -> Executor:
    """A process pool in place of one whose worker died."""
    from concurrent.futures import ProcessPoolExecutor

    if not isinstance(broken, ProcessPoolExecutor):
        raise BrokenExecutor(f"the executor {type(broken).__name__} is broken and cannot be replaced from here")
    _log.warning("a worker process died; going on with a new pool of the same size")
    options: dict[str, Any] = {name: getattr(broken, f"_{name}", None) for name in ("mp_context", "initializer")}
    workers, arguments = getattr(broken, "_max_workers", None), getattr(broken, "_initargs", ())
    return ProcessPoolExecutor(workers, initargs=arguments, **options)


def jobs_of(executor: Executor | None, jobs: int | None) -> int:
    """How many evaluations to keep going."""
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
            f"jobs: {type(executor).__name__} does not say how many workers it has; say how many evaluations to keep "
            "going with jobs=…"
        )
    return workers
