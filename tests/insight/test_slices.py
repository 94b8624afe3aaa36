from __future__ import annotations

import numpy as np
import pytest

from camobo.history.trial import Trial
from camobo.insight import diagnostics, summary
from camobo.insight.record import Record
from camobo.insight.slices import slices
from camobo.model.models import Models
from camobo.space.inputs import Integer, Real
from camobo.space.space import Space
from tests.support.samples import SPACE, drawn, smooth_record


def models_of(record: Record) -> Models:
    models = diagnostics.models_of(record)
    assert models is not None
    return models


def test_they_pass_through_the_trial_and_end_at_the_ends() -> None:
    record = smooth_record(12)
    models, trial = models_of(record), summary.compromise(record)
    assert trial is not None
    found = slices(record, models, trial)
    assert [(s.objective, s.input) for s in found] == [(o, i) for o in ("strength", "rust") for i in SPACE.names]
    here = SPACE.features(SPACE.to_unit(trial.params)[None, :])
    for i, cut in enumerate(found):
        assert cut.values[cut.here] == pytest.approx(trial.params[cut.input])
        expected = record.plan.signs[i // 3] * models.gps[i // 3].predict(here)[0][0]
        assert cut.mean[cut.here] == pytest.approx(expected)
        assert np.all(cut.deviation > 0.0)
        assert len(cut.values) == len(cut.mean) == len(cut.deviation)
    assert (found[0].values[0], found[0].values[-1]) == (0.0, 20.0)
    assert found[1].values == tuple(range(1, 13))
    assert found[2].values == ("air", "oil")


@pytest.mark.parametrize("nickel", [0.0, 20.0, 7.123])
def test_the_trial_s_own_value_appears_once_wherever_it_lies(nickel: float) -> None:
    record = drawn(5, 1)
    trial = Trial(99, {"nickel": nickel, "soak": 4, "quench": "oil"})
    cut = slices(record, models_of(record), trial)[0]
    assert cut.values[cut.here] == pytest.approx(nickel)
    assert [value == pytest.approx(nickel) for value in cut.values].count(True) == 1
    assert list(cut.values) == sorted(cut.values)


@pytest.mark.parametrize(
    ("given", "most"), [(Real(0, 1), 42), (Real(0, 1, step=0.25), 5), (Integer(0, 1000), 42), (Integer(0, 3), 4)]
)
def test_an_input_with_few_values_shows_all_of_them_and_another_forty_one_and_its_own(
    given: Real | Integer, most: int
) -> None:
    record = drawn(5, 1, space=Space({"x": given, "y": Real(0, 1)}))
    for trial in record.trials:
        cut = slices(record, models_of(record), trial)[0]
        assert len(set(cut.values)) == len(cut.values)
        assert most - 1 <= len(cut.values) <= most
        assert all(given.check(value) == value for value in cut.values)
