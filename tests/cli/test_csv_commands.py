from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import camobo as cm
from tests.support.cells import HOSTILE, RUN_AS_FORMULA
from tests.support.commands import alloy, camobo


class TestRoundTrip:
    def test_a_study_taken_elsewhere_is_the_same_there(self, tmp_path: Path) -> None:
        space = cm.Space({"x": cm.Real(-5, 5), "=n": cm.Integer(-3, 3), "kind": cm.Categorical(HOSTILE)})
        goals: Any = {"y": "max", "-z": "min"}
        study = cm.Study(space, goals, seed=1, storage=tmp_path / "a.db")
        for i, text in enumerate(HOSTILE):
            trial = study.add(
                {"x": i / 7 - 3, "=n": i % 7 - 3, "kind": text}, {"y": -i / 3, "-z": 1e-300 * i}, note=text
            )
            assert trial.note == text
        assert camobo("export", tmp_path / "a.db", "-o", tmp_path / "a.csv").code == 0
        for row in csv.reader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8-sig"), newline="")):
            for cell in row:
                numeric = cell.lstrip("-").replace(".", "").replace("e", "").replace("-", "").isdigit()
                assert numeric or not cell.startswith(RUN_AS_FORMULA)
        again = cm.Study(space, goals, seed=1, storage=tmp_path / "b.db")
        assert camobo("import", tmp_path / "b.db", tmp_path / "a.csv").code == 0
        assert [(t.params, t.values) for t in again.trials] == [(t.params, t.values) for t in study.trials]
        blank = {text for text in HOSTILE if not text.strip()}
        kept = [(a.note, b.note) for a, b in zip(study.trials, again.trials, strict=True) if a.note not in blank]
        assert all(ours == theirs for ours, theirs in kept)

    def test_importing_twice_adds_nothing_twice(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        file = tmp_path / "old.csv"
        row = "1,2,3,oil,400,0.5"
        file.write_text(
            f"nickel;chromium;soak;quench;strength;corrosion\n{row.replace(',', ';')}\n", encoding="utf-8-sig"
        )
        first, second = camobo("import", study, file, "--json"), camobo("import", study, file, "--json")
        assert (len(first.json["trials"]), first.json["there_before"]) == (1, 0)
        assert (len(second.json["trials"]), second.json["there_before"]) == (0, 1)
        (trial,) = cm.Study.load(study).trials
        assert trial.added

    def test_only_what_is_asked_for_is_exported(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        camobo("ask", study, "-n", "4")
        camobo("tell", study, "0", "strength=1", "corrosion=1")
        camobo("tell", study, "1", "strength=2", "corrosion=0.5")
        camobo("fail", study, "2", "-r", "=cracked")
        for only, numbers in (("all", "0123"), ("front", "1"), ("complete", "01"), ("failed", "2"), ("pending", "3")):
            text = camobo("export", study, "--only", only).out
            assert [row["trial"] for row in csv.DictReader(io.StringIO(text))] == list(numbers)
        assert "'=cracked" in camobo("export", study).out

    def test_a_study_without_trials_is_a_line_of_column_names(self, tmp_path: Path) -> None:
        done = camobo("export", alloy(tmp_path))
        assert done.out == "trial,state,nickel,chromium,soak,quench,strength,corrosion,cost,note,reason,owner,added\n"

    def test_what_was_skipped_is_counted(self, tmp_path: Path) -> None:
        study, file = alloy(tmp_path), tmp_path / "old.csv"
        head = "nickel,chromium,soak,quench,strength,corrosion\n"
        file.write_text(head + "1,2,3,oil,400,0.5\n1,2,3,oil,,\n")
        assert camobo("import", study, file).out == "1 added; skipped: 1 without results.\n"
        assert camobo("import", study, file).out == "0 added, 1 already in the study; skipped: 1 without results.\n"
