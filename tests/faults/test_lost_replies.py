"""The connection to a real server breaks while a change is being stored: nothing is lost, nothing is stored twice."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import camobo as cm
from camobo.cli import phrases
from camobo.run import patience
from camobo.storage import outcome
from tests.support.proxy import LATE, Loss, Proxy, proxy_to

SPACE = cm.Space({"x": cm.Real(0, 1)})


@pytest.fixture
def proxy(server: str) -> Iterator[Proxy]:
    with proxy_to(server) as proxy:
        yield proxy


@pytest.fixture
def place(server: str) -> str:
    """Where a new study is, reached without the proxy."""
    place = f"{server}&schema=lost_{uuid.uuid4().hex[:12]}"
    cm.Study(SPACE, {"y": "min"}, budget=cm.Budget(cost=1000.0), seed=1, storage=place).close()
    return place


@pytest.fixture
def study(proxy: Proxy, place: str) -> Iterator[cm.Study]:
    """The same study, reached through the proxy."""
    with cm.Study.load(f"{proxy.url}&schema={place.rpartition('schema=')[2]}") as study:
        yield study


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks come at once, so that tests need not wait until they are given up."""
    monkeypatch.setattr(outcome, "_PAUSES", (0.0, 0.01))


Change = Callable[[cm.Study], Any]
CHANGES: dict[str, tuple[Change, str]] = {
    "ask": (lambda study: study.ask(), "asked"),
    "ask for two": (lambda study: study.ask(2, owner="anna", lease="2h"), "asked"),
    "add": (lambda study: study.add({"x": 0.5}, {"y": 1.0}, cost=3.0), "added"),
    "tell": (lambda study: study.tell(0, {"y": 1.0}, cost=3.0), "told"),
    "fail": (lambda study: study.fail(0, "cracked", cost=3.0), "failed"),
    "amend": (lambda study: study.amend(1, {"y": 2.0}, "scale was off"), "amended"),
    "release": (lambda study: study.release(0), "released"),
    "change": (lambda study: study.change(thrift=0.5), "set"),
}
every_change = pytest.mark.parametrize(("change", "kind"), CHANGES.values(), ids=CHANGES)


def ready(study: cm.Study) -> list[str]:
    """Trial 0 is pending, 1 complete. The kinds of events so far."""
    study.ask()
    study.add({"x": 0.25}, {"y": 5.0})
    return [event.kind for event in study.log()]


@pytest.mark.parametrize("loss", ["reply", "late commit"])
@every_change
def test_a_change_whose_reply_is_lost_is_stored_once_and_is_no_error(
    proxy: Proxy, study: cm.Study, place: str, change: Change, kind: str, loss: Loss
) -> None:
    before, began = ready(study), time.monotonic()
    proxy.loses.append(loss)
    given = change(study)
    assert proxy.lost == 1
    assert loss == "reply" or time.monotonic() - began > LATE / 2, "it waited until the commit had arrived"
    after = cm.Study.load(place)
    many = len(given) if isinstance(given, list) else 1
    assert [event.kind for event in after.log()] == [*before, *[kind] * many]
    assert study.trials == after.trials
    if kind != "set":
        assert all(trial == after.trials[trial.number] for trial in (given if isinstance(given, list) else [given]))
    study.add({"x": 0.75}, {"y": 1.0})
    assert len(after.log()) == len(before) + many + 1


@every_change
def test_a_change_that_never_arrives_is_an_error_that_says_so_and_can_be_made_again(
    proxy: Proxy, study: cm.Study, place: str, change: Change, kind: str
) -> None:
    before = ready(study)
    proxy.loses.append("commit")
    with pytest.raises(cm.StorageError, match="The change was not stored; everything stored before is") as caught:
        change(study)
    assert not isinstance(caught.value, cm.OutcomeUnknown)
    after = cm.Study.load(place)
    assert [event.kind for event in after.log()] == before
    change(study)
    kinds: list[str] = [event.kind for event in after.log()]
    assert kinds.count(kind) > before.count(kind)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("loss", ["commit", "reply"])
