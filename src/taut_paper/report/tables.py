"""The tables of the report: medians over seeds, paired tests, stuck runs, CPU time. Numbers in, words out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut_paper import statistics
from taut_paper.claims.evidence import FEWEST
from taut_paper.curves import redundant, title, words
from taut_paper.experiments import BEYOND, CORE, Arm
from taut_paper.figures.style import arm_label
from taut_paper.traces import Results, Trace, Traces

NONE = "–"
ORDER = (*CORE, "pesc", *BEYOND, "dckg-uncoupled", "pesc-coupled")
Number = Callable[[Traces, float], float]


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a table; strong: the best of its row or column."""

    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; the first columns are text, the others numbers. groups: (heading, columns) above the head."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()
    note: str = ""
    texts: int = 1
    """Columns of text: one or two."""


# --- Words


def small(value: float) -> str:
    """Two digits: 0.14, 1.4e-4."""
    if math.isnan(value) or value == 0.0 or abs(value) >= 0.01:
        return NONE if math.isnan(value) else f"{value:.2g}" if abs(value) < 100.0 else f"{value:.0f}"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def signed(value: float) -> str:
    """Two decimals with a real minus sign."""
    return NONE if math.isnan(value) else f"{value:.2f}".replace("-", "−")


def probability(p: float) -> str:
    if math.isnan(p):
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def milliseconds(seconds: float) -> str:
    """As thousandths of a second."""
    if math.isnan(seconds):
        return NONE
    return f"{1000.0 * seconds:.1f}" if seconds < 0.01 else f"{1000.0 * seconds:,.0f}"


# --- Which arms


def methods_of(results: Results, preset: str | None = None) -> list[str]:
    """Methods with results, those of the paper first."""
    found = {trace.repetition.method for trace in results if preset in (None, trace.repetition.preset)}
    return [*(name for name in ORDER if name in found), *sorted(found - set(ORDER))]


def presets_of(results: Results) -> list[str]:
    """Presets with results, the library default first."""
    return sorted({trace.repetition.preset for trace in results}, key=lambda name: (name != "default", name))


def all_arms(results: Results) -> list[Arm]:
    """Preset by preset."""
    return [Arm(method, preset) for preset in presets_of(results) for method in methods_of(results, preset)]


def _groups(arms: Sequence[Arm], before: int) -> tuple[tuple[str, int], ...]:
    """Headings over the columns of each preset; none if there is one preset only."""
    presets = list(dict.fromkeys(arm.preset for arm in arms))
    if len(presets) < 2:
        return ()
    return (("", before), *((words(name), sum(arm.preset == name for arm in arms)) for name in presets))


# --- Experiments by arms


def what_was_run(results: Results) -> Table:
    """Seeds of every arm on every experiment."""
    arms = all_arms(results)
    rows = []
    for experiment in results.experiments:
        found = [results.traces(experiment, arm.method, arm.preset) for arm in arms]
        budgets = sorted({trace.repetition.budget for traces in found for trace in traces.values()})
        budget = " or ".join(f"{each:g}" for each in budgets)
        cells = (str(len(traces)) if traces else NONE for traces in found)
        rows.append(tuple(Cell(text) for text in (title(experiment), budget, *cells)))
    head = ("experiment", "budget", *(arm.method for arm in arms))
    return Table("Finished repetitions (seeds) of each method, and the budget in units of cost.", head, tuple(rows),
                 _groups(arms, 2))  # fmt: skip


def matrix(results: Results, arms: Sequence[Arm], caption: str, value: Number, show: Callable[[float], str]) -> Table:
    """A number for each experiment and arm."""
    rows = []
    for experiment in results.experiments:
        found = [results.traces(experiment, arm.method, arm.preset) for arm in arms]
        if not any(found):
            continue
        B = statistics.horizon(*found)
        values = [value(traces, B) if traces else math.nan for traces in found]
        rows.append((Cell(title(experiment)), *(Cell(show(number)) for number in values)))
    return Table(caption, ("experiment", *(arm.method for arm in arms)), tuple(rows), _groups(arms, 1))


def auc_table(results: Results, preset: str) -> Table:
    arms = [Arm(method, preset) for method in methods_of(results, preset) if method != "dckg-uncoupled"]
    caption = f"Median over seeds of the mean log₁₀ opportunity cost over the budget, {words(preset)}. Lower is better."
    table = matrix(results, arms, caption, median_auc, signed)
    seeds = [[len(results.traces(name, *_key(arm))) for arm in arms] for name in results.experiments]
    counted = [counts for counts in seeds if any(counts)]
    rows = (_marked(row, range(1, len(row)), (0, *counts)) for row, counts in zip(table.rows, counted, strict=True))
    return replace(table, rows=tuple(rows))


def _key(arm: Arm) -> tuple[str, str]:
    return arm.method, arm.preset


def _marked(cells: Sequence[Cell], at: Iterable[int], seeds: Sequence[int]) -> tuple[Cell, ...]:
    """The smallest number at these places strong, of those with the most seeds: few seeds may be lucky."""
    compared = [i for i in at if cells[i].text != NONE and seeds[i] == max(seeds)]
    numbers = {i: float(cells[i].text.replace("−", "-")) for i in compared}
    best = [i for i, number in numbers.items() if number == min(numbers.values())] if len(numbers) > 1 else []
    return tuple(replace(cell, strong=i in best) for i, cell in enumerate(cells))


def cpu_table(results: Results) -> Table:
    caption = "CPU milliseconds per decision: median over decisions, then over seeds."
    return matrix(results, all_arms(results), caption, lambda traces, _: median_cpu(traces), milliseconds)


