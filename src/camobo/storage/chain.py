"""Hashes over what is stored, so that damage and changes from outside show.

Each event has a hash of its row, byte for byte as it is stored, but for `request`, which says nothing of the study. The
row of the study has a hash of its description, and of the events how many there are and a chain: the hash of the
description, joined with the hash of each event in turn. A change updates these in its own transaction. So a changed bit
is found in the event it is in, and an event that was lost, exchanged or added by something else shows in the chain.

This is against accidents. Whoever can write to the database can compute hashes too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeAlias

from camobo.errors import StorageError

Row: TypeAlias = Sequence[Any]
"""An event as it is stored: number, kind, trial, at, who, new and old as text, and its hash."""


@dataclass(frozen=True, slots=True)
class Links:
    """A number of events, and the chain of their hashes."""

    count: int
    chain: str

    def after(self, hashes: Iterable[str]) -> Links:
        """These links and further ones."""
        count, chain = self.count, self.chain
        for each in hashes:
            count, chain = count + 1, _joined(chain, each)
        return Links(count, chain)


def hash_of_description(document: str, created: str) -> str:
    """The hash of a study's description; a chain begins with it."""
    return sha256(f"{len(document)}:{document}{created}".encode("utf-8", "surrogatepass")).hexdigest()


def hash_of_event(number: Any, kind: Any, trial: Any, at: Any, who: Any, new: str, old: str | None) -> str:
    """The hash of an event's row."""
    text = f"{number}:{trial}:{kind}:{at}:{len(who)}:{who}:{len(new)}:{new}{'' if old is None else old}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _joined(chain: str, link: str) -> str:
    return sha256((chain + link).encode()).hexdigest()


def verified(rows: Iterable[Row], start: Links, end: Links | None) -> Iterator[Row]:
    """The rows of events as they come, each once its hash is found right; StorageError at the first that is wrong.

    start: the links before the first row. end: those after the last row, as the row of the study has them; None if only
    some of the rows are read.
    """
    count, chain = start.count, start.chain
    for row in rows:
        check_row(row, count)
        chain, count = _joined(chain, row[7]), count + 1
        yield row
    if end is not None:
        check_end(Links(count, chain), end)


def check_row(row: Row, number: int) -> None:
    """Raise unless this is the event of a number, as it was stored."""
    if row[0] != number:
        raise StorageError(f"event {number} is missing: the next stored event has number {row[0]}.")
    try:
        right = hash_of_event(*row[:7]) == row[7]
    except TypeError:  # a column holds another type than was stored
        right = False
    if not right:
        raise StorageError(f"event {number} is not as it was stored: its hash is another.")


def check_end(found: Links, stored: Links) -> None:
    """Raise unless events lead where the row of the study says."""
    if found.count < stored.count:
        lost = stored.count - found.count
        which = f"event {found.count} is" if lost == 1 else f"events {found.count} to {stored.count - 1} are"
        raise StorageError(f"{which} missing: {stored.count} were stored.")
    if found.count > stored.count:
        raise StorageError(
            f"event {stored.count} was not written by camobo: {stored.count} events were stored, not {found.count}."
        )
    if found.chain != stored.chain:
        raise StorageError(
            "each event is whole, but together they are not the list that was stored: one was exchanged for another, "
            "or the row of the study was changed."
        )
