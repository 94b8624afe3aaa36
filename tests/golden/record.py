"""Makes and compares the record of what camobo suggests: equal to the bit, whatever is moved or renamed around it.

    python tests/golden/record.py            compares every study with the record, to its full length
    python tests/golden/record.py --write    writes the record anew: only when suggestions are meant to change

Bits depend on how processors round. So this runs with the instructions that all of the last decade have: it starts
itself again under `PINNED` where it has to. NumPy ignores the names of instructions that it does not know.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("record.json")
PINNED = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


def _made(name: str, trials: int | None) -> tuple[str, list[dict[str, Any]]]:
    import optuna

    from tests.golden import optuna_studies  # noqa: F401 - it adds its studies
    from tests.golden.studies import STUDIES

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    made, whole = STUDIES[name]
    found = made(whole if trials is None else min(trials, whole))
    return name, json.loads(json.dumps(found, default=float))


def versions() -> dict[str, str]:
    """What the bits depend on beside camobo."""
    from importlib.metadata import version

    return {package: version(package) for package in ("numpy", "scipy", "moocore")}


def differences(trials: int | None = None) -> list[str]:
    """Where the studies, to so many trials, are not as on record."""
    kept = json.loads(RECORD.read_text(encoding="utf-8"))["studies"]
    found = []
    with ProcessPoolExecutor(int(os.environ.get("GOLDEN_JOBS", "2"))) as pool:
        for name, rows in pool.map(_made, kept, [trials] * len(kept)):
            first = next((i for i, (a, b) in enumerate(zip(rows, kept[name], strict=False)) if a != b), None)
            if first is not None:
                found.append(f"{name}: trial {first} is {rows[first]}, on record {kept[name][first]}")
            elif len(rows) != len(kept[name][:trials]):
                found.append(f"{name}: {len(rows)} trials, on record {len(kept[name][:trials])}")
    return found


def write() -> None:
    from tests.golden import optuna_studies  # noqa: F401 - it adds its studies
    from tests.golden.studies import STUDIES

    with ProcessPoolExecutor(2) as pool:
        studies = dict(pool.map(_made, STUDIES, [None] * len(STUDIES)))
    lines = [
        f"  {json.dumps(name)}: [\n   " + ",\n   ".join(map(json.dumps, rows)) + "]" for name, rows in studies.items()
    ]
    text = f'{{"versions": {json.dumps(versions())},\n "studies": {{\n' + ",\n".join(lines) + "\n }}\n"
    RECORD.write_text(text, encoding="utf-8")


def main() -> int:
    if any(os.environ.get(name) != value for name, value in PINNED.items()):
        again = [sys.executable, "-W", "ignore", __file__, *sys.argv[1:]]
        return subprocess.run(again, env={**os.environ, **PINNED}, check=False).returncode
    sys.path.insert(0, str(Path(__file__).parents[2]))
    if "--write" in sys.argv:
        write()
        return 0
    given = [int(text) for text in sys.argv[1:] if text.isdigit()]
    found = differences(given[0] if given else None)
    print("\n".join(found) or "Every suggestion is as on record.")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
