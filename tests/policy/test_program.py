"""The constrained optimum and its multipliers: by hand."""

from dataclasses import replace

import numpy as np
import pytest

from taut.acquisition.feasibility import Bounds
from taut.base.domain import Domain
from taut.base.levels import Ordered
from taut.policy.program import LOWER, UPPER, Functions, Smooth, corner, multipliers
from taut.policy.question_settings import PriceSettings

SETTINGS = PriceSettings()


def linear(a: float, *slope: float) -> Smooth:
    g = np.array(slope)
    return lambda x: (a + float(g @ x), g)


def plane(*constraints: tuple[Smooth, Bounds], sizes: float = 1.0) -> Functions:
    """max 2 x1 + x2."""
    smooth = (linear(0.0, 2.0, 1.0), *(each for each, _ in constraints))
    return Functions(smooth, (sizes,) * len(smooth), tuple(b for _, b in constraints), Domain(2))


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e9])
def test_multipliers_of_a_linear_program(size: float) -> None:
    """x1 + x2 <= 1, x1 <= 0.5: gain 1 for the first limit, 1 for the second; a third one is slack."""
    limits = [(linear(0.0, 1.0, 1.0), 1.0), (linear(0.0, 1.0, 0.0), 0.5), (linear(0.0, 0.0, 1.0), 0.9)]
    scaled = [(linear(0.0, *(size * each(np.zeros(2))[1])), Bounds(-np.inf, size * b)) for each, b in limits]
    found = corner(
        Functions(
            (linear(0.0, 2.0, 1.0), *(each for each, _ in scaled)),
            (1.0, size, size, size),
            tuple(b for _, b in scaled),
            Domain(2),
        ),
        np.array([0.2, 0.2]),
        SETTINGS,
    )
    assert found is not None and found.x == pytest.approx([0.5, 0.5], abs=1e-6)
    assert found.multipliers[:, UPPER] * size == pytest.approx([1.0, 1.0, 0.0], abs=1e-6)
    assert not found.multipliers[:, LOWER].any()


def test_the_lower_side_of_a_limit_has_its_own_multiplier() -> None:
    found = corner(plane((linear(0.0, -1.0, -1.0), Bounds(-1.5, 0.5))), np.array([0.1, 0.1]), SETTINGS)
    assert found is not None and found.x == pytest.approx([1.0, 0.5], abs=1e-6)
    assert found.multipliers[0] == pytest.approx([0.0, 1.0], abs=1e-6)  # x2 gives way; the end of x1 costs the rest


def test_ends_of_the_parameters_are_limits_without_a_price() -> None:
    found = corner(plane((linear(0.0, 1.0, 0.0), Bounds(-np.inf, 5.0))), np.array([0.3, 0.3]), SETTINGS)
    assert found is not None and found.x == pytest.approx([1.0, 1.0]) and not found.multipliers.any()


def test_no_optimum_within_the_limits() -> None:
    assert corner(plane((linear(3.0, 1.0, 0.0), Bounds(-np.inf, 0.0))), np.array([0.3, 0.3]), SETTINGS) is None


def test_a_moved_limit_gains_what_its_multiplier_says() -> None:
    bowl: Smooth = lambda x: (-float(((x - 0.8) ** 2).sum()), -2.0 * (x - 0.8))  # noqa: E731
    functions = Functions((bowl, linear(0.0, 1.0, 2.0)), (1.0, 1.0), (Bounds(-np.inf, 1.2),), Domain(2))
    here, there = (
        corner(each, np.array([0.1, 0.1]), SETTINGS) for each in (functions, functions.moved(0, UPPER, 1.2001))
    )
    assert here is not None and there is not None
    assert (there.value - here.value) / 1e-4 == pytest.approx(here.multipliers[0, UPPER], rel=1e-3)


def test_where_more_limits_meet_than_are_needed_multipliers_are_still_a_certificate() -> None:
    """Three lines through one point of the plane: the gradient is left without a rest, by multipliers >= 0."""
    slopes = np.array([[-1.0, 0.0], [0.0, -1.0], [-1.0, -1.0]])
    lam, rest = multipliers(np.array([2.0, 1.0]), np.zeros(3), slopes, np.array([0.5, 0.5]), SETTINGS)
    assert rest == pytest.approx(0.0, abs=1e-12) and (lam >= 0.0).all()
    assert slopes.T @ lam == pytest.approx([-2.0, -1.0])


def test_what_no_limit_explains_is_left() -> None:
    lam, rest = multipliers(np.array([0.0, 3.0]), np.array([0.0]), np.array([[-1.0, 0.0]]), np.full(2, 0.5), SETTINGS)
    assert lam == pytest.approx([0.0]) and rest == pytest.approx(3.0)


def test_discrete_parameters_stay_where_they_are() -> None:
    """With x2 held at 0.25, x1 + x2 <= 1 leaves x1 = 0.75, and all of the limit's price is x1's slope."""
    domain = Domain(2, (Ordered(1, 5, (0.0, 0.25, 0.5, 0.75, 1.0)),))
    functions = replace(plane((linear(0.0, 1.0, 1.0), Bounds(-np.inf, 1.0))), domain=domain)
    found = corner(functions, np.array([0.1, 0.25]), SETTINGS)
    assert found is not None and found.x == pytest.approx([0.75, 0.25])
    assert found.multipliers[0, UPPER] == pytest.approx(2.0)
