"""How one comparison of a claim is judged: values paired by seed, medians, a Wilcoxon test, a direction.

A comparison says that values `first` lie below (or above) values `second`. It holds if the medians do not disagree and
the paired Wilcoxon test gives p < LEVEL in that direction; where the claim names a size instead of an order (a share of
25 %, a factor of 3) the median alone decides. It speaks against the claim if the same test gives p < LEVEL in the
opposite direction. Levels are not corrected for the number of comparisons unless a claim says so: a claim is confirmed
only if all of its comparisons hold, which is the careful side; a contradiction is named with its comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from taut.base.arrays import Array
from taut_paper import statistics
from taut_paper.traces import Results, Trace, Traces

LEVEL = 0.05
FEWEST = 5
"""Pairs below which nothing is judged: with 5, a one-sided signed-rank test can just reach 1/32."""
FACTOR = math.log10(2.0)
"""Medians of OC within a factor of 2 are called comparable."""
Side = Literal["below", "above"]
SIDES: dict[Side, tuple[statistics.Alternative, statistics.Alternative]] = {
    "below": ("less", "greater"),
    "above": ("greater", "less"),
}
"""The test in the direction of a statement, and the one against it."""
Measure = Callable[[Trace, float], float]
"""A number per run, up to a cost."""
FINAL, REACHED = "final log10 OC", "cost to reach OC 0.1"
MEASURES: dict[str, Measure] = {
    "mean log10 OC": statistics.auc,
    FINAL: statistics.final,
    "log10 OC at a quarter of the budget": lambda trace, B: statistics.final(trace, B / 4.0),
    REACHED: lambda trace, B: statistics.cost_to_reach(trace, 0.1, B),  # of Mystery: in the region of the optimum
}


@dataclass(frozen=True, slots=True)
class Detail:
    """One comparison of a claim."""

    numbers: str
    """The medians, or what else decided."""
    p: float | None
    """One-sided, in the direction of the statement, unless `what` says otherwise; None if nothing was tested."""
    n: int
    """Pairs."""
    holds: bool | None
    """None: without data, or for information only."""
    opposite: bool = False
    """A significant result in the opposite direction."""
    informative: bool = False
    """Does not decide the verdict."""
    where: str = ""
    """The experiment, or two of them."""
    what: str = ""
    """The statement that was tested."""

    @property
    def missing(self) -> bool:
        """A comparison that should decide but has no data."""
        return self.holds is None and not self.informative


class Missing(Exception):
    """There are not enough runs for a comparison."""


def measure(name: str) -> Measure:
    """One of MEASURES, or of the evaluations of a run: `evaluations of c1`, `share of c1 + c2`."""
    if name in MEASURES:
        return MEASURES[name]
    kind, functions = name.split(" of ")
    numbers = statistics.counts if kind == "evaluations" else statistics.shares
    return lambda trace, B: float(sum(numbers(trace, B)[each] for each in functions.split(" + ")))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Results seen through one preset."""

    results: Results
    preset: str

    def arm(self, experiment: str, method: str) -> Traces:
        """The runs of a method with this preset."""
        return self.results.traces(experiment, method, self.preset)

    def pairs(self, experiment: str, *methods: str) -> list[list[Trace]]:
        """The runs of each method at the seeds that all of them have."""
        runs = statistics.paired(*(self.arm(experiment, method) for method in methods))
        if len(runs[0]) < FEWEST:
            raise Missing(f"{len(runs[0])} common seeds of {', '.join(methods)}, {FEWEST} needed")
        return runs

    def values(self, experiment: str, metric: str | Measure, *methods: str, B: float | None = None) -> list[Array]:
        """A metric of each method at common seeds, up to B or else the smallest budget; [n] each."""
        runs = self.pairs(experiment, *methods)
        end = statistics.horizon(*runs) if B is None else B
        of = measure(metric) if isinstance(metric, str) else metric
        return [np.array([of(trace, end) for trace in arm]) for arm in runs]

    def best(self, experiment: str, metric: str, methods: Sequence[str]) -> str:
        """The method with the lowest median."""
        values = self.values(experiment, metric, *methods)
        return methods[int(np.argmin([np.median(each) for each in values]))]


def attempt(where: str, what: str, measure: Callable[[], Detail]) -> Detail:
    """The comparison under its name, to which it may have added something, or that there are no data for it."""
    try:
        found = measure()
        return replace(found, where=where, what=what + found.what)
    except Missing as why:
        return Detail(str(why), None, 0, None, where=where, what=what)


def informative(details: Sequence[Detail]) -> list[Detail]:
    """The same comparisons for information only; those without data are left out."""
    return [replace(detail, holds=None, informative=True) for detail in details if not detail.missing]


def judged(
    first: Array, second: Array | float, *, side: Side, significant: bool = True, null: Array | float | None = None
) -> Detail:
    """first [n] below or above second [n]. significant: p < LEVEL is needed, otherwise the median decides.

    null: what first must be significantly beyond, on the other side, to speak against the claim; second, if not given.
    """
    limit = np.broadcast_to(second, first.shape)
    towards, against = SIDES[side]
    p = statistics.wilcoxon(first, limit, towards)
    reverse = statistics.wilcoxon(first, limit if null is None else np.broadcast_to(null, first.shape), against)
    medians = float(np.median(first)), float(np.median(limit))
    direction = medians[0] - medians[1] if side == "above" else medians[1] - medians[0]
    holds = direction >= 0.0 and p < LEVEL if significant else direction > 0.0
    return Detail(versus(*medians), p, len(first), holds, reverse < LEVEL and not holds)


def versus(first: float, second: float) -> str:
    return f"{first:.3g} vs {second:.3g}"


def near(first: Array, second: Array) -> Detail:
    """Medians of log10 OC less than a factor of 2 apart; against it: significantly farther apart than that."""
    beyond = min(
        statistics.wilcoxon(first, second + FACTOR, "greater"), statistics.wilcoxon(first, second - FACTOR, "less")
    )
    distance = abs(float(np.median(first) - np.median(second)))
    numbers = f"OC {versus(10.0 ** float(np.median(first)), 10.0 ** float(np.median(second)))}"
    holds = distance < FACTOR
    return Detail(numbers, None, len(first), holds, 2.0 * beyond < LEVEL and not holds)
