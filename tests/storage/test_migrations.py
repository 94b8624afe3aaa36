"""Studies of an older format, looked at and changed by this version.

`format_1.db` was written by the version before; `format_1.json` holds its trials, their notes as sentences, the
predictions of its `explain(10)`, and the params of its next `ask(2)`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

import camobo as cm
from camobo.cli import arguments
from camobo.storage import sql
from camobo.storage.formats import FORMAT, OLDEST
from camobo.storage.migrations import MIGRATIONS
from camobo.storage.schema import TABLES
from camobo.storage.sql import open_sql
from camobo.strategy.notes import Note, Reason
from tests.support.processes import Say, forked, heard

HERE = Path(__file__).parent
OLD = HERE / "format_1.db"
EXPECTED = json.loads((HERE / "format_1.json").read_text(encoding="utf-8"))


REASONS = {
    "added by hand": Reason.ADDED,
    "initial design": Reason.INITIAL_DESIGN,
    "initial design, the cheapest left: the space is small": Reason.CHEAPEST_LEFT,
    "initial design, drawn at random: the space is small": Reason.RANDOM_LEFT,
    "improves the front": Reason.IMPROVES_FRONT,
    "explores beyond the front": Reason.EXPLORES,
    "learns where it is cheap": Reason.LEARNS_CHEAPLY,
    "looks elsewhere: much of what it saw is noise": Reason.LOOKS_ELSEWHERE,
    "looks for a feasible point": Reason.SEEKS_FEASIBLE,
    "Algorithm 1": Reason.ALGORITHM_1,
}
"""Every sentence of format 1 without numbers in it; the first was never stored."""
UNKNOWN = (
    "",
    "a sentence nobody knows",
    "improves the front, a little",
    "model of 'a'b': jitter 1e-08 was needed to factorise its covariance",
    "model of 'a': jitter much was needed to factorise its covariance",
)


def stored(path: Path, query: str) -> list[Any]:
    mode = "immutable=1" if path == OLD else "mode=ro"  # or SQLite would write beside it even to read it
    connection = sqlite3.connect(f"file:{path}?{mode}", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


OLD_EVENTS = [
    {"number": number, "kind": kind, "trial": trial, "when": at, "who": who, "new": json.loads(new), "old": old}
    for number, kind, trial, at, who, new, text in stored(OLD, "SELECT * FROM events ORDER BY number")
    for old in [None if text is None else json.loads(text)]
]


def without_notes(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**event, "new": {key: fact for key, fact in event["new"].items() if key != "notes"}} for event in events]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of the old file."""
    return Path(shutil.copy(OLD, tmp_path / "alloy.db"))


@pytest.fixture
def schema(server: str) -> Iterator[str]:
    """The URL of the old study on a PostgreSQL server, its rows copied from the file."""
    name = f"old_{uuid.uuid4().hex[:12]}"
    engine = sa.create_engine(server, execution_options={"schema_translate_map": {None: name}})
    with engine.begin() as connection:
        connection.execute(sa.schema.CreateSchema(name))
        TABLES.create_all(connection)
        for table in TABLES.sorted_tables:
            texts = [column.name for column in table.c if isinstance(column.type, sa.JSON)]
            for row in stored(OLD, f"SELECT {', '.join(table.c.keys())} FROM {table.name}"):
                facts = dict(zip(table.c.keys(), row, strict=True))
                read = {text: None if facts[text] is None else json.loads(facts[text]) for text in texts}
                flags = {
                    column.name: bool(facts[column.name]) for column in table.c if isinstance(column.type, sa.Boolean)
                }
                connection.execute(sa.insert(table), {**facts, **read, **flags})
    yield f"{server}&schema={name}"
    with engine.begin() as connection:
        connection.execute(sa.schema.DropSchema(name, cascade=True))
    engine.dispose()


@pytest.fixture(params=["path", "schema"])
def old(request: pytest.FixtureRequest) -> Any:
    """The old study, in a file and on a server."""
    return request.getfixturevalue(request.param)


