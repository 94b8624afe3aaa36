"""Studies of an older format, looked at and changed by this version.

`format_1.db` was written by the version that stored reasons as sentences, `format_2.db` by the one whose default cost
was `AdditiveCost`, `format_3.db` by the last without hashes. The JSON beside each holds its trials, their notes, the
predictions of its `explain` for one trial, and its budget. What comes next is chosen otherwise now.
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
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

import camobo as cm
from camobo.cli import arguments
from camobo.storage import sql
from camobo.storage.chain import Links, hash_of_description, hash_of_event
from camobo.storage.formats import FORMAT, OLDEST
from camobo.storage.migrations import MIGRATIONS
from camobo.storage.schema import TABLES
from camobo.storage.sql import open_sql
from camobo.storage.tables import NEW_IN_4
from camobo.strategy.notes import Note, Reason
from tests.support.processes import Say, forked, heard
from tests.support.tampering import change as tampered

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Old:
    """A study as an older version stored it."""

    format: int

    @property
    def file(self) -> Path:
        return HERE / f"format_{self.format}.db"

    @property
    def expected(self) -> Any:
        return json.loads(self.file.with_suffix(".json").read_text(encoding="utf-8"))

    @property
    def count(self) -> int:
        return len(self.expected["trials"])

    def events(self) -> list[dict[str, Any]]:
        """What is stored of every event, as `Event.as_dict` has it."""
        return [
            {"number": number, "kind": kind, "trial": trial, "when": at, "who": who, "new": json.loads(new), "old": old}
            for number, kind, trial, at, who, new, text in stored(self.file, "SELECT * FROM events ORDER BY number")
            for old in [None if text is None else json.loads(text)]
        ]

    def reasons(self) -> list[list[Reason]]:
        """The reasons of every trial's notes."""
        words = {**REASONS, **{reason.value: reason for reason in Reason}}
        return [[words[note] for note in notes] for notes in self.expected["notes"]]


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
    mode = "immutable=1" if path.parent == HERE else "mode=ro"  # or SQLite would write beside it even to read it
    connection = sqlite3.connect(f"file:{path}?{mode}", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def without_notes(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**event, "new": {key: fact for key, fact in event["new"].items() if key != "notes"}} for event in events]


@pytest.fixture(params=[1, 2], ids="format {}".format)
def before(request: pytest.FixtureRequest) -> Old:
    """The study as it was stored."""
    return Old(request.param)


only_1 = pytest.mark.parametrize("before", [Old(1)], ids=["format 1"])
only_2 = pytest.mark.parametrize("before", [Old(2)], ids=["format 2"])


@pytest.fixture
def path(before: Old, tmp_path: Path) -> Path:
    """A copy of the old file."""
    return Path(shutil.copy(before.file, tmp_path / "alloy.db"))


@pytest.fixture
def schema(before: Old, server: str) -> Iterator[str]:
    """The URL of the old study on a PostgreSQL server, its rows copied from the file."""
    name = f"old_{uuid.uuid4().hex[:12]}"
    engine = sa.create_engine(server, execution_options={"schema_translate_map": {None: name}})
    with engine.begin() as connection:
        connection.execute(sa.schema.CreateSchema(name))
        TABLES.create_all(connection)
        for table in TABLES.sorted_tables:
            for added in NEW_IN_4.get(table.name, ()):
                connection.execute(sa.text(f"ALTER TABLE {name}.{table.name} DROP COLUMN {added}"))
            names = [column for column in dict(table.c) if column not in NEW_IN_4.get(table.name, ())]
            texts = [column.name for column in table.c if isinstance(column.type, sa.JSON)]
            for row in stored(before.file, f"SELECT {', '.join(names)} FROM {table.name}"):
                facts = dict(zip(names, row, strict=True))
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
def old(request: pytest.FixtureRequest, before: Old) -> Any:
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
        then = format_and_document(old)
        with cm.Study.load(old) as study:
            study.front(), study.log(), study.explain(5), study.usage()
            notes = [note for event in study.log() for note in event.new.get("notes", ())]
            assert all(set(note) == {"reason"} for note in notes)
        assert format_and_document(old) == then

    def test_neither_completion_nor_another_problem_of_the_same_name_converts_it(
        self, path: Path, before: Old, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        then = contents(path)
        monkeypatch.chdir(path.parent)
        context: Any = SimpleNamespace(params={"study": path.name}, args=[])
        assert len(list(arguments.all_trials(context, ""))) == before.count
        with pytest.raises(cm.InvalidOptionError, match="holds another study"):
            cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, storage=path)
        assert contents(path) == then

    def test_a_file_that_may_not_be_written_can_be_looked_at_and_says_why_it_cannot_be_changed(
        self, before: Old
    ) -> None:
        folder = Path(tempfile.mkdtemp())  # not pytest's own, which other users may not enter
        path = Path(shutil.copy(before.file, folder / "alloy.db"))
        with cm.Study.load(path) as study:
            study.explain(10)  # loads modules that the other user may not read

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
            assert trials == before.count
            assert "readonly" in said
            assert "check the permissions" in said
        finally:
            folder.chmod(0o700)
            shutil.rmtree(folder)


