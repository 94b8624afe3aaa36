"""Inputs, the space they span, and points spread evenly over it.

For other rooms:
    inputs     Real, Integer and Categorical: one input each, with its unit coordinate and its expensive end
    space      Space: params, unit cube, features and expense of all inputs together; when two points are the same
    sampling   quasi-random points of the unit cube
    read_only  a dict that cannot be changed: the params of a trial
Inside this room:
    bounds     checks of bounds and values of inputs
"""
