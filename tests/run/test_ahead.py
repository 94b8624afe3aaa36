from __future__ import annotations

import logging
import threading
import time
from typing import Any

import pytest

import camobo as cm
from camobo.history import transitions
from camobo.history.transitions import Ahead, Request, Suggested
from camobo.run.ahead import NextTrials
from tests.support.trial_queues import FakeQueue, run_on, wait_until

SPACE = cm.Space({"x": cm.Real(0, 1), "y": cm.Real(0, 1)})


class Queue(FakeQueue):
    """Looks ahead in a given time, and hands out what was seen ahead if somebody else did not take it."""

    def __init__(self, seconds: float = 0.02) -> None:
        super().__init__()
        self.seconds, self.looked, self.stolen = seconds, 0, False
        self.threads: set[str] = set()

    def look_ahead(self, request: Request) -> Ahead:
        time.sleep(self.seconds)
        self.looked += 1
        self.threads.add(threading.current_thread().name)
        number = len(self.trials)
        return Ahead(0, number, self.plan, (Suggested({"n": number}, (), None),), None)

    def hand_out(self, request: Request, ahead: Ahead | None = None) -> list[Any]:
        if ahead is None:
            time.sleep(self.seconds)
        elif self.stolen:
            super().hand_out(request)
        return super().hand_out(request, ahead)


def after(queue: Queue, *, evaluations: float) -> NextTrials:
    """Where the next trial comes from after one that took so many seconds."""
    trials = NextTrials(run_on(queue))
    trials.next(frozenset())
    trials.evaluated.add(evaluations)
    return trials


class TestNextTrials:
    def test_where_suggestions_take_long_the_next_is_computed_beside_and_then_handed_out_at_once(self) -> None:
        queue = Queue(0.4)
        trials = after(queue, evaluations=0.05)
        trials.look_ahead(frozenset([0]))
        trials.look_ahead(frozenset([0]))
        wait_until(lambda: queue.looked == 1)
        began = time.monotonic()
        trial = trials.next(frozenset([0]))
        trials.close()
        assert time.monotonic() - began < queue.seconds
        assert trial is not None
        assert (trial.number, queue.looked) == (1, 1)
        assert threading.current_thread().name not in queue.threads

    def test_where_evaluations_take_much_longer_every_suggestion_knows_all_results(self) -> None:
        queue = Queue()
        trials = after(queue, evaluations=60.0)
        trials.look_ahead(frozenset([0]))
        trials.settle()
        trials.close()
        assert queue.looked == 0

    def test_before_an_evaluation_has_ended_nothing_is_computed_ahead(self) -> None:
        queue = Queue()
        trials = NextTrials(run_on(queue))
        trials.next(frozenset())
        trials.look_ahead(frozenset([0]))
        trials.close()
        assert queue.looked == 0

    def test_where_others_take_trials_too_computing_ahead_ends_when_it_was_mostly_in_vain(self) -> None:
        queue = Queue(0.005)
        queue.stolen = True
        trials = after(queue, evaluations=0.01)
        for _ in range(5):
            trials.look_ahead(frozenset())
            trials.next(frozenset())
        trials.close()
        assert queue.looked == 1

    def test_what_goes_wrong_beside_is_raised_when_the_trial_is_wanted(self) -> None:
        class Broken(Queue):
            def look_ahead(self, request: Request) -> Ahead:
                raise cm.StorageError("a.db: gone.")

        trials = after(Broken(), evaluations=0.05)
        trials.look_ahead(frozenset())
        trials.settle()
        with pytest.raises(cm.StorageError, match="gone"):
            trials.next(frozenset())
        trials.close()


def quick(params: Any) -> dict[str, float]:
    time.sleep(0.02)
    return {"a": params["x"] ** 2 + params["y"], "b": (1.0 - params["x"]) ** 2}


@pytest.mark.slow
def test_of_a_quick_function_workers_start_at_once_and_what_each_suggestion_knew_is_on_record(
    caplog: pytest.LogCaptureFixture,
) -> None:
    study = cm.Study(SPACE, {"a": "min", "b": "min"}, seed=3)
    with caplog.at_level(logging.INFO, logger="camobo"):
        study.optimize(quick, 40, jobs=2, progress=False)
    assert "the 2 workers evaluated trials for" in caplog.text
    events = study.log()
    asked = [event for event in events if event.kind == "asked"]
    assert sum("known" in event.new for event in asked) > 5
    for event in asked:
        knew = study._ledger.after(transitions.known_to(events[: event.number], event))
        (again,) = transitions.look_ahead(knew, 1, None).suggested
        assert again.params == event.new["params"]


def test_a_single_worker_always_knows_all_results() -> None:
    study = cm.Study(SPACE, {"a": "min", "b": "min"}, seed=3)
    study.optimize(quick, 12, jobs=1, trial_timeout=60, progress=False)
    assert not any("known" in event.new for event in study.log())
