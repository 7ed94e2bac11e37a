"""One run: a study to the end of its budget, and what can be said of it afterwards."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import taut
from guarding.cases import case
from taut_paper.conduct import of_study
from taut_paper.repetition import measured, paid_steps
from taut_paper.versions import source

EVERY = 2.0
"""Units between two scores of the recommendation."""


@dataclass(frozen=True)
class Run:
    """Everything that decides the outcome, for a given source of taut."""

    label: str
    method: str
    case: str
    seed: int


KEY = tuple(field.name for field in fields(Run))


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
    answers = [study.recommend()]
    trajectory, seconds, asks, looks = [[0.0, bench.opportunity_cost(answers[0].point)]], 0.0, 0, 0
    for suggestion, took in paid_steps(bench, study, chosen.budget):
        seconds, asks = seconds + took, asks + 1
        looks += "a sceptical model" in suggestion.note
        if study.spent >= trajectory[-1][0] + EVERY - 1e-9:
            answers.append(study.recommend())
            trajectory.append([study.spent, bench.opportunity_cost(answers[-1].point)])
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
        "conduct": of_study(study, bench, [*answers, best], seconds, asks).kept(),
    }
