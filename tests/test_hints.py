from __future__ import annotations

import pytest

import camobo as cm
from camobo.hints import meant

INPUTS = cm.Space({"nickel": cm.Real(0, 20), "chromium": cm.Real(0, 20)})


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
def test_a_hint_is_at_the_name_that_looks_alike(name: str, names: list[str], hint: str) -> None:
    assert meant(name, names) == hint


def test_a_misspelt_order_gets_a_hint() -> None:
    with pytest.raises(cm.InvalidOrderError, match=r"'nickle' is not an input[\s\S]*Did you mean 'nickel'\?"):
        cm.Study(INPUTS, {"strength": "max"}, cost="nickle > chromium")


def test_a_misspelt_parameter_gets_a_hint_at_one_that_is_missing() -> None:
    study = cm.Study(INPUTS, {"strength": "max"})
    with pytest.raises(cm.InvalidValueError, match=r"no input called 'nickle'\. Did you mean 'nickel'\?"):
        study.add({"nickle": 3, "chromium": 4}, {"strength": 1})
