from __future__ import annotations

from pathlib import Path

import pytest

import camobo as cm
from tests.support.commands import alloy, camobo


@pytest.mark.parametrize(
    ("option", "given", "said"),
    [
        ("--budget", "80", "budget: 80 trials; before: 40 trials.\n"),
        ("--budget", "2000 EUR", "budget: 2000 EUR; before: 40 trials.\n"),
        ("--budget", "60, 2000.5 EUR", "budget: 60 trials, 2000.5 EUR; before: 40 trials.\n"),
        ("--budget", "none", "budget: none; before: 40 trials.\n"),
        ("--cost", "chromium > nickel", "cost: chromium > nickel; before: nickel > chromium.\n"),
        ("--cost", "none", "cost: none; before: nickel > chromium.\n"),
        ("--cost", "learned", "cost: learned from receipts; before: nickel > chromium.\n"),
        ("--formula", "2*nickel + 1", "cost: 2*nickel + 1; before: nickel > chromium.\n"),
        ("--thrift", "0.5", "thrift: 0.5; before: 1.\n"),
        ("--budget", "40 trials", "budget: nothing to change, it is 40 trials.\n"),
        ("--cost", "nickel>chromium", "cost: nickel > chromium; before: nickel > chromium.\n"),
    ],
)
def test_it_says_what_changed_from_what_to_what(tmp_path: Path, option: str, given: str, said: str) -> None:
    study = alloy(tmp_path)
    done = camobo("set", study, option, given)
    assert done.code == 0
    if given != "nickel>chromium":  # whether another spelling is a change is for the study to say
        assert done.out == said
    changed = "nothing to change" not in done.out
    assert [event.kind for event in cm.Study.load(study).log()] == ["set"] * changed


def test_it_does_what_python_s_change_does(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    (tmp_path / "list.csv").write_text("input;price\nnickel;13.9\nper trial;12\n")
    camobo("set", study, "--budget", "60, 2000 EUR", "--prices", tmp_path / "list.csv", "--thrift", "2")
    again = cm.Study.from_toml(tmp_path / "alloy.toml")
    again.change(
        budget=cm.Budget(trials=60, cost=2000, unit="EUR"), cost=cm.Prices({"nickel": 13.9}, per_trial=12), thrift=2
    )
    opened = cm.Study.load(study)
    assert opened.plan == again.plan
    assert opened.ask().params == again.ask().params


def test_as_json_it_gives_what_was_and_what_is(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    facts = camobo("set", study, "--budget", "9 EUR", "--thrift", "1", "--json").json
    assert facts == {"study": str(study), "changed": {"budget": {"old": 40, "new": {"cost": 9.0, "unit": "EUR"}}}}


def test_a_budget_in_money_says_what_is_known_of_it(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    assert "Nothing says yet how much money a trial costs." in camobo("set", study, "--budget", "9 EUR").err
    camobo("ask", study)
    camobo("tell", study, "0", "strength=1", "corrosion=1", "--cost", "9")
    assert (
        "9 EUR are spent or reserved: nothing is left" in camobo("set", study, "--cost", "nickel", "--thrift", "2").err
    )
    assert camobo("set", study, "--budget", "none").err == ""


def test_after_a_change_the_problem_file_still_leads_to_its_study(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    camobo("set", study, "--budget", "80")
    assert camobo("new", tmp_path / "alloy.toml").code == 0
    assert cm.Study.load(study).budget == cm.Budget(trials=80)


def test_a_word_that_is_an_input_is_that_input(tmp_path: Path) -> None:
    cm.Study(cm.Space({"none": cm.Real(0, 1)}), {"y": "max"}, storage=tmp_path / "a.db").close()
    camobo("set", tmp_path / "a.db", "--cost", "none")
    assert str(cm.Study.load(tmp_path / "a.db").plan.cost) == "none"


def test_the_cost_of_a_paper_s_study_is_the_paper_s(tmp_path: Path) -> None:
    space = cm.Space({"x1": cm.Real(0, 1), "x2": cm.Real(0, 1)})
    cm.Study(space, {"y": "max"}, method="paper", cost="x1 > x2", storage=tmp_path / "a.db").close()
    assert (
        camobo("set", tmp_path / "a.db", "--cost", "x2 > x1").out == "cost: x2 > x1 (Eq. 8); before: x1 > x2 (Eq. 8).\n"
    )
    assert 'method="paper" needs an order' in camobo("set", tmp_path / "a.db", "--formula", "x1").err


def test_a_study_whose_cost_is_a_python_function_can_be_changed(tmp_path: Path) -> None:
    def price(params: object) -> float:
        return 3.0

    cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"y": "max"}, cost=price, storage=tmp_path / "a.db").close()
    for command in (["status"], ["front"], ["log"]):
        assert camobo(command[0], tmp_path / "a.db").code == 0
    assert camobo("set", tmp_path / "a.db", "--budget", "80").out == "budget: 80 trials; before: none.\n"
    assert camobo("set", tmp_path / "a.db", "--cost", "x").out == "cost: x; before: function price (not given).\n"


def test_a_unit_that_was_forgotten_is_noticed(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    assert camobo("set", study, "--budget", "2000 EUR").err.count("no longer in money") == 0
    assert 'If you meant an amount: --budget "2500 EUR"' in camobo("set", study, "--budget", "2500").err
    assert "no longer" not in camobo("set", study, "--budget", "none").err


def test_a_value_without_quotes_leads_to_them(tmp_path: Path) -> None:
    done = camobo("set", alloy(tmp_path), "--budget", "2000", "EUR")
    assert done.code == 2
    assert 'A value with spaces stands in quotes: --budget "2000 EUR"' in done.err


def test_another_unit_of_money_is_refused_once_a_trial_was_paid(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    camobo("set", study, "--budget", "2000 EUR")
    camobo("ask", study)
    camobo("tell", study, "0", "strength=1", "corrosion=1", "--cost", "9")
    done = camobo("set", study, "--budget", "500 USD")
    assert done.code == 1
    assert "need an amount in EUR, as money has been recorded in EUR, got 500 USD" in done.err
    assert cm.Study.load(study).budget == cm.Budget(cost=2000, unit="EUR")
    text = (tmp_path / "alloy.toml").read_text().replace("budget = 40", 'budget = { cost = 500, unit = "USD" }')
    (tmp_path / "alloy.toml").write_text(text)
    assert "holds another study" in camobo("new", tmp_path / "alloy.toml").err


def test_a_budget_that_pays_for_no_trial_is_refused(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    camobo("set", study, "--formula", "12 + nickel")
    done = camobo("set", study, "--budget", "9 EUR")
    assert done.code == 1
    assert "budget: need at least 12 EUR, which the cheapest trial costs (nickel=0" in done.err
    assert cm.Study.load(study).budget == cm.Budget(trials=40)
