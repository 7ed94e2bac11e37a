"""Constrained expected improvement against integrals and sampling, its gradient, and the rules for the incumbent."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, dataset, problem, process, random_process, slope
from scipy import integrate, stats

from taut.acquisition.feasibility import Bounds
from taut.acquisition.improvement import TIE_BREAK, Improvement, incumbent
from taut.acquisition.utility import Utility
from taut.base.ascend import AscentOptions, ascend
from taut.base.quasirandom import sobol
from taut.data.dataset import Dataset
from taut.policy.search.ei_maxima import maxima
from taut.policy.search.inner import ellipsoid_samples
from taut.policy.search.optimum import quick_optimum

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
        table = each.processes[0].posterior(x[i : i + 1])
        f = stats.norm(table.mean[0, 0], np.sqrt(table.var[0]))
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
    places = rng.random((64, 2))
    x = places[[np.argmax(Improvement(each, tau).value_with_gradient(places)[0])]]
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
    table = gp.posterior(x)
    sd = np.sqrt(table.var)
    z = (table.mean[0] - tau) / sd
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


@pytest.mark.parametrize("seed", range(4))
def test_a_narrow_maximum_next_to_the_recommendation_is_found(seed: int) -> None:
    """Many values near a boundary make a spot of expected improvement that no point of a screen leads to."""
    rng = np.random.default_rng(seed)
    X = np.vstack([sobol(24, 2, rng), [0.31, 0.5] + 1e-3 * rng.standard_normal((8, 2))])
    rows = (np.sin(3.0 * X[:, 0]) + 0.2 * X[:, 1], X[:, 0] + 0.3 * X[:, 1] ** 2 - 0.4)
    each = Utility(tuple(process(X, y, length=0.5, rho=1e-10) for y in rows), (AT_MOST_ZERO,), -9.0)
    score = Improvement(each, float(rows[0][rows[1] <= 0.0].max()))
    cube = each.raw_samples(sobol(512, 2, rng))
    x_r = quick_optimum(each, cube)
    assert each.log_value(x_r[None, :])[0] >= cube.log_value.max() - 1e-9
    short = AscentOptions(calls=4, tolerance=1e-4)
    x, value = maxima(score, cube, ellipsoid_samples(x_r, 1e-4 * np.eye(2), 32, rng), x_r, 16, short, AscentOptions())
    start = np.vstack([x_r, x_r + 1e-3 * rng.standard_normal((40, 2))])
    long = ascend(lambda u, rows: score.value_with_gradient(u), start, AscentOptions(calls=200, tolerance=1e-12))
    assert value[0] > long.value.max() - 0.05


@pytest.mark.parametrize("seed", range(4))
def test_maxima_hold_the_global_one(seed: int) -> None:
    each = utility(20 + seed, 1)
    score = Improvement(each, float(np.median(each.processes[0].y)))
    rng = np.random.default_rng(seed)
    x, value = maxima(
        score, each.raw_samples(sobol(256, 2, rng)), rng.random((16, 2)), np.full(2, 0.5), 12, AscentOptions(60, 1e-6)
    )
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 101)] * 2), axis=-1).reshape(-1, 2)
    assert value[0] >= score.value_with_gradient(grid)[0].max() - 1e-6
    assert (np.diff(value) <= 0.0).all() and value == pytest.approx(score.value_with_gradient(x)[0], rel=1e-9)


def test_without_incumbent_feasibility_counts_and_the_mean_breaks_ties() -> None:
    each = utility(10, 1)
    x = np.random.default_rng(11).random((4, 2))
    gp = each.processes[0]
    extra = Improvement(each, None).log_value(each.raw_samples(x)) - each.log_feasibility(x)
    assert extra == pytest.approx(TIE_BREAK * (gp.posterior(x).mean[0] - gp.offset) / gp.scale, abs=1e-12)


def known_best(each: Utility, data: Dataset) -> float | None:
    """The incumbent when all evaluated places are on the screen."""
    places = np.unique(np.vstack(data.X), axis=0)
    return incumbent(each.raw_samples(places, observed=np.ones(len(places), dtype=bool)), data)


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
    """Decoupled places, or coupled but noisy ones: the model decides at every evaluated place."""
    other = X0 if noise else X0 + 1e-3
    X, y = [X0, other], [F, np.array([0.7, -1.0, 0.4, -1.0, 0.6])]
    each = beliefs(X, y, (AT_MOST_ZERO,))
    places = np.vstack(X)
    probable = np.exp(each.log_feasibility(places)) >= 0.5
    assert 0 < probable.sum() < len(places)
    expected = each.processes[0].posterior(places[probable]).mean[0].max()
    assert known_best(each, dataset(X, y, noise)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p, counts", [(0.6, True), (0.4, False)])
def test_probable_means_at_least_one_half(p: float, counts: bool) -> None:
    """The constraint was never measured and holds with the same probability everywhere."""
    none = np.empty((0, 2))
    prior = process(none, np.empty(0))
    table = prior.posterior(X0)
    bounds = Bounds(-np.inf, float(table.mean[0, 0] + stats.norm.ppf(p) * np.sqrt(table.var[0])))
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
