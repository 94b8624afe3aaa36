from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.cli import arguments
from tests.support.commands import alloy, apart, camobo
from tests.support.every_command import commands
from tests.support.strategies import law


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
            "add alloy.db ": ["nickel=", "chromium=", "soak=", "quench=", "strength=", "corrosion="],
            "add alloy.db soak=3 s": ["strength="],
            "add alloy.db quench=": ["quench=air", "quench=oil", "quench=water"],
            "add alloy.db quench=o": ["quench=oil"],
            "add alloy.db nickel=": [],
            "ask alloy.db --fix q": ["quench="],
            "ask alloy.db --fix quench=o": ["quench=oil"],
            "ask alloy.db --same so": ["soak"],
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


class TestWhatIsOffered:
    @law
    @given(st.lists(st.text() | st.tuples(st.text(), st.text())))
    def test_nothing_that_a_shell_interprets(self, found: list[arguments.Offer]) -> None:
        for each in arguments.offered(found):
            word, remark = (each, "") if isinstance(each, str) else each
            assert word
            assert all(letter.isalnum() or letter in "_./+%-=" for letter in word)
            assert not word.startswith(("-", "=", "~", "%", "+"))
            assert "=" not in word[:-1]
            assert all(letter.isalnum() or letter in "_./+% ,=()-" for letter in remark)
            assert len(remark) <= 100

    def test_every_number_and_plain_name(self) -> None:
        plain: list[arguments.Offer] = [
            ("12", "nickel=3.5, quench=oil (pending)"),
            "salt_spray=",
            "../lab/a-1.db",
            "Härte",
        ]
        assert arguments.offered(plain) == plain

    def test_every_parameter_that_completes_offers_nothing_else(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        evil = ["z$(reboot)", "z`reboot`", "z\\$(reboot)", "z;reboot", "z reboot", "zed"]
        space = cm.Space({"x": cm.Categorical(evil)})
        with cm.Study(space, dict.fromkeys(evil, "min"), storage="z.db") as study:
            study.ask()
        for name in evil:
            (tmp_path / f"{name}.d").mkdir()
            for ending in ("db", "toml", "csv", "md"):
                (tmp_path / f"{name}.{ending}").touch()
        asked = 0
        for name, command in commands().items():
            for parameter in command.params:
                context = SimpleNamespace(params={"study": "z.db"}, args=[], token_normalize_func=None)
                for typed in ("", "z", "z$(reboot)", "z\\$(reboot)"):
                    for item in parameter.shell_complete(context, typed):
                        asked += 1
                        assert not set("$`\\;() ") & set(item.value), (name, parameter.name, item.value)
                        assert not set("$`\\;") & set(item.help or ""), (name, parameter.name, item.help)
        assert asked > 100
