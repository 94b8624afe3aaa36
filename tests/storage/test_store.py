from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.cost.budget import Budget
from camobo.cost.prices import Prices
from camobo.errors import Advice, InvalidOptionError, StorageError
from camobo.history.document import make_plan, to_document
from camobo.storage import store as stores
from camobo.storage.memory import MemoryStore
from camobo.storage.sql import SqlStore
from camobo.storage.store import begin_study, load_study, open_store
from camobo.strategy.plan import Plan
from tests.support.histories import PLAN, SPACE

GOALS: Any = {"strength": "max", "corrosion": "min"}


def plan(**options: Any) -> Plan:
    return make_plan(SPACE, GOALS, **{"cost": "nickel > soak", "budget": 20, "seed": 3, **options})


class TestOpening:
    def test_nothing_is_memory_and_a_store_is_itself(self) -> None:
        assert isinstance(open_store(None, create=True), MemoryStore)
        given = MemoryStore()
        assert open_store(given, create=False) is given

    @pytest.mark.parametrize("kind", [str, Path, lambda path: f"sqlite:///{path}"])
    def test_a_file_is_named_by_text_a_path_or_a_url(self, tmp_path: Path, kind: Any) -> None:
        found = open_store(kind(tmp_path / "alloy.db"), create=True)
        assert isinstance(found, SqlStore)
        assert found.place == str(tmp_path / "alloy.db")
        found.close()

    @pytest.mark.parametrize("storage", ["", "  ", 3, b"alloy.db", ["alloy.db"], object()])
    def test_anything_else_is_refused(self, storage: Any) -> None:
        with pytest.raises(
            InvalidOptionError, match=r'storage: need a file such as "alloy\.db", a URL .* or None, got'
        ):
            open_store(storage, create=True)

    def test_a_study_in_memory_does_not_load_sqlalchemy(self) -> None:
        code = (
            "import sys, camobo as cm\n"
            "cm.Study(cm.Space({'x': cm.Real(0, 1)}), {'y': 'max'}, seed=1)\n"
            "sys.exit('sqlalchemy' in sys.modules)"
        )
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


class TestCreating:
    def test_a_new_study_has_the_plan_given(self, tmp_path: Path) -> None:
        store, created = begin_study(PLAN, tmp_path / "alloy.db", any_seed=False)
        assert created is PLAN
        assert store.document() == to_document(PLAN)
        store.close()

    def test_in_memory_every_study_is_new(self) -> None:
        store, created = begin_study(PLAN, None, any_seed=False)
        assert created is PLAN
        assert store.events() == []

    def test_the_same_study_continues(self, tmp_path: Path) -> None:
        begin_study(PLAN, tmp_path / "alloy.db", any_seed=False)[0].close()
        store, created = begin_study(plan(), tmp_path / "alloy.db", any_seed=False)
        assert created == PLAN
        store.close()

    def test_without_a_seed_the_stored_one_counts(self) -> None:
        store = MemoryStore()
        begin_study(plan(seed=3), store, any_seed=False)
        assert begin_study(plan(seed=8), store, any_seed=True)[1].seed == 3
        with pytest.raises(InvalidOptionError, match=r"study\.seed: 3 is stored, 8 was given"):
            begin_study(plan(seed=8), store, any_seed=False)

    @pytest.mark.parametrize(
        ("other", "said"),
        [
            ({"budget": 30}, r"study\.budget: 20 is stored, 30 was given"),
            ({"budget": None}, r"study\.budget: 20 is stored, nothing was given"),
            ({"cost": "soak > nickel"}, r"study\.cost: 'nickel > soak' is stored, 'soak > nickel' was given"),
            ({"cost": None}, r"study\.cost: 'nickel > soak' is stored, nothing was given"),
            (
                {"cost": Prices({"nickel": 3.5})},
                r"study\.cost: 'nickel > soak' is stored, nothing was given.*prices\.nickel",
            ),
            ({"thrift": 0.5}, r"study\.thrift: 1\.0 is stored, 0\.5 was given"),
            ({"budget": Budget(cost=5.0)}, r"study\.budget: 20 is stored, nothing was given.*study\.budget\.cost"),
            ({"reference": {"strength": 1.0, "corrosion": 2.0}}, r"study\.reference\.strength: nothing is stored"),
        ],
    )
    def test_another_study_is_refused_with_what_differs(self, other: dict[str, Any], said: str) -> None:
        store = MemoryStore()
        begin_study(plan(), store, any_seed=False)
        with pytest.raises(InvalidOptionError, match=rf"(?s)memory holds another study:.*{said}") as caught:
            begin_study(plan(**other), store, any_seed=False)
        assert caught.value.advice is Advice.CONTINUE
        assert store.document() == to_document(plan())

    def test_the_order_of_inputs_makes_another_study(self) -> None:
        store = MemoryStore()
        begin_study(plan(), store, any_seed=False)
        turned = cm.Space(dict(reversed(list(SPACE.inputs.items()))))
        with pytest.raises(InvalidOptionError, match="in another order"):
            begin_study(make_plan(turned, GOALS, cost="nickel > soak", budget=20, seed=3), store, any_seed=False)

    def test_a_document_that_leaves_defaults_out_is_the_same_study(self) -> None:
        document = to_document(PLAN)
        del document["study"]["refit_every"], document["study"]["thrift"]
        store = MemoryStore()
        store.create(document)
        assert begin_study(PLAN, store, any_seed=False)[1] == PLAN

    @pytest.mark.parametrize("again", [False, True], ids=["new", "again"])
    def test_the_plan_becomes_a_document_once(self, again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        store, written = MemoryStore(), list[Plan]()
        if again:
            begin_study(PLAN, store, any_seed=False)

        def counted(given: Plan) -> Any:
            written.append(given)
            return to_document(given)

        monkeypatch.setattr(stores, "to_document", counted)
        begin_study(PLAN, store, any_seed=False)
        assert written == [PLAN]

    def test_a_refused_study_lets_go_of_the_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        begin_study(plan(), tmp_path / "alloy.db", any_seed=False)[0].close()
        closed = []
        monkeypatch.setattr(SqlStore, "close", lambda store: closed.append(store.place))
        with pytest.raises(InvalidOptionError, match="another study"):
            begin_study(plan(budget=30), tmp_path / "alloy.db", any_seed=False)
        assert closed == [str(tmp_path / "alloy.db")]


class TestLoading:
    def test_a_stored_study_has_its_plan(self, tmp_path: Path) -> None:
        begin_study(PLAN, tmp_path / "alloy.db", any_seed=False)[0].close()
        store, loaded = load_study(tmp_path / "alloy.db")
        assert loaded == PLAN
        store.close()

    def test_nothing_holds_no_study(self) -> None:
        with pytest.raises(InvalidOptionError, match="storage: need the file or URL of a study"):
            load_study(None)
        with pytest.raises(StorageError, match="contains no study"):
            load_study(MemoryStore())

    @pytest.mark.parametrize("document", [{}, {"space": 3}, {"space": {}, "objectives": {"y": "max"}}])
    @pytest.mark.parametrize("created", [False, True], ids=["load", "create"])
    def test_a_description_that_cannot_be_read_is_damage(self, document: Any, created: bool) -> None:
        store = MemoryStore()
        store.create(document)
        with pytest.raises(StorageError, match="memory: the study is damaged, its description cannot be read"):
            _ = begin_study(PLAN, store, any_seed=True) if created else load_study(store)
