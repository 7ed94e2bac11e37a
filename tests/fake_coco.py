"""A small stand-in for coco-experiment: a bowl whose optimum is where some of K planes meet.

Function 2 of the plane: minimise |x|^2 subject to 1 - x1 <= 0, 2 - x2 <= 0 and others with slack; f* = 5 at (1, 2).
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest

from taut_paper.arena import suite

BEST = 5.0


class FakeProblem:
    def __init__(self, where: suite.Place) -> None:
        self.where, self.calls = where, 0
        self.initial_solution = np.full(where.dimension, 4.0)

    def __call__(self, x: np.ndarray) -> float:
        self.calls += 1
        return float(np.sum(x**2))

    def constraint(self, x: np.ndarray) -> np.ndarray:
        slack = [x[0] - 100.0 * k for k in range(1, self.where.constraints - 1)]
        return np.array([1.0 - x[0], 2.0 - x[1], *slack][: self.where.constraints])


class FakeSuite:
    def __init__(self, name: str, instances: str, options: str) -> None:
        assert (name, instances, options) == (suite.NAME, "instances: 1", "dimensions: 2")

    def get_problem_by_function_dimension_instance(self, function: int, dimension: int, instance: int) -> FakeProblem:
        return FakeProblem(suite.Place(function, dimension, instance))


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of the package, whether it is installed or not."""
    module = ModuleType("cocoex")
    module.__spec__ = ModuleSpec("cocoex", None)
    module.Suite = FakeSuite  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cocoex", module)
    monkeypatch.setattr(suite, "optima", lambda: {suite.Place(f, 2, 1).name: [BEST, 0.0, 1, 2] for f in (1, 2, 3)})
    suite.opened.cache_clear()
