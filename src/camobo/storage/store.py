"""Opens the store a user names, and creates or loads the study in it."""

from __future__ import annotations

import json
import os
from typing import Any, TypeAlias

from camobo.errors import Advice, CamoboError, InvalidOptionError, StorageError
from camobo.history.document import Document, differences, read_plan, to_document
from camobo.storage.memory import MemoryStore
from camobo.storage.protocol import Store
from camobo.strategy.plan import Plan

Storage: TypeAlias = str | os.PathLike[str] | Store | None


def open_store(storage: Storage, *, create: bool) -> Store:
    """The store a user names; `create` allows a new file or tables."""
    if storage is None:
        return MemoryStore()
    if isinstance(storage, Store):
        return storage
    if not isinstance(storage, (str, os.PathLike)) or not str(storage).strip():
        raise InvalidOptionError(
            f'storage: need a file such as "alloy.db", a URL "postgresql+psycopg://…" or None, got {storage!r}.'
        )
    from camobo.storage.sql import open_sql  # late: SQLAlchemy takes a third of a second; memory does without

    return open_sql(os.fspath(storage), create=create)


def begin_study(plan: Plan, storage: Storage, *, any_seed: bool) -> tuple[Store, Plan]:
    """Create a study, or continue it if the same one is stored there. `any_seed`: its seed does not matter."""
    if storage is None:
        return MemoryStore(), plan
    document = to_document(plan)
    store = open_store(storage, create=True)
    try:
        stored = store.create(document)
        if json.dumps(stored) == json.dumps(document):  # unlike ==, tells 1 from True and sees the order of inputs
            return store, plan
        stored_plan = _read(store.place, stored)
        wanted = _with_seed(document, stored_plan.seed) if any_seed else document
        found = differences(to_document(stored_plan), wanted)
        if found:
            raise InvalidOptionError(
                f"storage: {store.place} holds another study:\n    " + "\n    ".join(found) + "\n",
                advice=Advice.CONTINUE,
                place=store.place,
            )
    except BaseException:
        store.close()
        raise
    return store, stored_plan


def _with_seed(document: Document, seed: int) -> Document:
    return {**document, "study": {**document["study"], "seed": seed}}


def load_study(storage: Storage) -> tuple[Store, Plan]:
    """The study stored at a place."""
    if storage is None:
        raise InvalidOptionError('storage: need the file or URL of a study, such as "alloy.db", got None.')
    store = open_store(storage, create=False)
    try:
        return store, _read(store.place, store.document())
    except BaseException:
        store.close()
        raise


def _read(place: str, document: dict[str, Any]) -> Plan:
    try:
        return read_plan(document)
    except CamoboError as error:
        said = f"{place}: the study is damaged, its description cannot be read: {error.message}"
        raise StorageError(said, advice=error.advice, **error.facts) from error
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        said = f"{place}: the study is damaged, its description cannot be read: {type(error).__name__}: {error}."
        raise StorageError(said) from error
