"""The plane of two parameters: where designs are feasible, the boundary of every constraint, and what was evaluated."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.markup import Markup, tag
from taut.plot.page import svg
from taut.plot.page.svg import Labels, Scale
from taut.plot.page.words import limit, number, percent
from taut.plot.surfaces import Plane
from taut.problem.discrete import Integer
from taut.problem.functions import Constraint
from taut.problem.problem import Problem

WIDE, TALL = 380.0, 320.0
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Probabilities of feasibility between which a shade changes."""
CONTOURS = 6
"""Lines of equal objective."""


def plane_map(problem: Problem, found: Plane) -> Markup:
    """Shades: probability that all constraints hold; lines: where the mean of a constraint meets its limit."""
    left, right, bottom, top = svg.inside(WIDE, TALL)
    x, y = _axis(problem, found.first, found.across, left, right), _axis(problem, found.second, found.up, bottom, top)
    xs, ys = [x.at(v) for v in found.across], [y.at(v) for v in found.up]
    drawn: list[object] = [
        shades(xs, ys, found.grid(found.survey.feasibility)) if problem.constraints else None,
        _objective_lines(found, xs, ys),
    ]
    for k, name in enumerate(problem.functions[1:], 1):
        values = found.grid(found.survey.mean[:, k])
        for side in _sides(problem, name):
            tip = f"boundary: {name} {limit(problem, name)} (by its mean)"
            for line in contour(values, side):
                across, up = _placed(line, xs, ys)
                drawn.append(svg.path(across, up, class_=f"line edge {svg.series(k)}", data_tip=tip))
    drawn += [_point(found, x, y, *each) for each in found.points]
    p = percent(_nearest(found))
    tip = f"recommended: {found.first} = {number(found.at[0])}, {found.second} = {number(found.at[1])}; feasible {p}"
    drawn.append(svg.dot(x.at(found.at[0]), y.at(found.at[1]), 5.0, class_="mark", data_tip=tip))
    about = f"feasible designs over {found.first} and {found.second}"
    return svg.panel(WIDE, TALL, x, y, Labels(found.first, found.second), about, *drawn)


def shades(xs: Sequence[float], ys: Sequence[float], probability: Array) -> list[Markup]:
    """Runs of equal shade, row by row: few rectangles instead of one for each place."""
    level = np.searchsorted(LEVELS, probability)
    across, up = _edges(xs), _edges(ys)
    drawn = []
    for row, levels in enumerate(level):
        for start, end, shade in _runs(levels):
            if shade < len(LEVELS):  # feasible for sure: left white
                low, high = sorted((up[row], up[row + 1]))
                box = across[start], low, across[end] - across[start], high - low
                drawn.append(svg.rect(*box, class_=f"shade{shade}"))
    return drawn


def _runs(levels: Ints) -> Iterator[tuple[int, int, int]]:
    """(first, one past the last, level) of every run of equal levels."""
    starts = np.flatnonzero(np.diff(levels, prepend=-1))
    ends = np.append(starts[1:], len(levels))
    for start, end in zip(starts, ends, strict=True):
        yield int(start), int(end), int(levels[start])


def _edges(at: Sequence[float]) -> list[float]:
    """Half-way between neighbours, and the outermost places themselves."""
    return [at[0], *(0.5 * (a + b) for a, b in zip(at, at[1:], strict=False)), at[-1]]


def contour(values: Array, level: float) -> list[list[tuple[float, float]]]:
    """Lines (column, row) along which a grid [m, n] has this level, by marching squares; pieces are joined."""
    z = values - level
    z = np.where(z == 0.0, np.finfo(float).tiny, z)
    if not np.isfinite(z).all():
        return []
    change = (np.signbit(z[:-1, :-1]) != np.signbit(z[1:, 1:])) | (np.signbit(z[:-1, 1:]) != np.signbit(z[1:, :-1]))
    change |= np.signbit(z[:-1, :-1]) != np.signbit(z[:-1, 1:])
    pieces: list[tuple[Any, Any]] = []
    for i, j in zip(*np.nonzero(change), strict=True):
        crossed = [edge for edge in _cell_edges(int(i), int(j)) if (z[edge[0]] < 0.0) != (z[edge[1]] < 0.0)]
        if len(crossed) == 4:  # a saddle: the mean of the cell says which corners belong together
            together = (z[i : i + 2, j : j + 2].mean() < 0.0) == (z[i, j] < 0.0)
            order = (0, 1, 2, 3) if together else (3, 0, 1, 2)
            crossed = [crossed[k] for k in order]
        pieces += [(crossed[k], crossed[k + 1]) for k in range(0, len(crossed) - 1, 2)]
    return [[_crossing(z, edge) for edge in chain] for chain in _chains(pieces)]


