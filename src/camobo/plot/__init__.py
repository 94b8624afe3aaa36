"""Figures of a study, with Plotly: `pip install 'camobo[plot]'`.

Each function takes a `Study`, or a `Record` of trials from elsewhere, and returns a Plotly figure: show it in a
notebook, or save it with `figure.write_html("front.html")`. Names and other text from users are drawn as plain text.

A figure is built as a plain dict in Plotly's format (`Spec`); `figures` turns it into a Plotly `Figure`.

For other rooms:
    figures      the public functions front, hypervolume, usage, costs, fading, predictions and slices; plotly.js
    model        predictions against measurements, and slices through a trial
    fronts       the front, for any number of objectives
    spending     hypervolume by trial and by cost, use of inputs, expected against paid, how the cost fades
    style        colours, axes, number formats, and user text made safe for Plotly
"""

from camobo.plot.figures import costs, fading, front, hypervolume, predictions, slices, usage

__all__ = ["costs", "fading", "front", "hypervolume", "predictions", "slices", "usage"]
