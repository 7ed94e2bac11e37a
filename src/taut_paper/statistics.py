"""Numbers from traces: opportunity cost against cost spent, paired tests over seeds, spread, shares, CPU time.

| symbol | meaning | shape |
| --- | --- | --- |
| OC(b) | opportunity cost of the last recommendation made at a cost of at most b; a step function, right-continuous | |
| floor | smallest OC told apart, FLOOR (f* - penalty) of the problem | |
| L(b) | log10 max(OC(b), floor) | |
| AUC | (1/B) integral of L over 0..B: the area under the logarithmic curve per unit of cost, lower is better | |

A trace that ends before the budget (a coupled method that cannot pay for all functions once more) keeps its last value.
Arms with different budgets are compared up to the smallest one, `horizon`. Arms are paired by seed, because a seed
fixes the initial design of all of them; only seeds that all arms have are used, `paired`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from scipy import stats

from taut.base.arrays import Array, Ints
from taut_paper import stuck
from taut_paper.arena.suite import any_problem
from taut_paper.traces import Trace, Traces

FLOOR = 1e-8
"""Opportunity cost, relative to that of an infeasible recommendation, below which nothing is told apart.

An OC can be 0, since constraints may be violated by 1e-6 of their range; its logarithm needs a floor. Too low a floor
would let a lucky 1e-12 outweigh a whole run in the AUC; too high a floor would turn real differences into ties. 1e-8
(4e-7 on Mystery, 3e-6 on Constrained Branin, 5e-8 on Test Function 2) is below nearly all that runs of a few hundred
units reach, and less than what that tolerance is worth, so that no real difference is lost. There is one floor per
problem, the same for all arms.
"""
ROUNDING = 1e-9
"""Slack when costs, which are sums, are compared."""
Alternative = Literal["less", "greater", "two-sided"]


# --- Opportunity cost against cost


def floor(trace: Trace) -> float:
    """The smallest OC told apart on this problem: FLOOR times the OC of an infeasible recommendation."""
    return FLOOR * (trace.bench.optimum - trace.bench.penalty)


def log_oc(trace: Trace) -> Array:
    """log10 max(OC, floor) after each step; [T + 1]."""
    return np.log10(np.maximum(trace.oc, floor(trace)))


def at_costs(trace: Trace, costs: Array | Sequence[float]) -> Array:
    """OC of the last recommendation made at a cost of at most each of `costs` [m]; [m]."""
    return np.asarray(trace.oc[last_steps(trace, costs)])


def log_at_costs(trace: Trace, costs: Array | Sequence[float]) -> Array:
    """As at_costs, log10 and floored; [m]."""
    return np.asarray(log_oc(trace)[last_steps(trace, costs)])


def last_steps(trace: Trace, costs: Array | Sequence[float]) -> Ints:
    """The last step at or before each cost; the initial design for costs below 0."""
    last = np.searchsorted(trace.spent, np.asarray(costs, dtype=float) + ROUNDING, side="right") - 1
    return np.maximum(last, 0)


def final(trace: Trace, budget: float | None = None) -> float:
    """log10 OC, floored, at the budget (the trace's own if none is given)."""
    return float(log_at_costs(trace, [trace.repetition.budget if budget is None else budget])[0])


def auc(trace: Trace, budget: float | None = None) -> float:
    """(1/B) integral_0^B log10 max(OC(b), floor) db: the exact mean of the step function; lower is better."""
    return area(trace.spent, trace.oc, trace.repetition.budget if budget is None else budget, floor(trace))


def area(spent: Array, oc: Array, B: float, least: float) -> float:
    """The same of a curve [T + 1]; least: OC below which nothing is told apart."""
    edges = np.minimum(np.append(spent, B), B)
    return float(np.log10(np.maximum(oc, least)) @ np.diff(edges) / B)


def cost_to_reach(trace: Trace, target: float, budget: float | None = None) -> float:
    """Cost at which OC is first at most `target`; infinite if that does not happen within the budget.

    The first time counts even if a later recommendation is worse again: by then the target had been delivered.
    """
    B = trace.repetition.budget if budget is None else budget
    reached = np.flatnonzero((trace.oc <= target) & (trace.spent <= B + ROUNDING))
    return float(trace.spent[reached[0]]) if len(reached) else math.inf


def horizon(*arms: Iterable[Trace] | Traces) -> float:
    """The smallest budget of all these traces: up to there they can be compared."""
    return min(trace.repetition.budget for arm in arms for trace in _each(arm))


def _each(arm: Iterable[Trace] | Traces) -> Iterable[Trace]:
    return arm.values() if isinstance(arm, dict) else arm


# --- Over seeds


@dataclass(frozen=True, slots=True)
class Bands:
    """OC over the seeds of an arm on a grid of costs, all [m]."""

    costs: Array
    median: Array
    lower: Array
    """25 % quantile."""
    upper: Array
    """75 % quantile."""


def bands(traces: Iterable[Trace] | Traces, costs: Array | Sequence[float]) -> Bands:
    """Median and quartiles of OC over seeds at each cost.

    Quantiles between two values are interpolated on the logarithmic scale on which they are drawn.
    """
    curves = np.array([log_at_costs(trace, costs) for trace in _each(traces)])
    lower, median, upper = 10.0 ** np.quantile(curves, [0.25, 0.5, 0.75], axis=0)
    return Bands(np.asarray(costs, dtype=float), median, lower, upper)


def common_seeds(*arms: Traces) -> tuple[int, ...]:
    """The seeds that all arms have, in order."""
    return tuple(sorted(set.intersection(*(set(arm) for arm in arms)))) if arms else ()


def paired(*arms: Traces) -> list[list[Trace]]:
    """The traces of each arm at the seeds that all arms have, in the same order."""
    seeds = common_seeds(*arms)
    return [[arm[seed] for seed in seeds] for arm in arms]


def wilcoxon(first: Sequence[float] | Array, second: Sequence[float] | Array, side: Alternative = "two-sided") -> float:
    """p of Wilcoxon's signed-rank test of paired values; `less`: the first tend to be smaller.

    W = sum of the ranks of |difference| over the pairs in which the first is larger. Pairs that are equal say nothing
    and are left out; if all are, p = 1. p is exact under random signs, with mean ranks for ties: numbers of evaluations
    tie often, and few seeds are no case for a normal approximation.
    """
    difference = _difference(first, second)
    unequal = difference[difference != 0.0]
    doubled = np.rint(2.0 * stats.rankdata(np.abs(unequal))).astype(int)  # mean ranks are halves: whole numbers again
    chance = np.ones(1)
    for rank in doubled:  # of every sum of ranks, one more random sign at a time
        chance = 0.5 * (np.append(chance, np.zeros(rank)) + np.append(np.zeros(rank), chance))
    W = int(doubled[unequal > 0.0].sum())
    below, above = float(chance[: W + 1].sum()), float(chance[W:].sum())
    p = {"less": below, "greater": above, "two-sided": 2.0 * min(below, above)}[side]
    return min(p, 1.0)


def _difference(first: Sequence[float] | Array, second: Sequence[float] | Array) -> Array:
    """first - second relative to the largest value, rounded so that sums of shares that should be equal are."""
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    size = max((float(np.max(np.abs(values))) for values in (one, other) if len(values)), default=0.0)
    return np.asarray(np.round((one - other) / (size or 1.0), 12))


def sign_test(
    first: Sequence[float] | Array, second: Sequence[float] | Array, side: Alternative = "two-sided"
) -> float:
    """p of the exact sign test of paired values, for outcomes that are only yes or no."""
    difference = _difference(first, second)
    more, unequal = int(np.sum(difference > 0.0)), int(np.sum(difference != 0.0))
    return float(stats.binomtest(more, unequal, alternative=side).pvalue) if unequal else 1.0


def brown_forsythe(first: Sequence[float] | Array, second: Sequence[float] | Array) -> float:
    """p of Brown and Forsythe's test of equal spread: Levene's with deviations from the median; not paired."""
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    deviations = [np.abs(values - np.median(values)) for values in (one, other)]
    if min(len(one), len(other)) < 2 or all(np.ptp(deviation) == 0.0 for deviation in deviations):
        return 1.0  # nothing to estimate a spread from
    return float(stats.levene(one, other, center="median").pvalue)


def quartile_range(values: Sequence[float] | Array) -> float:
    """75 % quantile minus 25 % quantile."""
    lower, upper = np.quantile(np.asarray(values, dtype=float), [0.25, 0.75])
    return float(upper - lower)


# --- One run in a number


def is_stuck(trace: Trace, budget: float | None = None) -> bool:
    """Whether the recommendation at a cost leads nowhere but to another local optimum (see taut_paper.stuck)."""
    last = last_steps(trace, [trace.repetition.budget if budget is None else budget])[0]
    return _stuck(trace.repetition.problem, tuple(map(float, trace.recommended[last])))


@cache
def _stuck(problem: str, x: tuple[float, ...]) -> bool:
    bench = any_problem(problem, {})
    return stuck.is_stuck(bench, dict(zip([each.name for each in bench.problem.parameters], x, strict=True)))


def stuck_count(traces: Iterable[Trace] | Traces, budget: float | None = None) -> int:
    """Number of runs that are stuck."""
    return sum(is_stuck(trace, budget) for trace in _each(traces))


def counts(trace: Trace, budget: float | None = None) -> dict[str, int]:
    """Evaluations of each function after the initial design, up to a cost."""
    B = trace.repetition.budget if budget is None else budget
    numbers = trace.evaluated[trace.spent <= B + ROUNDING].sum(axis=0)
    return {name: int(number) for name, number in zip(trace.names, numbers, strict=True)}


def shares(trace: Trace, budget: float | None = None) -> dict[str, float]:
    """Each function's share of all evaluations after the initial design, up to a cost; 0 if there were none."""
    numbers = counts(trace, budget)
    total = max(sum(numbers.values()), 1)
    return {name: number / total for name, number in numbers.items()}


def cpu_per_decision(trace: Trace) -> float:
    """Median CPU seconds of a decision; NaN if times were not kept or nothing was decided."""
    seconds = trace.ask_seconds[1:]
    return float(np.median(seconds)) if len(seconds) else math.nan


def decisions(trace: Trace) -> Ints:
    """The steps that begin a decision, as row numbers.

    A set of functions may be bought in instalments, and after each one the decision is taken anew and may turn out
    differently. Only a step at the very point of the one before that evaluates what was still open of its set belongs
    to the earlier decision.
    """
    begun = []
    open_before = np.zeros(trace.decided.shape[1], dtype=bool)
    for i in range(1, len(trace.spent)):
        bought = trace.evaluated[i]
        again = i > 1 and np.array_equal(trace.point[i], trace.point[i - 1]) and bool((bought <= open_before).all())
        if not again:
            begun.append(i)
            open_before = trace.decided[i].copy()
        open_before = open_before & ~bought
    return np.array(begun, dtype=np.intp)
