from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.history.document import make_plan
from camobo.history.problem_file import plan_of_toml, read_toml

ALLOY = """
[space]
nickel   = { type = "real", low = 0, high = 20, unit = "%" }
chromium = { type = "real", low = 0.5, high = 20, log = true, expensive = "low" }
soak     = { type = "integer", low = 1, high = 12 }
quench   = { type = "categorical", choices = ["air", "oil", "water"], expensive = ["water"] }

[objectives]
strength  = "max"
corrosion = "min"

[study]
cost = "nickel > chromium"
budget = 60
seed = 7
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "alloy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def read(tmp_path: Path, text: str) -> Any:
    return plan_of_toml(written(tmp_path, text))[0]


def test_it_takes_what_study_takes(tmp_path: Path) -> None:
    space = cm.Space(
        {
            "nickel": cm.Real(0, 20, unit="%"),
            "chromium": cm.Real(0.5, 20, log=True, expensive="low"),
            "soak": cm.Integer(1, 12),
            "quench": cm.Categorical(["air", "oil", "water"], expensive=["water"]),
        }
    )
    goals: Any = {"strength": "max", "corrosion": "min"}
    plan = make_plan(space, goals, cost="nickel > chromium", budget=60, seed=7)
    assert read(tmp_path, ALLOY) == plan
    study = cm.Study.from_toml(written(tmp_path, ALLOY))
    assert study.ask().params == cm.Study(space, goals, cost="nickel > chromium", budget=60, seed=7).ask().params


def test_a_cost_can_be_a_table(tmp_path: Path) -> None:
    text = ALLOY.replace('"nickel > chromium"', '{ type = "paper", order = "nickel", weights = "printed" }')
    text = text.replace("seed = 7", 'method = "paper"')
    assert read(tmp_path, text).cost == cm.PaperCost("nickel", weights="printed")
    text = ALLOY.replace('"nickel > chromium"', '{ order = ["nickel", "soak"] }')
    assert read(tmp_path, text).cost == cm.OrderCost("nickel > soak")
    text = ALLOY.replace('"nickel > chromium"', '{ formula = "0.36*nickel + 5" }')
    assert read(tmp_path, text).cost == cm.Formula("0.36*nickel + 5")
    text = ALLOY.replace('"nickel > chromium"', '{ type = "learned", of = "seconds" }')
    assert read(tmp_path, text).cost == cm.LearnedCost(of="seconds")


def test_a_price_list_is_a_table_of_its_own_or_a_cost(tmp_path: Path) -> None:
    expected = cm.Prices({"nickel": 13.9, "quench": {"oil": 2, "water": 3.5}}, per_trial=12, rest="soak")
    listed = "[prices]\nnickel = 13.9\nper_trial = 12\nrest = 'soak'\n[prices.quench]\noil = 2\nwater = 3.5\n"
    assert read(tmp_path, ALLOY.replace('cost = "nickel > chromium"\n', "") + listed).cost == expected
    inline = "{ prices = { nickel = 13.9, quench = { oil = 2, water = 3.5 } }, per_trial = 12, rest = 'soak' }"
    assert read(tmp_path, ALLOY.replace('"nickel > chromium"', inline)).cost == expected
    with pytest.raises(cm.InvalidOptionError, match=r"\[prices\]: there is a cost under \[study\] too"):
        read(tmp_path, ALLOY + listed)


def test_a_budget_can_be_money(tmp_path: Path) -> None:
    text = ALLOY.replace("budget = 60", 'budget = { cost = 2000, unit = "EUR" }\nthrift = 0.5')
    plan = read(tmp_path, text)
    assert (plan.budget, plan.thrift) == (cm.Budget(cost=2000, unit="EUR"), 0.5)
    text = ALLOY.replace("budget = 60", "budget = { trials = 60, cost = 99.5 }")
    assert read(tmp_path, text).budget == cm.Budget(trials=60, cost=99.5)


def test_without_a_seed_each_study_draws_one_and_the_same_study_continues(tmp_path: Path) -> None:
    path = written(tmp_path, ALLOY.replace("seed = 7\n", ""))
    one = cm.Study.from_toml(path, storage=tmp_path / "a.db")
    assert cm.Study.from_toml(path, storage=tmp_path / "a.db").seed == one.seed
    assert cm.Study.from_toml(path, storage=tmp_path / "b.db").seed != one.seed


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[space]", "[spaec]", r"'spaec'.*Did you mean 'space'"),
        ("[objectives]\n", "[objectives]\nweight = 3\n", r"\[objectives\].*'weight'.*3"),
        ('strength  = "max"', 'strength  = "up"', r"\[objectives\].*'strength'.*'up'"),
        ("budget = 60", "budgte = 60", r"\[study\].*'budgte'.*'budget'"),
        ("budget = 60", "budget = 0", r"\[study\]: budget.*0"),
        ("budget = 60", "budget = inf", r"\[study\]: budget.*inf"),
        ("seed = 7", "seed = 2024-01-01", r"\[study\]: seed.*2024"),
        ("seed = 7", 'method = "magic"', r"\[study\]: method.*'magic'"),
        ("seed = 7", "reference = { strength = 1.0 }", r"\[study\]: reference.*'corrosion'"),
        ("seed = 7", "constraints = 3", r"\[study\] constraints.*3"),
        ('"nickel > chromium"', '"nickel > lead"', r"\[study\].*'lead' is not an input"),
        ('"nickel > chromium"', '"nickel >"', r"\[study\] cost.*text ends"),
        ('"nickel > chromium"', "3", r"\[study\] cost.*3"),
        ('"nickel > chromium"', '{ type = "free" }', r"\[study\] cost.*'free'"),
        ('"nickel > chromium"', '{ order = "nickel", strength = 3 }', r"\[study\] cost.*'strength'"),
        ('"nickel > chromium"', "{ prices = { nickel = -1 } }", r"\[study\] cost.*'nickel'.*-1"),
        ('"nickel > chromium"', "{ prices = { lead = 1 } }", r"\[study\].*'lead' is not an input"),
        ('"nickel > chromium"', "{ prices = { quench = { wine = 1 } } }", r"\[study\].*'wine'"),
        ('"nickel > chromium"', '{ formula = "nickel +" }', r"\[study\].*nickel \+"),
        ('"nickel > chromium"', '{ type = "order" }', r"\[study\] cost: order is missing"),
        ("budget = 60", "budget = { cost = 0 }", r"\[study\]: Budget: cost.*0"),
        ("budget = 60", "budget = { euros = 3 }", r"\[study\]: budget: unknown key 'euros'.*trials, cost, unit"),
        ("seed = 7", "thrift = 99", r"\[study\]: thrift.*99"),
        ("high = 20, unit", "high = -20, unit", r"\[space\] nickel.*low must be below high"),
        ("low = 0, high = 20, unit", "low = 0, unit", r"\[space\] nickel: high is missing"),
        ("low = 0, high = 20, unit", "low = nan, high = 20, unit", r"\[space\] nickel.*nan"),
        ('type = "integer", low = 1', 'type = "integer", low = 1.5', r"\[space\] soak.*1.5"),
        ('type = "integer"', 'type = "int"', r"\[space\] soak.*'int'"),
        ('{ type = "integer", low = 1, high = 12 }', "3", r"\[space\] soak.*3"),
        ("log = true", 'log = "yes"', r"\[space\] chromium.*log must be true or false.*'yes'"),
        ("log = true", "stride = 2", r"\[space\] chromium.*'stride'.*step"),
        ("log = true", "step = 2", r"\[space\] chromium.*whole number of steps.*18.5 or 20.5"),
        ('unit = "%"', "unit = 5", r"\[space\] nickel.*unit must be text.*5"),
        ('choices = ["air", "oil", "water"], ', "", r"\[space\] quench: choices is missing"),
        ('expensive = ["water"]', 'expensive = ["wine"]', r"\[space\] quench.*'wine'"),
        ("budget = 60", "budget = 60\nbudget = 61", r"line 15, column 12: budget is given twice. Remove one"),
        ("[study]", "[study", r"line 12, column 7: not valid TOML.*The line is '\[study'"),
        ("[objectives]", "[study]", r"line 12, column 7: \[study\] is given twice. Put all its lines"),
        ("low = 0.5, high", "low = 0.5, low = 1, high", r"line 4, column \d+: not valid TOML.*'low'"),
        ("budget = 60", "budget = " + "6" * 5000, r"not valid TOML: a number of thousands of digits"),
        ("budget = 60", "budget = " + "[" * 50_000, r"not valid TOML: too many nested brackets"),
    ],
)
def test_a_mistake_is_named_with_the_file_and_the_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in ALLOY
    with pytest.raises(cm.CamoboError, match=rf"(?s)alloy\.toml[:,] .*{said}"):
        read(tmp_path, ALLOY.replace(old, new))


def test_a_mistake_leaves_no_study_behind(tmp_path: Path) -> None:
    with pytest.raises(cm.InvalidOptionError, match="budget"):
        cm.Study.from_toml(written(tmp_path, ALLOY.replace("60", "0")), storage=tmp_path / "alloy.db")
    assert not (tmp_path / "alloy.db").exists()


def test_a_study_stored_from_a_problem_file_is_the_one_it_describes(tmp_path: Path) -> None:
    study = cm.Study.from_toml(written(tmp_path, ALLOY), storage=tmp_path / "alloy.db")
    assert cm.Study.load(tmp_path / "alloy.db").plan == study.plan == read(tmp_path, ALLOY)


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(cm.StorageError, match=r"nowhere\.toml: cannot be read: No such file"):
        plan_of_toml(tmp_path / "nowhere.toml")
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(cm.InvalidOptionError, match=r"x\.toml, line 1: not text in UTF-8.*Save it"):
        plan_of_toml(tmp_path / "x.toml")
    (tmp_path / "x.toml").write_bytes(ALLOY.replace("%", "µ").encode("latin-1"))
    with pytest.raises(cm.InvalidOptionError, match=r"x\.toml, line 3: not text in UTF-8 \(byte 0xb5\)"):
        plan_of_toml(tmp_path / "x.toml")


def test_a_file_as_windows_writes_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "alloy.toml").write_bytes(ALLOY.replace("\n", "\r\n").encode("utf-8-sig"))
    assert plan_of_toml(tmp_path / "alloy.toml")[0] == read(tmp_path, ALLOY)


def test_a_study_is_not_taken_for_a_problem_file(tmp_path: Path) -> None:
    (tmp_path / "alloy.db").write_bytes(b"SQLite format 3\0" + b"\0" * 100)
    with pytest.raises(cm.InvalidOptionError, match=r"alloy\.db: is a database, perhaps a study.*Name a TOML file"):
        plan_of_toml(tmp_path / "alloy.db")


def test_the_old_word_for_expensive_is_an_error_that_names_the_new_one(tmp_path: Path) -> None:
    with pytest.raises(cm.InvalidOptionError, match=r"alloy\.toml: \[space\] chromium: .*dear is now called expensive"):
        read(tmp_path, ALLOY.replace('expensive = "low"', 'dear = "low"'))


def test_the_document_is_returned_as_it_was_written(tmp_path: Path) -> None:
    plan, document = plan_of_toml(written(tmp_path, ALLOY.replace("seed = 7\n", "")))
    assert "seed" not in document["study"]
    assert plan.seed >= 0
    assert document == read_toml(tmp_path / "alloy.toml")


@pytest.mark.parametrize("text", ["", "# nothing\n", "\ufeff"])
def test_an_empty_file_says_what_is_missing(tmp_path: Path, text: str) -> None:
    with pytest.raises(cm.InvalidOptionError, match=r"(?s)alloy\.toml: \[space\] is missing. Example:\n    \[space\]"):
        read(tmp_path, text)


def test_minimize_and_maximize_mean_min_and_max(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('[space]\nx = {type = "real", low = 0, high = 1}\n[objectives]\ny = "minimise"\nz = "maximize"\n')
    assert plan_of_toml(file)[0].objectives == {"y": "min", "z": "max"}