def _cell_edges(i: int, j: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The four edges of a cell, around it, each with its ends in one order so that neighbours agree."""
    a, b, c, d = (i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)
    return [(a, b), (b, c), (d, c), (a, d)]


def _crossing(z: Array, edge: tuple[tuple[int, int], tuple[int, int]]) -> tuple[float, float]:
    """Where the level is crossed on an edge: (column, row)."""
    (i, j), (k, m) = edge
    t = float(z[i, j] / (z[i, j] - z[k, m]))
    return j + t * (m - j), i + t * (k - i)


def _chains(pieces: list[tuple[Any, Any]]) -> list[list[Any]]:
    """Pieces that share an end as one line."""
    at: dict[Any, list[int]] = {}
    for index, piece in enumerate(pieces):
        for end in piece:
            at.setdefault(end, []).append(index)
    used: set[int] = set()
    found = []
    for index, (first, last) in enumerate(pieces):
        if index not in used:
            used.add(index)
            back, forth = _follow(first, pieces, at, used), _follow(last, pieces, at, used)
            found.append([*reversed(back), first, last, *forth])
    return found


def _follow(end: Any, pieces: list[tuple[Any, Any]], at: dict[Any, list[int]], used: set[int]) -> list[Any]:
    found: list[Any] = []
    while True:
        index = next((each for each in at[end] if each not in used), None)
        if index is None:
            return found
        used.add(index)
        first, last = pieces[index]
        end = last if first == end else first
        found.append(end)


def _objective_lines(found: Plane, xs: list[float], ys: list[float]) -> list[Markup]:
    values = found.grid(found.survey.mean[:, 0])
    drawn = []
    for level in svg.scale(values.ravel(), 0.0, 1.0, 0.0).ticks(CONTOURS):
        tip = f"objective about {number(level)}"
        for line in contour(values, level):
            drawn.append(svg.path(*_placed(line, xs, ys), class_="line contour", data_tip=tip))
    return drawn


def _placed(line: Sequence[tuple[float, float]], xs: list[float], ys: list[float]) -> tuple[list[float], list[float]]:
    """A line of (column, row) in pixels."""
    columns, rows = zip(*line, strict=True)
    across = np.interp(columns, range(len(xs)), xs)
    up = np.interp(rows, range(len(ys)), ys)
    return [float(v) for v in across], [float(v) for v in up]


def _point(found: Plane, x: Scale, y: Scale, first: float, second: float, held: bool | None) -> Markup:
    kind = "ring soft" if held is None else "dot held" if held else "cross"
    said = "no constraint measured" if held is None else "measured constraints held" if held else "a constraint failed"
    tip = f"evaluated: {found.first} = {number(first)}, {found.second} = {number(second)}; {said}"
    at, up = x.at(first), y.at(second)
    if kind != "cross":
        return svg.dot(at, up, 2.4, class_=kind, data_tip=tip)
    if not math.isfinite(at) or not math.isfinite(up):
        return Markup("")
    arms = f"M{at - 2.4:.1f} {up - 2.4:.1f}l4.8 4.8m0 -4.8l-4.8 4.8"
    return tag("path", d=arms, class_="cross", data_tip=tip)


def _nearest(found: Plane) -> float:
    """Feasibility at the place of the grid next to the recommendation."""
    column = int(np.argmin(np.abs(np.array(found.across, dtype=float) - found.at[0])))
    row = int(np.argmin(np.abs(np.array(found.up, dtype=float) - found.at[1])))
    return float(found.grid(found.survey.feasibility)[row, column])


def _axis(problem: Problem, name: str, values: Sequence[float], start: float, end: float) -> Scale:
    parameter = next(each for each in problem.parameters if each.name == name)
    found = svg.scale([float(v) for v in values], start, end, 0.0, log=bool(getattr(parameter, "log", False)))
    return replace(found, whole=isinstance(parameter, Integer))


def _sides(problem: Problem, name: str) -> list[float]:
    function = problem.function(name)
    assert isinstance(function, Constraint), "an objective has no limit"
    return [side for side in (function.at_least, function.at_most) if side is not None]
