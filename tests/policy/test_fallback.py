"""What is evaluated where nothing has a measurable value."""

from dataclasses import replace

import numpy as np
import pytest
from states import chosen, context, everywhere, known, state

import taut
from taut.base.quasirandom import sobol
from taut.data.exhausted import ExhaustedError
from taut.policy.fallback import fallback, most_uncertain

FAST = chosen(search_raw=96, search_starts=6)
X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]


def problem(**costs: float) -> taut.Problem:
    constraints = [taut.Constraint(name, at_most=0.0, cost=costs.get(name, 1.0)) for name in ("c", "e")]
    return taut.Problem(X, taut.Objective("f", cost=costs.get("f", 1.0)), constraints)


DOOMED = {"f": lambda q: q["x"], "c": lambda q: 40.0 + np.sin(9.0 * q["x"]), "e": lambda q: 20.0 + np.cos(9.0 * q["y"])}
POINTS = sobol(6, 2, np.random.default_rng(0))


@pytest.mark.parametrize("dear", ["c", "e"])
def test_without_a_feasible_region_the_most_doubtful_constraint_per_cost(dear: str) -> None:
    made = context(everywhere(problem(**{dear: 1e6}), DOOMED, POINTS), FAST)
    found, why = fallback(made)
    assert not made.optimum.feasible and "no feasible region yet" in why
    assert np.array_equal(found.x, made.optimum.x)
    doubt = -np.log(np.maximum(made.feasibilities(found.x), 1e-300)) / [made.menu.cost((k,)) for k in (1, 2)]
    assert found.S == (1 + int(np.argmax(doubt)),) and made.names[found.S[0]] != dear


def test_a_constraint_that_is_known_there_is_not_checked_again() -> None:
    first = context(everywhere(problem(), DOOMED, POINTS), FAST)
    found, _ = fallback(first)
    name, x = first.names[found.S[0]], first.optimum.x
    data = first.request.dataset
    failed = [np.vstack([part, x]) if view.name == name else part
              for view, part in zip(data.functions, data.failed, strict=True)]  # fmt: skip
    second = context(replace(first.request, dataset=replace(data, failed=tuple(failed))), FAST)
    vars(second)["optimum"] = first.optimum  # the same guess, where this function has failed
    assert second.names[fallback(second)[0].S[0]] in {"c", "e"} - {name}


def test_otherwise_everything_uncertain_at_the_recommendation() -> None:
    made = context(known("test_function_2", 24), FAST)
    found, why = fallback(made)
    assert "checking the recommendation" in why
    assert np.array_equal(found.x, made.optimum.x) and found.S == made.uncertain(made.optimum.x)


def test_what_cannot_be_paid_or_is_known_gives_way_to_the_most_uncertain_place() -> None:
    request = known("test_function_2", 24)
    made = context(replace(request, remaining=1.0), FAST)
    assert len(made.uncertain(made.optimum.x)) > 1
    found, why = fallback(made)
    assert "most uncertain place" in why and len(found.S) == 1
    settled = context(request, FAST)
    at = replace(settled.optimum, x=settled.observed_points[0])
    vars(settled)["optimum"] = at
    assert settled.menu.evaluable(at.x, settled.menu.everything) == ()
    assert np.array_equal(fallback(settled)[0].x, most_uncertain(settled).x)


@pytest.mark.parametrize("dear", ["f", "c1", "c2", "c3"])
def test_the_most_uncertain_place_has_the_largest_variance_per_cost(dear: str) -> None:
    made = context(known("test_function_2", 12, costs=((dear, 1e9),)), FAST)
    found = most_uncertain(made)
    ratio = np.array([gp.posterior(made.raw).var / gp.amplitude for gp in made.posteriors])
    best = [k for k in range(4) if made.names[k] != dear]
    assert found.S[0] == max(best, key=lambda k: ratio[k].max())
    assert np.array_equal(found.x, made.raw[int(np.argmax(ratio[found.S[0]]))])


def test_a_constraint_that_holds_everywhere_is_no_reason_to_look() -> None:
    rows = [("f", {"x": u, "y": v}, u * v) for u in np.linspace(0, 1, 5) for v in np.linspace(0, 1, 5)]
    rows += [("c", {"x": u, "y": 0.5}, u - 0.5) for u in np.linspace(0, 1, 9)]
    rows += [("e", {"x": 0.5, "y": u}, -1e6 + u) for u in (0.1, 0.9)]  # hardly any value, and far from its bound
    made = context(state(problem(), rows), FAST)
    assert float(made.feasibilities(np.full(2, 0.5))[1]) > 1.0 - 1e-7
    assert made.names[most_uncertain(made).S[0]] != "e"


def test_where_everything_is_next_to_known_values_none_of_them_is_asked_for_again() -> None:
    """A constraint leaves a sliver of the box: raw points lie on top of evaluated ones."""
    narrow = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", formula="-x"),
        [taut.Constraint("c", at_most=0.3), taut.Constraint("k", at_most=2e-6, formula="x")],
    )
    rows = [("c", {"x": float(x)}, 1.0) for x in (0.0, 5e-7, 1e-6, 1.5e-6)]
    made = context(state(narrow, rows), FAST)
    first = int(np.argmax(made.posteriors[1].posterior(made.raw).var))
    assert np.abs(made.dataset.X[1] - made.raw[first]).min() <= made.menu.same_point  # it would have been this one
    for _ in range(3):
        try:
            found = most_uncertain(made)
        except ExhaustedError:
            return
        assert np.abs(made.dataset.X[1] - found.x).max(axis=1).min() > made.menu.same_point
        rows.append(("c", {"x": float(found.x[0])}, 1.0))
        made = context(state(narrow, rows), FAST)