@every_change
def test_if_nobody_can_look_it_is_unknown_and_the_same_change_made_again_is_stored_once(
    proxy: Proxy, study: cm.Study, place: str, change: Change, kind: str, loss: Loss
) -> None:
    before = ready(study)
    proxy.away_after_loss = True
    proxy.loses.append(loss)
    with pytest.raises(cm.OutcomeUnknown, match="Whether the change was stored is unknown") as caught:
        change(study)
    assert "Doing the same again with this study is safe" in str(caught.value)
    assert "Look at camobo log before doing it again" in phrases.error(caught.value)
    proxy.open = True
    given = change(study)
    after = cm.Study.load(place)
    many = len(given) if isinstance(given, list) else 1
    assert [event.kind for event in after.log()] == [*before, *[kind] * many]
    assert study.trials == after.trials
    if kind == "added":
        assert change(study).number == given.number + 1, "once it is known, the same again is another"


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("loss", ["commit", "reply"])
def test_another_change_after_an_unknown_one_is_stored_and_takes_nothing_for_granted(
    proxy: Proxy, study: cm.Study, place: str, loss: Loss
) -> None:
    ready(study)
    proxy.away_after_loss = True
    proxy.loses.append(loss)
    with pytest.raises(cm.OutcomeUnknown):
        study.add({"x": 0.5}, {"y": 1.0})
    proxy.open = True
    study.add({"x": 0.75}, {"y": 2.0})
    study.add({"x": 0.5}, {"y": 1.0})
    told = Counter(
        (event.new["params"]["x"], event.new["values"]["y"]) for event in study.log() if event.kind == "added"
    )
    assert told == {(0.25, 5.0): 1, (0.75, 2.0): 1, (0.5, 1.0): 1}


@pytest.mark.usefixtures("impatient")
def test_a_block_whose_outcome_is_unknown_says_to_look_first(proxy: Proxy, study: cm.Study, place: str) -> None:
    before = ready(study)

    def both() -> None:
        with study.together():
            study.tell(0, {"y": 1.0})
            study.add({"x": 0.5}, {"y": 1.0})

    proxy.loses.append("reply")
    both()
    assert [event.kind for event in study.log()] == [*before, "told", "added"]
    proxy.away_after_loss = True
    proxy.loses.append("reply")
    with pytest.raises(cm.OutcomeUnknown, match=r"Look at study.log\(\) before doing it again"), study.together():
        study.add({"x": 0.75}, {"y": 1.0})
    proxy.open = True
    assert [event.kind for event in study.log()] == [*before, "told", "added", "added"]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("away", [False, True], ids=["for a moment", "for longer"])
def test_a_run_whose_replies_are_lost_evaluates_and_records_every_trial_once(
    proxy: Proxy, study: cm.Study, place: str, away: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_RETRY_DELAYS", (0.1, 0.1, 0.1, 0.1, 0.1))
    proxy.away_after_loss = away
    calls: list[float] = []

    def measure(params: dict[str, Any]) -> tuple[dict[str, float], float]:
        calls.append(params["x"])
        losses: list[Loss] = ["reply", "late commit", "commit"]
        proxy.loses.append(losses[len(calls) % 3])
        return {"y": params["x"]}, 10.0

    monkeypatch.setattr(time, "sleep", reopening(proxy, time.sleep))
    study.optimize(measure, 9)
    after = cm.Study.load(place)
    assert proxy.lost == 9
    assert Counter(event.kind for event in after.log() if event.kind in ("asked", "told")) == {"asked": 9, "told": 9}
    assert [trial.params["x"] for trial in after.trials] == calls, "each was evaluated once"
    assert after.spent() == 90.0


def reopening(proxy: Proxy, sleep: Callable[[float], None]) -> Callable[[float], None]:
    """Sleeps; the server is back after a tenth of a second."""

    def slept(seconds: float) -> None:
        sleep(seconds)
        if seconds >= 0.1:
            proxy.open = True

    return slept
