"""One repetition: a pure function of its settings, giving a trace with one step per decision."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from taut.base.errors import StudyError
from taut.bench.problems import BenchProblem
from taut.data.rows import Suggestion
from taut.study.study import Study
from taut_paper.arena.suite import any_problem, given
from taut_paper.experiments import Repetition

ROUNDING = 1e-9
"""Slack when costs are compared with what is left of the budget."""


@dataclass(frozen=True, slots=True)
class Step:
    """One decision and what was recommended after it. Step 0 is the initial design: nothing decided, nothing spent.

    decided: the set whose value won; functions: what was evaluated of it (a set may be bought in instalments).
    point: where, in user units, by parameter; recommended: x_r after the step; oc: its opportunity cost.
    """

    spent: float
    functions: tuple[str, ...]
    decided: tuple[str, ...]
    point: tuple[float, ...]
    recommended: tuple[float, ...]
    oc: float
    ask_seconds: float
    """CPU time of the decision."""
    recommend_seconds: float
    said: tuple[float, float, float] | None = None
    """Of the recommendation, as reported: probability of feasibility, mean and sd of the objective; None: nothing."""


def repeat(repetition: Repetition) -> list[Step]:
    """Run one study to the end of its budget and score the recommendation after each step."""
    bench = any_problem(repetition.problem, dict(repetition.costs))
    study = Study(
        bench.problem,
        method=repetition.method,
        seed=repetition.seed,
        initial=repetition.initial,
        preset=repetition.preset,
    )
    begin(bench, study, repetition.initial)
    steps = [_scored(bench, study, None, 0.0)]
    for suggestion, seconds in paid_steps(bench, study, repetition.budget):
        steps.append(_scored(bench, study, suggestion, seconds))
    return steps


@cache
def initial_points(repetition: Repetition) -> tuple[tuple[float, ...], ...]:
    """Where the initial design evaluates, which does not depend on the method; in user units, [initial][d]."""
    bench = any_problem(repetition.problem, dict(repetition.costs))
    study = Study(bench.problem, method="random", seed=repetition.seed, initial=repetition.initial)
    begin(bench, study, repetition.initial)
    points = [*given(bench), *(row.point for row in study.suggestions)]
    return tuple(tuple(float(value) for value in point.values()) for point in points)


def begin(bench: BenchProblem, study: Study, initial: int) -> None:
    """Tell the initial design; a point that is given takes the place of one of its points."""
    points = given(bench)
    for point in points:
        study.add(point, bench.evaluate(point))
    for _ in range(initial - len(points)):
        suggestion = study.ask()
        study.tell(suggestion, measured(bench, suggestion))


def paid_steps(bench: BenchProblem, study: Study, budget: float) -> Iterator[tuple[Suggestion, float]]:
    """Ask, measure and tell until nothing more can be paid; yields each suggestion with the CPU time it took."""
    everything = bench.problem.cost(bench.problem.functions)
    cheapest = min(bundle.cost for bundle in bench.problem.bundles)
    while (remaining := budget - study.spent) >= cheapest - ROUNDING:
        begun = time.thread_time()
        try:
            suggestion = study.ask(remaining=remaining)
        except StudyError:
            if remaining < everything - ROUNDING:
                return  # a coupled method that cannot pay for all functions once more
            raise
        seconds = time.thread_time() - begun
        study.tell(suggestion, measured(bench, suggestion))
        yield suggestion, seconds


def measured(bench: BenchProblem, suggestion: Suggestion) -> dict[str, float | None]:
    """The functions asked for; a value that is not finite is a failure."""
    values = {name: bench.functions[name](suggestion.point) for name in suggestion.functions}
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def _scored(bench: BenchProblem, study: Study, suggestion: Suggestion | None, seconds: float) -> Step:
    begun = time.thread_time()
    best = study.recommend()
    took = time.thread_time() - begun
    names = [parameter.name for parameter in bench.problem.parameters]
    functions = suggestion.functions if suggestion else ()
    whole = suggestion.memory.get("whole", functions) if suggestion else ()
    return Step(
        spent=study.spent,
        functions=functions,
        decided=tuple(name for name in bench.problem.functions if name in whole),
        point=tuple(float(suggestion.point[name]) for name in names) if suggestion else (),
        recommended=tuple(float(best.point[name]) for name in names),
        oc=bench.opportunity_cost(best.point),
        ask_seconds=seconds,
        recommend_seconds=took,
        said=(best.feasibility, *best.objective),
    )
