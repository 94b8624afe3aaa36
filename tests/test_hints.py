from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.order import Order
from camobo.errors import InvalidOrderError, InvalidValueError
from camobo.hints import caret, counted, meant, printable, redacted
from camobo.space.inputs import Real
from camobo.space.space import Space
from tests.support.strategies import law, names

INPUTS = Space({"nickel": Real(0, 20), "chromium": Real(0, 20)})


@pytest.mark.parametrize(
    ("name", "names", "hint"),
    [
        ("nickle", ["nickel", "chromium"], " Did you mean 'nickel'?"),
        (" Nickel", ["nickel", "chromium"], " Did you mean 'nickel'?"),
        ("iron", ["nickel", "chromium"], ""),
        ("units_l2", ["units_l0", "units_l1"], ""),
        ("unit_l2", ["units_l2", "units_l1"], " Did you mean 'units_l2'?"),
        ("\u212b", ["\u00c5"], " Did you mean 'Å', written as '\\xc5', not as '\\u212b'?"),
        ("anything", [], ""),
    ],
)
def test_a_hint_names_the_most_similar_name(name: str, names: list[str], hint: str) -> None:
    assert meant(name, names) == hint


@law
@given(names(most=5), st.text(max_size=8))
def test_a_hint_names_one_of_the_known_names_or_is_empty(known: list[str], name: str) -> None:
    hint = meant(name, known)
    assert hint == "" or any(hint.startswith(f" Did you mean {other!r}") for other in known)


def test_a_misspelt_order_gets_a_hint() -> None:
    with pytest.raises(InvalidOrderError, match=r"'nickle' is not an input[\s\S]*Did you mean 'nickel'\?"):
        Order.parse("nickle > chromium").columns(INPUTS.names)


def test_a_misspelt_parameter_gets_a_hint_at_a_missing_one() -> None:
    with pytest.raises(InvalidValueError, match=r"no input called 'nickle'\. Did you mean 'nickel'\?"):
        INPUTS.check({"nickle": 3, "chromium": 4})


@pytest.mark.parametrize(("count", "said"), [(0, "0 trials"), (1, "1 trial"), (2, "2 trials")])
def test_a_count_agrees_with_its_noun(count: int, said: str) -> None:
    assert counted(count, "trial") == said


@pytest.mark.parametrize(("count", "said"), [(0, "0 trials are"), (1, "1 trial is"), (2, "2 trials are")])
def test_a_count_agrees_with_its_verb(count: int, said: str) -> None:
    assert counted(count, "trial is", "trials are") == said


def test_a_caret_stands_under_its_place() -> None:
    assert caret("a > b\n> c", 6) == "\n    a > b > c\n          ^"


class TestPrintable:
    @law
    @given(st.text())
    def test_nothing_is_left_that_a_terminal_obeys(self, text: str) -> None:
        shown = printable(text)
        assert shown.isprintable()
        assert shown == text or not text.isprintable()
        assert printable(text, keep="\n").replace("\n", "").isprintable()

    @pytest.mark.parametrize(
        "harmful",
        [*"\x1b\x07\r\x7f\x80\x9b\x9d\u061c\u200b\u200e\u2028\u202e\u2066\u2069\ufeff\ud800\U000e0041"],
    )
    def test_control_characters_of_every_kind_are_escaped(self, harmful: str) -> None:
        assert printable(f"a{harmful}b").isascii()


class TestRedacted:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("postgresql+psycopg://anna:pw@h:5432/d?schema=x", "postgresql+psycopg://anna:***@h:5432/d?schema=x"),
            ("cannot open postgresql://a:b@h/d, try again", "cannot open postgresql://a:***@h/d, try again"),
            ("'postgresql://a:b@h/d' 'postgresql://c:d@i'", "'postgresql://a:***@h/d' 'postgresql://c:***@i'"),
            ("postgresql://a:p@q@h/d", "postgresql://a:***@h/d"),
            ("postgresql://a:12/34@h/d", "postgresql://a:***@h/d"),
            ("postgresql://a:b c@h/d", "postgresql://a:***@h/d"),
            ("postgresql://a@server:b@h/d", "postgresql://a@server:***@h/d"),
            ("postgresql://a:b", "postgresql://a:***"),
            ("postgresql:/a:b@h/d", "postgresql:/a:***@h/d"),
            ("redis://:b@h", "redis://:***@h"),
            ("x://h/d?user=a&password=b&sslmode=require", "x://h/d?user=a&password=***&sslmode=require"),
            ("x://h/d?PassWord=b: refused", "x://h/d?PassWord=***: refused"),
            ("x://h/d?p%61ssword=b", "x://h/d?p%61ssword=***"),
            ("x://h/d?token=b&api_key=c&pwd=d&client_secret=e", "x://h/d?token=***&api_key=***&pwd=***&client_secret=***"),
            ("host=h password='a b' user=x", "host=h password=*** user=x"),
        ],
    )  # fmt: skip
    def test_secrets_are_hidden_and_the_rest_is_not(self, text: str, shown: str) -> None:
        assert redacted(text) == shown
        assert redacted(shown) == shown, "once is enough"

    @pytest.mark.parametrize(
        "text",
        [
            "postgresql+psycopg://h:5432/d?passfile=/home/anna/.pgpass&sslkey=/k&connect_timeout=3",
            "postgresql://h:5432/d: connection refused for anna@lab",
            "postgresql://anna@h/d",
            "postgresql+psycopg://postgres:@/postgres?host=/tmp/x",
            "sqlite:///alloy.db: no such file.",
            "C:/lab/alloy.db: at 12:30 by anna@lab",
            "trial 3: nickel=4, passes=3 (pending)",
            "file:alloy.db?mode=ro",
        ],
    )
    def test_what_holds_no_secret_stays_as_it_is(self, text: str) -> None:
        assert redacted(text) == text

    @law
    @given(
        st.text(st.characters(exclude_characters="\n\r"), min_size=1),
        st.sampled_from(["postgresql://anna:{}@lab/alloy", "postgresql://lab/alloy?user=a&password={}&schema=x"]),
    )
    def test_a_password_written_as_urls_need_it_is_never_shown(self, password: str, url: str) -> None:
        written = quote("Q" + password.encode("utf-8", "replace").decode() + "Q", safe="")
        assert written not in redacted(url.format(written))
        assert redacted(url.format(written)) == url.format("***")
