"""Finished repetitions as arrays, and all of them by experiment and arm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from taut.base.arrays import Array, Flags
from taut.bench.problems import BenchProblem
from taut_paper.arena.suite import any_problem
from taut_paper.experiments import EXPERIMENTS, Arm, Repetition

NUMBERS = ("spent", "oc", "ask_seconds", "recommend_seconds")


@dataclass(frozen=True)
class Trace:
    """One repetition as arrays; T decisions after the initial design, K + 1 functions, d parameters."""

    repetition: Repetition
    spent: Array
    """Cost after each step; [T + 1], begins with 0."""
    oc: Array
    """Opportunity cost of the recommendation after each step; [T + 1]."""
    evaluated: Flags
    """Functions evaluated in each step, objective first; [T + 1, K + 1], nothing in row 0."""
    decided: Flags
    """Functions of the set that won, of which `evaluated` may be an instalment; [T + 1, K + 1]."""
    point: Array
    """Where; [T + 1, d], row 0 is NaN."""
    recommended: Array
    """The recommendation after each step; [T + 1, d]."""
    ask_seconds: Array
    """CPU time of each decision; [T + 1]."""
    recommend_seconds: Array
    """CPU time of each recommendation; [T + 1]."""
    versions: Mapping[str, str]
    said: Array | None = None
    """Reported of each recommendation: probability of feasibility, mean and sd of the objective; [T + 1, 3].

    None if it was not kept, or if the method says nothing."""

    @property
    def bench(self) -> BenchProblem:
        return _bench(self.repetition.problem, self.repetition.costs)

    @property
    def names(self) -> tuple[str, ...]:
        """The functions, objective first; [K + 1]."""
        return self.bench.problem.functions


@cache
def _bench(problem: str, costs: tuple[tuple[str, float], ...]) -> BenchProblem:
    return any_problem(problem, dict(costs))


def trace_of(run: Repetition, steps: Mapping[str, Sequence[Any]], versions: Mapping[str, str]) -> Trace:
    """A trace from the fields of its steps: lists of T + 1 by the names in Step."""
    names = _bench(run.problem, run.costs).problem.functions
    nowhere = [math.nan] * len(steps["recommended"][0])
    evaluated, decided = (
        np.array([[name in chosen for name in names] for chosen in steps[kind]]) for kind in ("functions", "decided")
    )
    return Trace(
        repetition=run,
        evaluated=evaluated,
        decided=decided,
        point=np.array([x or nowhere for x in steps["point"]]),
        recommended=np.array(steps["recommended"]),
        versions=versions,
        said=_said(steps.get("said", [])),
        **{name: np.array(steps[name], dtype=float) for name in NUMBERS},
    )


def _said(rows: Sequence[Sequence[float] | None]) -> Array | None:
    return np.array(rows, dtype=float) if len(rows) and all(row is not None for row in rows) else None


Traces = dict[int, Trace]
"""By seed."""


class Results:
    """Traces by experiment and arm."""

    def __init__(self, traces: Iterable[Trace]) -> None:
        self._cells: dict[tuple[str, Arm], Traces] = {}
        for trace in sorted(traces, key=lambda trace: trace.repetition.key):
            run = trace.repetition
            self._cells.setdefault((run.experiment, Arm(run.method, run.preset)), {})[run.seed] = trace

    def traces(self, experiment: str, method: str, preset: str = "default") -> Traces:
        """The repetitions of one arm, by seed; empty if there are none."""
        return self._cells.get((experiment, Arm(method, preset)), {})

    def arms(self, experiment: str) -> tuple[Arm, ...]:
        """The arms that have results on this experiment."""
        return tuple(arm for name, arm in self._cells if name == experiment)

    @property
    def experiments(self) -> tuple[str, ...]:
        """Experiments with results: the known ones in their order, then others."""
        present = {name: None for name, _ in self._cells}
        return (*(name for name in EXPERIMENTS if name in present), *(n for n in present if n not in EXPERIMENTS))

    def __iter__(self) -> Iterator[Trace]:
        """In order of their keys."""
        for cell in self._cells.values():
            yield from cell.values()

    def __len__(self) -> int:
        return sum(len(cell) for cell in self._cells.values())
