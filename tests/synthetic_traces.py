"""Traces made to order, and results in which every claim about the methods is true.

results = results_of(world())                                        # all claims hold
results = results_of(world({("mystery", "dckg"): {"end": 0.0}}))     # one arm changed
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from taut.bench.problems import problem
from taut_paper.claims.evidence import Evidence
from taut_paper.claims.rules import check, claims, outcome
from taut_paper.claims.steps import TRAP
from taut_paper.experiments import EXPERIMENTS, PARTS, Repetition
from taut_paper.traces import Results, Trace

Sets = Sequence[str]
"""Functions evaluated together, step by step and from the start again: "f", "c1", "f+c1"; (): everything each time."""
COUPLED, SEEDS = (), 12
BASELINE, COSTS = PARTS["baseline"].experiments, PARTS["costs"].experiments
CONTRADICTED, OPEN = "contradicted", "not confirmed"


@dataclass(frozen=True)
class Made:
    """An arm. log10 OC runs in straight lines from 1 at cost 0 over `early` at a quarter of the budget to `end`."""

    early: float = -1.0
    end: float = -3.0
    jitter: float = 0.05
    """Size of the differences between seeds, which are even around 0 if there are twelve."""
    trapped: int = 0
    """The first seeds stay at log10 OC = -1.2 and recommend the trap of Test Function 2."""
    sets: Sets = COUPLED
    late: Sets | None = None
    """In the last third of the budget, if different."""
    near: float = 0.3
    """Share of points at the recommendation; the others are at least a quarter of the box away."""
    seconds: float = 0.1
    budget: float | None = None
    preset: str = "default"
    seeds: int = SEEDS


Cell = tuple[str, str]


@cache
def make(experiment: str, method: str, seed: int, made: Made) -> Trace:
    """One trace. Not to be written to: it may be handed out again."""
    known = EXPERIMENTS[experiment]
    bench = problem(known.problem, dict(known.costs))
    budget = known.units if made.budget is None else made.budget
    names = bench.problem.functions
    rng = np.random.default_rng([seed, *method.encode(), *made.preset.encode()])
    order = np.random.default_rng([*method.encode(), *made.preset.encode()]).permutation(SEEDS)
    offset = float(np.linspace(-1.5, 1.5, SEEDS)[order[seed % SEEDS]])
    chosen = _chosen(made, bench.problem.cost, names, budget)
    spent = np.array([0.0, *np.cumsum([bench.problem.cost(each) for each in chosen])])
    stuck = seed < made.trapped
    flags = np.array([[name in each for name in names] for each in ((), *chosen)])
    solution = np.array(list(bench.solution.values()))
    best = np.tile(np.array(TRAP) if stuck else solution, (len(spent), 1))
    return Trace(
        repetition=Repetition(
            experiment, known.problem, tuple(sorted(known.costs.items())), method, made.preset, seed, budget, 6
        ),
        spent=spent,
        oc=10.0 ** (np.full(len(spent), -1.2) if stuck else _curve(made, spent / budget, offset)),
        evaluated=flags,
        decided=flags.copy(),
        point=_points(made, bench, best, rng),
        recommended=best,
        ask_seconds=np.array([0.0, *made.seconds * rng.uniform(0.9, 1.1, len(chosen))]),
        recommend_seconds=np.zeros(len(spent)),
        versions={"taut": "0"},
    )


def _chosen(made: Made, cost: Any, names: Sequence[str], budget: float) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    spent = 0.0
    while True:
        sets = made.late if made.late is not None and spent >= 2.0 * budget / 3.0 else made.sets
        now = tuple(sets[len(found) % len(sets)].split("+")) if sets else tuple(names)
        if spent + cost(now) > budget:
            return found
        found.append(now)
        spent += cost(now)


def _curve(made: Made, fraction: np.ndarray, offset: float) -> np.ndarray:
    line = np.interp(fraction, [0.0, 0.25, 1.0], [1.0, made.early, made.end])
    return np.asarray(line + made.jitter * offset * (fraction > 0.0))


def _points(made: Made, bench: Any, best: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    low, high = (np.array([getattr(each, end) for each in bench.problem.parameters]) for end in ("low", "high"))
    place = (best - low) / (high - low)
    away = (place + rng.uniform(0.25, 0.75, best.shape)) % 1.0
    away = np.where(np.abs(away - place) < 0.25, 1.0 - place, away)
    points = low + np.where(rng.random((len(best), 1)) < made.near, place, away) * (high - low)
    points += 1e-6 * (high - low) * rng.random(best.shape)  # no two at the very same place
    points[0] = np.nan
    return points


def results_of(cells: Mapping[Cell, Made] | Iterable[tuple[Cell, Made]]) -> Results:
    """The traces of all arms."""
    pairs = cells.items() if isinstance(cells, Mapping) else cells
    return Results(make(*cell, seed, made) for cell, made in pairs for seed in range(made.seeds))


# --- A world in which all claims hold

MYSTERY_SETS = {"dckg": ("f", "c", "c", "f", "c"), "cei+": ("f", "c", "f", "c", "f")}
BRANIN_SETS = {"dckg": ("c", "c", "f"), "cei+": ("f", "c")}
TF2_SETS = {
    "dckg": ("c1", "c3", "f", "c1", "c3", "c3", "c1", "f", "c1", "c3", "c2", "c1", "c3", "f", "c1", "c3", "c1", "c3"),
    "cei+": ("f", "c1", "c3", "f", "c1", "c3", "f", "c1", "c3", "c2"),
    "dckg-uncoupled": ("f", "c1", "c3", "f", "c2"),
}
TF2_LATE = ("f+c1", "c3", "f+c1+c3", "c1", "c1", "f+c3", "c3", "c1+c3", "c1", "c3", "c1", "c3")
REDUNDANT_SETS = {"dckg": ("f", "c1", "c1"), "cei+": ("f", "c1")}
SETS = {
    "mystery": MYSTERY_SETS,
    "constrained_branin": BRANIN_SETS,
    "test_function_2": TF2_SETS,
    "mystery_redundant8": REDUNDANT_SETS,
}
CURVES = {"dckg": (-3.0, -5.0), "cei+": (-2.0, -3.2), "ckg": (-1.5, -3.6), "cei": (-1.0, -3.5), "pesc": (0.5, -1.0)}
COST_CURVES = {"dckg": (-2.5, -4.4), "cei+": (-2.0, -3.5), "ckg": (-1.2, -3.2), "cei": (-0.8, -3.1)}
WIDE_LEAD = (-4.0, -6.0)
SECONDS = {"dckg": 0.5}


def world(changes: Mapping[Cell, Mapping[str, Any]] | None = None) -> dict[Cell, Made]:
    """All arms of the claims, with some of their settings replaced."""
    cells = {(where, method): _made(where, method, *CURVES[method]) for where in BASELINE for method in CURVES}
    for where in COSTS:
        cells |= {(where, method): _made(where, method, *curve) for method, curve in COST_CURVES.items()}
    for where in ("mystery-f=5", "constrained_branin-f=5", "test_function_2-c2=5"):
        cells[where, "dckg"] = _made(where, "dckg", *WIDE_LEAD)
    slow = {"dckg": (-3.0, -5.0), "cei+": (-2.8, -4.5), "ckg": (0.4, -2.0), "cei": (0.5, -2.0)}
    cells |= {("mystery_redundant8", method): _made("mystery_redundant8", method, *c) for method, c in slow.items()}
    cells["constrained_branin", "cei+"] = _made("constrained_branin", "cei+", -2.0, -4.0)
    tf2 = "test_function_2"
    cells[tf2, "dckg"] = replace(cells[tf2, "dckg"], late=TF2_LATE)
    cells[tf2, "dckg-uncoupled"] = replace(_made(tf2, "dckg-uncoupled", -2.5, -5.0), trapped=5)
    for cell, change in (changes or {}).items():
        cells[cell] = replace(cells[cell], **change)
    return cells


def _made(experiment: str, method: str, early: float, end: float) -> Made:
    sets = SETS[EXPERIMENTS[experiment].problem].get(method, COUPLED)
    return Made(early=early, end=end, sets=sets, seconds=SECONDS.get(method, 0.1))


def verdict_on(name: str, changes: Mapping[Cell, Mapping[str, Any]]) -> str:
    """The verdict on one claim in a world with these changes."""
    (claim,) = (claim for claim in claims() if claim.id == name)
    return outcome(check(claim, Evidence(results_of(world(changes)), "default")))
