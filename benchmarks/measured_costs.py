"""Do measured costs do as well as costs that are known? Spend until the answer is within 1e-3 of the best possible.

    python benchmarks/measured_costs.py run [--seeds 0-9] [--problems mystery test_function_2] [--fields line bowl]
    python benchmarks/measured_costs.py table
    python benchmarks/measured_costs.py page                 # the table of docs/costs.md

True costs vary 100-fold over the box, for each function in a direction of its own, drawn from the seed, and scatter by
5 %. Three studies with the same seed and initial design: `measured` is told how long each evaluation took, `told` knows
the true cost of every function at every point, `constant` believes that everything costs 1. What each has really spent
is counted. Fields: `line`, where the logarithm of the cost is a plane; `bowl`, where it grows with the squared distance
from a place, so that the model of costs is wrong. A run is one line of OUT (JSON); what is there is not repeated.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from store.rows import Row, Store
from store.runs import run_all
from store.table import markdown, put
from store.words import numbers, say

import taut
from taut.data.dataset import Belief, Proposal, Request
from taut.data.results import Judgement
from taut.policy import make
from taut.problem.space import to_unit

OUT = Path(__file__).parent / "results" / "measured-costs.jsonl"
KEY = ("problem", "field", "arm", "seed")
PAGE = Path(__file__).parents[1] / "docs" / "costs.md"
BEGIN, END = "<!-- table: measured costs -->", "<!-- end of table -->"
ARMS = ("measured", "told", "constant")
SHOWN = ("told", "measured", "constant")
TITLES = {"mystery": "Mystery", "test_function_2": "Test Function 2"}
PROBLEMS = tuple(TITLES)
FIELDS = ("line", "bowl")
FOLD = math.log(100.0)
SCATTER = 0.05
GOAL = 1e-3
MOST = 80
"""Decisions after which a run gives up."""


@dataclass(frozen=True)
class Field:
    """True log costs of functions: line[k] . u, or FOLD-fold of the squared distance from centre[k]; all [K + 1, d]."""

    kind: str
    names: tuple[str, ...]
    line: np.ndarray
    centre: np.ndarray

    @staticmethod
    def of(kind: str, names: tuple[str, ...], dimension: int, seed: int) -> Field:
        rng = np.random.default_rng([17, seed])
        slope = rng.standard_normal((len(names), dimension))
        slope *= FOLD / np.abs(slope).sum(axis=1, keepdims=True)
        return Field(kind, names, slope, rng.random((len(names), dimension)))

    def log(self, k: int, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At u [q, d], with gradient."""
        if self.kind == "line":
            return (u - 0.5) @ self.line[k], np.broadcast_to(self.line[k], u.shape)
        step = u - self.centre[k]
        far = (np.maximum(self.centre[k], 1.0 - self.centre[k]) ** 2).sum()
        return FOLD * ((step**2).sum(axis=1) / far - 0.5), 2.0 * FOLD * step / far


