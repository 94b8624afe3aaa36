"""What storing a study costs: time relative to a study in memory, and time and memory to open a large one.

python benchmarks/storage.py     (`make bench-storage`) writes results/storage.md
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import camobo as cm
from camobo.history.events import Event
from camobo.storage.store import open_store
from camobo.strategy.notes import Note, Reason

RESULTS = Path(__file__).parent / "results" / "storage.md"
NOTE = Note(Reason.IMPROVES_FRONT).as_dict()
SPACE = cm.Space({f"x{i}": cm.Real(0, 1) for i in range(5)})
TOLD, ITERATIONS, LARGE = 200, 30, 10_000
MOST_RATIO, MOST_SECONDS, MOST_MEGABYTES = 1.3, 2.0, 300.0


def measure(params: dict[str, float]) -> dict[str, float]:
    x = np.array(list(params.values()))
    return {"f": float(((x - 0.2) ** 2).sum()), "g": float(((x - 0.7) ** 2).sum())}


def study_of(storage: str | None, told: int) -> cm.Study:
    study = cm.Study(SPACE, {"f": "min", "g": "min"}, cost="x0 > x1", budget=told + 100, seed=1, storage=storage)
    rng = np.random.default_rng(1)
    with study.together():
        for row in rng.random((told, 5)):
            params = dict(zip(SPACE.names, row.tolist(), strict=True))
            study.add(params, measure(params))
    return study


def iteration(study: cm.Study) -> tuple[float, float]:
    """Seconds of an ask and a tell: by the clock, and of processor time."""
    started, worked = time.perf_counter(), time.process_time()
    trial = study.ask()
    study.tell(trial, measure(dict(trial.params)))
    return time.perf_counter() - started, time.process_time() - worked


def beside_memory(folder: Path) -> tuple[tuple[float, float], tuple[float, float]]:
    """Mean seconds (clock, processor) of an ask and a tell in memory and on SQLite, taken in turn."""
    memory, file = study_of(None, TOLD), study_of(str(folder / "beside.db"), TOLD)
    iteration(memory), iteration(file)  # the first fit of the models does not count
    times = np.array([(iteration(memory), iteration(file)) for _ in range(ITERATIONS)]).mean(axis=0)
    return (times[0, 0], times[0, 1]), (times[1, 0], times[1, 1])


def write_large(path: Path) -> None:
    """A study of ten thousand trials, its events written directly: suggesting so many would take days."""
    study = cm.Study(SPACE, {"f": "min", "g": "min"}, cost="x0 > x1", seed=1, storage=path)
    now, rng = datetime.now(timezone.utc), np.random.default_rng(1)
    events = []
    for number, row in enumerate(rng.random((LARGE, 5)).tolist()):
        params = dict(zip(SPACE.names, row, strict=True))
        asked = {"params": params, "notes": [NOTE], "owner": "worker", "expires": None}
        events.append(Event(2 * number, "asked", number, now, "worker", asked))
        events.append(Event(2 * number + 1, "told", number, now, "worker", {"values": measure(params)}))
    store = open_store(path, create=False)
    with store.transaction() as transaction:
        transaction.append(events, [])
    store.close()
    study.close()


def large(folder: Path) -> tuple[float, float, float]:
    """`camobo status`: median seconds by the clock and of processor time, and peak megabytes."""
    path = folder / "large.db"
    write_large(path)
    wall, own = [], []
    for _ in range(5):
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "camobo", "status", str(path), "--json"], capture_output=True, text=True, check=True
        )
        wall.append(time.perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        own.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert json.loads(done.stdout)["trials"]["complete"] == LARGE
    return statistics.median(wall), statistics.median(own), after.ru_maxrss / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory, file = beside_memory(folder)
        seconds, own, megabytes = large(folder)
    rows = [
        (
            f"tell + ask on SQLite relative to memory, n = {TOLD}",
            f"{file[0] / memory[0]:.2f} × ({file[0] * 1e3:.0f} against {memory[0] * 1e3:.0f} ms)",
            f"{file[1] / memory[1]:.2f} × ({file[1] * 1e3:.0f} against {memory[1] * 1e3:.0f} ms)",
            f"≤ {MOST_RATIO} ×",
            file[0] / memory[0] <= MOST_RATIO,
        ),
        (
            f"{LARGE:,} trials: `camobo status`, start to end",
            f"{seconds:.2f} s, {megabytes:.0f} MB",
            f"{own:.2f} s",
            f"≤ {MOST_SECONDS:g} s, ≤ {MOST_MEGABYTES:g} MB",
            seconds <= MOST_SECONDS and megabytes <= MOST_MEGABYTES,
        ),
    ]
    lines = ["| | by the clock | processor time | bar | |", "|---|---|---|---|---|"]
    lines += [f"| {what} | {got} | {cpu} | {bar} | {'met' if met else 'missed'} |" for what, got, cpu, bar, met in rows]
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    text = (
        "# What storing a study costs\n\nMade by `make bench-storage`. Bars are for the clock. Load of the machine "
        f"meanwhile: {load:.1f} × its {os.cpu_count()} processors.\n\n" + "\n".join(lines) + "\n"
    )
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
