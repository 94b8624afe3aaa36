from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from camobo.arrays import Array
from camobo.cost.learned import Constant, LearnedModel
from camobo.cost.ordered import OrderCost
from camobo.cost.prices import Prices
from camobo.cost.protocol import CostModel
from camobo.cost.receipts import LearnedCost
from camobo.model import models as models_module
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from tests.support.strategies import law

TRAINING = Space(
    {
        "width": Integer(16, 1024, log=True),
        "depth": Integer(1, 8),
        "rate": Real(1e-4, 1e-1, log=True, expensive="low"),
        "kind": Categorical(["a", "b", "c"], expensive=["c"]),
    }
)
CUBE = Space({"a": Real(0, 10), "b": Real(0, 10), "c": Real(0, 10)})


def seconds(units: Array) -> Array:
    """A smooth cost over a factor of a hundred."""
    found = []
    for params in map(TRAINING.from_unit, units):
        by_kind = {"a": 0.0, "b": 4.0, "c": 9.0}[params["kind"]]
        found.append(5 + 0.02 * params["width"] * (1 + 0.3 * params["depth"]) + by_kind + 0.003 / params["rate"])
    return np.array(found)


def points(space: Space, count: int, seed: int = 0) -> Array:
    return space.snap(np.random.default_rng(seed).random((count, space.dimension)))


def explained(model: CostModel, true: Array, at: Array) -> float:
    """R² of log costs."""
    return float(1.0 - np.mean((np.log(true) - model.log_cost(at)) ** 2) / np.log(true).var())


class TestNoReceipts:
    @pytest.mark.parametrize("prior", [None, "width > depth"])
    def test_they_leave_the_prior(self, prior: str | None) -> None:
        model = LearnedCost(prior).over(TRAINING)
        assert model.fitted(np.zeros((0, 4)), np.zeros(0)) is model
        assert not model.in_money

    def test_receipts_that_say_nothing_was_paid_leave_the_prior_too(self) -> None:
        model = OrderCost("a > b").over(CUBE)
        assert model.fitted(points(CUBE, 3), np.zeros(3)) is model


class TestFewReceipts:
    def test_one_sets_the_magnitude_and_keeps_the_ranking_exactly(self) -> None:
        prior = OrderCost("a > b > c").over(CUBE)
        here, at = points(CUBE, 1), points(CUBE, 100, seed=1)
        model = prior.fitted(here, np.array([41.5]))
        assert np.exp(model.log_cost(here)[0]) == pytest.approx(41.5)
        np.testing.assert_allclose(np.ptp(model.log_cost(at) - prior.log_cost(at)), 0.0, atol=1e-12)

    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_those_that_agree_with_the_prior_keep_its_ranking_and_set_the_magnitude(self, count: int) -> None:
        prior = OrderCost("a > b > c").over(CUBE)
        here, at = points(CUBE, count), points(CUBE, 100, seed=1)
        model = prior.fitted(here, 700.0 * np.exp(prior.log_cost(here)))
        np.testing.assert_allclose(model.log_cost(at), prior.log_cost(at) + np.log(700.0), atol=1e-6)

    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_those_that_agree_roughly_keep_it_roughly(self, count: int) -> None:
        prior, at = OrderCost("a > b > c").over(CUBE), points(CUBE, 300, seed=99)
        agreement, magnitude = [], []
        for seed in range(10):
            rng = np.random.default_rng(seed)
            here, weights = rng.random((count, 3)), np.sort(rng.dirichlet(np.ones(3)))[::-1]
            model = prior.fitted(here, 1000 * (0.1 + here @ weights) * np.exp(0.05 * rng.standard_normal(count)))
            agreement.append(spearmanr(model.log_cost(at), prior.log_cost(at)).statistic)
            magnitude.append(np.median(np.exp(model.log_cost(at)) / (1000 * (0.1 + at @ weights))))
        assert min(agreement) > 0.8
        assert 0.6 < min(magnitude) <= max(magnitude) < 1.6


