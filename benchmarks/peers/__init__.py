"""camobo beside its peers: every method that installs, on problems with money, one command, resumable.

python benchmarks/peers/run.py           run what is missing (hours), or --short for a small trial of everything
python benchmarks/peers/write.py         docs/benchmarks.md and its figures, from the results file

problems.py     what is to be solved, and what an evaluation costs
methods.py      who takes part, and what each needs installed
timing.py       the three peers that `bench.py` and `quality_peers.py` time, and limits on time and memory
"""
