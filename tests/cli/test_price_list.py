from __future__ import annotations

from pathlib import Path

import pytest

import camobo as cm
from camobo.cli.price_list import read_prices

SPACE = cm.Space(
    {
        "nickel": cm.Real(0, 20, unit="%"),
        "soak": cm.Integer(1, 12),
        "quench": cm.Categorical(["air", "oil", "water"]),
        "wet": cm.Categorical([True, False]),
        "grain": cm.Real(0.1, 10, expensive="low"),
    }
)


def read(folder: Path, text: str) -> cm.Prices:
    (folder / "list.csv").write_text(text, encoding="utf-8")
    return read_prices(str(folder / "list.csv"), SPACE)


@pytest.mark.parametrize(
    "text",
    [
        "input,choice,price\nnickel,,13.9\nquench,oil,2\nquench,water,0.5\nper trial,,12\n",
        "price;input;choice\n13.9;nickel;\n12;;\n\n2;quench;oil\n0.5;quench;Water\n;;\n",
        "sep=;\ninput;price;choice\nper_trial;12\nnickel;13.9\nquench;2;oil\nquench;0.5; water\n",
        "\ufeffinput\tchoice\tprice\n nickel \t\t13.9\nPer Trial\t\t12\nquench\toil\t2\nquench\twater\t0.5\n",
    ],
)
def test_a_list_as_people_have_it_is_read(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == cm.Prices({"nickel": 13.9, "quench": {"oil": 2, "water": 0.5}}, per_trial=12)


def test_without_choices_the_column_may_be_missing(tmp_path: Path) -> None:
    assert read(tmp_path, "input,price\nnickel,13.9\n") == cm.Prices({"nickel": 13.9})


def test_choices_that_are_no_text_are_found(tmp_path: Path) -> None:
    assert read(tmp_path, "input,choice,price\nwet,TRUE,3\nwet,false,0\n") == cm.Prices({"wet": {True: 3, False: 0}})


def test_an_input_called_per_trial_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("input,price\nper trial,3\n,5\n")
    space = cm.Space({"per trial": cm.Integer(1, 3)})
    assert read_prices(str(tmp_path / "list.csv"), space) == cm.Prices({"per trial": 3}, per_trial=5)


def test_a_list_with_decimal_commas_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("input;price\nnickel;13,9\n")
    assert read_prices(str(tmp_path / "p.csv"), SPACE).document()["prices"] == {"nickel": 13.9}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty. Need a first line with column names: input, choice, price."),
        ("input,price\n", "no prices"),
        ("nickel,13.9\n", "line 1, column 1: unknown column 'nickel'"),
        ("Input,Price\nnickel,1\n", "line 1, column 1: unknown column 'Input'. Did you mean 'input'?"),
        ("input,choice\nnickel,\n", "column 'price' is missing"),
        ("choice,price\nnickel,3\n", "column 'input' is missing"),
        ("input,price\nnickle,3\n", "line 2, column input: 'nickle' is not an input. Did you mean 'nickel'?"),
        ("input,price\nnickel,\n", "line 2, column price: need a price, got nothing. Write 0 if it is free"),
        (
            "input;price\nnickel;13,9\nsoak;1.5\n",
            "line 2, column price: '13,9' has a comma, but line 3, column price a point: '1.5'.",
        ),
        ("input,price\nnickel,13.9 EUR\n", "need a number without a unit, got '13.9 EUR'. Write 13.9."),
        ("input,price\nnickel,-1\n", "line 2, column price: need a number of at least 0"),
        ("input,price\nnickel,1\nsoak,2\nnickel,1\n", "lines 2 and 4 both have a price for nickel"),
        ("input,price\n,1\nper trial,2\n", "lines 2 and 3 both have a price for per trial"),
        ("input,choice,price\nquench,oil,1\nquench,oil,2\n", "lines 2 and 3 both have a price for quench, oil"),
        ("input,price\nquench,1\n", "line 2, column choice: which choice of 'quench'? Write one row for each"),
        ("input,choice,price\nquench,tar,1\n", "line 2, column choice: need one of air, oil, water, got 'tar'"),
        ("input,choice,price\nnickel,oil,1\n", "line 2, column choice: 'nickel' is a number and has one price"),
        ("input,choice,price\nquench,oil,1\n,water,2\n", "line 3, column input: a choice, water, without its input"),
        ("input,price\ngrain,1\n", "line 2, column input: 'grain' is expensive at its low end"),
        ("input,price\nnickel,0\n", "every trial is free by this list"),
        ("input,price\nnickel,1,2\n", "line 2: has 3 cells, but the first line has 2"),
    ],
)
def test_a_mistake_names_the_file_and_the_row(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(cm.CamoboError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)
    assert str(caught.value).count(str(tmp_path / "list.csv")) == 1
