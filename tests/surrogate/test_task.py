"""One fitting problem: its parameters, their box and their prior, with a trend and without."""

import numpy as np
import pytest

from taut.surrogate.settings import ModelSettings
from taut.surrogate.task import More, Task


def task(n: int = 20, noise: object = None, **settings: object) -> Task:
    X = np.random.default_rng(1).random((n, 3))
    y = X @ np.array([3.0, -1.0, 0.5]) + 0.1 * np.sin(7.0 * X[:, 0])
    return Task(X, (y - y.mean()) / y.std(), noise, 1.0, ModelSettings(**settings), More())  # type: ignore[arg-type]


@pytest.mark.parametrize("noise, free", [(None, 4), ("learned", 4), (0.1, 4)])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_start_box_and_prior_have_the_same_parameters(noise: object, free: int, order: int) -> None:
    each = task(noise=noise).with_trend(order)
    value, gradient = each.penalty(each.start())
    assert len(each.box) == len(each.start()) == len(gradient) == free + order
    plain = each.with_trend(0)
    assert value == pytest.approx(plain.penalty(plain.start())[0])
    assert (gradient[3 : 3 + order] == 0.0).all()


def test_a_trend_is_put_into_parameters_and_read_from_them() -> None:
    each = task().with_trend(2)
    theta = each.with_variances(task().start(), 1e4)
    assert each.trend(theta) == pytest.approx((1e4, 1e4)) and task().trend(theta) is None
    assert each.lengths(theta) == pytest.approx(task().lengths(task().start()))
    assert each.with_trend(2) is each and each.with_trend(0).order == 0


def test_only_values_enough_and_a_polynomial_that_explains_something_allow_a_trend() -> None:
    assert task().margin(1) == ModelSettings().trend_margin
    assert task(6).margin(1) == np.inf and task(7).margin(1) < np.inf
    assert task(12).margin(2) == np.inf
    assert task(20).margin(2) == np.inf  # a wave is left
    assert task(20, trend_rest=(0.9, 0.9)).margin(2) > 40.0
    assert task(20, trend_rest=(0.01, 0.01)).margin(1) == np.inf
    assert task(20, noise=0.1).margin(1) == task(20, prior="gamma").margin(1) == np.inf


def test_a_signal_is_never_too_small_together_with_its_trend() -> None:
    each = task().with_trend(1)
    trend = each.trend(each.with_variances(task().start(), 1e4))
    assert trend is not None
    least = ModelSettings().constant_amplitude
    assert task().signal(0.0, None) == least
    assert each.signal(0.0, trend) * (1.0 + trend.mean(3)) == pytest.approx(least)
