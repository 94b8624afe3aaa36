from __future__ import annotations

import shlex
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.cli import phrases
from camobo.errors import Advice, CamoboError
from tests.support.strategies import law


def fields(template: str) -> set[str]:
    """The names a template fills in."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


class TestAdvice:
    @pytest.mark.parametrize("advice", Advice)
    def test_every_advice_is_worded_for_the_command_line(self, advice: Advice) -> None:
        said = phrases.ADVICE[advice]
        assert "study." not in said
        assert "Study" not in said
        assert said == "" or said.endswith(".")

    @pytest.mark.parametrize("advice", Advice)
    def test_it_needs_no_fact_that_python_s_wording_does_not(self, advice: Advice) -> None:
        assert fields(phrases.ADVICE[advice]) <= fields(advice.value)

    def test_its_facts_are_filled_in(self) -> None:
        error = cm.StorageError("alloy.db: holds another study.", advice=Advice.CONTINUE, place="alloy.db")
        said = phrases.error(error)
        assert said.startswith("alloy.db: holds another study. To continue that study, name it: alloy.db.")
        assert "{" not in said

    def test_an_error_found_in_a_place_keeps_its_advice(self) -> None:
        error = cm.InvalidValueError("need a number.", advice=Advice.FAIL).within("s.csv, line 2")
        assert phrases.error(error) == "s.csv, line 2: need a number. To record a failed measurement use camobo fail."

    @pytest.mark.parametrize("advice", [None, Advice.IN_MEMORY])
    def test_without_advice_an_error_is_its_message(self, advice: Advice | None) -> None:
        assert phrases.error(CamoboError("no.", advice=advice)) == "no."


class TestCommandLines:
    @law
    @given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
    def test_a_shell_reads_a_command_line_as_it_was_meant(self, parts: list[str]) -> None:
        assert shlex.split(phrases.command_line(*parts)) == parts

    @law
    @given(st.lists(st.text("ab -='", min_size=1), min_size=1))
    def test_a_shell_reads_a_template_of_results_as_it_was_meant(self, names: list[str]) -> None:
        found = shlex.split(phrases.to_fill_in(names))
        dashes = ["--"] if any(name.startswith("-") for name in names) else []
        assert found == [*dashes, *(f"{name}=…" for name in names)]


class TestFileNames:
    @law
    @given(st.text())
    def test_any_text_makes_a_name_inside_its_folder(self, text: str) -> None:
        name = phrases.file_name(text)
        assert name
        assert not set(name) & set('/\\\0:*?"<>|\n')
        assert len(name) <= 120
        assert not name.startswith((".", "-"))

    def test_texts_that_differ_only_in_what_a_file_name_cannot_hold_have_different_names(self) -> None:
        texts = ["a b", "a/b", "a:b", "a-b", "a  b", ".a-b", "a" * 100, "a" * 101, "a" * 102, "", "."]
        assert len({phrases.file_name(text) for text in texts}) == len(texts)
