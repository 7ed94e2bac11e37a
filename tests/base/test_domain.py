"""A plain domain is the cube's own functions to the last bit; in any other everything that comes out is admissible."""

import math

import numpy as np
import pytest

from taut.base.arrays import Array, Ints
from taut.base.ascend import AscentOptions, ascend, curvature
from taut.base.domain import ENUMERATED, Domain
from taut.base.levels import Counted, Levels, Options, Ordered
from taut.base.quasirandom import latin_hypercube, sobol
from taut.base.slsqp import NonlinearProgram

CATALOGUE = Ordered(0, 4, (0.0, 0.1, 0.7, 1.0))
DOMAINS = {
    "cube": Domain(3),
    "catalogue": Domain(2, (CATALOGUE,)),
    "choices": Domain(4, (Options(0, 3), Options(3, 2))),
    "mixed": Domain(7, (CATALOGUE, Counted(2, 12), Options(3, 3))),
    "large": Domain(3, (Counted(0, 10**6), Counted(1, 60), Ordered(2, 3, (0.0, 0.4, 1.0)))),
}
NAMES = sorted(DOMAINS)


def bump(x: Array, rows: Ints) -> tuple[Array, Array]:
    return -((x - 0.33) ** 2).sum(axis=1), -2.0 * (x - 0.33)


def test_a_plain_domain_is_the_cube() -> None:
    cube, rng = Domain(3), np.random.default_rng
    assert cube.plain and cube.free.all() and not cube.finite
    assert np.array_equal(cube.sample(64, rng(1)), sobol(64, 3, rng(1)))
    assert np.array_equal(cube.design(9, rng(2)), latin_hypercube(9, 3, rng(2)))
    assert np.array_equal(cube.draw(rng(3)), rng(3).random(3))
    x = rng(4).random((5, 3)) * 1.4 - 0.2
    assert np.array_equal(cube.repair(x), np.clip(x, 0.0, 1.0))
    assert np.array_equal(cube.ascend(bump, x, AscentOptions()).x, ascend(bump, x, AscentOptions()).x)
    assert np.array_equal(cube.curvature(bump, cube.repair(x)), curvature(bump, cube.repair(x)))
    assert np.array_equal(cube.distances(x, x[0]), np.abs(x - x[0]).max(axis=1))
    assert not len(cube.across(x)) and not len(cube.neighbours(x)[0])


def test_points_outside_are_reflected_and_points_near_a_bound_moved_onto_it() -> None:
    assert Domain(4).folded(np.array([[-0.2, 0.3, 1.1, 2.4]]))[0] == pytest.approx([0.2, 0.3, 0.9, 0.4])
    assert Domain(3).to_bounds(np.array([[0.05, 0.3, 0.95]]), 0.12).tolist() == [[0.0, 0.3, 1.0]]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_comes_out_is_admissible(name: str) -> None:
    domain, rng = DOMAINS[name], np.random.default_rng(5)
    wild = rng.normal(0.5, 1.0, (40, domain.dimension))
    inside = domain.sample(48, rng)
    found = [
        inside,
        domain.sample(2000, rng),
        domain.design(10, rng),
        domain.draw(rng)[None, :],
        domain.repair(wild),
        domain.folded(wild),
        domain.to_bounds(inside, 0.12),
        domain.across(inside[:2]),
        domain.neighbours(inside)[0],
        domain.along(inside[0], inside[1], np.linspace(0.0, 1.0, 7)),
        domain.ascend(bump, wild, AscentOptions()).x,
    ]
    for points in found:
        assert domain.contains(points).all()
    outside = np.abs(domain.repair(wild) - wild).max(axis=1) > 0.0
    assert not domain.contains(wild)[outside].any()


@pytest.mark.parametrize("name", NAMES)
def test_repair_finds_the_nearest_and_leaves_admissible_points_alone(name: str) -> None:
    domain, rng = DOMAINS[name], np.random.default_rng(6)
    inside = domain.sample(64, rng)
    assert np.array_equal(domain.repair(inside), inside)
    x = rng.random((30, domain.dimension))
    nearest = np.linalg.norm(domain.repair(x) - x, axis=1)
    assert (nearest <= np.linalg.norm(x[:, None, :] - inside, axis=2).min(axis=1) + 1e-12).all()


def levels_of(part: Levels, x: Array) -> Ints:
    return part.nearest(x[:, part.columns])


