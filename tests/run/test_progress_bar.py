"""The progress bar on a pseudo-terminal, and in silence."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import camobo as cm
from camobo.insight.purse import Purse
from camobo.run.progress_bar import facts, progress_bar

NOTHING = Purse(0.0, 0, 0.0, 0.0, None, "", None)


class Terminal:
    """A pseudo-terminal in place of standard error."""

    def __init__(self) -> None:
        self.master, slave = pty.openpty()
        self.stderr = os.fdopen(slave, "w", encoding="utf-8")

    def shown(self) -> str:
        """What was written so far, without colours."""
        self.stderr.flush()
        os.set_blocking(self.master, False)
        pieces = b""
        try:
            while piece := os.read(self.master, 65536):
                pieces += piece
        except BlockingIOError:
            pass
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", pieces.decode())

    def close(self) -> None:
        self.stderr.close()
        os.close(self.master)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    for name, value in {"COLUMNS": "150", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    found = Terminal()
    yield found
    found.close()


def optimized(**options: Any) -> cm.Study:
    space = cm.Space({"nickel": cm.Real(0, 1), "q": cm.Categorical(["air", "oil"], expensive=["oil"])})
    study = cm.Study(space, {"y": "min"}, seed=1, cost="nickel > q")
    return study.optimize(lambda p: {"y": p["nickel"]}, 4, **options)


def test_a_terminal_shows_trials_done_hypervolume_use_of_inputs_and_time_left(terminal: Terminal) -> None:
    with contextlib.redirect_stderr(terminal.stderr):
        optimized()
    shown = terminal.shown()
    for part in ("0/4", "4/4", "hypervolume", "used nickel", "q air", "0:00:0"):
        assert part in shown


def test_what_looks_like_markup_is_shown_as_it_is(terminal: Terminal) -> None:
    with contextlib.redirect_stderr(terminal.stderr), progress_bar(3, wanted=True) as show:
        assert show is not None
        show(2, (1.5, Purse(20.0, 1, 0.0, 0.0, None, "", None), {"[red]": 3.0}))
    shown = terminal.shown()
    assert "2/3" in shown
    assert "hypervolume 1.5 · spent 20 · used [red] 3" in shown


def test_nothing_is_shown_on_a_terminal_if_it_is_not_wanted(terminal: Terminal) -> None:
    with contextlib.redirect_stderr(terminal.stderr):
        optimized(progress=False)
    assert terminal.shown() == ""


def test_nothing_is_shown_without_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    optimized()
    assert capfd.readouterr() == ("", "")


def test_a_process_without_standard_error_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with progress_bar(3, wanted=True) as show:
        assert show is None


def test_a_hypervolume_that_no_float_holds_is_said_in_words() -> None:
    assert facts(float("inf"), NOTHING, {}) == "hypervolume too large to compute"


@pytest.mark.parametrize(
    ("money", "said"),
    [
        (NOTHING, ""),
        (Purse(17.5, 1, 0.0, 9.0, None, "", None), " · spent 17.5"),
        (Purse(40.0, 1, 1.5, 9.0, 2000.0, "EUR", None), " · spent 41.5 of 2000 EUR"),
        (Purse(0.0, 0, 0.0, 0.0, 2000.0, "", None), " · spent 0 of 2000"),
    ],
)
def test_spending_is_shown_where_an_amount_is_known_or_there_is_a_budget_in_money(money: Purse, said: str) -> None:
    assert facts(12.3456, money, {}) == f"hypervolume 12.35{said}"


def test_inputs_used_are_summed_and_choices_counted() -> None:
    used = {"nickel": 32.125, "quench": {"air": 2, "oil": 1}}
    assert facts(1.0, NOTHING, used) == "hypervolume 1 · used nickel 32.1 · quench air 2, oil 1"


def test_with_a_budget_in_money_only_the_bar_shows_how_much_of_it_is_spent(terminal: Terminal) -> None:
    with contextlib.redirect_stderr(terminal.stderr), progress_bar(None, wanted=True) as show:
        assert show is not None
        show(1, (1.5, Purse(30.0, 1, 10.0, 20.0, 80.0, "EUR", None), {}))
    half = terminal.shown().split("\r")[2]
    assert half.startswith("budget ")
    assert "1 trial hypervolume 1.5 · spent 40 of 80 EUR" in half
    bar = half.split()[1]
    assert bar.index("╺") == len(bar) / 2


def test_a_study_with_a_budget_in_money_only_shows_it_until_it_is_spent(terminal: Terminal) -> None:
    space = cm.Space({"nickel": cm.Real(0, 1)})
    study = cm.Study(
        space, {"y": "min"}, seed=1, cost=cm.Prices({}, per_trial=10), budget=cm.Budget(cost=40, unit="EUR")
    )
    with contextlib.redirect_stderr(terminal.stderr):
        study.optimize(lambda p: ({"y": p["nickel"]}, 10.0))
    shown = terminal.shown()
    for part in ("0 trials", "spent 0 of 40 EUR", "4 trials", "spent 40 of 40 EUR"):
        assert part in shown


def test_a_name_cannot_repaint_the_terminal(terminal: Terminal) -> None:
    line = facts(1.0, NOTHING, {"a\x1b[2J\u202e": {"\x9b5m": 1}})
    assert line.isprintable()
    assert "a\\x1b[2J\\u202e \\x9b5m 1" in line