def format_and_document(place: Any) -> tuple[int, Any]:
    """What is stored, read without camobo's own opening."""
    if isinstance(place, Path):
        ((number, document),) = stored(place, "SELECT format, document FROM study")
        return number, json.loads(document)
    url = sa.make_url(place)
    engine = sa.create_engine(url.difference_update_query(["schema"]))
    with engine.connect() as connection:
        number, document = connection.execute(
            sa.text(f"SELECT format, document FROM {url.query['schema']}.study")
        ).one()
    engine.dispose()
    return number, document


def change(place: Any) -> None:
    """A change of nothing, which converts what is stored."""
    with contextlib.closing(open_sql(str(place), create=False)) as store, store.transaction():
        pass


def contents(path: Path) -> tuple[list[Any], list[Any]]:
    return stored(path, "SELECT * FROM study"), stored(path, "SELECT * FROM events")


class TestLooking:
    def test_a_study_that_is_only_looked_at_stays_as_it_is(self, old: Any) -> None:
        before = format_and_document(old)
        with cm.Study.load(old) as study:
            study.front(), study.log(), study.explain(5), study.usage()
            notes = [note for event in study.log() for note in event.new.get("notes", ())]
            assert all(set(note) == {"reason"} for note in notes)
        assert format_and_document(old) == before

    def test_neither_completion_nor_another_problem_of_the_same_name_converts_it(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = contents(path)
        monkeypatch.chdir(path.parent)
        context: Any = SimpleNamespace(params={"study": path.name}, args=[])
        assert len(list(arguments.all_trials(context, ""))) == 16
        with pytest.raises(cm.InvalidOptionError, match="holds another study"):
            cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, storage=path)
        assert contents(path) == before

    def test_a_file_that_may_not_be_written_can_be_looked_at_and_says_why_it_cannot_be_changed(self) -> None:
        folder = Path(tempfile.mkdtemp())  # not pytest's own, which other users may not enter
        path = Path(shutil.copy(OLD, folder / "alloy.db"))

        def work(say: Say) -> None:
            if os.geteuid() == 0:  # root may write anywhere
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
            study = cm.Study.load(path)
            say(len(study.trials))
            try:
                study.ask()
            except cm.StorageError as error:
                say(str(error))

        try:
            path.chmod(0o444)
            folder.chmod(0o555)
            process, file = forked(work)
            trials, said = heard(file.readlines())
            file.close()
            assert os.waitpid(process, 0)[1] == 0
            assert trials == 16
            assert "readonly" in said
            assert "check the permissions" in said
        finally:
            folder.chmod(0o700)
            shutil.rmtree(folder)


