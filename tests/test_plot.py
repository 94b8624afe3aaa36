from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo import plot
from camobo.errors import InvalidOptionError, MissingExtraError, UnknownTrialError
from camobo.inputs import Real
from camobo.insight import Record
from camobo.plot import model, objectives, progress, style
from camobo.space import Space
from camobo.study import Study
from hostile import HOSTILE
from samples import PARTS, hostile_record, sample
from strategies import law

pytest.importorskip("plotly", reason="figures need Plotly: pip install 'camobo[plot]'")

FIGURES: dict[str, Callable[[Record], Any]] = {
    "front": plot.front,
    "hypervolume by trial": plot.hypervolume,
    "hypervolume by spend": lambda record: plot.hypervolume(record, "spend"),
    "usage": plot.usage,
    "predictions": plot.predictions,
    "slices": plot.slices,
    "fading": plot.fading,
}
SPECS: dict[str, Callable[[Record], style.Spec]] = {
    "front": objectives.front,
    "hypervolume by trial": progress.hypervolume,
    "hypervolume by spend": lambda record: progress.hypervolume(record, "spend"),
    "usage": progress.usage,
    "predictions": model.predictions,
    "slices": model.slice_figure,
    "fading": progress.cost_fading,
}
SIZES = [(1, 1, 5), (1, 4, 30), (2, 1, 0), (2, 3, 1), (2, 4, 30), (3, 4, 30), (4, 2, 5), (6, 12, 40)]


def strings(given: object) -> Iterator[str]:
    """Every text of a figure, wherever it stands."""
    if isinstance(given, str):
        yield given
    elif isinstance(given, dict):
        for value in given.values():
            yield from strings(value)
    elif isinstance(given, (list, tuple)):
        for value in given:
            yield from strings(value)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("cost", [True, False], ids=["cost", "no cost"])
def test_every_figure_is_valid_whatever_the_size_of_the_study(
    name: str, size: tuple[int, int, int], cost: bool
) -> None:
    record = sample(*size, cost=cost)
    figure = FIGURES[name](record)
    assert figure.layout.title.text
    assert json.loads(json.dumps(SPECS[name](record), allow_nan=False))


@pytest.mark.parametrize("name", ["front", "hypervolume by trial", "usage", "predictions", "fading"])
@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_hover_shows_the_trial_s_number_and_all_its_parameters(name: str, count: int) -> None:
    record = sample(count, 5, 20)
    told = {text for trace in SPECS[name](record)["data"] for text in trace.get("hovertext") or () if text}
    trial = record.complete[3]
    mine = [text for text in told if re.search(rf"trial {trial.number}\b", text)]
    assert mine
    for text in mine:
        for parameter, value in trial.params.items():
            assert f"{parameter}: {style.shown(value)}" in text
        assert "mol/L" in text


@pytest.mark.parametrize(("count", "kind"), [(1, "scatter"), (2, "scatter"), (3, "scatter3d"), (4, "scatter")])
def test_a_front_is_drawn_flat_in_space_or_in_parallel(count: int, kind: str) -> None:
    spec = objectives.front(sample(count))
    assert {trace["type"] for trace in spec["data"]} == {kind}
    if count == 4:
        assert len(spec["layout"]["xaxis"]["ticktext"]) == 4


def test_on_parallel_scales_better_is_up_for_every_objective() -> None:
    record = sample(4, 3, 40)
    spec = objectives.front(record)
    heights = {
        (trace["hovertext"][i].split(" ·")[0], trace["x"][i]): trace["y"][i]
        for trace in spec["data"]
        for i in range(len(trace["x"]))
        if trace["x"][i] is not None
    }
    for j, (name, goal) in enumerate(record.plan.objectives.items()):
        pick = max if goal == "max" else min
        best = pick(record.complete, key=lambda t: (t.values or {})[name])
        assert heights[f"trial {best.number}", j] == pytest.approx(1.0)


