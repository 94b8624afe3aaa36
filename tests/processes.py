"""Real processes for the tests, forked so that nothing has to be imported again, and what they say."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from typing import Any

Say = Callable[[Any], None]


def forked(work: Callable[[Say], object]) -> tuple[int, Any]:
    """Work in a process of its own, and a file to read line by line what it says in JSON.

    It ends with 0, or with 1 and its traceback as the last thing it says.
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
    """What was said in whole lines."""
    return [json.loads(line) for line in lines if line.endswith(b"\n")]
