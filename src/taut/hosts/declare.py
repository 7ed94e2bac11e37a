"""The problem that a host's variables and responses are, with what is bought together and what is shared."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from taut.base.arrays import Array
from taut.base.errors import ProblemError, listed, way_out
from taut.base.numbers import Cost, as_float, finite, shown
from taut.hosts.dataflow import Bundle, Nodes, Owners, Shared, of_family
from taut.hosts.names import clean
from taut.hosts.responses import Design, Limits, Response
from taut.problem.functions import Constraint, Group, Objective, Setup
from taut.problem.problem import Problem

Goal = Literal["maximize", "minimize"]

CHEAP = 1e-2
"""Cost of a response of whose own components none costs anything, as a share of what everything costs together: taut
divides by costs, and every decision takes a second, so that what is free is not to be bought by the hundred."""


@dataclass(frozen=True)
class Goals:
    """The objective and the limits, by the names of the host. name: that of the objective in taut."""

    objective: str
    goal: Goal
    name: str
    limits: Mapping[str, Limits]

    @staticmethod
    def of(objective: str, goal: Goal, constrained: Iterable[Response], most: int) -> "Goals":
        """most: entries of a response up to which each is a constraint."""
        name, limits = clean(objective), {}
        taken = [name]
        for response in constrained:
            limits[response.name] = Limits.of(response, most, taken)
            taken += limits[response.name].names
        return Goals(objective, goal, name, limits)

    def functions(self, responses: Iterable[str]) -> list[str]:
        """What these responses are called in taut."""
        return [name for each in responses for name in self._names(each)]

    def values(self, arrays: Mapping[str, Array]) -> dict[str, float]:
        """By function, what responses [n] say."""
        found: dict[str, float] = {}
        for response, entries in arrays.items():
            found |= self.limits[response].values(entries) if response in self.limits else {}
            found |= {self.name: float(entries.flat[0])} if response == self.objective else {}
        return found

    def _names(self, response: str) -> list[str]:
        own = [self.name] if response == self.objective else []
        return [*own, *(self.limits[response].names if response in self.limits else ())]


@dataclass(frozen=True)
class Declared:
    """Everything about a study of a host's model. parts: by path, their nodes; costs: by part, None if measured."""

    design: Design
    goals: Goals
    bundles: tuple[Bundle, ...]
    parts: Mapping[str, Nodes]
    shared: tuple[Shared, ...]
    costs: Mapping[str, float] | None

    def problem(self) -> Problem:
        constraints: list[Constraint] = []
        groups: list[Group] = []
        every = [name for bundle in self.bundles for name in self.functions(bundle)]
        objective = None
        for k, bundle in enumerate(self.bundles):
            names, cost = self.functions(bundle), self._cost(k)
            if len(names) > 1:
                groups.append(Group(clean(bundle.name, [*every, *(each.name for each in groups)]), names, cost))
            if self.goals.objective in bundle.responses:
                objective = Objective(self.goals.name, self.goals.goal, cost=cost)
            for name in bundle.responses:
                constraints += self.goals.limits[name].constraints(cost) if name in self.goals.limits else []
        assert objective is not None  # some bundle has it
        taken = [*every, *(each.name for each in groups)]
        return Problem(self.design.parameters, objective, constraints, groups, setups=self._setups(taken))

    def functions(self, bundle: Bundle) -> list[str]:
        return self.goals.functions(bundle.responses)

    def shared_by(self, number: int) -> frozenset[str]:
        """The parts that are a setup for a bundle."""
        return frozenset().union(*(each.parts for each in self.shared if number in each.bundles))

    def _setups(self, taken: list[str]) -> list[Setup]:
        found: list[Setup] = []
        for shared in self.shared:
            names = [name for k in sorted(shared.bundles) for name in self.functions(self.bundles[k])]
            named = clean(min(sorted(shared.parts), key=len), [*taken, *(each.name for each in found)])
            found.append(Setup(named, names, "measured" if self.costs is None else shared.weight))
        return found

    def _cost(self, number: int) -> Cost:
        """Of a bundle without its setup."""
        if self.costs is None:
            return "measured"
        nodes, setup = self.bundles[number].nodes, self.shared_by(number)
        own = [part for part, inside in self.parts.items() if inside & nodes and part not in setup]
        return math.fsum(self.costs[part] for part in own) or CHEAP * math.fsum(self.costs.values())


def families(stored: Mapping[str, Any], goals: Goals, bundles: Sequence[Bundle]) -> list[frozenset[int]]:
    """The bundles, by number, of each setup of a stored problem, so that the study is declared as it was."""
    number_of = {name: k for k, bundle in enumerate(bundles) for name in goals.functions(bundle.responses)}
    return [frozenset(number_of.get(name, -1) for name in setup["functions"]) for setup in stored.get("setups", ())]


def as_before(found: Iterable[frozenset[int]], owned: Owners, costs: Mapping[str, float] | None) -> tuple[Shared, ...]:
    """The setups of these families."""
    return tuple(of_family(family, owned, costs or {}) for family in found)


def part_costs(costs: Any, paths: Sequence[str]) -> dict[str, float] | None:
    """What each part costs, by what is given for it and for what is inside it; None if it is measured."""
    if isinstance(costs, str) and costs == "measured":
        return None
    if not isinstance(costs, Mapping):
        raise ProblemError.of("costs", "'measured' or a dict", shown(costs), "write for example {'aero': 10.0}")
    found = dict.fromkeys(paths, 0.0)
    for path, cost in costs.items():
        part = next((each for each in paths if not each or f"{path}.".startswith(f"{each}.")), None)
        inside = [each for each in paths if each.startswith(f"{path}.")]
        if part is None and inside:
            way = f"give costs of {listed(inside)} instead, which are run or left out one by one"
            raise ProblemError.of(
                f"costs: {path!r}", "a component, or a group with a solver of its own", "neither", way
            )
        if part is None:
            way = way_out(path, paths)
            raise ProblemError(f"costs: {path!r} is nothing that is run here, which are {listed(paths)}; {way}.")
        number = as_float(cost)
        if number is None or not 0.0 <= number < math.inf:
            raise ProblemError.of(f"costs: {path!r}", "a number of 0 or more", shown(cost), "give what one run costs")
        found[part] += number
    if not any(found.values()):
        raise ProblemError.of("costs", "at least one above 0", shown(costs), f"name some of {listed(paths)}")
    return found


def check_fixed(limits: Limits, entries: Array) -> None:
    """Raise if a response that no variable changes does not hold."""
    values = limits.values(entries)
    for each in limits.constraints(1.0):
        if not holds(each, values[each.name]):
            raise ProblemError(
                f"Constraint {each.name!r} depends on no design variable and is {values[each.name]!r}, which is not "
                f"within {each.at_least} to {each.at_most}: no design can meet it. Connect it to a design variable, or "
                "correct the limit."
            )


def limits(constraint: Constraint) -> str:
    """As words: what its value has to be."""
    sides = (("at least", constraint.at_least), ("at most", constraint.at_most))
    return " and ".join(f"{word} {limit:g}" for word, limit in sides if limit is not None)


def holds(constraint: Constraint, value: float | None) -> bool:
    """Is a measured value within the limits?"""
    number = finite(value)
    low = -math.inf if constraint.at_least is None else constraint.at_least
    high = math.inf if constraint.at_most is None else constraint.at_most
    return number is not None and low <= number <= high
