"""A study as one HTML file: it opens offline, makes no network requests, and can be sent to a colleague.

    from camobo.report import report
    report(study, "alloy.html")

Needs Plotly: `pip install 'camobo[plot]'`.

For other rooms:
    page        HTML with user text escaped, the Content-Security-Policy, and whether a file is a report
Inside this room:
    write       report, which this package re-exports
    sections    the sections, in reading order
    sentences   what the numbers mean, in sentences
    tables      tables of trials, of use and of inputs
"""

from camobo.report.write import report

__all__ = ["report"]
