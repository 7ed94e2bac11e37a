"""A state in which look-ahead runs stay at a local optimum of Mystery for ever, recorded with the published settings.

Six spread points, then six more objective values and fourteen constraint values, most of them around the local optimum
(0, 2.749). Every unexplored place needs an outcome beyond 1.5 standard deviations to win; a rule that never looks there
sees no value anywhere but in polishing the constraint at the recommendation.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from taut import bench
from taut.data.dataset import Dataset, Request
from taut.data.rows import Observation
from taut.policy.context import Decision
from taut.policy.search.sets import Search
from taut.policy.settings import settings

TESTED = bench.problem("mystery")
PLACES = json.loads((Path(__file__).parent / "stuck_state.json").read_text())


def request() -> Request:
    rows = [
        Observation(name, point, TESTED.functions[name](point))
        for name in ("f", "c")
        for point in ({"x1": x1, "x2": x2} for x1, x2 in PLACES[name])
    ]
    return Request(TESTED.problem, Dataset.from_rows(TESTED.problem, [], rows), np.inf, {})


def rates(preset: str | None) -> tuple[float, float, Decision]:
    """Best value per cost of a set with the objective, and of the constraint alone, over raw candidates."""
    decision = Decision(request(), settings(preset, {"raw": 256}), np.random.default_rng(0))
    search = Search(decision)
    best = {S: float(search.raw_values(S).max()) / len(S) for S in [(0,), (1,), (0, 1)]}
    return max(best[0,], best[0, 1]), best[1,], decision


def test_the_tails_see_that_the_objective_is_worth_more_than_polishing() -> None:
    away, polishing, decision = rates(None)
    assert decision.optimum.x == pytest.approx([0.0, 0.55], abs=0.01)
    assert away > 50.0 * polishing


def test_the_published_settings_are_blind_in_the_same_state() -> None:
    """The reason for the defaults: seven quantiles and a plugged-in variance see nothing away from the optimum."""
    away, polishing, _ = rates("paper")
    assert away < 5.0 * polishing
