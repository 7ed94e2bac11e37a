"""What claims say about arms and about the functions that they evaluate: each comparison is a kind in claims.toml.

A kind is a function of the evidence, of the experiment (or two of them, "a, b") and of the settings named there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from taut_paper import statistics
from taut_paper.claims.evidence import (
    FACTOR,
    FEWEST,
    FINAL,
    LEVEL,
    REACHED,
    Detail,
    Evidence,
    Missing,
    Side,
    judged,
    near,
    versus,
)

COUPLED = ("cei", "ckg")
OTHERS = ("cei+", "ckg", "cei")
LARGE_SHARE = 0.25


# --- Opportunity cost


def order(evidence: Evidence, where: str, metric: str, first: str, side: Side, second: str) -> Detail:
    """One method below or above another in a metric, with significance."""
    return judged(*evidence.values(where, metric, first, second), side=side)


def alike(evidence: Evidence, where: str, first: str, second: str) -> Detail:
    """Final OC within a factor of 2."""
    return near(*evidence.values(where, FINAL, first, second))


def marginal(evidence: Evidence, where: str, side: Side) -> Detail:
    """cEI+ against the better coupled method: the sign, and less than one order of magnitude."""
    best = evidence.best(where, FINAL, COUPLED)
    own, other = evidence.values(where, FINAL, "cei+", best)
    found = judged(own - other, 0.0, side=side, significant=False)
    difference = float(np.median(own - other))
    numbers = f"median difference to {best} {difference:+.3g}"
    return replace(found, numbers=numbers, holds=bool(found.holds) and abs(difference) < 1.0)


def competitive(evidence: Evidence, where: str) -> Detail:
    """Final OC of dcKG at most twice that of the best other method."""
    best = evidence.best(where, FINAL, OTHERS)
    own, other = evidence.values(where, FINAL, "dckg", best)
    found = judged(own, other + FACTOR, side="below", significant=False)
    return replace(found, what=f", {best} (log10, limit)")


def half_the_cost(evidence: Evidence, where: str, method: str, other: str) -> Detail:
    """One method reaches the target at half the cost of another, or less."""
    costs = evidence.values(where, REACHED, method, other)
    B = statistics.horizon(*evidence.pairs(where, method, other))
    own, rival = (float(np.median(each)) for each in costs)
    # What was not reached counts as the budget in the test: the least that it can have cost.
    found = judged(*(np.minimum(each, B) for each in costs), side="below")
    half = np.isfinite(own) and 2.0 * own <= rival
    return replace(found, numbers=versus(own, rival), holds=bool(found.holds and half))


def spread(evidence: Evidence, where: str, method: str, without: str) -> Detail:
    """The ends of `without` vary more, in variance and quartile range."""
    own, other = evidence.values(where, FINAL, method, without)
    p = statistics.brown_forsythe(other, own)
    variances = float(np.var(other, ddof=1)), float(np.var(own, ddof=1))
    ranges = statistics.quartile_range(other), statistics.quartile_range(own)
    larger = variances[0] > variances[1] and ranges[0] > ranges[1]
    numbers = f"variance {versus(*variances)}, quartile range {versus(*ranges)}"
    return Detail(numbers, p, len(own), larger and p < LEVEL, p < LEVEL and variances[0] < variances[1])


def wider(evidence: Evidence, where: str, metric: str, others: str) -> Detail:
    """dcKG's lead over the best of the others is larger in the first experiment than in the second; paired by seed.

    Both are measured up to the smaller of the two budgets.
    """
    own = [evidence.arm(name, "dckg") for name in where.split(", ")]
    if not all(own):
        raise Missing("no runs of dckg")
    B = statistics.horizon(*own)
    leads = [_lead(evidence, name, metric, others.split(", "), B) for name in where.split(", ")]
    seeds = sorted(set.intersection(*map(set, leads)))
    if len(seeds) < FEWEST:
        raise Missing(f"{len(seeds)} common seeds of the two experiments, {FEWEST} needed")
    return judged(*(np.array([lead[seed] for seed in seeds]) for lead in leads), side="above")


def _lead(evidence: Evidence, where: str, metric: str, others: Sequence[str], B: float) -> dict[int, float]:
    """By seed: metric of the best other method (by its median) minus that of dcKG; positive: dcKG is ahead."""
    own, *rest = evidence.values(where, metric, "dckg", *others, B=B)
    best = min(rest, key=lambda values: float(np.median(values)))
    seeds = statistics.common_seeds(*(evidence.arm(where, method) for method in ("dckg", *others)))
    return dict(zip(seeds, (best - own).tolist(), strict=True))


# --- Which functions are evaluated


def within(evidence: Evidence, where: str, method: str, more: str, less: str) -> Detail:
    """One function evaluated more often than another in the same runs."""
    first, second = (evidence.values(where, f"evaluations of {name}", method)[0] for name in (more, less))
    return judged(first, second, side="above")


def large_share(evidence: Evidence, where: str, method: str, function: str) -> Detail:
    """At least a quarter of the evaluations."""
    (values,) = evidence.values(where, f"share of {function}", method)
    return judged(values, LARGE_SHARE, side="above", significant=False)


def rare(evidence: Evidence, where: str, method: str) -> Detail:
    """c2 below half of the rarest other function of Test Function 2 in the same runs."""
    counts = (evidence.values(where, f"evaluations of {name}", method)[0] for name in ("c2", "f", "c1", "c3"))
    c2, *rest = counts
    rarest = np.min(rest, axis=0)
    return judged(c2, 0.5 * rarest, side="below", null=rarest)


def never_redundant(evidence: Evidence, where: str, method: str) -> Detail:
    """No evaluation of a redundant constraint in any run."""
    (runs,) = evidence.pairs(where, method)
    numbers = np.array([trace.evaluated[:, 2:].sum() for trace in runs])  # all but f and c1
    shown = f"{int(np.sum(numbers > 0))} of {len(runs)} runs did, at most {numbers.max()} times"
    return Detail(shown, None, len(runs), not numbers.any(), bool(numbers.any()))


KINDS = (
    *(order, alike, marginal, competitive, half_the_cost, spread, wider),
    *(within, large_share, rare, never_redundant),
)
