"""The judge: the money a cost-aware study pays to a share of the best front, beside the same study without cost.

    cd benchmarks
    python -m money.run --family twelve --methods blind,order --seeds 10      make the missing runs
    python -m money.write --family twelve                                     a table of what they come to

case.py                  a case: a problem, what its user says about cost, and the prices hidden from them
families.py              all cases, by name and family
tables.py                measured tables: networks trained with every setting of a grid
synthetic.py, others.py  the twelve, and problems with three and four objectives; and others of both kinds to choose by
drawn.py                 problems drawn from Gaussian processes
search.py                the best front of a problem without a formula for it
known.py, find.py        best hypervolumes and the clairvoyant's money, searched once and kept in known.json
clairvoyant.py           the least money that buys a share of the front, if all functions are known
methods.py, gpsampler.py the methods: what each tells the study about cost, and Optuna's GPSampler
settings.py              --set: other values of camobo's constants
play.py                  one run from start to end, and its record
run.py, records.py       the command that makes missing runs, and the file that keeps them
measures.py, write.py    what the runs come to, as a Markdown table
page.py, drawing.py      docs/money.md and its figures
receipts.py              how cost is learned from receipts, beside other ways
"""
