"""Random studies at the edges of floating point: nothing is raised but that a space or a budget is used up, nothing is
warned of, and every point that is suggested lies in its space.

`make faults` plays a thousand, `make test` some of them.
"""

from __future__ import annotations

import os

import pytest

from tests.support.random_studies import RandomStudy

BATCHES = range(0, 1000, 10) if os.environ.get("CAMOBO_LONG") else (60, 120, 300, 400)


@pytest.mark.slow
@pytest.mark.parametrize("first", BATCHES)
def test_no_value_receipt_or_budget_stops_a_study_or_leads_out_of_its_space(first: int) -> None:
    for seed in range(first, first + 10):
        RandomStudy(seed).play()
