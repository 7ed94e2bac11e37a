"""Numbers of a study as panels of SVG: convergence, spending, margins, slices, errors of predictions."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from taut.base.markup import Markup, joined, tag
from taut.data.results import Error, Outlook
from taut.plot.money import Spending
from taut.plot.page import svg
from taut.plot.page.svg import Labels, Scale
from taut.plot.page.words import count, margin, number, percent, spent_axis, uncertain
from taut.plot.progress import Convergence
from taut.plot.surfaces import Slice
from taut.plot.thin import evenly
from taut.problem.discrete import Integer
from taut.problem.functions import Constraint
from taut.problem.problem import Problem

WIDE, TALL = 480.0, 250.0
"""Size of a usual panel; two stand side by side where there is room."""
SMALL, LOW = 260.0, 170.0
"""Size of a slice."""
SURE = 0.95
"""From this probability on, a recommendation is drawn as feasible."""
SHOWN = 60
"""Errors shown of each function, the latest."""


def objective_course(problem: Problem, found: Convergence) -> Markup:
    """The objective of what was recommended, with two standard deviations, and of the best measured design."""
    left, right, bottom, top = svg.inside(WIDE, TALL)
    x = Scale(0.0, _last(found.spent), left, right)
    y = svg.scale([*found.objective, *found.measured.objective], bottom, top, 0.12)
    across, name = [x.at(c) for c in found.cost], problem.objective.name
    pairs = list(zip(found.objective, found.sd, strict=True))
    low, high = ([y.at(m + s * 2.0 * sd) for m, sd in pairs] for s in (-1.0, 1.0))
    stairs = svg.steps([x.at(c) for c in found.measured.cost], [y.at(v) for v in found.measured.objective], right)
    drawn = [
        svg.area(across, low, high, class_="band s1"),
        svg.path(*stairs, class_="line s0"),
        svg.path(across, [y.at(m) for m in found.objective], class_="line s1 strong"),
        [_recommended(x, y, name, found, i) for i in range(len(found.cost))],
    ]
    for cost, value, row in zip(found.measured.cost, found.measured.objective, found.measured.number, strict=True):
        what = "measured elsewhere" if row is None else f"suggestion {row}"
        tip = f"best measured design from cost {number(float(cost))} on: {name} = {number(float(value))} ({what})"
        drawn.append(svg.dot(x.at(cost), y.at(value), 2.2, class_="dot s0", data_tip=tip))
    about = f"{name} of the recommendation over the spent cost"
    return svg.panel(WIDE, TALL, x, y, Labels(spent_axis(problem), ""), about, *drawn)


def _recommended(x: Scale, y: Scale, name: str, found: Convergence, i: int) -> Markup:
    p = float(found.feasibility[i])
    said = f"{name} = {uncertain(float(found.objective[i]), float(found.sd[i]))}, feasible {percent(p)}"
    kind = "dot s1" if p >= SURE else "ring s1"
    tip = f"recommended at cost {number(float(found.cost[i]))}, as known now: {said}"
    return svg.dot(x.at(found.cost[i]), y.at(found.objective[i]), 2.6, class_=kind, data_tip=tip)


def feasibility_course(problem: Problem, found: Convergence) -> Markup:
    """Probability that what was recommended is feasible, as known now."""
    left, right, bottom, top = svg.inside(WIDE, TALL)
    x, y = Scale(0.0, _last(found.spent), left, right), Scale(0.0, 1.0, bottom, top + 4)
    across, up = [x.at(c) for c in found.cost], [y.at(float(p)) for p in found.feasibility]
    dots = [
        svg.dot(
            a, b, 2.4, class_="dot s3", data_tip=f"recommended at cost {number(float(c))}: feasible {percent(float(p))}"
        )
        for a, b, c, p in zip(across, up, found.cost, found.feasibility, strict=True)
    ]
    ticks = tuple((p, f"{100 * p:.0f} %") for p in (0.0, 0.25, 0.5, 0.75, 1.0))
    labels = Labels(spent_axis(problem), "", y_ticks=ticks)
    drawn = [
        svg.area(across, [y.at(0.0)] * len(up), up, class_="band s3"),
        svg.path(across, up, class_="line s3"),
        dots,
    ]
    return svg.panel(WIDE, TALL, x, y, labels, "probability of feasibility over the spent cost", *drawn)


def spending_bars(found: Spending) -> Markup:
    """A pair of bars for each function: paid, and what evaluating it everywhere would have cost."""
    step, top = 34.0, 6.0
    rows = [(k, row) for k, row in enumerate(found.rows) if row.cost > 0.0 or row.chosen]
    height = top + step * len(rows) + 30.0
    longest = max([len(row.function) for _, row in rows] + [0])
    left = min(40.0 + 6.2 * min(longest, 18), 150.0)
    most = max([row.coupled for _, row in rows] + [row.spent for _, row in rows] + [0.0]) or 1.0
    x = Scale(0.0, most, left, WIDE - 90.0)
    bottom = top + step * len(rows) + 2
    drawn: list[object] = []
    for tick in x.ticks(4):
        across = x.at(tick)
        drawn.append(svg.line(across, top, across, bottom, class_="grid"))
        drawn.append(svg.text(across, bottom + 14, number(tick), class_="tick mid"))
    for i, (k, row) in enumerate(rows):
        y = top + step * i
        both = number(row.spent, 4) + (f" of {number(row.coupled, 4)}" if row.coupled > row.spent else "")
        paid = f"{number(row.spent)} paid for {count(row.chosen, 'evaluation')}"
        tip = f"{row.function}: {paid}; everywhere {number(row.coupled)}"
        name = row.function if len(row.function) <= 18 else f"{row.function[:17]}…"
        drawn += [
            svg.text(left - 8, y + 17, name, class_="tick end strong"),
            svg.rect(left, y + 4, x.at(row.coupled) - left, 16, class_="bar ghost", data_tip=tip),
            svg.rect(left, y + 7, x.at(row.spent) - left, 10, class_=f"bar {svg.series(k)}", data_tip=tip),
            svg.text(x.at(max(row.spent, row.coupled)) + 6, y + 16, both, class_="tick"),
        ]
    return svg.picture(WIDE, height, "cost of each function, paid and if evaluated everywhere", *drawn)


def evaluations_course(problem: Problem, found: Spending) -> Markup:
    """How often each function had been evaluated when so much was spent."""
    left, right, bottom, top = svg.inside(WIDE, TALL)
    x = Scale(0.0, _last(float(found.cost[-1])), left, right)
    y = Scale(0.0, max(float(found.evaluations.max()), 1.0), bottom, top, whole=True)
    drawn = []
    for k, name in enumerate(problem.functions):
        if name not in problem.simulated:
            continue
        across = [x.at(c) for c in found.cost]
        up = [y.at(float(n)) for n in found.evaluations[:, k]]
        tip = f"{name}: {count(int(found.evaluations[-1, k]), 'evaluation')}"
        drawn.append(svg.path(across, up, class_=f"line {svg.series(k)}", data_tip=tip))
    labels = Labels(spent_axis(problem), "")
    return svg.panel(WIDE, TALL, x, y, labels, "evaluations of each function over the spent cost", *drawn)


def margin_bar(problem: Problem, name: str, mean: float, sd: float, typical: float) -> Markup:
    """Where the value of a constraint stands against its limits. typical: distance of its values from them."""
    width, height = 150.0, 18.0
    function = problem.function(name)
    sides = _sides(function)
    near = min(sides, key=lambda side: abs(side - mean))
    room = max(2.5 * typical, 1.2 * abs(mean - near), 1e-9 * abs(near)) or 1.0
    x = Scale(near - room, near + room, 6.0, width - 6.0)
    drawn: list[object] = [svg.line(0, 9, width, 9, class_="grid")]
    at_least, at_most = getattr(function, "at_least", None), getattr(function, "at_most", None)
    if at_most is not None:
        drawn.append(svg.rect(x.at(at_most), 3, width - x.at(at_most), 12, class_="outside"))
    if at_least is not None:
        drawn.append(svg.rect(0, 3, x.at(at_least), 12, class_="outside"))
    low, high = (min(max(x.at(mean + s * 2.0 * sd), 0.0), width) for s in (-1.0, 1.0))
    drawn += [svg.line(x.at(side), 1, x.at(side), 17, class_="limit") for side in sides]
    drawn += [svg.line(low, 9, high, 9, class_="whisker"), svg.dot(x.at(mean), 9, 3.6, class_="dot s1")]
    about = f"{name}: {uncertain(mean, sd)}, margin {number(margin(problem, name, mean))}"
    return tag("svg", drawn, viewBox=f"0 0 {width:g} {height:g}", class_="inline", role="img", aria_label=about)


def slice_panel(problem: Problem, found: Slice, k: int) -> Markup:
    """One function along one parameter: mean, two standard deviations, limits, measured values, the recommendation."""
    left, right, bottom, top = svg.inside(SMALL, LOW)
    function, name = problem.function(problem.functions[k]), problem.functions[k]
    x, place, ticks = _positions(found, left, right, problem)
    mean, sd = found.survey.mean[:, k], found.survey.sd[:, k]
    across, at = [place(value) for value in found.values], place(found.at)
    here = min(range(len(across)), key=lambda i: abs(across[i] - at))
    near = [side for side in _sides(function) if _within(side, mean, sd)]
    # Far from the data bands may be very wide: what is drawn is chosen by the means.
    inside = [*mean, mean[here] - 2 * sd[here], mean[here] + 2 * sd[here], *near, *(v for _, v in found.measured[name])]
    y = svg.scale(inside, bottom, top, 0.2)
    # Cut at the axes: outside of them it would lie on the ticks.
    low, high = ([_cut(y.at(float(v)), top, bottom) for v in mean + s * 2.0 * sd] for s in (-1.0, 1.0))
    value = uncertain(float(mean[here]), float(sd[here]))
    tip = f"recommended {found.parameter} = {number(found.at)}: {name} = {value}"
    drawn = [
        _outside(function, y, left, right, bottom, top),
        _belief(across, low, high, [y.at(float(v)) for v in mean], svg.series(k), ticks is not None),
        [svg.line(left, y.at(side), right, y.at(side), class_="limit") for side in near],
        svg.line(at, top, at, bottom, class_="here"),
        [_value(name, found.parameter, a, v, place(a), y.at(v)) for a, v in found.measured[name]],
        svg.dot(at, y.at(float(mean[here])), 4.0, class_="mark", data_tip=tip),
    ]
    labels = Labels(found.parameter, "", x_ticks=ticks)
    return svg.panel(SMALL, LOW, x, y, labels, f"{name} over {found.parameter}", *drawn)


def _belief(
    across: list[float], low: list[float], high: list[float], mean: list[float], series: str, apart: bool
) -> list[Markup]:
    """A line with its band; apart: options that stand side by side, each with a dot and a bar."""
    if not apart:
        return [svg.area(across, low, high, class_=f"band {series}"), svg.path(across, mean, class_=f"line {series}")]
    places = [each for each in zip(across, low, high, mean, strict=True) if all(map(math.isfinite, each))]
    bars = [svg.rect(x - 5.0, b, 10.0, a - b, class_=f"band {series}") for x, a, b, _ in places]
    return bars + [svg.dot(x, m, 3.0, class_=f"dot {series}") for x, _, _, m in places]


def _cut(value: float, low: float, high: float) -> float:
    return min(max(value, low), high) if math.isfinite(value) else value


def _value(name: str, parameter: str, at: Any, value: float, x: float, y: float) -> Markup:
    tip = f"measured: {name} = {number(value)} at {parameter} = {number(at)}"
    return svg.dot(x, y, 2.2, class_="dot soft", data_tip=tip)


def _positions(found: Slice, left: float, right: float, problem: Problem) -> tuple[Scale, Any, Any]:
    """A scale of the parameter, where each value stands on it, and its ticks if they are words."""
    parameter = next(each for each in problem.parameters if each.name == found.parameter)
    if hasattr(parameter, "options"):
        x = Scale(-0.5, len(found.values) - 0.5, left, right)
        ticks = tuple((float(i), str(value)[:12]) for i, value in enumerate(found.values))
        return x, lambda value: x.at(float(found.values.index(value))), ticks
    numbers = [float(value) for value in found.values]
    x = svg.scale(numbers, left, right, 0.0, log=bool(getattr(parameter, "log", False)))
    x = replace(x, whole=isinstance(parameter, Integer))
    return x, lambda value: x.at(float(value)), None


def _sides(function: object) -> list[float]:
    if not isinstance(function, Constraint):
        return []
    return [side for side in (function.at_least, function.at_most) if side is not None]


def _within(side: float, mean: Any, sd: Any) -> bool:
    """Is a limit near enough to be shown without squeezing the function into a line?"""
    known = mean[np.isfinite(mean)]
    if not len(known):
        return True
    low, high = float(known.min()), float(known.max())
    room = max(high - low, 4.0 * float(sd.min()))
    return low - room <= side <= high + room


def _outside(function: object, y: Scale, left: float, right: float, bottom: float, top: float) -> Markup:
    """The values that are not allowed."""
    if not isinstance(function, Constraint):
        return Markup("")
    parts = []
    if function.at_most is not None and y.low <= function.at_most <= y.high:
        parts.append(svg.rect(left, top, right - left, y.at(function.at_most) - top, class_="outside"))
    if function.at_least is not None and y.low <= function.at_least <= y.high:
        at = y.at(function.at_least)
        parts.append(svg.rect(left, at, right - left, bottom - at, class_="outside"))
    return joined(parts)


def gap_course(name: str, found: Outlook) -> Markup:
    """Probability that the recommendation is feasible and no further than this from the best possible."""
    left, right, bottom, top = svg.inside(WIDE, TALL)
    gaps = [gap for gap in found.gaps if math.isfinite(gap)]
    gaps = gaps[: max(1, math.ceil(0.95 * len(gaps)))]  # the last ones may be very far
    x = Scale(0.0, max(gaps[-1], 1e-300) if gaps else 1.0, left, right)
    y = Scale(0.0, 1.0, bottom, top)
    kept = [gaps[i] for i in evenly(len(gaps), 60)]
    up = [found.within(gap) for gap in kept]
    stairs = svg.steps([x.at(gap) for gap in kept], [y.at(p) for p in up], right)
    dots = [
        svg.dot(x.at(g), y.at(p), 2.0, class_="dot s1", data_tip=f"within {number(g, 3)} of {name}: {percent(p)}")
        for g, p in zip(kept, up, strict=True)
    ]
    ticks = tuple((p, f"{100 * p:.0f} %") for p in (0.0, 0.25, 0.5, 0.75, 1.0))
    labels = Labels(f"distance from the best possible {name}", "", y_ticks=ticks)
    about = "probability that the recommendation is within a distance of the best possible"
    return svg.panel(WIDE, TALL, x, y, labels, about, svg.path(*stairs, class_="line s1"), *dots)


def error_strip(name: str, errors: Sequence[Error], k: int) -> Markup:
    """Standardised errors of the last predictions, in order: within 2 they are what was promised."""
    width, height = 220.0, 46.0
    shown = errors[-SHOWN:]
    y = Scale(-4.0, 4.0, height - 2, 2.0)
    x = Scale(0.0, max(len(shown) - 1, 1), 6.0, width - 6.0)
    drawn: list[object] = [svg.rect(0, y.at(s), width, y.at(-s) - y.at(s), class_="within") for s in (2.0, 1.0)]
    drawn.append(svg.line(0, y.at(0.0), width, y.at(0.0), class_="axis"))
    for i, error in enumerate(shown):
        z = min(max(error.z, -4.0), 4.0) if math.isfinite(error.z) else 0.0
        kind = f"dot {svg.series(k)}" if abs(error.z) <= 3.0 else "dot alarm"
        tip = f"{name}, suggestion {error.number}: {number(error.z, 3)} standard deviations off"
        drawn.append(svg.dot(x.at(i), y.at(z), 2.2, class_=kind, data_tip=tip))
    about = f"errors of the predictions of {name}"
    return tag("svg", drawn, viewBox=f"0 0 {width:g} {height:g}", class_="strip", role="img", aria_label=about)


def _last(spent: float) -> float:
    return spent if spent > 0.0 else 1.0