class TestTheSameStudy:
    def test_trials_log_notes_and_explanations_are_as_before(self, old: Any, before: Old) -> None:
        expected = before.expected
        with cm.Study.load(old) as study:
            self.is_the_same(study, before)
            study.ask(2)
            assert len(study.trials) > before.count
            assert [dict(trial.params) for trial in study.trials][: before.count] == expected["trials"]
        with cm.Study.load(old) as again:
            assert [dict(trial.params) for trial in again.trials][: before.count] == expected["trials"]
            assert len(again.log()) == len(before.events()) + 2

    def test_converted_they_still_are(self, path: Path, before: Old) -> None:
        change(path)
        with cm.Study.load(path) as study:
            self.is_the_same(study, before)

    def is_the_same(self, study: cm.Study, before: Old) -> None:
        expected = before.expected
        assert [dict(trial.params) for trial in study.trials] == expected["trials"]
        assert [[note.reason for note in trial.notes] for trial in study.trials] == before.reasons()
        log = [event.as_dict() for event in study.log()]
        renamed = [{**event, "kind": event["kind"].replace("planned", "set")} for event in before.events()]
        assert without_notes(log) == without_notes(renamed)
        explained = study.explain(expected["explained"]["number"]).predictions
        # Models have another prior now: they agree within what both say they do not know.
        for name, (mean, deviation) in explained.items():
            old_mean, old_deviation = expected["explained"][name]
            assert abs(mean - old_mean) < 2.0 * (deviation + old_deviation)
        assert study.plan.cost == cm.OrderCost("nickel > soak, quench > grain")
        assert study.budget == cm.Budget(expected["budget"])
        assert (study.plan.thrift, study.seed) == (1.0, 7)

    def test_trials_have_the_states_values_costs_and_remarks_they_had(self, path: Path, before: Old) -> None:
        query = "SELECT number, state, params, results, cost, note, reason, owner, added, amended FROM trials"
        asked = {event["trial"]: event["new"] for event in before.events() if "params" in event["new"]}
        with cm.Study.load(path) as study:
            for trial, row in zip(study.trials, stored(before.file, f"{query} ORDER BY number"), strict=True):
                number, state, params, results, cost, note, reason, owner, added, amended = row
                assert (trial.number, trial.state.value, dict(trial.params)) == (number, state, json.loads(params))
                assert dict(trial.values or {}) == json.loads(results or "{}")
                assert (trial.cost, trial.note, trial.reason, trial.owner) == (cost, note, reason, owner)
                assert (trial.added, trial.amended) == (bool(added), bool(amended))
                assert trial.expected == asked[trial.number].get("expected")

    def test_it_goes_on_with_receipts_money_and_changes(self, old: Any, before: Old) -> None:
        with cm.Study.load(old) as study:
            paid = sum(trial.cost or 0.0 for trial in study.trials if not trial.added)
            assert study.spent() >= paid
            study.change(budget=cm.Budget(cost=5000.0, unit="EUR"), thrift=0.5)
            trial = study.ask(2)[-1]
            assert trial.expected is not None, "it has had receipts all along"
            study.fail(trial, "cracked", cost=7.0)
            assert study.log()[-1].kind == "failed"
        with cm.Study.load(old) as again:
            assert again.trials[trial.number].cost == 7.0
            assert again.budget == cm.Budget(cost=5000.0, unit="EUR")

    def test_what_is_stored_says_expensive_has_the_order_as_its_cost_and_the_new_format(
        self, old: Any, before: Old
    ) -> None:
        was = format_and_document(old)
        assert was[0] == before.format
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
            for name, given in was[1]["space"].items()
        }
        study = {**was[1]["study"], "cost": "nickel > soak, quench > grain"}
        assert document == {**was[1], "space": renamed, "study": study}

    def test_every_event_is_stored_as_it_was_but_for_its_new_words(self, path: Path, before: Old) -> None:
        change(path)
        now = stored(path, "SELECT number, kind, trial, at, who, new, old FROM events ORDER BY number")
        then = stored(before.file, "SELECT number, kind, trial, at, who, new, old FROM events ORDER BY number")
        assert len(now) == len(then)
        for (number, kind, trial, at, who, new, replaced), row in zip(now, then, strict=True):
            assert (number, trial, at, who, replaced) == (row[0], row[2], row[3], row[4], row[6])
            assert kind == ("set" if row[1] == "planned" else row[1])
            if "notes" not in json.loads(new):
                assert new == row[5], "to the byte"

    @only_2
    def test_events_that_set_the_budget_are_called_set(self, path: Path) -> None:
        query = "SELECT count(*) FROM events WHERE kind = "
        assert stored(path, query + "'planned'") == [(2,)]
        change(path)
        assert stored(path, query + "'planned'") == [(0,)]
        assert stored(path, query + "'set'") == [(2,)]

    @only_1
    def test_notes_are_stored_as_data(self, path: Path) -> None:
        change(path)
        notes = [
            json.loads(new)["notes"]
            for (new,) in stored(path, "SELECT new FROM events WHERE kind = 'asked'")
            if "notes" in json.loads(new)
        ]
        assert len(notes) == 15
        assert all(list(note) == ["reason"] for found in notes for note in found)

    def test_the_same_study_given_in_python_continues(self, path: Path, before: Old) -> None:
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
        budget = 40 if before.format == 1 else None
        with cm.Study(space, goals, cost=order, budget=budget, seed=7, storage=path) as study:
            assert len(study.trials) == before.count

    @only_1
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
        self.refused_unchanged(path, statement, said)

    @only_2
    @pytest.mark.parametrize(
        ("statement", "said"),
        [
            (
                "UPDATE events SET kind = 'plant' WHERE kind = 'planned'",
                "unknown kind|names no trial",
            ),
            ("UPDATE events SET new = '{\"budget\":0}' WHERE kind = 'planned'", "budget: need a whole number"),
            ("UPDATE events SET new = '{\"budget\":\"9\"}' WHERE kind = 'planned'", "budget: need a whole number"),
            ("UPDATE events SET new = json_set(new, '$.cost', -1) WHERE kind = 'told'", "cost: need a finite number"),
            ("UPDATE study SET document = replace(document, 'nickel > soak', 'lead > soak')", "'lead' is not an input"),
        ],
    )
    def test_a_damaged_study_of_format_2_is_refused_and_stays_as_it_was(
        self, path: Path, statement: str, said: str
    ) -> None:
        self.refused_unchanged(path, statement, said)

    def refused_unchanged(self, path: Path, statement: str, said: str) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()
        then = contents(path)
        with pytest.raises(cm.StorageError, match=said):
            cm.Study.load(path)
        assert contents(path) == then

    def test_changed_again_nothing_is_converted(self, path: Path, before: Old, monkeypatch: pytest.MonkeyPatch) -> None:
        change(path)
        monkeypatch.setattr(sql, "MIGRATIONS", {})
        change(path)
        assert len(cm.Study.load(path).trials) == before.count

    def test_an_older_process_that_still_has_it_open_cannot_add_events_without_hashes(
        self, old: Any, before: Old
    ) -> None:
        event = before.events()[-1]
        row = (len(before.events()), "released", 17, event["when"], "anna", "{}", None)
        insert = "INSERT INTO {}events (number, kind, trial, at, who, new, old) VALUES"
        change(old)
        study = cm.Study.load(old)
        if isinstance(old, Path):
            with (
                contextlib.closing(sqlite3.connect(old)) as writer,
                pytest.raises(sqlite3.IntegrityError, match="hash"),
            ):
                writer.execute(f"{insert.format('')} (?, ?, ?, ?, ?, ?, ?)", row)
        else:
            url = sa.make_url(old)
            engine = sa.create_engine(url.difference_update_query(["schema"]))
            values = dict(zip("abcdefg", row, strict=True))
            statement = f"{insert.format(str(url.query['schema']) + '.')} (:a, :b, :c, :d, :e, :f, :g)"
            with engine.connect() as connection, pytest.raises(sa.exc.IntegrityError, match="hash"):
                connection.execute(sa.text(statement), values)
            engine.dispose()
        assert len(study.log()) == len(before.events())
        study.close()

    def test_a_study_that_another_converts_meanwhile_is_verified_from_then_on(self, path: Path, before: Old) -> None:
        with cm.Study.load(path) as study:
            change(path)
            assert len(study.trials) == before.count
            tampered(path, "UPDATE events SET who = 'eve' WHERE number = 3")
            with pytest.raises(cm.StorageError, match="event 3 is not as it was stored"):
                study.log()

    def test_the_hashes_are_those_of_what_is_stored(self, path: Path) -> None:
        change(path)
        ((first, count, chain),) = stored(path, "SELECT hash, count, chain FROM study")
        rows = stored(path, "SELECT number, kind, trial, at, who, new, old, hash FROM events ORDER BY number")
        assert [hash_of_event(*row[:7]) for row in rows] == [row[7] for row in rows]
        assert Links(0, first).after(row[7] for row in rows) == Links(count, chain)
        ((document, created),) = stored(path, "SELECT document, created FROM study")
        assert hash_of_description(document, created) == first

    def test_a_converted_file_declares_what_a_new_one_does(self, path: Path, tmp_path: Path) -> None:
        change(path)
        cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, storage=tmp_path / "new.db").close()
        query = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
        assert stored(path, query) == stored(tmp_path / "new.db", query)


