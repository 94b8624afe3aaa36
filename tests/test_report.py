from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo import plot
from camobo.cost import AdditiveCost
from camobo.errors import InvalidOptionError, MissingExtraError, UnknownTrialError
from camobo.expense import Comparison
from camobo.inputs import Array, Categorical, Input, Real
from camobo.insight import Check, Record
from camobo.plan import Plan
from camobo.plot.style import visible
from camobo.report import page, report, words
from camobo.report.page import as_json, shared_hovers, tag
from camobo.space import Space
from camobo.study import Study
from camobo.trial import State, Trial
from hostile import HOSTILE
from samples import PARTS, STRINGS_EACH, hostile_record, sample
from strategies import law

pytest.importorskip("plotly", reason="reports need Plotly: pip install 'camobo[plot]'")


class Reader(HTMLParser):
    """What a browser would find in a page: elements with their attributes, and the text outside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.text: list[str] = []
        self._inside = ""
        self.comments: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        {"script": self.scripts, "style": self.styles}.get(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        into = {"script": self.scripts, "style": self.styles}.get(self._inside)
        if into is None:
            self.text.append(data)
        else:
            into[-1] += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def policy(self) -> dict[str, list[str]]:
        (meta,) = [a for t, a in self.elements if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
        parts = [part.split() for part in (meta["content"] or "").split(";")]
        return {name: sources for name, *sources in parts}


TYPED = st.text() | st.text("<>&\"'`/!-=\\$ \u2028\u2029\n\x00abscript") | st.sampled_from(HOSTILE)
KNOWN = frozenset(
    """html head meta title style body main header section footer h1 h2 h3 p span div dl dt dd figure figcaption strong
    small table thead tbody tr th td ul li details summary bdi svg rect noscript script i""".split()  # noqa: SIM905  # a list to read
)


def written(record: Record, **options: Any) -> Reader:
    return Reader(page(record, **options))


@pytest.mark.parametrize(
    "size", [(1, 1, 0), (1, 3, 1), (2, 4, 5), (2, 1, 30), (3, 4, 30), (6, 12, 40)], ids=lambda size: str(size)
)
@pytest.mark.parametrize("cost", [True, False], ids=["cost", "no cost"])
def test_a_study_of_any_size_has_a_report(size: tuple[int, int, int], cost: bool) -> None:
    record = sample(*size, cost=cost)
    found = written(record)
    text = "".join(found.text)
    assert {"Use of inputs", "Models", "Under way", "Warnings and rescues", "Settings"} <= set(found.text)
    for name in (*record.plan.space.names, *record.plan.objectives):
        assert name in text
    told = json.loads(found.scripts[0])
    places = [int(a["data-figure"] or "") for t, a in found.elements if "data-figure" in a]
    assert places == list(range(len(told["figures"])))


VERY_LARGE = [(1e308, -1e308), (-1e308, 1e308), (1.7e308, 3.0), (5.0, -1.7e308), (1e308, 1e308)]


def test_values_too_large_to_compute_with_are_said_to_be_and_nothing_warns() -> None:
    space = Space({"a": Real(0, 1), "b": Real(0, 1)})
    plan = Plan(space, {"y": "max", "z": "min"}, cost=AdditiveCost("a > b"), budget=20)
    trials = tuple(
        Trial(i, {"a": i / 10, "b": 3 * i % 10 / 10}, State.COMPLETE, {"y": y, "z": z}, cost=1e308)
        for i, (y, z) in enumerate(2 * VERY_LARGE)
    )
    record = Record(plan, trials)
    text = "".join(written(record).text)
    assert "too large to compute" in text
    assert not {"inf", "nan"} & set(re.findall(r"[a-z]+", text.lower()))
    for draw in (plot.front, plot.hypervolume, plot.usage, plot.predictions, plot.slices, plot.fading):
        json.dumps(json.loads(draw(record).to_json()), allow_nan=False)


@dataclass(frozen=True, slots=True)
class StoredTrial(Trial):
    """As a study that is stored has them."""

    cost: float | None = None
    note: str | None = None
    owner: str | None = None
    expires: datetime | None = None
    amended: bool = False


def test_what_a_stored_study_knows_besides_is_shown() -> None:
    told = StoredTrial(
        0, {"x": 0.5}, State.COMPLETE, {"y": 1.0}, "a slip", cost=12.5, note="<b>too hot</b>", amended=True
    )
    held = StoredTrial(
        1, {"x": 0.7}, values={"z": 2.0}, owner="Ann & Bo", expires=datetime(2030, 1, 2, 3, 4, tzinfo=timezone.utc)
    )
    found = written(Record(Plan(Space({"x": Real(0, 1)}), {"y": "max"}), (told, held)))
    assert {"12.5", "<b>too hot</b>", "amended: a slip", "Ann & Bo", "2030-01-02 03:04 UTC", "spent"} <= set(found.text)


class TestPolicy:
    def test_it_allows_nothing_but_what_the_file_holds(self) -> None:
        found = written(sample())
        policy = found.policy
        assert policy["default-src"] == ["'none'"]
        assert "unsafe" not in str(policy)
        assert set(policy) == {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}
        assert policy["img-src"] == ["data:", "blob:"]

    def test_its_hashes_are_those_of_the_scripts_and_the_style(self) -> None:
        found = written(sample())
        digests = ["'sha256-" + base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() + "'" for s in
                   (*found.scripts[1:], *found.styles, "")]  # fmt: skip
        assert found.policy["script-src"] == digests[:2]
        assert found.policy["style-src"] == digests[2:]

    def test_it_comes_before_anything_it_governs(self) -> None:
        kinds = [t for t, a in written(sample()).elements if t in ("script", "style") or "http-equiv" in a]
        assert kinds[0] == "meta"

    def test_no_element_asks_for_anything_or_carries_a_handler_or_a_style(self) -> None:
        for name, attributes in written(sample()).elements:
            assert name in KNOWN
            assert not {"src", "href", "srcset", "style", "action", "data"} & set(attributes)
            assert not [key for key in attributes if key.startswith("on")]


class TestTextOfUsers:
    def test_there_are_two_hundred_different_hostile_strings_and_each_is_in_some_report(self) -> None:
        assert len(set(HOSTILE)) == 200 == PARTS * STRINGS_EACH
        assert {s for part in range(PARTS) for s in hostile_record(part)[2]} == set(HOSTILE)

    @pytest.mark.parametrize("part", range(PARTS))
    def test_every_one_is_shown_as_text_and_none_becomes_an_element(self, part: int) -> None:
        record, title, texts = hostile_record(part)
        found, tame = written(record, title=title), written(_renamed(record), title="t")
        assert Counter(t for t, _ in found.elements) == Counter(t for t, _ in tame.elements)
        assert [sorted(a) for _, a in found.elements] == [sorted(a) for _, a in tame.elements]
        assert not found.comments
        shown = "\n".join(found.text)
        for text in texts:
            assert visible(text) in shown, text
        assert found.scripts[1:] == tame.scripts[1:]

    @law
    @given(given=st.recursive(TYPED | st.integers() | st.none(), st.lists))
    def test_json_in_a_script_cannot_end_it_and_reads_back_the_same(self, given: Any) -> None:
        text = as_json(given)
        assert not set(text) & set("<>&\u2028\u2029")
        assert text.isascii()
        assert json.loads(text) == given

    @law
    @given(text=TYPED, attribute=TYPED)
    def test_an_element_holds_its_text_and_attribute_and_nothing_else(self, text: str, attribute: str) -> None:
        found = Reader(tag("p", text, title=attribute))
        assert found.elements == [("p", {"title": visible(attribute)})]
        assert "".join(found.text) == visible(text)


def _renamed(record: Record) -> Record:
    """The same record with harmless texts."""
    plan, names = record.plan, {name: f"in{j}" for j, name in enumerate(record.plan.space.names)}
    goals = {name: f"out{m}" for m, name in enumerate(plan.objectives)}
    inputs: dict[str, Input] = {}
    tame: dict[str, str] = {}
    for old, source in plan.space.inputs.items():
        if isinstance(source, Categorical):
            tame |= {choice: f"{names[old]}c{i}" for i, choice in enumerate(source.choices)}
            choices, dear = ([tame[choice] for choice in group] for group in (source.choices, source.dear))
            inputs[names[old]] = Categorical(choices, dear=dear)
        else:
            inputs[names[old]] = replace(source, unit="u")
    trials = tuple(
        replace(
            t,
            params={names[k]: tame.get(v, v) if isinstance(v, str) else v for k, v in t.params.items()},
            values=None if t.values is None else {goals[k]: v for k, v in t.values.items()},
            reason="r" if t.reason is not None else None,
            notes=tuple("n" for _ in t.notes),
        )
        for t in record.trials
    )
    objectives = {goals[k]: v for k, v in plan.objectives.items()}
    cost = AdditiveCost([names[name] for name in plan.cost.order.names]) if plan.cost else None
    return Record(replace(plan, space=Space(inputs), objectives=objectives, cost=cost), trials)


class TestTheFile:
    def test_it_is_written_whole_and_leaves_nothing_else_behind(self, tmp_path: Path) -> None:
        target = tmp_path / "alloy.html"
        target.write_text("old")
        assert report(sample(), target) == target
        assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
        assert os.listdir(tmp_path) == ["alloy.html"]

    def test_plotly_is_in_it_once(self, tmp_path: Path) -> None:
        text = report(sample(), tmp_path / "a.html").read_text(encoding="utf-8")
        assert len(re.findall(r"plotly\.js v\d", text)) == 1
        assert 1e6 < len(text) < 8e6

    def test_a_disk_that_fails_half_way_leaves_the_old_file_as_it_was(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target = tmp_path / "alloy.html"
        target.write_text("old")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(InvalidOptionError, match=r"alloy.html.*No space left"):
            report(sample(), target)
        assert target.read_text() == "old"
        assert os.listdir(tmp_path) == ["alloy.html"]

    def test_a_folder_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidOptionError, match=r"nowhere.*No such file"):
            report(sample(), tmp_path / "nowhere" / "a.html")

    def test_a_study_is_reported_as_its_record(self, tmp_path: Path) -> None:
        study = Study(Space({"x": Real(0, 1)}), {"y": "min"}, seed=1).optimize(lambda p: {"y": p["x"]}, 4)
        assert "Best trials" in report(study, str(tmp_path / "a.html")).read_text(encoding="utf-8")

    def test_an_unknown_trial_for_slices_is_an_error_and_nothing_is_written(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownTrialError, match="trial 99"):
            report(sample(), tmp_path / "a.html", trial=99)
        assert not os.listdir(tmp_path)

    def test_without_plotly_the_error_says_what_to_install(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "plotly.offline", None)
        with pytest.raises(MissingExtraError, match=re.escape("pip install 'camobo[plot]'")):
            report(sample(), tmp_path / "a.html")
        assert not os.listdir(tmp_path)


def check(measured: Array, predicted: Array, deviation: float) -> Check:
    import numpy as np

    from camobo.standard import Standard

    return Check("y", (), measured, predicted, np.full(len(measured), deviation), Standard(0.0, 1.0))


class TestWords:
    def test_a_model_is_called_what_it_is(self) -> None:
        import numpy as np

        line = np.linspace(0.0, 1.0, 20)
        noise = np.where(np.arange(20) % 2, 0.25, -0.25)
        assert words.fit(check(line, line, 0.1))[0] == "good"
        assert words.fit(check(line, line + noise, 0.3))[0] == "fair"
        assert words.fit(check(line, 1.0 - line, 1.0))[0] == "poor"
        assert words.fit(check(line[:3], line[:3], 0.1))[0] == "early"
        assert words.fit(check(np.ones(9), np.ones(9), 0.1))[0] == "early"

    def test_a_model_that_is_too_sure_is_not_called_good(self) -> None:
        import numpy as np

        line = np.linspace(0.0, 1.0, 20)
        word, told = words.fit(check(line, line + 0.01, 1e-4))
        assert word == "fair"
        assert "surer than it may be" in told

    def test_the_order_s_verdict_counts(self) -> None:
        kept, broken = Comparison(("a",), ("b",), 0.1, 0.5), Comparison(("b",), ("c",), 0.5, 0.1)
        assert words.order_verdict([kept], 20)[0] == "good"
        assert words.order_verdict([kept, broken], 20) == ("fair", words.order_verdict([kept, broken], 20)[1])
        assert words.order_verdict([kept, broken], 20)[1].startswith("1 of 2 comparisons kept")
        assert words.order_verdict([kept], 3)[0] == "early"

    def test_a_rescue_is_told_with_the_trials_that_needed_it(self) -> None:
        trials = tuple(
            Trial(i, {"x": 0.5}, State.FAILED, notes=("improves the front", "jitter 1e-08 was needed"))
            for i in range(10)
        )
        told = words.warnings(Record(Plan(Space({"x": Real(0, 1)}), {"y": "max"}), trials), None)
        assert told[0] == "10 trials (0, 1, 2, 3, 4, 5, 6, 7 and 2 more): jitter 1e-08 was needed"
        assert told[1].startswith("10 of 10 trials failed")

    def test_a_reference_nothing_reaches_is_told(self) -> None:
        trial = Trial(0, {"x": 0.5}, State.COMPLETE, {"y": 1.0})
        record = Record(Plan(Space({"x": Real(0, 1)}), {"y": "max"}, reference=(5.0,)), (trial,))
        assert any("reference" in line for line in words.warnings(record, None))


def test_what_hovers_say_of_a_trial_is_written_once_and_can_be_put_together_again() -> None:
    texts = ["trial 3 · complete<br>x: 1", "predicted 4<br>trial 3 · complete<br>x: 1", None, "step 2"]
    told, (slim,) = shared_hovers([{"data": [{"hovertext": texts}], "layout": {"title": {}, "height": 1}}])
    assert told == ["trial 3 · complete<br>x: 1", "step 2"]
    assert slim["layout"] == {"height": 1}
    assert [row and row[0] + told[row[1]] for row in slim["data"][0]["hovertext"]] == texts
