"""What is evaluated: one objective, constraints, and groups of functions that come together."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from taut.base import numbers
from taut.base.errors import ProblemError, listed, way_out
from taut.base.numbers import Cost, Noise, shown
from taut.problem.parameters import _check_name


@dataclass(frozen=True, slots=True)
class Objective:
    """The one function to maximise or minimise."""

    name: str
    goal: Literal["maximize", "minimize"] = "maximize"
    cost: Cost = 1.0
    noise: Noise = None

    def __post_init__(self) -> None:
        _check_name("Objective", self.name)
        goals = ("maximize", "minimize")
        if not isinstance(self.goal, str) or self.goal not in goals:
            raise ProblemError(
                f"Objective {self.name!r}: goal must be 'maximize' or 'minimize', got {shown(self.goal)}; "
                f"{way_out(self.goal, goals)}."
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
    cost: Cost = 1.0
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
    cost: Cost

    def __init__(self, name: str, functions: Iterable[str], cost: Cost) -> None:
        _check_name("Group", name)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "functions", _members(f"Group {name!r}", functions, "come together"))
        object.__setattr__(self, "cost", numbers.cost(f"Group {name!r}", cost))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "functions": list(self.functions), "cost": self.cost}


@dataclass(frozen=True, slots=True)
class Setup:
    """A step that several functions share, such as a mesh: paid once per point, by the first of them."""

    name: str
    functions: tuple[str, ...]
    cost: Cost

    def __init__(self, name: str, functions: Iterable[str], cost: Cost) -> None:
        _check_name("Setup", name)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "functions", _members(f"Setup {name!r}", functions, "share it"))
        object.__setattr__(self, "cost", numbers.cost(f"Setup {name!r}", cost))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "functions": list(self.functions), "cost": self.cost}


def _members(what: str, functions: object, which: str) -> tuple[str, ...]:
    """The functions of a group or setup: at least one name, each once."""
    members = functions if isinstance(functions, str) or not isinstance(functions, Iterable) else tuple(functions)
    if not isinstance(members, tuple) or not all(isinstance(member, str) for member in members):
        raise ProblemError(
            f"{what}: functions must be a list of names, got {shown(members)}; write for example functions=['f', 'c']."
        )
    if not members or len(set(members)) != len(members):
        raise ProblemError(
            f"{what}: functions must be at least one name, each once, got {listed(members)}; "
            f"name the objective or constraints that {which}."
        )
    return members
