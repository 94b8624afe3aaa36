from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from camobo.errors import StorageError
from camobo.storage.chain import Links, Row, check_end, hash_of_description, hash_of_event, verified

FIRST = Links(0, hash_of_description("{}", "today"))


def row(number: int, **other: Any) -> Row:
    facts = {
        "number": number,
        "kind": "told",
        "trial": 3,
        "at": "today",
        "who": "me",
        "new": "{}",
        "old": None,
        **other,
    }
    return [*facts.values(), hash_of_event(**facts)]


ROWS = [row(number) for number in range(5)]
END = FIRST.after(each[7] for each in ROWS)


def changed(number: int, column: int, value: Any) -> list[Row]:
    rows = [list(each) for each in ROWS]
    rows[number][column] = value
    return list(rows)


def test_whole_rows_pass_as_they_are_at_once_and_in_parts() -> None:
    assert list(verified(ROWS, FIRST, END)) == ROWS
    half = FIRST.after(each[7] for each in ROWS[:2])
    assert list(verified(ROWS[2:], half, END)) == ROWS[2:]
    assert list(verified(ROWS[:2], FIRST, None)) == ROWS[:2]
    assert half.after(each[7] for each in ROWS[2:]) == END


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *((1, "tole"), (2, 4), (2, None), (2, 3.0), (3, "today "), (4, "eve"), (4, 3), (4, None), (5, "{} ")),
        *((5, b"{}"), (5, None), (6, "{}"), (6, b""), (7, "x"), (7, None), (7, b"x")),
    ],
)
def test_a_change_of_any_column_is_found_in_its_event(column: int, value: Any) -> None:
    found = list[Row]()
    with pytest.raises(StorageError, match="event 3 is not as it was stored"):
        found.extend(verified(changed(3, column, value), FIRST, END))
    with pytest.raises(StorageError, match="event 3"):
        list(verified(changed(3, column, value)[:4], FIRST, None))


def test_every_bit_of_a_row_counts() -> None:
    text = '{"values":{"strength":512.0}}'
    whole = row(0, new=text)
    for place in range(len(text)):
        for bit in range(7):
            other = text[:place] + chr(ord(text[place]) ^ 1 << bit) + text[place + 1 :]
            with pytest.raises(StorageError):
                list(verified([[*whole[:5], other, *whole[6:]]], FIRST, None))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS[:4], "event 4 is missing: 5 were stored"),
        (ROWS[:2], "events 2 to 4 are missing: 5 were stored"),
        ([], "events 0 to 4 are missing"),
        ([*ROWS[:2], *ROWS[3:]], "event 2 is missing: the next stored event has number 3"),
        ([*ROWS[:2], ROWS[1], *ROWS[2:]], "event 2 is missing: the next stored event has number 1"),
        ([*ROWS, row(5)], "event 5 was not written by camobo: 5 events were stored, not 6"),
        ([*ROWS[:3], row(3, who="eve"), ROWS[4]], "each event is whole, but together they are not the list"),
        ([ROWS[1], ROWS[0], *ROWS[2:]], "event 0 is missing"),
    ],
)
def test_a_lost_exchanged_or_added_event_is_found(rows: list[Row], said: str) -> None:
    with pytest.raises(StorageError, match=said):
        list(verified(rows, FIRST, END))


@pytest.mark.parametrize("start", [Links(0, hash_of_description("{} ", "today")), Links(0, "")])
def test_a_chain_belongs_to_one_description(start: Links) -> None:
    with pytest.raises(StorageError, match="together they are not the list"):
        list(verified(ROWS, start, END))


def test_the_last_event_that_was_stored_is_the_end() -> None:
    check_end(END, END)
    with pytest.raises(StorageError, match="event 4 is missing"):
        check_end(Links(4, END.chain), END)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: hash_of_description("ab", "c"), lambda: hash_of_description("a", "bc")),
        (lambda: row(0, who="ab", new="c")[7], lambda: row(0, who="a", new="bc")[7]),
        (lambda: row(0, new="ab", old="c")[7], lambda: row(0, new="a", old="bc")[7]),
        (lambda: row(11, trial=1)[7], lambda: row(1, trial=11)[7]),
    ],
)
def test_what_moves_from_one_column_to_the_next_changes_the_hash(
    one: Callable[[], str], other: Callable[[], str]
) -> None:
    assert one() != other()
