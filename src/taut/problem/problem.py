"""What the user declares: parameters, one objective, constraints, and which of them are bought together.

All classes are immutable and check themselves when they are made.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from taut.base.errors import ProblemError, UnknownNameError, ValueRefusedError, listed
from taut.base.numbers import shown
from taut.problem.bundles import Bundle, bundles, check, check_unique, nominal
from taut.problem.discrete import Choice, Integer, Ordinal, Parameter, _parameter_from_dict
from taut.problem.formula import Tables
from taut.problem.functions import Constraint, Group, Objective, Setup, from_dict
from taut.problem.parameters import Real
from taut.problem.tables import check_formulas, checked_tables

_Declared = TypeVar("_Declared")


@dataclass(frozen=True, slots=True)
class Problem:
    """Parameters, one objective, constraints, and groups of functions that are evaluated together."""

    parameters: tuple[Parameter, ...]
    objective: Objective
    constraints: tuple[Constraint, ...]
    groups: tuple[Group, ...]
    setups: tuple[Setup, ...]
    bundles: tuple[Bundle, ...]
    """What can be bought in one go: the groups, and every function outside them as a group of its own.

    In the order of their first function, which is also the order inside each. Known functions are in none of them.
    """
    tables: Tables = field(hash=False)
    """Numbers for the options of choices, by name of the table; for formulas."""
    measured: bool
    """Is the cost of everything the time that it takes? Then, or with setups, see data/prices.py."""

    def __init__(
        self,
        parameters: Iterable[Parameter],
        objective: Objective,
        constraints: Iterable[Constraint] = (),
        groups: Iterable[Group] = (),
        tables: Tables | None = None,
        setups: Iterable[Setup] = (),
    ) -> None:
        parameters = _all_of("parameters", (Real, Integer, Ordinal, Choice), parameters)
        if not parameters:
            raise ProblemError("Problem: expected at least one parameter, got none; add taut.Real(name, low, high).")
        if not isinstance(objective, Objective):
            raise ProblemError(f"Problem: objective must be a taut.Objective, got {objective!r}.")
        constraints = _all_of("constraints", (Constraint,), constraints)
        groups, setups = _all_of("groups", (Group,), groups), _all_of("setups", (Setup,), setups)
        check_unique("parameters", [parameter.name for parameter in parameters])
        names = [objective.name, *(constraint.name for constraint in constraints)]
        check_unique("functions (objective and constraints)", names)
        declared: list[Objective | Constraint] = [objective, *constraints]
        tables = checked_tables(tables)
        check_formulas(parameters, declared, tables)
        measured = check(declared, groups, setups)
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "objective", objective)
        object.__setattr__(self, "constraints", constraints)
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "setups", setups)
        object.__setattr__(self, "bundles", bundles(declared, groups))
        object.__setattr__(self, "measured", measured)
        object.__setattr__(self, "tables", tables)

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of all functions: the objective first, then the constraints in declared order."""
        return (self.objective.name, *(constraint.name for constraint in self.constraints))

    @property
    def simulated(self) -> tuple[str, ...]:
        """Names of the functions that have to be evaluated, in the same order: all that are not known."""
        return tuple(name for name in self.functions if self.function(name).formula is None)

    @property
    def dimension(self) -> int:
        """Number of columns of the unit cube."""
        return sum(parameter.width for parameter in self.parameters)

    def complete(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names plus everything that is evaluated together with them, in declared order."""
        bought = {name for bundle in self._hit(names) for name in bundle.functions}
        return tuple(name for name in self.functions if name in bought)

    def cost(self, names: Iterable[str]) -> float:
        """What evaluating these functions at a new point costs: the sum over the bundles they lie in, and setups."""
        hit = self._hit(names)
        return math.fsum([*(each.cost for each in hit), *(nominal(each.cost) for each in self.setups_of(hit))])

    def setups_of(self, bought: Iterable[Bundle]) -> list[Setup]:
        """The setups that these bundles need."""
        names = {name for bundle in bought for name in bundle.functions} if self.setups else set()
        return [setup for setup in self.setups if not names.isdisjoint(setup.functions)]

    def function(self, name: str) -> Objective | Constraint:
        """The declaration of one function; raises UnknownNameError."""
        if name == self.objective.name:
            return self.objective
        for constraint in self.constraints:
            if constraint.name == name:
                return constraint
        raise UnknownNameError(f"Function {name!r} is unknown; this problem has {listed(self.functions)}.")

    def check_point(self, point: Mapping[str, object]) -> dict[str, Any]:
        """The point with every parameter once, in declared order, admissible; raises otherwise."""
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
        form: dict[str, Any] = {
            "parameters": [parameter.to_dict() for parameter in self.parameters],
            "objective": self.objective.to_dict(),
            "constraints": [constraint.to_dict() for constraint in self.constraints],
            "groups": [group.to_dict() for group in self.groups],
        }
        more = {"tables": self.tables, "setups": [setup.to_dict() for setup in self.setups]}
        return form | {name: entry for name, entry in more.items() if entry}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Problem":
        """The problem that to_dict described."""
        try:
            return cls(
                parameters=[_parameter_from_dict(entry) for entry in data["parameters"]],
                objective=from_dict(Objective, data["objective"]),
                constraints=[from_dict(Constraint, entry) for entry in data["constraints"]],
                groups=[Group(**entry) for entry in data["groups"]],
                tables=data.get("tables"),
                setups=[Setup(**entry) for entry in data.get("setups", ())],
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ProblemError(f"Problem.from_dict: expected the form of Problem.to_dict, got {error}.") from error

    def _hit(self, names: Iterable[str]) -> list[Bundle]:
        wanted = set(names)
        for name in wanted:
            self.function(name)
        return [bundle for bundle in self.bundles if not wanted.isdisjoint(bundle.functions)]


def _all_of(field: str, kinds: tuple[type, ...], items: Iterable[_Declared]) -> tuple[_Declared, ...]:
    words = " or ".join(f"taut.{kind.__name__}" for kind in kinds)
    if isinstance(items, kinds) or not isinstance(items, Iterable):
        raise ProblemError(f"Problem: {field} must be a list of {words}, got {items!r}.")
    found = tuple(items)
    for item in found:
        if not isinstance(item, kinds):
            raise ProblemError(f"Problem: {field} must hold {words} only, got {item!r}.")
    return found
