"""What users type: numbers, trial numbers, `name=value` pairs. Read strictly, refused with the place and the fix."""

from __future__ import annotations

import math
import re
import shlex
import zlib
from collections.abc import Iterable, Sequence

from camobo.errors import InvalidOptionError, InvalidValueError, UnknownTrialError, shown
from camobo.hints import meant

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:[,'\s]\d{3})+(?:\.\d*)?", re.ASCII)
_WITH_UNIT = re.compile(rf"({_NUMBER.pattern})\s*[^\d\s.,eE+_-](?!\d).*", re.ASCII)
_TRIAL = re.compile(r"\d{1,15}", re.ASCII)
FAILED = "To record that it could not be measured use camobo fail."

# Messages of the library speak Python; here the same advice is a command.
_SPOKEN = (
    (re.compile(r"study\.(tell|amend|fail|release)(?:\([^)]*\))?"), r"camobo \1"),
    (re.compile(r"study\.add\b(?:\([^)]*\))?"), "camobo import"),
    (re.compile(r"Begin (?:a study|one) with Study\([^)]*\)"), "Begin one with camobo new"),
    (re.compile(r"To go on with it as it is use Study\.load\('(.*)'\); for a new one give another place\."),
     r"To go on with it as it is use it by its name, \1; for a new one give another place with --storage."),
    (re.compile(r"For a study in memory leave storage out\."), ""),
)  # fmt: skip


def spoken(message: str) -> str:
    """An error's message with its advice in the words of the command line.

    >>> spoken('To correct it use study.amend.')
    'To correct it use camobo amend.'
    """
    for pattern, words in _SPOKEN:
        message = pattern.sub(words, message)
    return message.strip()


def number(place: str, text: str, advice: str = "") -> float:
    """A finite number with a decimal point; `advice` is for what is no number at all. A typeset minus is a minus.

    >>> number("strength", " 5.12e2 "), number("strength", "\N{MINUS SIGN}3")
    (512.0, -3.0)
    """
    given = text.strip().replace("\N{MINUS SIGN}", "-")
    if not given:
        raise InvalidValueError(f"{place}: need a finite number such as 0.31, there is none.")
    if _NUMBER.fullmatch(given):
        found = float(given)
        if math.isinf(found):
            raise InvalidValueError(f"{place}: need a finite number, got {shown(given)}, which is too large.")
        if found == 0.0 and re.search("[1-9]", re.split("[eE]", given)[0]):
            raise InvalidValueError(
                f"{place}: got {shown(given)}, which is too small to tell from 0. Write 0, or use other units."
            )
        return found
    if _THOUSANDS.fullmatch(given):
        bare = re.sub(r"[,'\s]", "", given)
        unsure = f" or {given.replace(',', '.')}" if _DECIMAL_COMMA.fullmatch(given) else ""
        raise InvalidValueError(
            f"{place}: need a number without separators and with a decimal point, got {shown(given)}. "
            f"Write {bare}{unsure}."
        )
    comma = _DECIMAL_COMMA.fullmatch(given)
    if comma:
        raise InvalidValueError(
            f"{place}: need a decimal point, not a comma, got {shown(given)}. Write {comma[1]}.{comma[2]}."
        )
    unit = _WITH_UNIT.fullmatch(given)
    if unit and given.lower() not in ("nan", "inf"):
        raise InvalidValueError(f"{place}: need a number alone, got {shown(given)}. Write {unit[1]}.")
    raise InvalidValueError(f"{place}: need a finite number such as 0.31, got {shown(given)}. {advice}".rstrip())


def amount(place: str, text: str | None) -> float | None:
    """What something cost: a number of at least zero."""
    if text is None:
        return None
    found = number(place, text)
    if found < 0:
        raise InvalidValueError(f"{place}: need a number of at least 0, got {shown(text)}.")
    return found


def trial_number(text: str, place: str = "trial") -> int:
    """A trial's number.

    >>> trial_number("3")
    3
    """
    if _TRIAL.fullmatch(text.strip()):
        return int(text)
    raise UnknownTrialError(
        f"{place}: need a trial's number such as 3, got {shown(text)}. camobo status lists the open trials."
    )


def trial_numbers(texts: Sequence[str]) -> list[int]:
    """Several trials' numbers, each once."""
    return list(dict.fromkeys(trial_number(text) for text in texts))


def pairs(texts: Iterable[str], names: Sequence[str]) -> dict[str, float]:
    """`name=value` pairs, the names among those given.

    >>> pairs(["strength=512", "corrosion=0.31"], ["strength", "corrosion"])
    {'strength': 512.0, 'corrosion': 0.31}
    """
    found: dict[str, float] = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        name = name if name in names else name.strip()
        if not sign or not name:
            blanks = " Leave no blanks around the =." if text in names or text.startswith("=") else ""
            raise InvalidValueError(f"values: need name=value such as {names[0]}=0.31, got {shown(text)}.{blanks}")
        if name not in names:
            raise InvalidValueError(
                f"values: no objective called {name!r}.{meant(name, names)} This study measures {', '.join(names)}."
            )
        if name in found:
            raise InvalidValueError(f"values: {name!r} is given twice. Give each objective once.")
        found[name] = number(f"objective {name!r}", value, FAILED)
    return found


def dear_ends(texts: Iterable[str]) -> dict[str, str | list[str]]:
    """What is dear of parameters: an end of a number's range, or a category's choices, dearest first.

    >>> dear_ends(["rate=low", "quench=vacuum,oil"])
    {'rate': 'low', 'quench': ['vacuum', 'oil']}
    """
    found: dict[str, str | list[str]] = {}
    for text in texts:
        name, _, end = text.partition("=")
        choices = [choice.strip() for choice in end.split(",")]
        if not name.strip() or not all(choices):
            raise InvalidOptionError(
                f"--dear: need name=low, or name=choice,choice with the dearest first, got {shown(text)}."
            )
        if name.strip() in found:
            raise InvalidOptionError(
                f"--dear: need {shown(name.strip())} once, with all its dear choices, got it twice."
            )
        found[name.strip()] = choices[0] if choices in (["low"], ["high"]) else choices
    return found


def time_of(name: str, text: str | None) -> str | float | None:
    """A time as `checks.duration` takes it: "2h" as it is, a bare number as seconds."""
    if text is None or not _NUMBER.fullmatch(text.strip()):
        return text
    return float(text)


def to_fill_in(names: Iterable[str]) -> str:
    """Results still to be typed after a command, as the shell and the command understand them.

    >>> to_fill_in(["strength", "salt spray"]), to_fill_in(["-ni"])
    ("strength=… 'salt spray'=…", '-- -ni=…')
    """
    given = list(names)
    dashes = "-- " if any(name.startswith("-") for name in given) else ""
    return dashes + " ".join(f"{shlex.quote(name)}=…" for name in given)


def file_name(text: str) -> str:
    """A name for a file out of any text; where it is not the text itself, with a mark that tells it from its likes.

    >>> file_name("forest"), file_name("a/b: c?"), file_name("..")
    ('forest', 'a-b-c-fac8409d', 'study-9608161c')
    """
    plain = re.sub(r"[^\w.-]+", "-", text)[:100].strip("-.") or "study"
    return plain if plain == text else f"{plain}-{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def typed(*parts: str) -> str:
    """A command line as it can be typed: names with blanks in quotes.

    >>> typed("camobo", "ask", "my alloy.db")
    "camobo ask 'my alloy.db'"
    """
    return shlex.join(parts)


def counted(count: int, noun: str) -> str:
    """
    >>> counted(1, "trial"), counted(2, "trial")
    ('1 trial', '2 trials')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def one_way(**given: bool) -> None:
    """Refuse options that exclude one another: `one_way(csv=…, json=…)`."""
    named = [f"--{name}" for name, is_given in given.items() if is_given]
    if len(named) > 1:
        raise InvalidOptionError(f"{' and '.join(named)}: need one of them, got both.")
