"""Small programs with known answers, and what a program remembers."""

import numpy as np
import pytest

from taut.base.arrays import Array
from taut.base.slsqp import NonlinearProgram

CENTRE = np.array([0.9, 0.8])


class Nearest(NonlinearProgram):
    """The point nearest to CENTRE with x + y <= limit; counts evaluations."""

    def __init__(self, limit: float | None) -> None:
        super().__init__(limit is not None)
        self.limit, self.calls = limit, 0

    def objective(self, x: Array) -> tuple[float, Array]:
        self.calls += 1
        return float(((x - CENTRE) ** 2).sum()), 2.0 * (x - CENTRE)

    def limits(self, x: Array) -> tuple[Array, Array]:
        return (
            (np.empty(0), np.empty((0, 2)))
            if self.limit is None
            else (np.array([self.limit - x.sum()]), -np.ones((1, 2)))
        )


class Level(NonlinearProgram):
    """The least s with every height <= s, a variable without bounds; heights are (x - 0.3)^2 - 5 and x - 6."""

    def __init__(self) -> None:
        super().__init__(True, free=1)

    def objective(self, x: Array) -> tuple[float, Array]:
        return float(x[1]), np.array([0.0, 1.0])

    def limits(self, x: Array) -> tuple[Array, Array]:
        heights = np.array([(x[0] - 0.3) ** 2 - 5.0, x[0] - 6.0])
        return x[1] - heights, np.array([[-2.0 * (x[0] - 0.3), 1.0], [-1.0, 1.0]])


@pytest.mark.parametrize(
    "limit, expected", [(None, [0.9, 0.8]), (1.0, [0.55, 0.45]), (9.0, [0.9, 0.8]), (0.0, [0.0, 0.0])]
)
def test_the_constrained_minimum(limit: float | None, expected: list[float]) -> None:
    found = Nearest(limit).solve(np.array([0.2, 0.3]), 1e-10, 50)
    assert found == pytest.approx(np.array(expected), abs=1e-5)


def test_variables_without_bounds() -> None:
    assert Level().solve(np.array([0.9, 3.0]), 1e-12, 50) == pytest.approx(np.array([0.3, -5.0]), abs=1e-5)


def test_the_last_point_is_computed_once() -> None:
    program, x = Nearest(1.0), np.array([0.5, 0.7])
    assert program.margins(x) == pytest.approx([-0.2]) and np.array_equal(program.margin_gradients(x), -np.ones((1, 2)))
    assert program.calls == 1
    x[0] = 0.1  # the caller's array may change; what is remembered belongs to the old values
    assert program.margins(x) == pytest.approx([0.2]) and program.calls == 2


def test_numbers_that_are_not_finite_are_never_returned() -> None:
    class Broken(Nearest):
        def objective(self, x: Array) -> tuple[float, Array]:
            return (np.nan if x[0] > 0.4 else -float(x[0])), np.array([-1e300, 0.0])

    found = Broken(1.0).solve(np.array([0.2, 0.3]), 1e-10, 50)
    assert found is None or np.isfinite(found).all()
