"""The expected maximum of lines against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.upper_hull import expected_max
from scipy import integrate, stats

from taut.base.normal import log_h

FREEDOM = [3.0, 5.0, 30.0, np.inf]


def distribution(nu: float) -> object:
    return stats.norm if np.isinf(nu) else stats.t(nu)


def brute_force_max(a: np.ndarray, b: np.ndarray, nu: float) -> float:
    """E[max(a + b T)] piece by piece between all points where any two lines meet."""
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = ((a[:, None] - a[None, :]) / (b[None, :] - b[:, None])).ravel()
    edges = [-np.inf, *sorted({float(t) for t in meets[np.isfinite(meets)]}), 0.0, np.inf]
    edges.sort()
    pdf = distribution(nu).pdf  # type: ignore[attr-defined]
    total = 0.0
    for low, high in zip(edges, edges[1:], strict=False):
        if low < high:
            total += integrate.quad(lambda t: np.max(a + b * t) * pdf(t), low, high, epsabs=1e-12)[0]
    return total


@pytest.mark.parametrize("nu", FREEDOM)
@pytest.mark.parametrize("m", [1, 2, 7])
def test_expected_max_by_quadrature(nu: float, m: int) -> None:
    rng = np.random.default_rng(m)
    a, b = rng.normal(size=m), rng.normal(size=m)
    assert expected_max(a, b, nu) == pytest.approx(brute_force_max(a, b, nu), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("nu", FREEDOM)
def test_expected_max_by_monte_carlo(nu: float) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=30), rng.normal(size=30)
    T = distribution(nu).ppf((np.arange(200_000) + 0.5) / 200_000)  # type: ignore[attr-defined]
    exact = np.mean([np.max(a + b * t) for t in T[::10]])
    assert expected_max(a, b, nu) == pytest.approx(exact, rel=0.02)


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-3, 3)), min_size=1, max_size=6),
    st.sampled_from([3.0, np.inf]),
)
def test_expected_max_with_ties_and_parallels(lines: list[tuple[int, int]], nu: float) -> None:
    a, b = (np.array(part, dtype=float) for part in zip(*lines, strict=True))
    T = np.linspace(-60.0, 60.0, 24_001)
    weight = distribution(nu).pdf(T) * (T[1] - T[0])  # type: ignore[attr-defined]
    grid = np.max(a[:, None] + b[:, None] * T, axis=0) @ weight
    assert expected_max(a, b, nu) == pytest.approx(grid, rel=5e-3, abs=5e-3)


def test_expected_max_far_away_keeps_its_digits() -> None:
    """A challenger that needs T > 7: sigma h(7), not zero."""
    value = expected_max(np.array([0.0, -7.0]), np.array([0.0, 1.0]))
    assert value == pytest.approx(np.exp(log_h(np.array([-7.0]))[0]), rel=1e-9)
