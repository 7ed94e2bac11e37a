"""Confidence bounds against their definition, and the optimistic maximum against enumeration on a grid."""

import math
from dataclasses import replace

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, slope
from reference.dense_gp import DenseGP
from regions import half

from taut.acquisition.confidence import BoundProgram, Confidence, LeastProgram, half_width, schedule, theory
from taut.acquisition.feasibility import Bounds
from taut.acquisition.settings import ConfidenceSettings
from taut.base.quasirandom import sobol
from taut.surrogate.success import Successes

GRID = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 101)] * 2), axis=-1).reshape(-1, 2)
BAND = Bounds(-0.5, 0.7)


def confidence(seed: int, K: int, bounds: Bounds = AT_MOST_ZERO, w: float = 1.5) -> Confidence:
    return Confidence(problem(seed, 2, K), (bounds,) * K, w)


@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, BAND])
def test_bounds_are_means_and_deviations_in_units_of_the_data(bounds: Bounds) -> None:
    each = confidence(1, 2, bounds)
    x = np.random.default_rng(0).random((6, 2))
    bands = each.at(x)
    for k, gp in enumerate(each.processes):
        dense = DenseGP.like(gp)
        mean, sd = dense.mean(x)[0], np.sqrt(dense.variance(x))
        if k == 0:
            value = mean - np.mean(gp.y)
        else:
            sides = [mean - bounds.upper, bounds.lower - mean]
            value = np.max(sides, axis=0)
        assert bands.upper[k] == pytest.approx((value + 1.5 * sd) / np.std(gp.y), rel=1e-6)
        assert bands.lower[k] == pytest.approx((value - 1.5 * sd) / np.std(gp.y), rel=1e-6)
    assert bands.violation == pytest.approx(bands.lower[1:].max(axis=0))
    assert bands.certified == pytest.approx(np.maximum(bands.width[0], bands.upper[1:].max(axis=0)))


@pytest.mark.parametrize("bounds", [AT_MOST_ZERO, BAND])
@pytest.mark.parametrize("kind", [BoundProgram, LeastProgram])
def test_gradients(bounds: Bounds, kind: type[BoundProgram]) -> None:
    program = kind(confidence(2, 2, bounds))
    for row in np.random.default_rng(1).random((4, 2 + program.free)):
        expected = slope(lambda u: np.array([program.objective(v)[0] for v in u]), row[None, :])[0]
        assert program.objective(row)[1] == pytest.approx(expected, rel=1e-5, abs=1e-6)
        for i, gradient in enumerate(program.limits(row)[1]):
            expected = slope(lambda u, i=i: np.array([program.limits(v)[0][i] for v in u]), row[None, :])[0]
            assert gradient == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("K, bounds", [(0, AT_MOST_ZERO), (1, AT_MOST_ZERO), (3, AT_MOST_ZERO), (2, BAND)])
@pytest.mark.parametrize("seed", range(3))
def test_optimistic_maximum_is_that_of_enumeration(seed: int, K: int, bounds: Bounds) -> None:
    each = confidence(10 + seed, K, bounds)
    bands = each.at(GRID)
    inside = bands.violation <= 0.0
    assert inside.any()
    found = each.optimist(sobol(512, 2, np.random.default_rng(seed)))
    assert not found.empty
    there = each.at(found.x)
    assert there.violation.max() <= 1e-7
    assert there.upper[0, 0] >= bands.upper[0][inside].max() - 1e-3
    assert (np.diff(there.upper[0]) <= 1e-12).all()


@pytest.mark.parametrize("K", [1, 3])
def test_empty_set_leads_to_the_least_lower_bound(K: int) -> None:
    each = confidence(20, K, Bounds(-np.inf, -40.0))
    least = each.at(GRID).violation
    assert least.min() > 0.0
    found = each.optimist(sobol(256, 2, np.random.default_rng(2)))
    assert found.empty and found.x.shape == (1, 2)
    assert each.at(found.x).violation[0] <= least.min() + 1e-6


def test_a_set_that_the_search_set_misses_is_found_by_descent() -> None:
    """Enumeration says empty on a coarse set, the least lower bound says otherwise."""
    each = confidence(21, 1)
    lowest = each.at(GRID).violation.min()
    tight = Confidence(each.processes, (Bounds(-np.inf, (lowest + 1e-3) * each.processes[1].scale),), each.w)
    points = GRID[tight.at(GRID).violation > 0.02]
    found = tight.optimist(points)
    assert not found.empty and tight.at(found.x).violation.max() <= 1e-7


def test_widths() -> None:
    assert schedule(2, 0, 20.0) == pytest.approx(0.81, abs=0.005)
    assert schedule(2, 100, 20.0) == pytest.approx(1.73, abs=0.005)
    assert theory(2, 3, 1) == pytest.approx(math.sqrt(2.0 * math.log(4 * 2000 * math.pi**2 / 0.6)))
    assert theory(2, 3, 5) ** 2 - theory(2, 3, 1) ** 2 == pytest.approx(4.0 * math.log(5.0))


def test_the_rule_of_the_settings_decides() -> None:
    assert half_width(2, 3, 4, ConfidenceSettings()) == schedule(2, 4, 20.0)
    assert half_width(2, 3, 4, ConfidenceSettings("theory")) == theory(2, 3, 5)
    assert half_width(2, 3, 4, ConfidenceSettings("constant", constant=1.7)) == 1.7


def careful(seed: int) -> Confidence:
    """The objective fails where the first parameter is large; the constraint never did."""
    return replace(confidence(seed, 1), successes=Successes((half(2, edge=0.5),), (0, -1)))


def test_the_optimistic_maximum_lies_where_functions_can_be_computed() -> None:
    each = careful(10)
    bands = each.at(GRID)
    z = half(2, edge=0.5).score(GRID)
    assert bands.doubt[0] == pytest.approx(-z) and np.isneginf(bands.doubt[1]).all()
    assert bands.violation == pytest.approx(np.maximum(bands.lower[1], -z))
    assert bands.obstacle[0] == pytest.approx(-z) and np.array_equal(bands.obstacle[1], bands.lower[1])
    found = each.optimist(sobol(512, 2, np.random.default_rng(0)))
    inside = bands.violation <= 0.0
    assert inside.any() and not found.empty
    there = each.at(found.x[:1])
    assert there.violation[0] <= 1e-7 and there.upper[0, 0] >= bands.upper[0][inside].max() - 1e-3


@pytest.mark.parametrize("kind", [BoundProgram, LeastProgram])
def test_gradients_of_scores(kind: type[BoundProgram]) -> None:
    program = kind(careful(2))
    for row in np.random.default_rng(1).random((4, 2 + program.free)):
        margins, gradients = program.limits(row)
        assert len(margins) == 2
        for i, gradient in enumerate(gradients):
            expected = slope(lambda u, i=i: np.array([program.limits(v)[0][i] for v in u]), row[None, :])[0]
            assert gradient == pytest.approx(expected, rel=1e-4, abs=1e-5)
