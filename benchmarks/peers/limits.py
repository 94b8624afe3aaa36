"""A task in its own process, with limits on time and memory."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


def limited(task: Callable[[], Any], seconds: float, memory: int = 8 * 1024**3) -> tuple[str, Any]:
    """("finished", what `task` returns), or why it did not finish: ("time" | "memory" | "error" | "died", a sentence).

    It runs in a forked process, so that a limit ends only that process. Forked, not spawned, so that the measured code
    is the code of when the script started, even if files are edited meanwhile.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_report, args=(task, memory, sender))
    child.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            return "time", f"stopped after {seconds:.0f} s"
        status, result = receiver.recv()
        child.join(5.0)  # it may have files to remove
        return status, result
    except EOFError:
        child.join()
        return "died", f"exit code {child.exitcode}"
    finally:
        child.kill()
        child.join()


def _report(task: Callable[[], Any], memory: int, pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        pipe.send(("finished", task()))
    except Exception as error:  # a peer that fails is a result: it is recorded, not hidden
        pipe.send((why(error), f"{type(error).__name__}: {error}"[:500]))


def why(error: Exception) -> str:
    """ "memory" or "error". PyTorch's allocator reports exhausted memory as a RuntimeError."""
    out_of_memory = isinstance(error, MemoryError) or "allocate memory" in str(error)
    return "memory" if out_of_memory else "error"
