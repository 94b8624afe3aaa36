from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import camobo as cm
from camobo.cli.begin import example_problem
from camobo.history.problem_file import plan_of_toml
from tests.support.commands import camobo, measured

EVERYTHING = """
[space]
grain = { type = "real", low = 0.1, high = 10, log = true, unit = "mm", expensive = "low" }
gas = { type = "categorical", choices = ["none", "argon", "helium"], expensive = ["helium", "argon"] }
soak = { type = "integer", low = 1, high = 12 }

[objectives]
strength = "max"

[study]
method = "paper"
cost = "grain > gas"
reference = { strength = 250 }
seed = 3
"""


class TestInit:
    def test_what_it_writes_is_the_example_and_new_accepts_it(self, tmp_path: Path) -> None:
        done = camobo("init", tmp_path / "my alloy.toml")
        assert (tmp_path / "my alloy.toml").read_text(encoding="utf-8") == example_problem()
        assert f"camobo new '{tmp_path}/my alloy.toml'" in done.err
        assert camobo("new", tmp_path / "my alloy.toml").code == 0
        assert cm.Study.load(tmp_path / "my alloy.db").budget == cm.Budget(trials=40)

    def test_a_dash_prints_it(self) -> None:
        done = camobo("init", "-")
        assert (done.out, done.err) == (example_problem(), "")

    def test_it_does_not_overwrite_a_file_without_force(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text("mine")
        done = camobo("init", tmp_path / "a.toml")
        assert done.code == 1
        assert "already exists" in done.err
        assert (tmp_path / "a.toml").read_text() == "mine"
        assert camobo("init", tmp_path / "a.toml", "--force").code == 0

    def test_every_option_that_is_switched_off_is_accepted_when_switched_on(self, tmp_path: Path) -> None:
        text, _, prices = example_problem().partition("#[prices]")
        options = re.findall(r"^#(\w+ *= .*)$", text, flags=re.MULTILINE)
        assert len(options) >= 9
        for option in options:
            key = option.split("=")[0].strip()
            kept = [line for line in text.splitlines() if not line.startswith(f"{key} ")]
            at = kept.index("[objectives]") if "type" in option and key != "cost" else len(kept)
            problem = tmp_path / "problem.toml"
            needs = ['method = "paper"'] if 'type = "paper"' in option else []
            problem.write_text("\n".join([*kept[:at], option, *needs, *kept[at:]]), encoding="utf-8")
            plan_of_toml(problem)
        listed = prices.replace("\n#", "\n")
        assert listed.count("\n") == 6
        problem.write_text(f"{text}[prices]{listed}".replace("\ncost = ", "\n#cost = "), encoding="utf-8")
        assert str(plan_of_toml(problem)[0].cost) == (
            "nickel 13.9, chromium 8, quench by choice, 12 per trial; the rest: soak"
        )
        problem.write_text(f"{text}[prices]{listed}", encoding="utf-8")
        with pytest.raises(cm.InvalidOptionError, match=r"\[prices\]: there is a cost under \[study\] too"):
            plan_of_toml(problem)

    def test_the_example_fits_an_editor_of_120_columns(self) -> None:
        assert max(map(len, example_problem().splitlines())) <= 120


class TestNew:
    def test_it_shows_how_the_file_was_understood(self, tmp_path: Path) -> None:
        camobo("init", tmp_path / "a.toml")
        dry = camobo("new", tmp_path / "a.toml", "--dry-run")
        assert not (tmp_path / "a.db").exists()
        assert dry.out.endswith("Nothing was written.\n")
        for said in (
            "nickel",
            "0  20  %",
            "steps of 0.1",
            "air, oil, water",
            "maximise",
            "nickel > chromium",
            "40 trials",
        ):
            assert said in dry.out

    def test_it_shows_every_option(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text(EVERYTHING)
        out = camobo("new", tmp_path / "a.toml").out
        for said in (
            "log scale; low end is expensive", "none, argon, helium; expensive: helium, argon",
            "cost       grain > gas (Eq. 8)", "budget     none",
            "seed       3", "method     paper, beta practical", "reference  strength=250",
        ):  # fmt: skip
            assert said in out

    def test_as_json_it_prints_the_problem_and_its_place(self, tmp_path: Path) -> None:
        camobo("init", tmp_path / "a.toml")
        facts = camobo("new", tmp_path / "a.toml", "--json").json
        assert facts["problem"] == json.loads(json.dumps(facts["problem"]))
        assert facts["problem"]["study"]["budget"] == 40
        assert (facts["study"], facts["trials"]) == (str(tmp_path / "a.db"), 0)

    def test_the_study_can_be_stored_elsewhere(self, tmp_path: Path) -> None:
        camobo("init", tmp_path / "a.toml")
        done = camobo("new", tmp_path / "a.toml", "--storage", tmp_path / "my other.db")
        assert (done.code, (tmp_path / "my other.db").exists()) == (0, True)
        assert f"What to try first: camobo ask '{tmp_path}/my other.db'" in done.err

    def test_the_same_problem_continues_its_study_and_another_is_refused(self, tmp_path: Path) -> None:
        study = measured(tmp_path, 1)
        problem = tmp_path / "alloy.toml"
        again = camobo("new", problem)
        assert "continues with 1 trial." in again.out
        assert "What to try next:" in again.err
        problem.write_text(problem.read_text().replace("budget = 40", "budget = 50"))
        done = camobo("new", problem)
        assert done.code == 1
        assert "study.budget: 40 is stored, 50 was given" in done.err
        assert "--storage" in done.err
        assert len(cm.Study.load(study).trials) == 1


PRICED = """
[space]
nickel = { type = "real", low = 0, high = 20, unit = "%" }
soak = { type = "integer", low = 1, high = 12 }
quench = { type = "categorical", choices = ["air", "oil", "water"] }

[objectives]
strength = "max"

[study]
budget = { trials = 60, cost = 2000, unit = "EUR" }
reference = { strength = 250 }
"""
LIST = "input,choice,price\nnickel,,13.9\nquench,oil,2\nper trial,,12\n"


class TestMoney:
    def problem(self, folder: Path, text: str = PRICED) -> Path:
        (folder / "a.toml").write_text(text)
        (folder / "list.csv").write_text(LIST)
        return folder / "a.toml"

    def test_a_price_list_is_the_cost_and_the_study_is_that_of_the_file_otherwise(self, tmp_path: Path) -> None:
        problem = self.problem(tmp_path)
        done = camobo("new", problem, "--prices", tmp_path / "list.csv")
        assert done.code == 0
        plan = cm.Study.load(tmp_path / "a.db").plan
        assert plan.cost == cm.Prices({"nickel": 13.9, "quench": {"oil": 2}}, per_trial=12)
        assert (plan.budget, plan.reference) == (cm.Budget(trials=60, cost=2000, unit="EUR"), (250.0,))
        again = camobo("new", problem, "--prices", tmp_path / "list.csv")
        assert (again.code, cm.Study.load(tmp_path / "a.db").seed) == (0, plan.seed)

    def test_it_shows_what_inputs_and_trials_cost_in_money(self, tmp_path: Path) -> None:
        out = camobo("new", self.problem(tmp_path), "--prices", tmp_path / "list.csv", "--dry-run").out
        rows = [" ".join(line.split()) for line in out.splitlines()]
        for said in (
            "input type from to unit cost EUR details", "nickel real 0 20 % up to 278", "soak integer 1 12 0",
            "cost nickel 13.9, quench by choice, 12 per trial",
            "the cheapest trial costs 12 EUR, the most expensive 292 EUR",
            "budget 60 trials, 2000 EUR",
        ):  # fmt: skip
            assert said in rows
        assert not (tmp_path / "a.db").exists()

    def test_the_most_expensive_trial_of_a_formula_is_found_between_the_ends(self, tmp_path: Path) -> None:
        formula = 'cost = { type = "formula", formula = "5 + 3*nickel - 0.15*nickel^2 + abs(soak - 6)" }\nthrift = 0.5'
        out = camobo("new", self.problem(tmp_path, PRICED + formula), "--dry-run").out
        assert "the cheapest trial costs 5 EUR, the most expensive 26 EUR" in out
        assert "thrift     0.5" in out

    def test_an_order_is_not_in_money(self, tmp_path: Path) -> None:
        out = camobo("new", self.problem(tmp_path, PRICED + 'cost = "nickel > soak"'), "--dry-run").out
        assert "cost       nickel > soak\nbudget " in out
        assert (
            "2000 EUR\n           Nothing says yet how much money a trial costs. The budget counts what is told" in out
        )
        assert "cheapest" not in out

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            ('cost = "nickel"', "says what trials cost too, under [study] cost"),
            ("[prices]\nnickel = 2", "says what trials cost too, under [prices]"),
            ('method = "paper"', 'goes with method = "default"'),
        ],
    )
    def test_a_price_list_overrides_nothing(self, tmp_path: Path, more: str, said: str) -> None:
        done = camobo("new", self.problem(tmp_path, PRICED + more), "--prices", tmp_path / "list.csv")
        assert done.code == 1
        assert said in done.err
        assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize("old", ['dear = "low"', 'dear = "high"'])
