"""Constrained expected improvement against integrals and sampling, its gradient, and the rules for the incumbent."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, dataset, problem, process, random_process, slope
from scipy import integrate, stats

from taut.acquisition.feasibility import Bounds
from taut.acquisition.improvement import Improvement
from taut.acquisition.incumbent import incumbent
from taut.acquisition.utility import Utility
from taut.data.dataset import Dataset

TWO_SIDED = Bounds(-1.0, 1.0)


def utility(seed: int, K: int, bounds: Bounds = AT_MOST_ZERO) -> Utility:
    return Utility(problem(seed, 2, K), (bounds,) * K, -9.0)


@pytest.mark.parametrize("K, bounds", [(0, AT_MOST_ZERO), (1, AT_MOST_ZERO), (3, TWO_SIDED)])
@pytest.mark.parametrize("tau", [-4.0, 0.5, 6.0])
def test_value_is_the_integral_of_the_improvement_times_feasibility(K: int, bounds: Bounds, tau: float) -> None:
    each = utility(1, K, bounds)
    x = np.random.default_rng(2).random((5, 2))
    found = np.exp(Improvement(each, tau).log_value(each.raw_samples(x)))
    for i in range(5):
        here = each.processes[0].posterior(x[i : i + 1])
        f = stats.norm(here.mean[0, 0], np.sqrt(here.var[0]))
        tail = max(tau, f.mean()) + 12.0 * f.std()
        expected = integrate.quad(lambda v, f=f: (v - tau) * f.pdf(v), tau, tail, epsabs=1e-12, points=[f.mean()])[0]
        for gp in each.processes[1:]:
            part = gp.posterior(x[i : i + 1])
            c = stats.norm(part.mean[0, 0], np.sqrt(part.var[0]))
            expected *= c.cdf(bounds.upper) - c.cdf(bounds.lower)
        assert found[i] == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_value_by_sampling() -> None:
    each, tau = utility(3, 2), -1.0
    rng = np.random.default_rng(4)
    points = rng.random((64, 2))
    x = points[[np.argmax(Improvement(each, tau).value_with_gradient(points)[0])]]
    f, *c = (
        gp.posterior(x).mean[0, 0] + np.sqrt(gp.posterior(x).var[0]) * rng.standard_normal(400_000)
        for gp in each.processes
    )
    gained = np.maximum(f - tau, 0.0) * (c[0] <= 0.0) * (c[1] <= 0.0)
    error = gained.std() / np.sqrt(len(gained))
    assert np.exp(Improvement(each, tau).value_with_gradient(x)[0][0]) == pytest.approx(gained.mean(), abs=5.0 * error)


def test_without_constraints_it_is_expected_improvement() -> None:
    gp = random_process(5, 6, 2)
    x, tau = np.random.default_rng(6).random((8, 2)), 0.3
    here = gp.posterior(x)
    sd = np.sqrt(here.var)
    z = (here.mean[0] - tau) / sd
    EI = sd * (stats.norm.pdf(z) + z * stats.norm.cdf(z))
    assert np.exp(Improvement(Utility((gp,), (), 0.0), tau).value_with_gradient(x)[0]) == pytest.approx(EI, rel=1e-9)


@pytest.mark.parametrize("tau", [-3.0, 0.5, 30.0, 3000.0, None])
@pytest.mark.parametrize("K, bounds", [(0, AT_MOST_ZERO), (2, AT_MOST_ZERO), (1, TWO_SIDED)])
def test_gradient(tau: float | None, K: int, bounds: Bounds) -> None:
    """Also where the improvement is far out of reach: the log keeps a usable slope."""
    score = Improvement(utility(7, K, bounds), tau)
    x = np.random.default_rng(8).random((6, 2))
    value, gradient = score.value_with_gradient(x)
    expected = slope(lambda u: score.log_value(score.utility.raw_samples(u)), x, h=1e-6)
    assert np.isfinite(value).all()
    assert gradient == pytest.approx(expected, rel=1e-4, abs=2e-5 * np.abs(expected).max() + 1e-12)


def test_at_a_noise_free_data_point_below_the_incumbent_there_is_nothing_to_gain() -> None:
    gp = random_process(9, 6, 2, rho=1e-12)
    worst = gp.X[np.argmin(gp.y[:, 0])][None, :]
    value, gradient = Improvement(Utility((gp,), (), 0.0), float(gp.y.max())).value_with_gradient(worst)
    assert np.exp(value[0]) == 0.0
    assert np.isfinite(value).all() and np.isfinite(gradient).all()


def test_without_incumbent_feasibility_counts_and_the_mean_breaks_ties() -> None:
    each = utility(10, 1)
    x = np.random.default_rng(11).random((4, 2))
    gp = each.processes[0]
    extra = Improvement(each, None).log_value(each.raw_samples(x)) - each.log_feasibility(x)
    assert extra == pytest.approx(1e-6 * (gp.posterior(x).mean[0] - gp.offset) / gp.scale, abs=1e-12)


def known_best(each: Utility, data: Dataset) -> float | None:
    """The incumbent when all evaluated points are raw samples."""
    points = np.unique(np.vstack(data.X), axis=0)
    return incumbent(each.raw_samples(points, observed=np.ones(len(points), dtype=bool)), data)


def beliefs(X: list[np.ndarray], y: list[np.ndarray], bounds: tuple[Bounds, ...]) -> Utility:
    return Utility(tuple(process(a, b) for a, b in zip(X, y, strict=True)), bounds, -9.0)


X0 = np.random.default_rng(12).random((5, 2))
F = np.array([4.0, 3.0, 2.0, 1.0, 0.0])


@pytest.mark.parametrize(
    "c, bounds, tau",
    [
        ([-1.0, -1.0, -1.0, -1.0, 2.0], AT_MOST_ZERO, 4.0),
        ([0.1, -1.0, -1.0, -1.0, -1.0], AT_MOST_ZERO, 3.0),
        ([0.1, 0.0, -1.0, -1.0, -1.0], AT_MOST_ZERO, 3.0),  # the boundary is feasible
        ([1.5, -1.5, 0.5, 0.2, 0.1], TWO_SIDED, 2.0),
        ([1.0, 2.0, 3.0, 4.0, 5.0], AT_MOST_ZERO, None),
    ],
)
def test_incumbent_of_coupled_data_is_the_best_feasible_value_seen(c: list[float], bounds: Bounds, tau: float) -> None:
    X, y = [X0, X0], [F, np.array(c)]
    assert known_best(beliefs(X, y, (bounds,)), dataset(X, y, bounds=(bounds,))) == tau


def test_incumbent_without_constraints_is_the_best_value_seen() -> None:
    assert known_best(beliefs([X0], [F], ()), dataset([X0], [F])) == 4.0


@pytest.mark.parametrize("noise", [None, 0.1])
def test_incumbent_of_other_data_is_the_best_mean_where_feasibility_is_probable(noise: float | None) -> None:
    """Decoupled points, or coupled but noisy ones: the model decides at every evaluated point."""
    other = X0 if noise else X0 + 1e-3
    X, y = [X0, other], [F, np.array([0.7, -1.0, 0.4, -1.0, 0.6])]
    each = beliefs(X, y, (AT_MOST_ZERO,))
    points = np.vstack(X)
    probable = np.exp(each.log_feasibility(points)) >= 0.5
    assert 0 < probable.sum() < len(points)
    expected = each.processes[0].posterior(points[probable]).mean[0].max()
    assert known_best(each, dataset(X, y, noise)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p, counts", [(0.6, True), (0.4, False)])
def test_probable_means_at_least_one_half(p: float, counts: bool) -> None:
    """The constraint was never measured and holds with the same probability everywhere."""
    none = np.empty((0, 2))
    prior = process(none, np.empty(0))
    here = prior.posterior(X0)
    bounds = Bounds(-np.inf, float(here.mean[0, 0] + stats.norm.ppf(p) * np.sqrt(here.var[0])))
    f = process(X0, F)
    found = known_best(Utility((f, prior), (bounds,), -9.0), dataset([X0, none], [F, np.empty(0)], bounds=(bounds,)))
    assert found == (pytest.approx(f.posterior(X0).mean.max()) if counts else None)


def test_no_incumbent_where_nothing_is_probably_feasible() -> None:
    X, y = [X0, X0 + 1e-3], [F, np.array([5.0, 6.0, 5.0, 6.0, 5.5])]
    assert known_best(beliefs(X, y, (AT_MOST_ZERO,)), dataset(X, y)) is None


def test_no_incumbent_without_data() -> None:
    none = np.empty((0, 2))
    X, y = [none, none], [np.empty(0), np.empty(0)]
    assert known_best(beliefs(X, y, (AT_MOST_ZERO,)), dataset(X, y)) is None
    assert known_best(beliefs(X, y, (AT_MOST_ZERO,)), dataset(X, y, noise="learned")) is None
