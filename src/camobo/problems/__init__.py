"""Test problems with known best hypervolumes, to measure how good a run is.

    >>> from camobo.problems import branin_currin
    >>> problem = branin_currin()
    >>> values = problem.evaluate([[0.1, 0.9], [0.0, 1.0]])
    >>> round(problem.hypervolume(values) / problem.best_hypervolume, 3)
    0.355

This package re-exports the public names of the first three modules.

For other rooms:
    problem     Problem: objectives over a space, with the hypervolume of the true front
    synthetic   the problems: zdt3, cross_holder, matyas_booth, branin_currin, dtlz2; by_name finds one
    fronts      searched_front: the true front of a problem with two inputs, by brute force
Inside this room:
    functions   the published formulas
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
