"""What became of a change whose reply was lost: a look into the study itself, by the id of the request.

A look waits until the connection that was lost has ended its transaction, since it takes the same lock. So what it
finds is final: the change is stored, or it never will be.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from camobo.errors import OutcomeUnknown, StorageError
from camobo.storage.protocol import Store

_PAUSES = (0.0, 0.5, 1.0, 2.0)
"""Seconds before each look: a server that restarts needs a moment."""
_LONG = 10.0
"""Seconds after which there is no further look: where one had to wait, the next will not fare better."""


def new_request() -> str:
    """A random id for a change."""
    return secrets.token_hex(8)


@contextmanager
def settled(store: Store, request: str) -> Iterator[None]:
    """Find out what became of a change that ends with OutcomeUnknown.

    If it was stored, all is well. If not, StorageError says so; only if that cannot be found out, OutcomeUnknown.
    """
    try:
        yield
    except OutcomeUnknown as error:
        if error.facts.get("request") != request:
            raise  # of another study, changed in the same block
        if not _is_stored(store, request, error):
            said = f"{error.facts['said']} The change was not stored; everything stored before is unchanged."
            raise StorageError(said) from error


def _is_stored(store: Store, request: str, lost: OutcomeUnknown) -> bool:
    """Whether a change was stored; raises what is known of its loss if the study cannot be reached to look."""
    found: bool | None = None
    end = time.monotonic() + _LONG
    for pause in _PAUSES:
        if time.monotonic() > end:
            break
        time.sleep(pause)
        with suppress(StorageError), store.transaction() as transaction:
            found = transaction.holds(request)
        if found is not None:
            return found
    raise lost