def test_the_old_name_of_expensive_in_a_problem_file_leads_to_the_new_one(tmp_path: Path, old: str) -> None:
    problem = tmp_path / "a.toml"
    problem.write_text(EVERYTHING.replace('expensive = "low"', old))
    done = camobo("new", problem)
    assert done.code == 1
    assert re.search(r"\[space\] grain: .*\bdear\b.*\bexpensive\b", done.err)
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
@pytest.mark.parametrize("listed", [False, True])
def test_a_budget_that_pays_for_no_trial_creates_nothing(tmp_path: Path, listed: bool, options: list[str]) -> None:
    problem, prices = tmp_path / "alloy.toml", tmp_path / "list.csv"
    prices.write_text("input;price\nnickel;13.9\nper trial;12\n")
    text = '[space]\nnickel = { type = "real", low = 0, high = 20 }\n[objectives]\ny = "max"\n[study]\n'
    cost = "" if listed else 'cost = { type = "formula", formula = "12 + 13.9*nickel" }\n'
    problem.write_text(text + cost + 'budget = { cost = 5, unit = "EUR" }\n')
    listing: list[str | Path] = ["--prices", prices] if listed else []
    done = camobo("new", problem, *listing, *options)
    assert done.code == 1
    assert "need at least 12 EUR, which the cheapest trial costs (nickel=0), got 5 EUR" in done.err
    assert not (tmp_path / "alloy.db").exists()


