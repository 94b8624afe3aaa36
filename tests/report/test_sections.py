from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from camobo.cost.budget import Budget
from camobo.cost.paper import PaperCost
from camobo.history.trial import State, Trial
from camobo.insight.record import Record
from camobo.insight.spending import forecast
from camobo.insight.summary import compromise
from camobo.plot.style import rough
from camobo.report import sections
from camobo.report.page import Html
from camobo.report.sections import SECTIONS, Part, facts_of
from camobo.report.sentences import Verdict
from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.plan import Plan
from tests.support.html_reader import Reader
from tests.support.samples import sample

FACTS = facts_of(record := sample(2, 3, 16), compromise(record))
WITHOUT_COST = facts_of(other := sample(2, 3, 16, cost=False), compromise(other))
EMPTY = facts_of(sample(2, 3, 0), None)


def in_money(record: Record, **options: Any) -> Record:
    """The record with a budget in euros, and what each settled trial was expected to cost and did."""
    plan = replace(record.plan, budget=Budget(cost=900, unit="EUR"), **options)
    own = {t.number for t in record.settled}
    trials = (replace(t, expected=12.0, cost=10.0 + t.number if t.number in own else None) for t in record.trials)
    return Record(plan, tuple(trials))


MONEY = facts_of(paid := in_money(sample(2, 3, 16)), compromise(paid))


def text(part: Part) -> str:
    return Reader(part.html).whole_text


def with_trials(count: int, **options: object) -> sections.Facts:
    """Facts of a study with that many complete trials of one input and one objective."""
    plan = Plan(Space({"x": Real(0, 1)}), {"y": "max"})
    trials = tuple(
        Trial(i, {"x": i / count}, State.COMPLETE, {"y": float(i % 7)}, **options)  # type: ignore[arg-type]
        for i in range(count)
    )
    return sections.Facts(Record(plan, trials), None, (), None)


@pytest.mark.parametrize("write", SECTIONS, ids=lambda write: write.__name__)
@pytest.mark.parametrize("facts", [FACTS, MONEY, WITHOUT_COST, EMPTY], ids=["order", "money", "no cost", "empty"])
def test_a_section_refers_to_its_figures_in_order_from_the_first_on(write: object, facts: sections.Facts) -> None:
    part: Part = write(replace(facts, first_figure=5))  # type: ignore[operator]
    indices = [int(a["data-figure"] or "") for _, a in Reader(part.html).elements if "data-figure" in a]
    assert indices == list(range(5, 5 + len(part.figures)))


def test_a_figure_s_title_is_shown_as_it_was_typed() -> None:
    html = sections.figure(0, {"layout": {"title": {"text": "&lt;b&gt; by trial"}}}, "a < b")
    assert Reader(html).whole_text == "<b> by trial a < b"


@pytest.mark.parametrize(
    ("grade", "mark"),
    [("good", "good"), ("fair", "fair"), ("poor", "poor"), ("early", "too early"), ("check", "check")],
)
def test_a_verdict_shows_its_grade_and_what_it_is_about(grade: str, mark: str) -> None:
    html = sections.verdict(Verdict(grade, "It holds."), "<y>")  # type: ignore[arg-type]
    assert Reader(html).whole_text == f"{mark} <y>: It holds."
    assert f'class="mark {grade}"' in html


class TestSummary:
    def test_the_cards_count_trials_front_and_hypervolume(self) -> None:
        found = text(sections.summary(FACTS))
        assert "suggested14of 40 in the budget" in found
        assert f"on the front{len(FACTS.record.front)}of {len(FACTS.record.complete)} complete trials" in found
        assert "relative to the worst measured values" in found
        assert "×expected; the cheapest trial is 1×" in found
        assert "leave-one-out R², lowest of 2 models" in found

    def test_receipts_are_summed(self) -> None:
        assert "spent7.5all of it recorded" in text(sections.summary(with_trials(3, cost=2.5)))

    def test_money_is_shown_of_the_budget_with_what_is_reserved(self) -> None:
        found, record = text(sections.summary(MONEY)), MONEY.record
        assert f"spent{record.purse.spent:.0f} of 900 EUR" in found
        assert "reserved for 2 open trials" in found
        assert "suggested14trials" in found, "the budget is not in trials"
        assert "mean cost" not in found

    def test_the_study_s_own_reference_is_named(self) -> None:
        plan = replace(FACTS.record.plan, reference=(0.0, 100.0))
        found = text(sections.summary(replace(FACTS, record=Record(plan, FACTS.record.trials))))
        assert "relative to the study's reference" in found

    def test_before_the_first_trial_there_is_no_hypervolume_and_no_model(self) -> None:
        found = text(sections.summary(EMPTY))
        assert "No trial has been suggested or added yet." in found
        assert "hypervolume–" in found
        assert "model accuracy" not in found


