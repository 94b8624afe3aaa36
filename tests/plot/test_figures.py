from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from camobo import plot
from camobo.cost.budget import Budget
from camobo.errors import InvalidOptionError, MissingExtraError
from camobo.history.trial import State, Trial
from camobo.insight.record import Record
from camobo.plot import figures, fronts, model, spending, style
from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.plan import Plan
from camobo.study.study import Study
from tests.support.samples import PARTS, hostile_record, sample

pytest.importorskip("plotly", reason="figures need Plotly: pip install 'camobo[plot]'")

FIGURES: dict[str, Callable[[Record], Any]] = {
    "front": plot.front,
    "hypervolume by trial": plot.hypervolume,
    "hypervolume by spend": lambda record: plot.hypervolume(record, "spend"),
    "usage": plot.usage,
    "costs": plot.costs,
    "predictions": plot.predictions,
    "slices": plot.slices,
    "fading": plot.fading,
}
SPECS: dict[str, Callable[[Record], style.Spec]] = {
    "front": fronts.front,
    "hypervolume by trial": spending.hypervolume,
    "hypervolume by spend": lambda record: spending.hypervolume(record, "spend"),
    "usage": spending.usage,
    "costs": spending.costs,
    "predictions": model.predictions,
    "slices": model.slice_figure,
    "fading": spending.fading_cost,
}
SIZES = [(1, 1, 5), (1, 4, 30), (2, 1, 0), (2, 3, 1), (2, 4, 30), (3, 4, 30), (4, 2, 5), (6, 9, 20)]
hostile = cache(hostile_record)


def strings(given: object) -> Iterator[str]:
    """Every text of a figure, at any depth."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, dict):
        for value in given.values():
            yield from strings(value)
    elif isinstance(given, (list, tuple)):
        for value in given:
            yield from strings(value)


def paid(record: Record, *, unit: str = "EUR") -> Record:
    """The record with a budget in money, and what each settled trial was expected to cost and did."""
    plan = replace(record.plan, budget=Budget(cost=900, unit=unit))
    own = {t.number for t in record.settled}
    trials = (replace(t, expected=12.0, cost=10.0 + t.number if t.number in own else None) for t in record.trials)
    return Record(plan, tuple(trials))


KNOWN: dict[str, Callable[..., Record]] = {
    "order": sample,
    "receipts": lambda *size: paid(sample(*size)),
    "receipts without a cost": lambda *size: paid(sample(*size, cost=False)),
    "nothing": lambda *size: sample(*size, cost=False),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("known", KNOWN)
def test_every_figure_is_valid_for_a_study_of_any_size(name: str, size: tuple[int, int, int], known: str) -> None:
    figure = FIGURES[name](KNOWN[known](*size))
    assert figure.layout.title.text
    assert json.loads(json.dumps(json.loads(figure.to_json()), allow_nan=False))


@pytest.mark.parametrize("name", SPECS)
def test_a_figure_is_its_spec_drawn_by_plotly_and_the_spec_is_plain_json(name: str) -> None:
    record = paid(sample(2, 3, 12))
    spec = SPECS[name](record)
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    figure = FIGURES[name](record)
    assert len(figure.data) == len(spec["data"])
    assert figure.layout.title.text == spec["layout"]["title"]["text"]


@pytest.mark.parametrize("name", FIGURES)
def test_values_too_large_to_compute_with_leave_gaps_and_do_not_warn(name: str) -> None:
    plan = Plan(Space({"a": Real(0, 1), "b": Real(0, 1)}), {"y": "max", "z": "min"})
    values = [(1e308, -1e308), (-1e308, 1e308), (1.7e308, 3.0), (5.0, -1.7e308), (1e308, 1e308)]
    trials = tuple(
        Trial(i, {"a": i / 5, "b": 3 * i % 5 / 5}, State.COMPLETE, {"y": y, "z": z}, cost=1e308, expected=3.0)
        for i, (y, z) in enumerate(values)
    )
    record = Record(plan, trials)
    spec = SPECS[name](record)
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec, "neither NaN nor infinity"
    assert len(FIGURES[name](record).data) == len(spec["data"])


@pytest.mark.parametrize(
    "name", ["front", "hypervolume by trial", "hypervolume by spend", "usage", "costs", "predictions"]
)
@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_hover_shows_the_trial_s_number_all_its_parameters_and_its_cost(name: str, count: int) -> None:
    record = paid(sample(count, 5, 20))
    texts = {text for trace in SPECS[name](record)["data"] for text in trace.get("hovertext") or () if text}
    trial = record.complete[3]
    own = [text for text in texts if re.search(rf"trial {trial.number}\b", text)]
    assert own
    for text in own:
        for parameter, value in trial.params.items():
            assert f"{parameter}: {style.shown(value)}" in text
        assert "mol/L" in text
        assert text.endswith(f"<br>cost: {10 + trial.number} EUR")


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", SPECS)
def test_no_text_of_a_figure_holds_markup_but_line_breaks(name: str, part: int) -> None:
    record, _, texts = hostile(part)
    spec = SPECS[name](paid(record, unit=texts[0]))
    for text in strings(spec):
        plain = text.replace("<br>", "")
        assert not re.search(r"[<>$\\\x00-\x1f\u2028\u2029\u202e\ud800-\udfff]", plain), text
        assert not re.search(r"&(?!(amp|lt|gt|#36|#92);)", plain), text
    for trace in spec["data"]:  # templates would need escaping of another kind
        assert not [key for key in trace if "template" in key or key == "customdata"]


def test_a_study_is_drawn_as_its_record_is() -> None:
    study = Study(Space({"x": Real(0, 1)}), {"y": "min"}, seed=1)
    for x in (0.1, 0.7, 0.4):
        study.add({"x": x}, {"y": x})
    assert plot.front(study) == plot.front(Record(study.plan, study.trials))


def test_anything_else_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="need a Study"):
        plot.front("alloy.db")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("module", "call"),
    [("plotly.graph_objects", lambda: plot.front(sample())), ("plotly.offline", figures.plotly_js)],
    ids=["a figure", "plotly.js"],
)
def test_without_plotly_the_error_says_what_to_install(
    module: str, call: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'camobo[plot]'")):
        call()


def test_plotly_js_is_a_script() -> None:
    assert "plotly.js v" in figures.plotly_js()[:200]
