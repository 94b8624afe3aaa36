"""What evaluating a point costs: an expected amount of money c(x) > 0, however much or little the user knows of it.

What a user gives becomes a `Cost` (`reading`). Over a space it is a `CostModel`, which may learn from receipts. At
every step `Thrift`, or Eq. 8 of the paper, turns it into a `Discount`, which the acquisition adds to the logarithm of
what a point promises (`protocol`).

For other rooms:
    protocol         Cost, CostModel and Discount: what the strategy and the acquisition need
    order            Order: which inputs are more expensive than which
    ordered          OrderCost: an order, and the cost that is expected by it
    prices           Prices: a price list
    formula          Formula: a formula over the inputs, or a Python function
    receipts         LearnedCost: learned from what trials turned out to cost
    levels           Levels: how expensive inputs are, on the scale on which they cost
    paper            PaperCost: Eq. 8 of the paper
    thrift           Thrift: −γ log c, the discount of every cost but the paper's
    budget           Budget: how many trials and how much money; what share of it is left
    sweep            what points cost by a model, and the cheapest one
    reading          as_cost, read_cost: a cost from what a user gives, or from a document
Inside this room:
    order_text       the language of orders: "nickel > chromium = moly, soak > temper"
    weightings       Weightings: the set of price vectors that agree with an order; its samples and its centre
    learned          a Gaussian process of the logarithm of receipts, around what was said
    formula_models   the cost by a formula or a function: values and slopes over a space
    expression       formulas: values and exact slopes
    expression_text  the language of formulas
"""
