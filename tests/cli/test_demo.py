from __future__ import annotations

from pathlib import Path

import pytest

import camobo as cm
from camobo.cli import begin, demo
from tests.support.commands import camobo


class TestFurnace:
    def test_chromium_protects_and_too_much_of_it_weakens(self) -> None:
        melts = [demo.furnace({"nickel": 2.0, "chromium": c, "soak": 3, "quench": "air"}) for c in (0.0, 11.0, 20.0)]
        none, some, much = melts
        assert none["corrosion"] > some["corrosion"] > much["corrosion"]
        assert some["strength"] > max(none["strength"], much["strength"])

    def test_a_harder_quench_trades_corrosion_for_strength(self) -> None:
        air, oil, water = (
            demo.furnace({"nickel": 2.0, "chromium": 8.0, "soak": 3, "quench": quench})
            for quench in ("air", "oil", "water")
        )
        assert air["strength"] < oil["strength"] < water["strength"]
        assert air["corrosion"] < oil["corrosion"] < water["corrosion"]


def test_it_finds_most_of_the_front_for_less_nickel_than_without_cost_and_the_study_can_be_kept(tmp_path: Path) -> None:
    done = camobo("demo", "--keep", tmp_path / "demo.db", "--json")
    assert done.code == 0
    compared = done.json["compared"]
    until = {label: found["nickel_until"]["90%"] for label, found in compared.items()}
    assert until["aware"] < until["blind"]
    assert compared["aware"]["nickel"] < compared["blind"]["nickel"]
    assert compared["aware"]["hypervolume"] > 0.99 * compared["blind"]["hypervolume"]
    kept = cm.Study.load(tmp_path / "demo.db")
    assert len(kept.trials) == 40
    assert {trial["number"] for trial in done.json["trials"]} == {trial.number for trial in kept.front()}
    again = camobo("demo", "--keep", tmp_path / "demo.db")
    assert again.code == 1
    assert "is a database, perhaps a study" in again.err


def test_it_shows_the_front_and_both_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = begin.example_problem().replace("budget = 40", "budget = 4")
    monkeypatch.setattr(begin, "example_problem", lambda: short)
    done = camobo("demo", "--keep", tmp_path / "my demo.db")
    assert done.code == 0
    assert done.out.startswith("4 melts with the cost order nickel > chromium. The front:\n")
    assert "strength (max)" in done.out
    assert "nickel used until so much of the best front was found" in done.out
    assert f"Look at it: camobo status '{tmp_path}/my demo.db'" in done.err
