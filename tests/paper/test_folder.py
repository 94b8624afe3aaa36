from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import camobo
from camobo.paper import folder
from camobo.paper.folder import Setting
from tests.support.paper_runs import record

SETTING = Setting("steel", 3, 0, {"objectives": 1})


def stored(place: Path, setting: Setting = SETTING) -> Path:
    """The file of one run in a folder."""
    (job,) = folder.missing(place, setting, ["paper"], 1)
    job.path.parent.mkdir()
    folder.store(job.path, record(setting))
    return job.path


class TestClaiming:
    def test_a_new_folder_holds_the_settings(self, tmp_path: Path) -> None:
        folder.claim(tmp_path / "a" / "b", SETTING)
        assert folder.read_setting(tmp_path / "a" / "b") == SETTING
        folder.claim(tmp_path / "a" / "b", SETTING)

    @pytest.mark.parametrize(
        ("other", "said"),
        [
            (Setting("steel", 5, 0, {"objectives": 1}), "iterations 3 (now 5)"),
            (Setting("steel", 3, 9, {"objectives": 1}), "seed 0 (now 9)"),
            (Setting("steel", 3, 0, {"objectives": 2}), "options {'objectives': 1}"),
            (Setting("zdt3", 3, 0, {"objectives": 1}), "experiment 'steel' (now 'zdt3')"),
            (Setting("steel", 3, 0, {"objectives": 1}, version="0.0.0"), "(now '0.0.0')"),
        ],
    )
    def test_a_folder_of_other_settings_is_refused_and_left_as_it_is(
        self, other: Setting, said: str, tmp_path: Path
    ) -> None:
        folder.claim(tmp_path, SETTING)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*")}
        with pytest.raises(camobo.InvalidOptionError, match="Give the same settings") as caught:
            folder.claim(tmp_path, other)
        assert said in str(caught.value)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*")} == before

    def test_a_folder_of_something_else_is_left_as_it_is(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(camobo.InvalidOptionError, match="other files"):
            folder.claim(tmp_path, SETTING)
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_file_in_the_folder_s_place_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("")
        with pytest.raises(camobo.InvalidOptionError, match="got the file"):
            folder.claim(tmp_path / "out", SETTING)
        with pytest.raises(camobo.InvalidOptionError, match="cannot be created"):
            folder.claim(tmp_path / "out" / "below", SETTING)

    def test_spoilt_settings_are_not_to_be_deleted(self, tmp_path: Path) -> None:
        folder.claim(tmp_path, SETTING)
        (tmp_path / "settings.json").write_text('{"exp')
        for read in (lambda: folder.claim(tmp_path, SETTING), lambda: folder.read_setting(tmp_path)):
            with pytest.raises(camobo.InvalidValueError, match=r"settings\.json.*what the runs are is unknown"):
                read()

    def test_settings_of_another_kind_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "settings.json").write_text('{"colour": "red"}')
        with pytest.raises(camobo.InvalidValueError, match=r"settings\.json: not the settings of an experiment"):
            folder.read_setting(tmp_path)

    def test_a_folder_without_settings_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(camobo.InvalidOptionError, match=r"settings\.json"):
            folder.read_setting(tmp_path)


class TestRuns:
    def test_only_what_is_missing_is_to_be_made_run_by_run(self, tmp_path: Path) -> None:
        (tmp_path / "runs").mkdir()
        for job in folder.missing(tmp_path, SETTING, ["mo-ucb", "paper"], 2):
            folder.store(job.path, record(SETTING, job.method, job.run))
        more = folder.missing(tmp_path, SETTING, ["mo-ucb", "paper", "printed"], 3)
        assert [(job.method, job.run) for job in more] == [
            ("printed", 0),
            ("printed", 1),
            ("mo-ucb", 2),
            ("paper", 2),
            ("printed", 2),
        ]
        assert [(one.method, one.run) for one in folder.load(tmp_path, SETTING)] == [
            ("mo-ucb", 0),
            ("mo-ucb", 1),
            ("paper", 0),
            ("paper", 1),
        ]

    @pytest.mark.parametrize("setting", [SETTING, Setting("forest", 3, 0, {"dataset": "wine"})])
    def test_runs_come_back_as_they_were_stored(self, setting: Setting, tmp_path: Path) -> None:
        stored(tmp_path, setting)
        (found,), made = folder.load(tmp_path, setting), record(setting)
        for name in folder.Record.__dataclass_fields__:
            one, other = getattr(found, name), getattr(made, name)
            assert np.array_equal(one, other) if isinstance(other, np.ndarray) else one == other, name

    @pytest.mark.parametrize("content", ["", "{", "[1]", "{}", '{"method": "paper"}'])
    def test_a_spoilt_run_is_named(self, content: str, tmp_path: Path) -> None:
        (tmp_path / "runs").mkdir()
        (tmp_path / "runs" / "paper-0000.json").write_text(content)
        with pytest.raises(camobo.InvalidValueError, match=r"paper-0000\.json.*Delete it"):
            folder.load(tmp_path, SETTING)

    @pytest.mark.parametrize(
        ("field", "value", "said"),
        [
            ("units", [[0.1, 0.2]], "'units' needs 3 × 2 finite numbers"),
            ("units", "abc", "could not convert"),
            ("values", [[1.0], [None], [2.0]], "'values'"),
            ("values", [[1.0], [float("inf")], [2.0]], "'values'"),
            ("values", [[1.0], [1.0, 2.0], [2.0]], "inhomogeneous"),
            ("first_values", [], "'first_values'"),
            ("method", "printed", "it holds run 0 of 'printed'"),
            ("method", ["paper"], "it holds run 0"),
            ("run", 1, "it holds run 1 of 'paper'"),
            ("run", "zero", "format code"),
            ("whole", None, "NoneType"),
        ],
    )
    def test_a_run_that_is_incomplete_or_another_s_is_named(
        self, field: str, value: object, said: str, tmp_path: Path
    ) -> None:
        path = stored(tmp_path)
        path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
        with pytest.raises(camobo.InvalidValueError, match=r"paper-0000\.json.*Delete it") as caught:
            folder.load(tmp_path, SETTING)
        assert said in str(caught.value)


class TestFiles:
    def test_a_file_that_cannot_be_written_is_named_and_nothing_is_left(self, tmp_path: Path) -> None:
        with pytest.raises(camobo.InvalidOptionError, match=r"missing/a\.json: cannot be written"):
            folder.write_json(tmp_path / "missing" / "a.json", {})
        assert list(tmp_path.iterdir()) == []

    def test_numbers_that_json_does_not_have_are_refused_before_anything_is_written(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="JSON compliant"):
            folder.write_json(tmp_path / "a.json", {"a": float("nan")})
        assert list(tmp_path.iterdir()) == []

    def test_the_machine_is_described_without_proc_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "Python" in folder.machine()

        def missing(*_: object, **__: object) -> str:
            raise FileNotFoundError

        monkeypatch.setattr(Path, "read_text", missing)
        assert "cores, Python" in folder.machine()
