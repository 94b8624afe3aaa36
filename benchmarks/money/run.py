"""Make the missing runs of a family.

    cd benchmarks
    python -m money.run --family twelve --methods blind,order --seeds 10
    python -m money.run --family drawn --half choosing --methods order --seeds 4 --set camobo.strategy.default.NAME=0.5

Every run is written to results/money.jsonl as soon as it ends, and is not made again while the sources of camobo that
decide suggestions are the same. With --set, runs are written to cache/scratch.jsonl instead. Seed 0 of everything comes
first, then seed 1, and so on. On tables the blind runs come first: what they spend is what others may spend.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import math
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from money import records, settings
from money.case import Case
from money.families import MAKERS, case, cases
from money.methods import BLIND, Method, chosen
from money.play import ALL, Job, goes_until_spent, play
from sources import fingerprint


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", required=True, choices=MAKERS)
    parser.add_argument("--half", default="all", choices=["all", "choosing", "reporting"])
    parser.add_argument("--methods", default="blind,order")
    parser.add_argument("--seeds", type=int, default=10, help="how many (default: %(default)s)")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--budget", type=int, default=None, help="only runs of this budget")
    parser.add_argument("--cases", default=None, help="only these cases, such as zdt1,zdt3")
    parser.add_argument("--set", action="append", default=[], metavar="MODULE.NAME=VALUE", dest="settings")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the missing runs."""
    given = options(arguments)
    others = settings.parsed(given.settings)
    with settings.applied(others):
        pass  # an unknown constant is an error now, not in every run
    methods = chosen(given.methods)
    found = cases(given.family, given.half, given.cases)
    asked = jobs(found, methods, range(given.first_seed, given.first_seed + given.seeds), others, given.budget)
    file, print_of_sources = records.SCRATCH if others else records.FILE, fingerprint()
    if others:
        records.make_cache()
    warm_up(methods)
    for wave in ([job for job in asked if job.method == BLIND], [job for job in asked if job.method != BLIND]):
        make(limited(missing(wave, file, print_of_sources), print_of_sources), file, print_of_sources, given.jobs)


def jobs(
    given: Sequence[Case], methods: Sequence[Method], seeds: range, others: dict[str, Any], budget: int | None
) -> list[Job]:
    """All runs of these cases, methods and seeds, seed by seed."""
    return [
        Job(each.name, method.name, price, seed, planned, others)
        for seed in seeds
        for each in given
        for planned in each.budgets
        for method in methods
        for price in (each.prices if method.depends_on_prices else [ALL])
        if budget in (None, planned)
    ]


def missing(asked: Sequence[Job], file: Path, print_of_sources: str) -> list[Job]:
    """The runs that are not on file."""
    stored = records.read(file)
    return [job for job in asked if records.key_of(job.key(print_of_sources)) not in stored]


def limited(asked: Sequence[Job], print_of_sources: str) -> list[Job]:
    """The same runs, with the mean money of the stored blind runs as the limit of those that go until it is spent."""
    blind = [r for r in records.read(records.FILE).values() if r["method"] == BLIND]
    found = []
    for job in asked:
        given = case(job.case)
        if goes_until_spent(given, job.method):
            price = next(iter(given.prices))
            same = {"case": job.case, "budget": job.budget, "fingerprint": print_of_sources, "settings": ""}
            totals = [r["total"][price] for r in blind if all(r[name] == value for name, value in same.items())]
            if not totals:
                raise SystemExit(f"{job.case}: run blind first, without --set: what it spends is the limit of others")
            job = replace(job, limit=math.fsum(totals) / len(totals))
        found.append(job)
    return found


def make(asked: Sequence[Job], file: Path, print_of_sources: str, processes: int) -> None:
    """Make runs on several processes and write each as it ends."""
    if not asked:
        return
    begun = time.monotonic()
    with ProcessPoolExecutor(min(processes, len(asked))) as pool:
        futures = {pool.submit(play, job): job for job in asked}
        for number, future in enumerate(as_completed(futures), 1):
            job, record = futures[future], future.result()
            records.append(file, {**job.key(print_of_sources), **record})
            if record["hypervolume"] and record["hypervolume"][-1] > 1.01:
                print(f"{job.case}: {record['hypervolume'][-1]:.3f} of the best hypervolume known; it counts from now")
            if number % 20 == 0 or number == len(asked):
                left = (time.monotonic() - begun) / number * (len(asked) - number)
                print(f"{number} of {len(asked)} runs, {left / 60:.1f} minutes left", flush=True)


def warm_up(methods: Sequence[Method]) -> None:
    """A short run of each method, so that all modules are loaded before processes start: files may be edited later."""
    for method in methods:
        price = "halving + tenth" if method.depends_on_prices else ALL
        play(Job("matyas-booth", method.name, price, 0, 15, {}))


if __name__ == "__main__":
    main()