def test_a_sample_has_every_combination_where_there_are_few() -> None:
    domain = DOMAINS["mixed"]
    x = domain.sample(4 * domain.combinations, np.random.default_rng(7))
    seen = {tuple(levels_of(part, x)[i] for part in domain.parts) for i in range(len(x))}
    assert len(seen) == domain.combinations == math.prod(part.count for part in domain.parts)
    finite = DOMAINS["choices"].sample(1000, np.random.default_rng(7))
    assert len(finite) == len(np.unique(finite, axis=0)) == 6


@pytest.mark.parametrize("count", [6, 12, 13])
def test_a_design_takes_the_levels_in_equal_shares(count: int) -> None:
    domain = DOMAINS["mixed"]
    x = domain.design(count, np.random.default_rng(8))
    for part in domain.parts:
        shares = np.bincount(levels_of(part, x), minlength=part.count)
        assert shares.max() - shares.min() <= 1 + (count % part.count > 0)
    assert sorted(np.floor(x[:, 1] * count)) == list(range(count))


@pytest.mark.parametrize("count, expected", [(4, 4), (6, 6), (20, 6)])
def test_a_design_of_a_finite_domain_gives_no_point_twice(count: int, expected: int) -> None:
    x = DOMAINS["choices"].design(count, np.random.default_rng(9))
    assert len(x) == len(np.unique(x, axis=0)) == expected


def test_across_keeps_the_free_coordinates_and_has_every_combination() -> None:
    domain = DOMAINS["mixed"]
    x = domain.sample(1, np.random.default_rng(10))
    points = domain.across(x)
    assert len(points) == len(np.unique(points, axis=0)) == domain.combinations <= ENUMERATED
    assert (points[:, domain.free] == x[:, domain.free]).all()
    large = DOMAINS["large"]
    assert len(large.across(large.sample(1, np.random.default_rng(1)))) < 20


def test_neighbours_differ_in_one_discrete_parameter() -> None:
    domain = DOMAINS["mixed"]
    x = domain.sample(20, np.random.default_rng(11))
    points, owner = domain.neighbours(x)
    changed = sum((levels_of(part, points) != levels_of(part, x[owner])).astype(int) for part in domain.parts)
    assert (np.asarray(changed) == 1).all() and set(owner) == set(range(20))


def test_another_level_is_never_the_same_place() -> None:
    domain = DOMAINS["large"]
    x = np.array([0.0, 0.0, 0.4])
    near = np.array([[2.0 / (10**6 - 1), 0.0, 0.4], [0.0, 0.0, 0.4]])
    assert domain.distances(near, x).tolist() == [1.0, 0.0]
    tiny = Domain(1, (Counted(0, 10**9),))
    assert tiny.distances(np.array([[1e-9]]), np.zeros(1)).tolist() == [1e-9]  # as good as the same


class Corner(NonlinearProgram):
    """min x_0 + x_1 + x_2 subject to x_0 + x_1 >= 0.9."""

    def objective(self, x: Array) -> tuple[float, Array]:
        return float(x[:3].sum()), np.ones(3)

    def limits(self, x: Array) -> tuple[Array, Array]:
        return np.array([x[0] + x[1] - 0.9]), np.array([[1.0, 1.0, 0.0]])


def test_a_program_holds_discrete_columns() -> None:
    domain = Domain(3, (CATALOGUE,))
    end = domain.solve(Corner(True), np.array([0.1, 0.95, 0.5]), 1e-9, 30)
    assert end == pytest.approx([0.1, 0.8, 0.0], abs=1e-6)
    assert end is not None and end[0] == 0.1
    start = np.array([1.0, 0.1])
    assert np.array_equal(Domain(2, (CATALOGUE, Ordered(1, 2, (0.1, 1.0)))).solve(Corner(True), start, 1e-9, 9), start)


class Half:
    """x_1 <= 0.5, known."""

    count = 1

    def values(self, x: Array) -> Array:
        return x[:, 1:2] - 0.5

    def values_with_gradient(self, x: Array) -> tuple[Array, Array]:
        return self.values(x), np.tile([[0.0, 1.0]], (len(x), 1, 1))


def test_limits_count_as_part_of_the_domain() -> None:
    domain = Domain(2, (CATALOGUE,), Half())
    x = np.array([[0.1, 0.4], [0.1, 0.6], [0.2, 0.4], [0.7, np.nan]])
    assert domain.contains(x).tolist() == [True, False, False, False]
    assert domain.allowed(domain.neighbours(x[:1])[0]).all() and not domain.plain
