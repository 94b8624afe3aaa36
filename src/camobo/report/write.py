"""Writes the report of a study."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

import camobo
from camobo.errors import InvalidOptionError, UnknownTrialError, shown
from camobo.files import replacing
from camobo.history.trial import Trial
from camobo.insight.record import ForeignRecord, Record, record_of
from camobo.insight.summary import chosen_trial
from camobo.plot.figures import plotly_js
from camobo.plot.style import Spec, hover
from camobo.report import sentences
from camobo.report.page import Html, document, join, tag, user_text
from camobo.report.sections import SECTIONS, facts_of
from camobo.study.study import Study


def report(
    study: Study | Record, path: str | os.PathLike[str], *, title: str | None = None, trial: int | None = None
) -> Path:
    """Write a study's report to `path` and return the path. An existing file is replaced, whole or not at all.

    title: the heading; by default the names of the objectives.
    trial: the number of the trial for the slices; by default the compromise on the front.
    """
    if "\0" in str(path):
        raise InvalidOptionError(f"report: need a file name without null characters, got {shown(str(path))}.")
    text = as_html(record_of(study), title=title, trial=trial)
    try:
        with replacing(path) as write:
            write(text.encode())
    except OSError as error:
        raise InvalidOptionError(
            f"report: cannot write {os.path.realpath(path)!r}: {error.strerror or error}. Choose a file you can write."
        ) from error
    return Path(path)


@np.errstate(over="ignore", invalid="ignore")  # the page says where values are too large to compute with
def as_html(record: Record, *, title: str | None = None, trial: int | None = None) -> str:
    """The report as the text of an HTML file."""
    library = plotly_js()
    heading = title or sentences.listed(list(record.plan.objectives))
    facts = facts_of(record, _sliced_trial(record, trial))
    figures: list[Spec] = []
    parts: list[Html] = []
    for write in SECTIONS:
        part = write(replace(facts, first_figure=len(figures)))
        parts.append(part.html)
        figures += part.figures
    made = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    above = tag("p", f"camobo {camobo.__version__} · {made}", class_="over")
    no_script = tag("noscript", tag("p", "The figures need JavaScript; the tables do not.", class_="more"))
    header = tag("header", above, tag("h1", user_text(heading)), no_script)
    footer = tag("footer", "Made with camobo. This file is self-contained and makes no network requests.")
    body = tag("main", header, join(*parts), footer)
    return document(f"{heading} · camobo report", body, figures, library, trial_texts=hover(record, record.trials))


def _sliced_trial(record: Record, number: int | None) -> Trial | None:
    """The trial that the slices go through."""
    why = record.left_out.get(number) if isinstance(record, ForeignRecord) and number is not None else None
    if why is not None:
        raise UnknownTrialError(f"trial {number} is left out of the report: {why}. Choose another trial.")
    return chosen_trial(record, number)
