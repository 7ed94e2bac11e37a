"""Information about the constrained maximum against quadrature, numbers computed elsewhere, and its limits."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, random_process, slope
from scipy import stats

from taut.acquisition.feasibility import Bounds
from taut.acquisition.maxvalue import MaxValue, divergence
from taut.base.arrays import Array

BAND = Bounds(-0.6, 0.8)


def kl(S: tuple[int, ...], a: float, pf: tuple[float, ...]) -> float:
    p = [a, *pf]
    inside = np.prod([p[k] for k in S])
    outside = np.prod([p[k] for k in range(len(p)) if k not in S])
    return float(divergence(np.log(np.array([inside])), np.log(np.array([outside])))[0][0])


@pytest.mark.parametrize(
    "S, value",
    [((0,), 0.007297), ((1,), 0.001991), ((0, 1), 0.015274), ((1, 2), 0.010153), ((0, 1, 2), 0.074724)],
)
def test_known_numbers(S: tuple[int, ...], value: float) -> None:
    assert kl(S, 0.3, (0.6, 0.4)) == pytest.approx(value, abs=5e-7)


def belief(seed: int, K: int, bounds: Bounds = AT_MOST_ZERO) -> MaxValue:
    processes = problem(seed, 2, K)
    top = float(processes[0].y.max())
    return MaxValue(processes, (bounds,) * K, top + np.array([0.2, 1.0, -0.5]) * processes[0].scale)


def by_quadrature(each: MaxValue, S: tuple[int, ...], x: Array, star: float, count: int = 1200) -> float:
    """E_q[log q/p] of what S returns at x, q the density given that not (f >= f* and all constraints hold)."""
    axes, weights, bad, outside = [], [], [], 1.0
    for k, gp in enumerate(each.processes):
        here = gp.posterior(x[None, :])
        h = stats.norm(here.mean[0, 0], np.sqrt(here.var[0]))
        low, high = (star, np.inf) if k == 0 else (each.bounds[k - 1].lower, each.bounds[k - 1].upper)
        if k not in S:
            outside *= h.cdf(high) - h.cdf(low)
            continue
        edges = np.linspace(h.mean() - 9.0 * h.std(), h.mean() + 9.0 * h.std(), count + 1)
        edges = np.unique(np.concatenate([edges, [e for e in (low, high) if np.isfinite(e)]]))
        middle = 0.5 * (edges[1:] + edges[:-1])
        axes.append(middle)
        weights.append(np.diff(h.cdf(edges)))
        bad.append((middle >= low) & (middle <= high))
    p, all_bad = weights[0], bad[0]
    for w, b in zip(weights[1:], bad[1:], strict=True):
        p, all_bad = np.multiply.outer(p, w), np.logical_and.outer(all_bad, b)
    ratio = np.where(all_bad, 1.0 - outside, 1.0)
    Z = float((p * ratio).sum())
    q = p * ratio / Z
    return float(np.sum(np.where(q > 0.0, q * np.log(np.maximum(ratio, 1e-300) / Z), 0.0)))


@pytest.mark.parametrize(
    "K, bounds, S",
    [
        (0, AT_MOST_ZERO, (0,)),
        (2, AT_MOST_ZERO, (0,)),
        (2, AT_MOST_ZERO, (2,)),
        (2, AT_MOST_ZERO, (0, 1)),
        (2, AT_MOST_ZERO, (1, 2)),
        (1, BAND, (1,)),
        (1, BAND, (0, 1)),
    ],
)
def test_value_is_the_divergence_of_the_conditioned_distribution(K: int, bounds: Bounds, S: tuple[int, ...]) -> None:
    each = belief(1, K, bounds)
    x = np.random.default_rng(2).random((4, 2))
    value = each.value(each.at(x), S)
    for i in range(4):
        expected = np.mean([by_quadrature(each, S, x[i], star) for star in each.raised])
        assert value[i] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_coupled_value_by_sampling() -> None:
    """-log of the probability that the event is not forbidden, all functions drawn."""
    each = belief(3, 2)
    x = np.random.default_rng(4).random((1, 2))
    rng = np.random.default_rng(5)
    f, *c = (
        gp.posterior(x).mean[0, 0] + np.sqrt(gp.posterior(x).var[0]) * rng.standard_normal(400_000)
        for gp in each.processes
    )
    bad = np.array([(f >= star) & (c[0] <= 0.0) & (c[1] <= 0.0) for star in each.raised]).mean(axis=1)
    assert each.value(each.at(x), (0, 1, 2))[0] == pytest.approx(float(-np.log1p(-bad).mean()), rel=0.05, abs=1e-4)


@pytest.mark.parametrize("K, bounds", [(0, AT_MOST_ZERO), (2, AT_MOST_ZERO), (2, BAND)])
def test_gradient_for_mixed_sets(K: int, bounds: Bounds) -> None:
    each = belief(6, K, bounds)
    each = MaxValue(each.processes, each.bounds, np.append(each.maxima, -np.inf) if K else each.maxima)
    rng = np.random.default_rng(7)
    x = rng.random((8, 2))
    member = (rng.random((K + 1, 8)) < 0.5).astype(float)
    member[0] = np.maximum(member[0], member[1:].sum(axis=0) == 0.0)
    value, gradient = each.value_with_gradient(x, member)
    for i in range(8):
        S = tuple(np.flatnonzero(member[:, i]))
        assert value[i] == pytest.approx(each.value(each.at(x[i : i + 1]), S)[0], rel=1e-9)
        expected = slope(lambda u, S=S: each.value(each.at(u), S), x[i : i + 1])[0]
        assert gradient[i] == pytest.approx(expected, rel=1e-4, abs=1e-6 * np.abs(expected).max() + 1e-12)


def test_derivatives_and_tails() -> None:
    """Everywhere from certain to impossible: finite, not negative, and the two forms meet where they change."""
    logs = -np.concatenate([[0.0], 10.0 ** np.arange(-18.0, 3.0)])
    log_p, log_w = (grid.ravel() for grid in np.meshgrid(logs, logs))
    value, by_p, by_w = divergence(log_p, log_w)
    assert np.isfinite(value).all() and np.isfinite(by_p).all() and np.isfinite(by_w).all()
    assert (value >= 0.0).all() and value.max() < 60.0
    edge = np.log(1e-5) + np.array([-1e-9, 1e-9])
    for p in (0.01, 0.4, 0.99):
        at = divergence(np.full(2, np.log(p)), edge)
        assert at[0][0] == pytest.approx(at[0][1], rel=1e-5)
        assert at[2][0] == pytest.approx(at[2][1], rel=1e-4)


def test_certain_constraints_change_nothing_and_tell_nothing() -> None:
    each = belief(8, 1)
    x = np.random.default_rng(9).random((5, 2))
    alone = MaxValue(each.processes[:1], (), each.maxima)
    sure = MaxValue(each.processes, (Bounds(-np.inf, 1e6),), each.maxima)
    expected = alone.value(alone.at(x), (0,))
    assert sure.value(sure.at(x), (0,)) == pytest.approx(expected, rel=1e-9)
    assert sure.value(sure.at(x), (0, 1)) == pytest.approx(expected, rel=1e-9)
    assert sure.value(sure.at(x), (1,)) == pytest.approx(np.zeros(5), abs=1e-12)


def test_a_known_best_point_tells_nothing() -> None:
    """Its value may be the maximum of a path to the last digit; rounding must not look like information."""
    gp = random_process(10, 8, 2, rho=1e-12)
    best = gp.X[[np.argmax(gp.y[:, 0])]]
    each = MaxValue((gp,), (), np.full(5, float(gp.y.max())))
    assert each.value(each.at(best), (0,))[0] < 1e-3
