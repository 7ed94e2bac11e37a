"""The answer of a study with noisy functions rests on the models, not on the luck of single values."""

from collections import Counter
from dataclasses import replace

import numpy as np
from states import context, state

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.policy.belief import belief
from taut.policy.noisy_answer import answer, exact_limits, noisy, spoilt, target
from taut.policy.verify import answer as recommended
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


def test_limits_without_noise_are_seen() -> None:
    every = taut.Problem(X, taut.Objective("f"), [taut.Constraint("c", at_most=0.0, noise=NOISE)])
    here = {"x": 0.0, "y": 0.0}
    assert exact_limits(context(request())) and not exact_limits(
        context(state(every, [("f", here, 1.0), ("c", here, 1.0)]))
    )


def test_the_only_design_that_was_measured_whole_is_not_the_answer_if_it_is_poor() -> None:
    made = context(request(), precise=True)
    assert made.measured.best is not None and made.measured.points[made.measured.best].tolist() == list(LUCKY)
    assert verified(made) is None and answer(made) is None


def test_a_design_as_good_as_the_recommendation_is_the_answer_although_a_noisy_value_was_violated() -> None:
    x = context(request(count=150), precise=True).optimum.x
    there = (float(x[0]), float(x[1]))
    made = context(request(("f", there, x[0]), ("c", there, 0.02), ("e", there, 0.0), count=150), precise=True)
    found = verified(made)
    assert found is not None and np.allclose(found, x)


def test_a_sure_loss_is_not_excused_by_doubt_about_the_height_of_both() -> None:
    x = context(request(), precise=True).optimum.x
    there = (float(x[0]) - 0.012, float(x[1]))
    made = context(request(("f", there, there[0]), ("c", there, -0.15), ("e", there, 0.0)), precise=True)
    f, places = made.posteriors[0], np.vstack([made.optimum.x, there])
    loss = float(-np.diff(np.exp(made.utility.log_value(places)))[0])
    doubt = made.settings.verify.noisy_sd * float(np.sqrt(f.posterior(places[:1]).var[0]))
    assert 0.0 < loss < doubt and answer(made) is None


def test_where_a_limit_is_exact_the_answer_is_a_place_where_it_was_measured() -> None:
    """x + y is best, and limited by e, which is exact; c has noise, and holds there."""
    constraints = [taut.Constraint("c", at_most=0.0, noise=NOISE), taut.Constraint("e", at_most=0.0)]
    problem = taut.Problem(X, taut.Objective("f", goal="maximize"), constraints)
    rng, there = np.random.default_rng(3), (0.5, 0.499)
    rows: list[tuple[str, dict[str, float], float | None]] = []
    for u in [*sobol(12, 2, np.random.default_rng(0)), np.array(there)]:
        x, y = float(u[0]), float(u[1])
        values = {"f": np.sin(x + y), "c": y - 0.8 + NOISE * rng.standard_normal(), "e": np.exp(x + y) - np.e}
        rows += [(name, {"x": x, "y": y}, float(value)) for name, value in values.items()]
    last = replace(state(problem, rows), remaining=0.0, budget=100.0, verify=True, memory={"verify": {}})
    made = context(last, precise=True)
    assert tuple(recommended(made)) == there
    assert belief(made, np.array(there)).feasibility > 0.95 > belief(made, made.optimum.x).feasibility


def test_an_active_noisy_constraint_is_repeated_alone_where_there_is_no_other_place() -> None:
    grid = [taut.Integer("i", 0, 4), taut.Integer("j", 0, 4)]
    constraint = taut.Constraint("c", at_most=0.0, noise="learned")
    study = taut.Study(taut.Problem(grid, taut.Objective("f", goal="maximize"), [constraint]), seed=1)
    rng = np.random.default_rng(0)
    for _ in range(30):
        asked = study.ask(budget=60.0)
        i, j = asked.point["i"], asked.point["j"]
        values = {"f": i + 0.5 * j, "c": 0.1 * (i + j) - 0.45 + 0.2 * rng.standard_normal()}
        study.tell(asked, {name: values[name] for name in asked.functions})
    places = Counter(tuple(row.point.values()) for row in study.observations if row.function == "c")
    (i, j), count = places.most_common(1)[0]
    assert 3 <= i + j <= 6 and count >= 4, "next to the limit, at i + j = 4.5"
    exact = [tuple(row.point.values()) for row in study.observations if row.function == "f"]
    assert len(exact) == len(set(exact))


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
