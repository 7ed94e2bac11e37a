"""The tables of the report: medians over seeds, paired tests, stuck runs, CPU time. Numbers in, words out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut_paper import conduct, statistics
from taut_paper.claims.evidence import FEWEST
from taut_paper.curves import redundant, title, words
from taut_paper.experiments import BEYOND, PAPER, Arm
from taut_paper.traces import Results, Trace, Traces

NONE = "–"
ORDER = (*PAPER, *BEYOND, "dckg-uncoupled", "pesc-coupled")


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a table; strong: the best of its row or column."""

    text: str
    strong: bool = False


def cells(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell(text) for text in texts)


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


def _by_arm(
    results: Results,
    arms: Sequence[Arm],
    caption: str,
    row: Callable[[list[Traces]], Sequence[Cell]],
    before: tuple[str, ...] = ("experiment",),
    note: str = "",
) -> Table:
    """A row for each experiment, made from the runs of each arm; an empty one is left out."""
    rows = []
    for experiment in results.experiments:
        if row_cells := row([results.traces(experiment, arm.method, arm.preset) for arm in arms]):
            rows.append((Cell(title(experiment)), *row_cells))
    head = (*before, *(arm.method for arm in arms))
    return Table(caption, head, tuple(rows), _groups(arms, len(before)), note)


def what_was_run(results: Results) -> Table:
    """Seeds of every arm on every experiment."""

    def row(found: list[Traces]) -> Sequence[Cell]:
        budgets = sorted({trace.repetition.budget for traces in found for trace in traces.values()})
        seeds = (str(len(traces)) if traces else NONE for traces in found)
        return cells(" or ".join(f"{each:g}" for each in budgets), *seeds)

    caption = "Finished repetitions (seeds) of each method, and the budget in units of cost."
    return _by_arm(results, all_arms(results), caption, row, ("experiment", "budget"))


def auc_table(results: Results, preset: str) -> Table:
    def row(found: list[Traces]) -> Sequence[Cell]:
        if not any(found):
            return ()
        B = statistics.horizon(*found)
        areas = cells(*(signed(median_auc(traces, B)) if traces else NONE for traces in found))
        return _marked(areas, [len(traces) for traces in found])

    arms = [Arm(method, preset) for method in methods_of(results, preset) if method != "dckg-uncoupled"]
    caption = f"Median over seeds of the mean log₁₀ opportunity cost over the budget, {words(preset)}. Lower is better."
    return _by_arm(results, arms, caption, row)


def _marked(column: Sequence[Cell], seeds: Sequence[int]) -> tuple[Cell, ...]:
    """The smallest number strong, of those with the most seeds: few seeds may be lucky."""
    compared = [i for i, cell in enumerate(column) if cell.text != NONE and seeds[i] == max(seeds)]
    numbers = {i: float(column[i].text.replace("−", "-")) for i in compared}
    best = [i for i, number in numbers.items() if number == min(numbers.values())] if len(numbers) > 1 else []
    return tuple(replace(cell, strong=i in best) for i, cell in enumerate(column))


def cpu_table(results: Results) -> Table:
    def row(found: list[Traces]) -> Sequence[Cell]:
        return cells(*(milliseconds(median_cpu(traces.values())) for traces in found))

    caption = "CPU milliseconds per decision: median over decisions, then over seeds."
    return _by_arm(results, all_arms(results), caption, row)


def stuck_table(results: Results) -> Table:
    """Runs that end at another local optimum."""

    def row(found: list[Traces]) -> Sequence[Cell]:
        return [_of(statistics.stuck_count(traces), len(traces)) for traces in found]

    caption = (
        "Stuck runs: from their last recommendation a local search on the true functions does not lead to the optimum. "
        "Bold: at least one."
    )
    return _by_arm(results, all_arms(results), caption, row)


def _of(count: int, n: int) -> Cell:
    return Cell(f"{count}/{n}", strong=count > 0) if n else Cell(NONE)


