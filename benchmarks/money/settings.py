"""Other values of camobo's constants, for choosing them: --set camobo.strategy.default.NAME=0.5"""

from __future__ import annotations

import ast
import contextlib
import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from unittest.mock import patch


def parsed(texts: Sequence[str]) -> dict[str, Any]:
    """ "module.NAME=value" to {"module.NAME": value}; a value is Python's, or else text.

    >>> parsed(["camobo.some.module.RATE=0.5", "camobo.some.module.KIND=wide"])
    {'camobo.some.module.KIND': 'wide', 'camobo.some.module.RATE': 0.5}
    """
    found: dict[str, Any] = {}
    for text in texts:
        place, sign, value = text.partition("=")
        if not sign or "." not in place:
            raise SystemExit(f"--set: need module.NAME=value, got {text!r}")
        try:
            found[place.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            found[place.strip()] = value.strip()
    return dict(sorted(found.items()))


def shown(settings: Mapping[str, Any]) -> str:
    """Settings as one text; part of a run's key."""
    return ", ".join(f"{place}={value!r}" for place, value in settings.items())


@contextlib.contextmanager
def applied(settings: Mapping[str, Any]) -> Iterator[None]:
    """Run with these constants; an error if there is no such constant."""
    with contextlib.ExitStack() as stack:
        for place, value in settings.items():
            module, name = place.rsplit(".", 1)
            stack.enter_context(patch.object(importlib.import_module(module), name, value))
        yield
