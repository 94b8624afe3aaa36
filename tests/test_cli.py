from __future__ import annotations

import subprocess
import sys

import pytest

import camobo
from camobo.cli import main


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "camobo", *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_version_is_the_package_s() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"camobo {camobo.__version__}")


def test_no_command_at_all_shows_the_help() -> None:
    assert "Usage" in run().stdout + run().stderr


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["melt"])
    assert stopped.value.code == 2
    assert "melt" in capsys.readouterr().err
