from __future__ import annotations

import functools
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from camobo.arrays import Array
from camobo.cost.order import Order
from camobo.cost.weightings import Weightings, groups_in
from camobo.errors import InvalidOrderError
from tests.support.strategies import Stated, law, names, stated_orders


def draws(order: Order, count: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return np.array([order.sample(rng) for _ in range(count)])


@functools.cache
def drawn(text: str) -> Array:
    return draws(Order.parse(text), 4_000)


class TestWeights:
    @law
    @given(stated_orders(), st.integers(0, 2**32))
    def test_every_sample_is_a_weighting_that_agrees_with_every_comparison(self, stated: Stated, seed: int) -> None:
        order = Order.parse(stated.text)
        for weights in [*draws(order, 5, seed), order.centre()]:
            of = dict(zip(order.names, weights, strict=True))
            assert weights.shape == (len(stated.names),)
            assert np.all(weights >= 0)
            assert weights.sum() == pytest.approx(1.0, abs=1e-12)
            for a, sign, b in stated.relations:
                assert abs(of[a] - of[b]) <= 1e-14 if sign == "=" else of[a] >= of[b] - 1e-15
            assert order.agrees(weights)

    @law
    @given(stated_orders(), st.integers(0, 2**32), st.data())
    def test_weights_that_break_one_comparison_do_not_agree(
        self, stated: Stated, seed: int, data: st.DataObject
    ) -> None:
        assume(stated.relations)
        order = Order.parse(stated.text)
        a, _, b = data.draw(st.sampled_from(stated.relations))
        broken = draws(order, 1, seed)[0]
        broken[order.names.index(b)] = broken[order.names.index(a)] + 1e-3
        assert not order.agrees(broken)

    @law
    @given(stated_orders(), st.integers(0, 2**32))
    def test_the_same_generator_gives_the_same_weights(self, stated: Stated, seed: int) -> None:
        once, again = (draws(Order.parse(stated.text), 3, seed) for _ in range(2))
        np.testing.assert_array_equal(once, again)

    @law
    @given(stated_orders())
    def test_changing_a_returned_centre_does_not_change_the_order(self, stated: Stated) -> None:
        order = Order.parse(stated.text)
        before = order.centre()
        order.centre()[:] = 0.0
        np.testing.assert_array_equal(order.centre(), before)

    @law
    @given(names(most=12))
    def test_the_centre_of_a_chain_is_the_mean_of_a_sorted_flat_dirichlet(self, chain: list[str]) -> None:
        k = len(chain)
        expected = np.cumsum(1.0 / np.arange(k, 0, -1))[::-1] / k  # (1/k) Σ_{i≥j} 1/i
        np.testing.assert_allclose(Order.parse(chain).centre(), expected, atol=1e-12)

    @law
    @given(names(most=8))
    def test_inputs_that_are_not_compared_or_all_tied_share_evenly_on_average(self, listed: list[str]) -> None:
        for sign in (", ", " = "):
            np.testing.assert_allclose(Order.parse(sign.join(listed)).centre(), 1 / len(listed), atol=1e-12)


def rejected(order: Order, count: int, seed: int) -> Array:
    """(m, k) weights drawn by rejection, an algorithm without rankings.

    The total weights m_g of the groups are uniform on their simplex. A member's weight v_g = m_g / n_g is a linear map,
    so v is uniform on Σ n_g v_g = 1. After the rejection of those that disagree, the rest is uniform on the region.
    """
    sizes = np.array([len(group) for group in order.groups])
    each = np.random.default_rng(seed).dirichlet(np.ones(len(sizes)), size=count) / sizes
    kept = np.all([each[:, i] >= each[:, j] for i, j in order.above] or [np.ones(count, bool)], axis=0)
    return np.repeat(each[kept], sizes, axis=1)


REGIONS = {
    "one": "a",
    "pair": "a > b",
    "chain": "a > b > c > d",
    "two chains": "a > b, x > y",
    "chains of unlike length": "a > b > c, x",
    "N": "a > c, b > c, b > d",
    "diamond": "a > b > d, a > c > d",
    "nothing compared": "a, b, c",
    "V": "a > b, a > c",
    "tie beside one": "a = b, c",
    "tie of three beside a chain": "a = b = c, x > y",
    "tie above": "a = b > c",
    "tie below": "a > b = c = d",
    "diamond with a tie": "a > b = e > d, a > c > d",
    "N with ties": "a = e > c, b > c, b > d = f",
}


def standard_errors(ours: Array, theirs: Array) -> Array:
    """The distance between the means of two samples in standard errors, column by column."""
    error = np.sqrt(ours.var(axis=0) / len(ours) + theirs.var(axis=0) / len(theirs))
    return np.asarray(np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) / np.maximum(error, 1e-15))


