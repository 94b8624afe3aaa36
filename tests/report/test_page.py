from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.plot.style import Spec, figure, visible
from camobo.report.page import Html, as_json, document, is_report, join, shared_hovers, tag, user_text
from tests.support.hostile import HOSTILE
from tests.support.html_reader import Reader
from tests.support.strategies import law

TYPED = st.text() | st.text("<>&\"'`/!-=\\$ \u2028\u2029\n\x00abscript") | st.sampled_from(HOSTILE)
LIBRARY = 'var a = "</script><!--"; document.getElementById("' + "0f" * 32 + '");\r\nvar b;'


def written(*figures: Spec, title: str = "Steel") -> Reader:
    return Reader(document(title, tag("main", tag("p", "a < b")), figures, LIBRARY))


class TestMarkup:
    @law
    @given(text=TYPED, attribute=TYPED)
    def test_an_element_holds_its_text_and_attribute_and_nothing_else(self, text: str, attribute: str) -> None:
        found = Reader(tag("p", text, title=attribute))
        assert found.elements == [("p", {"title": visible(attribute)})]
        assert found.whole_text == visible(text)

    def test_html_is_not_escaped_again_and_none_is_skipped(self) -> None:
        assert join(Html("<b>"), None, "<b>") == "<b>&lt;b&gt;"

    @pytest.mark.parametrize(("value", "attribute"), [(True, " hidden"), (False, ""), (None, ""), ("x", ' hidden="x"')])
    def test_an_attribute_can_be_present_absent_or_a_value(self, value: Any, attribute: str) -> None:
        assert tag("i", hidden=value) == f"<i{attribute}></i>"

    def test_names_of_attributes_and_void_elements_are_those_of_html(self) -> None:
        assert tag("meta", http_equiv="x", class_="y") == '<meta http-equiv="x" class="y">'

    def test_user_text_is_isolated_from_the_direction_of_the_text_around_it(self) -> None:
        assert user_text("a\u202eb <i>") == "<bdi>a\ufffdb &lt;i&gt;</bdi>"


class TestJson:
    @law
    @given(given=st.recursive(TYPED | st.integers() | st.none(), st.lists))
    def test_in_a_script_it_cannot_end_it_and_reads_back_the_same(self, given: Any) -> None:
        text = as_json(given)
        assert not set(text) & set("<>&\u2028\u2029")
        assert text.isascii()
        assert json.loads(text) == given

    def test_non_finite_numbers_are_refused(self) -> None:
        with pytest.raises(ValueError, match="JSON"):
            as_json([float("nan")])


class TestSharedHovers:
    def test_a_trial_s_text_is_stored_once_and_every_hover_can_be_restored(self) -> None:
        texts = ["trial 3 · complete<br>x: 1", "predicted 4<br>trial 3 · complete<br>x: 1", None, "step 2"]
        figure = {"data": [{"hovertext": texts}], "layout": {"title": {}, "height": 1}}
        shared, (slim,) = shared_hovers([figure], ["trial 3 · complete<br>x: 1", "trial 4 · failed"])
        assert shared == ["trial 3 · complete<br>x: 1", "step 2"]
        assert slim["layout"] == {"height": 1}
        assert [row and row[0] + shared[row[1]] for row in slim["data"][0]["hovertext"]] == texts

    def test_a_trace_without_hovers_stays_as_it_is(self) -> None:
        trace = {"x": [1], "hoverinfo": "skip"}
        assert shared_hovers([{"data": [trace], "layout": {}}], ()) == ([], [{"data": [trace], "layout": {}}])

    def test_a_text_is_split_where_a_trial_s_own_begins_whatever_its_words(self) -> None:
        figure: Spec = {"data": [{"hovertext": ["a<br>b<br>c", "b<br>c", "a<br>trial 3"]}], "layout": {}}
        shared, (slim,) = shared_hovers([figure], ["b<br>c"])
        assert shared == ["b<br>c", "a<br>trial 3"]
        assert slim["data"][0]["hovertext"] == [["a<br>", 0], ["", 0], ["", 1]]


class TestPolicy:
    def test_it_allows_nothing_but_what_the_file_holds(self) -> None:
        policy = written().policy
        assert policy["default-src"] == ["'none'"]
        assert "unsafe" not in str(policy)
        assert set(policy) == {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}
        assert policy["img-src"] == ["data:", "blob:"]

    def test_its_hashes_are_those_of_the_scripts_and_the_style(self) -> None:
        found = written()
        texts = (*found.scripts[1:], *found.styles, "")
        digests = [f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in texts]
        assert found.policy["script-src"] == digests[:2]
        assert found.policy["style-src"] == digests[2:]

    def test_it_comes_before_everything_it_governs(self) -> None:
        kinds = [t for t, a in written().elements if t in ("script", "style") or "http-equiv" in a]
        assert kinds[0] == "meta"


class TestDocument:
    def test_it_holds_the_figures_without_their_titles_as_data(self) -> None:
        found = written(figure("Front", [{"hovertext": ["trial 1 · complete"]}]))
        data = json.loads(found.scripts[0])
        assert data["texts"] == ["trial 1 · complete"]
        assert data["figures"][0]["data"] == [{"hovertext": [["", 0]]}]
        assert "title" not in data["figures"][0]["layout"]

    def test_the_library_cannot_end_its_script_and_has_unix_line_ends(self) -> None:
        found = written()
        assert len(found.scripts) == 3
        assert found.scripts[1].startswith('var a = "<\\/script><\\!--";')
        assert "\r" not in found.scripts[1]

    def test_the_ids_of_plotly_s_map_styles_are_taken_so_that_it_adds_none(self) -> None:
        assert ("i", {"id": "0f" * 32, "hidden": None}) in written().elements

    def test_the_title_is_escaped(self) -> None:
        found = written(title="</title><script>hurt</script>")
        assert "</title><script>hurt</script>" in found.text
        assert len(found.scripts) == 3


class TestIsReport:
    def test_a_report_is_recognised_and_other_files_are_not(self, tmp_path: Path) -> None:
        report, other = tmp_path / "a.html", tmp_path / "b.html"
        report.write_text(document("Steel", tag("main"), [], LIBRARY), encoding="utf-8")
        other.write_text("<html><head><title>camobo</title></head></html>", encoding="utf-8")
        assert is_report(str(report))
        assert not is_report(str(other))

    def test_what_cannot_be_read_is_not_a_report(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert not is_report(str(tmp_path))
        assert not is_report(str(tmp_path / "missing.html"))
        locked = tmp_path / "locked.html"
        locked.write_text("x")

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("builtins.open", refuse)
        assert not is_report(str(locked))
