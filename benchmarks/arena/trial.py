"""One run: a study of a changed problem to the end of its budget, and what can be said of it afterwards."""

import inspect
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import taut
from arena.belief import forecasts, standardised
from arena.cases import CASES
from arena.reference import TOLERANCE, opportunity_cost, reference
from arena.variants import Changed
from taut_paper.versions import source

EVERY = 2.0
"""Units between two scores of the recommendation."""
VERIFYING = "verifying"
"""Word in the note of a suggestion that verifies an answer."""


@dataclass(frozen=True)
class Run:
    """Everything that decides the outcome, for a given source of taut."""

    label: str
    method: str
    case: str
    seed: int
    verify: bool = True

    @property
    def changed(self) -> Changed:
        return CASES[self.case].changed(self.seed)

    @property
    def budget(self) -> float:
        return CASES[self.case].budget


KEY = tuple(field.name for field in fields(Run))


def played(key: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a run, from its key."""
    return trial(Run(**key))


def trial(run: Run) -> dict[str, Any]:
    """The row of one run."""
    begun = time.perf_counter()
    changed = run.changed
    study = taut.Study(changed.bench.problem, method=run.method, seed=run.seed)
    row = Row(run, changed, study)
    row.play()
    return {
        **asdict(run),
        "problem": changed.problem,
        "variant": changed.variant,
        "target": changed.target,
        "budget": run.budget,
        "source": source(),
        "reference": reference(changed)[0],
        "z": row.predictions,
        "trajectory": row.trajectory,
        "ended": row.ended,
        "verifiable": "verify" in row.options,
        "spent": study.spent,
        "verification": row.verification / run.budget,
        "ask_seconds": row.ask_seconds,
        "asks": row.asks,
        "recommend_seconds": row.recommend_seconds,
        "counts": dict(study.counts),
        "failed": sum(each.value is None for each in study.observations),
        "answer": answer(changed, study),
        "incumbent": incumbent(changed, study),
        "held": held(changed, study),
        "possible": any(feasible(changed, each.point) for each in study.suggestions),
        "seconds": time.perf_counter() - begun,
    }


class Row:
    """What is collected while a study goes on."""

    def __init__(self, run: Run, changed: Changed, study: taut.Study) -> None:
        self.run, self.changed, self.study = run, changed, study
        self.options: dict[str, Any] = {"budget": run.budget}
        if "verify" in inspect.signature(study.ask).parameters:
            self.options["verify"] = run.verify
        self.predictions: list[list[Any]] = []
        self.trajectory: list[list[float]] = []
        self.ask_seconds = self.recommend_seconds = self.verification = 0.0
        self.asks = 0
        self.ended = ""

    def play(self) -> None:
        """Ask and tell until nothing more can be paid."""
        while (suggestion := self.ask()) is not None:
            values = {name: self.changed(name, suggestion.point) for name in suggestion.functions}
            if not suggestion.initial:
                if not self.trajectory:
                    self.score()
                self.predict(suggestion, values)
            self.study.tell(suggestion, values)
            if not suggestion.initial and self.study.spent >= self.trajectory[-1][0] + EVERY:
                self.score()

    def ask(self) -> taut.Suggestion | None:
        begun = time.process_time()
        try:
            suggestion = self.study.ask(**self.options)
        except taut.StudyError as error:  # the end of the budget; tables count runs that stopped long before it
            self.ended = str(error)[:120]
            return None
        if not suggestion.initial:
            self.ask_seconds += time.process_time() - begun
            self.asks += 1
            self.verification += suggestion.cost * (VERIFYING in suggestion.note)
        return suggestion

    def predict(self, suggestion: taut.Suggestion, values: Mapping[str, float | None]) -> None:
        """Standardised errors: function, z on the process's scale and as reported, freedom, data, units spent, t."""
        believed = forecasts(self.study, suggestion)
        for name, value in values.items():
            if value is not None:
                there = believed[name]
                freedom = there.freedom if math.isfinite(there.freedom) else None
                z = [_short(there.z(value)), _short(there.plain(value))]
                self.predictions.append([name, *z, freedom, there.data, self.study.spent, _short(there.t(value))])

    def score(self) -> None:
        begun = time.process_time()
        best = self.study.recommend()
        self.recommend_seconds += time.process_time() - begun
        self.trajectory.append(
            [self.study.spent, _short(opportunity_cost(self.changed, self.changed.values(best.point)))]
        )


def answer(changed: Changed, study: taut.Study) -> dict[str, Any]:
    """The final recommendation, what was said of it, and the truth there."""
    best = study.recommend()
    mean, sd = best.objective
    found = truth(changed, best.point)
    f = found["truth"][changed.objective]
    return found | {
        "probability": best.feasibility,
        "mean": mean,
        "sd": sd,
        "constraints": {name: list(said) for name, said in best.constraints.items()},
        "z": None if f is None else standardised(f - mean, sd),
        "known": sd <= 1e-6 * changed.box.spread[changed.objective],
        "verified": bool(getattr(best, "verified", False)),
        "note": best.note,
    }


def incumbent(changed: Changed, study: taut.Study) -> dict[str, Any] | None:
    """What the study itself calls its best verified design; None if it has none, or knows of no such thing."""
    if not hasattr(study, "incumbent"):
        return None
    found = study.incumbent()
    return None if found is None else truth(changed, found.point)


def held(changed: Changed, study: taut.Study) -> dict[str, Any] | None:
    """The best design whose functions were all evaluated and whose constraints held as measured, by our own count."""
    places: dict[tuple[float, ...], dict[str, float]] = {}
    points = {}
    for each in study.observations:
        if each.value is not None:
            key = tuple(each.point.values())
            points[key] = each.point
            places.setdefault(key, {})[each.function] = each.value
    names = changed.bench.problem.functions
    whole = [key for key, known in places.items() if len(known) == len(names) and changed.violation(known) <= 0.0]
    if not whole:
        return None
    best = max(whole, key=lambda key: places[key][changed.objective])
    return truth(changed, points[best])


def truth(changed: Changed, point: Mapping[str, float]) -> dict[str, Any]:
    """The functions of the changed problem at a point, whether it is feasible, and its opportunity cost."""
    values = changed.values(point)
    violation = changed.violation(values)
    return {
        "point": dict(point),
        "truth": values,
        "violation": violation if math.isfinite(violation) else None,
        "feasible": feasible(changed, point),
        "oc": opportunity_cost(changed, values),
    }


def feasible(changed: Changed, point: Mapping[str, float]) -> bool:
    """Can everything be computed there, and do all constraints hold?"""
    values = changed.values(point)
    return None not in values.values() and changed.violation(values) <= TOLERANCE


def _short(number: float) -> float:
    return float(f"{number:.5g}")