@pytest.mark.slow
class TestUniformity:
    @pytest.mark.parametrize("text", REGIONS.values(), ids=REGIONS.keys())
    def test_samples_have_the_law_of_rejection_from_a_flat_dirichlet(self, text: str) -> None:
        order = Order.parse(text)
        ours, theirs = drawn(text), rejected(order, 200_000, seed=1)[:20_000]
        pairs = np.triu_indices(ours.shape[1])
        assert np.all(standard_errors(ours, theirs) < 4)
        second = standard_errors(*((sample[:, pairs[0]] * sample[:, pairs[1]]) for sample in (ours, theirs)))
        assert np.all(second < 4)
        directions = [*np.eye(ours.shape[1]), *np.random.default_rng(2).standard_normal((3, ours.shape[1]))]
        for direction in directions if len(order.groups) > 1 else []:
            assert ks_2samp(ours @ direction, theirs @ direction).pvalue > 1e-3

    @pytest.mark.parametrize("text", REGIONS.values(), ids=REGIONS.keys())
    def test_the_centre_is_the_mean_of_the_samples(self, text: str) -> None:
        order = Order.parse(text)
        for sample in (drawn(text), rejected(order, 200_000, seed=4)):
            error = sample.std(axis=0) / np.sqrt(len(sample))
            assert np.all(np.abs(sample.mean(axis=0) - order.centre()) < 4 * error + 1e-12)

    @pytest.mark.parametrize("k", [2, 3, 7])
    def test_a_chain_has_the_law_of_a_sorted_flat_dirichlet(self, k: int) -> None:
        ours = draws(Order.parse([f"x{j}" for j in range(k)]), 4_000, seed=5)
        theirs = np.sort(np.random.default_rng(6).dirichlet(np.ones(k), size=20_000), axis=1)[:, ::-1]
        assert np.all(standard_errors(ours, theirs) < 4)
        assert all(ks_2samp(ours[:, j], theirs[:, j]).pvalue > 1e-3 for j in range(k))


def seconds(order_of: Sequence[str] | str) -> float:
    """The best of three times to read an order, find its centre and draw once: a busy core must not fail it."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        order = Order.parse(order_of)
        order.centre()
        order.sample(np.random.default_rng(0))
        times.append(time.perf_counter() - start)
    return min(times)


class TestSpeed:
    def test_twenty_names_in_a_chain_take_less_than_50_milliseconds(self) -> None:
        assert seconds([f"x{j}" for j in range(20)]) < 0.05

    def test_twenty_names_in_two_chains_take_less_than_half_a_second(self) -> None:
        assert seconds(" > ".join(f"x{j}" for j in range(10)) + ", " + " > ".join(f"y{j}" for j in range(10))) < 0.5

    def test_two_hundred_names_in_a_chain_take_less_than_a_second(self) -> None:
        assert seconds([f"x{j}" for j in range(200)]) < 1.0

    def test_up_to_17_groups_without_comparisons_can_be_weighed_and_18_are_refused_with_what_to_do(self) -> None:
        assert Weightings((1,) * 17, frozenset()).countable
        order = Order.parse(", ".join(f"x{j}" for j in range(18)))
        with pytest.raises(InvalidOrderError, match=r"18 groups.*Compare more.*tie"):
            order.sample(np.random.default_rng(0))

    def test_far_too_many_inputs_that_are_not_compared_are_refused_in_seconds(self) -> None:
        order = Order.parse(", ".join(f"x{j}" for j in range(300)))
        start = time.perf_counter()
        with pytest.raises(InvalidOrderError, match="300 groups"):
            order.centre()
        assert time.perf_counter() - start < 5.0


class TestSets:
    @law
    @given(st.sets(st.integers(0, 300)))
    def test_the_groups_of_a_set_come_back_in_ascending_order(self, groups: set[int]) -> None:
        assert list(groups_in(sum(1 << group for group in groups))) == sorted(groups)

    @law
    @given(stated_orders())
    def test_lowers_and_uppers_are_the_pairs_seen_from_both_ends(self, stated: Stated) -> None:
        order = Order.parse(stated.text)
        given = Weightings(tuple(map(len, order.groups)), order.above)
        assert {(i, j) for i, lower in enumerate(given.lowers) for j in groups_in(lower)} == order.above
        assert {(i, j) for j, upper in enumerate(given.uppers) for i in groups_in(upper)} == order.above
