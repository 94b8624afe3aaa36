"""`study.optimize` with a function that is broken, expected to fail at times, stopped, timed or watched."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.space.inputs import Param
from tests.support.studies import params_of, study_of
from tests.support.trial_queues import wait_until

DONE, FAILED, RELEASED = cm.State.COMPLETE, cm.State.FAILED, cm.State.RELEASED
NAN = float("nan")


def single(**options: Any) -> cm.Study:
    return study_of(objectives={"y": "min"}, **{"cost": "expensive > cheap", **options})


def states(study: cm.Study) -> list[cm.State]:
    return [trial.state for trial in study.trials]


def height(params: Mapping[str, Param]) -> dict[str, float]:
    return {"y": (params["expensive"] - 0.3) ** 2 + params["cheap"]}


def broken(params: Mapping[str, Param]) -> dict[str, float]:
    return {"y": params["expensiv"]}


async def broken_async(params: Mapping[str, Param]) -> dict[str, float]:
    await asyncio.sleep(0)
    return broken(params)


def exits(params: Mapping[str, Param]) -> dict[str, float]:
    os._exit(4)


def hangs(params: Mapping[str, Param]) -> dict[str, float]:
    time.sleep(60)
    return height(params)


def not_a_number(params: Mapping[str, Param]) -> dict[str, float]:
    return {"y": NAN}


def shapeless(params: Mapping[str, Param]) -> Any:
    return 1.0, height(params), "and more"


Way = dict[str, Any]
WAYS = ["here", "child", "several jobs", "threads", "processes"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[Way]:
    executors: dict[str, Callable[[], Executor]] = {
        "threads": lambda: ThreadPoolExecutor(2),
        "processes": lambda: ProcessPoolExecutor(2),
    }
    with ExitStack() as stack:
        if request.param in executors:
            yield {"executor": stack.enter_context(executors[request.param]())}
        else:
            yield {"here": {}, "child": {"trial_timeout": 60}, "several jobs": {"jobs": 2}}[request.param]


class TestFailingAlike:
    def test_a_bug_ends_the_run_after_a_few_trials_which_are_released_and_evaluated_first_once_it_is_mended(
        self, way: Way
    ) -> None:
        study = single()
        with pytest.raises(cm.InvalidOptionError, match=r"first [34] trials .* alike in .*, in broken: KeyError: 'exp"):
            study.optimize(broken, 20, **way)
        assert set(states(study)) == {RELEASED}
        assert 3 <= len(study.trials) <= 4
        mended = study.optimize(height, 20, **way)
        assert states(mended) == [DONE] * 20
        assert mended.budget == cm.Budget(trials=20)

    def test_the_original_exception_is_the_cause_where_there_is_one(self) -> None:
        with ThreadPoolExecutor(2) as pool:
            for function, options in [(broken, {}), (broken, {"executor": pool}), (broken_async, {"jobs": 2})]:
                with pytest.raises(cm.InvalidOptionError) as told:
                    single().optimize(function, 20, **options)  # type: ignore[arg-type]
                assert isinstance(told.value.__cause__, KeyError)
        with pytest.raises(cm.InvalidOptionError) as told:
            single().optimize(broken, 20, jobs=2)
        assert told.value.__cause__ is None

    def test_after_the_bug_is_mended_the_study_is_what_it_would_have_been_without(self) -> None:
        study = single(budget=12)
        with pytest.raises(cm.InvalidOptionError):
            study.optimize(broken)
        assert params_of(study.optimize(height)) == params_of(single(budget=12).optimize(height))

    @pytest.mark.parametrize(
        ("function", "said"),
        [
            (exits, "its process exited with code 4"),
            (hangs, "it took longer than 0.2 s"),
            (not_a_number, "objective 'y' needs a finite number, got nan"),
        ],
    )
    def test_so_do_exits_timeouts_and_numbers_that_are_none(
        self, function: Callable[..., dict[str, float]], said: str
    ) -> None:
        study = single(budget=20)
        with pytest.raises(cm.InvalidOptionError, match=f"first 3 trials of this run all failed alike: .*{said}"):
            study.optimize(function, trial_timeout=0.2)
        assert states(study) == [RELEASED] * 3

    def test_points_that_fail_for_different_reasons_are_results(self) -> None:
        acts: list[Callable[[], Any]] = [lambda: 1 / 0, lambda: dict[str, int]()["x"], lambda: int("x"), lambda: [][1]]
        calls = iter(range(100))
        study = single().optimize(lambda params: acts[next(calls) % 4](), 12)
        assert states(study) == [FAILED] * 12

    def test_after_one_that_ends_otherwise_failures_alike_are_results(self) -> None:
        calls = iter(range(100))
        study = single().optimize(lambda params: height(params) if next(calls) == 2 else broken(params), 9)
        assert states(study) == [FAILED, FAILED, DONE, *[FAILED] * 6]

    def test_a_trial_under_way_is_awaited_and_if_it_ends_well_the_run_goes_on(self, tmp_path: Path) -> None:
        """Some points crash at once, one that can be evaluated takes long: its result must not be thrown away."""
        study = single(budget=9)

        def slow_first(params: Mapping[str, Param]) -> dict[str, float]:
            if dict(params) == dict(study.trials[0].params):
                wait_until(lambda: (tmp_path / "3").exists())
                time.sleep(0.1)
                return height(params)
            return broken(params) if len(study.trials) < 6 else height(params)

        def count(study: cm.Study, trial: cm.Trial) -> None:
            for number in range(states(study).count(FAILED) + 1):
                (tmp_path / str(number)).touch()

        study.optimize(slow_first, executor=None, jobs=4, callbacks=[count])
        assert states(study)[0] is DONE
        assert RELEASED not in states(study)
        assert len(study.trials) == 9

    def test_what_failed_is_released_too_if_the_wait_for_others_is_interrupted(self) -> None:
        study = single(budget=9)

        def first_hangs(params: Mapping[str, Param]) -> dict[str, float]:
            return hangs(params) if dict(params) == dict(study.trials[0].params) else broken(params)

        def interrupt(study: cm.Study, trial: cm.Trial) -> None:
            if states(study).count(FAILED) >= 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            study.optimize(first_hangs, jobs=2, callbacks=[interrupt])
        assert set(states(study)) == {RELEASED}

    def test_what_such_trials_cost_is_not_forgotten(self) -> None:
        study = single(budget=cm.Budget(cost=500.0, unit="EUR"))
        with pytest.raises(cm.InvalidOptionError):
            study.optimize(lambda params: ({"y": NAN}, 12.0))
        assert study.spent() == 36.0
        study.optimize(lambda params: (height(params), 50.0))
        assert study.trials[0].cost == 62.0


class TestResultsThatAreNone:
    @pytest.mark.parametrize(
        "returned", [None, 1.0, {}, {"z": 1.0}, {"y": "1"}, {"y": None}, ({"y": 1.0}, 2.0, 3.0), ({"y": 1.0}, "much")]
    )
    def test_they_end_the_run_at_once_and_use_nothing_of_the_budget(self, returned: Any) -> None:
        study = single()
        with pytest.raises(cm.InvalidValueError, match=r"^trial 0: .*The whole result was .*run again") as told:
            study.optimize(lambda params: returned, 20)
        assert repr(returned) in str(told.value)
        assert states(study) == [RELEASED]
        assert states(study.optimize(height, 20)) == [DONE] * 20

    def test_wherever_it_was_evaluated(self, way: Way) -> None:
        study = single()
        with pytest.raises(cm.InvalidValueError, match="and more"):
            study.optimize(shapeless, 20, **way)
        assert set(states(study)) == {RELEASED}
        assert len(study.trials) <= 2

    def test_in_the_middle_of_a_run_trials_under_way_are_recorded_first(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        def second_returns_nothing(params: Mapping[str, Param]) -> Any:
            if dict(params) == dict(study.trials[1].params):
                return None
            time.sleep(0.3)
            return height(params)

        study = single(storage=tmp_path / "a.db")
        study.ask(2, owner="me")
        with (
            caplog.at_level(logging.WARNING, logger="camobo"),
            pytest.raises(cm.InvalidValueError, match=r"^trial 1: "),
        ):
            study.optimize(second_returns_nothing, 9, jobs=2, owner="me")
        assert states(study) == [DONE, RELEASED]
        assert "1 trial is still under way, and no other is started: trial 1: result: need values" in caplog.text

    def test_a_function_that_cannot_be_sent_to_a_worker_leaves_nothing_behind(self) -> None:
        study = single()
        with pytest.raises(cm.InvalidOptionError, match="cannot be sent"), ProcessPoolExecutor(2) as pool:
            study.optimize(lambda params: height(params), 20, executor=pool)
        assert set(states(study)) == {RELEASED}


class Local(Exception):
    pass


def local(params: Mapping[str, Param]) -> dict[str, float]:
    raise Local("solver diverged")


class TestCatch:
    @pytest.mark.parametrize("catch", [Local, (ValueError, Local), Exception])
    def test_failures_that_are_expected_are_recorded_however_many(self, way: Way, catch: Any) -> None:
        assert states(single().optimize(local, 6, catch=catch, **way)) == [FAILED] * 6

    def test_other_failures_still_end_the_run(self, way: Way) -> None:
        with pytest.raises(cm.InvalidOptionError, match="Local: solver diverged"):
            single().optimize(local, 6, catch=(ValueError, OSError), **way)

    @pytest.mark.parametrize(("function", "catch"), [(exits, ChildProcessError), (hangs, TimeoutError)])
    def test_exits_and_timeouts_have_types_too(self, function: Any, catch: type[Exception]) -> None:
        assert states(single().optimize(function, 4, catch=catch, trial_timeout=0.1)) == [FAILED] * 4

    def test_results_that_are_none_can_be_recorded(self) -> None:
        assert states(single().optimize(shapeless, 4, catch=cm.InvalidValueError)) == [FAILED] * 4

    def test_a_wrong_catch_is_refused_before_anything_is_evaluated(self) -> None:
        study = single()
        with pytest.raises(cm.InvalidOptionError, match=r"^catch: need a type of exception"):
            study.optimize(height, 4, catch="ValueError")  # type: ignore[arg-type]
        assert (study.trials, study.budget) == ((), None)


class TestASecondRun:
    def test_over_a_spent_budget_says_so_and_how_to_go_on(self, caplog: pytest.LogCaptureFixture) -> None:
        study = single(budget=4).optimize(local, catch=Local)
        with caplog.at_level(logging.WARNING, logger="camobo"):
            caplog.clear()
            study.optimize(height)
        said = "no trial was run: the budget of 4 trials is spent: 4 failed. To go on, raise it: study."
        assert said in caplog.text
        assert states(study.change(budget=6).optimize(height)) == [*[FAILED] * 4, DONE, DONE]

    def test_failed_trials_can_be_evaluated_again(self) -> None:
        study = single(budget=4).optimize(local, catch=Local)
        for trial in study.trials:
            study.retry(trial)
        assert states(study.optimize(height)) == [DONE] * 4


class TestTime:
    def test_after_the_time_no_trial_is_started_and_the_one_under_way_is_recorded(self) -> None:
        def slow(params: Mapping[str, Param]) -> dict[str, float]:
            time.sleep(0.3)
            return height(params)

        began = time.monotonic()
        study = single().optimize(slow, 50, timeout=0.5)
        assert time.monotonic() - began < 5
        assert 1 <= len(study.trials) <= 2
        assert set(states(study)) == {DONE}

    def test_with_a_time_a_study_needs_neither_a_number_nor_a_budget(self) -> None:
        study = single().optimize(height, timeout=0.3)
        assert set(states(study)) == {DONE}
        assert study.budget is None


class TestStopping:
    def test_a_callback_gets_the_study_and_each_recorded_trial_and_may_stop_the_run(self) -> None:
        seen: list[tuple[cm.Study, int, cm.State]] = []

        def callback(study: cm.Study, trial: cm.Trial) -> None:
            seen.append((study, trial.number, trial.state))
            if len(seen) == 3:
                study.stop()

        calls = iter(range(9))
        study = single()
        study.optimize(lambda params: height(params) if next(calls) else broken(params), 9, callbacks=[callback])
        assert seen == [(study, 0, FAILED), (study, 1, DONE), (study, 2, DONE)]
        assert len(study.trials) == 3
        assert len(study.optimize(height, 2).trials) == 5, "the next run is not stopped"

    def test_another_thread_may_stop_it_and_what_is_under_way_finishes(self) -> None:
        began, go = threading.Event(), threading.Event()

        def waits(params: Mapping[str, Param]) -> dict[str, float]:
            began.set()
            assert go.wait(30)
            return height(params)

        study = single()
        with ThreadPoolExecutor(2) as pool:
            run = threading.Thread(target=study.optimize, args=(waits, 50), kwargs={"executor": pool})
            run.start()
            assert began.wait(30)
            study.stop()
            go.set()
            run.join(30)
        assert not run.is_alive()
        assert set(states(study)) == {DONE}
        assert len(study.trials) <= 2

    def test_what_a_callback_raises_ends_the_run_after_all_results_were_recorded(self) -> None:
        def callback(study: cm.Study, trial: cm.Trial) -> None:
            raise RuntimeError("the callback's own")

        study = single()
        with pytest.raises(RuntimeError, match="the callback's own"):
            study.optimize(height, 9, callbacks=[callback])
        assert states(study) == [DONE]


class TestAsyncFunctions:
    def test_several_run_at_once_in_one_loop_and_the_study_is_the_same(self) -> None:
        begun = []

        async def measured(params: Mapping[str, Param]) -> dict[str, float]:
            await asyncio.sleep(0.0)
            return height(params)

        async def together(params: Mapping[str, Param]) -> dict[str, float]:
            begun.append(params)
            for _ in range(3000):  # no evaluation ends before four have begun
                if len(begun) >= 4:
                    return height(params)
                await asyncio.sleep(0.01)
            raise TimeoutError("the others never began")

        assert params_of(single().optimize(measured, 6)) == params_of(single().optimize(height, 6))
        assert states(single().optimize(together, 8, jobs=4)) == [DONE] * 8

    def test_inside_a_running_loop_as_in_a_notebook_it_works_too(self) -> None:
        async def cell() -> cm.Study:
            async def measured(params: Mapping[str, Param]) -> dict[str, float]:
                await asyncio.sleep(0)
                return height(params)

            return single().optimize(measured, 3)

        assert states(asyncio.run(cell())) == [DONE] * 3

    def test_on_an_executor_each_evaluation_has_a_loop_of_its_own(self) -> None:
        with ProcessPoolExecutor(1) as pool, pytest.raises(cm.InvalidOptionError, match="KeyError"):
            single().optimize(broken_async, 9, executor=pool)
