"""Figures of a study, with Plotly: `pip install 'camobo[plot]'`.

Each function takes a `Study`, or a `Record` of trials from elsewhere, and returns a Plotly figure: show it in a
notebook, or save it with `figure.write_html("front.html")`. Names and other text from users are drawn as plain text.

A figure is built as a plain dict in Plotly's format (`Spec`); `figures` turns it into a Plotly `Figure`.

For other rooms:
    figures      the public functions front, hypervolume, usage, predictions, slices and fading; plotly.js
    model        predictions against measurements, and slices through a trial
    fronts       the front, for any number of objectives
    spending     hypervolume, use of inputs and effect of cost over the trials
    style        colours, axes, number formats, and user text made safe for Plotly
"""

from camobo.plot.figures import fading, front, hypervolume, predictions, slices, usage

__all__ = ["fading", "front", "hypervolume", "predictions", "slices", "usage"]
