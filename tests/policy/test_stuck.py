"""The state in which look-ahead runs used to stay at a local optimum of Mystery for ever.

Six spread points, then a handful of objective values and many constraint values around the local optimum (0, 2.749). Every
unexplored place needs an outcome beyond 1.5 standard deviations to win; a rule that never looks there sees no value
anywhere but in polishing the constraint at the recommendation.
"""

import numpy as np
import pytest

from taut import bench
from taut.data import Dataset, Observation, Request
from taut.policy.base import Bench
from taut.policy.knowledge import Search
from taut.policy.settings import settings
from taut.quasirandom import latin_hypercube

TESTED = bench.problem("mystery")
LOCAL = np.array([0.0, 2.7488936 / 5.0])


def request(seed: int) -> Request:
    rng = np.random.default_rng(seed)
    spread = latin_hypercube(6, 2, rng)
    near = np.clip(LOCAL + 0.02 * rng.standard_normal((14, 2)) * 0.5 ** np.arange(14)[:, None], 0.0, 1.0)
    rows = []
    for name, points in (("f", [*spread, *near[:4]]), ("c", [*spread, *near])):
        for u in points:
            point = {"x1": 5.0 * float(u[0]), "x2": 5.0 * float(u[1])}
            rows.append(Observation(name, point, TESTED.functions[name](point)))
    return Request(TESTED.problem, Dataset.from_rows(TESTED.problem, [], rows), np.inf, {})


def rates(preset: str | None, seed: int) -> tuple[float, float]:
    """Best value per cost of a set with the objective, and of the constraint alone, over raw candidates."""
    search = Search(Bench(request(seed), settings(preset, {"raw": 256}), np.random.default_rng(0)))
    sets = {S: float(search.raw_values(S).max()) / len(S) for S in [(0,), (1,), (0, 1)]}
    return max(sets[0,], sets[0, 1]), sets[1,]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_tails_see_that_the_objective_is_worth_more_than_polishing(seed: int) -> None:
    away, polishing = rates(None, seed)
    assert away > 50.0 * polishing


def test_seven_quantiles_with_a_plugged_in_variance_are_blind() -> None:
    """What the published settings compute in the same states: the reason for the defaults."""
    blind = [rates("paper", seed) for seed in (1, 2, 3)]
    default = [rates(None, seed) for seed in (1, 2, 3)]
    assert all(mine[0] > 10.0 * paper[0] for mine, paper in zip(default, blind, strict=True))
