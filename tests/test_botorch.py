from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from camobo.acquisition.acquisition import Acquisition
from camobo.acquisition.maximise import maximise
from camobo.acquisition.utilities import ScalarisedUCB
from camobo.arrays import Array
from camobo.cost.budget import Budget
from camobo.cost.formula import Formula
from camobo.cost.ordered import OrderCost
from camobo.cost.paper import PaperCost
from camobo.cost.prices import Prices
from camobo.cost.protocol import Cost, Discount
from camobo.cost.receipts import LearnedCost
from camobo.cost.thrift import Thrift
from camobo.errors import InvalidOptionError, InvalidOrderError
from camobo.model import gp
from camobo.model.hyper import Hyper
from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.funds import gamma

torch: Any = pytest.importorskip("torch", reason="the botorch extra is not installed")
pytest.importorskip("botorch", reason="the botorch extra is not installed")

import gpytorch  # noqa: E402
from botorch.models import KroneckerMultiTaskGP, ModelList, ModelListGP, MultiTaskGP, SingleTaskGP, map_saas  # noqa: E402
from botorch.models.deterministic import GenericDeterministicModel  # noqa: E402
from botorch.models.transforms import Log  # noqa: E402
from botorch.optim import optimize_acqf  # noqa: E402
from botorch.optim.optimize import optimize_acqf_list  # noqa: E402

from camobo.botorch import CostAwareUCB  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # torch and its companions deprecate things of their own

NAMES = ["x1", "x2", "x3"]
SPACE = Space({"x1": Real(-2, 3), "x2": Real(0, 10, expensive="low"), "x3": Real(0, 1)})
LOW, HIGH = np.array([-2.0, 0.0, 0.0]), np.array([3.0, 10.0, 1.0])
BOUNDS = torch.tensor(np.array([LOW, HIGH]))
WEIGHTS, REFERENCE = np.array([0.4, 0.6]), np.array([-3.0, -3.0])
COSTS: list[Cost] = [OrderCost("x1 > x2"), PaperCost("x2 > x1")]
RECEIPTS = np.random.default_rng(2).random((9, 3))
PAID = np.exp(RECEIPTS[:, 0] + np.sin(4.0 * RECEIPTS[:, 1]))


def receipts() -> tuple[Any, Any]:
    return torch.tensor(LOW + RECEIPTS * (HIGH - LOW)), torch.tensor(PAID)


def priced(p: Any) -> float:
    return float(2.0 + (p["x1"] + 2.0) ** 2 + 0.1 * p["x2"])


def processes() -> list[gp.GP]:
    """Two of camobo's Gaussian processes, over the unit cube."""
    rng = np.random.default_rng(0)
    x = rng.random((12, 3))
    found = []
    for m in range(2):
        y = np.sin(3 * x[:, m]) + x[:, 2] ** 2
        found.append(gp.condition(x, y, Hyper(np.array([0.5, 0.8, 1.1]) + m, 1.2, 1e-3), kernel="matern52"))
    return found


def in_botorch(processes: list[gp.GP]) -> Any:
    """The same processes as a BoTorch model, over the inputs' own ranges."""
    models = []
    for given in processes:
        kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=3))
        kernel.base_kernel.lengthscale = torch.tensor(given.hyper.lengths * (HIGH - LOW))
        kernel.outputscale = torch.tensor(given.hyper.signal)
        z = torch.tensor(given.z[:, None])
        model = SingleTaskGP(
            torch.tensor(LOW + given.x * (HIGH - LOW)),
            z,
            train_Yvar=torch.full_like(z, given.hyper.noise),
            covar_module=kernel,
            mean_module=gpytorch.means.ZeroMean(),
            outcome_transform=None,
        )
        models.append(model.double().eval())
    return ModelListGP(*models)


def ours(cost: Cost | None, pending: Array | None = None) -> Acquisition:
    gps = [given.believe(np.zeros((0, 3)) if pending is None else pending) for given in processes()]
    discount: Discount | None = None
    if isinstance(cost, PaperCost):
        discount = cost.at(7, SPACE, np.random.default_rng([0, 7]))
    elif cost is not None:
        model = cost.over(SPACE).fitted(RECEIPTS, PAID) if learns(cost) else cost.over(SPACE)
        discount = Thrift(model, 1.0)
    return Acquisition(SPACE, gps, ScalarisedUCB(WEIGHTS, REFERENCE, 0.3), discount)


