from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from pickle import PicklingError
from typing import Any

import pytest

from camobo.errors import InvalidOptionError
from camobo.history.trial import Trial
from camobo.run import workers
from camobo.run.command import Command
from camobo.run.evaluate import ChildEvaluation, Outcome
from camobo.run.workers import SubmittedEvaluation, executor_preparation, jobs_of, preparation
from tests.support.trial_queues import GOALS, begun, keep_no_lease, outcome_of

TRIAL = Trial(3, {"n": 3})


def double(params: Mapping[str, Any]) -> dict[str, float]:
    return {"y": 2.0 * params["n"]}


def pid(params: Mapping[str, Any]) -> dict[str, float]:
    return {"y": float(os.getpid())}


def kills_its_worker_once(flag: Path, params: Mapping[str, Any]) -> dict[str, float]:
    with contextlib.suppress(FileExistsError):
        flag.touch(exist_ok=False)
        os.kill(os.getppid(), signal.SIGKILL)
    return double(params)


class TestWithoutAnExecutor:
    def test_one_job_without_a_timeout_runs_in_this_process_and_keeps_its_lease(self) -> None:
        events: list[str] = []

        @contextlib.contextmanager
        def keep_lease(trial: Trial) -> Iterator[None]:
            events.append(f"keep {trial.number}")
            yield
            events.append("let go")

        def measure(params: Mapping[str, Any]) -> dict[str, float]:
            events.append("evaluate")
            return pid(params)

        prepare = preparation(measure, GOALS, jobs=1, timeout=None, keep_lease=keep_lease)
        evaluation = prepare(TRIAL)
        assert evaluation.poll() is None
        assert events == []
        evaluation.begin()
        evaluation.kill()
        assert evaluation.poll() == Outcome({"y": float(os.getpid())})
        assert events == ["keep 3", "evaluate", "let go"]

    @pytest.mark.parametrize("options", [{"jobs": 1, "timeout": 60.0}, {"jobs": 2, "timeout": None}])
    def test_a_timeout_or_several_jobs_take_child_processes(self, options: dict[str, Any]) -> None:
        evaluation = begun(preparation(pid, GOALS, keep_lease=keep_no_lease, **options)(TRIAL))
        assert isinstance(evaluation, ChildEvaluation)
        evaluation.kill()

    def test_a_command_is_checked_and_then_run(self) -> None:
        prepare = preparation(
            Command(["echo", "y={n}"], ["n"], ["y"]), GOALS, jobs=1, timeout=None, keep_lease=keep_no_lease
        )
        assert outcome_of(prepare, 3) == Outcome({"y": 3.0})
        with pytest.raises(InvalidOptionError, match="'no-such-command' cannot be found"):
            preparation(
                Command(["no-such-command"], ["n"], ["y"]), GOALS, jobs=1, timeout=None, keep_lease=keep_no_lease
            )

    def test_without_fork_what_needs_it_is_refused_and_the_rest_works(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "CAN_FORK", False)
        with pytest.raises(InvalidOptionError, match=r"trial_timeout or several jobs need os\.fork.*Use an executor"):
            preparation(double, GOALS, jobs=2, timeout=None, keep_lease=keep_no_lease)
        plain = preparation(double, GOALS, jobs=1, timeout=None, keep_lease=keep_no_lease)
        assert outcome_of(plain, 3) == Outcome({"y": 6.0})
        with ThreadPoolExecutor(1) as pool:
            with executor_preparation(double, GOALS, pool, None) as prepare:
                assert outcome_of(prepare, 3) == Outcome({"y": 6.0})
            with (
                pytest.raises(InvalidOptionError, match=r"a trial_timeout needs os\.fork"),
                executor_preparation(double, GOALS, pool, 1.0),
            ):
                pass


