"""The examples of the Optuna sampler and the BoTorch acquisition run to the end, with few trials."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
DASHBOARD = [sys.executable, str(ROOT / "examples" / "dashboard.py"), "--port"]


@pytest.mark.parametrize(
    ("arguments", "needs", "printed"),
    [
        (["optuna_forest.py", "3"], "sklearn", "least error"),
        (["dashboard.py", "--once"], "optuna_dashboard", "studies: steel"),
        (["ray_tune.py", "4"], "ray", "4 trials, 0 failed"),
        (["botorch_ucb.py", "5"], "botorch", "cost none:"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_an_example_runs(arguments: list[str], needs: str, printed: str) -> None:
    pytest.importorskip(needs, reason=f"the example needs {needs}")
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / arguments[0]), *arguments[1:]],
        capture_output=True,
        text=True,
        timeout=300,
        env=ENVIRONMENT,
    )
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_ctrl_c_ends_the_dashboard_without_a_traceback() -> None:
    pytest.importorskip("optuna_dashboard", reason="the example needs optuna_dashboard")
    with subprocess.Popen(
        [*DASHBOARD, "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as running:
        assert running.stdout is not None
        assert "Ctrl-C ends it" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (0, "")


def test_a_port_in_use_is_named_in_the_error() -> None:
    pytest.importorskip("optuna_dashboard", reason="the example needs optuna_dashboard")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run([*DASHBOARD, port], capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Cannot serve on port {port} (")
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr
