"""Bayesian optimisation with objective and constraints evaluated separately.

Reading order, one direction of flow: base, problem, data, surrogate, acquisition, policy (how a decision is made);
storage, study (the conversation with the user); bench (problems with known answers); plot (pictures of a study); hosts
(inside other software: import taut.hosts.openmdao, taut.hosts.gest); app (everything one types).
The names below are public; everything else is private and may change.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taut import bench as bench
    from taut import plot as plot
    from taut.base.errors import ProblemError as ProblemError
    from taut.base.errors import StorageError as StorageError
    from taut.base.errors import StudyError as StudyError
    from taut.base.errors import StudyFileError as StudyFileError
    from taut.base.errors import TautError as TautError
    from taut.base.errors import UnknownNameError as UnknownNameError
    from taut.base.errors import ValueRefusedError as ValueRefusedError
    from taut.data.results import FunctionCheck as FunctionCheck
    from taut.data.results import Incumbent as Incumbent
    from taut.data.results import Prediction as Prediction
    from taut.data.results import Recommendation as Recommendation
    from taut.data.rows import Observation as Observation
    from taut.data.rows import Suggestion as Suggestion
    from taut.problem.discrete import Choice as Choice
    from taut.problem.discrete import Integer as Integer
    from taut.problem.discrete import Ordinal as Ordinal
    from taut.problem.functions import Constraint as Constraint
    from taut.problem.functions import Group as Group
    from taut.problem.functions import Objective as Objective
    from taut.problem.functions import Setup as Setup
    from taut.problem.parameters import Real as Real
    from taut.problem.problem import Problem as Problem
    from taut.study.simple import maximize as maximize
    from taut.study.simple import minimize as minimize
    from taut.study.study import Study as Study

__version__ = "0.1.0"

_HOME = {
    "base.errors": (
        "ProblemError",
        "StorageError",
        "StudyError",
        "StudyFileError",
        "TautError",
        "UnknownNameError",
        "ValueRefusedError",
    ),
    "problem.parameters": ("Real",),
    "problem.discrete": ("Choice", "Integer", "Ordinal"),
    "problem.functions": ("Constraint", "Group", "Objective", "Setup"),
    "problem.problem": ("Problem",),
    "data.results": ("FunctionCheck", "Incumbent", "Prediction", "Recommendation"),
    "data.rows": ("Observation", "Suggestion"),
    "study.study": ("Study",),
    "study.simple": ("maximize", "minimize"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(["__version__", "bench", "plot", *_MODULE])


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import taut` itself loads nothing else."""
    if name in ("bench", "plot"):
        return importlib.import_module(f"taut.{name}")
    if name not in _MODULE:
        raise AttributeError(f"module 'taut' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"taut.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
