"""A study as one HTML file: it opens offline, runs nothing but its own figures, and can be sent to a colleague.

    from camobo.report import report
    report(study, "alloy.html")

Needs Plotly: `pip install 'camobo[plot]'`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

import camobo
from camobo.errors import InvalidOptionError, UnknownTrialError, shown
from camobo.insight import ForeignRecord, Record, chosen_trial, record_of
from camobo.plot import plotly_js
from camobo.plot.style import Spec
from camobo.report import words
from camobo.report.content import SECTIONS, known
from camobo.report.page import Html, document, join, tag, typed
from camobo.study import Study
from camobo.trial import Trial

__all__ = ["report"]


def report(
    study: Study | Record, path: str | os.PathLike[str], *, title: str | None = None, trial: int | None = None
) -> Path:
    """Write a study's report to `path` and return it. The file appears whole or not at all.

    title: its heading; without one, what is measured.
    trial: the number of the trial to cut slices through; without one, the front's compromise.
    """
    if "\0" in str(path):
        raise InvalidOptionError(f"report: need the name of a file, without null characters, got {shown(str(path))}.")
    text = page(record_of(study), title=title, trial=trial)
    target = Path(os.path.realpath(path))  # a link stays one
    fresh = target.with_name(f".camobo-{secrets.token_hex(6)}")
    try:
        with open(fresh, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, target)
    except OSError as error:
        raise InvalidOptionError(
            f"report: cannot write {str(target)!r}: {error.strerror or error}. Name a file you can write."
        ) from error
    finally:
        with contextlib.suppress(OSError):  # a file system that cannot be written has said so above
            fresh.unlink(missing_ok=True)
    return Path(path)


@np.errstate(over="ignore", invalid="ignore")  # where values are too large to compute with, the page says so
def page(record: Record, *, title: str | None = None, trial: int | None = None) -> str:
    """The text of the report."""
    library = plotly_js()
    heading = title or words.listed(list(record.plan.objectives))
    given, figures, parts = known(record, _through(record, trial)), list[Spec](), list[Html]()
    for write in SECTIONS:
        part = write(replace(given, start=len(figures)))
        parts.append(part.html)
        figures += part.figures
    made = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    over = tag("p", f"camobo {camobo.__version__} · {made}", class_="over")
    missing = tag("noscript", tag("p", "The figures need JavaScript; the tables do not.", class_="more"))
    top = tag("header", over, tag("h1", typed(heading)), missing)
    foot = tag("footer", "Made with camobo. This file holds all it shows and asks nothing of the network.")
    return document(f"{heading} · camobo report", tag("main", top, join(*parts), foot), figures, library)


def _through(record: Record, number: int | None) -> Trial | None:
    """The trial to cut slices through."""
    why = record.left_out.get(number) if isinstance(record, ForeignRecord) and number is not None else None
    if why is not None:
        raise UnknownTrialError(f"trial {number}: is left out of the report: {why}. Name another trial.")
    return chosen_trial(record, number)