def learns(cost: Any) -> bool:
    return isinstance(cost, LearnedCost)


def theirs(cost: Any, **options: Any) -> CostAwareUCB:
    given = {
        "weights": WEIGHTS,
        "ref_point": REFERENCE,
        "beta": 0.3,
        "step": 7,
        "budget": 40,
        "expensive": {"x2": "low"},
        "receipts": receipts() if learns(cost) else None,
    }
    return CostAwareUCB(in_botorch(processes()), names=NAMES, cost=cost, bounds=BOUNDS, **{**given, **options})


def candidates(count: int = 40) -> tuple[Array, Any]:
    units = np.random.default_rng(1).random((count, 3))
    return units, torch.tensor(LOW + units * (HIGH - LOW))[:, None, :]


def of_kind(kind: str, x: Any, y: Any) -> Any:
    """A model of the (n, 2) values y of another kind than one process per output."""
    if kind == "kronecker":
        return KroneckerMultiTaskGP(x, y).eval()
    if kind == "multi-task":
        column = torch.ones(len(x), 1, dtype=x.dtype)
        both = torch.cat([torch.cat([x, 0 * column], dim=1), torch.cat([x, column], dim=1)])
        return MultiTaskGP(both, torch.cat([y[:, :1], y[:, 1:]]), task_feature=-1).eval()
    if kind == "deterministic":
        return GenericDeterministicModel(lambda X: X[..., :2], 2)
    if "ensemble" in kind:
        if not hasattr(map_saas, "EnsembleMapSaasSingleTaskGP"):
            pytest.skip("this BoTorch has no ensemble that needs nothing else installed")
        first, second = (map_saas.EnsembleMapSaasSingleTaskGP(x, y[:, m : m + 1], num_taus=3) for m in range(2))
        return ModelListGP(first if kind == "ensemble" else SingleTaskGP(x, y[:, :1]), second).eval()
    return ModelList(SingleTaskGP(x, y[:, :1]), GenericDeterministicModel(lambda X: X[..., :1], 1))


class TestTheSameAsCamobosOwn:
    @pytest.mark.parametrize(
        "cost",
        [
            *COSTS,
            Prices({"x1": 3.0}, per_trial=9, rest="x2 > x3"),
            Formula("2 + (x1 + 2)^2 + 0.1*x2"),
            LearnedCost(),
            LearnedCost("x2 > x1"),
            None,
        ],
        ids=["order", "paper", "prices", "formula", "learned", "learned from an order", "none"],
    )
    def test_values_and_gradients_at_the_same_model(self, cost: Any) -> None:
        units, X = candidates()
        X.requires_grad_(True)
        found = theirs(cost)(X)
        found.sum().backward()
        value, slope = ours(cost).with_gradient(units)
        assert found.detach().numpy() == pytest.approx(value, abs=1e-6)
        assert X.grad[:, 0].numpy() * (HIGH - LOW) == pytest.approx(slope, rel=1e-4, abs=1e-4)

    @pytest.mark.parametrize("cost", COSTS, ids=["order", "paper"])
    def test_values_with_pending_points(self, cost: Any) -> None:
        units, X = candidates()
        pending = np.array([[0.2, 0.4, 0.6], [0.7, 0.1, 0.3]])
        found = theirs(cost, X_pending=torch.tensor(LOW + pending * (HIGH - LOW)))(X)
        assert found.detach().numpy() == pytest.approx(ours(cost, pending)(units), abs=1e-6)
        assert not np.allclose(found.detach().numpy(), ours(cost)(units))


