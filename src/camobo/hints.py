"""Wording that messages share: the known name that a user probably meant, a count with its noun, a place in a text.

What a number is; and what makes text fit to be shown: `printable` for a terminal, `redacted` for everybody who may not
know a password.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
"""A finite number as text, with a decimal point. Python's `float` takes more: 1_000, and the digits of any script."""
HIDDEN = "***"
"""What stands in place of a password."""
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
"""A finite number as text, with a decimal point. Python's `float` takes more: 1_000, and the digits of any script."""
_DIGITS = re.compile(r"\d+")
_NEAR = 0.7  # similarity from 0 to 1; 1 is the same text


def meant(name: str, names: Iterable[str]) -> str:
    """A hint to append to a message, " Did you mean 'max_depth'?"; empty if none of `names` is similar.

    Names that differ only in their numbers, such as those of layers, are never confused.

    >>> meant("max_dept", ["max_depth", "trees"]), meant("STRENGTH ", ["strength"]), meant("units_2", ["units_0"])
    (" Did you mean 'max_depth'?", " Did you mean 'strength'?", '')
    """
    known = list(names)
    for other in known:
        if unicodedata.normalize("NFKC", other) == unicodedata.normalize("NFKC", name):
            return f" Did you mean {other!r}, written as {other!a}, not as {name!a}?"
    folded = {other.strip().casefold(): other for other in known if not _differ_in_numbers(name, other)}
    near = difflib.get_close_matches(name.strip().casefold(), folded, n=1, cutoff=_NEAR)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> counted(1, "trial"), counted(3, "trial"), counted(0, "trial is", "trials are")
    ('1 trial', '3 trials', '0 trials are')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def caret(text: str, place: int) -> str:
    """The text on a line of its own, with a caret under the place."""
    one_line = "".join(" " if letter.isspace() else letter for letter in text)
    return f"\n    {one_line}\n    {' ' * place}^"


def printable(text: str, keep: str = "") -> str:
    r"""Text with unprintable characters escaped, apart from those in `keep`.

    Escape sequences and other control characters (C0 and C1), those that turn the direction of writing, invisible
    ones and lone surrogates: a name or a note cannot repaint a terminal, nor look like another.

    >>> printable("a\x1b[2Jb\nc\u202ed")
    'a\\x1b[2Jb\\nc\\u202ed'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii") for c in text)


def redacted(text: str) -> str:
    """A URL, or any text with URLs in it, with their passwords and other secrets hidden.

    Hides the password before the @ and, in the query, password=, token= and the like; in a libpq connection string
    password=. What is no secret stays, such as passfile=. Rather too much is hidden than too little: a password may
    hold characters that should have been escaped.

    >>> redacted("postgresql://anna:s3c/ret@lab/alloy?sslmode=require: refused.")
    'postgresql://anna:***@lab/alloy?sslmode=require: refused.'
    >>> redacted("postgresql://lab:5432/alloy?user=anna&password=s3cret&schema=x")
    'postgresql://lab:5432/alloy?user=anna&password=***&schema=x'
    """
    if ":/" in text or "//" in text:
        text = _USER_AND_PASSWORD.sub(lambda m: f"{m[1]}:{HIDDEN}{'@' * m[0].endswith('@')}", text)
        text = _PARAMETER.sub(lambda m: m[1] + HIDDEN if _SECRET.search(unquote(m[2])) else m[0], text)
    return _CONNECTION_PASSWORD.sub(rf"\1{HIDDEN}", text)


_USER_AND_PASSWORD = re.compile(
    r"([a-z][\w+.-]+(?::/+|//+)[^\s:/]*):"
    r"(?:(?!\d{1,5}(?:[/?:,\s'\"]|$))(?:(?!\w:/)[^\n])+@"  # no port: to the last @ of the line, even after spaces
    r"|\S+@"  # perhaps a port: to the last @ of the URL
    r"|(?![\d\s*/@])\S+)",  # no port, and no @: the server was forgotten
    re.IGNORECASE,
)
_VALUE = r"(?:[^&\s'\"]|['\"](?=[^\s.,:;)]))*[^&\s'\".,:;)]"
_PARAMETER = re.compile(rf"([?&]([^=&?\s]+)=){_VALUE}")
_SECRET = re.compile(r"pass(?!file)|^psw$|^ps?wd?$|secret|token|credential|api.?key", re.IGNORECASE)
_CONNECTION_PASSWORD = re.compile(rf"(\b(?:ssl)?password\s*=\s*)(?:'(?:[^'\\]|\\.)*'|{_VALUE})", re.IGNORECASE)


def _differ_in_numbers(name: str, other: str) -> bool:
    """Whether two names are the same apart from their numbers."""
    name, other = name.strip().casefold(), other.strip().casefold()
    return name != other and _DIGITS.sub("0", name) == _DIGITS.sub("0", other)
