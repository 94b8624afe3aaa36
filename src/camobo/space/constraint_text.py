"""The language of constraints: "nickel + 2*chromium <= 20", "a + b + c == 100", "count(moly, niobium) <= 1".

`read` turns a text into sums of inputs on either side of a comparison, by recursive descent, in exact fractions. It
knows how constraints are written. Which inputs exist, and which may be limited, is the business of `constraints`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from camobo.errors import InvalidSpaceError, shown
from camobo.hints import caret

Sign: TypeAlias = Literal["<=", ">=", "=="]

LONGEST = 2000
"""Characters a constraint may have."""
_DEEPEST = 50  # brackets inside one another
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number> (?:[0-9]+\.?[0-9]*|\.[0-9]+) (?:[eE][+-]?[0-9]{1,3})? )
      | (?P<count> count ) (?=\s*\()
      | (?P<name> [^\W\d]\w* | `(?:[^`]|``)*` )
      | (?P<sign> <= | >= | ={1,2} | [-+*/(),] )
      | (?P<end> \Z )
    )""",
    re.VERBOSE,
)
_INSTEAD = {"<": "<=", ">": ">=", "≤": "<=", "≥": ">=", "×": "*", "·": "*", "−": "-", "–": "-", "÷": "/"}
_EXAMPLE = 'Example: "nickel + chromium <= 20".'


