"""Columns that share a length-scale: fitted as one, with the right gradient, and equal to the plain fit without any."""

import numpy as np
import pytest

from taut.base.arrays import Array
from taut.base.levels import Options
from taut.surrogate.fit import fit
from taut.surrogate.likelihood import Standardised, integrated, plugged_in
from taut.surrogate.settings import ModelSettings, SuccessSettings
from taut.surrogate.success_fit import hyperparameters
from taut.surrogate.task import More
from taut.surrogate.ties import gathered, spread

TIES = (0, 0, 0, 1)


def data(n: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    option = rng.integers(0, 3, n)
    X = np.hstack([Options(0, 3).places(option), rng.random((n, 1))])
    return X, np.sin(5.0 * X[:, 3]) + np.array([0.0, 0.7, -0.4])[option]


def test_there_and_back() -> None:
    assert spread(np.array([2.0, 3.0]), TIES).tolist() == [2.0, 2.0, 2.0, 3.0]
    assert gathered(np.array([1.0, 2.0, 3.0, 4.0]), TIES).tolist() == [6.0, 4.0]
    plain = np.array([1.0, 2.0])
    assert spread(plain, ()) is plain and gathered(plain, ()) is plain


@pytest.mark.parametrize("kind", ["integrated", "plugged in"])
def test_the_gradient_of_the_likelihood_is_in_the_shared_length_scales(kind: str) -> None:
    X, y = data(12)
    tied = Standardised(X, y, 3.0, ties=TIES)
    none = lambda theta: (0.0, np.zeros_like(theta))  # noqa: E731

    def value(theta: Array) -> tuple[float, Array]:
        found = integrated(tied, theta, 1e-6, none) if kind == "integrated" else plugged_in(tied, theta, 1e-6, none)
        return found[0], found[1]

    theta = np.array([-0.5, -0.9] if kind == "integrated" else [-0.5, -0.9, 0.2])
    _, gradient = value(theta)
    for k in range(len(theta)):
        step = np.zeros(len(theta))
        step[k] = 1e-5
        difference = (value(theta + step)[0] - value(theta - step)[0]) / 2e-5
        assert gradient[k] == pytest.approx(difference, rel=1e-4, abs=1e-6)
    whole = Standardised(X, y, 3.0)
    full = np.append(spread(theta[:2], TIES), theta[2:])
    plain = integrated(whole, full, 1e-6, none) if kind == "integrated" else plugged_in(whole, full, 1e-6, none)
    assert plain[0] == pytest.approx(value(theta)[0], rel=1e-12)


def test_options_of_a_choice_get_one_length_scale() -> None:
    X, y = data(20)
    found = fit(X, y, None, ModelSettings(), None, more=More(ties=TIES))
    l = found.gp.hyper.l
    assert len(l) == 4 and l[0] == l[1] == l[2] != l[3]
    assert found.warm is not None and len(found.warm.theta) == 3  # two lengths, and the roughness
    assert found.gp.posterior(X).mean[0] == pytest.approx(y, abs=1e-3)


def test_where_functions_can_be_computed_as_well() -> None:
    X, _ = data(24, 1)
    bad = X[:, 3] > 0.7
    l = hyperparameters(X[~bad], X[bad], SuccessSettings(), TIES).l
    assert len(l) == 4 and l[0] == l[1] == l[2] != l[3]
