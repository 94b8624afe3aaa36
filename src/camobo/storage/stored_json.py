"""The JSON that a database holds: written compactly, read strictly.

A number that is not finite is refused both ways, and so is nesting deeper than any plan or event needs: a file can
hold text nested deeper than the code that reads it can follow.
"""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST = 16_000_000
"""Bytes of a text: more than any plan or note needs, and read in a second."""
DEEPEST = 40
"""Lists and tables within each other. A price list, the deepest there is, has five."""
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def write_json(value: Any) -> str:
    """A value as it is stored."""
    return json.dumps(value, allow_nan=False, default=dict, separators=(",", ":"))


def read_json(text: str | bytes) -> Any:
    """The value that stored text describes; ValueError if it describes none.

    >>> read_json('{"nickel":13.9}')
    {'nickel': 13.9}
    """
    text = text if isinstance(text, str) else text.decode()
    if len(text) > LONGEST:
        raise ValueError(f"need at most {LONGEST} characters, got {len(text)}")
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        raise ValueError(f"need at most {DEEPEST} lists and tables within each other, got {_depth(text)}")
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        end = -1
    if end != len(text):
        return json.loads(text, parse_constant=_refuse_constant)  # which says what is wrong, or takes spaces around it
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


_scan: Any = vars(json.JSONDecoder(parse_constant=_refuse_constant))["scan_once"]  # decode() takes twice as long


def _depth(text: str) -> int:
    """How many lists and tables lie within each other."""
    deepest = depth = 0
    for part in _PARTS.finditer(text):
        sign = part[0]
        depth += (sign in "[{") - (sign in "]}")
        deepest = max(deepest, depth)
    return deepest