@dataclass(frozen=True)
class Oracle:
    """The Pricing of somebody who knows."""

    field: Field
    prepared: Mapping[str, np.ndarray]

    def costs(self, names: Iterable[str], x: np.ndarray) -> np.ndarray:
        return np.exp(self.log_costs_with_gradient(names, x)[0])

    def log_costs_with_gradient(self, names: Iterable[str], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = [self.field.log(self.field.names.index(name), x) for name in names]
        cost = np.exp([value for value, _ in found])
        gradient = np.einsum("kq,kqd->qd", cost, np.array([slope for _, slope in found]))
        total = cost.sum(axis=0)
        return np.log(total), gradient / total[:, None]

    def range(self, names: Iterable[str]) -> tuple[float, float]:
        count = len(list(names))
        return count * math.exp(-0.5 * FOLD), count * math.exp(0.5 * FOLD)

    def parts(self, names: Iterable[str], x: np.ndarray) -> dict[str, float]:
        return {name: float(self.costs([name], x[None, :])[0]) for name in names}


class Told:
    """dckg that knows what everything costs."""

    def __init__(self, oracle: Oracle) -> None:
        self._dckg, self._oracle = make("dckg"), oracle

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        return self._dckg.suggest(replace(request, prices=self._oracle), rng)

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        return self._dckg.recommend(request, rng)

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        return self._dckg.relevance(request, rng)


def declared(problem: taut.Problem, cost: Any) -> taut.Problem:
    """The same problem with one cost for all functions."""
    constraints = [replace(each, cost=cost) for each in problem.constraints]
    return taut.Problem(problem.parameters, replace(problem.objective, cost=cost), constraints)


def played(key: Row) -> Row:
    return run(*(key[name] for name in KEY))


def run(name: str, field: str, arm: str, seed: int) -> Row:
    """One study until its recommendation is within GOAL of the best possible: what that really cost."""
    bench = taut.bench.problem(name)
    truth = Field.of(field, bench.problem.functions, bench.problem.dimension, seed)
    problem = declared(bench.problem, 1.0 if arm == "constant" else "measured")
    study = taut.Study(problem, method=Told(Oracle(truth, {})) if arm == "told" else "dckg", seed=seed)
    spent, trace = 0.0, []
    for _ in range(MOST):
        row = study.ask()
        u = to_unit(problem, row.point)[None, :]
        true = {each: math.exp(float(truth.log(truth.names.index(each), u)[0][0])) for each in row.functions}
        noise = np.random.default_rng([seed, row.number]).standard_normal(len(true)) * SCATTER
        seconds = {each: cost * math.exp(e) for (each, cost), e in zip(true.items(), noise, strict=True)}
        study.tell(row, {each: bench.functions[each](row.point) for each in row.functions}, seconds=seconds)
        if row.initial:
            continue
        spent += sum(true.values())
        loss = bench.opportunity_cost(study.recommend().point)
        trace.append([round(spent, 4), loss])
        if loss <= GOAL:
            break
    reached = bool(trace) and trace[-1][1] <= GOAL
    return {
        "problem": name, "field": field, "arm": arm, "seed": seed, "spent": spent, "reached": reached, "trace": trace
    }  # fmt: skip


def table(rows: list[Row]) -> str:
    """Spend of each arm, and of each seed relative to the study that knows."""
    lines = []
    for name in PROBLEMS:
        for field in FIELDS:
            spent = {arm: {row["seed"]: row for row in rows if _is(row, name, field, arm)} for arm in ARMS}
            seeds = sorted(set.intersection(*(set(each) for each in spent.values())))
            if seeds:
                lines.append(_line(name, field, seeds, spent))
    return markdown(("problem", "field", "seeds", *SHOWN, *(f"{arm}/told" for arm in SHOWN[1:])), lines)


def _line(name: str, field: str, seeds: list[int], spent: dict[str, dict[int, Row]]) -> list[str]:
    sums = {arm: [spent[arm][seed]["spent"] for seed in seeds] for arm in ARMS}
    misses = {arm: sum(not spent[arm][seed]["reached"] for seed in seeds) for arm in ARMS}
    shown = [f"{statistics.mean(sums[arm]):.1f}" + (f" ({misses[arm]} never)" if misses[arm] else "") for arm in SHOWN]
    ratios = [
        f"{sum(sums[arm]) / sum(sums['told']):.2f} (median {_ratio(sums[arm], sums['told']):.2f})" for arm in SHOWN[1:]
    ]
    return [TITLES[name], field, str(len(seeds)), *shown, *ratios]


def _ratio(mine: list[float], theirs: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(mine, theirs, strict=True))


def _is(row: Row, name: str, field: str, arm: str) -> bool:
    return (row["problem"], row["field"], row["arm"]) == (name, field, arm)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("run", "table", "page"))
    parser.add_argument("--seeds", type=numbers, default=list(range(10)), metavar="0-9")
    parser.add_argument("--problems", nargs="+", default=PROBLEMS)
    parser.add_argument("--fields", nargs="+", default=FIELDS)
    parser.add_argument("--arms", nargs="+", default=ARMS)
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args(words)
    kept = Store(chosen.out, KEY)
    if chosen.what == "run":
        cases = product(chosen.seeds, chosen.fields, chosen.problems, chosen.arms)
        wanted = [{"problem": name, "field": field, "arm": arm, "seed": seed} for seed, field, name, arm in cases]
        return run_all(kept, wanted, played, lambda row: f"{row['spent']:.2f}{'' if row['reached'] else ', never'}")
    if chosen.what == "table":
        say(table(kept.rows()))
    else:
        put(PAGE, BEGIN, table(kept.rows()), END)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
