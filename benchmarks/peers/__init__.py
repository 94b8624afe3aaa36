"""camobo next to its peers: every method that installs, on problems with money. Can be stopped and continued.

    cd benchmarks
    python -m peers.run         make the missing runs (days), or --short for a small trial of everything
    python -m peers.growth      seconds per suggestion as studies grow (an hour)
    python -m peers.write       docs/benchmarks.md and its figures, from the results files

problems.py                  the problems, and what an evaluation costs
methods.py, in_*.py          the methods, the packages they need, and how each is set up
chosen.py                    those asked for that can take part here
session.py, limits.py        one run from outside, and its limits on time and memory
records.py                   results files
measures.py, verdicts.py     what the results come to
drawing.py, markdown.py      figures and tables
timing.py                    the three peers that `bench.py` and `quality_peers.py` time
"""
