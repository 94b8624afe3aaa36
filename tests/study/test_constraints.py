from __future__ import annotations

import logging
from pathlib import Path

import pytest

import camobo as cm
from tests.support.constrained import MIXTURE, TEN

TWO = cm.Space(
    {"a": cm.Real(0, 100, step=0.1), "b": cm.Real(0, 100, step=0.1)}, constraints=["a + b == 100", "a <= 100"]
)


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_a_stored_study_keeps_its_constraints(tmp_path: Path) -> None:
    with cm.Study(MIXTURE, {"y": "max"}, seed=1, storage=tmp_path / "a.db") as study:
        first = study.ask(3)
    again = cm.Study.load(tmp_path / "a.db")
    assert again.space == MIXTURE
    for trial in (*first, *again.ask(4)):
        assert sum(round(trial.params[name] * 10) for name in TEN) == 1000
        assert again.space.broken(trial.params) == ()


def test_other_constraints_are_another_study(tmp_path: Path) -> None:
    cm.Study(TWO, {"y": "max"}, seed=1, storage=tmp_path / "a.db")
    other = cm.Space(TWO.inputs, constraints=["a + b == 90"])
    with pytest.raises(cm.InvalidOptionError, match=r"study.constraints: .*a \+ b == 100"):
        cm.Study(other, {"y": "max"}, seed=1, storage=tmp_path / "a.db")


def test_a_constraint_that_says_nothing_is_told_of_when_a_study_begins(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    study = cm.Study(TWO, {"y": "max"}, seed=1, storage=tmp_path / "a.db")
    assert warned(caplog) == ["the constraint 'a <= 100' says nothing: it holds for every point of the inputs' ranges."]
    caplog.clear()
    study.tell(study.ask(), {"y": 1.0})
    cm.Study.load(tmp_path / "a.db").ask()
    cm.Study(TWO, {"y": "max"}, seed=1, storage=tmp_path / "a.db").ask()
    assert warned(caplog) == []


def test_an_experiment_outside_counts_with_a_word_and_nothing_like_it_is_suggested(
    caplog: pytest.LogCaptureFixture,
) -> None:
    study = cm.Study(TWO, {"y": "max"}, seed=1)
    caplog.clear()
    for a in (10.0, 20.0, 30.0):
        study.add({"a": a, "b": a}, {"y": a})
    study.add({"a": 10.0, "b": 90.0}, {"y": 3.0})
    (said,) = warned(caplog)
    assert "trial 0 does not meet the constraint 'a + b == 100': it counts as a result" in said
    assert len(study.front()) == 1
    assert study.front()[0].params["a"] == 30.0
    assert all(study.space.broken(trial.params) == () for trial in study.ask(4))


def test_a_finite_space_is_exhausted_when_all_its_recipes_are_tried() -> None:
    space = cm.Space({name: cm.Integer(0, 3) for name in "abc"}, constraints=["a + b + c == 3"])
    study = cm.Study(space, {"y": "max"}, seed=1)
    assert space.size == 10
    assert len({tuple(trial.params.values()) for trial in study.ask(12)}) == 10
    with pytest.raises(cm.SpaceExhausted):
        study.ask()


def test_a_budget_below_the_cheapest_recipe_is_refused() -> None:
    prices = cm.Prices({"a": 2, "b": 1})
    with pytest.raises(cm.InvalidOptionError, match="need at least 100, which the cheapest trial costs"):
        cm.Study(TWO, {"y": "max"}, cost=prices, budget=cm.Budget(cost=99))
    cm.Study(TWO, {"y": "max"}, cost=prices, budget=cm.Budget(cost=101))


def test_a_formula_need_only_give_a_cost_where_recipes_may_lie() -> None:
    study = cm.Study(TWO, {"y": "max"}, cost=cm.Formula("101 - a - b + a"), seed=1)
    assert study.ask().expected is not None


class TestFixed:
    SPACE = cm.Space(
        {name: cm.Real(0, 100, step=0.1) for name in "abc"}, constraints=["a + b + c == 100", "a + 2*b <= 90"]
    )

    def test_the_others_make_up_for_what_is_fixed(self) -> None:
        study = cm.Study(self.SPACE, {"y": "max"}, seed=1)
        for _ in range(6):
            trial = study.ask(fixed={"a": 30.3})
            assert trial.params["a"] == 30.3
            assert round(10 * (trial.params["b"] + trial.params["c"])) == 697
            study.tell(trial, {"y": trial.params["b"]})

    def test_trials_may_share_a_value(self) -> None:
        trials = cm.Study(self.SPACE, {"y": "max"}, seed=1).ask(4, same=["b"])
        assert len({trial.params["b"] for trial in trials}) == 1
        assert all(self.SPACE.broken(trial.params) == () for trial in trials)

    @pytest.mark.parametrize(
        ("fixed", "said"),
        [
            ({"a": 95.0}, r"fixed: no point meets .*2\*b <= -5"),
            ({"a": 60.0, "b": 20.0}, r"fixed: a=60, b=20 does not meet 'a \+ 2\*b <= 90'"),
            ({"a": 10.0, "b": 20.0, "c": 71.0}, r"does not meet 'a \+ b \+ c == 100'.* add it"),
        ],
    )
    def test_values_that_no_recipe_has_are_refused(self, fixed: dict[str, float], said: str) -> None:
        with pytest.raises(cm.InvalidValueError, match=said):
            cm.Study(self.SPACE, {"y": "max"}, seed=1).ask(fixed=fixed)
