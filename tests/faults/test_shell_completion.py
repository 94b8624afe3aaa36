"""TAB runs nothing from a file that somebody else wrote: tried in real shells at a real terminal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import camobo as cm
from tests.support.terminals import shell

RUN = "$(touch hurt-{})"
BAIT = (
    "a\\" + RUN,  # Typer escapes the dollar, not the backslash before it
    "z" + RUN.replace(" ", "${{IFS}}"),
    "q" + RUN.replace(" ", "${{IFS}}"),  # the only one with a q: bash inserts it whole
    "z`touch hurt-{}`",
    "\"z'" + RUN,
    "z'" + RUN + "'",
    "z;touch hurt-{};",
    "z|touch hurt-{}",
    "z\ntouch hurt-{}\n",
    "z))'b((" + RUN,
    "=z(e:touch hurt-{}:)",
    "z\\\\" + RUN,
)
"""Words that shells run if they are inserted as they are, or escaped for another shell. Each leaves its own file."""
TYPED = {
    "camobo tell evil.db ": False,
    "camobo tell evil.db 1 ": False,
    "camobo tell evil.db 1 z": True,
    "camobo front evil.db --sort ": False,
    "camobo front evil.db --sort a": True,
    "camobo front evil.db --sort q": True,
}
"""What is typed before TAB, and whether Enter follows, which runs what was inserted."""


def bait(start: int) -> list[str]:
    return [word.format(start + i) for i, word in enumerate(BAIT)]


def evil(folder: Path) -> None:
    """A study all of whose names are bait, beside plain ones."""
    space = cm.Space({**{name: cm.Real(0, 1) for name in bait(0)}, "c": cm.Categorical([*bait(100), "oil"])})
    objectives = [*bait(200), "ductility", "weight"]
    with cm.Study(space, dict.fromkeys(objectives, "max"), seed=1, storage=folder / "evil.db") as study:
        for word in bait(300):
            study.ask(owner=word)


def hurt(folder: Path) -> list[str]:
    """The files that words left because they were run."""
    return sorted(path.name for path in folder.rglob("*hurt*"))


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
class TestTab:
    @pytest.fixture
    def folder(self, tmp_path: Path, name: str) -> Path:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed: apt-get install {name}")
        evil(tmp_path)
        return tmp_path

    def test_names_in_a_study_are_not_run(self, folder: Path, name: str) -> None:
        with shell(name, folder) as terminal:
            for line, enter in TYPED.items():
                terminal.complete(line, enter=enter)
                assert hurt(folder) == [], line

    def test_names_of_files_are_not_run(self, folder: Path, name: str) -> None:
        words = [word for word in bait(400) if "/" not in word]
        for word in words:
            (folder / f"{word}.db").touch()
            (folder / f"{word}.toml").touch()
        before = hurt(folder)
        with shell(name, folder) as terminal:
            for line in ("camobo status ", "camobo status a", "camobo new q"):
                terminal.complete(line, enter=line != "camobo status ")
                assert hurt(folder) == before, line

    def test_plain_names_are_completed_and_remarks_are_reduced_to_plain_characters(
        self, folder: Path, name: str
    ) -> None:
        with shell(name, folder) as terminal:
            for line, offered in (
                ("camobo front evil.db --sort duct", "ductility"),
                ("camobo tell evil.db 1 weig", "weight="),
                ("camobo stat", "status"),
                ("camobo explain ev", "evil.db"),
            ):
                assert offered in terminal.complete(line, enter=False)
            assert name == "bash" or "a_(touch hurt-0)=0." in terminal.complete("camobo explain evil.db ", enter=False)
