"""Verified answers: the last part of a budget goes to measuring the recommendation whole.

A design is verified if every function was evaluated there and every constraint held as measured. When what is left of
the budget is down to what that costs (`VerifySettings`), the recommendation becomes the target: what is not known there
is evaluated, the most likely to spoil it first, and the models learn from every value. A violated value or a failure
ends the attempt, and the next recommendation is the next target. The target is remembered, or a recommendation that
creeps on would never be complete. What is left after a verified answer is spent on beating it. Where values are noisy,
noisy_answer.py says what is measured and what counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.base.normal import student_cdf
from taut.data.dataset import Proposal, Request
from taut.data.exhausted import exhausted
from taut.policy.best_known import best_known
from taut.policy.context import Context
from taut.policy.menu import Candidate, Set
from taut.policy.noisy_answer import answer as noisy_answer
from taut.policy.noisy_answer import exact_limits, noisy, target
from taut.policy.settings import VerifySettings


def begun(request: Request) -> bool:
    """Has the last part of the budget begun, at the latest suggestion?"""
    return "verify" in request.memory


def verified(context: Context) -> Array | None:
    """The design that is the answer in the last part of a budget, if there is one that was measured whole; [d].

    Also where everything worth knowing is known: others may be as good, but not better.
    """
    if not begun(context.request) and not exhausted(context.dataset, context.domain):
        return None
    if noisy(context):
        return noisy_answer(context)
    best = context.measured.best
    return None if best is None else np.asarray(context.measured.points[best])


def answer(context: Context) -> Array:
    """What is recommended [d]: x_r, or in the last part of a budget the best verified design.

    Beside noise an exact constraint is judged with all doubts there are, as what is promised is, and as the target was:
    what is known to the last digit where it was measured, and only there, is as likely violated right beside it.
    """
    if not context.menu.everything:
        return context.domain.settled(best_known(context))
    if begun(context.request) and noisy(context) and exact_limits(context):
        context = replace(context, cautious=True)
    best = verified(context)
    return context.domain.settled(context.optimum.x) if best is None else best


def may_begin(request: Request, settings: VerifySettings) -> bool:
    """Might verification be due? Without a look at the models."""
    most, last = max(settings.attempts, settings.rough_attempts), request.memory.get("best")
    x = None if last is None else np.array(last)
    return request.verify and request.remaining <= _kept(request, settings, most, x) * (1.0 + 1e-9)


def due(context: Context) -> bool:
    """Is the rest of the budget for verification?"""
    request, settings = context.request, context.settings.verify
    attempts = settings.rough_attempts if begun(request) or _rough(context) else settings.attempts
    return request.remaining <= _kept(request, settings, attempts, context.optimum.x) * (1.0 + 1e-9)


def takes_the_last(request: Request, made: Proposal) -> bool:
    """Does a suggestion leave less than a whole design costs, without being one, where there was enough for it?"""
    if not request.verify or set(request.problem.simulated) <= set(made.functions):
        return False
    whole = _cost(request, request.problem.functions, made.point)
    return leaves_too_little(request, made) and whole <= request.remaining * (1.0 + 1e-9)


def leaves_too_little(request: Request, made: Proposal) -> bool:
    """Does a suggestion leave less than a whole design costs?"""
    x, step = made.point, request.problem.cost(made.functions)
    if request.prices is not None:
        step = float(request.prices.costs(made.functions, x[None, :])[0])
    return request.remaining * (1.0 + 1e-9) - step < _cost(request, request.problem.functions, x)


def _kept(request: Request, settings: VerifySettings, attempts: float, x: Array | None) -> float:
    """What is kept of the budget for so many attempts. x: the recommendation [d], if there is one."""
    whole = _cost(request, request.problem.functions, x)
    kept = max(attempts * whole, whole + _dearest(request, x))
    return min(kept, max(whole, settings.share * request.budget))


def _dearest(request: Request, x: Array | None) -> float:
    """The cost of the dearest bundle: what an attempt costs at most that ends with its first value."""
    return max(_cost(request, bundle.functions, x) for bundle in request.problem.bundles)


def _cost(request: Request, names: Sequence[str], x: Array | None) -> float:
    """Of functions at a new place; where that depends on the place, next to x [d], or anywhere at most."""
    if request.prices is None:
        return request.problem.cost(names)
    if x is None:
        return request.prices.range(names)[1]
    return float(np.exp(request.prices.log_costs_with_gradient(names, x[None, :])[0][0]))


def _rough(context: Context) -> bool:
    """Is any function most likely rough, by more than numerical doubt?"""
    d, least = context.dataset.parameters, np.log(context.settings.verify.rough_from)
    fits = context.surrogate.memory.values()
    return any(len(kept["theta"]) > d and kept["theta"][d] > least for kept in fits)


@dataclass(frozen=True)
class Verification:
    """The next step: a bundle at the target [d], and what the history keeps."""

    candidate: Candidate
    why: str
    memory: dict[str, Any]


def next_step(context: Context) -> Verification | None:
    """What to evaluate next for a verified answer; None if there is nothing to verify, or it cannot be paid."""
    steps = (_step(context, x, kind) for x, kind in _targets(context))
    return next((step for step in steps if step is not None), None)


def _step(context: Context, x: Array, kind: str) -> Verification | None:
    """What to evaluate next at x [d]; None if nothing is missing there, or it cannot be paid.

    A place that was evaluated a hair away is x itself: beside it nothing of what is known there would count.
    """
    x = context.measured.snapped(x, context.settings.verify.same_point)
    missing = _missing(context, x)
    if not missing or not context.menu.affordable(missing, x):
        return None
    best = _first(context, x, missing)
    why = f"{context.menu.label(best)}: verifying the {kind}"
    return Verification(context.menu.candidate(x, best), why, {"target": [float(u) for u in x]})


def closing_step(context: Context) -> Verification | None:
    """The same for a run that stops with a verified design that nothing is sure to beat: what would be recommended.

    Without it the answer would be that point as decisions see it, next to the verified design and not evaluated itself;
    whatever comes, it or the verified design is the answer then.
    """
    if begun(context.request) or context.measured.best is None or noisy(context):
        return None
    return _step(context, replace(context, cautious=False).optimum.x, "recommendation")


def _targets(context: Context) -> list[tuple[Array, str]]:
    """Designs worth verifying, the best first: the remembered target, the recommendation, and what can be completed."""
    if context.optimum.feasible and noisy(context):
        x = target(context)
        return [(x, "recommendation")] if _missing(context, x) else []
    kept = context.request.memory.get("verify", {}).get("target")
    found = [] if kept is None else [(np.array(kept), "recommendation")]
    if context.optimum.feasible:
        found += [(_recommended(context, x), "recommendation") for x in (*_bold(context), context.optimum.x)]
        found += [(x, "best design that can be completed") for x in _begun_elsewhere(context)]
    if context.measured.best is None:
        safer = _safer(context)
        first = _last_attempt(context) and _feasibility(context, context.optimum.x) < context.settings.verify.sure
        found = [safer, *found] if first else [*found, safer]
    return [(x, kind) for x, kind in found if _open(context, x)]


def _bold(context: Context) -> list[Array]:
    """The recommendation as decisions see it, without doubts that are only possible, if failing there can be afforded.

    It can if there is a verified design, or money for another one after the first value.
    """
    request, settings = context.request, context.settings.verify
    x = context.optimum.x
    whole = _cost(request, request.problem.functions, x) + _dearest(request, x)
    another = request.remaining * (1.0 + 1e-12) >= whole
    if context.measured.best is None and not another:
        return []
    likely = replace(context, cautious=False).optimum
    bold = likely.feasible and _feasibility(context, likely.x) >= settings.bold
    return [likely.x] if bold else []


def _recommended(context: Context, x: Array) -> Array:
    """A recommendation x [d], or the evaluated place next to it if that is as likely to be feasible."""
    near = context.measured.snapped(x, context.menu.same_point)
    least = min(_feasibility(context, x), context.settings.verify.near_sure)
    return near if _feasibility(context, near) >= least else x


def _begun_elsewhere(context: Context) -> list[Array]:
    """Evaluated places that may turn out verified once the rest is evaluated, the best first: cheaper than new ones."""
    designs, settings = context.measured, context.settings
    points = designs.points[~designs.violated & ~designs.whole]
    order = np.argsort(-context.utility.log_value(points), kind="stable")[: settings.optimum.known_places]
    return [x for x in points[order] if _feasibility(context, x) >= settings.verify.sure]


def _open(context: Context, x: Array) -> bool:
    """May x [d] still become a better verified design than the best one?"""
    designs = context.measured
    at = designs.at(x, context.settings.verify.same_point)
    if at is not None and (designs.violated[at] or designs.whole[at]):
        return False
    return designs.best is None or _beats(context, x) > 0.5


def _beats(context: Context, x: Array) -> float:
    """Probability that the objective at x [d] is larger than that of the best verified design, Student-t."""
    if context.measured.best is None:
        return 1.0
    gp = context.posteriors[0]
    here = gp.posterior(x[None, :])
    known = context.surrogate.bend.of(context.measured.y[context.measured.best, 0])
    score = (here.mean[0] - known) / np.sqrt(here.var)
    return float(student_cdf(score, gp.hyper.nu)[0])


def _missing(context: Context, x: Array) -> Set:
    """Functions without a value at x [d], none of them under way there, with group mates."""
    menu, same = context.menu, context.settings.verify.same_point
    at = context.measured.at(x, same)
    open_ = [k for k in menu.everything if at is None or np.isnan(context.measured.y[at, k])]
    under_way = [k for k in open_ if is_under_way(context, k, x, same)]
    return menu.complete([k for k in open_ if k not in under_way])


def is_under_way(context: Context, k: int, x: Array, distance: float) -> bool:
    """Is function k under way at x [d], or as close as that?"""
    points = context.dataset.pending[k]
    return bool(len(points)) and bool(np.abs(points - x).max(axis=1).min() <= distance)


def _first(context: Context, x: Array, missing: Set) -> Set:
    """The bundle to evaluate first: the most likely to spoil the design, per cost."""
    menu = context.menu
    spoil = 1.0 - holding(context, x)
    parts = [bundle for bundle in menu.bundles if set(bundle) & set(missing)]
    return max(parts, key=lambda S: (1e-9 + 1.0 - float(np.prod(1.0 - spoil[list(S)]))) / menu.cost(S, x))


def holding(context: Context, x: Array) -> Array:
    """Probability that each function can be computed at x [d] and does not spoil it as an answer; [K + 1]."""
    fine: Array = np.concatenate([[_beats(context, x)], context.feasibilities(x)])
    return fine * context.computable(x)


def _last_attempt(context: Context) -> bool:
    """Does what is left pay for no second design?"""
    request = context.request
    return request.remaining < 2.0 * _cost(request, request.problem.functions, context.optimum.x)


def _feasibility(context: Context, x: Array) -> float:
    p = float(np.prod(context.feasibilities(x)))
    return p if context.successes is None else p * float(np.exp(context.successes.log(x[None, :]))[0])


def _safer(context: Context) -> tuple[Array, str]:
    """The design with the largest G for which feasibility counts more; evaluated points that are not violated too."""
    samples, designs = context.raw_samples, context.measured
    known = designs.points[~designs.violated]
    points = np.vstack([context.optimum.x, samples.x, known])
    score = context.utility.log_value(points)
    score += context.settings.verify.safety * context.utility.log_feasibility(points)
    x: Array = points[int(np.argmax(score))]
    return x, "safest design"
