"""The runs of a folder in one compressed file, as they are kept for good.

Points and values keep seven digits; seconds, regrets and bounds three.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from camobo.errors import InvalidOptionError, InvalidValueError

Content: TypeAlias = Mapping[str, Any]
"""The fields of a run: its method and number, one number `whole`, and arrays, some of which may be None."""

_EXACT = ("first_units", "first_values", "units", "values", "whole")
_ROUGH = ("seconds", "regrets", "own_regrets", "bound", "proved")
_DROPPED = 13  # of the 23 bits of a single-precision mantissa: a thousandth remains
_ADVICE = "If the runs are there as single files, delete it; else get it again from where it came."


def write(file: Path, runs: Sequence[Content]) -> None:
    """Write an archive of these runs, whole or not at all."""
    arrays: dict[str, Any] = {}
    for method in dict.fromkeys(run["method"] for run in runs):
        mine = [run for run in runs if run["method"] == method]
        arrays[f"{method}.run"] = np.array([run["run"] for run in mine], dtype=np.int32)
        for name in (*_EXACT, *_ROUGH):
            if mine[0][name] is not None:
                rows = np.stack([np.asarray(run[name]) for run in mine]).astype(np.float32)
                arrays[f"{method}.{name}"] = _roughly(rows) if name in _ROUGH else rows
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with beside.open("wb") as opened:
            np.savez_compressed(opened, **arrays)
        beside.replace(file)
    except OSError as error:
        raise InvalidOptionError(f"{file}: cannot be written ({error.strerror}).") from error
    finally:
        beside.unlink(missing_ok=True)


def read(file: Path) -> list[dict[str, Any]]:
    """The runs of an archive; none if there is no such file."""
    if not file.exists():
        return []
    try:
        with file.open("rb") as opened:
            packed = np.load(opened, allow_pickle=False)
            arrays = {name: packed[name] for name in packed.files}
        methods = [name.removesuffix(".run") for name in arrays if name.endswith(".run")]
        return [run for method in methods for run in _runs(method, arrays)]
    except (OSError, ValueError, KeyError, IndexError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise InvalidValueError(f"{file}: not an archive of runs, or a damaged one ({error}). {_ADVICE}") from error


def _runs(method: str, arrays: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The runs of a method, as they were given to `write`, up to rounding."""
    names = [name for name in (*_EXACT, *_ROUGH) if name in _EXACT or f"{method}.{name}" in arrays]
    absent = dict.fromkeys(set(_ROUGH) - set(names))
    return [
        {"method": method, "run": run, **absent, **{name: arrays[f"{method}.{name}"][i].tolist() for name in names}}
        for i, run in enumerate(arrays[f"{method}.run"].tolist())
    ]


def _roughly(rows: Any) -> Any:
    """Single-precision numbers rounded to three digits; the bits that become zero compress well."""
    half = 1 << (_DROPPED - 1)
    return (((rows.view(np.uint32) + half) >> _DROPPED) << _DROPPED).view(np.float32)
