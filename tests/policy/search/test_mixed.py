"""Searches among whole numbers, catalogues and choices against looking at every combination on a fine grid."""

import numpy as np
import pytest
from states import context, state

import taut
from taut.acquisition.improvement import Improvement
from taut.acquisition.incumbent import incumbent
from taut.base.arrays import Array
from taut.policy.context import Context
from taut.policy.search.candidates import points
from taut.policy.search.ei_maxima import ei_maxima
from taut.problem.design import domain
from taut.problem.space import from_unit

PROBLEM = taut.Problem(
    [
        taut.Choice("m", ("a", "b", "c")),
        taut.Integer("n", 1, 9),
        taut.Ordinal("w", (0.1, 0.15, 0.3, 0.8)),
        taut.Real("x", 0.0, 1.0),
    ],
    taut.Objective("f"),
    [taut.Constraint("c", at_most=0.2)],
)


def made(seed: int, count: int = 30) -> Context:
    """The context of a decision after so many values of smooth random functions."""
    within, rng = domain(PROBLEM), np.random.default_rng(seed)
    slope, phase = rng.normal(size=(2, 3, within.dimension)), rng.uniform(0.0, 6.0, (2, 3))
    rows = []
    for u in within.design(count, rng):
        values = np.sin(3.0 * slope @ u + phase).sum(axis=1)
        rows += [(name, from_unit(PROBLEM, u), float(v)) for name, v in zip(("f", "c"), values, strict=True)]
    return context(state(PROBLEM, rows), seed=seed)


def grid(found: Context) -> Array:
    """Every combination at 101 values of the real parameter."""
    free, within = np.flatnonzero(found.domain.free)[0], found.domain
    start = np.zeros((101, within.dimension))
    start[:, free] = np.linspace(0.0, 1.0, 101)
    return within.across(start)


@pytest.mark.parametrize("seed", range(4))
def test_the_recommendation_is_the_best_of_all_combinations(seed: int) -> None:
    found = made(seed)
    best = found.utility.log_value(grid(found)).max()
    assert found.domain.contains(found.optimum.x[None, :]).all()
    assert found.optimum.log_value >= best - 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_expected_improvement_is_climbed_to_its_best_combination(seed: int) -> None:
    found = made(seed)
    improvement = found.settings.improvement
    tau = incumbent(found.raw_samples, found.surrogate.bent(found.dataset), improvement)
    score = Improvement(found.utility, tau, improvement)
    settings = found.settings
    maxima = ei_maxima(found, found.optimum.centre, settings.optimum.starts, settings.ei.short, settings.ei.thorough)
    assert found.domain.contains(maxima.x).all()
    assert maxima.value[0] >= score.value_with_gradient(grid(found))[0].max() - 1e-3


def test_candidates_and_inner_points_are_admissible_and_next_to_the_recommendation_complete() -> None:
    found = made(0)
    both = points(found)
    for x in (both.raw, both.inner, found.starts):
        assert found.domain.contains(x).all()
        beside = found.domain.neighbours(found.optimum.x[None, :])[0]
        if x is not found.starts:
            assert all((x == other).all(axis=1).any() for other in beside)


def test_gradients_of_real_columns_are_right() -> None:
    found = made(1)
    free, x = np.flatnonzero(found.domain.free)[0], found.domain.sample(12, np.random.default_rng(2))
    x[:, free] = np.clip(x[:, free], 0.01, 0.99)
    step = np.zeros(found.domain.dimension)
    step[free] = 1e-6
    for gp in found.posteriors:
        here, (above, below) = gp.posterior_with_gradient(x), (gp.posterior(x + step), gp.posterior(x - step))
        slope = here.gradient(np.ones((1, len(x))), None)[:, free]
        assert slope == pytest.approx((above.mean[0] - below.mean[0]) / 2e-6, rel=1e-4, abs=1e-5)
        bend = here.gradient(None, np.ones(len(x)))[:, free]
        assert bend == pytest.approx((above.var - below.var) / 2e-6, rel=1e-3, abs=1e-5 * gp.amplitude)
