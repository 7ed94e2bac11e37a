"""Scenario nodes: anchors of the seven quantiles, cells that reach into the tails, vectors for several constraints."""

import numpy as np
import pytest
from scipy import integrate, stats

from taut.acquisition.scenarios import (
    cell_nodes,
    cell_residual,
    constraint_scenarios,
    envelope_points,
    pair_scenarios,
    quantile_nodes,
)
from taut.acquisition.settings import ScenarioOptions

FREEDOM = [3.0, 5.0, 30.0, np.inf]
OPTIONS = ScenarioOptions()
USUAL = OPTIONS.usual_cells


def distribution(nu: float) -> object:
    return stats.norm if np.isinf(nu) else stats.t(nu)


def test_seven_quantiles() -> None:
    z, w = quantile_nodes(7)
    assert z == pytest.approx([-1.46523, -0.79164, -0.36611, 0.0, 0.36611, 0.79164, 1.46523], abs=1e-5)
    assert w == pytest.approx(1.0 / 7.0)
    assert w @ z**2 == pytest.approx(0.8308, abs=5e-5)
    assert w @ np.maximum(z, 0.0) == pytest.approx(0.3747, abs=5e-5)


def test_nodes_are_the_means_of_their_cells() -> None:
    z, w = cell_nodes(USUAL)
    cuts = [-np.inf, *(-e for e in reversed(USUAL)), *USUAL, np.inf]
    for low, high, node, weight in zip(cuts, cuts[1:], z, w, strict=False):
        mass = integrate.quad(stats.norm.pdf, low, high, epsabs=1e-14)[0]
        moment = integrate.quad(lambda t: t * stats.norm.pdf(t), low, high, epsabs=1e-14)[0]
        assert weight == pytest.approx(mass, rel=1e-5)
        assert node == pytest.approx(moment / mass, rel=1e-5, abs=1e-9)


def test_nodes_have_unit_weight_zero_mean_and_symmetry() -> None:
    z, w = cell_nodes(USUAL)
    assert len(z) == 13 and (np.diff(z) > 0.0).all()
    assert w.sum() == pytest.approx(1.0, abs=1e-15)
    assert w @ z == pytest.approx(0.0, abs=1e-16)
    assert np.array_equal(z, -z[::-1]) and np.array_equal(w, w[::-1])


def test_nodes_keep_the_variance_and_the_partial_mean() -> None:
    z, w = cell_nodes(USUAL)
    assert 0.94 < w @ z**2 < 1.0
    assert w @ np.maximum(z, 0.0) == pytest.approx(0.3989, abs=0.033)
    assert z[-1] > 4.6


@pytest.mark.parametrize(
    "nodes, expected, tolerance", [(quantile_nodes(7), 0.325519, 1e-6), (cell_nodes(USUAL), 0.328361, 2e-3)]
)
def test_feasibility_is_a_martingale(nodes: tuple[np.ndarray, np.ndarray], expected: float, tolerance: float) -> None:
    """mu = 0.4, sigma = 0.9, s = 0.6: E[PF+] = Phi(-0.4/0.9) = 0.328361; seven quantiles give 0.325519."""
    z, w = nodes
    updated = stats.norm.cdf(-(0.4 + 0.6 * z) / np.sqrt(0.9**2 - 0.6**2))
    assert w @ updated == pytest.approx(expected, abs=tolerance)
    exact = integrate.quad(lambda t: stats.norm.pdf(t) * stats.norm.cdf(-(0.4 + 0.6 * t) / np.sqrt(0.45)), -12, 12)[0]
    assert exact == pytest.approx(0.328361, abs=5e-7)


def test_no_constraint_is_one_certain_scenario() -> None:
    none = constraint_scenarios(0, ScenarioOptions(), 1)
    assert none.z.shape == (1, 0) and np.array_equal(none.weight, [1.0])


def test_one_constraint_has_the_nodes_of_the_options() -> None:
    library, paper = (
        constraint_scenarios(1, ScenarioOptions(), 1),
        constraint_scenarios(1, ScenarioOptions(tails=False), 1),
    )
    assert np.array_equal(library.z[:, 0], cell_nodes(USUAL)[0]) and np.array_equal(
        library.weight, cell_nodes(USUAL)[1]
    )
    assert np.array_equal(paper.z[:, 0], quantile_nodes(7)[0])


@pytest.mark.parametrize("cells", [OPTIONS.coarse_cells, USUAL, OPTIONS.fine_cells, OPTIONS.pair_cells])
def test_cells_keep_mean_and_variance_with_their_residual(cells: tuple[float, ...]) -> None:
    z, w = cell_nodes(cells)
    assert len(z) == 2 * len(cells) + (0 if cells[0] == 0.0 else 1)
    assert w.sum() == pytest.approx(1.0, abs=1e-15) and w @ z == pytest.approx(0.0, abs=1e-16)
    assert w @ (z**2 + cell_residual(z, w, cells)) == pytest.approx(1.0, abs=1e-12)


def test_pairs_are_all_combinations_if_there_are_vectors_enough() -> None:
    assert (
        pair_scenarios(ScenarioOptions(vectors=8)) is None
        and pair_scenarios(ScenarioOptions(vectors=128, exact=False)) is None
    )
    for vectors, count in ((32, len(cell_nodes(OPTIONS.coarse_cells)[0])), (128, 14)):
        both = pair_scenarios(ScenarioOptions(vectors=vectors))
        assert both is not None and both.cells is not None
        one, which = both.cells
        assert len(one.weight) == count and both.z.shape == both.residual.shape == (count**2, 2)
        assert both.weight.sum() == pytest.approx(1.0, abs=1e-14)
        assert len(np.unique(both.z, axis=0)) == count**2
        assert np.array_equal(both.z, one.z[which, 0])
        assert both.weight @ (both.z**2 + both.residual) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("count", [2, 5, 70])
def test_several_constraints_have_seeded_vectors(count: int) -> None:
    options = ScenarioOptions(vectors=8)
    first, again, other = (constraint_scenarios(count, options, seed) for seed in (3, 3, 4))
    assert first.z.shape == (8, count) and np.isfinite(first.z).all()
    assert first.weight == pytest.approx(1.0 / 8.0)
    assert np.array_equal(first.z, again.z) and not np.array_equal(first.z, other.z)


def test_vectors_are_standard_normal_in_the_long_run() -> None:
    z = constraint_scenarios(3, ScenarioOptions(vectors=4096), 5).z
    assert z.mean(axis=0) == pytest.approx(0.0, abs=1e-2)
    assert np.cov(z.T) == pytest.approx(np.eye(3), abs=2e-2)


@pytest.mark.parametrize("nu", FREEDOM)
@pytest.mark.parametrize("refine", [1, 3])
def test_envelope_points_are_nested_and_symmetric(nu: float, refine: int) -> None:
    t = envelope_points(nu, OPTIONS.envelope, refine)
    assert len(t) == refine * 2 * (len(OPTIONS.envelope) - 1) + 1
    assert (np.diff(t) > 0.0).all() and t == pytest.approx(-t[::-1], abs=1e-12)
    assert t[::refine] == pytest.approx(envelope_points(nu, OPTIONS.envelope, 1), rel=1e-12)
    assert t[-1] == pytest.approx(distribution(nu).isf(stats.norm.sf(4.8)), rel=1e-8)  # type: ignore[attr-defined]
