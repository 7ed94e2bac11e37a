"""What was measured at every point, as arrays."""

import math
from typing import Any

import numpy as np
import pytest

import taut
from taut.data.dataset import Dataset
from taut.data.designs import Designs
from taut.data.measured import Measured, _united
from taut.data.rows import Observation

X, Y = taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)
PROBLEM = taut.Problem([X, Y], taut.Objective("f", goal="minimize"), [taut.Constraint("c", at_most=1.0)])


def measured(*rows: tuple[str, tuple[float, float], float | None]) -> Measured:
    told = [Observation(name, {"x": at[0], "y": at[1]}, value) for name, at, value in rows]
    return Measured.of(Dataset.from_rows(PROBLEM, [], told))


A, B, C = (0.25, 0.5), (0.5, 0.5), (0.75, 0.125)


def test_nothing_yet() -> None:
    found = measured()
    assert found.best is None and found.at(np.array(A), 1.0) is None


def test_the_best_is_whole_and_held_as_measured() -> None:
    found = measured(("f", A, 3.0), ("c", A, 0.5), ("f", B, 1.0), ("c", B, 1.5), ("f", C, 2.0))
    assert found.best is not None and found.points[found.best].tolist() == list(A)
    assert found.whole.tolist() == [True, True, False] and found.violated.tolist() == [False, True, False]


def test_a_limit_that_is_just_met_is_met() -> None:
    assert measured(("f", A, 3.0), ("c", A, 1.0)).best == 0
    assert measured(("f", A, 3.0), ("c", A, math.nextafter(1.0, 2.0))).best is None


def test_the_smaller_objective_wins_if_it_is_minimised() -> None:
    found = measured(*[(name, at, value) for at, value in ((A, 0.5), (B, 0.25)) for name in ("f", "c")])
    assert found.best is not None and found.points[found.best].tolist() == list(B)


@pytest.mark.parametrize("more", [(), (("c", A, 0.5),)])
def test_a_failure_spoils_a_design_as_it_does_for_the_incumbent(more: tuple[Any, ...]) -> None:
    rows = (("f", A, 3.0), ("c", A, None), *more)
    designs = Designs(PROBLEM)
    for name, at, value in rows:
        designs.add(Observation(name, {"x": at[0], "y": at[1]}, value))
    assert measured(*rows).best is None and designs.incumbent() is None


def test_repeats_count_by_their_mean() -> None:
    found = measured(("f", A, 1.0), ("f", A, 2.0), ("c", A, 0.9), ("c", A, 1.3))
    assert found.y[0, 0] == pytest.approx(-1.5) and found.best is None


def test_what_is_next_to_an_evaluated_point_is_that_point() -> None:
    found, near = measured(("f", A, 3.0)), np.array(A) + 1e-7
    assert np.array_equal(found.snapped(near, 1e-6), A) and np.array_equal(found.snapped(near, 1e-8), near)
    assert found.value(0, near, 1e-6) == -3.0
    assert found.value(1, near, 1e-6) is None and found.value(0, near, 1e-8) is None


def test_values_of_one_design_are_of_one_design_whatever_the_last_digit() -> None:
    """Each function was asked for at the same place, which came back from the user's units in another last digit."""
    hair, far = math.nextafter(A[0], 1.0), A[0] + 1e-8
    rows = [("f", A, 3.0), ("c", (hair, A[1]), 0.5), ("c", B, 0.5), ("f", (far, A[1]), 1.0)]
    found = measured(*rows)
    assert len(found.points) == 3 and found.best is not None and found.points[found.best].tolist() == list(A)
    assert found.value(1, np.array([hair, A[1]]), 1e-9) is not None
    assert found.whole.sum() == 1


def test_uniting_is_that_of_all_pairs() -> None:
    rng = np.random.default_rng(7)
    apart = np.vstack([rng.random((40, 3)), np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 5)] * 3), -1).reshape(-1, 3)])
    rows = np.repeat(apart, 3, axis=0)
    rows[1::3] += 3e-10 * (rng.random(apart.shape) - 0.5)
    points, place = _united(*np.unique(rows, axis=0, return_inverse=True))
    assert len(points) == len(apart)
    np.testing.assert_allclose(points[place], rows, rtol=0.0, atol=1e-9)
