"""What the user declares: parameters, one objective, constraints, and which of them are bought together.

All classes are immutable and check themselves when they are made.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

from taut import numeric
from taut.errors import ProblemError, UnknownNameError, ValueRefusedError, listed, way_out
from taut.numeric import Noise, as_float, shown

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_Declared = TypeVar("_Declared")


@dataclass(frozen=True, slots=True)
class Real:
    """A real parameter in [low, high]; with log=True it is searched on a logarithmic scale."""

    name: str
    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        _check_name("Parameter", self.name)
        advice = "give the smallest and the largest value to try, in another unit if need be"
        low = numeric.bound(f"Parameter {self.name!r}: low", self.low, advice)
        high = numeric.bound(f"Parameter {self.name!r}: high", self.high, advice)
        if not low < high:
            raise ProblemError(
                f"Parameter {self.name!r}: high must exceed low, got low={low!r} and high={high!r}; "
                "swap or widen the bounds."
            )
        log = numeric.flag(f"Parameter {self.name!r}: log", self.log)
        if log and low <= 0.0:
            raise ProblemError(
                f"Parameter {self.name!r}: log=True needs low > 0, got low={low!r}; raise low or drop log=True."
            )
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "log", log)

    @property
    def width(self) -> int:
        """Number of unit-cube columns this parameter takes."""
        return 1

    def check(self, value: object) -> float:
        """The value as a float in [low, high]; raises ValueRefusedError otherwise."""
        number = as_float(value)
        if number is None or not self.low <= number <= self.high:
            raise ValueRefusedError(
                f"Parameter {self.name!r}: expected a number in [{self.low!r}, {self.high!r}], "
                f"got {shown(value)}; give a point inside the bounds, or declare wider bounds."
            )
        return number

    def to_unit(self, value: float) -> float:
        """(value - low) / (high - low), on logarithms if log; clipped into [0, 1]."""
        if self.log:
            u = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        else:
            u = (value - self.low) / (self.high - self.low)
        return min(max(u, 0.0), 1.0)

    def from_unit(self, u: float) -> float:
        """The inverse of to_unit; 0 and 1 give low and high exactly, the result never leaves [low, high]."""
        u = float(u)
        if u <= 0.0:
            return self.low
        if u >= 1.0:
            return self.high
        if self.log:
            value = math.exp((1.0 - u) * math.log(self.low) + u * math.log(self.high))
        else:
            value = self.low + u * (self.high - self.low)
        return min(max(value, self.low), self.high)

    def to_dict(self) -> dict[str, Any]:
        return {"type": "real", "name": self.name, "low": self.low, "high": self.high, "log": self.log}


@dataclass(frozen=True, slots=True)
class Objective:
    """The one function to maximise or minimise."""

    name: str
    goal: Literal["maximize", "minimize"] = "maximize"
    cost: float = 1.0
    noise: Noise = None

    def __post_init__(self) -> None:
        _check_name("Objective", self.name)
        goals = ("maximize", "minimize")
        if not isinstance(self.goal, str) or self.goal not in goals:
            raise ProblemError(
                f"Objective {self.name!r}: goal must be 'maximize' or 'minimize', got {shown(self.goal)}; "
                f"{way_out(self.goal, goals)}."
            )
        object.__setattr__(self, "cost", numeric.cost(f"Objective {self.name!r}", self.cost))
        object.__setattr__(self, "noise", numeric.noise(f"Objective {self.name!r}", self.noise))

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
                object.__setattr__(self, side, numeric.bound(f"Constraint {self.name!r}: {side}", bound, advice))
        if self.at_most is not None and self.at_least is not None and not self.at_least < self.at_most:
            raise ProblemError(
                f"Constraint {self.name!r}: at_least must be below at_most, got at_least={self.at_least!r} "
                f"and at_most={self.at_most!r}; no value could meet both."
            )
        object.__setattr__(self, "cost", numeric.cost(f"Constraint {self.name!r}", self.cost))
        object.__setattr__(self, "noise", numeric.noise(f"Constraint {self.name!r}", self.noise))

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
        object.__setattr__(self, "cost", numeric.cost(f"Group {name!r}", cost))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "functions": list(self.functions), "cost": self.cost}


@dataclass(frozen=True, slots=True)
class Unit:
    """What can be bought in one go: a group, or a single function outside any group."""

    functions: tuple[str, ...]
    cost: float
    name: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Parameters, one objective, constraints, and groups of functions that are evaluated together."""

    parameters: tuple[Real, ...]
    objective: Objective
    constraints: tuple[Constraint, ...]
    groups: tuple[Group, ...]
    units: tuple[Unit, ...]
    """All units, in the order of their first function."""

    def __init__(
        self,
        parameters: Iterable[Real],
        objective: Objective,
        constraints: Iterable[Constraint] = (),
        groups: Iterable[Group] = (),
    ) -> None:
        parameters = _all_of("parameters", Real, parameters)
        if not parameters:
            raise ProblemError("Problem: expected at least one parameter, got none; add taut.Real(name, low, high).")
        if not isinstance(objective, Objective):
            raise ProblemError(f"Problem: objective must be a taut.Objective, got {objective!r}.")
        constraints = _all_of("constraints", Constraint, constraints)
        groups = _all_of("groups", Group, groups)
        _check_unique("parameters", [parameter.name for parameter in parameters])
        names = [objective.name, *(constraint.name for constraint in constraints)]
        _check_unique("functions (objective and constraints)", names)
        _check_groups(groups, names)
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "objective", objective)
        object.__setattr__(self, "constraints", constraints)
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "units", _units((objective, *constraints), groups))

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of all functions: the objective first, then the constraints in declared order."""
        return (self.objective.name, *(constraint.name for constraint in self.constraints))

    @property
    def dimension(self) -> int:
        """Number of columns of the unit cube."""
        return sum(parameter.width for parameter in self.parameters)

    def complete(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names plus everything that is evaluated together with them, in declared order."""
        bought = {name for unit in self._hit(names) for name in unit.functions}
        return tuple(name for name in self.functions if name in bought)

    def cost(self, names: Iterable[str]) -> float:
        """What evaluating these functions at one point costs: the sum over the units they lie in."""
        return math.fsum(unit.cost for unit in self._hit(names))

    def function(self, name: str) -> Objective | Constraint:
        """The declaration of one function; raises UnknownNameError."""
        if name == self.objective.name:
            return self.objective
        for constraint in self.constraints:
            if constraint.name == name:
                return constraint
        raise UnknownNameError(f"Function {name!r} is unknown; this problem has {listed(self.functions)}.")

    def check_point(self, point: Mapping[str, object]) -> dict[str, float]:
        """The point with every parameter once, in declared order, in bounds; raises otherwise."""
        if not isinstance(point, Mapping):
            raise ValueRefusedError(
                f"A point must be a dict of parameter values, got {shown(point)}; write {{name: value, ...}}."
            )
        known = [parameter.name for parameter in self.parameters]
        for name in point:
            if name not in known:
                raise UnknownNameError(f"Parameter {name!r} is unknown; this problem has {listed(known)}.")
        missing = [name for name in known if name not in point]
        if missing:
            raise ValueRefusedError(
                f"The point lacks a value for {listed(missing)}; expected {listed(known)}, got {listed(point)}."
            )
        return {parameter.name: parameter.check(point[parameter.name]) for parameter in self.parameters}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-able form; Problem.from_dict is its inverse."""
        return {
            "parameters": [parameter.to_dict() for parameter in self.parameters],
            "objective": self.objective.to_dict(),
            "constraints": [constraint.to_dict() for constraint in self.constraints],
            "groups": [group.to_dict() for group in self.groups],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Problem":
        """The problem that to_dict described."""
        try:
            return cls(
                parameters=[_parameter_from_dict(entry) for entry in data["parameters"]],
                objective=Objective(**data["objective"]),
                constraints=[Constraint(**entry) for entry in data["constraints"]],
                groups=[Group(**entry) for entry in data["groups"]],
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ProblemError(f"Problem.from_dict: expected the form of Problem.to_dict, got {error}.") from error

    def _hit(self, names: Iterable[str]) -> list[Unit]:
        wanted = set(names)
        for name in wanted:
            self.function(name)
        return [unit for unit in self.units if not wanted.isdisjoint(unit.functions)]


def _units(declared: Sequence[Objective | Constraint], groups: Sequence[Group]) -> tuple[Unit, ...]:
    group_of = {name: group for group in groups for name in group.functions}
    order = [function.name for function in declared]
    units: dict[str, Unit] = {}
    for function in declared:
        group = group_of.get(function.name)
        if group is None:
            units[function.name] = Unit((function.name,), function.cost, function.name)
        else:
            members = tuple(sorted(group.functions, key=order.index))
            units.setdefault(members[0], Unit(members, group.cost, group.name))
    return tuple(units.values())


def _parameter_from_dict(entry: Mapping[str, Any]) -> Real:
    fields = dict(entry)
    kind = fields.pop("type", "real")
    if kind != "real":
        raise ProblemError(f"Parameter {fields.get('name')!r}: type must be 'real', got {kind!r}.")
    return Real(**fields)


def _check_groups(groups: Sequence[Group], names: Sequence[str]) -> None:
    _check_unique("groups", [group.name for group in groups])
    owner: dict[str, str] = {}
    for group in groups:
        if group.name in names and group.functions != (group.name,):
            raise ProblemError(f"Group {group.name!r}: a function has the same name; rename one of them.")
        for name in group.functions:
            if name not in names:
                raise UnknownNameError(
                    f"Group {group.name!r}: function {name!r} is unknown; this problem has {listed(names)}."
                )
            if name in owner:
                raise ProblemError(
                    f"Function {name!r} may be in one group only, got {owner[name]!r} and {group.name!r}."
                )
            owner[name] = group.name


def _all_of(field: str, kind: type[_Declared], items: Iterable[_Declared]) -> tuple[_Declared, ...]:
    if isinstance(items, kind) or not isinstance(items, Iterable):
        raise ProblemError(f"Problem: {field} must be a list of taut.{kind.__name__}, got {items!r}.")
    found = tuple(items)
    for item in found:
        if not isinstance(item, kind):
            raise ProblemError(f"Problem: {field} must hold taut.{kind.__name__} only, got {item!r}.")
    return found


def _check_unique(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ProblemError(
                f"Problem: names of {what} must be different, got {name!r} {names.count(name)} times; rename one."
            )


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ProblemError(
            f"{what} {name!r}: a name must start with a letter or underscore and go on with letters, digits, "
            f"'_', '.' or '-', got {name!r}."
        )
