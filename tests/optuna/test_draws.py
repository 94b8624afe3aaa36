from __future__ import annotations

import pickle
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

from camobo.cost.budget import Budget
from camobo.optuna import CostAwareSampler
from camobo.optuna.draws import Draws
from camobo.optuna.search_space import Inputs
from tests.support.optuna_studies import UNIT, study_of, trial_with
from tests.support.strategies import label

pytestmark = pytest.mark.usefixtures("quiet_optuna")

GRID: dict[str, BaseDistribution] = {"a": IntDistribution(0, 9), "b": IntDistribution(0, 9)}


def draws(
    *priced: str,
    seed: int = 0,
    seed_given: bool = True,
    expensive: Mapping[str, Any] | None = None,
    budget: Budget | None = Budget(trials=100),  # noqa: B008  # frozen
) -> Draws:
    return Draws(seed, seed_given, budget, priced, expensive or {})


def independent(
    given: BaseDistribution, source: Draws, numbers: Sequence[int] = range(40), spent: float | None = None
) -> list[Any]:
    """One value of x per trial number."""
    inputs = Inputs.of({"x": given}, source.expensive)
    return [source.independent(inputs, trial_with({}, number=number), spent)["x"] for number in numbers]


def before_results(given: BaseDistribution, source: Draws, count: int) -> list[Any]:
    """x of the first trials of a study without results."""
    study, inputs = optuna.create_study(study_name="first"), Inputs.of({"x": given}, source.expensive)
    return [source.before_results(study, inputs, trial_with({}, number=n))["x"] for n in range(count)]


class TestIndependent:
    def test_a_draw_depends_on_the_seed_the_name_and_the_number_alone(self) -> None:
        alone = independent(UNIT, draws())
        assert independent(UNIT, draws(), range(39, -1, -1)) == alone[::-1]
        both = draws().independent(Inputs.of({"y": UNIT, "x": UNIT}, {}), trial_with({}, number=7))
        assert both["x"] == alone[7]
        assert both["y"] != both["x"]
        assert independent(UNIT, draws(seed=1)) != alone

    def early(self, given: BaseDistribution, *priced: str, **options: Any) -> list[Any]:
        """Draws of the first trials of twelve studies."""
        sources = [draws(*priced, seed=seed, **options) for seed in range(12)]
        return [value for source in sources for value in independent(given, source, range(4))]

    def test_a_parameter_in_the_order_is_drawn_from_its_cheap_side_and_others_from_everywhere(self) -> None:
        assert 0.3 < max(self.early(UNIT, "x")) <= 0.55
        assert max(self.early(UNIT, "y")) > 0.9

    def test_the_cheap_side_is_where_expensive_says(self) -> None:
        assert min(self.early(UNIT, "x", expensive={"x": "low"})) >= 0.45
        kinds = CategoricalDistribution(["vacuum", "air", "oil", "water"])
        assert set(self.early(kinds, "x", expensive={"x": ["vacuum", "oil"]})) <= {"air", "water", "oil"}

    def test_the_cheap_side_grows_as_the_budget_is_spent(self) -> None:
        shares = np.divide(independent(UNIT, draws("x"), range(100)), independent(UNIT, draws(), range(100)))
        assert shares[0] == pytest.approx(0.5, abs=0.05)
        assert (np.diff(shares) > 0.0).all()
        assert shares[-1] == pytest.approx(1.0, abs=0.05)

    def test_a_category_without_expensive_choices_is_drawn_from_all_of_them(self) -> None:
        kinds = CategoricalDistribution(["air", "oil", "vacuum", "water"])
        assert set(self.early(kinds, "x")) == set(kinds.choices)
        assert set(before_results(kinds, draws("x"), 4)) == set(kinds.choices)

    @pytest.mark.parametrize(
        ("budget", "number", "spent", "share"),
        [
            (Budget(trials=100), 0, None, 0.5),
            (Budget(trials=100), 60, None, 0.8),
            (Budget(trials=100), 150, None, 1.0),
            (Budget(cost=20.0), 60, 5.0, 0.625),
            (Budget(cost=20.0), 60, 30.0, 1.0),
            (Budget(cost=20.0, trials=100), 60, None, 0.8),
            (Budget(cost=20.0), 30, None, 0.75),
            (None, 30, None, 0.75),
            (None, 30, 7.0, 0.75),
        ],
        ids=label,
    )
    def test_the_cheap_side_is_half_the_range_and_half_of_what_is_spent_of_the_budget(
        self, budget: Budget | None, number: int, spent: float | None, share: float
    ) -> None:
        (cheap,) = independent(UNIT, draws("x", budget=budget), [number], spent)
        (everywhere,) = independent(UNIT, draws(), [number])
        assert cheap == pytest.approx(share * everywhere)


