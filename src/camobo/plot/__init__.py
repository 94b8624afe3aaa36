"""Figures of a study, with Plotly: `pip install 'camobo[plot]'`.

Each function takes a `Study`, or a `Record` of trials from elsewhere, and returns a Plotly figure: show it in a
notebook, or `figure.write_html("front.html")`. Whatever the user named is drawn as text, never as markup.

    front         the trade-offs found, in two, three or more objectives; of one objective its value by trial
    hypervolume   how far the front has come, by trial or by spend
    usage         how much of each input was used, in the order's colours
    predictions   what the models would have said of each trial without it, against what was measured
    slices        each objective along each input through one trial, with its uncertainty
    fading        how the cost loosens its hold as the budget is spent
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np

from camobo.errors import MissingExtraError
from camobo.insight import Record, record_of
from camobo.plot import model, objectives, progress
from camobo.plot.style import Spec
from camobo.study import Study
from camobo.trial import Trial

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["fading", "front", "hypervolume", "predictions", "slices", "usage"]

_NEEDED = "Figures and reports need Plotly: pip install 'camobo[plot]'."
_overflows = np.errstate(over="ignore", invalid="ignore")  # the figure leaves a gap, or says that it is too large


@_overflows
def front(study: Study | Record) -> Figure:
    """The front among all trials, coloured by the use of dear inputs if an order was given."""
    return _drawn(objectives.front(record_of(study)))


@_overflows
def hypervolume(study: Study | Record, against: Literal["trials", "spend"] = "trials") -> Figure:
    """The hypervolume reached by trial, or by spend: told costs if there are any, else use weighted by the order."""
    return _drawn(progress.hypervolume(record_of(study), against))


@_overflows
def usage(study: Study | Record) -> Figure:
    """Cumulative use of each input; the dearest is the warmest line, inputs the order does not name are grey."""
    return _drawn(progress.usage(record_of(study)))


@_overflows
def predictions(study: Study | Record) -> Figure:
    """Leave-one-out predictions with 95 % intervals against what was measured, a panel an objective."""
    return _drawn(model.predictions(record_of(study)))


@_overflows
def slices(
    study: Study | Record,
    *,
    trial: Trial | int | None = None,
    objectives: Iterable[str] | None = None,
    inputs: Iterable[str] | None = None,
) -> Figure:
    """Each objective along each input through a trial (the front's compromise if none is named), with a 95 % band."""
    return _drawn(model.slice_figure(record_of(study), trial=trial, objectives=objectives, inputs=inputs))


@_overflows
def fading(study: Study | Record) -> Figure:
    """How many times more a dear point must promise to be suggested, over the budget, and what each trial had to."""
    return _drawn(progress.cost_fading(record_of(study)))


def plotly_js() -> str:
    """The text of plotly.js as the installed Plotly brings it."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise MissingExtraError(_NEEDED) from error
    return str(get_plotlyjs())


def _drawn(spec: Spec) -> Figure:
    try:
        from plotly.graph_objects import Figure
    except ImportError as error:
        raise MissingExtraError(_NEEDED) from error
    return Figure(spec)
