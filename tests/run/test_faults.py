"""Which failures are alike, and when a function is broken rather than a point bad."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from camobo.errors import InvalidOptionError
from camobo.run.faults import ENOUGH, Fault, Opening, caught


class Unpicklable(Exception):
    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle it")


def raised(act: Callable[[], object]) -> Fault:
    try:
        act()
    except Exception as error:
        return Fault.of(error)
    raise AssertionError


def missing(name: str) -> object:
    return dict[str, object]()[name]


def elsewhere(name: str) -> object:
    return dict[str, object]()[name]


KEY = raised(lambda: missing("depth"))


def opened(*faults: Fault | None) -> Opening:
    opening = Opening()
    for number, fault in enumerate(faults):
        opening = opening.then(number, fault, f"reason {number}")
    return opening


class TestAlike:
    def test_the_same_type_raised_in_the_same_place_is_alike_whatever_its_message(self) -> None:
        first, second = (raised(lambda name=name: missing(name)) for name in ("depth", "trees"))  # type: ignore[misc]
        assert first == second

    def test_another_place_or_another_type_is_not_alike(self) -> None:
        assert raised(lambda: elsewhere("depth")) != KEY
        assert Fault.of(KeyError("a"), "here") != Fault.of(ValueError("a"), "here")

    def test_a_fault_is_the_same_after_the_way_from_another_process_but_for_the_error_itself(self) -> None:
        fault = raised(lambda: (_ for _ in ()).throw(Unpicklable("x")))
        for back in (pickle.loads(pickle.dumps(fault)), Fault.read(json.loads(json.dumps(fault.as_dict())))):
            assert back == fault
            assert (back.error, isinstance(fault.error, Unpicklable)) == (None, True)

    def test_a_deep_recursion_has_few_places(self) -> None:
        def endless() -> object:
            return endless()

        assert len(raised(endless).places) <= 50


class TestCatch:
    @pytest.mark.parametrize(
        ("catch", "expected"),
        [
            ((KeyError,), True),
            ((LookupError,), True),
            ((Exception,), True),
            ((ValueError, TypeError), False),
            ((), False),
        ],
    )
    def test_a_type_catches_what_is_raised_of_it_and_below_it_also_in_another_process(
        self, catch: tuple[type[Exception], ...], expected: bool
    ) -> None:
        assert KEY.is_one_of(catch) is expected
        assert Fault.read(KEY.as_dict()).is_one_of(catch) is expected

    def test_a_type_of_the_main_module_is_known_in_a_worker_that_was_spawned(self) -> None:
        main, spawned = (type("Own", (Exception,), {"__module__": name}) for name in ("__main__", "__mp_main__"))
        assert Fault.of(spawned()).is_one_of((main,))

    def test_one_type_or_several_may_be_given(self) -> None:
        assert caught(KeyError) == (KeyError,)
        assert caught((KeyError, OSError)) == (KeyError, OSError)
        assert caught(()) == ()

    @pytest.mark.parametrize("wrong", ["KeyError", KeyError("x"), KeyboardInterrupt, [KeyError], (KeyError, 3), None])
    def test_anything_else_is_refused_with_an_example(self, wrong: Any) -> None:
        with pytest.raises(InvalidOptionError, match=r"^catch: need a type of exception .* catch=ValueError, got "):
            caught(wrong)


class TestTheOpeningOfARun:
    def test_enough_first_failures_alike_are_doubtful_and_fewer_are_not(self) -> None:
        assert not opened(*[KEY] * (ENOUGH - 1)).doubtful
        assert opened(*[KEY] * ENOUGH).doubtful
        assert opened(*[KEY] * (ENOUGH + 2)).trials == tuple(range(ENOUGH + 2))

    @pytest.mark.parametrize("other", [None, raised(lambda: elsewhere("depth"))], ids=["no fault", "another"])
    @pytest.mark.parametrize("where", range(ENOUGH + 1))
    def test_one_trial_that_ends_otherwise_settles_it_for_good(self, other: Fault | None, where: int) -> None:
        faults: list[Fault | None] = [KEY] * (2 * ENOUGH)
        faults[where] = other
        assert not opened(*faults[: where + 1]).doubtful
        assert not opened(*faults, *[KEY] * 5).doubtful

    def test_the_error_says_how_many_what_where_and_how_to_go_on_and_keeps_the_original(self) -> None:
        error = opened(*[KEY] * ENOUGH).error()
        text = str(error)
        assert f"the first {ENOUGH} trials of this run all failed alike in {__file__}, line " in text
        assert f"in missing: reason {ENOUGH - 1}. They were released" in text
        assert "catch=Exception" in text
        assert error.__cause__ is KEY.error
