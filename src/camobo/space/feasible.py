"""Whether constraints leave a point, which of them clash, and the point where a linear function is least.

Small mixed-integer programs, solved by HiGHS through SciPy: the same result on every run, as their effort is limited
by nodes, not by time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from camobo.arrays import Array
from camobo.errors import InvalidSpaceError
from camobo.space.constraints import Constraint
from camobo.space.inputs import Input
from camobo.space.rows import Rows

_MOST_NODES = 20_000


def lowest(rows: Rows, slope: Array, *, whole: bool = True) -> Array | None:
    """(d,) z of the point that meets all constraints where slope · z is least; None if there is none.

    whole: only points in whole steps.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # late: SciPy takes longer to load than all else here

    d, size = len(rows.steps), rows.size
    counted = np.unique(np.concatenate([np.zeros(0, np.intp), *(columns for columns, _, _ in rows.counts)]))
    n = len(counted)  # one switch per counted input: on where it is above its low end
    limits = []
    if len(rows.matrix):
        matrix = np.hstack([rows.matrix, np.zeros((len(rows.matrix), n))])
        limits.append(LinearConstraint(matrix, np.where(rows.equal, rows.bound, -np.inf), rows.bound))
    if n:
        at, switch = np.eye(d)[counted], np.eye(n)
        limits.append(LinearConstraint(np.hstack([at, -switch * size[counted]]), -np.inf, 0.0))
        limits.append(LinearConstraint(np.hstack([at, -switch * (rows.least_above * size)[counted]]), 0.0, np.inf))
    for columns, least, most in rows.counts:
        chosen = np.concatenate([np.zeros(d), np.isin(counted, columns)])
        limits.append(LinearConstraint(chosen, least, most))
    integral = np.concatenate([rows.steps > 0, np.ones(n, dtype=np.bool_)]) & whole
    found = milp(
        np.concatenate([slope / size, np.zeros(n)]),
        integrality=integral.astype(int),
        bounds=Bounds(0.0, np.concatenate([size, np.ones(n)])),
        constraints=limits,
        options={"node_limit": _MOST_NODES},
    )
    if found.x is None:
        return None
    y = np.where(rows.steps > 0, np.rint(found.x[:d]) if whole else found.x[:d], found.x[:d])
    return np.clip(y / size, 0.0, 1.0)


def refuse_empty(inputs: Mapping[str, Input], rules: Sequence[Constraint]) -> None:
    """Refuse constraints that leave no point, and name a smallest set of them that clash."""
    if _possible(inputs, rules):
        return
    clash = list(rules)
    for rule in rules:  # whatever can be left out without leaving a point is not part of the clash
        fewer = [other for other in clash if other is not rule]
        if not _possible(inputs, fewer):
            clash = fewer
    named = " and ".join(repr(rule.text) for rule in clash)
    if _possible(inputs, clash, whole=False):
        raise InvalidSpaceError(
            f"constraints: no point in whole steps meets {named}. Use finer steps, or change the constraint."
        )
    together = "together within the inputs' ranges" if len(clash) > 1 else "within the inputs' ranges"
    raise InvalidSpaceError(
        f"constraints: no point meets {named} {together}. Change one of them, or widen an input's range."
    )


def _possible(inputs: Mapping[str, Input], rules: Sequence[Constraint], *, whole: bool = True) -> bool:
    if not rules:
        return True
    rows = Rows.of(inputs, rules)
    return lowest(rows, np.zeros(len(rows.steps)), whole=whole) is not None