class TestCosts:
    @pytest.mark.parametrize(
        ("cost", "given"),
        [
            (OrderCost("x1 > x2, x3"), {}),
            (OrderCost("x1 > x2, x3"), {"receipts": True}),
            (Prices({"x1": 3.0, "x3": 1.0}, per_trial=9), {}),
            (Formula("2 + (x1 + 2)^2 + 0.1*x2*x3"), {}),
            (LearnedCost(), {}),
            (PaperCost("x2 > x1"), {}),
        ],
        ids=["order", "order with receipts", "prices", "formula", "learned", "paper"],
    )
    def test_gradients_are_exact(self, cost: Any, given: dict[str, Any]) -> None:
        smooth = GenericDeterministicModel(lambda x: x[..., :2] ** 2 / 50 + x[..., 1:] / 10, 2)
        paid = receipts() if given or learns(cost) else None
        acquisition = CostAwareUCB(
            smooth, names=NAMES, cost=cost, bounds=BOUNDS, ref_point=REFERENCE, weights=WEIGHTS, receipts=paid
        )
        X = candidates(8)[1].requires_grad_(True)
        assert torch.autograd.gradcheck(acquisition, X, atol=1e-6)

    def test_a_function_of_the_inputs_costs_what_it_returns(self) -> None:
        _, X = candidates(8)
        cost, free = theirs(priced)(X), theirs(None)(X)
        expected = [np.log(priced(dict(zip(NAMES, x, strict=True)))) for x in X[:, 0].tolist()]
        assert (free - cost).detach().numpy() == pytest.approx(expected)

    def paid(self, **options: Any) -> Array:
        """What the discount takes off the logarithm at some points, per log c."""
        units, X = candidates(6)
        model = OrderCost("x1 > x2").over(SPACE)
        off = theirs(None)(X) - theirs(OrderCost("x1 > x2"), **options)(X)
        return np.asarray(off.detach().numpy() / model.log_cost(units))

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ({"step": 1, "budget": 40}, 1.0),
            ({"step": 31, "budget": 40}, 1.0),
            ({"step": 39, "budget": 40}, 0.5),
            ({"step": 41, "budget": 40}, 0.0),
            ({"step": 39, "budget": Budget(trials=40), "thrift": 2.0}, 1.0),
            ({"step": 1, "budget": None, "thrift": 0.0}, 0.0),
            ({"step": 571, "budget": None}, 0.5),
        ],
        ids=lambda value: str(value),
    )
    def test_cost_counts_less_over_the_last_tenth_of_the_budget(self, options: Any, expected: float) -> None:
        assert self.paid(**options) == pytest.approx(expected, abs=1e-9)

    def test_a_budget_in_money_is_spent_by_the_receipts(self) -> None:
        units, X = candidates()
        cost = Prices({"x1": 1.0}, per_trial=3)  # from 1 to 6
        budget = Budget(cost=float(PAID.sum()) + 4.0)
        found = theirs(cost, receipts=receipts(), budget=budget)(X).detach().numpy()
        affordable = np.exp(cost.over(SPACE).log_cost(units)) <= 4.0
        assert affordable.any()
        assert found[affordable].min() > found[~affordable].max() + 1e3
        left = 4.0 / (4.0 + float(PAID.sum()))
        off = theirs(None)(X).detach().numpy() - found
        assert off[affordable] == pytest.approx(gamma(1.0, left) * cost.over(SPACE).log_cost(units)[affordable])

    def test_receipts_teach_what_points_cost(self) -> None:
        points, paid = receipts()
        acquisition = theirs(LearnedCost())
        assert acquisition.discount is not None
        assert np.corrcoef(-acquisition.discount.log(RECEIPTS), np.log(PAID))[0, 1] > 0.95
        column = theirs(LearnedCost(), receipts=(points, paid[:, None]))
        _, X = candidates(5)
        assert torch.equal(column(X), acquisition(X))


