"""Claims about functions of different cost: one of them costs 5, the others 1."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from taut_paper.claims.baseline import BETTER, COUPLED, DECOUPLED, ENDS, MORE, OTHERS, TF2, lowest
from taut_paper.claims.evidence import (
    AUC,
    EARLY,
    FACTOR,
    FEWEST,
    FINAL,
    Claim,
    Detail,
    Evidence,
    Metric,
    Missing,
    attempt,
    count,
    informative,
    judged,
    near,
    share,
)
from taut_paper.experiments import BASELINE, COSTS

TWO = ("mystery", "constrained_branin")
TWO_COSTS = tuple(f"{problem}-{name}=5" for problem in TWO for name in ("f", "c"))
TF2_COSTS = tuple(f"{TF2}-{name}=5" for name in ("f", "c1", "c2", "c3"))
F5, C1_5, C2_5, C3_5 = TF2_COSTS


def wider(evidence: Evidence, large: str, small: str, others: tuple[str, ...] = OTHERS, metric: Metric = AUC) -> Detail:
    """dcKG's lead over the best of the others is larger in one experiment than in another; paired by seed.

    Both are measured up to the smaller of the two budgets.
    """

    def measure() -> Detail:
        B = evidence.budget(large, small)
        here, there = (evidence.gap(name, others, metric, B) for name in (large, small))
        seeds = sorted(set(here) & set(there))
        if len(seeds) < FEWEST:
            raise Missing(f"{len(seeds)} common seeds of the two experiments, {FEWEST} needed")
        return judged(*(np.array([gaps[seed] for seed in seeds]) for gaps in (here, there)), side="greater")

    what = f"lead of dckg in {metric.name} over the best of {', '.join(others)}, larger in the first"
    return attempt(f"{large}, {small}", what, measure)


def _expensive_objective(evidence: Evidence) -> list[Detail]:
    pairs = [(f"{problem}-f=5", f"{problem}-c=5") for problem in TWO]
    at_the_end = [wider(evidence, *pair, metric=FINAL) for pair in pairs]
    return [*(wider(evidence, *pair) for pair in pairs), *informative(at_the_end)]


def _fewer_objectives(evidence: Evidence) -> list[Detail]:
    parts = {where: evidence.compare(where, share("f"), "dckg", "less", "cei+") for where in (*BASELINE, *COSTS)}
    return [*(parts[where] for where in BASELINE), *informative([parts[where] for where in COSTS])]


def _competitive(evidence: Evidence) -> list[Detail]:
    what = "final OC of dckg at most twice that of the best other"

    def measure(where: str) -> Detail:
        best = evidence.best(where, FINAL, OTHERS)
        own, other = evidence.values(where, FINAL, "dckg", best)
        found = judged(own, other + FACTOR, side="less", significant=False)
        return replace(found, what=f"{what}, {best} (log10, limit)")

    return [attempt(where, what, partial(measure, where)) for where in (f"{problem}-c=5" for problem in TWO)]


def _coupled_alike(evidence: Evidence) -> list[Detail]:
    def alike(where: str) -> Detail:
        what = "final OC, cei and ckg within a factor of 2"
        return attempt(where, what, lambda: near(*evidence.values(where, FINAL, *COUPLED)))

    early = [evidence.compare(where, EARLY, "ckg", "less", "cei") for where in TWO_COSTS]
    return [*(alike(where) for where in TWO_COSTS), *early]


def _coupled_worst(evidence: Evidence) -> list[Detail]:
    return [
        evidence.compare(C2_5, AUC, coupled, "greater", decoupled) for coupled in COUPLED for decoupled in DECOUPLED
    ]


def _c2_less(evidence: Evidence) -> list[Detail]:
    parts = [evidence.compare(where, count("c2"), "dckg", "less", "cei+") for where in (*TF2_COSTS, TF2)]
    return [*parts[:-1], *informative(parts[-1:])]


CLAIMS = (
    Claim(
        "C13",
        "dcKG is best on Mystery and Constrained Branin, whether the objective or the constraint is the expensive one.",
        f"dcKG is below each other method in all four cases, by {BETTER}.",
        lambda evidence: lowest(evidence, AUC, TWO_COSTS, OTHERS),
    ),
    Claim(
        "C14",
        "Its lead is larger when the objective is the expensive one.",
        "Lead over the best other method in mean log10 OC, cost (5, 1) against (1, 5) at the same seed, by "
        f"{MORE}; the lead at the end is shown.",
        _expensive_objective,
    ),
    Claim(
        "C15",
        "dcKG evaluates the objective less often than cEI+.",
        f"Share of f on the three problems at unit cost, by {MORE}; the other costs are shown.",
        _fewer_objectives,
    ),
    Claim(
        "C16",
        "dcKG stays competitive when the constraint is the expensive one.",
        "Median final OC at most twice that of the best other method; contradicted if significantly above that.",
        _competitive,
    ),
    Claim(
        "C17",
        "The coupled methods end alike, but cKG is faster early in the run.",
        "Median final OC of cEI and cKG within a factor of 2 on Mystery and Constrained Branin at both costs, and OC "
        "at a quarter of the budget lower for cKG with paired Wilcoxon p < 0.05.",
        _coupled_alike,
    ),
    Claim(
        "C18",
        "On Test Function 2 dcKG is best whichever function is the expensive one.",
        f"dcKG is below each other method in all four cases, by {BETTER}.",
        lambda evidence: lowest(evidence, AUC, TF2_COSTS, OTHERS),
    ),
    Claim(
        "C19",
        "Its lead is largest when c2, which does not bind, is the expensive one.",
        f"Lead over the best other method in mean log10 OC against each other case at the same seed, by {MORE}.",
        lambda evidence: [wider(evidence, C2_5, other) for other in (F5, C1_5, C3_5)],
    ),
    Claim(
        "C20",
        "The coupled methods are the worst when c2 is expensive.",
        f"cEI and cKG are above dcKG and cEI+, by {BETTER}.",
        _coupled_worst,
    ),
    Claim(
        "C21",
        "When the objective is expensive dcKG ends significantly better than each other method.",
        f"By {ENDS}.",
        lambda evidence: lowest(evidence, FINAL, (F5,), OTHERS),
    ),
    Claim(
        "C22",
        "On Test Function 2 dcKG evaluates c2 much less than cEI+.",
        f"Evaluations of c2 whichever function is the expensive one, by {MORE}; unit cost is shown.",
        _c2_less,
    ),
    Claim(
        "C23",
        "When a binding constraint (c1 or c3) is expensive dcKG still ends with the lower opportunity cost.",
        f"dcKG is below each other method in both cases, by {ENDS}.",
        lambda evidence: lowest(evidence, FINAL, (C1_5, C3_5), OTHERS),
    ),
)
