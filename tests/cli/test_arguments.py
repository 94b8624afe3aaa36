from __future__ import annotations

from pathlib import Path

import pytest

import camobo as cm
from camobo.cli import arguments
from tests.support.commands import alloy, apart, camobo


class TestOpeningAStudy:
    def test_a_problem_file_in_place_of_a_study_leads_to_its_study(self, tmp_path: Path) -> None:
        study = alloy(tmp_path)
        with pytest.raises(cm.InvalidOptionError, match="is a problem file, not a study; its study is") as caught:
            arguments.open_study(str(tmp_path / "alloy.toml"))
        assert str(study) in str(caught.value)

    def test_a_problem_file_without_a_study_leads_to_the_command_that_creates_it(self, tmp_path: Path) -> None:
        problem = str(tmp_path / "my alloy.toml")
        with pytest.raises(cm.InvalidOptionError, match=r"create its study with: camobo new '.*my alloy\.toml'"):
            arguments.open_study(problem)

    def test_the_study_of_a_problem_is_stored_next_to_it(self) -> None:
        assert arguments.study_of_problem("data/alloy.toml") == str(Path("data/alloy.db"))
        assert arguments.with_ending("alloy.v2.db", ".html") == "alloy.v2.html"

    @pytest.mark.parametrize("place", ["", ".", "/"])
    def test_a_place_without_a_file_name_is_refused(self, place: str) -> None:
        with pytest.raises(cm.InvalidOptionError, match="need the name of a file"):
            arguments.with_ending(place, ".html")


class TestCompletion:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def completed(self, monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
        """What the shell offers for the last word of a command line."""
        with monkeypatch.context() as patch:
            for name, value in completion_variables(line).items():
                patch.setenv(name, value)
            done = camobo()
        assert done.err == ""
        return done.out.split()

    def test_studies_trials_and_objectives_are_completed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        study = alloy(tmp_path)
        (tmp_path / "alloy.csv").touch()
        camobo("ask", study, "-n", "2")
        camobo("tell", study, "0", "strength=1", "corrosion=1")
        for line, offered in {
            "stat": ["status"],
            "tell al": ["alloy.db"],
            "new al": ["alloy.toml"],
            "run al": ["alloy.db", "alloy.toml"],
            "import alloy.db al": ["alloy.csv"],
            "set al": ["alloy.db"],
            "set alloy.db --prices al": ["alloy.csv"],
            "new alloy.toml --prices al": ["alloy.csv"],
            "set alloy.db --th": ["--thrift"],
            "tell alloy.db ": ["1"],
            "amend alloy.db ": ["0", "1"],
            "amend alloy.db 1": ["1"],
            "log alloy.db --trial ": ["0", "1"],
            "tell alloy.db 1 str": ["strength="],
            "tell alloy.db 1 strength=5 ": ["corrosion="],
            "front alloy.db --sort ": ["strength", "corrosion"],
        }.items():
            assert self.completed(monkeypatch, line) == offered, line

    @pytest.mark.parametrize("line", ["tell none.db ", "tell none.db 1 ", "front none.db --sort ", "status none/"])
    def test_a_study_that_cannot_be_opened_completes_to_nothing(
        self, monkeypatch: pytest.MonkeyPatch, line: str
    ) -> None:
        assert self.completed(monkeypatch, line) == []

    def test_folders_are_offered_and_hidden_files_are_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "lab").mkdir()
        for name in ("lab/a.db", "lab/b.toml", "lab/.c.db"):
            (tmp_path / name).touch()
        assert self.completed(monkeypatch, "status l") == ["lab/"]
        assert self.completed(monkeypatch, "status lab/") == ["lab/a.db"]
        assert self.completed(monkeypatch, "status lab/.") == ["lab/.c.db"]
        assert self.completed(monkeypatch, f"status {tmp_path}/la") == [f"{tmp_path}/lab/"]

    def test_a_shell_gets_the_same(self, tmp_path: Path) -> None:
        camobo("ask", alloy(tmp_path))
        done = apart(env=completion_variables("tell alloy.db "), cwd=tmp_path)
        assert (done.out.split(), done.err) == (["0"], "")


def completion_variables(line: str) -> dict[str, str]:
    """The environment in which bash asks for completions of a line."""
    words = ["camobo", *line.split(" ")]
    return {
        "_CAMOBO_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
