"""Many jobs on a few processes, with progress.

Each worker is a new process with its own pipe. It does the jobs it is sent, reports every step, and ends when the pipe
closes: no worker survives a parent that was killed.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

from camobo.errors import CamoboError, InvalidOptionError

Step: TypeAlias = Callable[[], None]
Work: TypeAlias = Callable[[Any, Step], None]
"""Takes a job, and a function to call at each of its steps."""


def work_through(jobs: Sequence[Any], work: Work, processes: int, on_step: Step) -> None:
    """Do every job: in this process if `processes` is 1 or there is one job, otherwise in up to `processes` others.

    The first error stops the rest and is raised here. `work` must be a module-level function, so that it can be sent.
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
                _receive(pipe, crew, waiting, on_step)  # type: ignore[arg-type]  # wait was given connections only
    finally:
        for pipe, worker in crew.items():
            worker.terminate()
            worker.join()
            pipe.close()


def check_can_be_sent(function: Callable[..., Any]) -> None:
    """Refuse a function that other processes could not find, by starting one that only receives it."""
    advice = (
        'Define it with def at the top of a module, keep what a script runs below if __name__ == "__main__":, '
        "or use jobs=1."
    )
    receiver = multiprocessing.get_context("spawn").Process(target=id, args=(function,), daemon=True)
    try:
        receiver.start()
    except OSError:  # no process could be started, whatever the function
        raise
    except Exception as error:
        raise InvalidOptionError(
            f"jobs: this function cannot be sent to other processes ({error}). {advice}"
        ) from error
    receiver.join()
    if receiver.exitcode != 0:
        raise InvalidOptionError(
            "jobs: this function cannot be sent to other processes (one that was sent it ended with exit code "
            f"{receiver.exitcode}; its error is printed above). {advice}"
        )


def _receive(pipe: Connection, crew: dict[Connection, Any], waiting: list[Any], on_step: Step) -> None:
    """Handle one message of a worker: a step, a finished job, or an error."""
    try:
        kind, error = pipe.recv()
    except EOFError:
        worker = crew[pipe]
        worker.join()
        raise RuntimeError(
            f"a worker process ended unexpectedly (exit code {worker.exitcode}). Was it killed, or out of memory? "
            "Finished runs are stored; run the same command to continue."
        ) from None
    if kind == "step":
        on_step()
    elif kind == "error":
        raise error
    elif waiting:
        pipe.send(waiting.pop())
    else:
        worker = crew.pop(pipe)
        pipe.close()
        worker.join()


def _serve(pipe: Connection, work: Work) -> None:
    """What a worker process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole process group; the parent ends its workers
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