class TestInBotorch:
    def test_the_optimiser_finds_what_camobos_own_finds(self) -> None:
        torch.manual_seed(0)
        acquisition = theirs(COSTS[0])
        point, value = optimize_acqf(acquisition, BOUNDS, q=1, num_restarts=4, raw_samples=64)
        rng = np.random.default_rng(0)
        surface = ours(COSTS[0])
        best = maximise(surface, SPACE, best=np.zeros((0, 3)), taken=np.zeros((0, 3)), rng=rng)
        assert float(value) == pytest.approx(float(surface(best[None])[0]), abs=1e-3)
        assert ((point.numpy()[0] - LOW) / (HIGH - LOW)) == pytest.approx(best, abs=0.02)

    def test_a_batch_chosen_one_by_one_spreads(self) -> None:
        torch.manual_seed(0)
        points, _ = optimize_acqf(theirs(None), BOUNDS, q=3, num_restarts=4, raw_samples=64, sequential=True)
        units = (points.numpy() - LOW) / (HIGH - LOW)
        gaps = np.abs(units[:, None] - units[None]).max(axis=2)[~np.eye(3, dtype=bool)]
        assert gaps.min() > 0.01

    @pytest.mark.filterwarnings("ignore:The model inputs are of type torch.float32")
    def test_values_have_the_precision_of_the_candidates_with_and_without_a_cost(self) -> None:
        x = torch.rand(8, 3, dtype=torch.float32, generator=torch.Generator().manual_seed(0))
        model = SingleTaskGP(x, torch.sin(x[:, :1]))
        for cost in (None, "x1"):
            acquisition = CostAwareUCB(model, names=NAMES, cost=cost, bounds=[[0.0] * 3, [1.0] * 3], ref_point=[-2.0])
            assert acquisition(x[:5, None, :]).dtype == torch.float32

    def test_a_model_may_have_one_output_or_several(self) -> None:
        x = torch.rand(8, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        for outputs in (1, 3):
            y = torch.cat([torch.sin((m + 1) * x[:, :1]) for m in range(outputs)], dim=1)
            model = SingleTaskGP(x, y)
            unit = torch.tensor([[0.0] * 3, [1.0] * 3])
            acquisition = CostAwareUCB(model, names=NAMES, cost="x1", bounds=unit, ref_point=[-2.0] * outputs)
            for pending in (None, x[:2] * 0.5):
                acquisition.set_X_pending(pending)
                value = acquisition(x[:5, None, :])
                assert value.shape == (5,)
                assert torch.isfinite(value).all()

    @pytest.mark.parametrize(
        "kind", ["multi-task", "kronecker", "deterministic", "mixed list", "ensemble", "half ensemble"]
    )
    def test_pending_points_and_gradients_work_over_models_of_other_kinds(self, kind: str) -> None:
        torch.manual_seed(0)
        x = torch.rand(10, 3, dtype=torch.float64)
        y = torch.stack([x[:, 0] + x[:, 1] ** 2, x[:, 2] - x[:, 0]], dim=1)
        unit = torch.tensor([[0.0] * 3, [1.0] * 3])
        acquisition = CostAwareUCB(
            of_kind(kind, x, y), names=NAMES, cost="x1", bounds=unit, ref_point=[-2.0] * 2, weights=[0.5] * 2, step=50
        )
        at = torch.rand(4, 1, 3, dtype=torch.float64, requires_grad=True)
        mean, deviation = acquisition._moments(at)
        assert torch.autograd.gradcheck(acquisition, at, atol=1e-4)
        acquisition.set_X_pending(at.detach()[:2, 0] + 0.01)
        if kind == "kronecker":
            with pytest.raises(InvalidOptionError, match="got one whose posterior is a MultitaskGPPosterior"):
                acquisition(at)
            return
        assert torch.autograd.gradcheck(acquisition, at, atol=1e-4)
        same, narrowed = acquisition._moments(at)
        assert same.detach().numpy() == pytest.approx(mean.detach().numpy())
        assert (narrowed <= deviation + 1e-9).all()
        assert kind == "deterministic" or (narrowed[:2, 0] < 0.5 * deviation[:2, 0]).all()

    @pytest.mark.parametrize("kind", ["ensemble", "half ensemble"])
    def test_the_value_over_an_ensemble_is_the_mean_over_its_members(self, kind: str) -> None:
        torch.manual_seed(0)
        x, at = torch.rand(10, 3, dtype=torch.float64), torch.rand(5, 1, 3, dtype=torch.float64)
        y = torch.stack([x[:, 0] + x[:, 1] ** 2, x[:, 2] - x[:, 0]], dim=1)
        unit = torch.tensor([[0.0] * 3, [1.0] * 3])
        options: dict[str, Any] = {
            "names": NAMES,
            "cost": "x1",
            "bounds": unit,
            "ref_point": [-2.0] * 2,
            "weights": [0.5] * 2,
        }
        model = of_kind(kind, x, y)
        acquisition, posterior = CostAwareUCB(model, **options), model.posterior(at)
        mean, variance = (found.detach().numpy()[:, :, 0] for found in (posterior.mean, posterior.variance))
        worth = np.array([acquisition.utility.log_slopes(mean[:, s], np.sqrt(variance[:, s]))[0] for s in range(3)])
        assert acquisition.discount is not None
        expected = np.log(np.exp(worth).mean(axis=0)) + acquisition.discount.log(at[:, 0].numpy())
        assert acquisition(at).detach().numpy() == pytest.approx(expected)

    def test_pending_points_reduce_the_variance_of_a_joint_model_as_of_two_models(self) -> None:
        torch.manual_seed(0)
        x = torch.rand(10, 3, dtype=torch.float64)
        y = torch.stack([x[:, 0] + x[:, 1] ** 2, x[:, 2] - x[:, 0]], dim=1)
        joint = SingleTaskGP(x, y, train_Yvar=torch.full_like(y, 0.01))
        at, pending = torch.rand(6, 1, 3, dtype=torch.float64), torch.rand(3, 3, dtype=torch.float64)
        found = []
        for model in (joint, ModelListGP(joint.subset_output([0]), joint.subset_output([1]))):
            acquisition = CostAwareUCB(
                model, names=NAMES, cost=None, bounds=BOUNDS, ref_point=[-2.0] * 2, weights=[0.5] * 2, X_pending=pending
            )
            found.append(acquisition(at).detach().numpy())
        assert found[0] == pytest.approx(found[1], abs=1e-8)

    def test_pending_points_need_a_model_with_covariances_between_points(self) -> None:
        x = torch.rand(8, 3, dtype=torch.float64)
        model = SingleTaskGP(x, x[:, :1] + 0.5, outcome_transform=Log())
        acquisition = CostAwareUCB(model, names=NAMES, cost=None, bounds=BOUNDS, ref_point=[0.0], X_pending=x[:1])
        with pytest.raises(InvalidOptionError, match=r"X_pending.*SingleTaskGP.* is a TransformedPosterior"):
            acquisition(x[:2, None, :])

    def test_pending_points_may_be_a_list_or_empty(self) -> None:
        _, X = candidates(3)
        expected = theirs(None, X_pending=torch.tensor([[0.2, 4.0, 0.6]], dtype=torch.float64))(X)
        assert theirs(None, X_pending=[[0.2, 4.0, 0.6]])(X).detach().numpy() == pytest.approx(expected.detach().numpy())
        free = theirs(None, X_pending=torch.zeros(0, 3))(X)
        assert free.detach().numpy() == pytest.approx(theirs(None)(X).detach().numpy())

    def test_batches_may_have_any_shape(self) -> None:
        _, X = candidates(6)
        flat = theirs(COSTS[0])(X)
        assert theirs(COSTS[0])(X.reshape(2, 3, 1, 3)).reshape(-1).detach().numpy() == pytest.approx(
            flat.detach().numpy()
        )

    def test_points_with_more_columns_than_names_are_refused(self) -> None:
        _, x = candidates(3)
        with pytest.raises(InvalidOptionError, match="X: need 3 columns, one per name, got 4"):
            theirs("x1 > x2")(torch.cat([x, x[..., :1]], dim=-1))

    def test_more_than_one_point_at_a_time_is_refused(self) -> None:
        with pytest.raises(AssertionError, match="q=1"):
            theirs(None)(torch.zeros(4, 2, 3, dtype=torch.float64))

    @pytest.mark.parametrize("cost", COSTS, ids=["order", "paper"])
    def test_points_outside_the_bounds_cost_as_at_the_nearest_bound(self, cost: Any) -> None:
        X = torch.tensor([[[-9.0, 40.0, 0.5]], [[-2.0, 10.0, 0.5]]], dtype=torch.float64, requires_grad=True)
        paid = (theirs(cost)(X) - theirs(None)(X)).detach().numpy()
        assert paid[0] == pytest.approx(paid[1], abs=1e-9)
        theirs(cost)(X).sum().backward()
        assert torch.isfinite(X.grad).all()

    @pytest.mark.parametrize("cost", [*COSTS, None], ids=["order", "paper", "none"])
    def test_a_second_derivative_is_refused(self, cost: Any) -> None:
        _, X = candidates(2)
        smooth = GenericDeterministicModel(lambda x: x[..., :2] ** 2, 2)
        acquisition = CostAwareUCB(smooth, names=NAMES, cost=cost, bounds=BOUNDS, ref_point=REFERENCE, weights=WEIGHTS)
        with pytest.raises(InvalidOptionError, match="it has no Hessian"):
            torch.autograd.functional.hessian(lambda x: acquisition(x).sum(), X)
        X.requires_grad_(True)
        (slope,) = torch.autograd.grad(acquisition(X).sum(), X, create_graph=True)
        with pytest.raises(InvalidOptionError, match="it has no Hessian"):
            slope.sum().backward()

    def test_a_soft_minimum_is_a_little_lower(self) -> None:
        _, X = candidates()
        hard, soft = theirs(COSTS[0])(X), theirs(COSTS[0], softness=0.02)(X)
        assert (soft <= hard + 1e-9).all()
        assert (hard - soft).max() < 0.2

    def test_the_points_of_a_batch_seek_trade_offs_of_their_own_if_each_has_its_weights(self) -> None:
        torch.manual_seed(0)
        opposed = GenericDeterministicModel(lambda X: torch.stack([X[..., 0], -X[..., 0]], dim=-1), num_outputs=2)
        bounds = torch.tensor([[0.0], [1.0]], dtype=torch.float64)
        common: Any = {"model": opposed, "names": ["x"], "cost": None, "bounds": bounds, "ref_point": [-0.1, -1.1]}
        search: Any = {"bounds": bounds, "num_restarts": 4, "raw_samples": 64}
        one = CostAwareUCB(weights=[0.5, 0.5], **common)
        fixed, _ = optimize_acqf(one, q=3, sequential=True, **search)
        several = [CostAwareUCB(weights=[share, 1.0 - share], **common) for share in (0.2, 0.5, 0.8)]
        listed, _ = optimize_acqf_list(several, **search)
        drawn, _ = optimize_acqf(CostAwareUCB(**common), q=3, sequential=True, **search)
        assert np.ptp(fixed.numpy()) < 0.05  # one trade-off, three times
        for batch in (listed, drawn):
            assert np.diff(np.sort(batch.numpy().ravel())).min() > 0.02
        # share (x + 0.1) = (1 - share) (1.1 - x): the points where both weighted objectives are the same
        assert listed.numpy().ravel() == pytest.approx([1.1 * 0.8 - 0.02, 0.5, 1.1 * 0.2 - 0.08], abs=0.02)

    def test_weights_that_are_given_stay(self) -> None:
        acquisition = theirs(None)
        acquisition.set_X_pending(candidates(2)[1].squeeze(1))
        assert acquisition.utility.weights.tolist() == WEIGHTS.tolist()

    def test_default_weights_are_drawn_anew_per_step(self) -> None:
        drawn = [theirs(None, weights=None, step=step).utility.weights.tolist() for step in (1, 1, 2)]
        assert drawn[0] == drawn[1] != drawn[2]
        assert sum(drawn[0]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"ref_point": [0.0]}, InvalidOptionError, "ref_point: need one number per output of the model, 2 in all"),
        ({"weights": [1.0, -1.0]}, InvalidOptionError, "weights: need no negative numbers"),
        ({"weights": [1.0, float("nan")]}, InvalidOptionError, "weights.*finite"),
        ({"names": ["x1", "x2"]}, InvalidOptionError, r"bounds.*\(2, 2\)"),
        ({"bounds": BOUNDS.flip(0)}, InvalidOptionError, "below upper"),
        ({"expensive": {"x9": "low"}}, InvalidOptionError, "one of the inputs x1, x2, x3"),
        ({"expensive": {"x1": "left"}}, InvalidOptionError, '"high" or "low"'),
        *(({"step": step}, InvalidOptionError, "step: need a whole number") for step in (0, 1.5, True)),
        *(({"budget": budget}, InvalidOptionError, "budget: need a whole") for budget in (0, -3, 1.5, "x")),
        *(({"seed": seed}, InvalidOptionError, "seed: need a whole number") for seed in (-1, "x")),
        *(({"beta": beta}, InvalidOptionError, "beta") for beta in (-1.0, float("nan"), "x")),
        *(({"softness": softness}, InvalidOptionError, "softness") for softness in (-1.0, float("inf"), None)),
        ({"ref_point": None}, InvalidOptionError, "ref_point: need numbers, got None"),
        ({"bounds": "x"}, InvalidOptionError, "bounds: need numbers"),
        ({"bounds": BOUNDS * float("inf")}, InvalidOptionError, "bounds: need finite numbers"),
        *(({"names": names}, InvalidOptionError, "names: need a list") for names in ("abc", None, 5)),
        *(
            ({"expensive": expensive}, InvalidOptionError, "expensive: need inputs by name")
            for expensive in ("low", ["x1"], 5)
        ),
        ({"bounds": [[-1.7e308] * 3, [1.7e308] * 3]}, InvalidOptionError, "bounds: need a range"),
        ({"names": ["x1", "x1", "x3"]}, InvalidOptionError, "names: need each name once"),
        ({"names": ["x1", "x2", 3]}, InvalidOptionError, "names: need text"),
        ({"X_pending": torch.zeros(2, 2)}, InvalidOptionError, r"X_pending: need \(p, 3\) points"),
        ({"X_pending": torch.zeros(3)}, InvalidOptionError, r"X_pending: need \(p, 3\) points"),
        ({"X_pending": torch.full((1, 3), torch.nan)}, InvalidOptionError, "X_pending: need finite numbers"),
        ({"X_pending": "x"}, InvalidOptionError, "X_pending: need numbers"),
        ({"model": None}, InvalidOptionError, "model: need a fitted BoTorch model"),
        ({"cost": "x1 > nickel"}, InvalidOrderError, "nickel"),
        ({"cost": OrderCost("nickel")}, InvalidOrderError, "nickel"),
        ({"cost": Prices({"nickel": 2})}, InvalidOptionError, "nickel"),
        ({"cost": Formula("x1 - 9")}, InvalidOptionError, "finite number above 0"),
        ({"cost": LearnedCost("x1")}, InvalidOptionError, r"receipts: need \(X, paid\).*LearnedCost learns from them"),
        ({"cost": LearnedCost(), "receipts": (torch.zeros(0, 3), [])}, InvalidOptionError, "receipts: need"),
        ({"cost": OrderCost("x1"), "budget": Budget(cost=9)}, InvalidOptionError, "receipts: need.*budget is in money"),
        (
            {"cost": "x1", "receipts": (torch.zeros(1, 3), [1.0])},
            InvalidOptionError,
            "receipts: need none with the pap",
        ),
        ({"cost": "x1", "thrift": 2.0}, InvalidOptionError, "thrift: need 1 with the paper's cost"),
        ({"thrift": -1.0}, InvalidOptionError, "thrift"),
        ({"receipts": torch.zeros(1, 3)}, InvalidOptionError, r"receipts: need points and what they cost"),
        ({"receipts": (torch.zeros(1, 2), [1.0])}, InvalidOptionError, r"receipts: need \(r, 3\) points"),
        ({"receipts": (torch.full((1, 3), torch.nan), [1.0])}, InvalidOptionError, "receipts: need points of finite"),
        ({"receipts": (torch.zeros(2, 3), [1.0])}, InvalidOptionError, "receipts: need as many costs as points, 2"),
        *(
            ({"receipts": (torch.zeros(1, 3), [paid])}, InvalidOptionError, "receipts: need costs of at least 0")
            for paid in (-1.0, float("nan"), float("inf"))
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_invalid_option_is_refused_by_name(options: Any, error: type[Exception], message: str) -> None:
    given = {"model": in_botorch(processes()), "names": NAMES, "cost": None, "bounds": BOUNDS, "ref_point": REFERENCE}
    with pytest.raises(error, match=message):
        CostAwareUCB(**{**given, **options})


def test_the_old_name_of_expensive_is_refused_with_the_new_one() -> None:
    with pytest.raises(InvalidOptionError, match=r"dear.*expensive"):
        CostAwareUCB(
            in_botorch(processes()),
            names=NAMES,
            cost=None,
            bounds=BOUNDS,
            ref_point=REFERENCE,
            dear={"x2": "low"},  # type: ignore[call-arg]
        )


def test_names_may_be_any_collection() -> None:
    given: dict[str, Any] = {"cost": "x1", "bounds": BOUNDS, "ref_point": REFERENCE}
    collections: list[Any] = [dict.fromkeys(NAMES), np.array(NAMES)]
    _, X = candidates(3)
    listed = CostAwareUCB(in_botorch(processes()), names=list(NAMES), **given)(X)
    for names in collections:
        assert torch.equal(CostAwareUCB(in_botorch(processes()), names=names, **given)(X), listed)


def test_a_step_may_be_a_numpy_integer() -> None:
    _, X = candidates(3)
    assert torch.equal(theirs(COSTS[0], step=np.int64(7))(X), theirs(COSTS[0])(X))


def test_without_botorch_the_import_names_the_command_that_installs_it() -> None:
    code = "import sys; sys.modules['torch'] = None\nimport camobo.botorch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "pip install 'camobo[botorch]'" in done.stderr
