from __future__ import annotations

import camobo as cm
from camobo.insight import overview
from camobo.insight.record import record_of
from tests.support.studies import study_of, told


def test_a_printed_study_tells_budget_front_and_hypervolume() -> None:
    study = told(study_of(budget=20, reference={"strength": 0.0, "corrosion": 9.0}), 6)
    text = str(study)
    assert "objectives   strength (max), corrosion (min)\n" in text
    assert "budget       6 of 20 trials\n" in text
    assert f"hypervolume  {study.hypervolume():.6g}\n" in text
    assert f"front        {len(study.front())} of 6 complete trials" in text
    assert all(f"  {trial}" in text for trial in study.front())


def test_a_budget_in_money_is_shown_with_what_was_spent() -> None:
    study = study_of(budget=cm.Budget(trials=9, cost=100, unit="EUR"))
    study.tell(study.ask(), {"strength": 1.0, "corrosion": 1.0}, cost=41.5)
    assert "budget       1 of 9 trials, 41.5 of 100 EUR\n" in str(study)
    assert str(study).endswith("; cost 41.5 EUR")
    assert "<th>cost EUR</th>" in study._repr_html_()
    assert "<td>41.5</td>" in study._repr_html_()


def test_a_study_without_trials_or_budget_has_an_overview_too() -> None:
    text = str(study_of())
    assert "budget       none\ntrials       none\nhypervolume  0\nfront        0 of 0" in text


def test_a_long_front_is_cut_and_says_so() -> None:
    study = cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"a": "max", "b": "min"}, seed=1)
    for i in range(14):
        study.add({"x": i / 14}, {"a": i, "b": i})
    assert str(study).endswith("\n  and 4 more")
    assert str(study).count(" -> ") == 10
    assert "and 4 more" in overview.html(record_of(study))


def test_a_notebook_shows_the_same_and_runs_nothing_that_a_name_contains() -> None:
    evil = "<script>alert(1)</script>"
    space = cm.Space({evil: cm.Categorical([evil, "b"])})
    study = cm.Study(space, {f"y{evil}": "max"}, budget=cm.Budget(cost=9, unit=evil[:8]), seed=1)
    study.add({evil: evil}, {f"y{evil}": 2.5})
    html = study._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5
    assert "<td>2.5</td>" in html
    assert html.count("<table>") == html.count("</table>") == 2
