"""What stands at the beginning and at the end of the report: the main numbers, and how to get them again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from taut_paper import statistics
from taut_paper.claims.rules import compare_presets
from taut_paper.curves import redundant, title
from taut_paper.experiments import CORE, EXPERIMENTS, PAPER, PARTS, SCALES, Scale, ranges
from taut_paper.report.tables import Table, cells, median_auc, median_cpu, methods_of, milliseconds, wasted
from taut_paper.traces import Results, Trace


@dataclass(frozen=True, slots=True)
class Card:
    """A number and what it is."""

    value: str
    label: str


def cards(results: Results) -> list[Card]:
    """The main numbers; those that cannot be computed are left out."""
    makers = (_repetitions, _lowest, _wasted, _stuck, _cpu, _presets)
    return [card for make in makers if (card := make(results))]


def _repetitions(results: Results) -> Card:
    arms = {(trace.repetition.method, trace.repetition.preset) for trace in results}
    steps = sum(len(trace.spent) - 1 for trace in results)
    what = f"{len(results.experiments)} experiments, {len(arms)} methods and presets"
    return Card(f"{len(results):,}", f"repetitions with {steps:,} decisions: {what}")


def _lowest(results: Results) -> Card | None:
    """On how many experiments dckg has the lowest median of the mean log OC among the methods of the paper.

    Only methods with as many seeds as dckg are compared: few seeds may be lucky.
    """
    wins, counted = 0, 0
    for experiment in results.experiments:
        enough = len(results.traces(experiment, "dckg"))
        found = {name: results.traces(experiment, name) for name in PAPER}
        arms = {name: traces for name, traces in found.items() if traces and len(traces) >= enough}
        if "dckg" in arms and len(arms) > 1:
            B = statistics.horizon(*arms.values())
            medians = {name: median_auc(traces, B) for name, traces in arms.items()}
            counted += 1
            wins += min(medians, key=lambda name: medians[name]) == "dckg"
    label = "experiments on which dckg has the lowest mean log₁₀ opportunity cost of the paper's methods (median)"
    return Card(f"{wins} of {counted}", label) if counted else None


def _wasted(results: Results) -> Card | None:
    for experiment in results.experiments:
        arms = {name: traces for name in CORE if (traces := results.traces(experiment, name))}
        if arms and redundant(next(iter(next(iter(arms.values())).values()))):
            numbers = " / ".join(f"{np.median(wasted(traces)):g}" for traces in arms.values())
            return Card(numbers, f"evaluations wasted on redundant constraints (median): {' / '.join(arms)}")
    return None


def _stuck(results: Results) -> Card | None:
    """All experiments together, library default."""
    totals: dict[str, tuple[int, int]] = {}
    for name in CORE:
        if runs := list(_default(results, name)):
            totals[name] = statistics.stuck_count(runs), len(runs)
    if not totals:
        return None
    text = " / ".join(f"{100.0 * stuck / n:.1f}".removesuffix(".0") for stuck, n in totals.values())
    return Card(f"{text} %", f"runs that end at another local optimum: {' / '.join(totals)}")


def _cpu(results: Results) -> Card | None:
    medians: dict[str, float] = {}
    for name in CORE:
        if not math.isnan(value := median_cpu(_default(results, name))):
            medians[name] = value
    text = " / ".join(milliseconds(value) for value in medians.values())
    label = f"CPU time of a decision (median of all runs): {' / '.join(medians)}"
    return Card(f"{text} ms", label) if medians else None


def _presets(results: Results) -> Card | None:
    compared = compare_presets(results)
    better = sum(each.auc_default < each.auc_paper for each in compared)
    label = "methods and experiments on which the library default has a lower mean log₁₀ OC than preset paper (median)"
    return Card(f"{better} of {len(compared)}", label) if compared else None


def _default(results: Results, method: str) -> Iterable[Trace]:
    return (trace for trace in results if (trace.repetition.method, trace.repetition.preset) == (method, "default"))


# --- How it was made


def settings(results: Results) -> Table:
    """Problem, costs, initial design, budget and seeds of every experiment."""
    rows = []
    for experiment in results.experiments:
        runs = [trace for trace in results if trace.repetition.experiment == experiment]
        first = runs[0]
        costs = ", ".join(f"{name} {first.bench.problem.cost((name,)):g}" for name in first.names)
        costs = "all 1" if not first.repetition.costs else costs
        initial = _distinct(str(run.repetition.initial) for run in runs)
        budget = _distinct(f"{run.repetition.budget:g}" for run in runs)
        seeds = ranges({run.repetition.seed for run in runs})
        rows.append(cells(title(experiment), experiment, costs, initial, budget, seeds))
    caption = "Settings. The initial design evaluates all functions and is not charged to the budget."
    return Table(caption, ("experiment", "name", "costs", "initial points", "budget", "seeds"), tuple(rows))


def _distinct(values: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(values))


def versions(results: Results) -> list[tuple[str, str]]:
    """Every version that the results were made with, by package."""
    found: dict[str, dict[str, None]] = {}
    for trace in results:
        for name, version in trace.versions.items():
            found.setdefault(name, {})[version] = None
    return [(name, ", ".join(each)) for name, each in found.items()]


def commands(results: Results) -> list[str]:
    """What to type to get these results, or more of them, and this page."""
    asked = _what(results)
    methods = {trace.repetition.method for trace in results}
    presets = {trace.repetition.preset for trace in results}
    planned = [arm for part in PARTS.values() for arm in part.arms]
    words = ["taut bench run", *asked, *_scale(results)]
    words += ["--seeds", ranges({trace.repetition.seed for trace in results})]
    if methods != {arm.method for arm in planned}:
        words += ["--methods", ",".join(methods_of(results))]
    if presets != {arm.preset for arm in planned}:
        words += ["--presets", ",".join(sorted(presets))]
    return [" ".join(words), "taut bench report"]


def _what(results: Results) -> list[str]:
    """`paper` for all experiments, otherwise their names."""
    names = [name for name in results.experiments if name in EXPERIMENTS]
    return ["paper"] if len(names) == len(EXPERIMENTS) else names


def _scale(results: Results) -> list[str]:
    """The scale that has these budgets; otherwise the budget itself."""

    def agrees(scale: Scale) -> bool:
        runs = [trace.repetition for trace in results if trace.repetition.experiment in EXPERIMENTS]
        return all(math.isclose(run.budget, scale.budget(EXPERIMENTS[run.experiment])) for run in runs)

    for name in ("code", "paper-text", "quick"):
        if agrees(SCALES[name]):
            return ["--scale", name]
    return ["--budget", f"{max(trace.repetition.budget for trace in results):g}"]
