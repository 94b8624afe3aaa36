"""The language of formulas: "0.36 * wc + 0.24 * cobalt + if(quench == 'oil', 2, 0)".

`read` turns a text into steps in postfix order, operands before what is done with them: 1 + 2 * x becomes 1 2 x * +.
It is Dijkstra's shunting yard: linear time and no recursion, so no text exhausts Python's stack. It knows how formulas
are written. Which inputs exist, and what may be compared with what, is the business of `expression`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from camobo.errors import InvalidOptionError, shown
from camobo.hints import caret, meant

LONGEST = 2000
"""Characters a formula may have."""
DEEPEST = 50
"""How many brackets may be open at once."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    value: float
    place: int
    """Where in the text it starts, as for all steps."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Quoted text, or one of the words true, false and none: what a category is compared with."""

    value: str | bool | None
    place: int


@dataclass(frozen=True, slots=True)
class Mention:
    """The name of an input."""

    name: str
    place: int


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or a function, applied to the results of the last `count` steps before it."""

    sign: str
    """As the user would write it, but "^" for "**", "==" for "=" and "negative" for a minus with one operand."""
    count: int
    place: int


Step: TypeAlias = Number | Choice | Mention | Operation

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_TIGHTNESS = {"or": 1, "and": 2, "not": 3, "+": 5, "-": 5, "*": 6, "/": 6, "negative": 7, "^": 8}
_TIGHTNESS |= dict.fromkeys(COMPARISONS, 4)
_BINARY = _TIGHTNESS.keys() - {"not", "negative"}
_SYNONYMS = {"**": "^", "=": "=="}
_FUNCTIONS = {"abs": 1, "exp": 1, "log": 1, "log10": 1, "sqrt": 1, "if": 3, "min": math.inf, "max": math.inf}
"""How many arguments each takes; infinity stands for two or more."""
_WORDS = {"true": True, "false": False, "none": None}
_INSTEAD = {"<>": "!=", "≠": "!=", "!": "not", "≤": "<=", "≥": ">=", "&&": "and", "&": "and", "||": "or", "|": "or"}
_INSTEAD |= {"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", ";": ",", "[": "(", "]": ")", "ln": "log"}
_INSTEAD |= dict.fromkeys("“”„‘’", '"')
"""What to write for signs that other languages, spreadsheets and word processors use."""
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number> (?:[0-9]+\.?[0-9]*|\.[0-9]+) (?:[eE][+-]?[0-9]+)? )
      | (?P<function> [^\W\d]\w* ) (?=\s*\()
      | (?P<word> [^\W\d]\w* )
      | (?P<name> `(?:[^`]|``)*` )
      | (?P<text> "(?:[^"]|"")*" | '(?:[^']|'')*' )
      | (?P<sign> \*\* | [<>=!]= | <(?!>) | [-+*/^>=(),] )
      | (?P<end> \Z )
    )""",
    re.VERBOSE,
)
_SHOWN = 60  # characters on each side of a caret


class _Token(NamedTuple):
    kind: str
    text: str
    place: int

    def __str__(self) -> str:
        """As messages quote it."""
        return "the end" if self.kind == "end" else shown(self.text)


class _Waiting(NamedTuple):
    """An operator whose right side is still to come, a function before its bracket, or an open bracket."""

    sign: str
    place: int
    arguments: int = 1
    """Of a bracket: how many arguments have begun."""


def read(text: str) -> tuple[Step, ...]:
    """The steps of a formula in postfix order, or an error that shows what is wrong where."""
    if not isinstance(text, str):
        raise InvalidOptionError(f'formula: need text such as "0.36 * nickel + 5", got {shown(text)}.')
    if len(text) > LONGEST:
        raise InvalidOptionError(
            f"formula: need at most {LONGEST} characters, got {len(text)}. Write the cost as a Python function instead."
        )
    steps: list[Step] = []
    waiting: list[_Waiting] = []
    before, operand_next = _Token("start", "", 0), True
    for token in _tokens(text.rstrip()):
        take = _take_operand if operand_next else _take_operator
        operand_next = take(token, before, steps, waiting, text)
        before = token
    return tuple(steps)


