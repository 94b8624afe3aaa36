from __future__ import annotations

from pathlib import Path

import pytest

import camobo as cm
from tests.support.commands import Done, alloy, camobo

RECIPE = ["nickel=5", "chromium=3", "soak=4", "quench=air"]
RESULTS = ["strength=512", "corrosion=0.3"]


def add(study: Path, *words: str) -> Done:
    return camobo("add", study, *words)


def test_an_experiment_is_added_with_its_cost_and_its_note(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    done = add(study, *RESULTS, *RECIPE, "--cost", "40", "--note", "last year")
    assert done.out == ("trial 0: nickel=5, chromium=3, soak=4, quench=air -> strength=512, corrosion=0.3; cost 40\n")
    (trial,) = cm.Study.load(study).trials
    assert (trial.added, trial.cost, trial.note) == (True, 40.0, "last year")
    assert trial.params == {"nickel": 5.0, "chromium": 3.0, "soak": 4, "quench": "air"}


def test_one_that_failed_has_a_reason_in_place_of_results(tmp_path: Path) -> None:
    study = alloy(tmp_path)
    facts = add(study, *RECIPE, "-r", "cracked", "--cost", "12", "--json").json["trials"][0]
    assert (facts["state"], facts["reason"], facts["cost"], facts["values"]) == ("failed", "cracked", 12.0, {})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (RECIPE, "values: need a result for strength, corrosion, or --reason if it failed."),
        ([*RECIPE, "strength=1"], "no value for 'corrosion'"),
        ([*RECIPE[1:], *RESULTS], "no value for 'nickel'"),
        ([*RECIPE, *RESULTS, "-r", "cracked"], "--reason: says that it failed, but there are results."),
        ([*RECIPE, *RESULTS, "soak=5"], "'soak' is given twice."),
        ([*RECIPE, "strenght=5"], "unknown name 'strenght'. Did you mean 'strength'? The study has nickel,"),
        ([*RECIPE, "cost=5"], "What it cost is told with --cost 5."),
        ([*RECIPE, "512"], "need name=value such as nickel=…, without spaces around the =, got '512'."),
        (["nickel=21", *RECIPE[1:], *RESULTS], "input 'nickel': need a number from 0 to 20"),
        ([*RECIPE[:3], "quench=watr", *RESULTS], "need one of air, oil, water, got 'watr'. Did you mean 'water'?"),
        ([*RECIPE, "strength=5OO", "corrosion=1"], "with the letter O. Write 500."),
        ([*RECIPE, *RESULTS, "--cost", "-4"], "--cost: need a number of at least 0"),
    ],
)
def test_a_mistake_says_what_to_write_and_nothing_is_added(tmp_path: Path, words: list[str], said: str) -> None:
    study = alloy(tmp_path)
    done = add(study, *words)
    assert done.code == 1
    assert said in done.err
    assert cm.Study.load(study).trials == ()


def test_names_and_choices_may_hold_equal_signs_and_names_may_be_shared(tmp_path: Path) -> None:
    space = cm.Space({"a=b": cm.Real(0, 1), "c": cm.Categorical(["x=1", "y"]), "cost": cm.Real(0, 9)})
    cm.Study(space, {"cost": "min"}, storage=tmp_path / "s.db").close()
    done = add(tmp_path / "s.db", "a=b=0.5", "c=x=1", "input cost=3", "objective cost=7")
    assert done.out == "trial 0: a=b=0.5, c=x=1, cost=3 -> cost=7\n"


def test_a_name_that_starts_with_a_dash_comes_after_two(tmp_path: Path) -> None:
    cm.Study(cm.Space({"x": cm.Real(0, 1)}), {"-ni": "max"}, storage=tmp_path / "s.db").close()
    assert "camobo add" in add(tmp_path / "s.db", "x=0.5", "-ni=3").err
    assert add(tmp_path / "s.db", "x=0.5", "--", "-ni=3").out == "trial 0: x=0.5 -> -ni=3\n"
