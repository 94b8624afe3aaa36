from __future__ import annotations

import numpy as np

from camobo.space.exchange import exchanges
from camobo.space.inputs import Integer, Real
from camobo.space.rows import Rows
from camobo.space.space import Space
from tests.support.constrained import limited


def moves(space: Space) -> set[tuple[float, ...]]:
    return {tuple(move) for move in exchanges(Rows.of(space.inputs, space.rules))}


def test_inputs_of_a_sum_are_exchanged_in_pairs_by_what_keeps_it() -> None:
    space = limited("a + b + 3*n == 10", a=Real(0, 10, step=0.5), b=Integer(0, 10), n=Integer(0, 3))
    assert moves(space) == {(2, -1, 0), (6, 0, -1), (0, 3, -1)}


def test_two_sums_take_three_inputs() -> None:
    three = {name: Integer(0, 10) for name in "abc"}
    assert moves(limited("a + b + c == 10", "a + 2*b + 3*c == 17", **three)) == {(1, -2, 1)}


def test_inputs_under_one_limit_are_exchanged_unless_a_sum_forbids_it() -> None:
    three = {name: Integer(0, 10) for name in "abc"}
    assert moves(limited("a + b <= 10", **three)) == {(1, -1, 0)}
    assert moves(limited("a + b <= 10", "b + c == 10", **three)) == {(0, 1, -1)}


def test_no_exchange_changes_a_sum() -> None:
    inputs = {f"x{j}": Integer(0, 9) for j in range(6)}
    space = Space(inputs, constraints=["x0 + 2*x1 + 3*x2 == 9", "x2 + x3 + x4 - x5 == 4"])
    rows = Rows.of(space.inputs, space.rules)
    assert len(exchanges(rows)) >= 8
    assert not np.any(exchanges(rows) @ rows.matrix.T)
