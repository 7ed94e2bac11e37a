"""The numbers of the report's figures, before anything is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array
from taut_paper import statistics
from taut_paper.experiments import EXPERIMENTS, Arm
from taut_paper.figures.style import FUNCTIONS, Style, method_style, preset_style
from taut_paper.traces import Results, Trace, Traces

POINTS = 160
"""Steps of the grid of costs: fine enough for the eye, small enough for a page with hundreds of lines."""
SLICES = 10
SETS = 8
"""Sets shown by name in the figure of choices; the rare ones are put together."""


@dataclass(frozen=True, slots=True)
class Line:
    """A median with its quartiles against cost; arrays of one length."""

    label: str
    style: Style
    cost: Array
    low: Array
    middle: Array
    high: Array


@dataclass(frozen=True, slots=True)
class Panel:
    """One set of axes; without lines it says that nothing was run. row: heading of the row that begins here."""

    title: str
    lines: tuple[Line, ...]
    floor: float = 0.0
    row: str = ""


@dataclass(frozen=True, slots=True)
class Cloud:
    """The final opportunity costs of one arm, one number per seed, and their quartiles."""

    label: str
    style: Style
    values: Array
    quartiles: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Shares:
    """How often each set was chosen, by slices of the budget. share: [sets, slices]; columns sum to 1, or are 0."""

    title: str
    edges: Array
    sets: tuple[str, ...]
    share: Array


def title(experiment: str) -> str:
    return EXPERIMENTS[experiment].title if experiment in EXPERIMENTS else experiment


def grid(traces: Traces) -> Array:
    """Costs from 0 to the smallest budget."""
    return np.linspace(0.0, statistics.horizon(traces), POINTS + 1)


# --- Opportunity cost


def oc_panel(results: Results, experiment: str, arms: Sequence[Arm], known: Sequence[str] = ()) -> Panel:
    """The arms that have results, in the order given. known: all methods, for the colours of unknown ones."""
    found = {arm: results.traces(experiment, arm.method, arm.preset) for arm in arms}
    lines = [(arm.label, method_style(arm.method, known), traces) for arm, traces in found.items()]
    return _oc_panel(title(experiment), lines)


def preset_panel(results: Results, experiment: str, method: str, presets: Sequence[str], row: str = "") -> Panel:
    """One method with several presets."""
    found = {preset: results.traces(experiment, method, preset) for preset in presets}
    lines = [(words(preset), preset_style(preset), traces) for preset, traces in found.items()]
    return _oc_panel(method, lines, row)


def _oc_panel(heading: str, arms: Sequence[tuple[str, Style, Traces]], row: str = "") -> Panel:
    """Label, style and runs of each line; there is one floor per problem, so it is that of any trace."""
    lines, floor = [], 0.0
    for label, style, traces in arms:
        if traces:
            found = statistics.bands(traces, grid(traces))
            lines.append(Line(label, style, found.costs, found.lower, found.median, found.upper))
            floor = statistics.floor(next(iter(traces.values())))
    return Panel(heading, tuple(lines), floor, row)


def words(preset: str) -> str:
    """The name of a preset in a legend."""
    return {"default": "library default", "paper": "preset paper"}.get(preset, f"preset {preset}")


def cloud(label: str, style: Style, traces: Traces) -> Cloud:
    """The ends of all runs of an arm."""
    logs = np.array([statistics.final(trace) for trace in traces.values()])
    low, middle, high = (float(10.0**q) for q in np.quantile(logs, (0.25, 0.5, 0.75)))
    return Cloud(label, style, 10.0**logs, (low, middle, high))


# --- Evaluations per function


def is_decoupled(traces: Traces) -> bool:
    """Whether most decisions left some function out. A coupled method may do so once, with the rest of its budget."""
    whole = [int(trace.evaluated[1:].all(axis=1).sum()) for trace in traces.values()]
    return 2 * sum(whole) < sum(len(trace.spent) - 1 for trace in traces.values())


def count_panel(results: Results, experiment: str, arm: Arm, row: str = "") -> Panel:
    """Cumulative evaluations of each function, or of groups of them where there are many."""
    traces = results.traces(experiment, arm.method, arm.preset)
    if not traces:
        return Panel(arm.label, (), row=row)
    groups = function_groups(next(iter(traces.values())))
    costs = grid(traces)
    lines = []
    for (label, columns), style in zip(groups.items(), FUNCTIONS, strict=False):
        counts = np.array([_count(trace, columns, costs) for trace in traces.values()])
        low, middle, high = np.quantile(counts, (0.25, 0.5, 0.75), axis=0)
        lines.append(Line(label, style, costs, low, middle, high))
    return Panel(arm.label, tuple(lines), row=row)


def _count(trace: Trace, columns: Sequence[int], costs: Array) -> Array:
    """Evaluations up to each cost, the mean of the functions in these columns; [m]."""
    cumulative = np.cumsum(trace.evaluated[:, columns], axis=0).mean(axis=1)
    return np.asarray(cumulative[statistics.last_steps(trace, costs)], dtype=float)


def function_groups(trace: Trace) -> dict[str, list[int]]:
    """Columns by label: every function by itself, or if there are more than four: f, the binding ones, the others."""
    names = trace.names
    if len(names) <= 4:
        return {name: [k] for k, name in enumerate(names)}
    binding = [k for k, name in enumerate(names) if name in trace.bench.binding]
    others = [k for k in range(1, len(names)) if k not in binding]
    constant = set(others) <= set(redundant(trace))
    groups = {names[0]: [0]}
    if binding:
        groups[names[binding[0]] if len(binding) == 1 else "binding constraints (mean)"] = binding
    if others:
        groups[f"{'redundant' if constant else 'other'} constraints (mean)"] = others
    return groups


def redundant(trace: Trace) -> list[int]:
    """Columns of the constraints that are constant, and so can never matter."""
    ranges = trace.bench.constraint_ranges
    return [k for k, name in enumerate(trace.names) if ranges.get(name) == 0.0]


# --- Sets chosen


def choices(traces: Traces, heading: str, order: Sequence[str]) -> Shares:
    """Share of the decisions by the set that won, in slices of the budget; what is not in `order` is `other`."""
    edges = np.linspace(0.0, statistics.horizon(traces), SLICES + 1)
    counts = np.zeros((len(order) + 1, SLICES))
    for trace in traces.values():
        for i in statistics.decisions(trace):
            name = _set_name(trace, int(i))
            row = order.index(name) if name in order else len(order)
            # A decision counts where it was taken: at the cost before it.
            counts[row, min(SLICES - 1, int(np.searchsorted(edges, trace.spent[i - 1], side="right")) - 1)] += 1
    share = counts / np.maximum(counts.sum(axis=0), 1.0)
    used = share.sum(axis=1) > 0.0
    labels = (*order, "other")
    return Shares(heading, edges, tuple(np.array(labels)[used].tolist()), share[used])


def common_sets(arms: Sequence[Traces]) -> list[str]:
    """The sets chosen most often in these arms together, small ones first, then in order of their functions."""
    found: Counter[str] = Counter()
    for trace in (trace for arm in arms for trace in arm.values()):
        found.update(_set_name(trace, int(i)) for i in statistics.decisions(trace))
    often = sorted(found, key=lambda name: (-found[name], name))[:SETS]
    return sorted(often, key=lambda name: (name.count("+"), name[0] != "f", name))


def _set_name(trace: Trace, step: int) -> str:
    return "+".join(name for name, in_set in zip(trace.names, trace.decided[step], strict=True) if in_set)
