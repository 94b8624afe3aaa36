from __future__ import annotations

import time

import pytest

from camobo.paper.progress import in_lines


def test_a_line_comes_at_a_tenth_but_not_more_than_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with in_lines(100) as step:
        for made in range(1, 101):
            now = 9.0 * made
            step()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "10% of the iterations after 2 min, about 14 min left"
    assert [line.split("%")[0] for line in lines] == [str(10 * tenth) for tenth in range(1, 11)]


def test_quick_ones_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with in_lines(50) as step:
        for _ in range(50):
            step()
    assert capsys.readouterr().err == ""
