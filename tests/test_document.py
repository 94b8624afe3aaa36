from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.document import differences, make_plan, plan_of_toml, read_plan, to_document
from strategies import law, spaces, stated_orders

ALLOY = """
[space]
nickel   = { type = "real", low = 0, high = 20, unit = "%" }
chromium = { type = "real", low = 0.5, high = 20, log = true, dear = "low" }
soak     = { type = "integer", low = 1, high = 12 }
quench   = { type = "categorical", choices = ["air", "oil", "water"], dear = ["water"] }

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


class TestRoundTrip:
    @law
    @given(spaces(), st.data())
    def test_a_space_comes_back_from_json_as_it_was(self, space: cm.Space, data: st.DataObject) -> None:
        cost = data.draw(st.none() | st.sampled_from(space.names).map(lambda name: [name]))
        plan = make_plan(space, {"y": "max"}, cost=cost, seed=1)
        again = read_plan(json.loads(json.dumps(to_document(plan), allow_nan=False)))
        assert again == plan
        assert list(again.space.inputs) == list(plan.space.inputs)
        for ours, theirs in zip(again.space.inputs.values(), plan.space.inputs.values(), strict=True):
            assert repr(ours) == repr(theirs)

    @law
    @given(stated_orders(), st.booleans())
    def test_an_order_comes_back_with_its_groups_in_their_sequence(self, stated: Any, forget: bool) -> None:
        order = cm.Order.parse(stated.text)
        given_order = cm.Order(order.groups, order.above) if forget else order
        space = cm.Space({name: cm.Real(0, 1) for name in stated.names})
        plan = make_plan(space, {"y": "max"}, cost=given_order, seed=1)
        document = to_document(plan)
        again = read_plan(json.loads(json.dumps(document))).cost
        assert again is not None
        assert again.order.groups == order.groups
        assert again.order.above == order.above
        assert forget or document["study"]["cost"]["order"] == stated.text

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"cost": "a > b", "method": "paper", "beta": "theory"},
            {"cost": cm.PaperCost("b, a", weights="printed")},
            {
                "cost": cm.AdditiveCost(
                    ["b", "a"], strength=3.25, cooling=0.7, indifference=0.1, weights="drawn", power=0.5
                )
            },
            {"cost": cm.AdditiveCost("a"), "method": "paper"},
            {"budget": 40, "reference": {"z": -1.5, "y": 1e-300}, "refit_every": 3},
        ],
        ids=str,
    )
    def test_every_option_comes_back(self, options: dict[str, Any]) -> None:
        space = cm.Space({"a": cm.Real(0, 1), "b": cm.Integer(1, 9)})
        plan = make_plan(space, {"y": "max", "z": "min"}, seed=2**70, **options)
        assert read_plan(json.loads(json.dumps(to_document(plan)))) == plan


class TestProblemFile:
    def test_it_says_what_study_takes(self, tmp_path: Path) -> None:
        space = cm.Space(
            {
                "nickel": cm.Real(0, 20, unit="%"),
                "chromium": cm.Real(0.5, 20, log=True, dear="low"),
                "soak": cm.Integer(1, 12),
                "quench": cm.Categorical(["air", "oil", "water"], dear=["water"]),
            }
        )
        goals: Any = {"strength": "max", "corrosion": "min"}
        plan = make_plan(space, goals, cost="nickel > chromium", budget=60, seed=7)
        assert read(tmp_path, ALLOY) == plan
        study = cm.Study.from_toml(written(tmp_path, ALLOY), storage=tmp_path / "alloy.db")
        assert study.ask().params == cm.Study(space, goals, cost="nickel > chromium", budget=60, seed=7).ask().params
        assert cm.Study.load(tmp_path / "alloy.db").plan == study.plan == plan

    def test_a_cost_can_be_spelt_out(self, tmp_path: Path) -> None:
        text = ALLOY.replace('"nickel > chromium"', '{ type = "paper", order = "nickel", weights = "printed" }')
        assert read(tmp_path, text).cost == cm.PaperCost("nickel", weights="printed")
        text = ALLOY.replace('"nickel > chromium"', '{ order = ["nickel", "soak"], strength = 3 }')
        assert read(tmp_path, text).cost == cm.AdditiveCost("nickel > soak", strength=3.0)

    def test_without_a_seed_each_study_draws_one_and_the_same_study_goes_on(self, tmp_path: Path) -> None:
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
            ('"nickel > chromium"', '{ order = "nickel", strenght = 3 }', r"\[study\] cost.*'strength'"),
            ('"nickel > chromium"', '{ order = "nickel", strength = "much" }', r"\[study\] cost.*'much'"),
            ('"nickel > chromium"', "{ strength = 3 }", r"\[study\] cost: order is missing"),
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
            ('dear = ["water"]', 'dear = ["wine"]', r"\[space\] quench.*'wine'"),
            ("budget = 60", "budget = 60\nbudget = 61", r"line 15, column 12: budget is given twice. Take one"),
            ("[study]", "[study", r"line 12, column 7: not valid TOML.*The line is '\[study'"),
            ("[objectives]", "[study]", r"line 12, column 7: \[study\] is there twice"),
            ("low = 0.5, high", "low = 0.5, low = 1, high", r"line 4, column \d+: not valid TOML.*'low'"),
            ("budget = 60", "budget = " + "6" * 5000, r"not valid TOML: a number of thousands of digits"),
            ("budget = 60", "budget = " + "[" * 50_000, r"not valid TOML: brackets within brackets"),
        ],
    )
    def test_a_mistake_is_named_with_the_file_and_the_place(
        self, tmp_path: Path, old: str, new: str, said: str
    ) -> None:
        assert old in ALLOY
        with pytest.raises(cm.CamoboError, match=rf"(?s)alloy\.toml[:,] .*{said}"):
            cm.Study.from_toml(written(tmp_path, ALLOY.replace(old, new)), storage=tmp_path / "alloy.db")
        assert not (tmp_path / "alloy.db").exists()

    def test_a_file_that_cannot_be_read_says_so(self, tmp_path: Path) -> None:
        with pytest.raises(cm.StorageError, match=r"nowhere\.toml: cannot be read: No such file"):
            cm.Study.from_toml(tmp_path / "nowhere.toml")
        (tmp_path / "x.toml").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(cm.InvalidOptionError, match=r"x\.toml, line 1: not text in UTF-8.*Save it"):
            cm.Study.from_toml(tmp_path / "x.toml")
        (tmp_path / "x.toml").write_bytes(ALLOY.replace("%", "µ").encode("latin-1"))
        with pytest.raises(cm.InvalidOptionError, match=r"x\.toml, line 3: not text in UTF-8 \(byte 0xb5\)"):
            cm.Study.from_toml(tmp_path / "x.toml")

    def test_a_file_as_windows_writes_it_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "alloy.toml").write_bytes(ALLOY.replace("\n", "\r\n").encode("utf-8-sig"))
        assert plan_of_toml(tmp_path / "alloy.toml")[0] == read(tmp_path, ALLOY)


def test_differences_name_the_place_and_both_sides() -> None:
    one: dict[str, Any] = {"study": {"budget": 60}, "space": {"a": {"low": 0}, "b": {"low": 0}}}
    other: dict[str, Any] = {"study": {"budget": 40}, "space": {"a": {"low": 0}, "b": {"low": 0}}}
    assert differences(one, other) == ["study.budget: 60 is stored, 40 was given"]
    assert differences(one, one) == []
    assert differences(one, {**one, "study": {}}) == ["study.budget: 60 is stored, nothing was given"]
    turned = {**one, "space": {"b": {"low": 0}, "a": {"low": 0}}}
    assert differences(one, turned) == ["the inputs or objectives are in another order"]
