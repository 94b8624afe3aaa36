"""The public figures: a study in, a Plotly figure out. Plotly is imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np

from camobo.errors import MissingExtraError
from camobo.history.trial import Trial
from camobo.insight.record import Record, record_of
from camobo.plot import fronts, model, spending
from camobo.plot.style import Spec
from camobo.study.study import Study

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_NEEDS_PLOTLY = "Figures and reports need Plotly: pip install 'camobo[plot]'."
_overflows = np.errstate(over="ignore", invalid="ignore")  # the figure leaves a gap, or says that a value is too large


@_overflows
def front(study: Study | Record) -> Figure:
    """The front among all trials, coloured by what they cost if that is known.

    Two and three objectives are drawn against each other, more on parallel scales, a single one by trial.
    """
    return _plotly(fronts.front(record_of(study)))


@_overflows
def hypervolume(study: Study | Record, against: Literal["trials", "spend"] = "trials") -> Figure:
    """Hypervolume by trial, or by money spent; as long as no amounts are known, by multiples of the cheapest trial."""
    return _plotly(spending.hypervolume(record_of(study), against))


@_overflows
def usage(study: Study | Record) -> Figure:
    """Cumulative use per input. Expensive inputs have warm colours; inputs that cost nothing are grey."""
    return _plotly(spending.usage(record_of(study)))


@_overflows
def costs(study: Study | Record) -> Figure:
    """What trials were expected to cost when they were suggested, against what was paid."""
    return _plotly(spending.costs(record_of(study)))


@_overflows
def predictions(study: Study | Record) -> Figure:
    """Leave-one-out predictions with 95 % intervals against measurements, one panel per objective."""
    return _plotly(model.predictions(record_of(study)))


@_overflows
def slices(
    study: Study | Record,
    *,
    trial: Trial | int | None = None,
    objectives: Iterable[str] | None = None,
    inputs: Iterable[str] | None = None,
) -> Figure:
    """Each objective along each input through a trial, with a 95 % band. Default trial: the compromise on the front."""
    return _plotly(model.slice_figure(record_of(study), trial=trial, objectives=objectives, inputs=inputs))


@_overflows
def fading(study: Study | Record) -> Figure:
    """How much more an expensive point must promise than the cheapest to be suggested, by share of the budget spent."""
    return _plotly(spending.fading_cost(record_of(study)))


def plotly_js() -> str:
    """The source of plotly.js that ships with the installed Plotly."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise MissingExtraError(_NEEDS_PLOTLY) from error
    return str(get_plotlyjs())


def _plotly(spec: Spec) -> Figure:
    try:
        from plotly.graph_objects import Figure
    except ImportError as error:
        raise MissingExtraError(_NEEDS_PLOTLY) from error
    return Figure(spec)
