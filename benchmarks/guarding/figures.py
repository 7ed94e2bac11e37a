"""What a set of runs of one case says: areas, ends, stuck and false answers, CPU."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from guarding.cases import case
from guarding.trial import area

LEAST = 1e-10
"""Of the spread of feasible values: a smaller OC counts as this."""
SURE = 0.99
Row = dict[str, Any]


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
    """Stuck: the final OC is no better than another local optimum, or 1 % of the spread of feasible values."""
    truths = {row["seed"]: case(row["case"], row["seed"]).truth for row in rows}
    areas = {row["seed"]: area(row["trajectory"], row["budget"], LEAST * truths[row["seed"]].spread) for row in rows}
    return Figures(
        areas,
        {row["seed"]: row["oc"] for row in rows},
        sum(row["oc"] >= truths[row["seed"]].stuck for row in rows),
        sum(not row["feasible"] for row in rows),
        sum(row["probability"] >= SURE and not row["feasible"] for row in rows),
        1e3 * sum(row["ask_seconds"] for row in rows) / max(sum(row["asks"] for row in rows), 1),
    )


def by_case(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """Rows without errors by (case, label or method of a rival)."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if "error" not in row:
            name = row["label"] if row["method"] == "dckg" else f"{row['label']} {row['method']}"
            found.setdefault((row["case"], name), []).append(row)
    return found


def stored(parquet: Path, name: str, methods: Sequence[str], seeds: Sequence[int]) -> list[Row]:
    """Runs of rivals of the paper's store, cut at the budget of the case."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(parquet, columns=["experiment", "method", "preset", "seed", "spent", "oc"])
    budget, truth = case(name, 0).budget, case(name, 0).truth
    wanted = pc.and_(pc.equal(table["experiment"], name), pc.equal(table["preset"], "default"))
    table = table.filter(wanted)
    runs: dict[tuple[str, int], list[list[float]]] = {}
    columns = (table[column].to_pylist() for column in ("method", "seed", "spent", "oc"))
    for method, seed, spent, oc in zip(*columns, strict=True):
        if method in methods and seed in seeds and spent <= budget + 1e-9:
            runs.setdefault((method, seed), []).append([spent, oc])
    return [
        {"label": "stored", "method": method, "case": name, "seed": seed, "budget": budget, "trajectory": sorted(steps)}
        | {"oc": sorted(steps)[-1][1], "probability": np.nan, "asks": 0, "ask_seconds": 0.0}
        | {"feasible": sorted(steps)[-1][1] < truth.optimum - case(name, 0).bench.penalty}
        for (method, seed), steps in runs.items()
        if max(steps)[0] >= budget - 11.0
    ]


def line(found: Figures) -> str:
    """median; mean; worst area | median and worst end | stuck | infeasible (false) | ms."""
    areas, ends = list(found.areas.values()), list(found.ends.values())
    return (
        f"{median(areas):.2f}; {mean(areas):.2f}; {max(areas):.2f} | {median(ends):.1e}; {max(ends):.1e} | "
        f"{found.stuck} of {found.runs} | {found.infeasible} ({found.false}) | {found.seconds:.0f}"
    )


def better(one: Figures, other: Figures) -> str:
    """Pairs of the same seed in which the area of one is lower by more than 0.05, or higher."""
    shared = [seed for seed in one.areas if seed in other.areas]
    gained = [one.areas[seed] - other.areas[seed] for seed in shared]
    return f"{sum(g < -0.05 for g in gained)}:{sum(g > 0.05 for g in gained)}"
