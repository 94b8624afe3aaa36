"""The trials of a study as a pandas DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from camobo.errors import MissingExtraError
from camobo.insight.record import Record

if TYPE_CHECKING:
    from pandas import DataFrame

_FACTS = ("state", "cost", "expected", "reason", "note", "owner", "added")


def dataframe(record: Record) -> DataFrame:
    """One row per trial, by number."""
    try:
        from pandas import DataFrame, Index
    except ImportError as error:
        raise MissingExtraError(
            "dataframe: needs pandas, which is not installed. Install it with: pip install 'camobo[pandas]'"
        ) from error
    return DataFrame(columns(record), index=Index([trial.number for trial in record.trials], name="trial"))


def columns(record: Record) -> dict[str, list[Any]]:
    """State, inputs, objectives and what else is known of each trial; None where there is nothing.

    An input or objective whose name is taken, such as "note", becomes "input note".
    """
    found: dict[str, list[Any]] = {"state": [trial.state.value for trial in record.trials]}
    taken = set(_FACTS)
    for kind, names in (("input", record.plan.space.names), ("objective", tuple(record.plan.objectives))):
        for name in names:
            label = name
            while label in taken:
                label = f"{kind} {label}"
            taken.add(label)
            given = [trial.params if kind == "input" else trial.values or {} for trial in record.trials]
            found[label] = [facts.get(name) for facts in given]
    return found | {name: [getattr(trial, name) for trial in record.trials] for name in _FACTS[1:]}
