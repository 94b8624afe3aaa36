"""All cases by family and name. A case is made once per process, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from money import drawn, synthetic, tables
from money.case import Case, Half

MAKERS: dict[str, tuple[Mapping[str, Half], Callable[[str], Case]]] = {
    "tables": (tables.HALVES, tables.measured),
    "control": (tables.CONTROLS, tables.measured),
    "twelve": (synthetic.TWELVE_HALVES, synthetic.twelve),
    "drawn": ({drawn.name_of(number): drawn.half(number) for number in range(drawn.COUNT)}, drawn.drawn),
    "more": (synthetic.MORE_HALVES, synthetic.more),
}
"""By family: the half of every case, and what makes it."""


@cache
def case(name: str) -> Case:
    """The case of that name."""
    for halves, make in MAKERS.values():
        if name in halves:
            return make(name)
    known = [name for halves, _ in MAKERS.values() for name in halves]
    raise SystemExit(f"unknown case {name}: need one of {', '.join(known)}")


def names(family: str, half: str = "all", only: str | None = None) -> list[str]:
    """The names of the cases of a family, of one half of it, or of a list such as "zdt1,zdt3"."""
    if family not in MAKERS:
        raise SystemExit(f"unknown family {family}: need one of {', '.join(MAKERS)}")
    found = [name for name, given in MAKERS[family][0].items() if half in ("all", given)]
    unknown = [name for name in only.split(",") if name not in found] if only else []
    if unknown:
        raise SystemExit(f"unknown cases {', '.join(unknown)}: need of {', '.join(found)}")
    return [name for name in found if only is None or name in only.split(",")]


def cases(family: str, half: str = "all", only: str | None = None) -> list[Case]:
    """The cases of those names."""
    return [case(name) for name in names(family, half, only)]
