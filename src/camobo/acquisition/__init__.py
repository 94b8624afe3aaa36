"""How much a point promises, what its cost leaves of that, and the point where the result is highest.

posterior ──> Utility ──┐
                        ├──> Acquisition ──> maximise ──> the best point of the space
cost ─────> Discount ───┘

For other rooms:
    utilities       ScalarisedUCB, ExpectedReach, Feasible: the posterior's worth, in logarithms
    acquisition     Acquisition: a utility weighed against cost over the unit cube; Q (1 − C) is Eq. 9
    maximise        maximise: the best untried point of a space
    surface         Surface, the protocol of what is maximised; Section, a surface with some inputs fixed
    pareto          dominance, the front and its hypervolume
    scalarisation   several objectives to one number; random directions, and how far a front reaches along them
Inside this room:
    ascent          batched quasi-Newton ascent in the unit cube
"""
