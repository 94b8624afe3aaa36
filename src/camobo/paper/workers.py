"""Many jobs on a few processes, with word of every step.

Each worker is a fresh process at the end of a pipe of its own. It does the job it is sent, sends a word back at each
step, and ends when its pipe does: no worker outlives a parent that was killed.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from camobo.errors import CamoboError

Step: TypeAlias = Callable[[], None]
Work: TypeAlias = Callable[[Any, Step], None]
"""A job and a function to call at each of its steps."""


def work_through(jobs: Sequence[Any], work: Work, processes: int, on_step: Step) -> None:
    """Do every job; in this process if one is enough, else in up to `processes` others.

    The first error stops the rest and is raised here. `work` must be a function of a module.
    """
    if processes == 1 or len(jobs) <= 1:
        for job in jobs:
            work(job, on_step)
        return
    context = multiprocessing.get_context("spawn")
    crew: dict[Connection, Any] = {}
    waiting = list(reversed(jobs))
    try:
        for _ in range(min(processes, len(jobs))):
            here, there = context.Pipe()
            worker = context.Process(target=_serve, args=(there, work), daemon=True)
            worker.start()
            there.close()
            here.send(waiting.pop())
            crew[here] = worker
        while crew:
            for pipe in wait(list(crew)):
                _hear(pipe, crew, waiting, on_step)  # type: ignore[arg-type]  # wait was given connections only
    finally:
        for pipe, worker in crew.items():
            worker.terminate()
            worker.join()
            pipe.close()


def _hear(pipe: Connection, crew: dict[Connection, Any], waiting: list[Any], on_step: Step) -> None:
    """Take one word from a worker: a step, a job done, or what stopped it."""
    try:
        word, detail = pipe.recv()
    except EOFError:
        worker = crew[pipe]
        worker.join()
        raise RuntimeError(
            f"a worker process ended without a word (exit code {worker.exitcode}): was it killed, or out of memory? "
            "What was finished is kept; run the same command to go on."
        ) from None
    if word == "step":
        on_step()
    elif word == "error":
        raise detail
    elif waiting:
        pipe.send(waiting.pop())
    else:
        worker = crew.pop(pipe)
        pipe.close()
        worker.join()


def _serve(pipe: Connection, work: Work) -> None:
    """The life of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent ends its workers itself
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            job = pipe.recv()
            try:
                work(job, lambda: pipe.send(("step", None)))
            except (BrokenPipeError, ConnectionResetError):
                return
            except CamoboError as error:
                pipe.send(("error", error))
            except Exception as error:
                pipe.send(("error", RuntimeError(f"{error}\n{traceback.format_exc()}")))
            else:
                pipe.send(("done", None))
