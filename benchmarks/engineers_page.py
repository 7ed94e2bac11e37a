"""docs/engineers.md from the rows of benchmarks/engineers.py."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from engineers import ARMS, MIXED, REAL, RIVALS, TOLERANCE
from store.rows import Row
from store.table import markdown

INTRO = """# Problems as engineers have them

What a known formula, a whole number or a catalogue changes: measured by `benchmarks/engineers.py`, whose file of
problems (`benchmarks/engineers.toml`) says which functions of each are formulas in practice. Every function that has to
be evaluated costs 1. A run ends when the recommended point meets every constraint and its objective is within the
tolerance of the optimum (found by enumeration and many local searches), or when {budget:g} units are spent after the
initial design. `known` declares the formulas, `simulated` declares none; settings are the defaults.
Where a row has few runs, read it as a first impression, not as a comparison.
"""

BESIDE = """## Others at the same cost

Optuna's GP and TPE samplers and EGObox with its types for whole numbers, catalogues and choices, for the same
{budget:g} units after the same initial design, at their defaults but for what is true here: values are without
noise, and constraints are met at 0, not at a tolerance above. They evaluate every function at each trial and pay for
those that are not known. Choices were made in their favour: EGObox is handed the known constraints as functions that
its search obeys, Optuna their values; a trial that violates a known constraint costs them nothing, though all values
there are told; a violation by a millionth of a constraint's spread over the initial design counts as none; what
counts is the best trial, whether or not the tool would recommend it. A trial of gear_train, all formula, counts 1.

Each cell: runs that found the optimum, of all runs; the median cost of those; and the median relative distance from the
optimum at the end ("none" if half of the runs ended without a feasible trial). Runs end at the tolerance.
"""
REAL_WORDS = """\
These runs keep the last part of the budget for a verified answer, as `Study.run` does; those above do not. Knowing the
objective was expected to halve the cost. It does on the spring, and saves an eighth to a third elsewhere: evaluations
of the objective are a third of what the simulated runs pay, and the rest is the constraints, which have to be learned
as before: the walls decide where the optimum lies, and an objective without doubt does not show them.
"""
NAMES = {"known": "taut", "optuna-gp": "Optuna GP", "optuna-tpe": "Optuna TPE", "egobox": "EGObox"}


def text(rows: Sequence[Row], cases: Mapping[str, Any], budget: float) -> str:
    parts = [INTRO.format(budget=budget), _problems(cases)]
    parts += ["## Whole numbers, catalogues and choices\n", _table(rows, MIXED)]
    if any(row["arm"] in RIVALS for row in rows):
        parts += [BESIDE.format(budget=budget), _beside(rows)]
    parts += ["## Real parameters, the objective known or simulated\n", REAL_WORDS, _table(rows, REAL)]
    wrong = sum(row.get("violations", 0) for row in rows)
    parts.append(f"Suggestions that violated a known constraint, in all runs of the first table: {wrong}.\n")
    return "\n".join(parts)


def _problems(cases: Mapping[str, Any]) -> str:
    lines = []
    for name, each in cases.items():
        p = each.problem
        kinds: dict[str, int] = {}
        for parameter in p.parameters:
            word = type(parameter).__name__.lower()
            kinds[word] = kinds.get(word, 0) + 1
        parameters = ", ".join(f"{count} {word}" for word, count in kinds.items())
        known = ", ".join(each.known) or "nothing"
        lines.append([name, parameters, len(p.constraints), known, f"{each.optimum:.8g}", f"{TOLERANCE[name]:g}"])
    return markdown(("problem", "parameters", "constraints", "known", "optimum", "tolerance"), lines) + "\n"


def _table(rows: Sequence[Row], names: Sequence[str]) -> str:
    head = ("problem", "arm", "runs", "found", "median cost", "range", "loss if not", "of the objective", "CPU s a run")
    lines = []
    for name in names:
        for arm in (arm for arm in ARMS if any((row["case"], row["arm"]) == (name, arm) for row in rows)):
            lines.append([name, arm, *_cells([row for row in rows if row["case"] == name and row["arm"] == arm])])
    return markdown(head, lines) + "\n"


def _cells(rows: Sequence[Row]) -> list[str]:
    costs = sorted(row["reached"] for row in rows if row["reached"] is not None)
    middle = f"{statistics.median(costs):g}" if costs else ""
    span = f"{costs[0]:g} to {costs[-1]:g}" if costs else ""
    left = [row["best"] for row in rows if row["reached"] is None and row["best"] is not None]
    worst = f"{max(left):.1e}" if left else ""
    asked = [next(iter(row["counts"].values())) for row in rows if "counts" in row]
    counts = f"{statistics.median(asked):g}" if asked else ""
    cpu = f"{statistics.median(row['cpu'] for row in rows):.0f}"
    return [str(len(rows)), str(len(costs)), middle, span, worst, counts, cpu]


def _beside(rows: Sequence[Row]) -> str:
    """A column for each tool, the best rival named."""
    lines = []
    for name in MIXED:
        mine = {arm: [row for row in rows if row["case"] == name and row["arm"] == arm] for arm in NAMES}
        others = [arm for arm in RIVALS if mine[arm]]
        best = NAMES[max(others, key=lambda arm: _merit(mine[arm]))] if others else ""
        lines.append([name, *(_short(mine[arm]) for arm in NAMES), best])
    return markdown(("problem", *NAMES.values(), "best rival"), lines) + "\n"


def _distance(rows: Sequence[Row]) -> float:
    return statistics.median(math.inf if row["best"] is None else row["best"] for row in rows)


def _merit(rows: Sequence[Row]) -> tuple[float, float]:
    """Larger is better: the share that found it, then the distance of the others."""
    return sum(row["reached"] is not None for row in rows) / len(rows), -_distance(rows)


def _short(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    costs, distance = [row["reached"] for row in rows if row["reached"] is not None], _distance(rows)
    at = f" at {statistics.median(costs):g}" if costs else ""
    return f"{len(costs)} of {len(rows)}{at}; {f'{distance:.1e}' if math.isfinite(distance) else 'none'}"
