"""Random studies: every kind of input, cost and budget, with values and receipts from the edges of floating point."""

from __future__ import annotations

import math
import random
import sys
from typing import Any

import camobo as cm
from camobo.space.inputs import Input

LARGEST = sys.float_info.max
SMALLEST = 5e-324
REALS = [(0.0, 1.0), (-5.0, 7.5), (-8e307, 8e307), (0.0, 1e-300), (1.0, 1.0 + 1e-9), (0.0, SMALLEST), (1e300, 2e300)]
LOGS = [(1e-4, 1e2), (1e-300, 1e300), (SMALLEST, LARGEST), (1.0, 1.0 + 1e-9), (1e-308, 1e-307)]
STEPPED = [(0.0, 20.0, 0.1), (0.0, 1.0, 0.25), (-1.0, 1.0, 1e-5), (0.0, 3e-300, 1e-300)]
CHOICES = ["air", "oil", 1, 1.0, True, None, "vacuum", -3.5, 2**60]


class RandomStudy:
    """A study drawn from a seed, and what is done with it."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.space = cm.Space({f"x{i}": self._input() for i in range(self.draw.choice([1, 2, 2, 3, 4, 6]))})
        count = self.draw.choice([1, 1, 2, 2, 3, 4, 5, 6])
        self.values = [self.draw.choice(VALUES) for _ in range(count)]
        self.receipt = self.draw.choice(RECEIPTS)
        self.study = self._created(seed, count)

    def _created(self, seed: int, count: int) -> cm.Study:
        draw = self.draw
        objectives: Any = {f"y{i}": draw.choice(["min", "max"]) for i in range(count)}
        method: Any = draw.choice(["default"] * 5 + ["paper"])
        reference = {name: kind(draw, 0.5) for name, kind in zip(objectives, self.values, strict=True)}
        given = {
            "cost": self._cost(method),
            "budget": self._budget(),
            "thrift": draw.choice([1.0, 1.0, 0.0, 10.0, 1e-300]),
            "reference": reference if draw.random() < 0.3 else None,
            "refit_every": draw.choice([10, 10, 1, 1000]),
        }
        try:
            return cm.Study(self.space, objectives, seed=seed, method=method, **given)
        except cm.InvalidOptionError:  # such as a budget below the cheapest trial, which was refused as it should be
            return cm.Study(self.space, objectives, seed=seed, method=method)

    def play(self) -> None:
        """Some steps of a study's life, then every way to look at it."""
        for _ in range(self.draw.choice([6, 12, 25])):
            try:
                self._step()
            except (cm.SpaceExhausted, cm.BudgetSpent):
                break
        self._look()

    def _step(self) -> None:
        draw, study = self.draw, self.study
        asked = study.ask(draw.choice([1, 1, 1, 2, 5]))
        for trial in asked:
            assert study.space.check(trial.params) == trial.params, "every point that is suggested lies in the space"
            done = draw.random()
            if done < 0.7:
                self._tell(trial)
            elif done < 0.8:
                study.fail(trial, "it broke", cost=self.receipt(draw), teaches=draw.random() < 0.5)
            elif done < 0.85:
                study.release(trial)
        complete = [trial for trial in study.trials if trial.state is cm.State.COMPLETE]
        if complete and draw.random() < 0.15:
            study.amend(draw.choice(complete), draw.choice([self._measured(), None]), "wrong", cost=self.receipt(draw))
        if draw.random() < 0.1:
            params = study.space.from_unit([draw.choice([0.0, 1.0, draw.random()]) for _ in study.space.names])
            study.add(params, self._measured(), cost=self.receipt(draw))

    def _tell(self, trial: cm.Trial) -> None:
        values = {name: value for name, value in self._measured().items() if name not in (trial.values or {})}
        part = dict(list(values.items())[: self.draw.choice([1, 9, 9, 9])])
        self.study.tell(trial, part, cost=self.receipt(self.draw))

    def _measured(self) -> dict[str, float]:
        at = self.draw.random()
        return {name: kind(self.draw, at) for name, kind in zip(self.study.objectives, self.values, strict=True)}

    def _look(self) -> None:
        study = self.study
        assert str(study)
        assert study._repr_html_()
        assert not math.isnan(study.hypervolume())
        study.front(), study.usage(), study.remaining()
        assert study.spent() >= 0.0
        for trial in study.trials[-2:]:
            assert str(study.explain(trial))

    def _input(self) -> Input:
        draw = self.draw
        kind = draw.choice(["real", "real", "log", "stepped", "free", "integer", "log integer", "categorical"])
        expensive: Any = draw.choice(["high", "low"])
        if kind == "real":
            return cm.Real(*draw.choice(REALS), expensive=expensive)
        if kind == "log":
            return cm.Real(*draw.choice(LOGS), log=True, expensive=expensive)
        if kind == "stepped":
            low, high, step = draw.choice(STEPPED)
            return cm.Real(low, high, step=step, expensive=expensive)
        if kind == "free":
            return cm.Real(20.0, 900.0, free=draw.choice([20.0, 25.0, 900.0]))
        if kind == "integer":
            low, high = draw.choice([(1, 3), (0, 100), (-(2**40), 2**40), (5, 6)])
            return cm.Integer(low, high, expensive=expensive)
        if kind == "log integer":
            return cm.Integer(1, draw.choice([2, 100, 2**40]), log=True, expensive=expensive)
        choices: list[Any] = draw.sample(
            ["air", "oil", 1, 1.0, True, None, "vacuum", -3.5, 2**60], draw.choice([2, 3, 9])
        )
        return cm.Categorical(choices, expensive=choices[: draw.choice([0, 1, len(choices)])])

    def _cost(self, method: str) -> Any:
        draw, names = self.draw, list(self.space.names)
        draw.shuffle(names)
        order = "".join(name + draw.choice([" > ", ", ", " = "]) for name in names).rstrip(" >,=")
        numbers = [n for n, given in self.space.inputs.items() if not isinstance(given, cm.Categorical)]
        if method == "paper":
            return draw.choice([None, cm.PaperCost(order)])
        kind = draw.choice(["none", "order", "prices", "formula", "function", "learned", "learned"])
        if kind == "order" and all(_has_expensive_end(given) for given in self.space.inputs.values()):
            return order
        if kind == "prices":
            price = draw.choice([0.0, 1.0, 1e-300, 1e290])
            return cm.Prices({}, per_trial=draw.choice([1.0, 1e-300, 1e290]) if not numbers else price or 1.0)
        if kind == "formula" and numbers:
            return cm.Formula(
                draw.choice(["abs({}) + 1", "exp(abs({}))", "1e300", "1e-300 + 0 * {}"]).format(numbers[0])
            )
        if kind == "function":
            amount = draw.choice([1.0, 0.0, 1e308, SMALLEST, math.nan, -1.0])
            return lambda params: amount if draw_of(params) else 1.0
        if kind == "learned":
            return cm.LearnedCost()
        return None

    def _budget(self) -> Any:
        trials = self.draw.choice([1, 10, 40])
        money = self.draw.choice([1.0, 500.0, SMALLEST, 1e-300, 1e300, LARGEST])
        return self.draw.choice([None, trials, cm.Budget(cost=money), cm.Budget(trials=trials, cost=money)])


