"""Test problems whose best possible result is known, so that a run can be judged.

Example:
    >>> from camobo.problems import branin_currin
    >>> problem = branin_currin()
    >>> values = problem.evaluate([[0.1, 0.9], [0.0, 1.0]])
    >>> round(problem.hypervolume(values) / problem.best_hypervolume, 3)
    0.355
"""

from camobo.problems.fronts import searched_front
from camobo.problems.problem import Problem
from camobo.problems.synthetic import branin_currin, by_name, cross_holder, dtlz2, matyas_booth, zdt3

__all__ = [
    "Problem",
    "branin_currin",
    "by_name",
    "cross_holder",
    "dtlz2",
    "matyas_booth",
    "searched_front",
    "zdt3",
]
