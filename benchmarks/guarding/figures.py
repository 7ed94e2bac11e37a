"""What a set of runs of one case says: areas, ends, stuck and false answers, CPU."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean, median

import numpy as np
from store.rows import Row

from guarding.cases import case
from taut_paper import stuck
from taut_paper.conduct import SURE, Conduct
from taut_paper.results import load
from taut_paper.statistics import area, is_stuck
from taut_paper.traces import Results, Trace

LEAST = 1e-10
"""Of the spread of feasible values: a smaller OC counts as this."""
LAST = 11.0
"""A stored run that ends no more than this before the budget came to its end: it could not pay for all once more."""


@dataclass(frozen=True)
class Figures:
    """Of the runs of a method on a case."""

    areas: dict[int, float]
    ends: dict[int, float]
    stuck: int
    infeasible: int
    false: int
    seconds: float

    @property
    def runs(self) -> int:
        return len(self.areas)


def figures(rows: Sequence[Row]) -> Figures:
    least = {row["seed"]: LEAST * case(row["case"], row["seed"]).truth.spread for row in rows}
    runs = [conduct_of(row) for row in rows]
    return Figures(
        {row["seed"]: area(*np.array(row["trajectory"]).T, row["budget"], least[row["seed"]]) for row in rows},
        {row["seed"]: row["oc"] for row in rows},
        sum(bool(run.stuck) for run in runs),
        sum(bool(run.infeasible) for run in runs),
        sum(bool(run.sure and run.infeasible) for run in runs),
        1e3 * sum(run.seconds or 0.0 for run in runs) / max(sum(run.decisions for run in runs), 1),
    )


def conduct_of(row: Row) -> Conduct:
    """As it was counted in the run; of a run before there was that, what its row says."""
    if "conduct" in row:
        return Conduct.read(row["conduct"])
    bench = case(row["case"], row["seed"]).bench
    return Conduct(
        stuck=stuck.is_stuck(bench, dict(zip(bench.solution, row["point"], strict=True))),
        infeasible=not row["feasible"],
        sure=row["probability"] >= SURE,
        seconds=round(row["ask_seconds"], 3),
        decisions=row["asks"],
    )


def by_case(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """Rows without errors by (case, label or method of a rival)."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if "error" not in row:
            name = row["label"] if row["method"] == "dckg" else f"{row['label']} {row['method']}"
            found.setdefault((row["case"], name), []).append(row)
    return found


def stored(folder: Path, name: str, methods: Sequence[str], seeds: Sequence[int]) -> list[Row]:
    """Runs of rivals of the published experiments, cut at the budget of the case."""
    budget, found = case(name, 0).budget, _results(folder)
    traces = [trace for method in methods for seed, trace in found.traces(name, method).items() if seed in seeds]
    return [_cut(trace, budget) for trace in traces if trace.spent[-1] >= budget - LAST]


@cache
def _results(folder: Path) -> Results:
    return load(folder)


def _cut(trace: Trace, budget: float) -> Row:
    steps = trace.spent <= budget + 1e-9
    x, run, curve = trace.recommended[steps][-1], trace.repetition, np.column_stack([trace.spent, trace.oc])[steps]
    answer = dict(zip(trace.bench.solution, map(float, x), strict=True))
    seen = Conduct(stuck=is_stuck(trace, budget), infeasible=not trace.bench.is_feasible(answer))
    return {
        "label": "stored", "method": run.method, "case": run.experiment, "seed": run.seed, "budget": budget,
        "trajectory": curve.tolist(), "oc": float(curve[-1, 1]), "conduct": seen.kept(),
    }  # fmt: skip


def line(found: Figures) -> list[str]:
    """median; mean; worst area | median and worst end | stuck | infeasible (said sure) | ms."""
    areas, ends = list(found.areas.values()), list(found.ends.values())
    return [
        f"{median(areas):.2f}; {mean(areas):.2f}; {max(areas):.2f}", f"{median(ends):.1e}; {max(ends):.1e}",
        f"{found.stuck} of {found.runs}", f"{found.infeasible} ({found.false})", f"{found.seconds:.0f}",
    ]  # fmt: skip


def better(one: Figures, other: Figures) -> str:
    """Pairs of the same seed in which the area of one is lower by more than 0.05, or higher."""
    shared = [seed for seed in one.areas if seed in other.areas]
    gained = [one.areas[seed] - other.areas[seed] for seed in shared]
    return f"{sum(g < -0.05 for g in gained)}:{sum(g > 0.05 for g in gained)}"