class TestManyReceipts:
    @pytest.mark.parametrize("prior", [None, "width > depth", "width > kind, rate"])
    def test_sixty_explain_a_smooth_cost_to_more_than_99_percent(self, prior: str | None) -> None:
        here, at = points(TRAINING, 60), points(TRAINING, 400, seed=99)
        model = LearnedCost(prior).over(TRAINING).fitted(here, seconds(here))
        assert explained(model, seconds(at), at) > 0.99
        assert model.in_money

    def test_a_prior_that_is_right_helps_while_receipts_are_few(self) -> None:
        at = points(TRAINING, 400, seed=99)
        without, helped = [
            np.mean(
                [
                    explained(LearnedCost(prior).over(TRAINING).fitted(here, seconds(here)), seconds(at), at)
                    for here in (points(TRAINING, 10, seed) for seed in range(5))
                ]
            )
            for prior in (None, "width > kind, rate")
        ]
        assert helped > without + 0.05

    def test_receipts_correct_a_prior_that_is_wrong(self) -> None:
        here, at = points(CUBE, 60), points(CUBE, 200, seed=1)
        model = OrderCost("a > b > c").over(CUBE).fitted(here, 5.0 + 50.0 * here[:, 2])
        assert explained(model, 5.0 + 50.0 * at[:, 2], at) > 0.99

    def test_receipts_correct_what_a_price_list_leaves_open(self) -> None:
        prices = Prices({"a": 2.0}, per_trial=1, rest="b > c").over(CUBE)
        here, at = points(CUBE, 40), points(CUBE, 200, seed=1)

        def true(units: Array) -> Array:
            return 1.0 + 20.0 * units[:, 0] + 3.0 * units[:, 1] + units[:, 2]

        assert explained(prices, true(at), at) < 0.9
        assert explained(prices.fitted(here, true(here)), true(at), at) > 0.99


class TestOddReceipts:
    @pytest.mark.parametrize(
        "paid",
        [
            [0.0, 5.0, 7.0],
            [0.0, 0.0, 7.0],
            [5.0, 5.0, 5.0],
            [1e-9, 1e12, 3.0],
            [1e-9, 1e-9, 2e-9],
            [1e12, 3e12, 2e12],
            [5e-324, 1.7e308, 1.0],
        ],
        ids=str,
    )
    @pytest.mark.parametrize("repeated", [False, True])
    def test_they_give_finite_costs_and_slopes(self, paid: list[float], repeated: bool) -> None:
        here = np.tile(points(CUBE, 1), (3, 1)) if repeated else points(CUBE, 3)
        for prior in (OrderCost("a > b").over(CUBE), Constant(CUBE)):
            model = prior.fitted(here, np.array(paid))
            at = points(CUBE, 50, seed=1)
            assert np.all(np.isfinite(model.log_cost(at)))
            assert np.all(np.isfinite(model.log_cost_slope(at)))
            least, most = np.log(min(one for one in paid if one > 0.0) * 1e-3 + 5e-324), np.log(max(paid))
            assert np.all(model.log_cost(at) > least - 3 * (most - least) - 5)

    def test_nothing_beside_the_smallest_amount_there_is_gives_finite_costs(self) -> None:
        units = np.array([[0.1, 0.2, 0.3], [0.9, 0.8, 0.7]])
        found = OrderCost("a").over(CUBE).fitted(units, np.array([0.0, 5e-324])).log_cost(units)
        assert np.isfinite(found).all()

    def test_equal_ones_say_that_costs_are_equal_if_nothing_else_is_known(self) -> None:
        model = Constant(CUBE).fitted(points(CUBE, 20), np.full(20, 12.5))
        np.testing.assert_allclose(np.exp(model.log_cost(points(CUBE, 50, seed=1))), 12.5, rtol=1e-9)

    def test_repeats_of_a_point_average_out(self) -> None:
        here = np.repeat(points(CUBE, 8), 4, axis=0)
        noise = np.tile([0.8, 1.25, 0.9, 1 / 0.9], 8)
        model = Constant(CUBE).fitted(here, noise * (10.0 + 20.0 * here[:, 0]))
        np.testing.assert_allclose(np.exp(model.log_cost(here)), 10.0 + 20.0 * here[:, 0], rtol=0.1)

    def test_a_small_receipt_counts_as_it_is_and_only_nothing_is_raised(self) -> None:
        here = np.linspace(0.0, 1.0, 60)[:, None]
        space = Space({"a": Real(1e-9, 1, log=True)})
        model = Constant(space).fitted(here, 1e6 * 10.0 ** (-9 * (1.0 - here[:, 0])))
        np.testing.assert_allclose(model.log_cost(here[:1]), np.log(1e-3), atol=0.1)

    def test_trials_that_cost_nothing_are_far_cheaper_but_not_infinitely(self) -> None:
        here = np.linspace(0.0, 1.0, 20)[:, None]
        model = Constant(Space({"a": Real(0, 1)})).fitted(here, np.where(here[:, 0] < 0.5, 0.0, 100.0))
        cheap, usual = np.exp(model.log_cost(np.array([[0.1], [0.9]])))
        assert 1e-3 < cheap < 1.0
        assert usual == pytest.approx(100.0, rel=0.2)


