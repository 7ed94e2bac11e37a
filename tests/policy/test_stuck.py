"""A state in which look-ahead runs stay at a local optimum of Mystery for ever, recorded with the published settings.

Six spread points, then six more objective values and fourteen constraint values, most of them around the local optimum
(0, 2.749). Every unexplored place needs an outcome beyond 1.5 standard deviations to win; a rule that never looks there
sees no value anywhere but in polishing the constraint at the recommendation.
"""

import json
from pathlib import Path

import pytest
from states import chosen, context, state

from taut import bench
from taut.policy.context import Context
from taut.policy.search.candidates import points
from taut.policy.search.finalists import FirstLook

TESTED = bench.problem("mystery")
PLACES = json.loads((Path(__file__).parent / "stuck_state.json").read_text())


def rates(preset: str | None) -> tuple[float, float, Context]:
    """Best value per cost of a set with the objective, and of the constraint alone, over raw candidates."""
    at = [(name, {"x1": x1, "x2": x2}) for name in ("f", "c") for x1, x2 in PLACES[name]]
    request = state(TESTED.problem, [(name, point, TESTED.functions[name](point)) for name, point in at])
    made = context(request, chosen(preset, raw=256))
    look = FirstLook(made, points(made))
    best = {S: float(look.values(S).max()) / len(S) for S in [(0,), (1,), (0, 1)]}
    return max(best[0,], best[0, 1]), best[1,], made


def test_the_tails_see_that_the_objective_is_worth_more_than_polishing() -> None:
    away, polishing, made = rates(None)
    assert made.optimum.x == pytest.approx([0.0, 0.55], abs=0.01)
    assert away > 50.0 * polishing


def test_the_published_settings_are_blind_in_the_same_state() -> None:
    """The reason for the defaults: seven quantiles and a plugged-in variance see nothing away from the optimum."""
    away, polishing, _ = rates("paper")
    assert away < 5.0 * polishing
