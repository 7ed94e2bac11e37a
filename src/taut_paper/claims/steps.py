"""Claims about the coupled step of dcKG, about single decisions, and about what they cost to compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from taut.base.arrays import Array, Flags
from taut_paper import statistics
from taut_paper.claims.baseline import MORE, TF2, within
from taut_paper.claims.evidence import (
    FINAL,
    LEVEL,
    Claim,
    Detail,
    Evidence,
    Metric,
    Missing,
    attempt,
    count,
    judged,
    near,
    share,
    versus,
)
from taut_paper.experiments import BASELINE
from taut_paper.traces import Trace

UNCOUPLED = "dckg-uncoupled"
TRAP = (0.26162, 0.12162)
"""The best point of the smaller feasible piece of Test Function 2."""
EXPECTED_SETS = ({"f", "c1"}, {"f", "c3"}, {"f", "c1", "c3"})
MUCH_SLOWER = 3.0
NEAR = 0.05
"""Of the parameter ranges, in the largest coordinate: of uniform points in the plane 1 % are so near to a given one."""
ONE_START = 1.0 / 15.0
"""What one start out of fifteen would win if all were equally good."""


# --- The coupled step


def _medians_alike(evidence: Evidence) -> list[Detail]:
    what = f"final OC, dckg and {UNCOUPLED} within a factor of 2"
    return [attempt(TF2, what, lambda: near(*evidence.values(TF2, FINAL, "dckg", UNCOUPLED)))]


def _spread(evidence: Evidence) -> list[Detail]:
    def measure() -> Detail:
        own, without = evidence.values(TF2, FINAL, "dckg", UNCOUPLED)
        p = statistics.brown_forsythe(without, own).p
        variances = float(np.var(without, ddof=1)), float(np.var(own, ddof=1))
        ranges = statistics.quartile_range(without), statistics.quartile_range(own)
        larger = variances[0] > variances[1] and ranges[0] > ranges[1]
        numbers = f"variance {versus(*variances)}, quartile range {versus(*ranges)}"
        return Detail(numbers, p, len(own), larger and p < LEVEL, p < LEVEL and variances[0] < variances[1])

    return [attempt(TF2, f"spread of final log10 OC, {UNCOUPLED} above dckg (Brown-Forsythe, two-sided)", measure)]


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


def _late_sets(evidence: Evidence) -> list[Detail]:
    def over_runs(share: Callable[[Trace, float, float], float], since: float, until: float) -> Array:
        """Of each run of dckg, between two shares of the budget; [n]."""
        (traces,) = evidence.pairs(TF2, "dckg")
        B = statistics.horizon(traces)
        return np.array([share(trace, since * B, until * B) for trace in traces])

    def sets() -> Detail:
        found = over_runs(expected_share, 2.0 / 3.0, 1.0)
        known: Array = found[np.isfinite(found)]
        if not len(known):
            return Detail("no coupled decision", None, len(found), False)
        return judged(known, 0.5, side="greater", significant=False)

    def shares() -> Detail:
        late, early = over_runs(coupled_share, 2.0 / 3.0, 1.0), over_runs(coupled_share, 0.0, 1.0 / 3.0)
        return judged(late, early, side="greater")

    majority = "last third, most coupled decisions of dckg for {f,c1}, {f,c3} or {f,c1,c3}"
    rise = "share of coupled decisions of dckg, last third above first third"
    return [attempt(TF2, majority, sets), attempt(TF2, rise, shares)]


def trapped(trace: Trace, B: float) -> float:
    """1 if the run ends at the trap of Test Function 2: nearer to it than to the optimum, and off by more than 0.03."""
    last = int(np.flatnonzero(trace.spent <= B + statistics.ROUNDING)[-1])
    x = trace.recommended[last]
    to_trap = np.linalg.norm(x - np.array(TRAP))
    to_optimum = np.linalg.norm(x - np.array(list(trace.bench.solution.values())))
    return float(bool(statistics.is_stuck(trace, B)) and to_trap < to_optimum)


def _escape(evidence: Evidence) -> list[Detail]:
    def measure() -> Detail:
        own, without = evidence.values(TF2, Metric("trapped", trapped), "dckg", UNCOUPLED)
        p, reverse = (statistics.sign_test(own, without, side).p for side in ("less", "greater"))
        numbers = f"{int(own.sum())} vs {int(without.sum())} of {len(own)}"
        return Detail(numbers, p, len(own), p < LEVEL, reverse < LEVEL)

    what = f"share of runs that end at the local optimum, dckg below {UNCOUPLED} (sign test)"
    return [attempt(TF2, what, measure)]


# --- Single decisions


def _cheaper(evidence: Evidence) -> list[Detail]:
    seconds = Metric("CPU seconds per decision", lambda trace, B: statistics.cpu_per_decision(trace))

    def measure(where: str) -> Detail:
        own, other = evidence.values(where, seconds, "dckg", "cei+")
        if not (np.isfinite(own).all() and np.isfinite(other).all() and (other > 0.0).all()):
            raise Missing("times were not kept")
        ratio = own / other
        found = judged(np.log(ratio), np.log(MUCH_SLOWER), side="greater", significant=False, null=0.0)
        times = f"{float(np.median(own)):.3g} s vs {float(np.median(other)):.3g} s"
        return replace(found, numbers=f"ratio {float(np.median(ratio)):.3g} ({times})")

    what = "CPU time per decision, dckg more than 3 times cei+"
    return [attempt(where, what, partial(measure, where)) for where in BASELINE]


def near_share(trace: Trace, B: float) -> float:
    """Share of the decisions whose point lies within NEAR of the recommendation before it, in every coordinate."""
    ranges = np.array([parameter.high - parameter.low for parameter in trace.bench.problem.parameters])
    begun = statistics.decisions(trace)
    begun = begun[trace.spent[begun] <= B + statistics.ROUNDING]
    if not len(begun):
        return 0.0
    distance = np.abs(trace.point[begun] - trace.recommended[begun - 1]) / ranges
    return float(np.mean(distance.max(axis=1) <= NEAR))


def _near_recommendation(evidence: Evidence) -> list[Detail]:
    def part(where: str, method: str) -> Detail:
        def measure() -> Detail:
            (values,) = evidence.values(where, Metric("near", near_share), method)
            return judged(values, ONE_START, side="greater", significant=False)

        return attempt(where, f"share of {method}'s points near the recommendation above 1/15", measure)

    return [part(where, method) for where in BASELINE for method in ("dckg", "ckg")]


CLAIMS = (
    Claim(
        "C24",
        "Without the coupled step dcKG ends at a comparable opportunity cost in the median (Test Function 2).",
        "Median final OC within a factor of 2; contradicted if significantly farther apart.",
        _medians_alike,
    ),
    Claim(
        "C25",
        "Without the coupled step the outcome varies significantly more.",
        "Variance and quartile range of final log10 OC larger, Brown-Forsythe p < 0.05.",
        _spread,
    ),
    Claim(
        "C26",
        "On Test Function 2 dcKG evaluates the binding constraints much more than the objective.",
        f"Evaluations of c1 and of c3 above those of f in the same run, by {MORE}.",
        lambda evidence: [within(evidence, TF2, "dckg", name, "f") for name in ("c1", "c3")],
    ),
    Claim(
        "C27",
        "Without the coupled step the objective takes a larger share, and c2 is evaluated more.",
        f"Share of f and evaluations of c2, by {MORE}.",
        lambda evidence: [
            evidence.compare(TF2, metric, UNCOUPLED, "greater", "dckg") for metric in (share("f"), count("c2"))
        ],
    ),
    Claim(
        "C28",
        "Late in a run on Test Function 2 dcKG prefers to evaluate {f,c1}, {f,c3} or {f,c1,c3} together.",
        "In the last third of the budget these sets are more than half of the decisions for several functions (median "
        "over runs that have any), and decisions for several functions are a larger share than in the first third, "
        "paired Wilcoxon p < 0.05. A decision counts by the set that won, even if that is bought in instalments.",
        _late_sets,
    ),
    Claim(
        "C29",
        "Coupled steps help to escape from local optima.",
        "Share of runs that end at the local optimum (0.2616, 0.1216) of Test Function 2 (nearer to it than to the "
        "optimum, OC above 0.03) smaller with coupled steps, exact paired sign test p < 0.05.",
        _escape,
    ),
    Claim(
        "C32",
        "cEI+ is much cheaper to compute than dcKG.",
        "Median over runs of the ratio of CPU time per decision above 3 on each problem; contradicted if significantly "
        "below 1.",
        _cheaper,
    ),
    Claim(
        "C34",
        "The maximiser of a Knowledge Gradient is often near the recommendation, which is therefore a useful start.",
        "Median share of decisions whose point lies within 5 % of the parameter ranges of the recommendation before it "
        "is above 1/15 (one start in fifteen; uniform points would give 1 %). Which start won is not recorded; this "
        "stands in for it.",
        _near_recommendation,
    ),
)