class TestEarlierResults:
    @law
    @given(st.integers(1, 45), st.integers(0, 45), st.booleans())
    def test_one_for_fewer_receipts_gives_the_same_to_the_bit(self, now: int, before: int, ordered: bool) -> None:
        before = min(before, now)
        prior: CostModel = OrderCost("width > kind").over(TRAINING) if ordered else Constant(TRAINING)
        here, at = points(TRAINING, 45), points(TRAINING, 20, seed=1)
        paid = seconds(here)
        earlier = prior.fitted(here[:before], paid[:before])
        fresh, cached = (prior.fitted(here[:now], paid[:now], known) for known in (None, earlier))
        np.testing.assert_array_equal(cached.log_cost(at), fresh.log_cost(at))
        np.testing.assert_array_equal(cached.log_cost_slope(at), fresh.log_cost_slope(at))
        np.testing.assert_array_equal(earlier.fitted(here[:now], paid[:now]).log_cost(at), fresh.log_cost(at))

    def test_it_saves_the_fit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        prior, here = OrderCost("width > kind").over(TRAINING), points(TRAINING, 25)
        earlier = prior.fitted(here[:24], seconds(here)[:24])
        monkeypatch.setattr("camobo.model.fitting.fit", refuse)
        prior.fitted(here, seconds(here), earlier)
        with pytest.raises(AssertionError, match="fitted again"):
            prior.fitted(here, seconds(here))

    @pytest.mark.parametrize("change", ["order", "amount", "point", "zero"])
    def test_it_is_ignored_if_its_receipts_are_not_those_of_now(self, change: str) -> None:
        prior, here = OrderCost("width > kind").over(TRAINING), points(TRAINING, 25)
        at, paid = points(TRAINING, 20, seed=1), seconds(here)
        earlier = prior.fitted(here[:22], paid[:22])
        if change == "order":
            here[[3, 7]], paid[[3, 7]] = here[[7, 3]], paid[[7, 3]]
        elif change == "amount":
            paid[3] *= 2
        elif change == "point":
            here[3] = points(TRAINING, 1, seed=5)[0]
        else:
            paid[24] = 0.0
        cached, fresh = (prior.fitted(here, paid, known) for known in (earlier, None))
        np.testing.assert_array_equal(cached.log_cost(at), fresh.log_cost(at))

    def test_it_is_ignored_if_it_started_from_another_prior(self) -> None:
        here, at = points(TRAINING, 25), points(TRAINING, 20, seed=1)
        other = OrderCost("kind > width").over(TRAINING).fitted(here, seconds(here))
        prior = OrderCost("width > kind").over(TRAINING)
        cached, fresh = (prior.fitted(here, seconds(here), known) for known in (other, None))
        np.testing.assert_array_equal(cached.log_cost(at), fresh.log_cost(at))

    def test_fitting_a_fitted_model_replaces_its_receipts(self) -> None:
        prior, here = OrderCost("a > b").over(CUBE), points(CUBE, 12)
        first = prior.fitted(here, 5.0 + here[:, 0])
        again = first.fitted(here[:1], np.array([300.0]))
        np.testing.assert_array_equal(again.log_cost(here), prior.fitted(here[:1], np.array([300.0])).log_cost(here))
        assert first.fitted(here, np.zeros(12)) is prior


def refuse(*args: Any, **options: Any) -> Any:
    raise AssertionError("fitted again")


def test_of_a_great_many_receipts_evenly_spaced_ones_are_modelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("camobo.cost.learned._MOST", 30)
    here = points(CUBE, 120)
    model = Constant(CUBE).fitted(here, 1.0 + here[:, 0])
    assert isinstance(model, LearnedModel)
    assert len(model.models.gps[0].z) == 30
    assert model.models.fitted == models_module.refit_point(120)
    np.testing.assert_allclose(np.exp(model.log_cost(here)), 1.0 + here[:, 0], rtol=0.01)


def test_a_constant_says_that_every_point_costs_the_same() -> None:
    np.testing.assert_array_equal(Constant(CUBE).log_cost(points(CUBE, 4)), np.zeros(4))
    np.testing.assert_array_equal(Constant(CUBE).log_cost_slope(points(CUBE, 4)), np.zeros((4, 3)))
