"""camobo beside its peers: every method that installs, on problems with money, one command, resumable.

    cd benchmarks
    python -m peers.run         run what is missing (days), or --short for a small trial of everything
    python -m peers.growth      seconds a suggestion as studies grow (an hour)
    python -m peers.write       docs/benchmarks.md and its figures, from the results files

problems.py                  what is to be solved, and what an evaluation costs
methods.py, in_*.py          who takes part, what each needs installed, and how each is set up
chosen.py                    which of them were asked for and can take part here
session.py, limits.py        one run from outside, and what it may take
records.py                   results files
measures.py, drawing.py      what they come down to
timing.py                    the three peers that `bench.py` and `quality_peers.py` time
"""
