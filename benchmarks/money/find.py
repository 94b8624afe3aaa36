"""Find what known.json lacks: best hypervolumes, then the clairvoyant's money to every share of them.

    python -m money.find [--family FAMILY]

The file is written after every figure, so this can be stopped at any time.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
from concurrent.futures import ProcessPoolExecutor, as_completed

from money import known, synthetic
from money.clairvoyant import least_money
from money.families import MAKERS, case
from money.measures import SHARES
from money.others import FLIPPED


def searched(names: list[str]) -> list[str]:
    """The cases whose best hypervolume takes a search, each once: a flipped problem has that of the problem itself."""
    halves = synthetic.MORE_HALVES | synthetic.TWELVE_HALVES
    others = [name for name in names if halves.get(name) == "choosing" and not name.endswith(FLIPPED)]
    return [name for name in names if name == "car-side" or name.startswith("drawn-")] + others


def best(name: str) -> tuple[str, float]:
    """The best hypervolume of a case, by the search that making it takes."""
    return name, case(name).best


def clairvoyant(name: str, price: str) -> tuple[str, dict[str, float]]:
    """The clairvoyant's money to every share, as JSON has it."""
    found = least_money(case(name), price, SHARES)
    return f"{name}, {price}", {f"{share:g}": float(f"{money:.5g}") for share, money in found.items()}


def main() -> None:
    """Find what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=MAKERS, default=None)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    names = [name for family in ([given.family] if given.family else MAKERS) for name in MAKERS[family][0]]
    with ProcessPoolExecutor(given.jobs) as pool:
        stored = known.read().get("best", {})
        for done in as_completed([pool.submit(best, name) for name in searched(names) if name not in stored]):
            known.keep("best", *done.result())
            print(*done.result(), flush=True)
    with ProcessPoolExecutor(given.jobs) as pool:  # new processes, which read the file
        stored = known.read().get("clairvoyant", {})
        reported = [name for name in names if case(name).half == "reporting"]
        wanted = [(name, price) for name in reported for price in case(name).prices if f"{name}, {price}" not in stored]
        for told in as_completed([pool.submit(clairvoyant, *each) for each in wanted]):
            known.keep("clairvoyant", *told.result())
            print(*told.result(), flush=True)


if __name__ == "__main__":
    main()
