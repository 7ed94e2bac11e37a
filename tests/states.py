"""States in the middle of a study as a method sees them: shared by the tests of decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from processes import surrogate

import taut
from taut import bench
from taut.acquisition.feasibility import Bounds
from taut.base.arrays import Array
from taut.data.dataset import Dataset, Request, views
from taut.data.rows import Observation
from taut.policy.context import Context
from taut.policy.options import settings
from taut.policy.settings import Settings
from taut.surrogate.gp import GP

Function = Callable[[dict[str, float]], float]


def state(problem: taut.Problem, rows: Iterable[tuple[str, dict[str, float], float | None]]) -> Request:
    """What a method gets to see when these values (function, point, value or None) are known."""
    found = [Observation(name, point, value) for name, point, value in rows]
    return Request(problem, Dataset.from_rows(problem, [], found), np.inf, {})


def everywhere(problem: taut.Problem, functions: Mapping[str, Function], points: Array) -> Request:
    """All functions known at points [n, d] of the unit cube."""
    at = [{p.name: p.from_unit(u) for p, u in zip(problem.parameters, row, strict=True)} for row in points]
    return state(problem, [(name, point, function(point)) for point in at for name, function in functions.items()])


@cache
def known(name: str, count: int, seed: int = 0, costs: tuple[tuple[str, float], ...] = ()) -> Request:
    """All functions of a test problem at so many random points. Fits are kept: they change no answer."""
    tested = bench.problem(name, costs=dict(costs) or None)
    points = np.random.default_rng(seed).random((count, tested.problem.dimension))
    return everywhere(tested.problem, tested.functions, points)


def under_way(request: Request, name: str, *points: Iterable[float]) -> Request:
    """The same with evaluations of one function under way at points of the unit cube."""
    data, k = request.dataset, request.problem.functions.index(name)
    added = np.vstack([data.pending[k], np.array(points)])
    pending = tuple(added if i == k else old for i, old in enumerate(data.pending))
    return replace(request, dataset=replace(data, pending=pending))


def chosen(preset: str | None = None, knobs: Mapping[str, Mapping[str, Any]] | None = None, **options: Any) -> Settings:
    """Settings by the names of options, and by stage and knob; without trends, by which most scenes would be known."""
    made = settings(preset, options)
    made = replace(made, model=replace(made.model, trend=False))
    changed = {stage: replace(getattr(made, stage), **values) for stage, values in (knobs or {}).items()}
    return replace(made, **changed)


def context(request: Request, made: Settings | None = None, seed: int = 1, precise: bool = False) -> Context:
    """The context of the next decision."""
    return Context.of(request, made or chosen(), np.random.default_rng(seed), precise)


def believing(processes: Sequence[GP], bounds: Bounds, made: Settings | None = None) -> Context:
    """The context of a decision that rests on given processes, with the same bounds for every constraint."""
    limits: dict[str, Any] = {"at_most": bounds.upper} if np.isfinite(bounds.upper) else {}
    limits |= {"at_least": bounds.lower} if np.isfinite(bounds.lower) else {}
    d = processes[0].X.shape[1]
    problem = taut.Problem(
        [taut.Real(f"x{i}", 0.0, 1.0) for i in range(d)],
        taut.Objective("f", goal="maximize"),
        [taut.Constraint(f"c{k}", **limits) for k in range(1, len(processes))],
    )
    none = tuple(np.empty((0, d)) for _ in processes)
    values = tuple(gp.y[:, 0] for gp in processes)
    data = Dataset(views(problem), d, tuple(gp.X for gp in processes), values, none, none)
    found = context(Request(problem, data, np.inf, {}), made)
    vars(found)["surrogate"] = surrogate(*processes)
    return found


def hopeless() -> Request:
    """Nine values of every function on a line, with c violated everywhere by dozens of standard deviations."""
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f"),
        [taut.Constraint("c", at_most=0.0), taut.Constraint("e", at_most=0.0)],
    )
    rows: list[tuple[str, dict[str, float], float | None]] = []
    for x in np.linspace(0.0, 1.0, 9):
        values = {"f": float(x), "c": 50.0 + float(np.sin(3.0 * x)), "e": -5.0 + float(x)}
        rows += [(name, {"x": float(x)}, value) for name, value in values.items()]
    return state(problem, rows)
