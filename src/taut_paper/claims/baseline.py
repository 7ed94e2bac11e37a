"""Claims about the problems with unit costs: who is fastest, what is evaluated, and what redundant constraints cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from taut_paper import statistics
from taut_paper.claims.evidence import (
    AUC,
    FINAL,
    Claim,
    Detail,
    Evidence,
    Metric,
    Side,
    attempt,
    count,
    informative,
    judged,
    share,
    versus,
)
from taut_paper.experiments import BASELINE

MYSTERY, BRANIN, TF2, REDUNDANT = *BASELINE, "mystery_redundant8"
COUPLED = ("cei", "ckg")
DECOUPLED = ("dckg", "cei+")
OTHERS = ("cei+", "ckg", "cei")
LARGE_SHARE = 0.25
TARGET = Metric("cost to reach OC 0.1", lambda trace, B: statistics.cost_to_reach(trace, 0.1, B))
"""OC of Mystery from which on a run is in the region of the optimum."""


def lowest(evidence: Evidence, metric: Metric, experiments: Sequence[str], others: Sequence[str]) -> list[Detail]:
    """dcKG below each other method on each experiment."""
    return [evidence.compare(where, metric, "dckg", "less", other) for where in experiments for other in others]


def _fastest(evidence: Evidence) -> list[Detail]:
    return lowest(evidence, AUC, BASELINE, (*OTHERS, "pesc"))


def _pesc_slowest(evidence: Evidence) -> list[Detail]:
    rivals = ("dckg", *OTHERS)
    return [evidence.compare(where, AUC, "pesc", "greater", other) for where in BASELINE for other in rivals]


def _marginal(evidence: Evidence) -> list[Detail]:
    """cEI+ against the better coupled method: the sign, and less than one order of magnitude."""

    def measure(where: str, side: Side) -> Detail:
        best = evidence.best(where, FINAL, COUPLED)
        own, other = evidence.values(where, FINAL, "cei+", best)
        found = judged(own - other, 0.0, side=side, significant=False)
        difference = float(np.median(own - other))
        numbers = f"median difference to {best} {difference:+.3g}"
        return replace(found, numbers=numbers, holds=bool(found.holds) and abs(difference) < 1.0)

    def part(where: str, side: Side) -> Detail:
        what = f"final log10 OC, cei+ slightly {'below' if side == 'less' else 'above'} the better of cei and ckg"
        return attempt(where, what, lambda: measure(where, side))

    return [part(BRANIN, "less"), part(MYSTERY, "greater"), part(TF2, "greater")]


def _both_functions(evidence: Evidence) -> list[Detail]:
    def part(method: str, function: str) -> Detail:
        def measure() -> Detail:
            (values,) = evidence.values(MYSTERY, share(function), method)
            return judged(values, LARGE_SHARE, side="greater", significant=False)

        return attempt(MYSTERY, f"share of {function} of {method} at least 25 %", measure)

    return [part(method, function) for method in DECOUPLED for function in ("f", "c")]


def within(evidence: Evidence, where: str, method: str, more: str, less: str) -> Detail:
    """One function evaluated more often than another in the same runs."""

    def measure() -> Detail:
        first, second = (evidence.values(where, count(name), method)[0] for name in (more, less))
        return judged(first, second, side="greater")

    return attempt(where, f"evaluations by {method}, {more} above {less}", measure)


def _c2_rare(evidence: Evidence) -> list[Detail]:
    def part(method: str) -> Detail:
        def measure() -> Detail:
            c2, *rest = (evidence.values(TF2, count(name), method)[0] for name in ("c2", "f", "c1", "c3"))
            rarest = np.min(rest, axis=0)
            return judged(c2, 0.5 * rarest, side="less", null=rarest)

        return attempt(TF2, f"evaluations by {method}, c2 below half of the rarest other", measure)

    weaker = [within(evidence, TF2, method, name, "c2") for method in DECOUPLED for name in ("c1", "c3")]
    return [*(part(method) for method in DECOUPLED), *informative(weaker)]


def _more_constraints(evidence: Evidence) -> list[Detail]:
    metrics = (share("c1", "c2", "c3"), share("c1"), share("c3"))
    parts = [evidence.compare(TF2, metric, "dckg", "greater", "cei+") for metric in metrics]
    return [*parts, *informative([evidence.compare(TF2, share("c2"), "dckg", "greater", "cei+")])]


def _no_redundant(evidence: Evidence) -> list[Detail]:
    def part(method: str) -> Detail:
        def measure() -> Detail:
            (runs,) = evidence.pairs(REDUNDANT, method)
            numbers = np.array([trace.evaluated[:, 2:].sum() for trace in runs])  # all but f and c1
            shown = f"{int(np.sum(numbers > 0))} of {len(runs)} runs did, at most {numbers.max()} times"
            return Detail(shown, None, len(runs), not numbers.any(), bool(numbers.any()))

        return attempt(REDUNDANT, f"{method} never evaluates c2..c9", measure)

    return [part(method) for method in DECOUPLED]


def twice_as_fast(evidence: Evidence) -> list[Detail]:
    """Decoupled against coupled methods on Mystery with redundant constraints: half the cost to reach the target."""

    def part(method: str, other: str) -> Detail:
        def measure() -> Detail:
            costs = evidence.values(REDUNDANT, TARGET, method, other)
            B = statistics.horizon(*evidence.pairs(REDUNDANT, method, other))
            own, rival = (float(np.median(each)) for each in costs)
            # What was not reached counts as the budget in the test: the least that it can have cost.
            found = judged(*(np.minimum(each, B) for each in costs), side="less")
            half = np.isfinite(own) and 2.0 * own <= rival
            return replace(found, numbers=versus(own, rival), holds=bool(found.holds and half))

        return attempt(REDUNDANT, f"{TARGET.name}, {method} at most half of {other}", measure)

    return [part(method, other) for method in DECOUPLED for other in COUPLED]


BETTER = "the median of mean log10 OC (the area under the curve) and paired Wilcoxon p < 0.05"
ENDS = "the median of final log10 OC and paired Wilcoxon p < 0.05"
MORE = "the median and paired Wilcoxon p < 0.05"

CLAIMS = (
    Claim(
        "C1",
        "dcKG converges fastest of the five methods on Mystery, Constrained Branin and Test Function 2.",
        f"dcKG is below each other method on each problem, by {BETTER}.",
        _fastest,
    ),
    Claim(
        "C2",
        "PESC converges slowest, also behind the coupled cEI and cKG.",
        f"PESC is above each other method on each problem, by {BETTER}.",
        _pesc_slowest,
    ),
    Claim(
        "C3",
        "cEI+ ends marginally better than the coupled methods on Constrained Branin, marginally worse on Mystery and "
        "Test Function 2.",
        "Sign of the median difference in final log10 OC to the better of cEI and cKG, smaller than one order of "
        "magnitude; contradicted by a significant difference of the other sign.",
        _marginal,
    ),
    Claim(
        "C4",
        "On Mystery both dcKG and cEI+ spend a large share of evaluations on the objective and on the constraint.",
        "The median share is at least 25 % each; contradicted if significantly below.",
        _both_functions,
    ),
    Claim(
        "C5",
        "On Mystery dcKG evaluates the constraint more often than cEI+.",
        f"Evaluations of c, by {MORE}.",
        lambda evidence: [evidence.compare(MYSTERY, count("c"), "dckg", "greater", "cei+")],
    ),
    Claim(
        "C6",
        "On Constrained Branin dcKG evaluates the constraint more often than the objective.",
        f"Evaluations in the same run, by {MORE}.",
        lambda evidence: [within(evidence, BRANIN, "dckg", "c", "f")],
    ),
    Claim(
        "C7",
        "On Constrained Branin dcKG ends better than cEI+.",
        f"By {ENDS}.",
        lambda evidence: [evidence.compare(BRANIN, FINAL, "dckg", "less", "cei+")],
    ),
    Claim(
        "C8",
        "On Test Function 2 dcKG and cEI+ evaluate c2, which does not bind, much less than the other functions.",
        f"c2 below half of the rarest other function in the same run, by {MORE}; contradicted if above all of it.",
        _c2_rare,
    ),
    Claim(
        "C9",
        "On Test Function 2 dcKG spends a larger share on constraints than cEI+.",
        f"Share of all constraints, of c1 and of c3, by {MORE}; c2 is shown, see C22.",
        _more_constraints,
    ),
    Claim(
        "C10",
        "On Test Function 2 dcKG ends better than cEI+.",
        f"By {ENDS}.",
        lambda evidence: [evidence.compare(TF2, FINAL, "dckg", "less", "cei+")],
    ),
    Claim(
        "C11",
        "With eight redundant constraints on Mystery, dcKG and cEI+ never evaluate one after the initial design.",
        "No evaluation of c2..c9 in any run; one is enough to contradict.",
        _no_redundant,
    ),
    Claim(
        "C12",
        "With eight redundant constraints the decoupled methods converge much faster than the coupled ones.",
        "Median cost to reach OC 0.1 at most half of that of cEI and of cKG, and paired Wilcoxon p < 0.05; "
        "contradicted if significantly larger.",
        twice_as_fast,
    ),
)
