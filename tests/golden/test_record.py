from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.record import RECORD, versions

KEPT = json.loads(RECORD.read_text(encoding="utf-8"))


@pytest.mark.skipif(KEPT["versions"] != versions(), reason="other versions of NumPy, SciPy or moocore round otherwise")
def test_the_first_suggestions_of_every_study_on_record_are_equal_to_the_bit() -> None:
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("record.py")), "12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (0, "Every suggestion is as on record.\n"), done.stdout + done.stderr


def test_the_record_is_of_studies_of_every_kind() -> None:
    assert len(KEPT["studies"]) >= 20
    assert all(15 <= len(trials) <= 40 for trials in KEPT["studies"].values())
