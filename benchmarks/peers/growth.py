"""Seconds per suggestion as evaluations, inputs and objectives grow, one at a time, on DTLZ2.

    cd benchmarks
    python -m peers.growth                        measure what is missing, or was measured with other versions
    python -m peers.growth --methods camobo,random

A method is told n uniform points (if it accepts none, it makes n of its own) and asked ten times, so that the mean
includes refits that do not happen at every ask. Results go to results/peers_growth.jsonl.gz. Each measurement may take
8 GB and five minutes; a method that meets a limit is not tried at larger sizes of that kind.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import statistics
import time
from dataclasses import asdict, dataclass

import numpy as np

from camobo.problems import dtlz2
from peers.limits import limited
from peers.methods import METHODS, installed
from peers.problems import synthetic
from peers.records import RESULTS, append, read
from peers.surroundings import restart_in_surroundings

FILE = RESULTS / "peers_growth.jsonl.gz"
SECONDS = 300.0
ASKS = 10


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a study: evaluations made, inputs, objectives."""

    evaluations: int
    inputs: int
    objectives: int


KINDS: dict[str, list[Size]] = {
    "evaluations": [Size(n, 5, 2) for n in (25, 50, 100, 200, 400)],
    "inputs": [Size(50, d, 2) for d in (3, 6, 12, 24)],
    "objectives": [Size(50, 12, m) for m in (2, 4, 6, 8, 10)],
}


def seconds_per_ask(method: str, size: Size) -> float:
    """Mean processor seconds per suggestion, over ten."""
    contest = synthetic(dtlz2(size.inputs, size.objectives), evaluations=size.evaluations + ASKS)
    session = METHODS[method].made(contest, 0)
    for unit in np.random.default_rng(0).random((size.evaluations, size.inputs)):
        point = unit if METHODS[method].takes_points else session.ask()
        session.tell(point, contest.measure(point))
    taken = []
    for _ in range(ASKS):
        start = time.process_time()
        point = session.ask()
        taken.append(time.process_time() - start)
        session.tell(point, contest.measure(point))
    return statistics.mean(taken)


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description="seconds per suggestion as studies grow")
    parser.add_argument("--methods", default=",".join(METHODS), help="default: %(default)s")
    for method in installed(parser.parse_args().methods.split(",")):
        for kind, sizes in KINDS.items():
            for size in sizes:
                status = measured(method, size)
                print(f"{method}, {kind}, {size}: {status}", flush=True)
                if status in ("time", "memory"):
                    break


def measured(method: str, size: Size) -> str:
    """The status of one measurement, made now unless it was made before with these versions."""
    key, versions = (method, size.evaluations, size.inputs, size.objectives), METHODS[method].versions()
    old = read(FILE, "method", "evaluations", "inputs", "objectives").get(key)
    if old is None or old["versions"] != versions:
        status, outcome = limited(lambda: seconds_per_ask(method, size), SECONDS)
        told = {"seconds": round(outcome, 6), "detail": ""} if status == "finished" else {"detail": outcome}
        old = {"method": method, **asdict(size), "versions": versions, "status": status, **told}
        append(FILE, old)
    return str(old["status"])


if __name__ == "__main__":
    restart_in_surroundings()
    main()
