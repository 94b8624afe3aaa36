"""A price list as people have it: a CSV file with the columns input, choice and price.

    input,choice,price
    nickel,,13.90
    quench,oil,2
    per trial,,12

The columns come in any order; `choice` may be missing. A row without an input, or for "per trial", is what every trial
costs. Inputs and choices that are not listed are free.
"""

from __future__ import annotations

from typing import Any

from camobo.cli import parse
from camobo.cli.csv_cells import Heading, read_param
from camobo.cli.tables import Row, read_table
from camobo.cost.prices import Prices
from camobo.errors import CamoboError, InvalidOptionError, InvalidValueError
from camobo.hints import meant
from camobo.space.inputs import Categorical, Input
from camobo.space.space import Space

_COLUMNS = tuple(Heading("about", name, name, name == "price") for name in ("input", "choice", "price"))
_PER_TRIAL = ("", "per trial", "per_trial")


def read_prices(path: str, space: Space) -> Prices:
    """The prices in a file, for the inputs of a space."""
    rows = read_table(path, _COLUMNS)
    name = "standard input" if path == "-" else path
    if not rows:
        raise InvalidValueError(f"{name}: no prices. Need a row per price, such as nickel,,13.9.")
    for column in ("input", "price"):
        if ("about", column) not in rows[0].cells:
            raise InvalidValueError(
                f"{name}: column {column!r} is missing. "
                "A price list has the columns input, price and, for inputs with choices, choice."
            )
    prices, per_trial = _collected(rows, space)
    try:
        found = Prices(prices, per_trial=per_trial)
        found.over(space)
    except CamoboError as error:
        raise InvalidOptionError(f"{name}: {error.message.removeprefix('Prices: ')}") from error
    return found


def _collected(rows: list[Row], space: Space) -> tuple[dict[str, Any], float]:
    """The price per unit, or per choice, of each input, and the price per trial."""
    prices, per_trial = dict[str, Any](), 0.0
    seen: dict[tuple[str | None, Any], Row] = {}
    for row in rows:
        price = _price(row)
        name = _input(row, space)
        choice = None if name is None else _choice(row, name, space.inputs[name])
        first = seen.setdefault((name, None if choice is None else repr(choice)), row)
        if first is not row:
            what = "per trial" if name is None else name if choice is None else f"{name}, {choice}"
            raise InvalidValueError(
                f"{row.file}: lines {first.line} and {row.line} both have a price for {what}. Remove one of them."
            )
        if name is None:
            per_trial = price
        elif choice is None:
            prices[name] = price
        else:
            prices.setdefault(name, {})[choice] = price
    return prices, per_trial


def _price(row: Row) -> float:
    if row.text("price") is None:
        raise InvalidValueError("need a price, got nothing. Write 0 if it is free, or remove the row.").within(
            row.at("price")
        )
    return parse.amount(row.at("price"), row.text("price")) or 0.0


def _input(row: Row, space: Space) -> str | None:
    """The input a row is about; None for the price per trial."""
    text = row.text("input") or ""
    name = text if text in space.names else text.strip()
    if name in space.names:
        return name
    if name.casefold() not in _PER_TRIAL:
        raise InvalidValueError(
            f"{name!r} is not an input.{meant(name, space.names)} The space has {', '.join(space.names)}; "
            "what every trial costs is called per trial."
        ).within(row.at("input"))
    if row.text("choice") is not None:
        raise InvalidValueError(
            f"a choice, {row.text('choice')}, without its input. Write the input in each row."
        ).within(row.at("input"))
    return None


def _choice(row: Row, name: str, given: Input) -> Any:
    """The choice a row is about; None if the input is a number."""
    text, place = row.text("choice"), row.at("choice")
    if isinstance(given, Categorical):
        if text is None:
            labels = ", ".join(map(str, given.choices))
            raise InvalidValueError(
                f"which choice of {name!r}? Write one row for each that costs something: {labels}."
            ).within(place)
        return read_param(place, given, text)
    if text is not None:
        raise InvalidValueError(
            f"{name!r} is a number and has one price per unit, got {text!r}. Empty the cell."
        ).within(place)
    if given.expensive == "low":
        raise InvalidValueError(
            f"{name!r} is expensive at its low end, which a price per unit cannot say. Use a formula instead."
        ).within(row.at("input"))
    return None
