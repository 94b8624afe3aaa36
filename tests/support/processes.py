"""Forked processes for tests, and what they report over a pipe."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from typing import Any

Say = Callable[[Any], None]


def forked(work: Callable[[Say], object]) -> tuple[int, Any]:
    """Run `work` in a forked process; its process id, and a file with one line of JSON per report.

    It exits with 0, or with 1 after reporting its traceback.
    """
    pipe, into = os.pipe()
    process = os.fork()
    if process == 0:

        def say(said: Any) -> None:
            os.write(into, json.dumps(said).encode() + b"\n")

        code = 1
        try:
            work(say)
            code = 0
        except BaseException:
            say({"error": traceback.format_exc()})
        finally:
            os._exit(code)
    os.close(into)
    return process, os.fdopen(pipe, "rb", buffering=0)


def heard(lines: list[bytes]) -> list[Any]:
    """The reports that arrived complete."""
    return [json.loads(line) for line in lines if line.endswith(b"\n")]
