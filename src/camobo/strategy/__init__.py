"""What to try next: strategies that turn a plan and the data so far into a suggestion.

Everything here is pure (no disk, no clock, no global random state): the same call gives the same point, to the bit.

For other rooms:
    affordable      whether a budget in money pays for any trial at all
    funds           what points cost after all receipts, and what is left to spend
    notes           why a point was suggested, as data
    paper           the paper's method, CA-MOBO, and its baseline MO-UCB
    plan            what a study is about, and what is known when a point is asked for
    cheapest        the cheapest point left, and whether the money left pays for it
    protocol        what a strategy is, and what it returns
    recipes         how each method fits its models
    suggest         the next point to try, by the plan's method
Inside this room:
    default         camobo's own method: expected improvement of the front, for the money
    initial_design  first points, spread over the space, denser where trials are cheap
    standing        where a study stands if open trials come out as expected
"""