class TestFront:
    @pytest.mark.parametrize(
        ("count", "title", "caption"),
        [
            (1, "Best trials", "The line is the best value so far."),
            (2, "Front", "the steps bound the region it dominates."),
            (3, "Front", "Drag to rotate."),
            (4, "Front", "One line per trial. On every scale, higher is better."),
        ],
    )
    def test_the_caption_says_how_to_read_the_figure(self, count: int, title: str, caption: str) -> None:
        record = sample(count, 2, 6)
        found = text(sections.front(sections.Facts(record, None, (), None)))
        assert found.startswith(title)
        assert caption in found
        colour = "Colour shows the expected cost, from low (blue) to high (red), in multiples of the cheapest possible"
        assert colour in found
        assert "≈ marks an expected cost: none is recorded." in found

    def test_with_receipts_colour_is_money_and_nothing_is_expected(self) -> None:
        found = text(sections.front(MONEY))
        assert "Colour shows the cost, from low (blue) to high (red)." in found
        assert "multiples" not in found
        assert "≈" not in found

    def test_without_a_cost_colour_means_nothing(self) -> None:
        assert "Colour" not in text(sections.front(WITHOUT_COST))

    @pytest.mark.parametrize("goal", ["max", "min"])
    def test_the_table_starts_with_the_best_in_the_first_objective(self, goal: str) -> None:
        plan = Plan(Space({"x": Real(0, 1)}), {"y": goal, "z": goal})  # type: ignore[dict-item]
        rows = [(1.0, 9.0), (5.0, 5.0), (9.0, 1.0)]
        trials = tuple(Trial(i, {"x": 0.5}, State.COMPLETE, {"y": y, "z": z}) for i, (y, z) in enumerate(rows))
        html = sections.front(sections.Facts(Record(plan, trials), None, (), None)).html
        order = [html.index(f'<td class="number">{i}</td>') for i in range(3)]
        assert order == sorted(order, reverse=goal == "max")

    def test_a_long_front_is_cut_and_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sections, "MOST_ROWS", 1)
        assert f"The first 1 of {len(FACTS.record.front)} trials." in text(sections.front(FACTS))


class TestProgress:
    def test_without_money_it_is_drawn_by_trial_and_by_multiples_of_the_cheapest_trial(self) -> None:
        found = text(sections.progress(FACTS))
        assert "Hypervolume by trial Volume between the reference and the front." in found
        assert "Hypervolume by cost Amounts are not known: the axis adds up expected costs" in found

    def test_one_objective_without_cost_has_no_such_section(self) -> None:
        assert sections.progress(with_trials(3)) == Part(Html(""))

    def test_one_objective_with_costs_is_drawn_by_cost_only(self) -> None:
        found = sections.progress(with_trials(3, cost=2.5))
        assert len(found.figures) == 1
        assert "Hypervolume by money spent What the money bought, trial by trial." in text(found)

    def test_before_the_first_result_there_is_no_such_section(self) -> None:
        assert sections.progress(EMPTY) == Part(Html(""))