class TestBeforeTheFirstResult:
    @pytest.mark.parametrize(
        "space",
        [
            {"a": IntDistribution(0, 3), "b": IntDistribution(0, 3)},
            {"a": IntDistribution(1, 40), "b": IntDistribution(1, 12)},
            {"q": CategoricalDistribution(list("wxyz")), "b": FloatDistribution(0, 1, step=0.25)},
            {"a": IntDistribution(1, 64, log=True)},
        ],
        ids=["small", "larger", "mixed", "one"],
    )
    def test_concurrent_trials_differ(self, space: dict[str, BaseDistribution]) -> None:
        for seed in range(10):
            study = study_of(CostAwareSampler("a > b", budget=40, seed=seed))
            begun = [tuple(study.ask(space).params.values()) for _ in range(4)]
            assert len(set(begun)) == 4

    @pytest.mark.parametrize("seed", [None, 7])
    def test_trials_of_workers_with_the_same_seed_or_none_differ(self, seed: int | None) -> None:
        firsts = set()
        for _ in range(5):
            study = study_of(CostAwareSampler())
            workers = [CostAwareSampler("a > b", budget=60, seed=seed) for _ in range(2)]
            workers.append(pickle.loads(pickle.dumps(workers[0])))
            begun = []
            for number in range(16):
                study.sampler = workers[number % 3]
                begun.append(tuple(study.ask(GRID).params.values()))
            assert len(set(begun)) == 16
            firsts.add(tuple(begun))
        assert len(firsts) == (5 if seed is None else 1)

    def test_a_seed_that_nobody_gave_does_not_count(self) -> None:
        given = IntDistribution(0, 9)
        first, second = (before_results(given, draws(seed=seed, seed_given=False), 10) for seed in (1, 2))
        assert first == second
        assert before_results(given, draws(seed=1), 10) != before_results(given, draws(seed=2), 10)

    def test_first_trials_are_cheap_and_not_the_same_in_every_study(self) -> None:
        firsts = [study_of(CostAwareSampler("a", budget=60, seed=seed)).ask(GRID).params for seed in range(30)]
        assert {first["a"] for first in firsts} == set(range(5))
        assert {first["b"] for first in firsts} >= {0, 9}

    def test_each_value_comes_once_per_round(self) -> None:
        drawn = before_results(IntDistribution(0, 9), draws(), 30)
        assert all(sorted(drawn[i : i + 10]) == list(range(10)) for i in (0, 10, 20))
        assert drawn[:10] != drawn[10:20]

    def test_on_a_log_scale_small_values_come_first_more_often(self) -> None:
        logs, plain = (
            [before_results(IntDistribution(1, 64, log=log), draws(seed=seed), 1)[0] for seed in range(60)]
            for log in (True, False)
        )
        assert sum(value <= 8 for value in logs) > 2 * sum(value <= 8 for value in plain)

    @pytest.mark.parametrize("given", [UNIT, IntDistribution(0, 5000)], ids=["float", "many"])
    def test_a_parameter_of_many_values_is_drawn_at_random(self, given: BaseDistribution) -> None:
        assert before_results(given, draws("x"), 5) == independent(given, draws("x"), range(5))

    def test_trials_that_all_fail_reach_every_point(self) -> None:
        study = study_of(CostAwareSampler("a > b", budget=40, seed=0))
        space: dict[str, BaseDistribution] = {"a": IntDistribution(0, 2), "b": IntDistribution(0, 2)}
        for _ in range(80):
            study.tell(study.ask(space), state=TrialState.FAIL)
        assert len({tuple(trial.params.values()) for trial in study.trials}) == 9

    def test_the_first_trial_of_many_parameters_is_not_quadratic(self) -> None:
        def seconds(count: int) -> float:
            study = optuna.create_study(sampler=CostAwareSampler("x0", seed=0))
            for _ in range(3):
                trial = study.ask()
            start = time.process_time()
            for j in range(count):
                trial.suggest_float(f"x{j}", 0, 1)
                trial.suggest_categorical(f"c{j}", ["a", "b"])
            return time.process_time() - start

        few, many = (min(seconds(count) for _ in range(2)) for count in (40, 320))
        assert many < 20.0 * few  # 64 times if it were
