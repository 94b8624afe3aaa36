from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camobo.cost.order import Order
from camobo.errors import InvalidOrderError, InvalidValueError
from camobo.hints import counted, meant
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
