from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
import scipy.linalg  # noqa: F401 - its BLAS is another than NumPy's: both have their two threads from the start
from threadpoolctl import threadpool_info, threadpool_limits

import camobo as cm
from camobo.blas import one_thread


def counts() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    with threadpool_limits(limits=2, user_api="blas"):
        assert counts() == {2}
        yield


def test_the_last_to_leave_puts_back_what_the_first_found() -> None:
    first, second = ExitStack(), ExitStack()
    first.enter_context(one_thread())
    second.enter_context(one_thread())
    first.close()
    assert counts() == {1}
    second.close()
    assert counts() == {2}


def test_an_error_inside_puts_it_back_too() -> None:
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert counts() == {2}


def test_one_thread_may_come_first_and_another_leave_last() -> None:
    first = ExitStack()
    first.enter_context(one_thread())

    def in_another_thread() -> set[int]:
        with one_thread():
            first.close()  # as the first to come does while this one is still at work
            return counts()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(in_another_thread).result(timeout=60) == {1}
    assert counts() == {2}


def test_others_may_still_set_how_many_there_are() -> None:
    with one_thread():
        pass

    def in_another_thread() -> set[int]:
        with threadpool_limits(limits=1, user_api="blas"):
            return counts()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(in_another_thread).result(timeout=60) == {1}


def suggested() -> list[tuple[float, ...]]:
    space = cm.Space({"a": cm.Real(0, 1), "b": cm.Real(0, 1)})
    study = cm.Study(space, {"y": "max", "z": "min"}, seed=1, cost="a > b", budget=20)
    study.optimize(lambda p: {"y": p["a"] - p["b"] ** 2, "z": p["a"] ** 2 + p["b"]}, 6)
    return [tuple(trial.params.values()) for trial in study.trials]


def test_studies_in_threads_suggest_what_each_would_alone_and_leave_blas_as_it_was() -> None:
    alone = suggested()
    begin = threading.Barrier(3)

    def together() -> list[tuple[float, ...]]:
        begin.wait(timeout=60)
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


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="nothing is forked here")
def test_a_process_forked_off_meanwhile_begins_anew() -> None:
    forking = multiprocessing.get_context("fork")
    answer = forking.SimpleQueue()
    with one_thread():
        child = forking.Process(target=_in_child, args=(answer,))
        child.start()
        child.join(60)
        assert child.exitcode == 0
    assert answer.get() == [{2}, {1}, {2}]
