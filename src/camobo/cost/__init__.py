"""What evaluating a point costs, as far as an order of inputs can say, and how that fades as the budget is spent.

What a user gives becomes a cost model (`reading`). At every step the model makes a `Discount`, which the acquisition
adds to the logarithm of what a point promises (`protocol`).

For other rooms:
    protocol     Cost and Discount: what the strategy and the acquisition need from a cost model
    moment       Moment: the step and the budget, and how strong a cost may be at that moment
    order        Order: which inputs are more expensive than which
    additive     AdditiveCost, the default: the cost of all inputs adds up
    paper        PaperCost: Eq. 8 of the paper
    reading      as_cost: a cost model from what a user gives
Inside this room:
    order_text   the language of orders: "nickel > chromium = moly, soak > temper"
    weightings   Weightings: the set of price vectors that agree with an order; its samples and its centre
"""
