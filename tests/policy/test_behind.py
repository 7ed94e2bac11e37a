"""Points behind the limits that cost: in a corner of several limits, those of relevance.py alone do not see them."""

from typing import Any

import numpy as np
from states import chosen, context, everywhere

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.policy.behind import behind
from taut.policy.prices import Prices
from taut.policy.relevance import shares

QUICK = {"price": {"samples": 8}}


def vertex() -> tuple[Request, np.ndarray]:
    """In four dimensions, the best of a sum in the corner where x_i + 0.9 (sum of the others)/3 <= 0.5."""
    names = [f"x{i}" for i in range(4)]
    A = 0.3 + 0.7 * np.eye(4)
    problem = taut.Problem(
        [taut.Real(name, 0.0, 1.0) for name in names],
        taut.Objective("f", goal="maximize"),
        [taut.Constraint(f"c{i}", at_most=0.5) for i in range(4)] + [taut.Constraint("free", at_most=9.0)],
    )
    functions: dict[str, Any] = {"f": lambda p: sum(p.values()), "free": lambda p: p["x0"] ** 2}
    for i in range(4):
        functions[f"c{i}"] = lambda p, row=A[i]: float(row @ np.array([p[name] for name in names]))
    best = np.linalg.solve(A, np.full(4, 0.5))
    near = np.clip(best + 0.05 * (2.0 * sobol(16, 4, np.random.default_rng(5)) - 1.0), 0.0, 1.0)
    return everywhere(problem, functions, np.vstack([sobol(16, 4, np.random.default_rng(4)), near])), A


def test_nearly_all_violate_one_limit_at_most_and_leave_room_to_the_others() -> None:
    """Not all: far out, the room that is needed next to x_r is too little, which the second search mends."""
    request, A = vertex()
    made = context(request, chosen(knobs=QUICK), precise=True)
    prices = Prices.of(made)
    assert prices is not None
    points = behind(prices)
    over = points @ A.T > 0.5 + 1e-9
    assert (over.sum(axis=1) <= 1).mean() > 0.9 and over.any(axis=0).all()
    beyond = points[over.sum(axis=1) == 1]
    assert (beyond.sum(axis=1) > prices.best.x.sum()).mean() > 0.6  # better, but where the room costs more


def test_no_point_lies_behind_a_known_limit() -> None:
    """The best of x + y with x <= 0.5 simulated and y <= 0.4 known: (0.5, 0.4)."""
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
        taut.Objective("f", goal="maximize"),
        [taut.Constraint("c", at_most=0.5), taut.Constraint("known", at_most=0.4, formula="y")],
    )
    functions: dict[str, Any] = {"f": lambda p: p["x"] + p["y"], "c": lambda p: p["x"], "known": lambda p: p["y"]}
    X = sobol(16, 2, np.random.default_rng(6)) * np.array([1.0, 0.4])
    made = context(everywhere(problem, functions, X), chosen(knobs=QUICK), precise=True)
    prices = Prices.of(made)
    assert prices is not None and prices.best.multipliers[1].max() > 0.0  # it has a price
    points = behind(prices)
    assert points[:, 0].max() > 0.9 and points[:, 1].max() < 0.4 + 1e-5


def test_with_them_every_limit_of_a_corner_matters() -> None:
    request, _ = vertex()
    made = context(request, chosen(knobs=QUICK), precise=True)
    prices = Prices.of(made)
    assert prices is not None
    found = dict(zip(made.names[1:], shares(made, behind(prices)), strict=True))
    assert all(found[f"c{i}"].matters > 0.95 for i in range(4)) and found["free"].matters == 0.0
