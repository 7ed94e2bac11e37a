"""What the models of a study say, gathered in as few questions as possible: each question builds them anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.base.errors import StudyError
from taut.data.history import History
from taut.data.results import Error, FunctionCheck, Outlook, Recommendation, RelevanceRow
from taut.data.survey import Survey
from taut.plot import progress, surfaces
from taut.plot.progress import Convergence
from taut.plot.surfaces import Located, Plane, Slice
from taut.problem.problem import Problem
from taut.study.ending import unverified
from taut.study.study import Study

FEW = 4
"""Up to so many parameters all planes are asked for with the slices; of more, only those that matter, afterwards."""


@dataclass(frozen=True, slots=True)
class Beliefs:
    """All that a page shows of the models, at one moment."""

    best: Recommendation
    relevance: tuple[RelevanceRow, ...]
    checks: tuple[FunctionCheck, ...]
    errors: Mapping[str, tuple[Error, ...]]
    outlook: Outlook | None
    """What more money would bring; None if the method does not say."""
    convergence: Convergence
    slices: tuple[Slice, ...]
    planes: tuple[Plane, ...]
    values: int
    """Rows that were known."""
    unverified: str = ""
    """Why the recommendation is not verified, and what that would cost."""


def beliefs(study: Study, budget: float | None = None) -> Beliefs | None:
    """None if there is no value yet and not every function has a formula. budget: to spend after the initial design."""
    history = study.history
    if not askable(study):
        return None
    best, relevance = study.recommend(), tuple(study.relevance())
    convergence, slices, planes = shapes(study, best)
    return Beliefs(
        best=best,
        relevance=relevance,
        checks=tuple(study.check()),
        errors=study.history.moment().errors,
        outlook=outlook(study, budget),
        convergence=convergence,
        slices=slices,
        planes=planes,
        values=len(history.observations),
        unverified=unverified(study.problem, best, study.history),
    )


def askable(study: Study) -> bool:
    """Is there anything to ask? A value, or every function has a formula."""
    return study.history.valued or not study.problem.simulated


def outlook(study: Study, budget: float | None) -> Outlook | None:
    """What the study says of more money; None if its method does not."""
    try:
        return study.outlook(budget)
    except StudyError:
        return None


def shapes(study: Study, best: Recommendation) -> tuple[Convergence, tuple[Slice, ...], tuple[Plane, ...]]:
    """Convergence, slices and planes, from one survey, or two where there are many parameters."""
    problem, history = study.problem, study.history
    names = [each.name for each in problem.parameters]
    steps, earlier = progress.measured_steps(problem, history), progress.recommended(problem, history, best)
    every = surfaces.pairs(problem, dict.fromkeys(names, 1.0), FEW * FEW)
    pairs = every if len(names) <= FEW else []
    grids = [surfaces.along(problem, best.point, name) for name in names]
    fields = [surfaces.over(problem, best.point, pair) for pair in pairs]
    found = surveys(study, [earlier.points, *(grid[1] for grid in grids), *(field[2] for field in fields)])
    convergence = progress.convergence(history, steps, earlier, found[0] if found else None)
    if not found:
        return convergence, (), ()
    slices = _slices(problem, history, best, grids, found[1 : len(names) + 1])
    surveyed = found[len(names) + 1 :]
    if len(names) > FEW:
        pairs = surfaces.pairs(problem, surfaces.effects(problem, slices))
        fields = [surfaces.over(problem, best.point, pair) for pair in pairs]
        surveyed = surveys(study, [field[2] for field in fields])
    planes = [_plane(problem, history, best, *each) for each in zip(pairs, fields, surveyed, strict=True)]
    return convergence, slices, tuple(planes)


def surveys(study: Study, parts: Sequence[Array]) -> list[Survey]:
    """A survey of each part [m, d], asked for as one; none at all if the method makes none."""
    found = study.survey(np.vstack(parts)) if parts else None
    if found is None:
        return []
    ends = np.cumsum([len(part) for part in parts])
    return [found.part(slice(end - len(part), end)) for part, end in zip(parts, ends, strict=True)]


def _slices(
    problem: Problem,
    history: History,
    best: Recommendation,
    grids: Sequence[tuple[list[Any], Array]],
    surveyed: Sequence[Survey],
) -> tuple[Slice, ...]:
    known = Located.of(problem, history)
    return tuple(
        Slice(
            parameter.name,
            tuple(values),
            survey,
            best.point[parameter.name],
            surfaces.near(problem, known, parameter.name, best.point),
        )
        for parameter, (values, _), survey in zip(problem.parameters, grids, surveyed, strict=True)
    )


def _plane(
    problem: Problem,
    history: History,
    best: Recommendation,
    pair: tuple[str, str],
    field: tuple[list[Any], list[Any], Array],
    survey: Survey,
) -> Plane:
    at = best.point[pair[0]], best.point[pair[1]]
    return Plane(*pair, tuple(field[0]), tuple(field[1]), survey, at, surfaces.projected(problem, history, pair))
