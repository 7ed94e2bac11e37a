"""docs/engineers.md from the rows of benchmarks/engineers.py."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from engineers import MIXED, REAL, TOLERANCE

INTRO = """# Problems as engineers have them

What a known formula, a whole number or a catalogue changes: measured by `benchmarks/engineers.py`, whose file of
problems (`benchmarks/engineers.toml`) says which functions of each are formulas in practice. Every function that has to
be evaluated costs 1. A run ends when the recommended point meets every constraint and its objective is within the
tolerance of the optimum (found by enumeration and many local searches), or when {budget:g} units are spent after the
initial design. `known` declares the formulas, `simulated` declares none; settings are the defaults. Few seeds so far:
read the tables as a first impression, not as a comparison.
"""


def text(rows: Sequence[Mapping[str, Any]], cases: Mapping[str, Any], budget: float) -> str:
    parts = [INTRO.format(budget=budget), _problems(cases)]
    parts += ["## Whole numbers, catalogues and choices\n", _table(rows, MIXED)]
    parts += ["## Real parameters, the objective known or simulated\n", _table(rows, REAL)]
    wrong = sum(row.get("violations", 0) for row in rows)
    parts.append(f"Suggestions that violated a known constraint, in all runs of the first table: {wrong}.\n")
    return "\n".join(parts)


def _problems(cases: Mapping[str, Any]) -> str:
    lines = ["| problem | parameters | constraints | known | optimum | tolerance |", "|---|---|---|---|---|---|"]
    for name, each in cases.items():
        p = each.problem
        kinds: dict[str, int] = {}
        for parameter in p.parameters:
            word = type(parameter).__name__.lower()
            kinds[word] = kinds.get(word, 0) + 1
        parameters = ", ".join(f"{count} {word}" for word, count in kinds.items())
        known = ", ".join(each.known) or "nothing"
        lines.append(
            f"| {name} | {parameters} | {len(p.constraints)} | {known} | {each.optimum:.8g} | {TOLERANCE[name]:g} |"
        )
    return "\n".join([*lines, ""])


def _table(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    head = ("problem", "arm", "runs", "found", "median cost", "range", "loss if not", "of the objective", "CPU s a run")
    lines = [f"| {' | '.join(head)} |", "|---|---|---|---|---|---|---|---|---|"]
    for name in names:
        for arm in dict.fromkeys(row["arm"] for row in rows if row["case"] == name):
            mine = [row for row in rows if row["case"] == name and row["arm"] == arm]
            lines.append(f"| {name} | {arm} | {_cells(mine)} |")
    return "\n".join([*lines, ""])


def _cells(rows: Sequence[Mapping[str, Any]]) -> str:
    costs = sorted(row["reached"] for row in rows if row["reached"] is not None)
    middle = f"{statistics.median(costs):g}" if costs else ""
    span = f"{costs[0]:g} to {costs[-1]:g}" if costs else ""
    left = [row["best"] for row in rows if row["reached"] is None and row["best"] is not None]
    worst = f"{max(left):.1e}" if left else ""
    asked = [next(iter(row["counts"].values())) for row in rows if "counts" in row]
    counts = f"{statistics.median(asked):g}" if asked else ""
    cpu = f"{statistics.median(row['cpu'] for row in rows):.0f}"
    return " | ".join([str(len(rows)), str(len(costs)), middle, span, worst, counts, cpu])