class Inline(Executor):
    """Evaluates at once, and does not say how many workers it has."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Broken(Executor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise BrokenExecutor


class TestOnAnExecutor:
    def test_threads_evaluate_in_this_process(self) -> None:
        with ThreadPoolExecutor(1) as pool, executor_preparation(pid, GOALS, pool, None) as prepare:
            assert outcome_of(prepare) == Outcome({"y": float(os.getpid())})

    def test_with_a_timeout_threads_evaluate_in_child_processes(self) -> None:
        with ThreadPoolExecutor(1) as pool, executor_preparation(pid, GOALS, pool, 60.0) as prepare:
            assert (outcome_of(prepare).values or {})["y"] != os.getpid()

    def test_each_evaluation_on_a_process_pool_has_a_process_of_its_own(self) -> None:
        with ProcessPoolExecutor(1) as pool, executor_preparation(pid, GOALS, pool, None) as prepare:
            (worker,) = {pool.submit(os.getpid).result()}
            found = [(outcome_of(prepare).values or {})["y"] for _ in range(3)]
        assert len({*found, worker, os.getpid()}) == 5

    def test_a_pool_whose_worker_died_is_replaced_by_one_like_it_which_is_shut_down_at_the_end(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        function = partial(kills_its_worker_once, tmp_path / "flag")
        with ProcessPoolExecutor(2) as pool, executor_preparation(function, GOALS, pool, None) as prepare:
            with pytest.raises(BrokenExecutor):
                outcome_of(prepare)
            with caplog.at_level(logging.WARNING, logger="camobo"):
                assert outcome_of(prepare, 3) == Outcome({"y": 6.0})
            assert "a worker process died; continuing with a new pool of the same size" in caplog.text

    def test_an_executor_of_another_kind_cannot_be_replaced(self) -> None:
        with (
            executor_preparation(double, GOALS, Broken(), None) as prepare,
            pytest.raises(BrokenExecutor, match="executor Broken is broken and cannot be replaced"),
        ):
            begun(prepare(TRIAL))

    def test_an_answer_that_cannot_come_back_is_a_reason(self) -> None:
        future: Future[Outcome] = Future()
        evaluation = SubmittedEvaluation(lambda: future)
        evaluation.kill()
        assert evaluation.poll() is None
        evaluation.begin()
        assert evaluation.poll() is None
        future.set_exception(OSError("lost"))
        assert evaluation.poll() == Outcome(reason="its worker: OSError: lost")

    @pytest.mark.parametrize("error", [TypeError("cannot pickle"), AttributeError("local object"), PicklingError("no")])
    def test_a_function_that_cannot_be_sent_is_an_error_with_its_cause(self, error: Exception) -> None:
        future: Future[Outcome] = Future()
        evaluation = begun(SubmittedEvaluation(lambda: future))
        future.set_exception(error)
        with pytest.raises(
            InvalidOptionError, match=r"cannot be sent .*workers: \w+Error: .*at the top of a mod"
        ) as told:
            evaluation.poll()
        assert told.value.__cause__ is error

    def test_a_lambda_on_a_process_pool_is_an_error_before_anything_is_evaluated(self) -> None:
        with (
            ProcessPoolExecutor(1) as pool,
            executor_preparation(lambda params: {"y": 1.0}, GOALS, pool, None) as prepare,
            pytest.raises(InvalidOptionError, match="cannot be sent"),
        ):
            outcome_of(prepare)

    def test_one_that_has_not_started_can_be_cancelled(self) -> None:
        blocked = threading.Event()
        with ThreadPoolExecutor(1) as pool, executor_preparation(double, GOALS, pool, None) as prepare:
            pool.submit(blocked.wait)
            evaluation = begun(prepare(TRIAL))
            evaluation.kill()
            blocked.set()
            outcome = evaluation.poll()
        assert outcome is not None
        assert (outcome.reason or "").startswith("its worker: CancelledError")


class TestJobs:
    def test_a_number_given_counts(self) -> None:
        assert jobs_of(None, 5) == jobs_of(Inline(), 5) == 5

    def test_without_an_executor_it_is_one(self) -> None:
        assert jobs_of(None, None) == 1

    def test_an_executor_has_as_many_as_it_has_workers(self) -> None:
        with ThreadPoolExecutor(3) as pool:
            assert jobs_of(pool, None) == 3

    def test_dasks_executor_has_as_many_as_its_cluster_has_threads(self) -> None:
        class Client:
            def nthreads(self) -> dict[str, int]:
                return {"tcp://one": 2, "tcp://other": 3}

        class LikeDasks(Inline):
            _client = Client()

        assert jobs_of(LikeDasks(), None) == 5

    def test_an_executor_that_does_not_say_needs_a_number(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"jobs: Inline does not say how many workers it has\..*jobs="):
            jobs_of(Inline(), None)
