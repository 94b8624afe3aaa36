"""No command shows a password: not where it works, not where it fails, not in a traceback."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from pathlib import Path

import pytest

import camobo as cm
from tests.support.commands import alloy, camobo
from tests.support.every_command import lines

SECRET = "s3cr3t"
NOWHERE = "127.0.0.1:1/alloy"  # where no server listens


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What stands for the names in command lines, apart from the study."""
    monkeypatch.chdir(tmp_path)  # for those that write where they are
    monkeypatch.setenv("COLUMNS", "1000")  # so that no secret is cut in two by the end of a line
    alloy(tmp_path)
    (tmp_path / "sheet.csv").write_text("trial,strength,corrosion\n1,5,6\n")
    files = {"problem": "alloy.toml", "sheet": "sheet.csv", "new": "new"}
    return {**{word: str(tmp_path / name) for word, name in files.items()}, "objective": "strength", "name": "anna"}


def shown(commands: Iterable[list[str]], folder: Path, *options: str) -> list[str]:
    """The command lines that showed the secret, with what they showed, or wrote it into a file."""
    guilty = []
    for line in commands:
        done = camobo(*options, *line)
        assert done.code in (0, 1, 2), (line, done)
        if SECRET in done.out + done.err:
            guilty.append(f"{[*options, *line]} -> {done.code}\n{done.out}{done.err}")
    guilty += [str(file) for file in folder.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]
    return guilty


@pytest.mark.parametrize(
    ("study", "options"),
    [
        (f"postgresql+psycopg://anna:{SECRET}@{NOWHERE}", []),
        (f"postgresql+psycopg://anna@{NOWHERE}?password={SECRET}&schema=x", ["--debug"]),
    ],
)
def test_no_command_shows_the_password_of_a_study_it_cannot_open(
    tmp_path: Path, words: dict[str, str], study: str, options: list[str]
) -> None:
    assert shown(lines(**words, study=study), tmp_path, *options) == []


@pytest.mark.parametrize("options", [[], ["--debug"]], ids=["plain", "debug"])
@pytest.mark.parametrize(
    "study",
    [
        f"postgresql://anna:{SECRET}@{NOWHERE}?schema=x",
        f"postgresql+psycopg://anna@{NOWHERE}?p%61ssword={SECRET}",
        f"postgresql+psycopg://anna@{NOWHERE}?passwort={SECRET}",
        f"postgresql+psycopg://anna@{NOWHERE}?sslpassword={SECRET}&sslkey=/no/key",
        f"postgresql+psycopg://anna@lab:{SECRET}@{NOWHERE}",
        f"postgresql+psycopg://anna:p@{SECRET}@{NOWHERE}",
        f"postgresql+psycopg://anna:12/{SECRET}?a@{NOWHERE}",
        f"postgresql+psycopg://anna:'{SECRET}' \"{SECRET}@{NOWHERE}",
        f"postgresql+psycopg://anna:{SECRET}",
        f"postgresql+psycopg://anna:{SECRET}@127.0.0.1:port/alloy",
        f"postgresql+psycopg://anna:{SECRET}@[::1/alloy",
        f"post-gres://anna:{SECRET}@h/alloy",
        f"mysql://anna:{SECRET}@{NOWHERE}?passwd={SECRET}",
        f"sqlite://anna:{SECRET}@/no/alloy.db?password={SECRET}",
        f"redis://:{SECRET}@{NOWHERE}",
        f"host=127.0.0.1 port=1 password={SECRET}",
    ],
)
def test_a_password_is_hidden_however_the_url_is_written(
    tmp_path: Path, words: dict[str, str], study: str, options: list[str]
) -> None:
    typical = [
        ["status", study],
        ["new", study],
        ["new", words["problem"], "--storage", study],
        ["new", words["problem"], "--storage", study, "--dry-run", "--json"],
        ["tell", "x.db", study, "strength=1"],
        ["export", "x.db", "-o", study],
        ["import", words["problem"], study],
        ["report", "--optuna", study],
        ["ask", study, study],
    ]
    assert shown(typical, tmp_path, *options) == []


@pytest.mark.parametrize(("placed", "options"), [("before the server", ["--debug"]), ("in the query", [])])
def test_no_command_shows_the_password_of_a_study_on_a_server(
    tmp_path: Path, words: dict[str, str], server: str, placed: str, options: list[str]
) -> None:
    url = f"{server}&schema=study_{uuid.uuid4().hex[:12]}"
    assert ":@/" in url, "without a password, which this server does not ask for"
    url = url.replace(":@/", f":{SECRET}@/") if placed == "before the server" else f"{url}&password={SECRET}"
    done = camobo("new", words["problem"], "--storage", url)
    assert (done.code, SECRET in done.out + done.err) == (0, False)
    assert camobo("ask", url, "-n", "5").code == 0
    assert camobo("tell", url, "0", "strength=400", "corrosion=0.5").code == 0
    assert shown(lines(**words, study=url), tmp_path, *options) == []
    assert len(cm.Study.load(url).log()) > 10, "most of them worked"


def test_what_is_hidden_in_a_hint_is_asked_for_when_the_hint_is_followed(words: dict[str, str]) -> None:
    done = camobo("status", f"postgresql+psycopg://anna:***@{NOWHERE}")
    assert done.code == 1
    assert "the password in the URL is ***, as it is shown. Write the real one" in done.err


def test_a_hint_shows_the_whole_url_but_for_the_password(words: dict[str, str], server: str) -> None:
    url = f"{server}&schema=study_{uuid.uuid4().hex[:12]}"
    assert camobo("new", words["problem"], "--storage", url).code == 0
    hint = camobo("ask", f"{url}&password={SECRET}").err
    assert f"camobo tell '{url}&password=***' 0 strength=… corrosion=…" in hint


class TestInPython:
    @pytest.mark.parametrize(
        "url", [f"postgresql+psycopg://anna:{SECRET}@{NOWHERE}", f"postgresql+psycopg://h:1/d?password={SECRET}"]
    )
    def test_an_error_does_not_show_it(self, url: str) -> None:
        with pytest.raises(cm.StorageError) as caught:
            cm.Study.load(url)
        assert SECRET not in str(caught.value) + repr(caught.value)

    def test_neither_the_study_nor_its_storage_does(self, server: str) -> None:
        url = f"{server}&schema=study_{uuid.uuid4().hex[:12]}&password={SECRET}"
        with cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, storage=url) as study:
            assert SECRET not in f"{study} {study!r} {study.storage} {study._ledger.store!r}"
            assert "password=***" in study.storage
