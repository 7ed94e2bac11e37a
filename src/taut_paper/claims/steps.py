"""What claims say about single decisions: the coupled step of dcKG, points, and the time that they take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.base.arrays import Array, Flags
from taut.problem.parameters import Real
from taut_paper import statistics
from taut_paper.claims.evidence import LEVEL, Detail, Evidence, Missing, judged
from taut_paper.traces import Trace

TRAP = (0.26162, 0.12162)
"""The best point of the smaller feasible piece of Test Function 2."""
EXPECTED_SETS = ({"f", "c1"}, {"f", "c3"}, {"f", "c1", "c3"})
MUCH_SLOWER = 3.0
NEAR = 0.05
"""Of the parameter ranges, in the largest coordinate: of uniform points in the plane 1 % are so near to a given one."""
ONE_START = 1.0 / 15.0
"""What one start out of fifteen would win if all were equally good."""


# --- The coupled step


def coupled_sets(trace: Trace, since: float, until: float) -> list[Flags]:
    """The sets decided for at a cost in (since, until], as rows of flags: every decision, coupled or not."""
    begun = statistics.decisions(trace)
    cost = trace.spent[begun]
    slack = statistics.ROUNDING
    return list(trace.decided[begun[(cost > since + slack) & (cost <= until + slack)]])


def coupled_share(trace: Trace, since: float, until: float) -> float:
    """Share of the decisions in this stretch that are for more than one function; 0 if there are none."""
    sets = coupled_sets(trace, since, until)
    return float(np.mean([chosen.sum() > 1 for chosen in sets])) if sets else 0.0


def expected_share(trace: Trace, since: float, until: float) -> float:
    """Share of the expected sets among the coupled decisions in this stretch; NaN if there are none."""
    coupled = [chosen for chosen in coupled_sets(trace, since, until) if chosen.sum() > 1]
    named = [{name for name, chosen in zip(trace.names, row, strict=True) if chosen} for row in coupled]
    return float(np.mean([chosen in EXPECTED_SETS for chosen in named])) if named else float("nan")


def expected_sets(evidence: Evidence, where: str, method: str) -> Detail:
    """In the last third most coupled decisions are for one of the expected sets."""
    (found,) = evidence.values(where, lambda trace, B: expected_share(trace, 2.0 / 3.0 * B, B), method)
    known: Array = found[np.isfinite(found)]
    if not len(known):
        return Detail("no coupled decision", None, len(found), False)
    return judged(known, 0.5, side="above", significant=False)


def coupled_later(evidence: Evidence, where: str, method: str) -> Detail:
    """A larger share of the decisions is coupled in the last third than in the first."""
    (late,) = evidence.values(where, lambda trace, B: coupled_share(trace, 2.0 / 3.0 * B, B), method)
    (early,) = evidence.values(where, lambda trace, B: coupled_share(trace, 0.0, 1.0 / 3.0 * B), method)
    return judged(late, early, side="above")


def trapped(trace: Trace, B: float) -> float:
    """1 if the run ends at the trap of Test Function 2: stuck, and nearer to it than to the optimum."""
    last = int(np.flatnonzero(trace.spent <= B + statistics.ROUNDING)[-1])
    x = trace.recommended[last]
    to_trap = np.linalg.norm(x - np.array(TRAP))
    to_optimum = np.linalg.norm(x - np.array(list(trace.bench.solution.values())))
    return float(statistics.is_stuck(trace, B) and to_trap < to_optimum)


def escape(evidence: Evidence, where: str, method: str, without: str) -> Detail:
    """Fewer runs end at the trap than of `without`."""
    own, other = evidence.values(where, trapped, method, without)
    p, reverse = (statistics.sign_test(own, other, side) for side in ("less", "greater"))
    numbers = f"{int(own.sum())} vs {int(other.sum())} of {len(own)}"
    return Detail(numbers, p, len(own), p < LEVEL, reverse < LEVEL)


# --- Single decisions


def slower(evidence: Evidence, where: str, first: str, second: str) -> Detail:
    """CPU time of a decision more than MUCH_SLOWER times that of another method."""
    own, other = evidence.values(where, lambda trace, B: statistics.cpu_per_decision(trace), first, second)
    if not (np.isfinite(own).all() and np.isfinite(other).all() and (other > 0.0).all()):
        raise Missing("times were not kept")
    ratio = own / other
    found = judged(np.log(ratio), np.log(MUCH_SLOWER), side="above", significant=False, null=0.0)
    times = f"{float(np.median(own)):.3g} s vs {float(np.median(other)):.3g} s"
    return replace(found, numbers=f"ratio {float(np.median(ratio)):.3g} ({times})")


def near_share(trace: Trace, B: float) -> float:
    """Share of the decisions whose point lies within NEAR of the recommendation before it, in every coordinate."""
    parameters = (each for each in trace.bench.problem.parameters if isinstance(each, Real))
    ranges = np.array([parameter.high - parameter.low for parameter in parameters])
    begun = statistics.decisions(trace)
    begun = begun[trace.spent[begun] <= B + statistics.ROUNDING]
    if not len(begun):
        return 0.0
    distance = np.abs(trace.point[begun] - trace.recommended[begun - 1]) / ranges
    return float(np.mean(distance.max(axis=1) <= NEAR))


def near_recommendation(evidence: Evidence, where: str, method: str) -> Detail:
    """More points near the recommendation than one start out of fifteen would give."""
    (values,) = evidence.values(where, near_share, method)
    return judged(values, ONE_START, side="above", significant=False)


KINDS = (expected_sets, coupled_later, escape, slower, near_recommendation)