def stuck_table(results: Results) -> Table:
    """Runs that end outside the region of the optimum, where there is a limit for that."""
    arms = all_arms(results)
    rows = []
    for experiment in results.experiments:
        found = [results.traces(experiment, arm.method, arm.preset) for arm in arms]
        counts = [statistics.stuck_count(traces) if traces else None for traces in found]
        if any(count is not None for count in counts):
            cells = (_of(count, len(traces)) for count, traces in zip(counts, found, strict=True))
            rows.append((Cell(title(experiment)), *cells))
    limits = ", ".join(f"{title(name)} {limit:g}" for name, limit in statistics.STUCK.items())
    caption = "Stuck runs: those that end with an opportunity cost above the limit of the problem."
    head = ("experiment", *(arm.method for arm in arms))
    return Table(caption, head, tuple(rows), _groups(arms, 1), note=f"Limits: {limits}. Bold: at least one.")


def _of(count: int | None, n: int) -> Cell:
    return Cell(NONE) if count is None or not n else Cell(f"{count}/{n}", strong=count > 0)


# --- One experiment


def arm_table(results: Results, experiment: str, arms: Sequence[Arm]) -> Table:
    """Final opportunity cost and its mean logarithm, each tested against the first arm; stuck runs, CPU time."""
    found = {arm: traces for arm in arms if (traces := results.traces(experiment, arm.method, arm.preset))}
    reference = next(iter(found))
    B = statistics.horizon(*found.values())
    rows = []
    for arm, traces in found.items():
        tests = (NONE, NONE) if arm == reference else _tests(found[reference], traces, B)
        low, middle, high = final_quartiles(traces, B)
        stuck = statistics.stuck_count(traces, B)
        cells = (
            arm_label(arm), str(len(traces)), small(middle), _range(low, high, traces), tests[0],
            signed(median_auc(traces, B)), tests[1], NONE if stuck is None else str(stuck),
            milliseconds(median_cpu(traces)),
        )  # fmt: skip
        rows.append(tuple(Cell(text) for text in cells))
    head = ("method", "seeds", "final OC", "quartiles", "p", "mean log₁₀ OC", "p", "stuck", "CPU ms")
    return Table(f"{title(experiment)}, at a cost of {B:g}. p: against {arm_label(reference)}.", head, _best(rows))


def _range(low: float, high: float, traces: Traces) -> str:
    return f"{small(low)} to {small(high)}" if len(traces) > 1 else NONE


def _best(rows: Sequence[tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """The smallest final OC and the smallest mean strong."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    seeds = [int(cell.text) for cell in columns[1]]
    for k in (2, 5):
        columns[k] = list(_marked(columns[k], range(len(rows)), seeds))
    return tuple(zip(*columns, strict=True))


def _tests(reference: Traces, traces: Traces, B: float) -> tuple[str, str]:
    """p of the paired two-sided tests of the final OC and of the mean."""
    one, other = statistics.paired(reference, traces)
    if len(one) < FEWEST:
        return NONE, NONE
    measures: tuple[Callable[[Trace, float], float], ...] = (statistics.final, statistics.auc)
    tests = [statistics.wilcoxon([of(t, B) for t in one], [of(t, B) for t in other]) for of in measures]
    return probability(tests[0].p), probability(tests[1].p)


def final_quartiles(traces: Traces, B: float) -> tuple[float, float, float]:
    """Quartiles of the opportunity cost at B."""
    found = statistics.bands(traces, [B])
    return float(found.lower[0]), float(found.median[0]), float(found.upper[0])


def median_auc(traces: Traces, B: float) -> float:
    return float(np.median([statistics.auc(trace, B) for trace in traces.values()]))


def median_cpu(traces: Traces) -> float:
    values = [value for trace in traces.values() if not math.isnan(value := statistics.cpu_per_decision(trace))]
    return float(np.median(values)) if values else math.nan


# --- Redundant constraints


def wasted(traces: Traces) -> list[int]:
    """Evaluations of constant constraints after the initial design, by run."""
    return [int(trace.evaluated[:, redundant(trace)].sum()) for trace in traces.values()]


def wasted_table(results: Results, experiment: str, arms: Sequence[Arm]) -> Table | None:
    """None if the experiment has no redundant constraints."""
    found = {arm: traces for arm in arms if (traces := results.traces(experiment, arm.method, arm.preset))}
    first = next((trace for traces in found.values() for trace in traces.values()), None)
    if first is None or not redundant(first):
        return None
    rows = []
    for arm, traces in found.items():
        counts = wasted(traces)
        costs = [_wasted_cost(trace) for trace in traces.values()]
        none = sum(count == 0 for count in counts)
        cells = (f"{np.median(counts):g}", f"{min(counts)} to {max(counts)}", f"{100.0 * np.median(costs):.0f} %",
                 f"{none} / {len(counts)}")  # fmt: skip
        rows.append(tuple(Cell(text) for text in (arm_label(arm), *cells)))
    caption = f"Evaluations of the {len(redundant(first))} redundant constraints after the initial design."
    return Table(caption, ("method", "median", "range", "share of cost", "runs without any"), tuple(rows))


def _wasted_cost(trace: Trace) -> float:
    """Share of what was spent."""
    columns = redundant(trace)
    costs = np.array([trace.bench.problem.cost((trace.names[k],)) for k in columns])
    return float(trace.evaluated[:, columns].sum(axis=0) @ costs / max(float(trace.spent[-1]), 1e-12))
