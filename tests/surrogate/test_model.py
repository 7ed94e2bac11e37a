"""All functions together: repeated points, notes and memory of the fits, evaluations under way."""

import numpy as np
import pytest
from processes import dataset, process, random_process, surrogate

from taut.data.moderate import moderated
from taut.data.results import Error
from taut.surrogate.model import fit_surrogate, with_pending
from taut.surrogate.settings import ModelSettings


def test_noisy_repeats_are_kept() -> None:
    X = np.array([[0.2], [0.2], [0.7], [0.9]])
    y = np.array([1.0, 1.2, 3.0, -1.0])
    noisy = fit_surrogate(dataset([X], [y], noise=0.1), ModelSettings(), {}, {})
    exact = fit_surrogate(dataset([X], [y]), ModelSettings(), {}, {})
    assert len(noisy.processes[0].X) == 4
    assert len(exact.processes[0].X) == 3


def test_memory_and_notes_carry_the_name_of_the_function() -> None:
    rng = np.random.default_rng(2)
    X = [rng.random((6, 2)), np.array([[0.4, 0.4], [0.4 + 1e-8, 0.4]])]
    y = [X[0].sum(axis=1) ** 2, np.array([1.0, 2.0])]
    found = fit_surrogate(dataset(X, y), ModelSettings(rho=1e-18), {}, {})
    assert set(found.memory) == {"f", "c1"}
    assert found.notes and all(note.startswith("c1: ") for note in found.notes)
    again = fit_surrogate(dataset(X, y), ModelSettings(rho=1e-18), found.memory, {})
    assert again.memory == found.memory


def test_nothing_pending_changes_nothing() -> None:
    gp = random_process(3, 5, 2)
    assert with_pending(surrogate(gp), (np.empty((0, 2)),), 8, 0) == (gp,)


@pytest.mark.parametrize("fantasies", [1, 8])
def test_covariances_are_conditioned_on_pending_points_whatever_their_outcome(fantasies: int) -> None:
    gp = random_process(4, 6, 2, rho=1e-4)
    rng = np.random.default_rng(5)
    Q, x = rng.random((3, 2)), rng.random((7, 2))
    (after,) = with_pending(surrogate(gp), (Q,), fantasies, 0)
    expected = gp.observed(Q, np.zeros((3, 1)))
    assert after.posterior(x).var == pytest.approx(expected.posterior(x).var, rel=1e-9)
    assert after.covariance(after.posterior(x), after.posterior(Q)) == pytest.approx(
        expected.covariance(expected.posterior(x), expected.posterior(Q)), abs=1e-12
    )
    assert after.posterior(x).mean.shape == (fantasies, 7)


def test_one_fantasy_is_the_kriging_believer() -> None:
    gp = random_process(6, 6, 2)
    rng = np.random.default_rng(7)
    Q, x = rng.random((2, 2)), rng.random((5, 2))
    (after,) = with_pending(surrogate(gp), (Q,), 1, 0)
    assert after.posterior(x).mean == pytest.approx(gp.posterior(x).mean, abs=1e-7)


def test_fantasies_reproduce_the_mean_and_the_lost_variance() -> None:
    """E[mean given fantasy] = mean, and Var[mean given fantasy] = v - v given the pending points."""
    gp = random_process(8, 5, 2, rho=1e-3)
    rng = np.random.default_rng(9)
    Q, x = rng.random((2, 2)), rng.random((6, 2))
    (after,) = with_pending(surrogate(gp), (Q,), 4096, 1)
    before, here = gp.posterior(x), after.posterior(x)
    sd = np.sqrt(before.var)
    assert np.abs(here.mean.mean(axis=0) - before.mean[0]).max() < 5e-3 * sd.max()
    assert here.mean.var(axis=0) == pytest.approx(before.var - here.var, rel=0.02, abs=1e-3 * before.var.max())


