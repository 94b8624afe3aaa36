from __future__ import annotations

import sys

import pytest

import camobo as cm
from camobo.insight.dataframe import columns
from camobo.insight.record import record_of
from tests.support.studies import GOOD, study_of, told


def test_a_row_is_a_trial_and_a_column_an_input_an_objective_or_another_fact() -> None:
    pytest.importorskip("pandas")
    study = told(study_of(), 2)
    study.fail(study.ask(owner="anna"), "cracked", cost=12.0)
    frame = study.dataframe()
    assert list(frame.index) == [0, 1, 2]
    assert list(frame["expensive"]) == [trial.params["expensive"] for trial in study.trials]
    assert list(frame["strength"])[:2] == [(trial.values or {})["strength"] for trial in study.trials[:2]]
    assert (frame["state"][2], frame["reason"][2], frame["cost"][2]) == ("failed", "cracked", 12.0)
    assert frame["strength"].isna().tolist() == [False, False, True]


def test_an_empty_study_has_all_columns_and_no_rows() -> None:
    pytest.importorskip("pandas")
    frame = study_of().dataframe()
    assert len(frame) == 0
    assert {"state", "expensive", "cheap", "strength", "corrosion", "cost"} <= set(frame.columns)


def test_names_that_are_taken_say_what_they_are() -> None:
    study = cm.Study(cm.Space({"cost": cm.Real(0, 1), "x": cm.Real(0, 1)}), {"x": "max", "cost": "min"}, seed=1)
    study.add({"cost": 0.25, "x": 0.5}, {"x": 3.0, "cost": 4.0}, cost=7.0)
    found = columns(record_of(study))
    assert (found["input cost"], found["objective cost"], found["cost"]) == ([0.25], [4.0], [7.0])
    assert (found["x"], found["objective x"]) == ([0.5], [3.0])


def test_the_trials_themselves_make_a_frame_too() -> None:
    pandas = pytest.importorskip("pandas")
    study = study_of()
    study.add({"expensive": 0.1, "cheap": 0.1}, GOOD)
    frame = pandas.DataFrame(told(study, 2).trials)
    assert list(frame["number"]) == [0, 1, 2]
    assert frame["values"][0] == GOOD


def test_without_pandas_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(cm.MissingExtraError, match=r"^dataframe: needs pandas, .* pip install 'camobo\[pandas\]'$"):
        study_of().dataframe()