@pytest.mark.parametrize(("first", "second"), [("max", "max"), ("max", "min"), ("min", "max"), ("min", "min")])
def test_the_steps_of_a_front_never_cross_a_trial(first: Any, second: Any) -> None:
    """Between two neighbours the corner of the steps is the worse of both: within reach, not beyond it."""
    rows = {"max": 1.0, "min": -1.0}
    study = Study(Space({"x": Real(0, 1)}), {"a": first, "b": second}, seed=1)
    for x in (0.0, 0.3, 1.0):
        study.add({"x": x}, {"a": rows[first] * x, "b": rows[second] * (1 - x)})
    (stairs, *_) = objectives.front(Record(study.plan, study.trials))["data"]
    (x0, x1), (y0, y1) = stairs["x"][:2], stairs["y"][:2]
    corner = (x0, y1) if stairs["line"]["shape"] == "vh" else (x1, y0)
    worse = tuple((min if goal == "max" else max)(pair) for goal, pair in ((first, (x0, x1)), (second, (y0, y1))))
    assert corner == worse


class TestColours:
    def test_the_dearest_is_the_warmest_ties_are_alike_and_the_unnamed_are_grey(self) -> None:
        dear, tied, also, free = style.dearness_colours([0.6, 0.2, 0.2, None])
        assert tied == also
        assert free == style.GREY
        assert int(dear[1:3], 16) > int(dear[5:7], 16)
        assert int(tied[1:3], 16) < int(tied[5:7], 16)

    def test_without_an_order_inputs_are_told_apart(self) -> None:
        assert len(set(style.dearness_colours([None] * 6))) == 6


class TestTextOfUsers:
    @pytest.mark.parametrize("part", range(PARTS))
    @pytest.mark.parametrize("name", SPECS)
    def test_no_text_of_a_figure_holds_markup_but_line_breaks(self, name: str, part: int) -> None:
        record, _, _ = hostile_record(part)
        for text in strings(SPECS[name](record)):
            plain = text.replace("<br>", "")
            assert not re.search(r"[<>$\\\x00-\x1f\u2028\u2029\u202e\ud800-\udfff]", plain), text
            assert not re.search(r"&(?!(amp|lt|gt|#36|#92);)", plain), text

    @law
    @given(text=st.text() | st.text("<>&$;\\#/%{}abr") | st.sampled_from(HOSTILE))
    def test_neutralised_text_reads_as_it_was_typed(self, text: str) -> None:
        import html

        assert html.unescape(style.safe(text, 10**6)) == style.visible(text)

    @pytest.mark.parametrize("text", HOSTILE[:70], ids=range(70))
    def test_no_visible_text_can_fail_to_be_written(self, text: str) -> None:
        assert style.visible(text).encode()

    def test_nothing_typed_stands_in_a_template(self) -> None:
        for spec in (write(hostile_record(0)[0]) for write in SPECS.values()):
            for trace in spec["data"]:
                assert not [key for key in trace if "template" in key or key == "customdata"]


class TestSlices:
    def test_one_can_be_picked(self) -> None:
        figure = plot.slices(sample(), trial=4, objectives=["objective 1"], inputs="input 2")
        assert figure.layout.title.text == "objective 1 along input 2"
        assert "trial 4" in figure.data[-1].hovertext[0]

    def test_a_name_that_is_not_there_is_an_error_that_lists_those_that_are(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"no input called 'nickel'.*input 0, input 1"):
            plot.slices(sample(), inputs=["nickel"])
        with pytest.raises(InvalidOptionError, match="at least one objective"):
            plot.slices(sample(), objectives=[])
        with pytest.raises(UnknownTrialError, match="trial 77"):
            plot.slices(sample(), trial=77)


def test_spend_says_on_its_axis_what_it_is() -> None:
    assert "weighted by the order" in progress.hypervolume(sample(), "spend")["layout"]["xaxis"]["title"]["text"]
    with pytest.raises(InvalidOptionError, match=r"trials.*spend"):
        plot.hypervolume(sample(), "time")  # type: ignore[arg-type]


@pytest.mark.parametrize("power", [0.0, 0.5, 3.9, 4.0, 12.3, 300.0])
def test_a_factor_is_written_without_markup(power: float) -> None:
    assert re.fullmatch(r"[\d.]+ times|10[⁰¹²³⁴⁵⁶⁷⁸⁹]+ times", progress.times(power))


def test_a_study_is_drawn_as_its_record_is() -> None:
    study = Study(Space({"x": Real(0, 1)}), {"y": "min"}, seed=1).optimize(lambda p: {"y": p["x"]}, 4)
    assert plot.front(study) == plot.front(Record(study.plan, study.trials))


def test_without_plotly_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'camobo[plot]'")):
        plot.front(sample())
