from __future__ import annotations

import itertools

import numpy as np
import pytest

from camobo.errors import InvalidOptionError, UnknownTrialError
from camobo.insight.diagnostics import NORMAL_95, Check
from camobo.insight.slices import Slice
from camobo.model.transforms import Standard
from camobo.plot import model
from camobo.plot.style import Spec
from tests.support.samples import sample

RECORD = sample()
TRIALS = RECORD.complete[:4]
MEASURED = np.array([1.0, 2.0, 4.0, 3.0])
CHECK = Check("objective 0", TRIALS, MEASURED, MEASURED + 0.5, np.full(4, 0.1), Standard(0.0, 1.0))


class TestPredictions:
    def test_measured_runs_across_and_predicted_up_with_95_percent_bars(self) -> None:
        spec = model.prediction_panel(RECORD, CHECK)
        points = spec["data"][1]
        assert points["x"] == MEASURED.tolist()
        assert points["y"] == (MEASURED + 0.5).tolist()
        assert points["error_y"]["array"] == pytest.approx([NORMAL_95 * 0.1] * 4)
        titles = [spec["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
        assert titles == ["measured objective 0", "predicted"]

    def test_the_dashed_line_is_where_prediction_and_measurement_agree(self) -> None:
        line = model.prediction_panel(RECORD, CHECK)["data"][0]
        assert line["x"] == line["y"] == [1.0, 4.5]
        assert line["line"]["dash"] == "dash"

    def test_hover_says_what_was_predicted_and_measured(self) -> None:
        texts = model.prediction_panel(RECORD, CHECK)["data"][1]["hovertext"]
        assert texts[0].startswith(f"predicted 1.5 ± 0.196, measured 1<br>trial {TRIALS[0].number} ·")

    @pytest.mark.parametrize("objectives", [1, 2, 4])
    def test_there_is_one_panel_per_objective(self, objectives: int) -> None:
        spec = model.predictions(sample(objectives, 2, 8))
        assert len([key for key in spec["layout"] if key.startswith("xaxis")]) == objectives


class TestSlices:
    def test_one_can_be_chosen(self) -> None:
        spec = model.slice_figure(RECORD, trial=4, objectives=["objective 1"], inputs="input 2")
        assert spec["layout"]["title"]["text"] == "objective 1 along input 2"
        assert "trial 4" in spec["data"][-1]["hovertext"][0]

    def test_a_trial_can_be_given_itself(self) -> None:
        chosen = [model.slice_figure(RECORD, trial=trial, inputs=["input 0"]) for trial in (RECORD.trials[4], 4)]
        assert chosen[0] == chosen[1]

    def test_an_unknown_name_is_an_error_that_lists_the_known_ones(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"^slices: unknown input 'nickel'\..*input 0, input 1"):
            model.slice_figure(RECORD, inputs=["nickel"])
        with pytest.raises(InvalidOptionError, match="need at least one objective"):
            model.slice_figure(RECORD, objectives=[])
        with pytest.raises(UnknownTrialError, match="trial 77"):
            model.slice_figure(RECORD, trial=77)

    def test_the_band_spans_95_percent_and_the_diamond_is_the_measured_value(self) -> None:
        trial = RECORD.complete[0]
        cut = Slice("objective 0", "input 0", (0.0, 10.0, 20.0), np.array([1.0, 2.0, 3.0]), np.full(3, 0.5), 1)
        low, high, mean, here = model.slice_panel(RECORD, cut, trial)["data"]
        assert mean["y"] == [1.0, 2.0, 3.0]
        assert np.subtract(high["y"], low["y"]).tolist() == pytest.approx([2 * NORMAL_95 * 0.5] * 3)
        assert (here["x"], here["y"]) == ([10.0], [(trial.values or {})["objective 0"]])
        assert here["marker"]["symbol"] == "diamond"

    def test_choices_have_one_bar_each_at_their_tick(self) -> None:
        trial = RECORD.complete[0]
        cut = Slice("objective 0", "input 1", ("air", "oil", "water"), np.array([1.0, 2.0, 3.0]), np.full(3, 0.5), 0)
        spec = model.slice_panel(RECORD, cut, trial)
        assert spec["data"][0]["x"] == [0, 1, 2] == spec["layout"]["xaxis"]["tickvals"]
        assert spec["layout"]["xaxis"]["ticktext"] == ["air", "oil", "water"]
        assert spec["data"][0]["error_y"]["array"] == pytest.approx([NORMAL_95 * 0.5] * 3)

    def test_a_trial_without_a_result_has_no_diamond(self) -> None:
        cut = Slice("objective 0", "input 0", (0.0, 20.0), np.ones(2), np.ones(2), 0)
        assert len(model.slice_panel(RECORD, cut, RECORD.trials[-1])["data"]) == 3


@pytest.mark.parametrize("draw", [model.predictions, model.slice_figure])
def test_too_few_trials_for_a_model_is_said_in_the_figure(draw: object) -> None:
    spec: Spec = draw(sample(2, 3, 1))  # type: ignore[operator]
    assert spec["layout"]["annotations"][0]["text"] == "Models need at least 3 complete trials"
    assert spec["data"] == []


def test_tiled_panels_do_not_overlap() -> None:
    layout = model.slice_figure(sample(3, 4, 12))["layout"]
    tiles = [
        (*layout[key]["domain"], *layout[key.replace("x", "y", 1)]["domain"])
        for key in layout
        if key.startswith("xaxis")
    ]
    assert len(tiles) == 12
    for (left, right, low, high), (left_2, right_2, low_2, high_2) in itertools.combinations(tiles, 2):
        assert right <= left_2 or right_2 <= left or high <= low_2 or high_2 <= low
