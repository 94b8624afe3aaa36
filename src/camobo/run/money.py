"""Money as a run shows it."""

from __future__ import annotations

from typing import Protocol


class Money(Protocol):
    """What a run shows of a study's money; `insight.purse.Purse` is one."""

    @property
    def spent(self) -> float:
        """What was spent so far."""
        ...

    @property
    def budget(self) -> float | None:
        """What may be spent; None without a budget in money."""
        ...

    @property
    def unit(self) -> str:
        """Such as "EUR", or empty."""
        ...

    @property
    def in_money(self) -> bool:
        """Whether any amount is known."""
        ...


def amount(money: float) -> str:
    """An amount with four digits; whole from 10000 on.

    >>> amount(41.5), amount(1987.43), amount(123456.7)
    ('41.5', '1987', '123457')
    """
    return f"{money:.4g}" if abs(money) < 1e4 - 0.5 or abs(money) >= 1e15 else f"{money:.0f}"


def spent_of(spent: float, budget: float | None = None, unit: str = "") -> str:
    """What was spent, and of what.

    >>> spent_of(41.5, 2000.0, "EUR"), spent_of(17.5)
    ('41.5 of 2000 EUR', '17.5')
    """
    of = "" if budget is None else f" of {amount(budget)}"
    return f"{amount(spent)}{of} {unit}".rstrip()
