"""Candidates where walls stop the objective."""

from dataclasses import replace

import numpy as np
from states import chosen, context, everywhere

import taut
from taut.data.dataset import Request
from taut.policy.context import Context
from taut.policy.search.ahead import ahead
from taut.policy.search.candidates import points

PROBLEM = taut.Problem(
    [taut.Real(name, 0.0, 1.0) for name in "xyz"],
    taut.Objective("f", goal="maximize"),
    [taut.Constraint(name, at_most=0.0) for name in ("a", "b")],
)
FUNCTIONS = {
    "f": lambda q: q["x"] + q["y"] - (q["z"] - 0.5) ** 2,
    "a": lambda q: q["x"] - 0.6 - 0.3 * q["z"] ** 2,
    "b": lambda q: q["y"] - 0.4 + 0.2 * np.sin(3.0 * q["z"]),
}
KNOWN = everywhere(PROBLEM, FUNCTIONS, np.random.default_rng(4).random((14, 3)))
FAST = chosen(search_raw=128, search_starts=6, ahead=True)


def settled(request: Request = KNOWN) -> Context:
    """As if the last recommendation had been the same."""
    x = context(request, FAST).optimum.x
    return context(replace(request, memory={"best": [float(u) for u in x]}), FAST)


def test_ends_keep_their_distance_from_the_walls() -> None:
    made = settled()
    ends = ahead(made)[:3]
    for m, end in zip((0.3, 1.0, 2.0), ends, strict=True):
        for gp, bounds in zip(made.posteriors[1:], made.bounds, strict=True):
            here = gp.posterior(end[None, :])
            assert here.mean[0, 0] + m * np.sqrt(here.var[0]) <= bounds.upper + 1e-4 * np.sqrt(gp.amplitude)
    f = made.posteriors[0].mean(ends)[0]
    assert (np.diff(f) < 1e-6).all()  # closer to the walls the objective is larger


def test_places_on_the_way_and_among_candidates_and_inner_points() -> None:
    made = settled()
    found, x = ahead(made), made.optimum.x
    assert len(found) == 9
    assert np.allclose(found[3], x + 0.1 * (found[0] - x)) and np.allclose(found[8], x + 0.3 * (found[2] - x))
    both = points(made, found)
    for there in (both.raw, both.inner):
        assert all((np.abs(there - row).max(axis=1) == 0.0).any() for row in found)


def test_none_before_the_recommendation_has_settled_or_when_switched_off() -> None:
    assert len(ahead(context(KNOWN, FAST))) == 0
    moved = replace(KNOWN, memory={"best": [0.0, 0.0, 0.0]})
    assert len(ahead(context(moved, FAST))) == 0
    off = chosen(search_raw=128, search_starts=6, ahead=False)
    assert len(ahead(context(settled().request, off))) == 0
