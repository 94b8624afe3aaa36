from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import optuna
import pytest
from optuna.study import StudyDirection

from camobo.optuna.outcomes import constraints_of, objectives_of
from tests.support.optuna_studies import trial_with
from tests.support.strategies import label

pytestmark = pytest.mark.usefixtures("quiet_optuna")


class TestObjectives:
    @pytest.mark.parametrize(
        ("given", "names"),
        [
            (None, ["value0", "value1"]),
            (["loss", "score"], ["loss", "score"]),
            (["loss", "loss"], ["loss (0)", "loss (1)"]),
            (["", "score"], ["value (0)", "score (1)"]),
            ([" ", "\t"], ["value (0)", "value (1)"]),
        ],
        ids=label,
    )
    def test_names_are_the_studys_and_made_unique_by_their_number(
        self, given: list[str] | None, names: list[str]
    ) -> None:
        study = optuna.create_study(directions=["minimize", "maximize"])
        if given is not None:
            with pytest.warns(optuna.exceptions.ExperimentalWarning):
                study.set_metric_names(given)
        assert objectives_of(study) == dict(zip(names, ["min", "max"], strict=True))

    def test_a_single_objective_is_called_value(self) -> None:
        assert objectives_of(optuna.create_study(direction="maximize")) == {"value": "max"}

    def test_a_study_without_metric_names_is_read_too(self) -> None:
        bracket: Any = SimpleNamespace(directions=[StudyDirection.MINIMIZE])  # as Hyperband passes to a sampler
        assert objectives_of(bracket) == {"value": "min"}


class TestConstraints:
    def test_a_trial_without_constraints_has_none(self) -> None:
        assert constraints_of(trial_with({})) == {}

    @pytest.mark.parametrize(
        ("stored", "expected"),
        [
            ([-1.0, 0.5], [-1.0, 0.5]),
            ((2,), [2.0]),
            ([math.inf, -math.inf], [math.inf, -math.inf]),
            ([10**400, -(10**400)], [math.inf, -math.inf]),
            ([True], [1.0]),
        ],
        ids=["list", "tuple", "infinite", "huge", "bool"],
    )
    def test_stored_numbers_are_read_by_position(self, stored: Any, expected: list[float]) -> None:
        found = constraints_of(trial_with({}, system_attrs={"constraints": stored}))
        assert found == {str(i): value for i, value in enumerate(expected)}

    @pytest.mark.parametrize("stored", [["a"], ["1"], [b"1"], [None], "abc", [[1]], 3, {"a": 1}, [math.nan]], ids=label)
    def test_whatever_is_not_a_number_is_nan(self, stored: Any) -> None:
        found = constraints_of(trial_with({}, system_attrs={"constraints": stored}))
        assert list(found) == ["0"]
        assert math.isnan(found["0"])

    @pytest.mark.skipif(not hasattr(optuna.Trial, "set_constraint"), reason="Optuna 5 has set_constraint")
    def test_constraints_set_in_the_objective_are_read_by_name(self) -> None:
        study = optuna.create_study()
        trial = study.ask()
        trial.set_constraint("at most half", -0.25)
        study.tell(trial, 1.0)
        assert constraints_of(study.trials[0]) == {"at most half": -0.25}
