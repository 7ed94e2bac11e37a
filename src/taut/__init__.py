"""Bayesian optimisation with objective and constraints evaluated separately."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taut import bench
    from taut.data import Observation, Recommendation, Suggestion
    from taut.errors import (
        ProblemError,
        StorageError,
        StudyError,
        StudyFileError,
        TautError,
        UnknownNameError,
        ValueRefusedError,
    )
    from taut.problem import Constraint, Group, Objective, Problem, Real
    from taut.simple import maximize, minimize
    from taut.study import Study

__version__ = "0.1.0"

__all__ = [
    "Constraint",
    "Group",
    "Objective",
    "Observation",
    "Problem",
    "ProblemError",
    "Real",
    "Recommendation",
    "StorageError",
    "Study",
    "StudyError",
    "StudyFileError",
    "Suggestion",
    "TautError",
    "UnknownNameError",
    "ValueRefusedError",
    "__version__",
    "bench",
    "maximize",
    "minimize",
]

_HOME = {
    "Constraint": "problem",
    "Group": "problem",
    "Objective": "problem",
    "Observation": "data",
    "Problem": "problem",
    "ProblemError": "errors",
    "Real": "problem",
    "Recommendation": "data",
    "StorageError": "errors",
    "Study": "study",
    "StudyError": "errors",
    "StudyFileError": "errors",
    "Suggestion": "data",
    "TautError": "errors",
    "UnknownNameError": "errors",
    "ValueRefusedError": "errors",
    "maximize": "simple",
    "minimize": "simple",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import taut` itself loads nothing else."""
    if name == "bench":
        return importlib.import_module("taut.bench")
    if name not in _HOME:
        raise AttributeError(f"module 'taut' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"taut.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
