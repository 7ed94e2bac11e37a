"""The problems of the guard: of the paper, of engineering, and own ones, and how they are used.

Settings may be chosen on cases and seeds of CHOOSE; what is reported is measured on the others.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from guarding.landscapes import FAMILIES, Landscape
from guarding.reference import Reference, reference
from guarding.tails import TAILS
from taut.bench.problems import BenchProblem, problem
from taut.problem.functions import Constraint, Objective
from taut.problem.parameters import Real
from taut.problem.problem import Problem
from taut_paper.experiments import EXPERIMENTS

ENGINEERING = ("welded_beam", "pressure_vessel", "spring_narrow", "speed_reducer")
BUMPY = (
    *("bumps2", "waves2", "hills2", "ripples2", "sines2", "keane2", "chirp2"),
    *("bumps3", "waves3", "sines3", "hills3", "waves4", "bumps5"),
)
TAILED = (
    *("goldstein2", "decades3", "decades4", "decades7", "valley2", "valley4"),
    *("product3", "product6", "plateau2", "plateau4", "cliff2"),
)
OWN = (*BUMPY, "islands2", "rings2", "islands3", "steep4", *TAILED)
KINDS = FAMILIES | TAILS
PAPER = tuple(name for name in EXPERIMENTS if name not in ENGINEERING)
GROUPS = {"paper": PAPER, "engineering": ENGINEERING, "own": OWN, "bumpy": BUMPY, "tails": TAILED}
GROUPS["all"] = (*PAPER, *ENGINEERING, *OWN)
UNITS = {"paper": 80.0, "f=5": 160.0, "c=5": 100.0, "engineering": 200.0, "each": 60.0}
"""Budgets: experiments of the paper, with a cost of 5, of engineering, and for each parameter of an own problem."""
CHOOSE = (
    *("mystery", "mystery-f=5", "constrained_branin-f=5", "test_function_2"),
    *("bumps2", "waves2", "hills2", "ripples2", "islands2", "pressure_vessel"),
)
CHOOSE_SEEDS = range(10)


@dataclass(frozen=True)
class OwnFunction:
    """Function number k (0: the objective) of a landscape, of a point in the user's units."""

    landscape: Landscape
    k: int

    def __call__(self, point: dict[str, float]) -> float:
        f, c = self.landscape(np.array([list(point.values())]))
        return float(f[0] if self.k == 0 else c[self.k - 1, 0])


@dataclass(frozen=True)
class Case:
    """One problem: of the library, or number `instance` of an own family."""

    name: str
    instance: int = 0

    @property
    def own(self) -> bool:
        return self.name in OWN

    @cached_property
    def _family(self) -> tuple[str, int]:
        return self.name.rstrip("0123456789"), int(self.name[-1])

    def landscape(self) -> Landscape:
        """Of the unit cube."""
        if self.own:
            family, d = self._family
            rng = np.random.default_rng([self.instance, *self.name.encode()])
            return KINDS[family].make(rng, d)
        found = self._library
        low, high = np.array([[p.low, p.high] for p in found.problem.parameters]).T
        names = [p.name for p in found.problem.parameters]

        def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            points = [dict(zip(names, row, strict=True)) for row in low + x * (high - low)]
            values = np.array([list(found.evaluate(point).values()) for point in points]).T
            return values[0], values[1:]

        return at

    @cached_property
    def _library(self) -> BenchProblem:
        declared = EXPERIMENTS[self.name]
        return problem(declared.problem, declared.costs)

    @cached_property
    def truth(self) -> Reference:
        key = f"{self.name} {self.instance}" if self.own else EXPERIMENTS[self.name].problem
        return reference(key, self.landscape, self.dimension)

    @property
    def dimension(self) -> int:
        return self._family[1] if self.own else len(self._library.problem.parameters)

    @cached_property
    def bench(self) -> BenchProblem:
        if not self.own:
            return self._library
        truth, landscape = self.truth, self.landscape()
        names = ["c"] if len(truth.ranges) == 1 else [f"c{k}" for k in range(1, len(truth.ranges) + 1)]
        parameters = [Real(f"x{i}", 0.0, 1.0) for i in range(1, self.dimension + 1)]
        constraints = [Constraint(name, at_most=0.0) for name in names]
        declared = Problem(parameters=parameters, objective=Objective("f", goal="maximize"), constraints=constraints)
        return BenchProblem(
            name=self.name,
            description=KINDS[self._family[0]].words,
            problem=declared,
            functions={name: OwnFunction(landscape, k) for k, name in enumerate(declared.functions)},  # type: ignore
            optimum=truth.optimum,
            solution=dict(zip([p.name for p in parameters], truth.x, strict=True)),
            binding=(),
            penalty=truth.lowest,
            constraint_ranges=dict(zip(names, truth.ranges, strict=True)),
        )

    @property
    def budget(self) -> float:
        if self.own:
            return UNITS["each"] * self.dimension
        if self.name in ENGINEERING:
            return UNITS["engineering"]
        costs = EXPERIMENTS[self.name].costs
        return UNITS["paper" if not costs else "f=5" if self.name == "mystery-f=5" else "c=5"]

    @property
    def initial(self) -> int:
        """The usual size of an initial design, whichever version is measured."""
        return max(6, 2 * (self.dimension + 1))


def case(name: str, seed: int) -> Case:
    """A library problem is the same for all seeds; of an own family every seed has its instance."""
    return Case(name, seed if name in OWN else 0)


def selected(names: list[str]) -> list[str]:
    """Cases and groups by name, each once."""
    found = [each for name in names for each in GROUPS.get(name, (name,))]
    unknown = [name for name in found if name not in GROUPS["all"]]
    if unknown:
        raise SystemExit(f"unknown cases {unknown}; known are {[*GROUPS, *GROUPS['all']]}")
    return list(dict.fromkeys(found))