class TestOneTransaction:
    @only_1
    def test_a_failure_in_the_middle_leaves_the_old_format_untouched(
        self, old: Any, before: Old, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        then = format_and_document(old)
        calls, read = [], Note.of_sentence

        def fails(sentence: str) -> Note:
            calls.append(sentence)
            if len(calls) > 5:
                raise RuntimeError("power cut")
            return read(sentence)

        with monkeypatch.context() as patch:
            patch.setattr(Note, "of_sentence", fails)
            with pytest.raises(RuntimeError, match="power cut"):
                change(old)
        self.is_untouched(old, before, then)

    def test_a_failure_at_the_end_leaves_the_old_format_untouched(
        self, old: Any, before: Old, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        then = format_and_document(old)

        def fails_at_the_end(connection: sa.Connection) -> None:
            MIGRATIONS[FORMAT - 1](connection)
            raise RuntimeError("power cut")

        with monkeypatch.context() as patch:
            patch.setattr(sql, "MIGRATIONS", {**MIGRATIONS, FORMAT - 1: fails_at_the_end})
            with pytest.raises(RuntimeError, match="power cut"):
                change(old)
        self.is_untouched(old, before, then)

    def test_a_change_that_is_refused_converts_nothing(self, old: Any, before: Old) -> None:
        then = format_and_document(old)
        with cm.Study.load(old) as study, pytest.raises(cm.TrialStateError):
            study.tell(0, {"strength": 1.0})
        self.is_untouched(old, before, then)

    def is_untouched(self, old: Any, before: Old, then: Any) -> None:
        assert format_and_document(old) == then
        if isinstance(old, Path):
            assert stored(old, "SELECT * FROM events") == stored(before.file, "SELECT * FROM events")
        assert len(cm.Study.load(old).trials) == before.count

    def test_a_process_killed_in_the_middle_leaves_the_old_format_untouched(
        self, old: Any, before: Old, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        then = format_and_document(old)

        def work(say: Say) -> None:
            def stops(connection: sa.Connection) -> None:
                MIGRATIONS[before.format](connection)
                say("in the middle")
                time.sleep(60)

            monkeypatch.setattr(sql, "MIGRATIONS", {**MIGRATIONS, before.format: stops})
            change(old)

        process, said = forked(work)
        with said:
            assert said.readline() == b'"in the middle"\n'
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        self.is_untouched(old, before, then)

    def test_processes_that_change_it_at_once_all_succeed_and_one_converts_it(
        self, old: Any, before: Old, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def work(say: Say) -> None:
            def slow(connection: sa.Connection) -> None:
                say("converts")
                MIGRATIONS[before.format](connection)
                time.sleep(0.3)  # so that the others find the old format too

            monkeypatch.setattr(sql, "MIGRATIONS", {**MIGRATIONS, before.format: slow})
            change(old)
            with cm.Study.load(old) as study:
                say([note.reason for note in study.trials[15].notes])

        processes = [forked(work) for _ in range(3)]
        said = [line for _, file in processes for line in heard(file.readlines())]
        assert [os.waitpid(process, 0)[1] for process, _ in processes] == [0, 0, 0], said
        reasons = [reason.value for reason in before.reasons()[15]]
        assert sorted(said, key=str) == [*[reasons] * 3, "converts"]
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
    newer = FORMAT + 1
    with cm.Study.load(path) as study, contextlib.closing(sqlite3.connect(path)) as other:
        other.execute(f"UPDATE study SET format = {newer}")
        other.commit()
        with pytest.raises(cm.StorageError, match=rf"has format {newer}.*newer camobo"):
            study.ask()
    assert stored(path, "SELECT format FROM study") == [(newer,)]


@pytest.mark.parametrize(
    ("method", "kind"), [("default", "additive"), ("default", "paper"), ("paper", "paper"), ("paper", "additive")]
)
def test_a_study_with_any_cost_of_format_2_opens(tmp_path: Path, method: str, kind: str) -> None:
    path = Path(shutil.copy(Old(2).file, tmp_path / "alloy.db"))
    cost = {"type": kind, "order": "nickel > soak"} | ({"weights": "printed"} if kind == "paper" else {"strength": 3.0})
    ((text,),) = stored(path, "SELECT document FROM study")
    document = json.loads(text)
    document["study"] |= {"cost": cost, "method": method}
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE study SET document = ?", (json.dumps(document),))
        connection.commit()
    expected: Any = cm.OrderCost("nickel > soak")
    if method == "paper":
        expected = cm.PaperCost("nickel > soak", weights="printed" if kind == "paper" else "ascending")
    for _ in range(2):
        with cm.Study.load(path) as study:
            assert study.plan.cost == expected
            study.ask()


@pytest.mark.parametrize("place", ["sqlite", "postgresql"], indirect=True)
def test_a_study_of_format_3_is_looked_at_as_it_is_and_gets_requests_with_its_first_change(place: Any) -> None:
    with cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, seed=1, storage=place) as study:
        trial = study.tell(study.ask(), {"y": 1.0})
    dropped = [f"ALTER TABLE {table} DROP COLUMN {column}" for table, new in NEW_IN_4.items() for column in new]
    run_sql(place, *dropped, "UPDATE study SET format = 3")
    with cm.Study.load(place) as study:
        assert study.trials == (trial,)
        assert format_and_document(place)[0] == 3
        study.ask()
    assert format_and_document(place)[0] == FORMAT
    ((kept, all_of_them),) = run_sql(place, "SELECT count(request), count(*) FROM events")
    assert (kept, all_of_them) == (1, 3)


def run_sql(place: Any, *commands: str) -> list[Any]:
    """What the last of some commands gives, run without camobo's own opening."""
    if isinstance(place, Path):
        engine = sa.create_engine(f"sqlite:///{place}")
    else:
        url = sa.make_url(place)
        engine = sa.create_engine(
            url.difference_update_query(["schema"]).update_query_dict(
                {"options": f"-csearch_path={url.query['schema']}"}
            )
        )
    with engine.begin() as connection:
        results = [connection.execute(sa.text(command)) for command in commands]
        rows = list(results[-1]) if results[-1].returns_rows else []
    engine.dispose()
    return rows


def test_every_older_format_can_be_converted() -> None:
    assert sorted(MIGRATIONS) == list(range(OLDEST, FORMAT))
