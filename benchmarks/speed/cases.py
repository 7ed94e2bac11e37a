"""The measured situations: a problem, and a study that already knows n values of every function."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import taut
from speed.synthetic import Functions, synthetic
from taut.base.quasirandom import latin_hypercube
from taut.data.dataset import Dataset, Request
from taut.data.rows import Observation, Suggestion
from taut.problem.space import from_unit
from taut.storage.memory import MemoryStorage

NEAR = 1.0 / 6.0
"""Share of the values that lie around the best feasible point: 20 % on top of the spread ones."""
WIDTH = 0.05
"""Standard deviation of that cloud, in the unit cube."""


@dataclass(frozen=True)
class Case:
    """n values per function of a problem: a name of taut.bench, or "synthetic" with d parameters, K constraints.

    steps > 0: not a made-up design but the state of a real dckg run after so many suggestions.
    """

    problem: str
    n: int
    d: int = 2
    K: int = 1
    steps: int = 0

    @property
    def name(self) -> str:
        if self.steps:
            return f"{self.problem}-run{self.steps}"
        size = f"-d{self.d}-k{self.K}" if self.problem == "synthetic" else ""
        return f"{self.problem}{size}-n{self.n}"


def _bench(problem: str, K: int, sizes: tuple[int, ...]) -> list[Case]:
    return [Case(problem, n, 2, K) for n in sizes]


SPEED = (
    *_bench("mystery", 1, (20, 100, 300, 1000)),
    *_bench("test_function_2", 3, (20, 100, 300)),
    *(Case("synthetic", 50, 6, K) for K in (3, 10, 30, 100)),
    Case("synthetic", 200, 20, 5),
)
QUALITY = (
    *_bench("mystery", 1, (20, 100)),
    *_bench("test_function_2", 3, (20, 100)),
    *(Case("synthetic", n, 6, K) for K in (3, 10) for n in (20, 50)),
    *(Case(name, 0, 2, K, steps) for name, K in (("mystery", 1), ("test_function_2", 3)) for steps in (20, 60)),
)
STEPS = (Case("mystery", 100), Case("mystery", 1000), Case("synthetic", 50, 6, 10), Case("synthetic", 50, 6, 100))
MEMORY = Case("synthetic", 2000, 6, 20)


@dataclass(frozen=True)
class Setting:
    """A problem with its functions and measured rows: points in user units, the value of one function each."""

    problem: taut.Problem
    functions: Functions
    rows: tuple[Observation, ...]

    def value(self, name: str, point: Mapping[str, float]) -> float:
        return float(self.functions[name](point))


def setting(case: Case, seed: int) -> Setting:
    """One Latin hypercube for all functions, and for each function own points around the best feasible of them."""
    tested: Any = synthetic(case.d, case.K) if case.problem == "synthetic" else taut.bench.problem(case.problem)
    problem, functions = tested.problem, dict(tested.functions)
    rng = np.random.default_rng([seed, case.n, case.d, case.K])
    extra = round(case.n * NEAR)
    spread = [from_unit(problem, u) for u in latin_hypercube(case.n - extra, case.d, rng)] if case.n else []
    rows = [Observation(name, point, float(functions[name](point))) for point in spread for name in problem.functions]
    if extra:
        centre = np.array([p.to_unit(best_known(problem, rows)[p.name]) for p in problem.parameters])
        for name in problem.functions:
            cloud = np.clip(centre + WIDTH * rng.normal(size=(extra, case.d)), 0.0, 1.0)
            points = [from_unit(problem, u) for u in cloud]
            rows += [Observation(name, point, float(functions[name](point))) for point in points]
    return Setting(problem, functions, tuple(rows))


def by_point(problem: taut.Problem, rows: Any) -> list[tuple[dict[str, float], dict[str, float]]]:
    """The points where every function is known, with the values by name."""
    found: dict[tuple[float, ...], tuple[dict[str, float], dict[str, float]]] = {}
    for row in rows:
        point = dict(row.point)
        found.setdefault(tuple(point.values()), (point, {}))[1][row.function] = row.value
    return [(point, values) for point, values in found.values() if len(values) == len(problem.functions)]


def best_known(problem: taut.Problem, rows: Any) -> dict[str, float]:
    """The best feasible point where everything is known; if there is none, the one with the smallest violation.

    All problems here are maximised with constraints <= 0.
    """

    def key(entry: tuple[dict[str, float], dict[str, float]]) -> tuple[float, float]:
        values = entry[1]
        violation = max((max(v, 0.0) for name, v in values.items() if name != "f"), default=0.0)
        return -violation, values["f"]

    return max(by_point(problem, rows), key=key)[0]


class OneByOne(MemoryStorage):
    """Keeps one function of each suggestion, in turn: the next decision then has exactly one function changed.

    Methods that evaluate everything would otherwise leave the others under way, or change all of them at once.
    """

    def add_suggestion(self, suggestion: Suggestion) -> None:
        chosen = suggestion.functions[suggestion.number % len(suggestion.functions)]
        super().add_suggestion(replace(suggestion, functions=(chosen,)))


def study_of(where: Setting, method: str, seed: int, storage: Any = None) -> taut.Study:
    """A study that knows the rows of a setting and has asked for nothing yet."""
    study = taut.Study(where.problem, method=method, seed=seed, initial=0, storage=storage)
    for row in where.rows:
        study.add(row.point, {row.function: row.value})
    return study


def request_of(study: taut.Study) -> Request:
    """What the next decision of a study gets to see."""
    suggestions, observations = study.suggestions, study.observations
    dataset = Dataset.from_rows(study.problem, suggestions, observations)
    return Request(study.problem, dataset, float("inf"), suggestions[-1].memory if suggestions else {})


def running_study(case: Case, seed: int) -> taut.Study:
    """A dckg study that has really run for `steps` suggestions after its initial design; everything is told."""
    tested = taut.bench.problem(case.problem)
    study = taut.Study(tested.problem, method="dckg", seed=seed)
    while sum(not row.initial for row in study.suggestions) < case.steps:
        suggestion = study.ask()
        study.tell(suggestion, {name: tested.functions[name](suggestion.point) for name in suggestion.functions})
    return study