def conduct_table(results: Results) -> Table:
    """What is counted of single runs, all experiments together, for each arm."""
    found: dict[Arm, list[conduct.Conduct]] = {arm: [] for arm in all_arms(results)}
    for trace in results:
        found[Arm(trace.repetition.method, trace.repetition.preset)].append(conduct.of_trace(trace))
    rows = [(Cell(arm.label), *cells(*conduct.cells(runs))) for arm, runs in found.items() if runs]
    caption = (
        "How runs behave, all experiments together. Promised and true: probability of feasibility reported with "
        "recommendations, and the share that was feasible, without tolerance. Near-repeats: evaluations within 10⁻⁶ of "
        "a side of the box of an earlier one of the same function. A dash: not recorded."
    )
    return Table(caption, ("method", *conduct.HEAD), tuple(rows))


# --- One experiment


def arm_table(results: Results, experiment: str, arms: Sequence[Arm]) -> Table:
    """Final opportunity cost and its mean logarithm, each tested against the first arm; stuck runs, CPU time."""
    found = {arm: traces for arm in arms if (traces := results.traces(experiment, arm.method, arm.preset))}
    reference = next(iter(found))
    B = statistics.horizon(*found.values())
    rows = []
    for arm, traces in found.items():
        tests = (NONE, NONE) if arm == reference else _tests(found[reference], traces, B)
        ends = statistics.bands(traces, [B])
        low, middle, high = (float(values[0]) for values in (ends.lower, ends.median, ends.upper))
        quartiles = f"{small(low)} to {small(high)}" if len(traces) > 1 else NONE
        stuck = statistics.stuck_count(traces, B)
        rows.append(cells(
            arm.label, str(len(traces)), small(middle), quartiles, tests[0], signed(median_auc(traces, B)), tests[1],
            str(stuck), milliseconds(median_cpu(traces.values())),
        ))  # fmt: skip
    head = ("method", "seeds", "final OC", "quartiles", "p", "mean log₁₀ OC", "p", "stuck", "CPU ms")
    columns = list(zip(*rows, strict=True))
    for k in (2, 5):  # the smallest final OC and the smallest mean
        columns[k] = _marked(columns[k], [len(traces) for traces in found.values()])
    caption = f"{title(experiment)}, at a cost of {B:g}. p: against {reference.label}."
    return Table(caption, head, tuple(zip(*columns, strict=True)))


def _tests(reference: Traces, traces: Traces, B: float) -> tuple[str, str]:
    """p of the paired two-sided tests of the final OC and of the mean."""
    one, other = statistics.paired(reference, traces)
    if len(one) < FEWEST:
        return NONE, NONE
    measures: tuple[Callable[[Trace, float], float], ...] = (statistics.final, statistics.auc)
    final, auc = (statistics.wilcoxon([of(t, B) for t in one], [of(t, B) for t in other]) for of in measures)
    return probability(final), probability(auc)


def median_auc(traces: Traces, B: float) -> float:
    return float(np.median([statistics.auc(trace, B) for trace in traces.values()]))


def median_cpu(traces: Iterable[Trace]) -> float:
    values = [value for trace in traces if not math.isnan(value := statistics.cpu_per_decision(trace))]
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
        share = f"{100.0 * np.median(costs):.0f} %"
        around = f"{min(counts)} to {max(counts)}"
        rows.append(cells(arm.label, f"{np.median(counts):g}", around, share, f"{none} / {len(counts)}"))
    caption = f"Evaluations of the {len(redundant(first))} redundant constraints after the initial design."
    return Table(caption, ("method", "median", "range", "share of cost", "runs without any"), tuple(rows))


def _wasted_cost(trace: Trace) -> float:
    """Share of what was spent."""
    columns = redundant(trace)
    costs = np.array([trace.bench.problem.cost((trace.names[k],)) for k in columns])
    return float(trace.evaluated[:, columns].sum(axis=0) @ costs / max(float(trace.spent[-1]), 1e-12))