@dataclass(frozen=True, slots=True)
class Sum:
    """A constant, and inputs with what each is multiplied by."""

    constant: Fraction = Fraction(0)
    terms: Mapping[str, Fraction] = field(default_factory=dict)

    def plus(self, other: Sum, times: Fraction = Fraction(1)) -> Sum:
        """This sum and another, multiplied."""
        names = dict.fromkeys((*self.terms, *other.terms))
        zero = Fraction(0)
        return Sum(
            self.constant + times * other.constant,
            {name: self.terms.get(name, zero) + times * other.terms.get(name, zero) for name in names},
        )

    def times(self, factor: Fraction) -> Sum:
        """This sum multiplied."""
        return Sum().plus(self, factor)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a text says: a sum is at most, at least or exactly 0, or that many inputs are above their low end."""

    sign: Sign
    sum: Sum
    """Left side minus right side; of a count, the negative of what it is compared with."""
    counted: tuple[str, ...] | None
    places: Mapping[str, int]
    """Where each input is first named in the text."""


class _Token(NamedTuple):
    kind: str
    text: str
    place: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else shown(self.text)


def mistake(message: str, text: str, place: int) -> InvalidSpaceError:
    """An error about a place in a constraint, which shows the text with a caret under the place."""
    return InvalidSpaceError(f"constraint: {message}{caret(text, place)}")


def spelled(name: str) -> str:
    """The name of an input as a constraint writes it.

    >>> spelled("nickel"), spelled("nickel %")
    ('nickel', '`nickel %`')
    """
    doubled = name.replace("`", "``")
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f"`{doubled}`"


def read(text: str) -> Comparison:
    """What a constraint says, or an error that shows what is wrong where."""
    if not isinstance(text, str):
        raise InvalidSpaceError(f"constraint: need text, got {shown(text)}. {_EXAMPLE}")
    if len(text) > LONGEST:
        raise InvalidSpaceError(f"constraint: need at most {LONGEST} characters, got {len(text)}. Write several.")
    return _Reader(text, tuple(_tokens(text.rstrip()))).comparison()


def _tokens(text: str) -> Iterator[_Token]:
    kind, place = "", 0
    while kind != "end":
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unreadable(text, place + len(text[place:]) - len(text[place:].lstrip()))
        kind = match.lastgroup or ""
        yield _Token(kind, match[kind], match.start(kind))
        place = match.end()


def _unreadable(text: str, place: int) -> InvalidSpaceError:
    sign = text[place]
    if sign in _INSTEAD:
        return mistake(f"need <=, >= or ==, +, - or *, got {shown(sign)}. Write {_INSTEAD[sign]}.", text, place)
    if sign == "^":
        return mistake("only sums of inputs can be limited, not powers.", text, place)
    hint = "The quote ` is never closed." if sign == "`" else "Names with special signs go in `backquotes`."
    return mistake(f"need a number, an input or a sign, got {shown(sign)}. {hint}", text, place)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads tokens by recursive descent; each method returns what it read and the index of the token after it."""

    text: str
    tokens: tuple[_Token, ...]

    def comparison(self) -> Comparison:
        left, at = self._side(0)
        sign = self.tokens[at]
        if sign.text not in ("<=", ">=", "==", "="):
            raise self._wrong("need <=, >= or ==", at, _multiply(sign) or _EXAMPLE)
        right, end = self._side(at + 1)
        if self.tokens[end].text in ("<=", ">=", "==", "="):
            raise self._wrong("need one comparison", end, 'Write two constraints: "5 <= a" and "a <= 9".')
        if self.tokens[end].kind != "end":
            raise self._wrong("need + or - or the end", end, _multiply(self.tokens[end]))
        return self._compared(left, "==" if sign.text == "=" else sign.text, right, at)

    def _compared(self, left: Sum | tuple[str, ...], sign: str, right: Sum | tuple[str, ...], at: int) -> Comparison:
        places: dict[str, int] = {}
        for token in self.tokens:
            if token.kind == "name":
                places.setdefault(_name(token), token.place)
        if isinstance(right, tuple):
            turned = {"<=": ">=", ">=": "<=", "==": "=="}[sign]
            left, sign, right = right, turned, left
        known: Sign = "<=" if sign == "<=" else ">=" if sign == ">=" else "=="
        if isinstance(left, tuple):
            if isinstance(right, tuple) or any(right.terms.values()):
                raise self._wrong("a count is compared with a whole number", at, 'Example: "count(a, b, c) <= 2".')
            return Comparison(known, right.times(Fraction(-1)), left, places)
        if isinstance(right, tuple):  # never: it would be on the left by now
            raise self._wrong("need a sum", at)
        whole = left.plus(right, Fraction(-1))
        if not any(whole.terms.values()):
            raise self._wrong("no input is left in it", at, f"Name the inputs that it limits. {_EXAMPLE}")
        return Comparison(known, Sum(whole.constant, {n: c for n, c in whole.terms.items() if c}), None, places)

    def _side(self, at: int) -> tuple[Sum | tuple[str, ...], int]:
        return self._count(at) if self.tokens[at].kind == "count" else self._sum(at, 0)

    def _count(self, at: int) -> tuple[tuple[str, ...], int]:
        names: list[str] = []
        at += 1  # the bracket
        while True:
            token = self.tokens[at + 1]
            if token.kind != "name":
                raise self._wrong("need the name of an input", at + 1, 'Example: "count(a, b, c) <= 2".')
            if _name(token) in names:
                raise mistake(f"{_name(token)!r} is counted twice.", self.text, token.place)
            names.append(_name(token))
            at += 2
            if self.tokens[at].text == ")":
                return tuple(names), at + 1
            if self.tokens[at].text != ",":
                raise self._wrong("need a comma or )", at)

    def _sum(self, at: int, depth: int) -> tuple[Sum, int]:
        total, sign = Sum(), Fraction(1)
        if self.tokens[at].text in ("+", "-"):
            sign, at = Fraction(-1 if self.tokens[at].text == "-" else 1), at + 1
        while True:
            term, at = self._product(at, depth)
            total = total.plus(term, sign)
            if self.tokens[at].text not in ("+", "-"):
                return total, at
            sign, at = Fraction(-1 if self.tokens[at].text == "-" else 1), at + 1

    def _product(self, at: int, depth: int) -> tuple[Sum, int]:
        product, at = self._factor(at, depth)
        while self.tokens[at].text in ("*", "/"):
            divides, place = self.tokens[at].text == "/", at
            factor, at = self._factor(at + 1, depth)
            if divides and factor.terms:
                raise self._wrong("only a number can divide", place, "Multiply both sides by the input instead.")
            if divides and factor.constant == 0:
                raise self._wrong("nothing can be divided by 0", place)
            if product.terms and factor.terms:
                raise self._wrong("only sums of inputs can be limited, not products", place)
            if divides:
                product = product.times(1 / factor.constant)
            else:
                product = product.times(factor.constant) if product.terms else factor.times(product.constant)
        return product, at

    def _factor(self, at: int, depth: int) -> tuple[Sum, int]:
        token = self.tokens[at]
        if token.kind == "number":
            return Sum(Fraction(token.text)), at + 1
        if token.kind == "name" and self.tokens[at + 1].text == "(":
            raise self._wrong("only count(…) is a function here", at, "To multiply write *.")
        if token.kind == "name":
            return Sum(Fraction(0), {_name(token): Fraction(1)}), at + 1
        if token.kind == "count":
            raise self._wrong("a count stands alone on its side", at, 'Example: "count(a, b, c) <= 2".')
        if token.text != "(":
            raise self._wrong("need a number or an input", at, _EXAMPLE)
        if depth == _DEEPEST:
            raise self._wrong(f"need at most {_DEEPEST} brackets inside one another", at)
        inner, end = self._sum(at + 1, depth + 1)
        if self.tokens[end].text != ")":
            raise self._wrong("need )", end, _multiply(self.tokens[end]))
        return inner, end + 1

    def _wrong(self, needed: str, at: int, hint: str = "") -> InvalidSpaceError:
        token = self.tokens[at]
        return mistake(f"{needed}, got {token}. {hint}".rstrip(), self.text, token.place)


def _multiply(token: _Token) -> str:
    return "To multiply write *." if token.kind in ("name", "number", "count") or token.text == "(" else ""


def _name(token: _Token) -> str:
    return token.text[1:-1].replace("``", "`") if token.text.startswith("`") else token.text
