"""What was measured at every point, and the best point that was measured whole: no model is asked.

A design is a point with the values that count there: those of suggestions and those measured elsewhere, repeats as
their mean, and those of known functions. It is whole if every function has a value there, none has failed there, and
every constraint holds as measured. Kept up to date row by row, at a cost that does not depend on how many there are.

One design has one point, to the last digit: the way through the unit cube and back may change it, and a program that is
not smooth to the last digit would be asked at another place. Who asks, adds or recommends takes the digits from here.
"""

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from taut.data.results import Incumbent
from taut.data.rows import Observation
from taut.problem.functions import Objective
from taut.problem.known import Known
from taut.problem.problem import Problem

SAME = 1e-9
"""Points that are no further apart than this in the unit cube (max-norm) are one."""


@dataclass
class Design:
    """All that counts at one point."""

    point: dict[str, Any]
    place: tuple[float, ...]
    """In the unit cube, [d]."""
    values: dict[str, list[float]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    admissible: bool = True
    """Do the known constraints hold here? Beside a place where they do not, another may be a design of its own."""
    suggestions: list[int] = field(default_factory=list)

    def measured(self, names: Sequence[str]) -> dict[str, float]:
        """The value of each function that has one, repeats as their mean."""
        return {name: math.fsum(found) / len(found) for name in names if (found := self.values.get(name))}

    def whole(self, problem: Problem) -> bool:
        """Was everything measured here, and do the constraints hold as measured?"""
        if self.failed or len(self.values) < len(problem.functions):
            return False
        return all(holds(problem, name, value) for name, value in self.measured(problem.functions).items())


def holds(problem: Problem, name: str, value: float) -> bool:
    """Does a value of a function keep its limits? That of the objective has none."""
    function = problem.function(name)
    if isinstance(function, Objective):
        return True
    above = function.at_least is None or value >= function.at_least
    return above and (function.at_most is None or value <= function.at_most)


class Designs:
    """All designs of a study."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._known = [Known(problem, name) for name in problem.functions if name not in problem.simulated]
        self._weights = [math.sqrt(2.0 + k) for k in range(problem.dimension)]
        self._step = 2.0 * SAME * math.fsum(self._weights)  # twice: rounding
        self._by_point: dict[tuple[float, ...], Design] = {}
        self._by_shadow: dict[int, list[Design]] = {}
        self._whole: dict[int, tuple[float, Design]] = {}  # by identity: what the objective gains there
        self._best: tuple[float, Design] | None = None

    def add(self, row: Observation) -> None:
        """Take one more row that counts."""
        design = self._found(row.point)
        if design is None:
            design = self._new(row.point)
        if row.value is None:
            design.failed.add(row.function)
        else:
            design.values.setdefault(row.function, []).append(row.value)
        if row.suggestion is not None and row.suggestion not in design.suggestions:
            design.suggestions.append(row.suggestion)
        self._judge(design)

    def ask(self, point: Mapping[str, Any]) -> None:
        """A point is under way: from now on it is written like this."""
        if self._found(point) is None:
            self._new(point)

    def as_written(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """The point of the design that this one is, to the last digit; itself if there is none."""
        design = self._found(point)
        return dict(point if design is None else design.point)

    def at(self, point: Mapping[str, Any]) -> tuple[dict[str, float], bool]:
        """What was measured at this very point, and was it whole?"""
        design = self._found(point) or self._made(point)
        return design.measured(self._problem.functions), design.whole(self._problem)

    @property
    def best_objective(self) -> float | None:
        """Of the incumbent, as measured; None if there is none."""
        if self._best is None:
            return None
        return self._best[0] if self._problem.objective.goal == "maximize" else -self._best[0]

    def incumbent(self) -> Incumbent | None:
        """The whole design with the best objective; of equals the first."""
        if self._best is None:
            return None
        design = self._best[1]
        measured = design.measured(self._problem.functions)
        objective = measured[self._problem.objective.name]
        return Incumbent(dict(design.point), objective, measured, tuple(design.suggestions))

    def _judge(self, design: Design) -> None:
        """Is it whole now, and the best?"""
        self._whole.pop(id(design), None)
        if design.whole(self._problem):
            name, goal = self._problem.objective.name, self._problem.objective.goal
            value = design.measured([name])[name]
            self._whole[id(design)] = (value if goal == "maximize" else -value), design
        now = self._whole.get(id(design))
        if self._best is not None and self._best[1] is design:  # by a repeat the best may become worse; that is rare
            self._best = max(self._whole.values(), key=lambda pair: pair[0], default=None)
        elif now is not None and (self._best is None or now[0] > self._best[0]):
            self._best = now

    def _found(self, point: Mapping[str, Any]) -> Design | None:
        known = self._by_point.get(self._cells(point))
        if known is not None:
            return known
        place = self._place(point)
        shadow = self._shadow(place)
        near = (each for key in (shadow - 1, shadow, shadow + 1) for each in tuple(self._by_shadow.get(key, ())))
        return next((each for each in near if each.admissible and _apart(each.place, place) <= SAME), None)

    def _made(self, point: Mapping[str, Any]) -> Design:
        """A design of which nothing was measured; what is known counts as measured everywhere."""
        design = Design(dict(point), self._place(point))
        for known in self._known:
            value = known.value(point)
            if math.isnan(value):
                design.failed.add(known.name)
            else:
                design.values[known.name] = [value]
                design.admissible &= holds(self._problem, known.name, value)
        design.admissible &= not design.failed
        return design

    def _new(self, point: Mapping[str, Any]) -> Design:
        design = self._made(point)
        self._by_point[self._cells(point)] = design
        self._by_shadow.setdefault(self._shadow(design.place), []).append(design)
        return design

    def _cells(self, point: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple([point[parameter.name] for parameter in self._problem.parameters])

    def _place(self, point: Mapping[str, Any]) -> tuple[float, ...]:
        return tuple([u for each in self._problem.parameters for u in each.place(point[each.name])])

    def _shadow(self, place: tuple[float, ...]) -> int:
        """A number by which points are filed: those within SAME of each other differ by at most one.

        Of a projection with weights that tell coordinates apart, in steps as wide as SAME can move it.
        """
        return math.floor(math.fsum(map(operator.mul, self._weights, place)) / self._step)


def rewritten(problem: Problem, designs: Designs, rows: Iterable[Observation]) -> list[Observation]:
    """New rows with their points in the digits of the designs that are there, or of the first among themselves."""
    new, found = Designs(problem), []
    for row in rows:
        point = new.as_written(designs.as_written(row.point))
        new.ask(point)
        found.append(replace(row, point=point))
    return found


def _apart(one: tuple[float, ...], two: tuple[float, ...]) -> float:
    return max(abs(a - b) for a, b in zip(one, two, strict=True))