def draw_of(params: Any) -> bool:
    """A coin that depends on the params alone."""
    return sum(map(ord, repr(params))) % 2 == 0


def _has_expensive_end(given: Input) -> bool:
    return not isinstance(given, cm.Categorical) or bool(given.expensive)


VALUES = (
    lambda draw, at: at + draw.random(),
    lambda draw, at: at + draw.random(),
    lambda draw, at: 1e300 * (at + draw.random() - 1.0),
    lambda draw, at: 1e-300 * (at + draw.random()),
    lambda draw, at: draw.choice([LARGEST, -LARGEST, LARGEST, 0.0]),
    lambda draw, at: 10.0 ** draw.uniform(-308, 308) * draw.choice([1, -1]),
    lambda draw, at: SMALLEST * draw.randint(0, 3),
    lambda draw, at: 7.0,
    lambda draw, at: draw.choice([0.0, 0.0, 0.0, 1.0]),
    lambda draw, at: 1e15 + draw.random(),
    lambda draw, at: round(at),
)  # fmt: skip
"""What an objective's values are like, given a number of the point."""

RECEIPTS = (
    lambda draw: None,
    lambda draw: draw.uniform(1.0, 50.0),
    lambda draw: 0.0,
    lambda draw: 1e308,
    lambda draw: draw.choice([0.0, 1e308, SMALLEST, 3.0, None]),
    lambda draw: SMALLEST,
    lambda draw: 10.0 ** draw.uniform(-300, 300),
)  # fmt: skip
"""What trials cost."""