def names_in(text: str) -> tuple[str, ...]:
    """The inputs that a formula mentions, in the order they appear. It checks how the formula is written, no more.

    >>> names_in("0.36 * wc + max(`nickel %`, wc)")
    ('wc', 'nickel %')
    """
    return tuple(dict.fromkeys(step.name for step in read(text) if isinstance(step, Mention)))


def mistake(message: str, text: str, place: int) -> InvalidOptionError:
    """An error about a place in a formula, which shows the text there with a caret under the place."""
    start, end = max(0, place - _SHOWN), place + _SHOWN
    lead, trail = "…" if start else "", "…" if end < len(text) else ""
    excerpt = lead + _printable(text[start:end], " ") + trail
    return InvalidOptionError(f"formula: {_printable(message, '?')}{caret(excerpt, len(lead) + place - start)}")


def spelled(name: str) -> str:
    """The name of an input as a formula writes it.

    >>> spelled("wc"), spelled("nickel %"), spelled("and")
    ('wc', '`nickel %`', '`and`')
    """
    token = _TOKEN.fullmatch(name)
    is_plain = token is not None and token["word"] == name and name.lower() not in {*_TIGHTNESS, *_WORDS}
    doubled = name.replace("`", "``")
    return name if is_plain else f"`{doubled}`"


def quoted(choice: str | float | bool | None) -> str:
    """A choice of a category as a formula writes it.

    >>> quoted("oil"), quoted(True), quoted(2.0)
    ('"oil"', 'True', '2')
    """
    if isinstance(choice, str):
        doubled = choice.replace('"', '""')
        return f'"{doubled}"'
    return repr(choice).removesuffix(".0")


def _printable(text: str, instead: str) -> str:
    """A text of the same length on one line, which no terminal takes for a command."""
    return "".join(letter if letter.isprintable() else instead for letter in text)


def _tokens(text: str) -> Iterator[_Token]:
    """The words, numbers and signs of a text, and a last token for its end."""
    kind, place = "", 0
    while kind != "end":
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unreadable(text, place)
        kind = match.lastgroup or ""
        yield _Token(kind, match[kind], match.start(kind))
        place = match.end()


def _unreadable(text: str, place: int) -> InvalidOptionError:
    """The error for text that is not part of the language, such as "%" or a quote that is never closed."""
    place += len(text[place:]) - len(text[place:].lstrip())
    if text[place] in "\"'`":
        return mistake(f"the quote {text[place]} is never closed.", text, place)
    sign = text[place : place + 2] if text[place : place + 2] in _INSTEAD else text[place]
    hint = f" Write {_INSTEAD[sign]} instead." if sign in _INSTEAD else " Names with special signs go in `backquotes`."
    return mistake(f"need a number, an input or an operator, got {shown(sign)}.{hint}", text, place)


def _take_operand(token: _Token, before: _Token, steps: list[Step], waiting: list[_Waiting], text: str) -> bool:
    """Take the first token of an operand. Returns whether the operand, or its rest, is still to come."""
    kind, written, place = token
    word = written.lower()
    if kind == "number":
        steps.append(Number(_number(token, text), place))
    elif kind == "text":
        quote = written[0]
        steps.append(Choice(written[1:-1].replace(2 * quote, quote), place))
    elif kind == "name":
        steps.append(Mention(written[1:-1].replace("``", "`"), place))
    elif word in ("not", "-"):
        waiting.append(_Waiting("negative" if word == "-" else "not", place))
        return True
    elif kind == "function" and word not in _BINARY:
        waiting.append(_Waiting(_function(token, text), place))
        return True
    elif written == "(":
        if sum(open_.sign == "(" for open_ in waiting) == DEEPEST:
            raise mistake(f"need at most {DEEPEST} brackets inside one another, got one more.", text, place)
        waiting.append(_Waiting("(", place))
        return True
    elif kind == "word" and word not in _BINARY:
        steps.append(Choice(_WORDS[word], place) if word in _WORDS else Mention(written, place))
    elif written == ")" and len(waiting) > 1 and before.text == "(" and waiting[-2].sign in _FUNCTIONS:
        raise _miscounted(waiting[-2], 0, text)
    else:
        after = f" after {before}" if before.text else ""
        example = "" if before.text else ' Example: "0.36 * nickel + 5".'
        raise mistake(f"need a number or an input{after}, got {token}.{example}", text, place)
    return False


