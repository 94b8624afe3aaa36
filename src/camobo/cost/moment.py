"""When a suggestion is made: the step, the budget, and how strong a cost may be then."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """The step t = 1, 2, …, the budget of trials if there is one, and the numbers of objectives and inputs.

    Objectives and inputs matter because the more there are, the more trials it takes to find a front.

    >>> Moment(1, 10).left, Moment(6, 10).left, Moment(99, 10).left
    (1.0, 0.5, 0.0)
    """

    step: int
    budget: int | None = None
    objectives: int = 1
    inputs: int = 1

    @property
    def left(self) -> float:
        """The share of the budget left before this step; without a budget, 1 / (1 + steps made / 30)."""
        made = self.step - 1
        return 1.0 / (1.0 + made / 30.0) if self.budget is None else max(0.0, 1.0 - made / self.budget)

    @property
    def front_dimensions(self) -> int:
        """The number of dimensions of the front: one less than the number of objectives, at least one."""
        return max(1, self.objectives - 1)

    @property
    def objective_factor(self) -> float:
        """Factor on the strength of a cost: less for three objectives or more, whose larger front needs more trials.

        >>> [Moment(1, objectives=m).objective_factor for m in (1, 2, 3, 5)]
        [1.0, 1.0, 0.25, 0.0625]
        """
        return 1.0 / self.front_dimensions**2

    @property
    def budget_factor(self) -> float:
        """Factor on the strength of a cost: the square of `adequacy`.

        A quarter without a budget, because such a study may end at any time.

        >>> Moment(1, 100, inputs=5).budget_factor, Moment(1, 26, inputs=2).budget_factor, Moment(1).budget_factor
        (1.0, 0.25, 0.25)
        """
        return 0.25 if self.budget is None else self.adequacy**2

    @property
    def adequacy(self) -> float:
        """The budget as a share of one that can spare trials for cheap points, at most 1.

        Enough is 40 + 6 × inputs trials, or 15 × inputs if that is more.

        >>> [Moment(1, budget, inputs=2).adequacy for budget in (100, 52, 26)]
        [1.0, 1.0, 0.5]
        >>> Moment(1, 75, inputs=10).adequacy, Moment(1).adequacy
        (0.5, 1.0)
        """
        plenty = max(40 + 6 * self.inputs, 15 * self.inputs)
        return 1.0 if self.budget is None else min(1.0, self.budget / plenty)

    @property
    def cheap_side(self) -> float:
        """The share of an input's range, from its cheap end, in which points are tried without a model.

        Half the range at first, more with three objectives or more or a small budget, all of it at the end.

        >>> Moment(1, 100).cheap_side, Moment(1, 100, objectives=3).cheap_side, Moment(51, 100).cheap_side
        (0.5, 0.875, 0.75)
        >>> Moment(1, 26, inputs=2).cheap_side
        0.75
        """
        return 1.0 - 0.5 * self.objective_factor * self.adequacy * self.left

    @property
    def maturity(self) -> float:
        """How complete the front may be assumed to be: the fourth power of the share of the budget spent.

        >>> Moment(1, 100).maturity, Moment(51, 100).maturity
        (0.0, 0.0625)
        """
        return (1.0 - self.left) ** 4
