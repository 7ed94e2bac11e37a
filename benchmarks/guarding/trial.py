"""One run: a study to the end of its budget, and what can be said of it afterwards."""

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arena.trial import source

import taut
from guarding.cases import Case, case
from taut_paper.repetition import measured, paid_steps

EVERY = 2.0
"""Units between two scores of the recommendation."""


@dataclass(frozen=True)
class Run:
    """Everything that decides the outcome, for a given source of taut."""

    label: str
    method: str
    case: str
    seed: int


def trial(run: Run, options: Mapping[str, Any]) -> dict[str, Any]:
    """The row of one run; options: of the method, by which variants of one source are told apart."""
    chosen = case(run.case, run.seed)
    bench = chosen.bench
    study = taut.Study(
        bench.problem, method=run.method, seed=run.seed, initial=chosen.initial, options=dict(options) or None
    )
    for _ in range(chosen.initial):
        suggestion = study.ask()
        study.tell(suggestion, measured(bench, suggestion))
    trajectory, seconds, asks, looks = [[0.0, _oc(chosen, study)]], 0.0, 0, 0
    for suggestion, took in paid_steps(bench, study, chosen.budget):
        seconds, asks = seconds + took, asks + 1
        looks += "a sceptical model" in suggestion.note
        if study.spent >= trajectory[-1][0] + EVERY - 1e-9:
            trajectory.append([study.spent, _oc(chosen, study)])
    begun = time.process_time()
    best = study.recommend()
    return {
        **asdict(run),
        "source": source(),
        **({"options": dict(options)} if options else {}),
        "budget": chosen.budget,
        "trajectory": [[spent, float(f"{oc:.4g}")] for spent, oc in trajectory],
        "oc": bench.opportunity_cost(best.point),
        "point": list(best.point.values()),
        "probability": best.feasibility,
        "feasible": bench.is_feasible(best.point),
        "counts": dict(study.counts),
        "asks": asks,
        "looks": looks,
        "ask_seconds": seconds,
        "recommend_seconds": time.process_time() - begun,
    }


def _oc(chosen: Case, study: taut.Study) -> float:
    return chosen.bench.opportunity_cost(study.recommend().point)


def area(trajectory: list[list[float]], budget: float, least: float) -> float:
    """Mean of log10 OC over the budget; a score holds until the next one. least: of an OC, keeps the log finite."""
    total = 0.0
    ends = [spent for spent, _ in trajectory[1:]] + [budget]
    for (spent, oc), end in zip(trajectory, ends, strict=True):
        total += (min(end, budget) - min(spent, budget)) * math.log10(max(oc, least))
    return total / budget
