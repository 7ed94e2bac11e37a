"""What rounding adds where values will be printed coarsely."""

import math

import numpy as np
import pytest
from states import context, everywhere

import taut
from taut.base.quasirandom import sobol
from taut.policy.belief import belief
from taut.policy.coarse import coarse_variance
from taut.policy.context import Context

POINTS = sobol(24, 2, np.random.default_rng(0))


def steep(q: dict[str, float]) -> float:
    """From about -0.6 to about 400."""
    return math.exp(6.0 * q["x"]) + q["y"] - 1.6


def printed(q: dict[str, float]) -> float:
    return float(f"{steep(q):.2e}")


def of(c: object) -> Context:
    X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]
    problem = taut.Problem(X, taut.Objective("f"), [taut.Constraint("c", at_most=0.0)])
    return context(everywhere(problem, {"f": lambda q: q["x"], "c": c}, POINTS))  # type: ignore[dict-item]


def added(made: Context, x: np.ndarray) -> float:
    return coarse_variance(made, 1, x, made.surrogate.honest(1).posterior(x[None, :]).mean[0])


def test_a_large_value_is_as_uncertain_as_its_digits() -> None:
    made, large = of(printed), np.array([0.97, 0.31])
    assert added(made, large) > 0.0
    step = 10.0 ** (math.floor(math.log10(steep({"x": 0.97, "y": 0.31}))) - 2)
    assert belief(made, large).sd[1] >= 0.95 * step / math.sqrt(12.0)


def test_nothing_is_added_to_what_is_known_or_exact() -> None:
    assert added(of(printed), POINTS[3]) == 0.0
    assert added(of(steep), np.array([0.97, 0.31])) == pytest.approx(0.0)
