"""The logarithmic scale of a constraint: monotone, threshold kept, invertible, chosen by evidence where it helps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import dataset

from taut.surrogate.model import fit_surrogate
from taut.surrogate.settings import ModelSettings
from taut.surrogate.warp import LEAST, log_slope, scales, tempered, unwarp, warp

VALUES = st.floats(-1e8, 1e8).map(lambda y: y if abs(y) > 1e-6 else 0.0)
SCALES = st.floats(1e-6, 1e6)


@given(VALUES, VALUES, SCALES)
def test_order_and_threshold_are_kept(a: float, b: float, s: float) -> None:
    left, right = warp(np.array([min(a, b), max(a, b)]), s)
    assert left <= right
    assert np.sign(left) == np.sign(min(a, b)) and warp(np.zeros(1), s)[0] == 0.0


@given(VALUES, st.sampled_from([0.0, 1e-3, 1.0, 50.0]))
def test_inverse(y: float, s: float) -> None:
    assert unwarp(warp(np.array([y]), s), s)[0] == pytest.approx(y, rel=1e-9, abs=1e-12)


def test_infinite_bounds_stay_infinite_and_far_predictions_finite() -> None:
    assert np.array_equal(warp(np.array([-np.inf, np.inf]), 2.0), [-np.inf, np.inf])
    assert np.isfinite(unwarp(np.array([-1e6, 1e6]), 2.0)).all()


@given(st.lists(st.floats(-100.0, 100.0).filter(lambda v: abs(v) > 1e-2), min_size=1, max_size=4), st.floats(0.1, 10.0))
def test_log_slope_is_the_log_of_the_derivative(y: list[float], s: float) -> None:
    values, h = np.array(y), 1e-6
    numeric = (warp(values + h, s) - warp(values - h, s)) / (2.0 * h)
    assert log_slope(values, s) == pytest.approx(np.log(numeric).sum(), abs=1e-5)
    assert log_slope(values, 0.0) == 0.0


@pytest.mark.parametrize(
    "y, any_of_them",
    [([1.0, 2.0, -3.0, 1.5], False), ([0.1, 0.2, -0.1, 50.0], True), ([1.0, 100.0], False), ([0.0] * 6, False)],
)
def test_scales_are_tried_for_heavy_tails_only(y: list[float], any_of_them: bool) -> None:
    found = scales(np.array(y), ModelSettings())
    assert bool(found) is any_of_them and all(s > 0.0 for s in found)


def test_a_scale_is_not_too_small_for_the_values() -> None:
    """y/s would be no float."""
    y = np.array([1e30, -1.0, 5e-324, 2.0, 3.0])
    found = scales(y, ModelSettings())
    assert found and min(found) == LEAST * 1e30 and all(np.isfinite(warp(y, s)).all() for s in found)
    assert tempered(1e-300, y) == LEAST * 1e30 and tempered(2.0, y) == 2.0 and tempered(0.0, y) == 0.0


def data(heavy: bool) -> object:
    X = np.random.default_rng(1).random((24, 1))
    wave = np.sin(6.0 * X[:, 0]) + 0.3
    c = np.sign(wave) * np.expm1(7.0 * np.abs(wave)) if heavy else wave
    return dataset([X, X], [wave, c])


@pytest.mark.parametrize("heavy", [True, False])
def test_evidence_decides(heavy: bool) -> None:
    """A smooth function seen through an exponential is modelled on its logarithm; a plain one is left alone."""
    found = fit_surrogate(data(heavy), ModelSettings(), {}, {})  # type: ignore[arg-type]
    assert found.warps[0] == 0.0 and (found.warps[1] > 0.0) is heavy
    assert found.memory["c1"]["warp"] == found.warps[1]
    again = fit_surrogate(data(heavy), ModelSettings(), found.memory, {})  # type: ignore[arg-type]
    assert again.warps == found.warps and np.array_equal(again.processes[1].alpha, found.processes[1].alpha)
    assert fit_surrogate(data(heavy), ModelSettings(warp=False), {}, {}).warps == (0.0, 0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_choice_does_not_depend_on_the_unit(unit: float) -> None:
    """Pascal or megapascal: the same change of scale."""
    X = np.random.default_rng(0).random((12, 2))
    wave = np.sin(4.0 * X[:, 0]) + X[:, 1] - 0.5
    c = np.sign(wave) * np.expm1(3.0 * np.abs(wave))
    plain, other = (fit_surrogate(dataset([X, X], [wave, y]), ModelSettings(), {}, {}).warps[1] for y in (c, unit * c))
    assert plain > 0.0
    assert other == pytest.approx(unit * plain, rel=1e-6)


def test_noisy_constraints_and_the_objective_keep_their_scale() -> None:
    X = np.random.default_rng(2).random((12, 1))
    y = np.exp(8.0 * X[:, 0]) - 3.0
    found = fit_surrogate(dataset([X, X], [y, y], noise="learned"), ModelSettings(), {}, {})
    assert found.warps == (0.0, 0.0)
