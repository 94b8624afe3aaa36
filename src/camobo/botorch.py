"""camobo in BoTorch: `CostAwareUCB`, the cost-aware acquisition over any BoTorch model.

    from botorch.optim import optimize_acqf
    from camobo.botorch import CostAwareUCB

    acquisition = CostAwareUCB(
        model, names=["nickel", "chromium"], cost="nickel > chromium", bounds=bounds, ref_point=[0.0, 0.0], step=12
    )
    candidate, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=10, raw_samples=256)

The formulas are camobo's own `ScalarisedUCB` and `Discount`, with their gradients, wrapped as functions that PyTorch
can differentiate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from camobo.checks import renamed, whole
from camobo.errors import InvalidOptionError, MissingExtraError, shown

try:
    import torch
    from botorch.acquisition import AcquisitionFunction
    from botorch.posteriors import GPyTorchPosterior, PosteriorList
    from botorch.posteriors.multitask import MultitaskGPPosterior
    from botorch.utils.transforms import is_ensemble, t_batch_mode_transform
except ImportError as _error:
    raise MissingExtraError(
        f"camobo.botorch needs BoTorch 0.14 or later ({_error}). Install it with: pip install 'camobo[botorch]'"
    ) from None

from camobo.acquisition.scalarisation import flat_weights
from camobo.acquisition.utilities import ScalarisedUCB, Utility, beta_practical
from camobo.arrays import Array
from camobo.cost.budget import Budget, as_budget
from camobo.cost.order import Order
from camobo.cost.paper import PaperCost
from camobo.cost.protocol import Cost, Discount
from camobo.cost.reading import CostLike, as_cost, check_cost
from camobo.cost.receipts import LearnedCost
from camobo.cost.thrift import thrift_of
from camobo.space.inputs import Real
from camobo.space.space import Space
from camobo.strategy.funds import funds
from camobo.strategy.plan import Data, Plan, Receipts

__all__ = ["CostAwareUCB"]

_LEAST_VARIANCE = 1e-14


class CostAwareUCB(AcquisitionFunction):  # type: ignore[misc]  # botorch is untyped here
    """log α(x) = log [ min_m θ_m (μ_m + √β σ_m − R_m) ] + discount(x), for one candidate at a time.

    model: any fitted BoTorch model; larger is better in each of its M outputs.
    names: the inputs, in the order of X's columns.
    cost: which inputs are more expensive than which, "nickel > chromium", or a list, most expensive first: the paper's
        cost, whose discount is log(1 − C(x, t)), as of a PaperCost. Any other cost of camobo's, such as
        OrderCost("nickel > chromium"), Prices, a Formula, a function or LearnedCost: −γ log c(x). None: no discount,
        which leaves Eq. 7, the scalarised UCB.
    bounds: (2, d) lower and upper bounds of X, as for `optimize_acqf`; the lower end is the cheap one.
    ref_point: (M,) R, below every value of interest.
    weights: (M,) θ; None draws them from the simplex, anew for every number of pending points, so that the points of
        a batch chosen one by one seek different trade-offs.
    step: t, which counts evaluations, this one included.
    budget: planned evaluations, or a `Budget` in money. γ falls to 0 over its last tenth; without a budget it falls
        slowly with t. The paper's cost fades with t alone.
    thrift: γ at first: 0 ignores cost, 1 is promise for the money. Not for the paper's cost.
    receipts: (X, paid), (r, d) points and what they cost. LearnedCost and OrderCost learn from them, and their sum is
        what is spent of a budget in money; beyond what is left of it nothing is suggested.
    beta: how much uncertainty counts; None: 0.125 ln(2t + 1).
    expensive: inputs whose lower end is the expensive one, {"purity": "low"}.
    softness: 0 is the minimum over objectives itself; above 0, a smooth approximation without kinks.
    seed: random weights of the objectives and of the cost derive from it and from `step`.
    X_pending: (p, d) points being evaluated; they reduce the variance around them as if they came out as expected, each
        output by its own values.

    Outside the bounds X costs as much as at the nearest bound. Below Q = 0.001, where Q is the utility, the logarithm
    continues as a straight line in Q, so an expensive point is not preferred where Q is negative. The gradient cannot
    be differentiated again: asking for a Hessian is an error.
    """

    @renamed("dear", "expensive")
    def __init__(
        self,
        model: Any,
        *,
        names: Sequence[str],
        cost: CostLike,
        bounds: Any,
        ref_point: Sequence[float] | Any,
        weights: Sequence[float] | Any | None = None,
        step: int = 1,
        budget: int | Budget | None = None,
        thrift: float = 1.0,
        receipts: tuple[Any, Any] | None = None,
        beta: float | None = None,
        expensive: Mapping[str, Literal["high", "low"]] | None = None,
        softness: float = 0.0,
        seed: int = 0,
        X_pending: Any | None = None,
    ) -> None:
        good = hasattr(model, "posterior") and hasattr(model, "num_outputs")
        _check(good, "model", "a fitted BoTorch model", model)
        super().__init__(model)
        names = _read_names(names)
        limits = _read_bounds(bounds, len(names))
        space = _read_space(names, limits, expensive)
        step = whole("CostAwareUCB: step", step, 1)
        stream = [whole("CostAwareUCB: seed", seed, 0), step]
        rng = np.random.default_rng(stream)
        softness = _positive("softness", softness)
        outputs = int(model.num_outputs)
        reference = _vector("ref_point", ref_point, outputs)
        theta = flat_weights(outputs, rng) if weights is None else _vector("weights", weights, outputs)
        _check(bool((theta >= 0.0).all() and theta.sum() > 0.0), "weights", "no negative numbers, not all 0", theta)
        beta = beta_practical(step) if beta is None else _positive("beta", beta)
        self.utility = ScalarisedUCB(theta, reference, beta, softness)
        self._drawn_from = stream if weights is None else None
        read, planned = _read_cost(cost), as_budget(budget)
        thrift = thrift_of(thrift)
        self.register_buffer("low", limits[0])
        self.register_buffer("span", limits[1] - limits[0])
        paid = None if receipts is None else self._read_receipts(receipts)
        if read is not None:
            check_cost(read, space)
        self.discount: Discount | None
        if isinstance(read, PaperCost):
            _check(paid is None, "receipts", "none with the paper's cost, which has no amounts", "some")
            _check(thrift == 1.0, "thrift", "1 with the paper's cost, which fades with the step alone", thrift)
            self.discount = read.at(step, space, rng)
        else:
            self.discount = _thrift(Plan(space, {}, read, planned, thrift=thrift), step, paid)
        self.set_X_pending(X_pending)

    @t_batch_mode_transform(expected_q=1)  # type: ignore[untyped-decorator]
    def forward(self, X: Any) -> Any:
        """(b,) values of log α at (b, 1, d) candidates; for an ensemble, α is the mean over its members."""
        width = len(self.low)
        _check(X.shape[-1] == width, "X", f"{width} columns, one per name", X.shape[-1])
        many = is_ensemble(self.model)
        mean, deviation = self._moments(X)
        value = _LogUtility.apply(mean, deviation, self.utility)
        if self.discount is not None:
            discount = _LogDiscount.apply(self._units(X.squeeze(-2)), self.discount).to(value)
            value = value + (discount[..., None] if many else discount)
        return value.logsumexp(dim=-1) - math.log(value.shape[-1]) if many else value

    def set_X_pending(self, X_pending: Any | None = None) -> None:  # noqa: N802  # BoTorch's name
        """Set the (p, d) points that are being evaluated, None for no points, and draw weights that were not given."""
        if X_pending is not None:
            points, width = _numbers("X_pending", X_pending), len(self.low)
            _check(points.ndim == 2 and points.shape[1] == width, "X_pending", f"(p, {width}) points", points.shape)
            _check(bool(torch.isfinite(points).all()), "X_pending", "finite numbers", points.tolist())
            X_pending = points if len(points) else None
        if self._drawn_from is not None:
            rng = np.random.default_rng([*self._drawn_from, *([] if X_pending is None else [len(X_pending)])])
            self.utility = replace(self.utility, weights=flat_weights(len(self.utility.weights), rng))
        super().set_X_pending(X_pending)

    def _units(self, X: Any) -> Any:
        """(…, d) points of the unit cube, from their values."""
        return ((X - self.low) / self.span).clamp(0.0, 1.0)

    def _read_receipts(self, receipts: Any) -> tuple[Array, Array]:
        """(r, d) points of the unit cube and (r,) what they cost."""
        pair = isinstance(receipts, Sequence) and len(receipts) == 2
        _check(pair, "receipts", "points and what they cost, (X, paid)", receipts)
        points, paid = _numbers("receipts", receipts[0]), _numbers("receipts", receipts[1])
        paid = paid.squeeze(-1) if paid.ndim == 2 else paid
        width, count = len(self.low), points.shape[:1]
        _check(points.ndim == 2 and points.shape[1] == width, "receipts", f"(r, {width}) points", tuple(points.shape))
        _check(bool(torch.isfinite(points).all()), "receipts", "points of finite numbers", points.tolist())
        _check(paid.shape == count, "receipts", f"as many costs as points, {len(points)}", tuple(paid.shape))
        good = bool((torch.isfinite(paid) & (paid >= 0.0)).all())
        _check(good, "receipts", "costs of at least 0", paid.tolist())
        return self._units(points.to(self.low)).cpu().numpy(), paid.cpu().numpy()

    def _moments(self, X: Any) -> tuple[Any, Any]:
        """(b, M) mean and standard deviation at (b, 1, d) candidates; (b, S, M) for an ensemble.

        Pending points leave the mean as it is. The variance of an output is that of X given p noisy values:
        k_xx − k_xp (K_pp + S)⁻¹ k_px.
        """
        if self.X_pending is None:
            posterior = self.model.posterior(X)
            return self._mean(posterior, X), posterior.variance.clamp_min(_LEAST_VARIANCE).sqrt().squeeze(-2)
        pending = self.X_pending.to(X)
        joint = self.model.posterior(torch.cat([X, pending.expand(*X.shape[:-2], *pending.shape)], dim=-2))
        covariance = torch.stack(_covariances(joint), dim=-3)
        with torch.no_grad():
            noisy = self.model.posterior(pending, observation_noise=True).variance
            noise = (noisy - self.model.posterior(pending).variance).clamp_min(0.0).mT
        among = covariance[..., 1:, 1:] + torch.diag_embed(noise + 1e-10)
        across = covariance[..., 1:, :1]
        reduction = (across * torch.linalg.solve(among, across)).sum(dim=(-2, -1))
        variance = (covariance[..., 0, 0] - reduction).clamp_min(_LEAST_VARIANCE)
        return joint.mean[..., 0, :], variance.sqrt()

    def _mean(self, posterior: Any, X: Any) -> Any:
        """(b, M) mean at (b, 1, d) candidates."""
        if isinstance(posterior, MultitaskGPPosterior):
            # The mean of a KroneckerMultiTaskGP has wrong gradients in batches (linear_operator 0.6.1), not in a list.
            return self.model.posterior(X.reshape(-1, X.shape[-1])).mean.reshape(*X.shape[:-2], -1)
        return posterior.mean.squeeze(-2)


def _covariances(posterior: Any) -> list[Any]:
    """M (b, n, n) covariances between the points of a posterior, one per output."""
    if isinstance(posterior, PosteriorList):
        return [found for part in posterior.posteriors for found in _covariances(part)]
    *batch, n, outputs = posterior.mean.shape
    # The distribution of a KroneckerMultiTaskGP has variances only, as if points were uncorrelated.
    if isinstance(posterior, GPyTorchPosterior) and not isinstance(posterior, MultitaskGPPosterior):
        full = posterior.distribution.covariance_matrix
        if outputs == 1:
            return [full]
        if posterior.distribution._interleaved:  # outputs within points, else points within outputs
            full = full.reshape(*batch, n, outputs, n, outputs).transpose(-4, -3).transpose(-2, -1)
        full = full.reshape(*batch, outputs, n, outputs, n)
        return [full[..., m, :, m, :] for m in range(outputs)]
    variance = posterior.variance
    if variance.any():
        raise InvalidOptionError(
            "CostAwareUCB: X_pending: need a model with covariances between points, such as SingleTaskGP, ModelListGP "
            f"or MultiTaskGP, or a deterministic one, got one whose posterior is a {type(posterior).__name__}. Leave "
            "X_pending out, or use another model."
        )
    return [torch.diag_embed(variance[..., m]) for m in range(outputs)]


class _LogUtility(torch.autograd.Function):  # type: ignore[misc]
    """The log of a utility of (…, M) means and deviations, with its own gradients."""

    @staticmethod
    def forward(ctx: Any, mean: Any, deviation: Any, utility: Utility) -> Any:
        rows = mean.reshape(-1, mean.shape[-1]), deviation.reshape(-1, mean.shape[-1])
        value, *slopes = utility.log_slopes(*(row.detach().cpu().double().numpy() for row in rows))
        saved = (torch.as_tensor(slope).to(mean).reshape(mean.shape) for slope in slopes)
        ctx.save_for_backward(mean, deviation, *saved)
        return torch.as_tensor(value).to(mean).reshape(mean.shape[:-1])

    @staticmethod
    def backward(ctx: Any, *outer: Any) -> Any:
        mean, deviation, *slopes = ctx.saved_tensors
        by_mean, by_deviation = (_Once.apply(outer[0][..., None] * slope, mean, deviation) for slope in slopes)
        return by_mean, by_deviation, None


class _LogDiscount(torch.autograd.Function):  # type: ignore[misc]
    """The log of a discount at (…, d) points of the unit cube, with its own gradient."""

    @staticmethod
    def forward(ctx: Any, units: Any, discount: Discount) -> Any:
        rows = units.reshape(-1, units.shape[-1]).detach().cpu().double().numpy()
        slope = np.ascontiguousarray(discount.log_slope(rows))
        ctx.save_for_backward(units, torch.as_tensor(slope).to(units).reshape(units.shape))
        return torch.as_tensor(discount.log(rows)).to(units).reshape(units.shape[:-1])

    @staticmethod
    def backward(ctx: Any, *outer: Any) -> Any:
        units, slope = ctx.saved_tensors
        return _Once.apply(outer[0][..., None] * slope, units), None


class _Once(torch.autograd.Function):  # type: ignore[misc]
    """A slope, unchanged, that cannot be differentiated with respect to the inputs it depends on.

    PyTorch's `once_differentiable` is not enough: where the incoming gradient is a constant, as for a single value, it
    silently returns a second derivative without this part.
    """

    @staticmethod
    def forward(ctx: Any, slope: Any, *inputs: Any) -> Any:
        return slope.clone()

    @staticmethod
    def backward(ctx: Any, *outer: Any) -> Any:
        raise InvalidOptionError(
            "CostAwareUCB: it has no Hessian: its gradient cannot be differentiated again. Use a method that needs "
            "only first derivatives, as optimize_acqf does."
        )


def _read_names(names: Any) -> list[str]:
    listed = isinstance(names, Iterable) and not isinstance(names, str)
    _check(listed, "names", "a list of the inputs' names", names)
    found = list(names)
    _check(all(isinstance(name, str) for name in found), "names", "text", found)
    _check(len(set(found)) == len(found), "names", "each name once", found)
    return found


def _read_bounds(bounds: Any, width: int) -> Any:
    limits = _numbers("bounds", bounds)
    _check(limits.shape == (2, width), "bounds", f"(2, {width}) for {width} names", limits.shape)
    _check(bool(torch.isfinite(limits).all()), "bounds", "finite numbers", limits.tolist())
    _check(bool((limits[0] < limits[1]).all()), "bounds", "lower bounds below upper ones", limits.tolist())
    finite = bool(torch.isfinite(limits[1] - limits[0]).all())
    _check(finite, "bounds", "a range of less than 1.8e308, the largest float", limits.tolist())
    return limits


def _read_space(names: Sequence[str], limits: Any, expensive: Any) -> Space:
    """The space of the inputs, all of them real."""
    mapped = expensive is None or isinstance(expensive, Mapping)
    _check(mapped, "expensive", 'inputs by name, such as {"purity": "low"}', expensive)
    ends = dict(expensive or {})
    for name, end in ends.items():
        _check(name in names, "expensive", f"one of the inputs {', '.join(names)}", name)
        _check(isinstance(end, str) and end in ("high", "low"), f"expensive[{name!r}]", '"high" or "low"', end)
    pairs = zip(names, limits.T.tolist(), strict=True)
    return Space({name: Real(low, high, expensive=ends.get(name, "high")) for name, (low, high) in pairs})


def _read_cost(given: CostLike) -> Cost | None:
    """The cost; a bare order is the paper's."""
    return as_cost(given, paper=isinstance(given, (str, Sequence, Order, PaperCost)))


