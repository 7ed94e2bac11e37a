"""What was never measured next to the recommendation comes before a look elsewhere."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from states import chosen, context, state, under_way

import taut
from taut.data.dataset import Request
from taut.policy.sceptic import DUE, look
from taut.policy.unseen import unseen

PROBLEM = taut.Problem(
    [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
    taut.Objective("f", goal="maximize"),
    [taut.Constraint("c", at_most=0.0), taut.Constraint("g", at_most=0.0)],
)
FUNCTIONS = {
    "f": lambda q: -((q["x"] - 0.2) ** 2) - (q["y"] - 0.3) ** 2,
    "c": lambda q: q["x"] + q["y"] - 1.5,
    "g": lambda q: 0.1 * q["x"] - 3.0,
}
RNG = np.random.default_rng(5)
FAR = [(float(x), float(y)) for x, y in 0.45 + 0.5 * RNG.random((6, 2))]
NEAR = [(0.2 + float(x), 0.3 + float(y)) for x, y in 0.01 * (RNG.random((10, 2)) - 0.5)]
FAST = chosen(search_raw=128, search_starts=6)


def known(near: tuple[str, ...], remaining: float = 50.0, verify: bool = True, **memory: Any) -> Request:
    """All functions far from the best place, and these next to it as well."""
    rows = [(name, point) for point in FAR for name in FUNCTIONS] + [(name, point) for point in NEAR for name in near]
    values = [(name, {"x": x, "y": y}, FUNCTIONS[name]({"x": x, "y": y})) for name, (x, y) in rows]
    kept = {"best": [0.2, 0.3], **memory}
    return replace(state(PROBLEM, values), memory=kept, remaining=remaining, budget=remaining, verify=verify)


def test_a_constraint_that_is_taken_for_granted_is_measured_at_the_recommendation() -> None:
    made = context(known(("f", "c")), FAST)
    assert made.feasibilities(made.optimum.x)[1] > 1.0 - 1e-6  # its model is sure: no other rule would ask for it
    found = unseen(made)
    assert found is not None and found.S == (made.names.index("g"),)
    np.testing.assert_array_equal(found.x, made.optimum.x)


def test_it_comes_before_a_look_which_stays_due() -> None:
    made = look(context(known(("f", "c"), looks=2, nothing_left=3), FAST))
    assert made is not None and made.functions == ("g",) and "not measured near the recommendation yet" in made.note
    assert made.memory[DUE] == 2 and made.memory["nothing_left"] == 3
    after = look(context(known(("f", "c", "g"), looks=2), FAST))
    assert after is not None and "sceptical" in after.note and after.memory[DUE] == 1


@pytest.mark.parametrize(
    "request_",
    [
        known(("f", "c", "g")),
        known(("f", "c"), verify=False),
        known(("f", "c"), remaining=3.9),
        under_way(known(("f", "c")), "g", (0.2, 0.3)),
    ],
    ids=["measured", "no verified answer is wanted", "too dear for what is left", "under way"],
)
def test_nothing_is_asked_for_otherwise(request_: Request) -> None:
    assert unseen(context(request_, FAST)) is None


def test_what_failed_next_to_the_recommendation_is_not_tried_there_again() -> None:
    request = known(("f", "c"))
    k = PROBLEM.functions.index("g")
    failed = tuple(np.array([[0.2, 0.3]]) if i == k else old for i, old in enumerate(request.dataset.failed))
    made = context(replace(request, dataset=replace(request.dataset, failed=failed)), FAST)
    found = unseen(made)
    assert found is None or np.abs(found.x - [0.2, 0.3]).max() > FAST.look.unseen_near


def test_such_a_decision_is_computed_again_from_the_rows() -> None:
    """It depends on whether the run verifies its answer, which the suggestion keeps."""
    study = taut.Study(PROBLEM, seed=1, initial=4, options={"search_raw": 128, "search_starts": 6})
    study.run(FUNCTIONS, budget=25)
    made = [row for row in study.suggestions if "not measured near the recommendation yet" in row.note]
    assert made and [study.replay(row.number) for row in made] == made
