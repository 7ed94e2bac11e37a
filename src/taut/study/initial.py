"""Which points of the initial design are still to be asked for: values measured elsewhere stand in for some.

A place where every function was measured elsewhere stands in for one whole point of the design. Where only some were,
each bundle (group or single function) that was measured there is not asked for at one point of the design. Who stands
in for what: the nearest pair in the unit cube first, then the nearest of the rest, and so on. It depends on the rows
that are visible and on nothing else.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array, Flags
from taut.base.knob import NEVER_TUNED, knob
from taut.data.dataset import Proposal
from taut.data.history import Moment
from taut.data.rows import Observation
from taut.problem.problem import Problem
from taut.problem.space import _to_units, from_unit

Plan = Sequence[tuple[Array, tuple[str, ...]]]
"""The whole initial design: points [d] of the unit cube, each with the functions to evaluate there."""


@dataclass(frozen=True)
class InitialSettings:
    """How values measured elsewhere count as initial design."""

    one_place: float = knob(
        0.01, "points measured elsewhere within this distance (max-norm) stand in as one", NEVER_TUNED
    )


INITIAL = InitialSettings()


def next_point(problem: Problem, design: Plan, moment: Moment) -> Proposal | None:
    """The next point of the initial design; None if nothing of it is needed any more."""
    left = still_needed(problem, design, moment)
    if not left:
        return None
    k, functions = left[0]
    note = f"initial design, {moment.asked + 1} of {moment.asked + len(left)}"
    known = [name for name in design[k][1] if name not in functions]
    return Proposal(design[k][0], functions, f"{note}; measured elsewhere: {', '.join(known)}" if known else note)


def size(problem: Problem, design: Plan, moment: Moment, asked: int) -> int:
    """Suggestions that the initial design consists of, with those still to come. asked: so many are there."""
    return asked + len(still_needed(problem, design, moment))


def still_needed(problem: Problem, design: Plan, moment: Moment) -> list[tuple[int, tuple[str, ...]]]:
    """Positions in the design that were not asked for, with the functions that are needed there, in order."""
    if moment.decided:
        return []
    if not moment.added:
        return [(k, design[k][1]) for k in range(moment.asked, len(design))]
    asked = _asked(problem, design, moment)
    unneeded = _unneeded(problem, design, asked, _Places(problem, moment.added))
    left = [tuple(name for name in design[k][1] if name not in unneeded[k]) for k in range(len(design))]
    return [(k, functions) for k, functions in enumerate(left) if functions and k not in asked]


def _asked(problem: Problem, design: Plan, moment: Moment) -> dict[int, tuple[str, ...]]:
    """By position in the design: what was asked for there."""
    positions = defaultdict[tuple[float, ...], list[int]](list)
    for k, (u, _) in enumerate(design):
        positions[tuple(moment.as_written(from_unit(problem, u)).values())].append(k)
    found = {}
    for row in moment.initial:
        here = positions[tuple(row.point[parameter.name] for parameter in problem.parameters)]
        if here:
            found[here.pop(0)] = row.functions
    return found


class _Places:
    """Where functions were measured elsewhere: X [m, d], and which of them; free: stands in for nothing yet, [m]."""

    def __init__(self, problem: Problem, added: Iterable[Observation]) -> None:
        found = defaultdict[tuple[float, ...], set[str]](set)
        for row in added:
            if row.value is not None:
                found[tuple(row.point[parameter.name] for parameter in problem.parameters)].add(row.function)
        self.X, self._measured = _to_units(problem, list(found)), list(found.values())
        self.free: Flags = np.ones(len(found), dtype=bool)

    def with_all(self, functions: Iterable[str]) -> Flags:
        """Those free ones where all these functions were measured; [m]."""
        wanted = set(functions)
        all_there: Flags = np.array([wanted <= measured for measured in self._measured], dtype=bool)
        return all_there & self.free


def _unneeded(
    problem: Problem, design: Plan, asked: dict[int, tuple[str, ...]], places: _Places
) -> dict[int, set[str]]:
    """By position in the design: the functions for which other places stand in."""
    found: dict[int, set[str]] = {k: set() for k in range(len(design))}
    every = set(problem.simulated)  # known functions are not measured anywhere
    whole = [k for k, (_, functions) in enumerate(design) if set(functions) == every and k not in asked]
    matched, places.free = _stand_ins(design, whole, places.X, places.with_all(every), places.free)
    for k in matched:
        found[k] = set(every)
    for bundle in problem.bundles:
        members = set(bundle.functions)
        rows = [k for k in found if members <= set(design[k][1]) - found[k] and not members & set(asked.get(k, ()))]
        for k in _stand_ins(design, rows, places.X, places.with_all(members), places.free)[0]:
            found[k] |= members
    return found


def _stand_ins(design: Plan, rows: Sequence[int], X: Array, candidates: Flags, free: Flags) -> tuple[list[int], Flags]:
    """The rows of the design that a candidate stands in for, nearest pair first; and who is free after it, [m]."""
    candidates, free = candidates.copy(), free.copy()
    matched: list[int] = []
    queue = [_nearest(design, k, X, candidates) for k in rows if candidates.any()]
    heapq.heapify(queue)
    while queue and candidates.any():
        _, k, j = heapq.heappop(queue)
        if not candidates[j]:  # somebody nearer has taken it
            heapq.heappush(queue, _nearest(design, k, X, candidates))
            continue
        matched.append(k)
        here = np.abs(X - X[j]).max(axis=1) <= INITIAL.one_place
        candidates &= ~here
        free &= ~here
    return matched, free


def _nearest(design: Plan, k: int, X: Array, candidates: Flags) -> tuple[float, int, int]:
    """(distance, k, position of the nearest candidate)."""
    distance = np.where(candidates, ((X - design[k][0]) ** 2).sum(axis=1), np.inf)
    j = int(np.argmin(distance))
    return float(distance[j]), k, j
