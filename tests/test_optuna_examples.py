"""The examples of the Optuna sampler and the BoTorch acquisition run to their end, in a short form."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("arguments", "needs", "said"),
    [
        (["optuna_forest.py", "3"], "sklearn", "least error"),
        (["dashboard.py", "--once"], "optuna_dashboard", "studies: steel"),
        (["ray_tune.py", "4"], "ray", "4 trials, 0 failed"),
        (["botorch_ucb.py", "5"], "botorch", "cost none:"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_an_example_runs(arguments: list[str], needs: str, said: str) -> None:
    pytest.importorskip(needs, reason=f"the example needs {needs}")
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / arguments[0]), *arguments[1:]],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
