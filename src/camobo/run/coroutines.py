"""Evaluations by an `async def` function: coroutines in one event loop, which has a thread of its own.

They share the loop, so the function may keep a session or a connection open between trials. `jobs` says how many run at
once. With a timeout they are cancelled; a coroutine that never awaits anything cannot be.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from camobo.run.evaluate import Outcome, outcome_of, outcome_of_error
from camobo.run.workers import Prepare, SubmittedEvaluation
from camobo.space.inputs import Params

_PATIENCE = 10.0
"""Seconds that cancelled coroutines have to clean up before the run ends without them."""


def is_async(function: object) -> bool:
    """Whether calling a function gives a coroutine: it, or the `__call__` of its class, is an `async def`."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


@contextlib.contextmanager
def coroutine_preparation(
    function: Callable[..., Any], objectives: Mapping[str, str], timeout: float | None
) -> Iterator[Prepare]:
    """How evaluations are made in an event loop, which ends with this context; what still runs is cancelled."""
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    thread = threading.Thread(target=lambda: asyncio.run(_until_over(begun)), name="camobo coroutines", daemon=True)
    thread.start()
    loop, over = begun.result()

    def submitted(params: Params) -> Future[Outcome]:
        return asyncio.run_coroutine_threadsafe(_evaluated(function, params, objectives, timeout), loop)

    try:
        yield lambda trial: SubmittedEvaluation(lambda: submitted(trial.params))
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(_PATIENCE)


async def _until_over(begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
    """Keep a loop running until its event is set. `asyncio.run` then cancels and awaits what is left."""
    over = asyncio.Event()
    begun.set_result((asyncio.get_running_loop(), over))
    await over.wait()


async def _evaluated(
    function: Callable[..., Any], params: Params, objectives: Mapping[str, str], timeout: float | None
) -> Outcome:
    began = time.monotonic()
    task = asyncio.ensure_future(_called(function, params, objectives))
    try:
        await asyncio.wait([task], timeout=timeout)
        outcome = task.result() if task.done() else Outcome.timed_out(timeout)
    finally:
        task.cancel()
    return replace(outcome, seconds=time.monotonic() - began)


async def _called(function: Callable[..., Any], params: Params, objectives: Mapping[str, str]) -> Outcome:
    try:
        returned = await function(dict(params))
    except (Exception, SystemExit) as error:  # as in `evaluate`
        return outcome_of_error(error)
    return outcome_of(returned, objectives)
