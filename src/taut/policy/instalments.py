"""A set of functions bought one bundle at a time: which of them first."""

from __future__ import annotations

import numpy as np

from taut.base.arrays import Array
from taut.base.normal import student_cdf
from taut.policy.context import Context
from taut.policy.menu import Candidate


def first_instalment(context: Context, candidate: Candidate) -> tuple[Candidate, str]:
    """The bundle of a coupled candidate to buy first: the most likely to spoil the point, per cost.

    A constraint spoils it by being violated, the objective by falling short of the recommendation's value, and either
    if it cannot be computed there.
    """
    x, menu = candidate.x, context.menu
    fine = np.concatenate([[_surpasses(context, x)], context.feasibilities(x)])
    spoil = 1.0 - fine * context.computable(x)
    parts = [bundle for bundle in menu.bundles if set(bundle) <= set(candidate.S)]
    best = max(parts, key=lambda bundle: (1.0 - np.prod(1.0 - spoil[list(bundle)])) / menu.cost(bundle, x))
    share = menu.candidate(x, best, candidate.value * menu.cost(best, x) / candidate.cost)
    return share, f"{menu.label(best)}: first instalment of {menu.label(candidate.S)}"


def _surpasses(context: Context, x: Array) -> float:
    """P(f(x) > mu_0(x_r)), Student-t."""
    gp = context.posteriors[0]
    here, there = gp.posterior(x[None, :]), gp.posterior(context.optimum.x[None, :])
    score = (here.mean[0] - there.mean[0]) / np.sqrt(here.var)
    return float(student_cdf(score, gp.hyper.nu)[0])