def test_fantasies_next_to_a_known_point_are_no_wilder_than_the_belief() -> None:
    """Next to a data point a pending one says little: means may move by the variance it takes away, not more."""
    X = np.array([[0.0], [0.25], [0.5], [0.75], [1.0]])
    gp = process(X, np.sin(4.0 * X[:, 0]), length=0.35, rho=1e-12)
    x = np.array([[0.6], [0.4], [0.9]])
    (after,) = with_pending(surrogate(gp), (np.array([[0.5 + 2e-6]]),), 512, 2)
    lost = gp.posterior(x).var - after.posterior(x).var
    assert (after.posterior(x).mean.var(axis=0) < 2.0 * lost + 1e-9 * gp.amplitude).all()


def test_functions_without_pending_points_get_as_many_fantasies() -> None:
    processes = tuple(random_process(seed, 5, 2) for seed in (10, 11, 12))
    Q = np.random.default_rng(13).random((2, 2))
    after = with_pending(surrogate(*processes), (Q, np.empty((0, 2)), Q), 8, 3)
    x = np.array([[0.3, 0.6]])
    assert [gp.posterior(x).mean.shape for gp in after] == [(8, 1)] * 3
    assert after[1].posterior(x).mean == pytest.approx(np.repeat(processes[1].posterior(x).mean, 8, axis=0))
    assert np.ptp(after[0].posterior(Q).mean[:, 0]) > 0.0
    same = with_pending(surrogate(*processes), (Q, np.empty((0, 2)), Q), 8, 3)
    assert np.array_equal(same[2].alpha, after[2].alpha)


def test_outcomes_of_different_functions_are_independent() -> None:
    processes = tuple(random_process(seed, 5, 2) for seed in (14, 15))
    Q = np.array([[0.2, 0.9]])
    after = with_pending(surrogate(*processes), (Q, Q), 1024, 4)
    first, second = (gp.posterior(Q).mean[:, 0] for gp in after)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.05


@pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-4])
def test_crowded_pending_points_are_not_fatal(gap: float) -> None:
    gp = random_process(16, 12, 2, rho=1e-12, length=1.5)
    Q = np.vstack([gp.X[:3] + gap, gp.X[:3] + 2.0 * gap, gp.X[:3] - gap])
    (after,) = with_pending(surrogate(gp), (Q,), 8, 5)
    here = after.posterior(np.random.default_rng(17).random((20, 2)))
    assert np.isfinite(here.mean).all() and (here.var > 0.0).all()


def test_a_change_of_scale_is_remembered_in_the_units_of_the_values() -> None:
    """A later value may change the unit in which they are treated."""
    X = np.random.default_rng(3).random((8, 1))
    y = 1e-40 * np.exp(25.0 * X[:, 0])
    small = dataset([X, X], [y, y])
    found = fit_surrogate(moderated(small), ModelSettings(), {}, {})
    unit = moderated(small).functions[1].unit
    assert unit > 1.0 and found.warps[1] > 0.0
    assert found.memory["c1"]["warp"] == found.warps[1] / unit and y.min() <= found.memory["c1"]["warp"] <= y.max()
    plain = fit_surrogate(small, ModelSettings(), found.memory, {})
    assert plain.warps[1] == found.memory["c1"]["warp"]


def test_what_is_told_is_widened_by_recorded_errors_and_decisions_are_not() -> None:
    X = np.random.default_rng(2).random((9, 2))
    known = dataset([X, X], [np.sin(5.0 * X[:, 0]), X.sum(axis=1) ** 2])
    errors = {known.functions[1].name: [Error(i, (0.5, 0.5), 5.0, 9.0) for i in range(9)]}
    plain = fit_surrogate(known, ModelSettings(), {}, {})
    wide = fit_surrogate(known, ModelSettings(), {}, {}, errors=errors)
    assert wide.widths[0] == 1.0 and wide.widths[1] > 2.0
    x = np.array([[0.3, 0.6]])
    assert wide.honest(1).posterior(x).var == pytest.approx(wide.widths[1] ** 2 * plain.honest(1).posterior(x).var)
    assert np.array_equal(wide.processes[1].posterior(x).var, plain.processes[1].posterior(x).var)
    assert np.array_equal(wide.cautious.processes[1].posterior(x).var, wide.honest(1).posterior(x).var)
