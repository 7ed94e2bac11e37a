"""What is kept of a run, one JSON line: what it takes to say which targets were reached, and when.

answers: the design that the method would hand out (of the library: the recommendation; of a rival: its best feasible
trial), judged by the true functions, feasible meaning c <= 0 exactly. near: the same, where 1e-6 of the range of a
constraint is forgiven. trials: feasible designs of which every function was evaluated. Each is a list of [units spent,
f - f*], one entry whenever it became better.
"""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from coco.optima import by_construction, spread
from coco.rivals import package
from coco.trial import trials
from taut_paper.arena.suite import opened, place
from taut_paper.conduct import of_trace
from taut_paper.traces import Trace

Row = dict[str, Any]
Curve = list[list[float]]
CLOSE = 0.1
"""1 % of a side of the box."""
SLACK = 1e-6
"""Of a constraint's range: what `near` forgives, as in the published experiments."""


def better(pairs: Iterable[tuple[float, float]]) -> Curve:
    """[spent, precision] whenever the precision is better than ever before."""
    found: Curve = []
    for spent, exact in pairs:
        precision = float(f"{exact:.4g}")
        if math.isfinite(precision) and (not found or precision < found[-1][1]):
            found.append([spent, precision])
    return found


def judged(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """f - f* and the worst violation in units of a constraint's range, of the answer after each step; [T + 1] each."""
    where = place(trace.repetition.problem)
    problem = opened(where)
    _, ranges = spread(problem, where.dimension)
    f = np.array([problem(x) for x in trace.recommended]) - trace.bench.optimum
    c = np.array([problem.constraint(x) for x in trace.recommended])
    return np.maximum(f, 0.0), np.maximum(c / ranges, 0.0).max(axis=1)


def whole(trace: Trace) -> Iterable[tuple[float, float]]:
    """Units spent and precision of every feasible design with all its functions evaluated, the initial design first."""
    problem, optimum = opened(place(trace.repetition.problem)), trace.bench.optimum
    first = trials(trace.repetition)
    yield from ((0.0, f - optimum) for f, c in zip(first.f, first.c, strict=True) if (c <= 0.0).all())
    known: dict[tuple[float, ...], np.ndarray] = {}
    for spent, x, functions in zip(trace.spent[1:], trace.point[1:], trace.evaluated[1:], strict=True):
        seen = known.setdefault(tuple(x), np.zeros(len(functions), dtype=bool))
        seen |= functions
        if seen.all() and (problem.constraint(x) <= 0.0).all():
            yield float(spent), problem(x) - optimum


def row(trace: Trace) -> Row:
    run = trace.repetition
    precision, violation = judged(trace)
    spent = [float(units) for units in trace.spent]
    strict = np.where(violation <= 0.0, precision, np.inf)
    near = np.where(violation <= SLACK, precision, np.inf)
    return {
        "problem": run.problem,
        "method": run.method,
        "seed": run.seed,
        "budget": run.budget,
        "answers": better(zip(spent, strict, strict=True)),
        "near": better(zip(spent, near, strict=True)),
        "trials": better(whole(trace)),
        "last": [float(f"{precision[-1]:.4g}"), float(f"{violation[-1]:.2g}")],
        "infeasible": round(float(np.mean(violation[1:] > 0.0)), 3) if len(violation) > 1 else 0.0,
        "far": far(trace),
        "way": way(trace, by_construction(place(run.problem))),
        "arrived": arrived(trace, by_construction(place(run.problem))),
        "counts": [int(count) for count in trace.evaluated.sum(axis=0)],
        "seconds": round(float(np.sum(trace.ask_seconds)), 2),
        "point": [float(f"{x:.12g}") for x in trace.recommended[-1]],
        "conduct": of_trace(trace, list(by_construction(place(run.problem)))).kept(),
        "made": made(trace),
    }


def made(trace: Trace) -> dict[str, str]:
    """What it was made with; the version of a rival is that of the environment that is used now."""
    return dict(trace.versions) | package(trace.repetition.method)


def far(trace: Trace) -> float:
    """Share of steps whose point is more than 5 % of the box away from the answer before it."""
    steps = [np.abs(x - said).max() for said, x in zip(trace.recommended[:-1], trace.point[1:], strict=True)]
    return round(float(np.mean(np.array(steps) > 0.5)), 3) if steps else 0.0


def way(trace: Trace, best: np.ndarray) -> float | None:
    """How far points go from the answer towards the optimum: median share of that way, over the first half of steps.

    0 is beside the answer or across, 1 is level with the optimum. Steps from answers closer than CLOSE are left out;
    None if there are no others.
    """
    half = len(trace.point) // 2 + 1
    shares = []
    for said, x in zip(trace.recommended[: half - 1], trace.point[1:half], strict=True):
        there = best - said
        if np.abs(there).max() > CLOSE:
            shares.append(float(np.dot(x - said, there) / np.dot(there, there)))
    return round(float(np.median(shares)), 3) if shares else None


def arrived(trace: Trace, best: np.ndarray) -> float | None:
    """Units at which the answer first was within CLOSE of the optimum in every parameter; None if it never was."""
    near = np.abs(trace.recommended - best).max(axis=1) <= CLOSE
    return float(trace.spent[int(np.argmax(near))]) if near.any() else None


def increasing(curve: Curve) -> bool:
    """Is it in order, and ever better?"""
    return all(a[0] <= b[0] and a[1] > b[1] for a, b in pairwise(curve))
