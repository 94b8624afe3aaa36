"""Inputs, the space they span, and points spread evenly over it.

For other rooms:
    inputs     Real, Integer and Categorical: one input each, with its unit coordinate and its expensive end
    space      Space: params, unit cube, features and expense of all inputs together; when two points are the same
    region     Region: where points may lie, the whole box or what constraints leave of it
    sampling   quasi-random points of the unit cube
    read_only  a dict that cannot be changed: the params of a trial
Inside this room:
    bounds           checks of bounds and values of inputs
    constraint_text  the language of constraints
    constraints      what constraints say of the inputs of a space
    rows             constraints as arrays; sums of whole steps, which are exact
    polytope         uniform draws from what linear constraints leave, nearest points, longest steps
    feasible         whether constraints leave a point, and which of them clash
    exchange         moves in whole steps that keep sums
    rounding         rounding to whole steps that keeps sums
    constrained      the region that constraints leave
    listing          all points of a finite space with constraints
"""
