"""What is evaluated: one objective, constraints, and groups of functions that come together."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from taut.base import numbers
from taut.base.errors import ProblemError, listed, way_out
from taut.base.numbers import Cost, Noise, shown
from taut.problem.formula import Formula
from taut.problem.parameters import _check_name

PointFunction = Callable[[dict[str, Any]], float]
"""A known function as Python has it: of the point, a dict."""
PointGradient = Callable[[dict[str, Any]], Mapping[str, float]]
"""Its derivatives with respect to the real parameters, by name."""


@dataclass(frozen=True, slots=True)
class NotHandedOver:
    """Stands for a Python function that a storage cannot keep: its name there."""

    name: str


@dataclass(frozen=True, slots=True)
class Objective:
    """The one function to maximise or minimise."""

    name: str
    goal: Literal["maximize", "minimize"] = "maximize"
    cost: Cost = 1.0
    noise: Noise = None
    scale: Literal["log", "linear"] | None = None
    """How its values are modelled: on a logarithmic scale below the best one, as they are, or by what they show."""
    formula: str | PointFunction | NotHandedOver | None = field(default=None, hash=False)  # may be unhashable
    """Known: a formula in text or a callable of the point. It costs nothing and is never asked for."""
    gradient: PointGradient | None = field(default=None, hash=False)
    """Of a formula that is a callable; by differences if it is not given."""

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
        _check_price(self, f"Objective {self.name!r}")
        if self.formula is not None and self.scale is not None:
            what, why = f"Objective {self.name!r}: scale", "what is known has no model to scale"
            raise ProblemError.of(what, "none beside a formula", shown(self.scale), why)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-able form."""
        return _fields(self)


@dataclass(frozen=True, slots=True)
class Constraint:
    """A function whose value must be at most and/or at least a bound."""

    name: str
    at_most: float | None = None
    at_least: float | None = None
    cost: Cost = 1.0
    noise: Noise = None
    formula: str | PointFunction | NotHandedOver | None = field(default=None, hash=False)  # may be unhashable
    """As of an objective. No suggestion and no recommendation ever violates a known constraint."""
    gradient: PointGradient | None = field(default=None, hash=False)

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
            equal = self.at_least == self.at_most
            way = "leave as much room between them as is good enough" if equal else "no value could meet both"
            raise ProblemError(
                f"Constraint {self.name!r}: at_least must be below at_most, got at_least={self.at_least!r} "
                f"and at_most={self.at_most!r}; {way}."
            )
        _check_price(self, f"Constraint {self.name!r}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-able form."""
        return _fields(self)


def _check_price(function: Objective | Constraint, what: str) -> None:
    """What a function costs and how noisy it is; nothing of both if it is known."""
    noise = numbers.noise(what, function.noise)
    object.__setattr__(function, "noise", noise)
    if function.formula is None:
        if function.gradient is not None:
            raise ProblemError.of(f"{what}: gradient", "a formula that is a Python function", "none", "add formula=...")
        object.__setattr__(function, "cost", numbers.cost(what, function.cost))
        return
    if numbers.as_float(function.cost) not in (0.0, 1.0):  # 1 is what it is if nobody says anything
        raise ProblemError.of(
            f"{what}: cost", "none beside a formula", shown(function.cost), "what is known costs nothing"
        )
    if noise is not None:
        raise ProblemError.of(f"{what}: noise", "none beside a formula", shown(noise), "a formula has no noise")
    object.__setattr__(function, "cost", 0.0)
    if isinstance(function.formula, str):
        Formula.of(what, function.formula)
    elif not callable(function.formula) and not isinstance(function.formula, NotHandedOver):
        way = "write formula='2 * width' or formula=a_function_of_the_point"
        raise ProblemError.of(f"{what}: formula", "a text or a Python function", shown(function.formula), way)
    if function.gradient is not None and (isinstance(function.formula, str) or not callable(function.gradient)):
        way = (
            "leave it out: the gradient of a text is exact" if isinstance(function.formula, str) else "give a function"
        )
        raise ProblemError.of(f"{what}: gradient", "a Python function beside one", shown(function.gradient), way)


def _fields(function: Objective | Constraint) -> dict[str, Any]:
    """All fields as JSON has them. A Python function is a name only; what most functions do not have is left out."""
    found = {each.name: getattr(function, each.name) for each in fields(function) if each.name != "gradient"}
    formula = found.pop("formula")
    if formula is None:
        return found
    if not isinstance(formula, str):
        formula = {"python": function.name}
    return found | {"formula": formula}


def from_dict(kind: type[Any], entry: Mapping[str, Any]) -> Any:
    """The objective or constraint that to_dict described."""
    made = dict(entry)
    if isinstance(made.get("formula"), Mapping):
        made["formula"] = NotHandedOver(made["formula"]["python"])
    return kind(**made)


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
        """Plain JSON-able form."""
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
        """Plain JSON-able form."""
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