def _take_operator(token: _Token, before: _Token, steps: list[Step], waiting: list[_Waiting], text: str) -> bool:
    """Take what follows an operand. Returns whether another operand must come."""
    kind, written, place = token
    sign = _SYNONYMS.get(written, written.lower())
    if sign in _BINARY:
        _finish_tighter(sign, place, steps, waiting, text)
        waiting.append(_Waiting(sign, place))
        return True
    if kind != "end" and sign not in (",", ")"):
        hint = " To multiply write *." if sign == "(" or kind in ("word", "name", "number", "function") else ""
        raise mistake(f"need an operator such as + or * after {before}, got {token}.{hint}", text, place)
    while waiting and waiting[-1].sign != "(":
        _finish(waiting.pop(), steps)
    function = waiting[-2] if len(waiting) > 1 and waiting[-2].sign in _FUNCTIONS else None
    if kind == "end" and waiting:
        raise mistake("the bracket '(' is never closed.", text, waiting[-1].place)
    if sign == ",":
        if function is None:
            hint = "Decimals are written with a point: 0.5."
            raise mistake(f"a comma separates the arguments of a function, got one elsewhere. {hint}", text, place)
        waiting[-1] = waiting[-1]._replace(arguments=waiting[-1].arguments + 1)
    elif sign == ")":
        if not waiting:
            raise mistake("the bracket ')' has no '(' before it.", text, place)
        count = waiting.pop().arguments
        if function is not None:
            if count != _FUNCTIONS[function.sign] and (count < 2 or _FUNCTIONS[function.sign] < math.inf):
                raise _miscounted(function, count, text)
            steps.append(Operation(function.sign, count, waiting.pop().place))
    return sign == ","


def _finish_tighter(sign: str, place: int, steps: list[Step], waiting: list[_Waiting], text: str) -> None:
    """Finish the waiting operators that come before a binary one: 2 * x is finished before + in 2 * x + 1."""
    while waiting and waiting[-1].sign != "(":
        tighter = _TIGHTNESS[waiting[-1].sign] - _TIGHTNESS[sign]
        if tighter == 0 and sign in COMPARISONS:
            raise mistake("comparisons cannot be chained: write a < b and b < c, not a < b < c.", text, place)
        if tighter < 0 or (tighter == 0 and sign == "^"):  # 2 ^ 3 ^ 2 is 2 ^ (3 ^ 2)
            break
        _finish(waiting.pop(), steps)


def _finish(operator: _Waiting, steps: list[Step]) -> None:
    """Add an operator whose operands are complete. A minus before a number becomes part of it."""
    last = steps[-1]
    if operator.sign == "negative" and isinstance(last, Number):
        steps[-1] = Number(-last.value, operator.place)
    else:
        steps.append(Operation(operator.sign, 1 if operator.sign in ("not", "negative") else 2, operator.place))


def _number(token: _Token, text: str) -> float:
    value = float(token.text)
    if math.isinf(value):
        raise mistake(f"need a number below 1.8e308, got {token}.", text, token.place)
    return value


def _function(token: _Token, text: str) -> str:
    """The name of a known function, in lower case."""
    name = token.text.lower()
    if name in _FUNCTIONS:
        return name
    hint = f" Write {_INSTEAD[name]} instead." if name in _INSTEAD else meant(name, _FUNCTIONS)
    hint = hint or f" The functions are {', '.join(sorted(_FUNCTIONS))}. To multiply write *."
    raise mistake(f"unknown function {token}.{hint}", text, token.place)


def _miscounted(function: _Waiting, count: int, text: str) -> InvalidOptionError:
    """The error for a function with too few or too many arguments."""
    takes = _FUNCTIONS[function.sign]
    needed = "2 arguments or more" if takes == math.inf else "1 argument" if takes == 1 else f"{takes} arguments"
    return mistake(f"{function.sign!r} takes {needed}, got {count or 'none'}.", text, function.place)