def _thrift(plan: Plan, step: int, paid: tuple[Array, Array] | None) -> Discount | None:
    """−γ log c after the receipts; None without a cost."""
    needed = "(X, paid), points and what they cost: "
    learns = isinstance(plan.cost, LearnedCost)
    known = paid is not None and (len(paid[1]) > 0 or not learns)
    _check(known or not learns, "receipts", f"{needed}LearnedCost learns from them", None if paid is None else "none")
    in_money = plan.budget is not None and plan.budget.cost is not None
    _check(known or not in_money, "receipts", f"{needed}the budget is in money, and they say what is spent", None)
    none = np.zeros((0, plan.space.dimension))
    kept = None if paid is None else Receipts(*paid, float(paid[1].sum()), none)
    return funds(plan, Data(none, np.zeros((0, 0)), none, none, step, kept), None).thrift(plan)


def _check(good: bool, what: str, expected: str, got: Any) -> None:
    if not good:
        raise InvalidOptionError(f"CostAwareUCB: {what}: need {expected}, got {shown(got)}.")


def _numbers(what: str, given: Any) -> Any:
    """The given numbers as a tensor of double precision; torch would make single precision of a list."""
    try:
        numbers = given if isinstance(given, torch.Tensor) else torch.as_tensor(np.asarray(given))
    except (TypeError, ValueError, RuntimeError):
        raise InvalidOptionError(f"CostAwareUCB: {what}: need numbers, got {shown(given)}.") from None
    _check(not numbers.is_complex() and numbers.dtype != torch.bool, what, "real numbers", given)
    return numbers.detach().double()


def _positive(what: str, given: Any) -> float:
    number = _numbers(what, given)
    _check(number.ndim == 0 and 0.0 <= float(number) < math.inf, what, "a finite number of at least 0", given)
    return float(number)


def _vector(what: str, given: Any, length: int) -> Any:
    """(length,) finite numbers as a NumPy array."""
    vector = _numbers(what, given).cpu().numpy()
    _check(vector.shape == (length,), what, f"one number per output of the model, {length} in all", given)
    _check(bool(np.isfinite(vector).all()), what, "finite numbers", given)
    return vector
