"""Evaluations by an `async def` function, in one event loop."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from camobo.history.trial import Trial
from camobo.run.coroutines import coroutine_preparation, is_async
from camobo.run.evaluate import Outcome
from tests.support.trial_queues import GOALS, begun, finished, outcome_of, wait_until


async def measure(params: Mapping[str, Any]) -> dict[str, float]:
    await asyncio.sleep(0)
    return {"y": 2.0 * params["n"]}


class Called:
    async def __call__(self, params: Mapping[str, Any]) -> dict[str, float]:
        return await measure(params)


class TestEvaluating:
    @pytest.mark.parametrize("function", [measure, partial(measure), Called(), Called().__call__])
    def test_the_values_come_back(self, function: Any) -> None:
        assert is_async(function)
        with coroutine_preparation(function, GOALS, None) as prepare:
            assert outcome_of(prepare, 3) == Outcome({"y": 6.0})

    def test_a_plain_function_is_not_async(self) -> None:
        assert not any(map(is_async, [lambda params: {"y": 1.0}, partial(print), Outcome, print]))

    def test_all_share_one_loop_and_run_at_once(self) -> None:
        loops, together = set[asyncio.AbstractEventLoop](), list[int]()

        async def meets(params: Mapping[str, Any]) -> dict[str, float]:
            loops.add(asyncio.get_running_loop())
            together.append(params["n"])
            while len(together) < 4:
                await asyncio.sleep(0.001)
            return {"y": 1.0}

        with coroutine_preparation(meets, GOALS, None) as prepare:
            evaluations = [begun(prepare(Trial(n, {"n": n}))) for n in range(4)]
            assert [finished(evaluation) for evaluation in evaluations] == [Outcome({"y": 1.0})] * 4
        assert len(loops) == 1

    def test_what_it_raises_is_the_reason_and_kept(self) -> None:
        async def fails(params: Mapping[str, Any]) -> dict[str, float]:
            raise KeyError("depth")

        with coroutine_preparation(fails, GOALS, None) as prepare:
            outcome = outcome_of(prepare)
        assert outcome == Outcome(reason="KeyError: 'depth'")
        assert outcome.fault is not None
        assert isinstance(outcome.fault.error, KeyError)
        assert "in fails" in outcome.fault.places[-1]

    def test_one_that_exits_is_a_failure_and_the_others_go_on(self) -> None:
        async def exits(params: Mapping[str, Any]) -> dict[str, float]:
            return sys.exit(3) if params["n"] == 0 else await measure(params)

        with coroutine_preparation(exits, GOALS, None) as prepare:
            assert outcome_of(prepare, 0) == Outcome(reason="it exited with code 3")
            assert outcome_of(prepare, 1) == Outcome({"y": 2.0})

    def test_a_result_of_the_wrong_shape_is_a_mistake(self) -> None:
        async def shapeless(params: Mapping[str, Any]) -> Any:
            return 1.0

        with coroutine_preparation(shapeless, GOALS, None) as prepare:
            fault = outcome_of(prepare).fault
        assert fault is not None
        assert fault.returned == "1.0"


class TestEnding:
    def test_one_that_takes_too_long_is_cancelled_and_its_own_timeouts_are_its_own(self) -> None:
        cancelled = threading.Event()

        async def hangs(params: Mapping[str, Any]) -> dict[str, float]:
            try:
                await asyncio.sleep(60 if params["n"] else 0)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            raise TimeoutError("its own")

        with coroutine_preparation(hangs, GOALS, 0.05) as prepare:
            assert outcome_of(prepare, 1) == Outcome(reason="it took longer than 0.05 s and was stopped")
            assert cancelled.wait(10)
            assert outcome_of(prepare, 0) == Outcome(reason="TimeoutError: its own")

    @pytest.mark.parametrize("by", ["kill", "the end of the run"])
    def test_one_that_is_stopped_cleans_up_and_no_thread_is_left(self, by: str) -> None:
        began, ended = threading.Event(), threading.Event()

        async def hangs(params: Mapping[str, Any]) -> dict[str, float]:
            began.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()
            return {"y": 1.0}

        start = time.monotonic()
        with coroutine_preparation(hangs, GOALS, None) as prepare:
            evaluation = begun(prepare(Trial(0, {"n": 0})))
            assert began.wait(10)
            if by == "kill":
                evaluation.kill()
                assert ended.wait(10)
        assert ended.is_set()
        assert time.monotonic() - start < 8
        wait_until(lambda: not any(thread.name == "camobo coroutines" for thread in threading.enumerate()))