class TestTheSameStudy:
    def test_trials_log_notes_and_the_next_suggestions_are_as_before(self, old: Any) -> None:
        with cm.Study.load(old) as study:
            assert [dict(trial.params) for trial in study.trials] == EXPECTED["trials"]
            assert [[note.reason for note in trial.notes] for trial in study.trials] == [
                [REASONS[sentence] for sentence in sentences] for sentences in EXPECTED["notes"]
            ]
            log = [event.as_dict() for event in study.log()]
            assert without_notes(log) == without_notes(OLD_EVENTS)
            explained = study.explain(10).predictions
            # The old version ran on another processor, whose BLAS rounds the last digits otherwise.
            for name, prediction in explained.items():
                assert list(prediction) == pytest.approx(EXPECTED["explained"][name], rel=1e-10)
            for trial, expected in zip(study.ask(2), EXPECTED["next"], strict=True):
                for name, value in expected.items():
                    same = pytest.approx(value, rel=1e-6) if isinstance(value, float) else value
                    assert trial.params[name] == same

    def test_trials_have_the_states_values_costs_and_remarks_they_had(self, path: Path) -> None:
        query = "SELECT number, state, params, results, cost, note, reason, owner, added, amended FROM trials"
        with cm.Study.load(path) as study:
            for trial, row in zip(study.trials, stored(OLD, f"{query} ORDER BY number"), strict=True):
                number, state, params, results, cost, note, reason, owner, added, amended = row
                assert (trial.number, trial.state.value, dict(trial.params)) == (number, state, json.loads(params))
                assert dict(trial.values or {}) == json.loads(results or "{}")
                assert (trial.cost, trial.note, trial.reason, trial.owner) == (cost, note, reason, owner)
                assert (trial.added, trial.amended) == (bool(added), bool(amended))

    def test_what_is_stored_says_expensive_and_has_the_new_format(self, old: Any) -> None:
        before = format_and_document(old)
        assert before[0] == 1
        change(old)
        number, document = format_and_document(old)
        assert number == FORMAT
        assert [given["expensive"] for given in document["space"].values()] == [
            "high",
            "low",
            "high",
            ["vacuum", "oil"],
        ]
        assert not any("dear" in given for given in document["space"].values())
        renamed = {
            name: {"expensive" if key == "dear" else key: value for key, value in given.items()}
            for name, given in before[1]["space"].items()
        }
        assert document == {**before[1], "space": renamed}

    def test_notes_are_stored_as_data(self, path: Path) -> None:
        change(path)
        notes = [
            json.loads(new)["notes"]
            for (new,) in stored(path, "SELECT new FROM events WHERE kind = 'asked'")
            if "notes" in json.loads(new)
        ]
        assert len(notes) == 15
        assert all(list(note) == ["reason"] for found in notes for note in found)

    def test_the_same_study_given_in_python_continues(self, path: Path) -> None:
        space = cm.Space(
            {
                "nickel": cm.Real(0, 20, step=0.1, unit="%"),
                "grain": cm.Real(0.1, 10, log=True, expensive="low"),
                "soak": cm.Integer(1, 12, unit="h"),
                "quench": cm.Categorical(["air", "oil", "vacuum"], expensive=["vacuum", "oil"]),
            }
        )
        goals: Any = {"strength": "max", "corrosion": "min"}
        order = "nickel > soak, quench > grain"
        with cm.Study(space, goals, cost=order, budget=40, seed=7, storage=path) as study:
            assert len(study.trials) == 16

    @pytest.mark.parametrize(
        ("statement", "said"),
        [
            ("DELETE FROM events WHERE number = 3", "event 3 is missing"),
            ("UPDATE study SET document = replace(document, '\"low\":0,', '\"low\":99,')", "low must be below high"),
            ('UPDATE study SET document = replace(document, \'"dear":"low"\', \'"dear":"{0}"\')', "expensive must be"),
            (
                """UPDATE events SET new = json_set(new, '$.notes', 'initial design') WHERE number = 1""",
                "event 1 cannot be read",
            ),
            (
                """UPDATE events SET new = json_set(new, '$.notes', json('[5]')) WHERE number = 1""",
                "event 1 cannot be read",
            ),
            ("UPDATE events SET new = '[]' WHERE number = 1", "damaged"),
            ("UPDATE study SET document = '{}'", "damaged"),
            ("UPDATE study SET document = '[3]'", "damaged"),
            ('UPDATE study SET document = \'{"space": {"a": 3}}\'', "damaged"),
            ("UPDATE study SET document = 'x'", "damaged"),
            ("UPDATE events SET new = '{\"notes\": 3}' WHERE number = 1", "damaged"),
            ("UPDATE events SET new = '{\"notes\": [3]}' WHERE number = 1", "damaged"),
            ("UPDATE events SET new = 'x' WHERE number = 1", "damaged"),
        ],
    )
    def test_a_damaged_study_is_refused_and_stays_as_it_was(self, path: Path, statement: str, said: str) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()
        before = contents(path)
        with pytest.raises(cm.StorageError, match=said):
            cm.Study.load(path)
        assert contents(path) == before

    def test_changed_again_nothing_is_converted(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        change(path)
        monkeypatch.setattr(sql, "MIGRATIONS", {})
        change(path)
        assert len(cm.Study.load(path).trials) == 16

    def test_an_older_process_that_still_has_it_open_does_no_harm(self, path: Path) -> None:
        change(path)
        study = cm.Study.load(path)
        facts = {**OLD_EVENTS[1]["new"], "notes": ["improves the front"]}
        row = (len(OLD_EVENTS), "asked", 16, OLD_EVENTS[1]["when"], "anna", json.dumps(facts), None)
        writer = sqlite3.connect(path)
        writer.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        writer.commit()
        writer.close()
        assert [note.reason for note in study.trials[16].notes] == [Reason.IMPROVES_FRONT]
        assert len(cm.Study.load(path).trials) == 17


class TestOneTransaction:
    @pytest.mark.parametrize("after", [False, True], ids=["in the middle", "at its end"])
    def test_a_failure_leaves_the_old_format_untouched(
        self, old: Any, after: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = format_and_document(old)
        calls, read = [], Note.of_sentence

        def fails(sentence: str) -> Note:
            calls.append(sentence)
            if len(calls) > 5:
                raise RuntimeError("power cut")
            return read(sentence)

        def fails_at_the_end(connection: sa.Connection) -> None:
            MIGRATIONS[1](connection)
            raise RuntimeError("power cut")

        with monkeypatch.context() as patch:
            if after:
                patch.setattr(sql, "MIGRATIONS", {1: fails_at_the_end})
            else:
                patch.setattr(Note, "of_sentence", fails)
            with pytest.raises(RuntimeError, match="power cut"):
                change(old)
        assert format_and_document(old) == before
        if isinstance(old, Path):
            assert stored(old, "SELECT * FROM events") == stored(OLD, "SELECT * FROM events")
        assert len(cm.Study.load(old).trials) == 16

    def test_a_process_killed_in_the_middle_leaves_the_old_format_untouched(
        self, old: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = format_and_document(old)

        def work(say: Say) -> None:
            def stops(connection: sa.Connection) -> None:
                MIGRATIONS[1](connection)
                say("in the middle")
                time.sleep(60)

            monkeypatch.setattr(sql, "MIGRATIONS", {1: stops})
            change(old)

        process, said = forked(work)
        with said:
            assert said.readline() == b'"in the middle"\n'
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        assert format_and_document(old) == before
        assert len(cm.Study.load(old).trials) == 16

    def test_processes_that_change_it_at_once_all_succeed_and_one_converts_it(
        self, old: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def work(say: Say) -> None:
            def slow(connection: sa.Connection) -> None:
                say("converts")
                MIGRATIONS[1](connection)
                time.sleep(0.3)  # so that the others find the old format too

            monkeypatch.setattr(sql, "MIGRATIONS", {1: slow})
            change(old)
            with cm.Study.load(old) as study:
                say([note.reason for note in study.trials[15].notes])

        processes = [forked(work) for _ in range(3)]
        said = [line for _, file in processes for line in heard(file.readlines())]
        assert [os.waitpid(process, 0)[1] for process, _ in processes] == [0, 0, 0], said
        assert sorted(said, key=str) == [*[["explores"]] * 3, "converts"]
        for _, file in processes:
            file.close()


class TestNotes:
    @pytest.mark.parametrize(("sentence", "reason"), [pair for pair in REASONS.items() if pair[0] != "added by hand"])
    def test_every_sentence_of_format_1_has_its_reason(self, sentence: str, reason: Reason) -> None:
        assert Note.of_sentence(sentence) == Note(reason)

    @pytest.mark.parametrize("outcome", ["strength", "it's", "a\nb", "': jitter 1e-9 was needed", "'\"", "\ud800"])
    def test_a_rescue_keeps_its_numbers(self, outcome: str) -> None:
        sentence = f"model of {outcome!r}: jitter {1e-8:.0e} was needed to factorise its covariance"
        assert Note.of_sentence(sentence) == Note(Reason.JITTER, {"outcome": outcome, "jitter": 1e-8})

    @pytest.mark.parametrize("sentence", UNKNOWN)
    def test_an_unknown_sentence_stays_in_its_words(self, sentence: str) -> None:
        assert str(Note.of_sentence(sentence)) == sentence
        assert Note.of_sentence(sentence).reason is Reason.OTHER


def test_a_study_that_a_newer_camobo_converts_meanwhile_stays_as_it_made_it(path: Path) -> None:
    with cm.Study.load(path) as study, contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE study SET format = 3")
        other.commit()
        with pytest.raises(cm.StorageError, match=r"has format 3.*newer camobo"):
            study.ask()
    assert stored(path, "SELECT format FROM study") == [(3,)]


def test_every_older_format_can_be_converted() -> None:
    assert sorted(MIGRATIONS) == list(range(OLDEST, FORMAT))
