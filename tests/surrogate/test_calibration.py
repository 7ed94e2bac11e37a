"""Error bars grow with errors that were too large, and with nothing else."""

from collections.abc import Iterable

import numpy as np
import pytest
from processes import random_process

from taut.data.results import Error
from taut.surrogate.calibration import widened, widening
from taut.surrogate.settings import ModelSettings

SETTINGS = ModelSettings()


def errors(z: Iterable[float], w: float = 1.0) -> list[Error]:
    return [Error(i, (0.5,), each, 9.0, w) for i, each in enumerate(z)]


def test_without_errors_nothing_changes() -> None:
    assert widening([], SETTINGS) == 1.0


def test_errors_of_the_right_size_or_smaller_change_nothing() -> None:
    assert widening(errors([0.01, -0.5, 1.0] * 10), SETTINGS) == 1.0


def test_the_formula() -> None:
    z, q = [0.5, -4.0, 100.0, 2.0], SETTINGS.widen_forget
    top = 8.0 + 2.0**2 + q * 6.0**2 + q**2 * 4.0**2 + q**3 * 0.5**2
    assert widening(errors(z), SETTINGS) == pytest.approx(np.sqrt(top / (8.0 + 1.0 + q + q**2 + q**3)))


def test_errors_that_stay_too_large_are_believed_and_one_surprise_is_forgiven() -> None:
    assert widening(errors([3.0, -3.0] * 30), SETTINGS) == pytest.approx(3.0, rel=0.2)
    assert widening(errors([50.0] + [0.3] * 40), SETTINGS) == 1.0


def test_what_was_widened_already_is_not_taken_for_right() -> None:
    """Errors of 1 in bars that were three times as wide are errors of 3."""
    assert widening(errors([1.0, -1.0] * 30, 3.0), SETTINGS) == widening(errors([3.0, -3.0] * 30), SETTINGS)


def test_in_the_end_the_error_bars_are_right() -> None:
    rng, told = np.random.default_rng(0), errors([])
    for i in range(300):
        w = widening(told, SETTINGS)
        told.append(Error(i, (0.5,), 4.0 * rng.standard_normal() / w, 9.0, w))
    z = np.array([error.z for error in told[30:]])
    assert 0.8 < np.sqrt(np.mean(z**2)) < 1.6


def test_a_widened_process_has_the_same_mean() -> None:
    gp, x = random_process(3, 7, 2), np.random.default_rng(1).random((4, 2))
    wide = widened(gp, 2.0)
    assert widened(gp, 1.0) is gp
    assert wide.posterior(x).mean == pytest.approx(gp.posterior(x).mean, rel=1e-12)
    assert wide.posterior(x).var == pytest.approx(4.0 * gp.posterior(x).var, rel=1e-12)
    assert wide.amplitude == pytest.approx(4.0 * gp.amplitude)
