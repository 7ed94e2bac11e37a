"""The answer of a study with noisy functions rests on the models, not on the luck of single values."""

from dataclasses import replace

import numpy as np
from states import context, state

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.policy.noisy_answer import answer, noisy, spoilt, target
from taut.policy.verify import next_step, verified

NOISE = 0.1
X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]
PROBLEM = taut.Problem(
    X,
    taut.Objective("f", noise=NOISE),
    [taut.Constraint("c", at_most=0.0, noise=NOISE), taut.Constraint("e", at_most=0.5)],
)
LUCKY = (0.1, 0.1)


def request(*more: tuple[str, tuple[float, float], float | None], count: int = 60) -> Request:
    """f = x, c = y - 0.5 with noise, e = 0 without; at LUCKY, a poor place, all functions are known."""
    rng = np.random.default_rng(3)
    rows: list[tuple[str, tuple[float, float], float | None]] = []
    for u in sobol(count, 2, np.random.default_rng(0)):
        at = (float(u[0]), float(u[1]))
        rows += [("e", (at[1], at[0]), 0.0)]  # known, but not at the same places
        rows += [("f", at, u[0] + NOISE * rng.standard_normal()), ("c", at, u[1] - 0.5 + NOISE * rng.standard_normal())]
    rows += [("f", LUCKY, 0.4), ("c", LUCKY, -0.4), ("e", LUCKY, 0.0), *more]
    found = state(PROBLEM, [(name, {"x": at[0], "y": at[1]}, value) for name, at, value in rows])
    return replace(found, remaining=6.0, budget=100.0, verify=True, memory={"verify": {}})


def test_noise_is_seen() -> None:
    plain = taut.Problem(X, taut.Objective("f"), [taut.Constraint("c", at_most=0.0)])
    assert noisy(context(request())) and not noisy(context(state(plain, [("f", {"x": 0.0, "y": 0.0}, 1.0)])))


def test_the_only_design_that_was_measured_whole_is_not_the_answer_if_it_is_poor() -> None:
    made = context(request(), precise=True)
    assert made.measured.best is not None and made.measured.points[made.measured.best].tolist() == list(LUCKY)
    assert verified(made) is None and answer(made) is None


def test_a_design_as_good_as_the_recommendation_is_the_answer_although_a_noisy_value_was_violated() -> None:
    x = context(request(), precise=True).optimum.x
    there = (float(x[0]), float(x[1]))
    made = context(request(("f", there, x[0]), ("c", there, 0.02), ("e", there, 0.0)), precise=True)
    found = verified(made)
    assert found is not None and np.allclose(found, x)


def test_what_is_violated_without_noise_or_failed_is_spoilt() -> None:
    there = (0.9, 0.4)
    for value in (0.7, None):
        made = context(request(("f", there, 0.9), ("c", there, -0.1), ("e", there, value)))
        bad = made.measured.points[spoilt(made)]
        assert bad.tolist() == [list(there)]


def test_what_is_missing_at_the_target_is_evaluated_and_no_more() -> None:
    made = context(request(), precise=True)
    step = next_step(made)
    assert step is not None and np.array_equal(step.candidate.x, target(made))
    at = made.measured.at(step.candidate.x, 1e-9)
    known = [] if at is None else np.flatnonzero(~np.isnan(made.measured.y[at])).tolist()
    assert not set(step.candidate.S) & set(known)
    there = (float(step.candidate.x[0]), float(step.candidate.x[1]))
    whole = request(*[(name, there, value) for name, value in (("f", there[0]), ("c", -0.05), ("e", 0.0))])
    after = next_step(context(whole, precise=True))
    assert after is None or not np.array_equal(after.candidate.x, step.candidate.x)
