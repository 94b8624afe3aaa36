from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from camobo.optuna import CostAwareSampler, claims
from camobo.optuna.search_space import Inputs
from tests.support.optuna_studies import UNIT, bumps, running, study_of
from tests.support.strategies import law

pytestmark = pytest.mark.usefixtures("quiet_optuna")

MIXED = {
    "rate": FloatDistribution(1e-4, 1, log=True),
    "share": FloatDistribution(0, 1, step=0.1),
    "trees": IntDistribution(1, 400),
    "rule": CategoricalDistribution(["gini", None, True]),
}
PAIR = Inputs.of({"a": UNIT, "b": UNIT}, {})


def latest(study: optuna.Study, trial: FrozenTrial) -> FrozenTrial:
    return study.get_trials(deepcopy=False)[trial.number]


class TestWriting:
    @law
    @given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
    def test_a_claim_is_read_as_it_was_written(self, unit: list[float]) -> None:
        study, inputs = optuna.create_study(), Inputs.of(MIXED, {})
        trial, params = running(study), inputs.params(np.array(unit))
        claims.write(study, trial, params, inputs)
        assert claims.params(latest(study, trial), inputs) == params

    def test_the_latest_claim_counts_and_is_one_attribute(self) -> None:
        study = optuna.create_study()
        trial = running(study)
        for attempt in range(3):
            claims.write(study, trial, {"a": attempt / 4, "b": 0.5}, PAIR)
        assert claims.params(latest(study, trial), PAIR) == {"a": 0.5, "b": 0.5}
        assert len(latest(study, trial).system_attrs) == 1

    def test_what_an_earlier_version_claimed_is_read(self) -> None:
        study = optuna.create_study()
        trial = running(study)
        pieces = [("9:0", {"a": 0.9, "b": 0.9}), ("10:0", {"a": 0.25}), ("10:1", {"b": 0.75})]
        for key, piece in pieces:  # attempts as numbers: 10 comes after 9
            study._storage.set_trial_system_attr(trial._trial_id, f"camobo:claim:{trial.number}:{key}", piece)
        study._storage.set_trial_system_attr(trial._trial_id, "camobo:claim:7:11:0", {"a": 0.0, "b": 0.0})
        assert claims.params(latest(study, trial), PAIR) == {"a": 0.25, "b": 0.75}

    def test_only_the_parameters_of_these_inputs_are_read(self) -> None:
        study = optuna.create_study()
        trial = running(study)
        claims.write(study, trial, {"a": 0.1, "b": 0.2}, PAIR)
        assert claims.params(latest(study, trial), Inputs.of({"b": UNIT, "c": UNIT}, {})) == {"b": 0.2}

    def test_a_claim_of_many_parameters_is_stored_in_a_database(
        self, tmp_path: Path, database: Callable[..., str]
    ) -> None:
        storage = optuna.storages.RDBStorage(database(tmp_path / "wide.db", "wide"))
        study = optuna.load_study(study_name="wide", storage=storage)
        inputs = Inputs.of({f"parameter_with_a_long_name_{i}": UNIT for i in range(60)}, {})
        params = inputs.params(np.linspace(0.0, 1.0, 60) / 3.0)
        try:
            trial = running(study)
            claims.write(study, trial, params, inputs)
            found = latest(study, trial)
            assert claims.params(found, inputs) == params
        finally:
            storage.remove_session()
            storage.engine.dispose()


class TestReading:
    def test_a_trial_that_claimed_nothing_has_no_point(self) -> None:
        study = optuna.create_study()
        trial = running(study)
        assert claims.params(trial, PAIR) == {}
        assert claims.unit(trial, PAIR) is None

    def test_what_is_decided_comes_before_what_is_claimed(self) -> None:
        study = optuna.create_study()
        study.enqueue_trial({"a": 0.9})
        trial = study.ask()
        trial.suggest_float("b", 0, 1)
        found = latest(study, study.trials[0])
        claims.write(study, found, {"a": 0.1, "b": 0.1}, PAIR)
        found = latest(study, found)
        assert claims.decided(found) == {"a": 0.9, "b": trial.params["b"]}
        assert claims.unit(found, PAIR) == pytest.approx([0.9, trial.params["b"]])

    def test_a_claim_of_a_choice_that_is_gone_has_no_point(self) -> None:
        three, two = (Inputs.of({"c": CategoricalDistribution(list(choices))}, {}) for choices in ("xyz", "xy"))
        study = optuna.create_study()
        trial = running(study)
        claims.write(study, trial, {"c": "z"}, three)
        assert claims.unit(latest(study, trial), three) is not None
        assert claims.unit(latest(study, trial), two) is None

    def test_a_retried_trial_does_not_claim_the_point_of_the_failed_one(self) -> None:
        study = study_of(CostAwareSampler("expensive", seed=0))
        study.optimize(bumps, n_trials=5)
        failed = study.ask()
        failed.suggest_float("expensive", 0, 1)
        study.tell(failed, state=TrialState.FAIL)
        old = study.trials[5]
        study.add_trial(create_trial(state=TrialState.WAITING, system_attrs={**old.system_attrs, "failed_trial": 5}))
        inputs = Inputs.of({"expensive": UNIT, "cheap": UNIT}, {})
        assert claims.unit(old, inputs) is not None
        assert claims.params(study.trials[6], inputs) == {}
        retried = study.ask()
        retried.suggest_float("expensive", 0, 1)
        now = study.trials[6]
        assert claims.params(now, inputs) != claims.params(old, inputs)
        assert claims.params(now, inputs)["expensive"] == now.params["expensive"]


class TestRivals:
    POINT = np.array([0.25, 0.5])

    def rivals(self, study: optuna.Study, known: Any = ()) -> list[int]:
        trial = running(study)
        return [found.number for found in claims.rivals(study, trial, self.POINT, PAIR, known)]

    def test_a_running_trial_that_claimed_the_point_is_a_rival(self) -> None:
        study = optuna.create_study()
        for a in (0.25, 0.26):
            claims.write(study, running(study), {"a": a, "b": 0.5}, PAIR)
        assert self.rivals(study) == [0]

    def test_a_trial_that_ended_is_a_rival_unless_it_was_known_to_have_ended(self) -> None:
        study = optuna.create_study()
        study.add_trial(create_trial(params={"a": 0.25, "b": 0.5}, distributions=dict(PAIR.distributions), value=1.0))
        assert self.rivals(study) == [0]
        assert self.rivals(study, known={0}) == []

    def test_a_trial_is_not_its_own_rival(self) -> None:
        study = optuna.create_study()
        trial = running(study)
        claims.write(study, trial, {"a": 0.25, "b": 0.5}, PAIR)
        assert claims.rivals(study, latest(study, trial), self.POINT, PAIR, ()) == []

    def test_trials_without_a_point_are_no_rivals(self) -> None:
        study = optuna.create_study()
        running(study)
        study.tell(study.ask(), state=TrialState.FAIL)
        assert self.rivals(study) == []
