"""What is evaluated: one objective, constraints, and groups of functions that come together."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from taut.base import numbers
from taut.base.errors import ProblemError, listed, way_out
from taut.base.numbers import Noise, shown
from taut.problem.parameters import _check_name


@dataclass(frozen=True, slots=True)
class Objective:
    """The one function to maximise or minimise."""

    name: str
    goal: Literal["maximize", "minimize"] = "maximize"
    cost: float = 1.0
    noise: Noise = None
    scale: Literal["log", "linear"] | None = None
    """How its values are modelled: on a logarithmic scale below the best one, as they are, or by what they show."""

    def __post_init__(self) -> None:
        _check_name("Objective", self.name)
        goals, scales = ("maximize", "minimize"), ("log", "linear")
        if not isinstance(self.goal, str) or self.goal not in goals:
            raise ProblemError(
                f"Objective {self.name!r}: goal must be 'maximize' or 'minimize', got {shown(self.goal)}; "
                f"{way_out(self.goal, goals)}."
            )
        if self.scale is not None and (not isinstance(self.scale, str) or self.scale not in scales):
            raise ProblemError(
                f"Objective {self.name!r}: scale must be 'log', 'linear' or None, got {shown(self.scale)}; "
                f"{way_out(self.scale, scales)}."
            )
        object.__setattr__(self, "cost", numbers.cost(f"Objective {self.name!r}", self.cost))
        object.__setattr__(self, "noise", numbers.noise(f"Objective {self.name!r}", self.noise))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Constraint:
    """A function whose value must be at most and/or at least a bound."""

    name: str
    at_most: float | None = None
    at_least: float | None = None
    cost: float = 1.0
    noise: Noise = None

    def __post_init__(self) -> None:
        _check_name("Constraint", self.name)
        if self.at_most is None and self.at_least is None:
            raise ProblemError(
                f"Constraint {self.name!r}: expected a bound, got none; give at_most=..., at_least=..., or both."
            )
        for side in ("at_most", "at_least"):
            bound = getattr(self, side)
            if bound is not None:
                advice = "leave it out if there is no such limit, or use another unit"
                object.__setattr__(self, side, numbers.bound(f"Constraint {self.name!r}: {side}", bound, advice))
        if self.at_most is not None and self.at_least is not None and not self.at_least < self.at_most:
            raise ProblemError(
                f"Constraint {self.name!r}: at_least must be below at_most, got at_least={self.at_least!r} "
                f"and at_most={self.at_most!r}; no value could meet both."
            )
        object.__setattr__(self, "cost", numbers.cost(f"Constraint {self.name!r}", self.cost))
        object.__setattr__(self, "noise", numbers.noise(f"Constraint {self.name!r}", self.noise))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Group:
    """Functions that one program returns together, at one cost (which replaces their own costs)."""

    name: str
    functions: tuple[str, ...]
    cost: float

    def __init__(self, name: str, functions: Iterable[str], cost: float) -> None:
        _check_name("Group", name)
        members = functions if isinstance(functions, str) or not isinstance(functions, Iterable) else tuple(functions)
        if not isinstance(members, tuple) or not all(isinstance(member, str) for member in members):
            raise ProblemError(
                f"Group {name!r}: functions must be a list of names, got {shown(members)}; "
                "write for example functions=['f', 'c']."
            )
        if not members or len(set(members)) != len(members):
            raise ProblemError(
                f"Group {name!r}: functions must be at least one name, each once, got {listed(members)}; "
                "name the objective or constraints that come together."
            )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "functions", members)
        object.__setattr__(self, "cost", numbers.cost(f"Group {name!r}", cost))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "functions": list(self.functions), "cost": self.cost}
