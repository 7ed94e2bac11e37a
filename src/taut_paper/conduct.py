"""How runs behave, beside how well they end: stuck, wrong about themselves, repeating themselves, slow.

Counted in one way for the report of the published experiments, the arena and the guard. What a run does not say, or
what was not kept of it, is None and is left out of the shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from taut.base.arrays import Array, Flags
from taut.bench.problems import BenchProblem
from taut.data.results import Recommendation
from taut.problem.space import to_unit
from taut.study.study import Study
from taut_paper.repetition import initial_points
from taut_paper.stuck import is_stuck
from taut_paper.traces import Trace

EDGES = (0.0, 0.5, 0.8, 0.95, 0.99, 1.0)
"""Classes of promised probabilities: above one edge and up to the next."""
DOUBTFUL = 3
"""So many of these classes are promises in doubt."""
SURE = 0.99
CLOSE = 1e-6
"""Of a side of the box: evaluations of the same function closer than this are near-repeats."""
ROUNDING = 1e-9
"""Of a value: errors of the objective below it are rounding."""
HEAD = (
    *("runs", "stuck", "infeasible at the end", "though sure", "in doubt: promised / true"),
    *("above 0.95: promised / true", "objective beyond 2 sd", "near-repeats", "CPU ms"),
)


@dataclass(frozen=True)
class Said:
    """What was said of recommendations. promised: for each class how many, the sum of what was promised, how many were
    feasible. errors: feasible ones whose objective was told with an sd, and those off by more than 2 and than 3 sd.
    """

    promised: tuple[tuple[int, float, int], ...]
    errors: tuple[int, int, int]

    @classmethod
    def of(cls, probability: Array, feasible: Flags, error: Array, sd: Array, value: Array) -> Said:
        """error: of the objective, [n]; value: the true one, [n]. Where nothing can be computed it is NaN."""
        group = np.clip(np.searchsorted(EDGES, probability, side="left") - 1, 0, len(EDGES) - 2)
        known = np.isfinite(error) & np.isfinite(sd) & feasible
        off = np.maximum(np.abs(error[known]) - ROUNDING * np.abs(value[known]), 0.0)
        classes = [(group == k) for k in range(len(EDGES) - 1)]
        return cls(
            tuple((int(m.sum()), round(float(probability[m].sum()), 9), int(feasible[m].sum())) for m in classes),
            (int(known.sum()), *(int((off > size * sd[known]).sum()) for size in (2.0, 3.0))),  # type: ignore[arg-type]
        )

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Said:
        return cls(tuple(tuple(each) for each in kept["promised"]), tuple(kept["errors"]))


@dataclass(frozen=True)
class Conduct:
    """Of one run. seconds: CPU time of all its decisions."""

    stuck: bool | None = None
    infeasible: bool | None = None
    sure: bool | None = None
    """Was the last answer promised with SURE or more?"""
    said: Said | None = None
    repeats: int | None = None
    """Evaluations closer than CLOSE to an earlier one of the same function."""
    evaluations: int = 0
    seconds: float | None = None
    decisions: int = 0

    def kept(self) -> dict[str, Any]:
        """For a row; what is not known is left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Conduct:
        return cls(**{**kept, "said": Said.read(kept["said"]) if "said" in kept else None})


def near_repeats(places: Mapping[str, Sequence[Array]]) -> int:
    """Of the places [n][d] at which each function was evaluated, in order: those beside an earlier one."""
    found = 0
    for x in (np.asarray(each) for each in places.values() if len(each)):
        near = np.abs(x[:, None, :] - x[None, :, :]).max(axis=2) <= CLOSE
        found += int(np.tril(near, -1).any(axis=1).sum())
    return found


def of_study(
    study: Study, bench: BenchProblem, answers: Sequence[Recommendation], seconds: float, decisions: int
) -> Conduct:
    """answers: recommendations along the way, the last one at its end; seconds: CPU time of all decisions."""
    last, told = answers[-1], np.array([(each.feasibility, *each.objective) for each in answers])
    places: dict[str, list[Array]] = {}
    for row in study.observations:
        places.setdefault(row.function, []).append(to_unit(bench.problem, row.point))
    initial = {row.number for row in study.suggestions if row.initial}
    return Conduct(
        stuck=is_stuck(bench, last.point),
        infeasible=not bench.is_feasible(last.point),
        sure=last.feasibility >= SURE,
        said=_said(bench, [each.point for each in answers], told),
        repeats=near_repeats(places),
        evaluations=sum(row.suggestion not in initial for row in study.observations),
        seconds=round(seconds, 3),
        decisions=decisions,
    )


