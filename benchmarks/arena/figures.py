"""Figures of many runs: shares, quantiles and ratios. nan where nothing was measured."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from arena.record import FLOOR, TAILS, THRESHOLDS, Record

CERTAIN = 0.99
"""Reported probability of feasibility from which an answer counts as certain."""
BLUR = 1e-6
"""Relative opportunity costs below it are equal on changed problems: the references are no more accurate."""
NONE = 1e6
"""Relative opportunity cost of a verified answer that does not exist: worse than any other."""


@dataclass(frozen=True)
class Versions:
    """Runs of one method: the version judged, the one it is compared with, and the first without verification."""

    now: list[Record]
    base: list[Record]
    plain: list[Record]


def versions(records: Iterable[Record], label: str, base: str, method: str) -> Versions:
    mine = [each for each in records if each.method == method]
    now = [each for each in mine if each.label == label and each.verify]
    plain = [each for each in mine if each.label == label and not each.verify]
    return Versions(now, [each for each in mine if each.label == base and each.verify], plain)


def share(flags: Iterable[bool]) -> float:
    found = list(flags)
    return sum(found) / len(found) if found else math.nan


def beyond(runs: Sequence[Record], size: float) -> float:
    """Share of predictions that missed by more than so many sd."""
    return _ratio(sum(run.beyond[THRESHOLDS.index(size)] for run in runs), sum(run.predictions for run in runs))


def improbable(runs: Sequence[Record], size: float) -> float:
    """The same by the tail probability of each prediction's own Student-t."""
    return _ratio(sum(run.tails[TAILS.index(size)] for run in runs), sum(run.predictions for run in runs))


def certain(runs: Iterable[Record]) -> list[Record]:
    """Runs whose answer was reported as feasible beyond doubt."""
    return [run for run in runs if run.probability >= CERTAIN]


def true_share(runs: Iterable[Record]) -> float:
    """Of the certain answers, those that are feasible."""
    return share(run.true for run in certain(runs))


def verified_true(runs: Iterable[Record]) -> float:
    return share(bool(run.held_true) for run in runs if run.verified)


def verified_share(runs: Iterable[Record]) -> float:
    """Of the runs in which any evaluated place was feasible, those that end with a verified answer."""
    return share(run.verified for run in runs if run.possible)


def covered(runs: Iterable[Record]) -> float:
    return share(run.covered for run in runs)


def quantile(values: Iterable[float], at: float) -> float:
    found = list(values)
    return float(np.quantile(found, at)) if found else math.nan


def oc_quantile(runs: Iterable[Record], at: float, held: bool = False) -> float:
    """Of the relative OC of answers; held: of the verified ones, NONE where there is none."""
    return quantile((oc_of(run, held) for run in runs), at)


def oc_of(run: Record, held: bool) -> float:
    if not held:
        return run.oc
    return NONE if run.held is None else run.held


def paired(runs: Iterable[Record], others: Iterable[Record]) -> list[tuple[Record, Record]]:
    """Runs of two versions on the same problem with the same seed."""
    there = {other.pair: other for other in others}
    return [(run, there[run.pair]) for run in runs if run.pair in there]


def grouped_pairs(pairs: Iterable[tuple[Record, Record]]) -> dict[str, list[tuple[Record, Record]]]:
    """Pairs by case."""
    found: dict[str, list[tuple[Record, Record]]] = {}
    for pair in pairs:
        found.setdefault(pair[0].case, []).append(pair)
    return found


def losses(pairs: Sequence[tuple[Record, Record]], at: float) -> tuple[float, float]:
    """Quantile of the OC of verified answers, and of the answers before; below BLUR nothing is told apart."""
    held = quantile((max(oc_of(run, held=True), BLUR) for run, _ in pairs), at)
    return held, quantile((max(other.oc, BLUR) for _, other in pairs), at)


def oc_ratio(pairs: Sequence[tuple[Record, Record]]) -> float:
    """Median OC of the first over that of the second."""
    medians = [max(quantile((pair[side].oc for pair in pairs), 0.5), FLOOR) for side in (0, 1)]
    return medians[0] / medians[1] if pairs else math.nan


def area_gain(pairs: Sequence[tuple[Record, Record]]) -> float:
    """Mean difference of the areas: positive is worse than the second."""
    return _mean([run.area - other.area for run, other in pairs])


def cpu_ratio(pairs: Sequence[tuple[Record, Record]]) -> float:
    """CPU a decision, mean over mean."""
    return _ratio(_mean([run.ask_ms for run, _ in pairs]), _mean([other.ask_ms for _, other in pairs]))


def failure_cost(
    runs: Sequence[Record], exact: Sequence[Record], initial: Callable[[Record], float] = lambda run: 0.0
) -> tuple[float, int]:
    """Cost to the relative OC of 1e-3 over that without failures, median over pairs; and how many pairs there are.

    inf where only the run with failures did not come so far; pairs in which the other did not say nothing. initial:
    cost of the initial design, if it counts.
    """
    twins = {(run.problem, run.seed): run.reached for run in exact}
    ratios = []
    for run in runs:
        other = twins.get((run.problem, run.seed))
        if other is not None:
            more, reached = initial(run), math.inf if run.reached is None else run.reached
            ratios.append((max(reached, 1.0) + more) / (max(other, 1.0) + more))
    return float(np.median(ratios)) if ratios else math.nan, len(ratios)


def grouped(runs: Iterable[Record], by: Callable[[Record], str]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for run in runs:
        found.setdefault(by(run), []).append(run)
    return found


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.nan


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
