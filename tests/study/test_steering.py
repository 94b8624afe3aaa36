"""`ask(fixed=…)` and `ask(n, same=…)`: some inputs are given, the others chosen to suit them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.history import transitions
from camobo.history.history import data_of
from camobo.strategy.suggest import suggest
from tests.support.studies import ALLOY, BOTH, alloy, params_of, study_of, told

COARSE = cm.Space(
    {"nickel": cm.Real(0, 20, step=0.5), "soak": cm.Integer(1, 3), "quench": cm.Categorical(["air", "oil"])}
)


def study(count: int = 8, **options: Any) -> cm.Study:
    return told(study_of(ALLOY, BOTH, cost="nickel > soak", **options), count, alloy)


class TestFixed:
    @pytest.mark.parametrize("count", [0, 8])
    def test_what_is_fixed_is_so_to_the_last_digit_before_and_with_models(self, count: int) -> None:
        found = study(count).ask(3, fixed={"quench": "oil", "nickel": 3.3})
        assert [(trial.params["quench"], trial.params["nickel"]) for trial in found] == [("oil", 3.3)] * 3
        assert len({trial.params["soak"] for trial in found}) == 3

    def test_nothing_fixed_changes_no_suggestion(self) -> None:
        plain, steered = study(), study()
        plain.ask(3)
        steered.ask(1, fixed={})
        steered.ask(2, fixed=None, same=())
        assert params_of(steered) == params_of(plain)

    def test_it_is_on_record_and_an_explanation_makes_the_same_choice_again(self) -> None:
        steered = study()
        steered.ask(fixed={"quench": "water"})
        trial = steered.ask(fixed={"quench": "oil"})
        explained = steered.explain(trial)
        assert explained.fixed == {"quench": "oil"} == dict(steered.log()[-1].new["fixed"])
        assert explained.without_cost is not None
        assert explained.without_cost["quench"] == "oil"
        assert "\n  fixed: quench=oil\n" in str(explained)
        *events, asked = steered.log()
        known = steered._ledger.after(transitions.known_to(events, asked))
        space = steered.space
        again = suggest(steered.plan, data_of(known), trial.number, fixed=space.coordinates(asked.new["fixed"]))
        assert space.from_unit(again.unit) == trial.params
        assert "fixed" not in steered.log()[0].new
        assert steered.explain(0).fixed == {}

    def test_an_open_trial_is_handed_out_again_only_if_it_agrees(self) -> None:
        steered = study(0)
        first, second = steered.ask(fixed={"quench": "air"}), steered.ask(fixed={"quench": "oil"})
        steered.release(first)
        steered.release(second)
        assert steered.ask(fixed={"quench": "oil"}).number == second.number
        assert steered.ask(fixed={"quench": "water"}).number == 2
        assert steered.ask().number == first.number

    def test_an_owner_gets_back_what_agrees_and_something_new_otherwise(self) -> None:
        steered = study(0)
        held = steered.ask(owner="anna", fixed={"quench": "oil"})
        assert steered.ask(owner="anna", fixed={"quench": "oil"}).number == held.number
        assert steered.ask(owner="anna", fixed={"quench": "air"}).number == 1

    def test_a_study_opened_again_has_what_was_fixed(self, tmp_path: Path) -> None:
        with study_of(COARSE, BOTH, storage=tmp_path / "a.db") as steered:
            steered.ask(fixed={"quench": "oil"})
        assert cm.Study.load(tmp_path / "a.db").explain(0).fixed == {"quench": "oil"}

    @pytest.mark.parametrize(
        ("fixed", "said"),
        [
            ({"quensh": "air"}, "fixed: no input called 'quensh'. Did you mean 'quench'? This space has nickel,"),
            ({"quench": "brine"}, "fixed: 'quench': need one of ['air', 'oil'], got 'brine'"),
            ({"nickel": 21}, "fixed: 'nickel': need a number from 0 to 20"),
            ({"nickel": 0.7}, "fixed: 'nickel': 0.7 lies between two steps of 0.5. The nearest is 0.5."),
            ({"soak": 1.5}, "fixed: 'soak': need a whole number"),
            ("quench=air", 'fixed: need a mapping such as {"quench": "air"}'),
        ],
    )
    def test_what_is_impossible_is_refused_and_nothing_is_asked(self, fixed: Any, said: str) -> None:
        steered = study_of(COARSE, BOTH)
        with pytest.raises(cm.InvalidValueError) as caught:
            steered.ask(fixed=fixed)
        assert said in str(caught.value)
        assert steered.trials == ()

    def test_a_list_is_shorter_when_no_other_point_has_the_values(self) -> None:
        steered = study_of(COARSE, BOTH)
        fixed = {"nickel": 0.5, "quench": "oil"}
        assert sorted(trial.params["soak"] for trial in steered.ask(5, fixed=fixed)) == [1, 2, 3]
        with pytest.raises(cm.SpaceExhausted, match="every point with these values of nickel, quench"):
            steered.ask(fixed=fixed)
        assert len(steered.trials) == 3


class TestSame:
    @pytest.mark.parametrize("count", [0, 8])
    def test_trials_asked_for_together_share_the_value_of_the_first(self, count: int) -> None:
        free, shared = study(count), study(count)
        first = free.ask()
        found = shared.ask(4, same=["soak"])
        assert found[0].params == first.params  # chosen as if nothing was asked of it
        assert {trial.params["soak"] for trial in found} == {first.params["soak"]}
        assert len({trial.params["nickel"] for trial in found}) == 4
        assert shared.explain(found[0]).fixed == {}
        assert shared.explain(found[3]).fixed == {"soak": first.params["soak"]}

    def test_it_goes_with_what_is_fixed(self) -> None:
        found = study().ask(3, fixed={"quench": "oil"}, same=["soak"])
        assert {trial.params["quench"] for trial in found} == {"oil"}
        assert len({trial.params["soak"] for trial in found}) == 1

    def test_trials_that_wait_join_if_they_agree_with_the_first(self) -> None:
        steered = study(0)
        for soak in (3, 5, 3):
            steered.release(steered.ask(fixed={"soak": soak, "nickel": 1.0 * len(steered.trials)}))
        found = steered.ask(3, same=["soak"])
        assert [trial.number for trial in found] == [0, 2, 3]
        assert {trial.params["soak"] for trial in found} == {3}

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"same": ["sok"]}, "same: no input called 'sok'. Did you mean 'soak'?"),
            ({"same": ["nickel", "soak", "quench"]}, "same: all inputs are the same or fixed"),
            ({"same": ["nickel", "soak"], "fixed": {"quench": "oil"}}, "same: all inputs are the same or fixed"),
        ],
    )
    def test_what_is_impossible_is_refused(self, options: Any, said: str) -> None:
        steered = study(0)
        with pytest.raises(cm.InvalidValueError) as caught:
            steered.ask(3, **options)
        assert said in str(caught.value)
        assert steered.trials == ()