RECIPES = """
[space]
a = { type = "real", low = 0, high = 100, step = 0.1 }
`b %` = { type = "real", low = 0, high = 100, step = 0.1 }
[objectives]
y = "max"
[study]
constraints = ["a + `b %` == 100", "a <= 100"]
""".replace("`b %` =", '"b %" =', 1)


class TestConstraints:
    def test_new_shows_them_and_ask_keeps_them(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text(RECIPES)
        done = camobo("new", tmp_path / "a.toml")
        assert "a + `b %` == 100\n" in done.out
        assert "a <= 100   (always true: it says nothing)" in done.out
        assert "the constraint 'a <= 100' says nothing" in done.err
        (trial,) = json.loads(camobo("ask", tmp_path / "a.db", "--json").out)["trials"]
        assert round(10 * trial["params"]["a"]) + round(10 * trial["params"]["b %"]) == 1000

    def test_a_mistake_is_shown_with_file_and_place(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text(RECIPES.replace("a <= 100", "a <= 2*c"))
        done = camobo("new", tmp_path / "a.toml")
        assert done.code == 1
        assert f"{tmp_path}/a.toml: [study] constraints: constraint: no input is called 'c'." in done.err
        assert "\n    a <= 2*c\n           ^" in done.err

    def test_a_clash_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text(RECIPES.replace("a <= 100", 'a >= 60", "`b %` >= 60'))
        done = camobo("new", tmp_path / "a.toml")
        assert done.code == 1
        assert "no point meets 'a + `b %` == 100' and 'a >= 60' and '`b %` >= 60' together" in done.err
