"""Regions that known constraints leave, however small."""

from dataclasses import replace

import numpy as np
import pytest

from taut.base.arrays import Array
from taut.base.domain import Domain
from taut.base.levels import OPTION_DISTANCE, Counted, Options
from taut.base.limits import met
from taut.base.slsqp import NonlinearProgram


class Band:
    """low <= (x - a)'(x - a) <= high in the cube."""

    slow = False

    def __init__(self, a: list[float], low: float, high: float) -> None:
        self.a, self.low, self.high, self.count = np.array(a), low, high, 2

    def values(self, x: Array) -> Array:
        return self.values_with_gradient(x)[0]

    def values_with_gradient(self, x: Array) -> tuple[Array, Array]:
        square, slope = ((x - self.a) ** 2).sum(axis=1), 2.0 * (x - self.a)
        return np.stack([square - self.high, self.low - square], axis=1), np.stack([slope, -slope], axis=1)

    def holds(self, x: Array) -> bool:
        square = sum(float(u) ** 2 for u in x - self.a)
        return self.low <= square <= self.high


DOMAINS = {
    "half": Domain(3, limits=Band([0.0, 0.5, 0.5], -1.0, 0.4)),
    "tiny": Domain(3, limits=Band([0.31, 0.72, 0.55], -1.0, 0.02**2)),
    "thin": Domain(3, limits=Band([0.2, 0.2, 0.2], 0.25, 0.25 + 1e-7)),
    "corner": Domain(2, limits=Band([0.0, 0.0], 1.99, 9.0)),
    "mixed": Domain(
        5, (Counted(1, 6), Options(2, 3)), Band([0.5, 0.4, 0.0, OPTION_DISTANCE / 2**0.5, 0.0], -1.0, 0.03)
    ),
    "whole numbers": Domain(2, (Counted(0, 30), Counted(1, 30)), Band([0.5, 0.5], 0.0, 0.002)),
}


@pytest.mark.parametrize("name", sorted(DOMAINS))
def test_whatever_comes_out_is_inside(name: str) -> None:
    domain, rng = DOMAINS[name], np.random.default_rng(0)
    assert domain.region is not None and len(domain.region.pool)
    wild = rng.normal(0.5, 0.7, (60, domain.dimension))
    for x in (
        domain.region.pool,
        domain.sample(100, rng),
        domain.design(8, rng),
        domain.draw(rng)[None, :],
        domain.repair(wild),
        domain.folded(wild),
        domain.to_bounds(domain.sample(20, rng), 0.1),
        domain.along(domain.draw(rng), domain.draw(rng), np.linspace(0.0, 1.0, 5)),
        domain.across(domain.sample(4, rng)),
        domain.neighbours(domain.sample(4, rng))[0],
        np.array([domain.settled(u) for u in replace(domain, limits=None).repair(wild[:5])]),
    ):
        assert domain.contains(x).all()


@pytest.mark.parametrize("name", ["tiny", "thin"])
def test_points_are_spread_over_the_region(name: str) -> None:
    domain = DOMAINS[name]
    x = domain.sample(200, np.random.default_rng(1))
    assert domain.region is not None
    size = np.ptp(domain.region.pool, axis=0)
    assert (np.ptp(x, axis=0) > 0.8 * size).all()
    wanted = {"tiny": 0.04, "thin": 0.6}[name]
    assert (np.ptp(x, axis=0) > 0.7 * wanted).all()
    assert len(np.unique(x.round(6), axis=0)) > 100


def test_an_empty_region_is_found() -> None:
    domain = Domain(3, limits=Band([0.5, 0.5, 0.5], 0.8, 0.9))  # corners are at 0.75
    assert domain.region is not None and not len(domain.region.pool)
    assert sorted(domain.region.closest) == pytest.approx(sorted(domain.region.closest.round()), abs=1e-6)


class Far(NonlinearProgram):
    """As far from the origin as can be."""

    def objective(self, x: Array) -> tuple[float, Array]:
        return -float(x.sum()), -np.ones_like(x)

    def limits(self, x: Array) -> tuple[Array, Array]:
        return np.array([0.6 - x[0]]), -np.eye(len(x))[:1]


@pytest.mark.parametrize("constrained", [True, False])
def test_a_program_stays_inside_and_reaches_the_border(constrained: bool) -> None:
    domain = DOMAINS["half"]
    end = domain.solve(Far(constrained), domain.repair(np.full((1, 3), 0.4))[0], 1e-10, 100)
    assert end is not None and domain.contains(end[None, :])[0]
    assert domain.limits is not None and domain.limits.values(end[None, :]).max() > -1e-8
    assert not constrained or end[0] <= 0.6 + 1e-9


def test_the_user_has_the_last_word() -> None:
    class Other(Band):
        def holds(self, x: Array) -> bool:
            return bool(((x - self.a) ** 2).sum() <= self.high * (1.0 - 1e-12))

    limits = Other([0.5, 0.5], -1.0, 0.09)
    x = np.array([0.8 - 1e-15, 0.5])
    assert met(limits, x[None, :])[0] and not limits.holds(x)
    moved = Domain(2, limits=limits).settled(x)
    assert limits.holds(moved) and np.abs(moved - x).max() < 1e-9