def of_trace(trace: Trace, best: Sequence[float] | None = None) -> Conduct:
    """best: a best point in the user's units, where the test problem does not have it."""
    bench, names = trace.bench, [parameter.name for parameter in trace.bench.problem.parameters]
    known = bool(np.isfinite(trace.ask_seconds).all())
    answers = [dict(zip(names, map(float, x), strict=True)) for x in trace.recommended]
    return Conduct(
        stuck=is_stuck(bench, answers[-1], best),
        infeasible=not bench.is_feasible(answers[-1]),
        sure=None if trace.said is None else bool(trace.said[-1, 0] >= SURE),
        said=None if trace.said is None else _said(bench, answers, trace.said),
        repeats=near_repeats(_places(trace, names)),
        evaluations=int(trace.evaluated.sum()),
        seconds=float(trace.ask_seconds.sum()) if known else None,
        decisions=len(trace.spent) - 1,
    )


def _said(bench: BenchProblem, answers: Sequence[Mapping[str, float]], told: Array) -> Said:
    """told: probability, mean and sd; [n, 3]. Feasible without any tolerance, for this is what is promised."""
    value = np.array([bench.functions[bench.problem.objective.name](point) for point in answers])
    feasible = np.array([bench.is_feasible(point, 0.0) for point in answers])
    probability, mean, sd = told.T
    return Said.of(probability, feasible, value - mean, sd, value)


def _places(trace: Trace, names: Sequence[str]) -> dict[str, list[Array]]:
    """Where every function was evaluated, the initial design first; in the unit cube."""
    problem = trace.bench.problem

    def cube(points: Iterable[Sequence[float]]) -> list[Array]:
        return [to_unit(problem, dict(zip(names, map(float, x), strict=True))) for x in points]

    first, later = cube(initial_points(trace.repetition)), cube(trace.point[1:])
    return {
        name: [*first, *(u for u, there in zip(later, trace.evaluated[1:, k], strict=True) if there)]
        for k, name in enumerate(trace.names)
    }


# --- Of many runs, in words


def cells(runs: Sequence[Conduct]) -> list[str]:
    """One line under HEAD; a dash where nothing is known."""
    said = [run.said for run in runs if run.said is not None]
    repeated = [run for run in runs if run.repeats is not None]
    timed = [run for run in runs if run.seconds is not None and run.decisions]
    errors = np.sum([each.errors for each in said], axis=0) if said else np.zeros(3)
    milliseconds = 1e3 * sum(run.seconds or 0.0 for run in timed) / max(sum(run.decisions for run in timed), 1)
    return [
        str(len(runs)),
        _of([run.stuck for run in runs]),
        _of([run.infeasible for run in runs]),
        _of([run.infeasible for run in runs if run.sure]),
        _promised(said, slice(0, DOUBTFUL)),
        _promised(said, slice(DOUBTFUL, None)),
        _percent(errors[1], errors[0]),
        _percent(sum(run.repeats or 0 for run in repeated), sum(run.evaluations for run in repeated)),
        f"{milliseconds:.1f}" if timed and milliseconds < 10.0 else f"{milliseconds:.0f}" if timed else "-",
    ]


def _of(flags: Sequence[bool | None]) -> str:
    known = [flag for flag in flags if flag is not None]
    return f"{sum(known)} of {len(known)}" if known else "-"


def _promised(said: Sequence[Said], classes: slice) -> str:
    total = np.sum([np.sum(each.promised[classes], axis=0) for each in said], axis=0) if said else np.zeros(3)
    count, promised, true = total
    return f"{promised / count:.3f} / {true / count:.3f} ({count:.0f})" if count else "-"


def _percent(part: float, whole: float) -> str:
    return f"{100.0 * part / whole:.1f} %" if whole else "-"