class TestCostAndUse:
    def test_by_an_order_it_shows_use_and_how_the_cost_fades(self) -> None:
        part = sections.cost_and_use(FACTS)
        found = text(part)
        assert found.startswith("Cost and use of inputs")
        assert [spec["layout"]["title"]["text"] for spec in part.figures] == ["Use of inputs", "How the cost fades"]
        assert "must promise this many times as much as the cheapest trial to be suggested." in found
        assert "Without a budget" not in found

    def test_with_receipts_it_shows_what_was_expected_against_paid_and_how_far_off_it_was(self) -> None:
        part = sections.cost_and_use(MONEY)
        titles = [spec["layout"]["title"]["text"] for spec in part.figures]
        assert titles[1:] == ["How the cost fades", "Cost: expected when suggested against paid"]
        found = forecast(MONEY.record)
        assert found is not None
        assert f"the difference was at most {rough(100 * found.typical_error)} %." in text(part)

    def test_the_paper_s_cost_does_not_fade_by_the_budget(self) -> None:
        plan = replace(FACTS.record.plan, cost=PaperCost("input 0 > input 1"), method="paper")
        part = sections.cost_and_use(replace(FACTS, record=Record(plan, FACTS.record.trials)))
        assert [spec["layout"]["title"]["text"] for spec in part.figures] == ["Use of inputs"]
        assert text(part).startswith("Cost and use of inputs")

    def test_without_a_budget_it_says_what_fades_the_cost(self) -> None:
        plan = replace(FACTS.record.plan, budget=None)
        found = text(sections.cost_and_use(replace(FACTS, record=Record(plan, FACTS.record.trials))))
        assert "Without a budget, half of it counts as spent after 30 trials." in found

    def test_receipts_that_contradict_the_order_are_marked_here_and_among_the_warnings(self) -> None:
        rises = {
            t.number: u for t, u in zip(FACTS.record.trials, FACTS.record.levels(FACTS.record.trials), strict=True)
        }
        own = (replace(t, cost=None if t.state.open else 5 + 50 * rises[t.number][1]) for t in FACTS.record.trials)
        facts = replace(FACTS, record=Record(FACTS.record.plan, tuple(own)))
        said = "Receipts say that input 1 costs more than input 0, the order says less. Check the order"
        assert f"check {said}" in text(sections.cost_and_use(facts))
        assert said in text(sections.warnings(facts))

    def test_without_a_cost_it_is_about_use_only(self) -> None:
        part = sections.cost_and_use(WITHOUT_COST)
        assert len(part.figures) == 1
        assert text(part).startswith("Use of inputs")

    def test_before_a_trial_has_finished_it_says_so(self) -> None:
        assert text(sections.cost_and_use(EMPTY)) == "Cost and use of inputsNo trial has finished yet."


class TestModels:
    def test_there_is_one_verdict_and_panel_per_objective_and_one_slice_per_objective_and_input(self) -> None:
        part = sections.models(FACTS)
        assert len(part.figures) == 2 + 2 * 3
        found = text(part)
        assert FACTS.sliced is not None
        assert f"Slices through trial {FACTS.sliced.number}" in found
        assert "objective 0: " in found
        assert "objective 1: " in found
        assert "To limit computing time" not in found

    def test_too_few_trials_are_said_to_be(self) -> None:
        assert text(sections.models(EMPTY)) == "ModelsModels need at least 3 complete trials."

    def test_models_of_a_part_of_the_trials_are_said_to_be(self) -> None:
        thinned = tuple(
            replace(check, trials=check.trials[:8], measured=check.measured[:8], predicted=check.predicted[:8],
                    deviation=np.ones(8))
            for check in FACTS.checks
        )  # fmt: skip
        found = text(sections.models(replace(FACTS, checks=thinned)))
        assert f"To limit computing time, the models use 8 of {len(FACTS.record.complete)} complete trials." in found


class TestTrials:
    def test_pending_trials_are_listed_or_said_to_be_none(self) -> None:
        assert 'aria-label="Pending trials"' in sections.pending(FACTS).html
        assert text(sections.pending(EMPTY)) == "PendingNo trial is waiting for a result."

    def test_failed_trials_are_listed_with_their_reasons_if_there_are_any(self) -> None:
        assert "crucible cracked" in text(sections.failed(FACTS))
        assert sections.failed(EMPTY).html == ""

    def test_all_trials_can_be_unfolded(self) -> None:
        assert "Show all 16 trials" in text(sections.all_trials(FACTS))
        assert sections.all_trials(EMPTY).html == ""

    def test_very_many_trials_are_cut_and_said_to_be(self) -> None:
        assert "Show the first 500 of 501 trials" in text(sections.all_trials(with_trials(501)))


def test_warnings_are_listed_or_said_to_be_none() -> None:
    assert text(sections.warnings(EMPTY)) == "WarningsNone."
    record = Record(replace(FACTS.record.plan, reference=(1e9, -1e9)), FACTS.record.trials)
    assert "No trial is better than the reference" in text(sections.warnings(replace(FACTS, record=record)))


@pytest.mark.parametrize(("reference", "shown"), [(None, "worst measured"), ((12.5, 3.0), "12.5")])
def test_settings_show_inputs_objectives_and_options(reference: tuple[float, ...] | None, shown: str) -> None:
    record = Record(replace(FACTS.record.plan, reference=reference), ())
    found = text(sections.settings(replace(FACTS, record=record)))
    assert "input 0real0 to 20 %high" in found
    assert f"objective 0max{shown}" in found
    assert "Budget40 trials" in found
