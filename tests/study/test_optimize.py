"""`study.optimize`: budgets, owners, leases, executors, and what it leaves behind."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.history.history import data_of
from camobo.space.inputs import Param
from tests.support.studies import GOOD, PLANE, measure, params_of, study_of, told
from tests.support.trial_queues import wait_until

NAN = float("nan")
DONE, FAILED = cm.State.COMPLETE, cm.State.FAILED


def single(**options: Any) -> cm.Study:
    return study_of(objectives={"y": "min"}, **{"cost": "expensive > cheap", **options})


def height(params: Mapping[str, Param]) -> dict[str, float]:
    return {"y": (params["expensive"] - 0.3) ** 2 + params["cheap"]}


class TestOptimize:
    def test_it_asks_evaluates_and_tells(self) -> None:
        study = study_of().optimize(measure, 6)
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 6
        assert [trial.values for trial in study.trials] == [measure(trial.params) for trial in study.trials]

    def test_it_does_what_asking_and_telling_with_that_budget_would(self) -> None:
        by_hand = told(study_of(cost="expensive > cheap", budget=8), 8)
        assert params_of(study_of(cost="expensive > cheap").optimize(measure, 8)) == params_of(by_hand)

    def test_without_a_budget_its_trials_become_the_budget_and_a_given_budget_stays(self) -> None:
        study = told(study_of(), 2)
        study.add({"expensive": 0.1, "cheap": 0.1}, GOOD)
        assert study.budget is None
        assert study.optimize(measure, 3).budget == cm.Budget(trials=5)
        given = study_of(budget=3).optimize(measure, 2).optimize(measure, 3)
        assert (given.budget, len(given.trials)) == (cm.Budget(trials=3), 5)

    @pytest.mark.parametrize("stored", [False, True])
    def test_a_budget_it_implied_is_extended_by_the_next_call(self, stored: bool, tmp_path: Path) -> None:
        place = tmp_path / "a.db" if stored else None
        study = study_of(cost="expensive > cheap", storage=place).optimize(measure, 5)
        study = cm.Study.load(place) if stored else study
        study.optimize(measure, 4)
        log = [event for event in study.log() if event.kind in ("set", "asked")]
        assert [event.kind for event in log] == ["set", *["asked"] * 5, "set", *["asked"] * 4]
        assert [dict(log[0].new), dict(log[6].new)] == [{"budget": 5}, {"budget": 9}]

    def test_trials_an_interrupt_left_over_are_not_counted_twice(self) -> None:
        study = study_of()

        def stop(params: Mapping[str, Param]) -> dict[str, float]:
            if len(study.trials) == 3:
                raise KeyboardInterrupt
            return measure(params)

        with pytest.raises(KeyboardInterrupt):
            study.optimize(stop, 8)
        assert study.optimize(measure, 2).budget == cm.Budget(trials=8)
        assert study.optimize(measure, 6).budget == cm.Budget(trials=10)

    def test_a_measurement_that_goes_wrong_is_a_failed_trial_and_a_warning_and_the_loop_continues(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        outcomes: list[Callable[[], Any]] = [
            lambda: {"strength": NAN, "corrosion": 1.0},
            lambda: 1 / 0,
            lambda: ({"strength": 1.0, "corrosion": 1.0}, NAN),
            lambda: dict[str, Any]()["depth"],
            lambda: {"strength": 1.0, "corrosion": float("inf")},
            lambda: GOOD,
        ]
        left = iter(outcomes)
        with caplog.at_level(logging.WARNING, logger="camobo"):
            study = study_of(cost="expensive > cheap").optimize(lambda params: next(left)(), 6)
        assert [trial.state for trial in study.trials] == [cm.State.FAILED] * 5 + [cm.State.COMPLETE]
        reasons = [trial.reason or "" for trial in study.trials]
        for reason, said in zip(
            reasons, ("nan", "ZeroDivisionError: division by zero", "cost", "KeyError: 'depth'", "inf", ""), strict=True
        ):
            assert said in reason
        warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
        assert len(warnings) == 5
        assert all(f"trial {i}" in record.getMessage() for i, record in enumerate(warnings))
        assert [trial.number for trial in study.front()] == [5]

    def test_a_study_in_which_every_other_trial_fails_still_searches(self) -> None:
        calls = iter(range(100))
        study = study_of().optimize(lambda params: measure(params) if next(calls) % 2 else dict.fromkeys(GOOD, NAN), 20)
        points = [tuple(trial.params.values()) for trial in study.trials]
        assert len(set(points)) == 20
        assert sum(trial.state is cm.State.FAILED for trial in study.trials) == 10

    def test_an_interrupt_goes_through_and_leaves_a_study_that_continues(self) -> None:
        def interrupted(params: dict[str, Param]) -> dict[str, float]:
            if len(study.trials) == 4:
                raise KeyboardInterrupt
            return measure(params)

        study = study_of()
        with pytest.raises(KeyboardInterrupt):
            study.optimize(interrupted, 10)
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 3 + [cm.State.RELEASED]
        assert len(study.optimize(measure, 2).trials) == 5
        assert [trial.state for trial in study.trials] == [cm.State.COMPLETE] * 5

    def test_a_function_that_changes_its_params_changes_no_record(self) -> None:
        def greedy(params: dict[str, Param]) -> dict[str, float]:
            values = measure(params)
            params.clear()
            return values

        assert params_of(study_of().optimize(greedy, 5)) == params_of(study_of().optimize(measure, 5))


class TestBudgets:
    def test_without_a_number_the_budget_is_met(self) -> None:
        study = single(budget=5)
        study.add({"expensive": 0.5, "cheap": 0.5}, {"y": 1.0})
        study.optimize(height, 2).optimize(height)
        assert sum(not trial.added for trial in study.trials) == 5
        study.optimize(height)
        assert len(study.trials) == 6

    def test_without_a_number_and_a_budget_it_says_so(self) -> None:
        with pytest.raises(cm.InvalidOptionError, match=r"^n_trials: the study has no budget, .* n_trials=20\.$"):
            single().optimize(height)

    def test_a_released_trial_is_evaluated_before_a_new_one_is_made(self) -> None:
        study = single(budget=4)
        study.release(study.ask())
        assert [trial.state for trial in study.optimize(height).trials] == [DONE] * 4

    def test_an_owner_continues_with_the_trials_it_held(self, tmp_path: Path) -> None:
        study = single(budget=5, storage=tmp_path / "a.db")
        study.ask(2, owner="worker 1")
        study.ask(owner="somebody else")
        study.optimize(height, owner="worker 1")
        assert [trial.state for trial in study.trials] == [DONE, DONE, cm.State.PENDING, DONE, DONE]

    def test_values_recorded_before_the_evaluation_stay(self) -> None:
        study = cm.Study(PLANE, {"y": "min", "z": "min"}, seed=1)
        trial = study.ask(owner="me")
        study.tell(trial, {"z": 5.0})
        study.optimize(lambda p: {"y": 1.0, "z": 2.0}, 1, owner="me")
        assert study.trials[0].values == {"y": 1.0, "z": 5.0}

    def test_a_finite_space_is_finished_before_it_is_found_to_be_exhausted(self) -> None:
        study = cm.Study(cm.Space({"n": cm.Integer(1, 5)}), {"y": "max"}, seed=1)
        with pytest.raises(cm.SpaceExhausted), ThreadPoolExecutor(3) as pool:
            study.optimize(lambda p: {"y": p["n"]}, 9, executor=pool)
        assert [trial.state for trial in study.trials] == [DONE] * 5


def paid(params: Mapping[str, Param]) -> tuple[dict[str, float], float]:
    """The height, and a receipt between 5 and 25 EUR."""
    return height(params), 5.0 + 20.0 * float(params["expensive"])


PRICES = cm.Prices({"expensive": 20.0}, per_trial=5.0)
EUR = cm.Budget(cost=100.0, unit="EUR")


class TestMoney:
    def test_what_a_function_returns_beside_its_values_is_what_the_trial_cost(self) -> None:
        study = single().optimize(paid, 4)
        assert [trial.cost for trial in study.trials] == [paid(trial.params)[1] for trial in study.trials]
        assert [trial.values for trial in study.trials] == [height(trial.params) for trial in study.trials]

    @pytest.mark.parametrize("jobs", [1, 3])
    @pytest.mark.parametrize("cost", [PRICES, None], ids=["prices", "no cost"])
    def test_a_budget_in_money_ends_it_and_the_log_says_so(
        self, cost: cm.Prices | None, jobs: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = single(cost=cost, budget=EUR)
        with caplog.at_level(logging.INFO, logger="camobo"):
            study.optimize(paid, jobs=jobs)
        assert all(trial.state is DONE for trial in study.trials)
        least, most = (75.0, 100.001) if cost else (100.0, 100.0 + jobs * 25.0)  # a cost says what is too expensive
        assert least < study.spent() <= most
        assert f"the budget is spent: {study.spent():.4g} of 100 EUR; " in caplog.text

    def test_a_cost_learned_on_the_way_keeps_to_the_budget_too(self) -> None:
        study = single(cost="expensive > cheap", budget=EUR).optimize(paid)
        assert 75.0 < study.spent() < 110.0, "about: what a trial costs is an estimate"

    def test_a_failed_trial_is_paid_for_too(self) -> None:
        study = single(cost=PRICES, budget=EUR).optimize(lambda params: ({"y": NAN}, 50.0))
        assert [(trial.state, trial.cost) for trial in study.trials] == [(FAILED, 50.0)] * 2

    def test_trials_without_a_receipt_count_as_what_they_are_expected_to_cost(self) -> None:
        study = single(cost=PRICES, budget=EUR).optimize(height)
        assert study.spent() == pytest.approx(sum(paid(trial.params)[1] for trial in study.trials))
        assert 95.0 < study.spent() < 100.001

    def test_trials_end_it_if_they_are_used_up_first(self) -> None:
        study = single(cost=PRICES, budget=cm.Budget(trials=3, cost=1000.0)).optimize(paid)
        assert len(study.trials) == 3

    def test_asked_for_so_many_trials_it_runs_those_that_can_be_paid_for(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        study = single(cost=PRICES, budget=EUR).optimize(paid, 50)
        assert 3 < len(study.trials) < 21
        assert f"{len(study.trials)} of 50 trials were run: the budget is spent: " in caplog.text
        with pytest.raises(cm.BudgetSpent, match=r"^the budget is spent: [\d.]+ of 100 EUR; the cheapest trial left"):
            study.optimize(paid, 5)
        assert all(trial.state is DONE for trial in study.trials)

    def test_a_raised_budget_lets_it_continue(self) -> None:
        study = single(cost=PRICES, budget=EUR).optimize(paid)
        before = len(study.trials)
        study.change(budget=cm.Budget(cost=150.0, unit="EUR")).optimize(paid)
        assert len(study.trials) > before
        assert study.spent() <= 150.001

    def test_without_any_cost_a_budget_in_money_is_no_limit_and_it_says_so(self) -> None:
        study = single(budget=EUR)
        with pytest.raises(cm.InvalidOptionError, match="the budget is 100 EUR, but nothing tells what a trial costs"):
            study.optimize(height)
        assert [trial.state for trial in study.trials] == [DONE] * 3

    def test_durations_are_costs_if_the_study_learns_from_them(self) -> None:
        def slow(params: Mapping[str, Param]) -> dict[str, float]:
            time.sleep(0.05)
            return height(params)

        study = single(cost=cm.LearnedCost(of="seconds"), budget=cm.Budget(cost=0.3, unit="s")).optimize(slow)
        assert all(0.05 <= (trial.cost or 0.0) < 0.25 for trial in study.trials)
        assert 0.15 < study.spent() < 0.5

    def test_a_crash_at_once_is_paid_for_and_does_not_make_its_point_cheap(self) -> None:
        def crashing(params: Mapping[str, Any]) -> dict[str, float]:
            if params["expensive"] > 0.3:
                raise ValueError("out of memory")
            time.sleep(0.02)
            return height(params)

        study = single(cost=cm.LearnedCost(of="seconds"), budget=100).optimize(crashing, 6)
        failed = [trial for trial in study.trials if trial.state is FAILED]
        assert failed
        assert all(trial.cost is not None and not trial.teaches for trial in failed)
        assert study.spent() == sum(trial.cost or 0.0 for trial in study.trials)
        receipts = data_of(study._ledger.read()).receipts
        assert receipts is not None
        assert len(receipts.paid) == 6 - len(failed)
        assert receipts.paid.min() >= 0.02

    def test_several_processes_together_keep_to_the_budget(self, tmp_path: Path) -> None:
        studies = [single(cost=PRICES, budget=EUR, storage=tmp_path / "a.db") for _ in range(2)]
        threads = [threading.Thread(target=study.optimize, args=(paid,)) for study in studies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(trial.state is DONE for trial in studies[0].trials)
        assert 75.0 < studies[0].spent() <= 100.001


class TestExecutors:
    def test_a_process_pool_evaluates_every_trial_once(self) -> None:
        with ProcessPoolExecutor(3) as pool:
            study = single(budget=6).optimize(height, 6, executor=pool)
        assert [trial.state for trial in study.trials] == [DONE] * 6
        assert [trial.values for trial in study.trials] == [height(trial.params) for trial in study.trials]

    def test_one_job_is_the_same_study_wherever_it_runs(self) -> None:
        plain = single().optimize(height, 6)
        with ProcessPoolExecutor(1) as pool:
            pooled = single().optimize(height, 6, executor=pool)
        forked = single().optimize(lambda params: height(params), 6, trial_timeout=30)
        for study in (pooled, forked):
            assert params_of(study) == params_of(plain)

    def test_evaluations_run_at_once_and_at_different_points(self) -> None:
        together = threading.Barrier(4, timeout=30)

        def watched(params: Mapping[str, Param]) -> dict[str, float]:
            together.wait()  # until four run at once
            return height(params)

        with ThreadPoolExecutor(4) as pool:
            study = single().optimize(watched, 8, executor=pool)
        assert [trial.state for trial in study.trials] == [DONE] * 8
        assert len({tuple(trial.params.values()) for trial in study.trials}) == 8

    def test_an_executor_that_does_not_say_how_many_workers_it_has_needs_jobs(self) -> None:
        with ThreadPoolExecutor(2) as pool:
            pool._max_workers = None  # type: ignore[assignment]
            with pytest.raises(cm.InvalidOptionError, match="jobs: ThreadPoolExecutor"):
                single().optimize(height, 3, executor=pool)
            pool._max_workers = 2
            assert len(single().optimize(height, 3, executor=pool, jobs=2).front()) > 0

    @pytest.mark.slow
    def test_dask(self) -> None:
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            study = single(budget=6).optimize(height, 6, executor=client.get_executor())
            assert [trial.state for trial in study.trials] == [DONE] * 6
            wrong = cm.Study(cm.Space({"n": cm.Integer(0, 5)}), {"y": "max"}, seed=1)
            wrong.optimize(exits_on_odd_points, 6, trial_timeout=30.0, executor=client.get_executor())
            assert sum(trial.state is DONE for trial in wrong.trials) == 3
            assert sum("exited with code 4" in (trial.reason or "") for trial in wrong.trials) == 3


def exits_on_odd_points(params: Mapping[str, Param]) -> dict[str, float]:
    if params["n"] % 2:
        os._exit(4)
    return {"y": float(params["n"])}


class TestLeases:
    def test_a_trial_is_reserved_for_as_long_as_it_is_evaluated(self, tmp_path: Path) -> None:
        study, other = (single(storage=tmp_path / "a.db") for _ in range(2))
        lease, asked = 0.5, tmp_path / "asked"
        taken: list[int] = []

        def ask_later() -> None:
            wait_until(lambda: len(other.trials) == 1)
            time.sleep(2 * lease)
            taken.append(other.ask().number)
            asked.touch()

        def until_asked(params: Mapping[str, Param]) -> dict[str, float]:
            wait_until(asked.exists)
            return height(params)

        asking = threading.Thread(target=ask_later)
        asking.start()
        study.optimize(until_asked, 1, lease=lease)
        asking.join()
        assert taken == [1]
        assert study.trials[0].state is DONE

    def test_a_stored_study_is_worked_on_under_a_lease_and_a_name(self, tmp_path: Path) -> None:
        study = single(storage=tmp_path / "a.db").optimize(height, 1)
        (trial,) = study.trials
        assert str(os.getpid()) in (trial.owner or "")
        assert [event.new["expires"] is not None for event in study.log() if event.kind == "asked"] == [True]
        assert trial.expires is None, "what is done needs no lease"
        in_memory = single().optimize(height, 1)
        assert [event.new["expires"] for event in in_memory.log() if event.kind == "asked"] == [None]

    def test_a_result_of_a_trial_that_somebody_else_settled_meanwhile_is_kept_with_a_warning(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        study, other = (single(storage=tmp_path / "a.db") for _ in range(2))

        def overtaken(params: Mapping[str, Param]) -> dict[str, float]:
            if not other.front():
                other.tell(0, {"y": -1.0})
            return height(params)

        with caplog.at_level(logging.WARNING, logger="camobo"):
            study.optimize(overtaken, 2)
        assert study.trials[0].values == {"y": -1.0}
        assert [dict(late.values or {}) for late in study.trials[0].late] == [height(study.trials[0].params)]
        assert study.trials[1].state is DONE
        assert "a result does not count: trial 0 is already complete, recorded by" in caplog.text
        assert "is kept as a late result" in caplog.text
