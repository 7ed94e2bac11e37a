"""Updated feasibilities: against the formula at every point, and which points may be left as they are."""

import numpy as np
import pytest
from processes import AT_MOST_ZERO, random_process

from taut.acquisition.feasibility import Bounds, probability
from taut.acquisition.knowledge_update import Updated, possible, updated
from taut.acquisition.scenarios import constraint_scenarios
from taut.acquisition.settings import ScenarioOptions
from taut.surrogate.gp import GP

BOUNDS = [AT_MOST_ZERO, Bounds(-0.8, 0.5)]


def formula(gp: GP, bounds: Bounds, A: np.ndarray, x: np.ndarray, z: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """PF+ on A and at the candidate itself, one candidate and one scenario at a time; [q, C, N + 1]."""
    found = np.empty((len(x), len(residual), len(A) + 1))
    for i, row in enumerate(x):
        at, there = gp.posterior(np.vstack([A, row])), gp.posterior(row[None, :])
        s = gp.covariance(at, there)[:, 0] / np.sqrt(there.var[0] + gp.noise)
        for c, left in enumerate(residual):
            var = np.maximum(at.var - s**2 * (1.0 - left), 1e-14 * gp.amplitude)
            score = z[i if len(z) > 1 else 0, c]
            found[i, c] = probability(bounds, at.mean[0] + s * score, np.sqrt(var))
    return found


def compute(gp: GP, bounds: Bounds, A: np.ndarray, x: np.ndarray, z: np.ndarray, residual: np.ndarray) -> Updated:
    inner, own = gp.posterior(A), gp.posterior(x)
    root = np.sqrt(own.var + gp.noise)
    s = np.column_stack([gp.covariance(own, inner) / root[:, None], own.var / root])
    return updated(bounds, gp.amplitude, inner, (own.mean, own.var), s, (z, residual), 0)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("n, q", [(4, 3), (40, 60)])
def test_every_point_that_can_change_has_the_formula(bounds: Bounds, n: int, q: int) -> None:
    """Few values and candidates, and many: blocks of rows, and points that are left out."""
    gp = random_process(n, n, 2)
    rng = np.random.default_rng(n)
    A, x = rng.random((120, 2)), rng.random((q, 2))
    scenarios = constraint_scenarios(1, ScenarioOptions(), 0)
    z, residual = scenarios.z[None, :, 0], scenarios.residual[:, 0]
    columns, p = compute(gp, bounds, A, x, z, residual)
    exact = formula(gp, bounds, A, x, z, residual)
    assert columns[-1] == len(A) and np.all(np.diff(columns) > 0)
    assert p == pytest.approx(exact[:, :, columns], rel=1e-9, abs=1e-13)
    others = np.setdiff1d(np.arange(len(A)), columns)
    now = probability(bounds, gp.posterior(A).mean[0], np.sqrt(gp.posterior(A).var))
    assert np.abs(exact[:, :, others] - now[others]).max(initial=0.0) < 1e-15
    assert len(others) > (20 if n == 40 else -1)


@pytest.mark.parametrize("columns", [[0, 2, 3], [0, 1, 2, 3]])
def test_columns_that_cannot_change_are_multiplied_by_one(columns: list[int]) -> None:
    p, expected = np.random.default_rng(0).random((2, 3, len(columns))), np.ones((2, 3, 4))
    expected[:, :, columns] = p
    assert np.array_equal(Updated(np.array(columns), p).everywhere(4), expected)


def test_scores_of_every_candidate_of_its_own() -> None:
    gp = random_process(3, 6, 2)
    rng = np.random.default_rng(4)
    A, x, z = rng.random((30, 2)), rng.random((7, 2)), rng.normal(size=(7, 1))
    columns, p = compute(gp, AT_MOST_ZERO, A, x, z, np.zeros(1))
    assert p == pytest.approx(formula(gp, AT_MOST_ZERO, A, x, z, np.zeros(1))[:, :, columns], rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("bounds", BOUNDS)
def test_a_point_that_is_not_possible_stays_infeasible_whatever_is_observed(bounds: Bounds) -> None:
    gp = random_process(40, 40, 2)
    rng = np.random.default_rng(5)
    A = rng.random((300, 2))
    maybe = possible([bounds], (gp.posterior(A), gp.posterior(A)))
    assert 0 < np.count_nonzero(~maybe) < len(A)
    outcomes = np.array([[-4.0, -2.0, 0.0, 2.0, 4.0]])
    after = formula(gp, bounds, A[~maybe], rng.random((40, 2)), outcomes, np.full(5, 0.01))
    assert after[:, :, :-1].max() < 1e-14


def test_every_constraint_counts_and_any_fantasy_will_do() -> None:
    gp = random_process(40, 40, 2, J=2)
    A = np.random.default_rng(6).random((200, 2))
    here = gp.posterior(A)
    one = [possible([AT_MOST_ZERO], (here, here._replace(mean=here.mean[j : j + 1]))) for j in range(2)]
    assert np.array_equal(possible([AT_MOST_ZERO], (here, here)), one[0] | one[1])
    never = Bounds(-np.inf, float(here.mean.min() - 100.0 * np.sqrt(here.var.max())))
    assert not possible([AT_MOST_ZERO, never], (here, here, here)).any()
