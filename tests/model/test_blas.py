from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
import scipy.linalg  # noqa: F401 - SciPy has its own BLAS: load it before the fixture limits both
from threadpoolctl import threadpool_info, threadpool_limits

from camobo.model.blas import one_thread
from tests.support.plans import plan, run


def counts() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    with threadpool_limits(limits=2, user_api="blas"):
        assert counts() == {2}
        yield


def test_the_original_number_is_restored_when_the_last_block_ends() -> None:
    first, second = ExitStack(), ExitStack()
    first.enter_context(one_thread())
    second.enter_context(one_thread())
    first.close()
    assert counts() == {1}
    second.close()
    assert counts() == {2}


def test_an_error_inside_restores_it_too() -> None:
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert counts() == {2}


def test_a_block_of_one_thread_may_start_first_and_one_of_another_thread_end_last() -> None:
    first = ExitStack()
    first.enter_context(one_thread())

    def in_another_thread() -> set[int]:
        with one_thread():
            first.close()  # the first block ends while this one is active
            return counts()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(in_another_thread).result(timeout=60) == {1}
    assert counts() == {2}


def test_afterwards_other_threads_can_set_the_number() -> None:
    with one_thread():
        pass

    def in_another_thread() -> set[int]:
        with threadpool_limits(limits=1, user_api="blas"):
            return counts()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(in_another_thread).result(timeout=60) == {1}


def suggested() -> list[list[float]]:
    given = plan(cost="expensive > cheap", budget=20, seed=1)
    units: list[list[float]] = run(given, given.initial + 2).units.tolist()
    return units


def test_suggestions_in_several_threads_are_the_same_as_alone_and_restore_the_number() -> None:
    alone = suggested()
    start = threading.Barrier(3)

    def together() -> list[list[float]]:
        start.wait(timeout=60)
        return suggested()

    with ThreadPoolExecutor(3) as pool:
        found = [done.result() for done in [pool.submit(together) for _ in range(3)]]
    assert found == [alone] * 3
    assert counts() == {2}


def _in_child(answer: multiprocessing.SimpleQueue[list[set[int]]]) -> None:
    seen = [counts()]
    with one_thread():
        seen.append(counts())
    answer.put([*seen, counts()])


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this platform cannot fork")
def test_a_process_forked_inside_a_block_starts_with_the_original_number() -> None:
    forking = multiprocessing.get_context("fork")
    answer = forking.SimpleQueue()
    with one_thread():
        child = forking.Process(target=_in_child, args=(answer,))
        child.start()
        child.join(60)
        assert child.exitcode == 0
    assert answer.get() == [{2}, {1}, {2}]
