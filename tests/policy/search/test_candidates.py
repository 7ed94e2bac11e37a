"""Where a search begins: raw candidates, points of the inner set, and optimistic points."""

import numpy as np
import pytest
from states import chosen, context, known

from taut.acquisition.utility import EVERY_FUNCTION
from taut.policy.context import Context
from taut.policy.search.candidates import optimistic_points, points, points_at

STATES = [("mystery", 10), ("test_function_2", 12), ("spring", 14), ("welded_beam", 14)]


@pytest.fixture(scope="module", params=STATES, ids=[name for name, _ in STATES])
def made(request: pytest.FixtureRequest) -> Context:
    return context(known(*request.param))


def test_both_begin_with_the_recommendation_and_stay_in_the_cube(made: Context) -> None:
    found = points(made)
    for part in (found.raw, found.inner):
        assert np.array_equal(part[0], made.optimum.x) and part.shape[1] == made.dataset.dimension
        assert part.min() >= 0.0 and part.max() <= 1.0


def test_other_maxima_of_the_utility_are_candidates(made: Context) -> None:
    raw = {tuple(row) for row in points(made).raw}
    assert all(tuple(row) in raw for row in made.optimum.maxima[: 1 + made.settings.candidates.maxima])


def test_points_of_the_first_candidates_are_where_the_recommendation_might_move_to(made: Context) -> None:
    """Maxima of expected improvement and optimistic points are in both."""
    found = points(made)
    fixed = {tuple(row) for row in found.inner[: made.settings.inner.fixed]}
    shared = sum(tuple(row) in fixed for row in found.raw)
    assert shared >= 1 + len(made.optimum.maxima[1:6]) + 2


def test_there_are_about_as_many_as_asked_for() -> None:
    for raw, inner in ((12, 40), (90, 300)):
        found = points(context(known("mystery", 10), chosen(raw=raw, inner=inner)))
        assert raw < len(found.raw) <= raw + 40 and abs(len(found.inner) - inner) < 60


def test_some_candidates_lie_near_the_recommendation_and_some_on_the_edge(made: Context) -> None:
    raw = points(made).raw
    step = raw - made.optimum.x
    radius = np.sqrt(np.einsum("qi,ij,qj->q", step, np.linalg.inv(made.optimum.metric), step))
    assert (radius < 4.1).sum() >= made.settings.candidates.raw // 4  # type: ignore[operator]
    assert ((raw == 0.0) | (raw == 1.0)).any(axis=1).sum() >= 5


def test_where_only_some_places_are_asked_for() -> None:
    made = context(known("mystery", 10))
    maxima = np.random.default_rng(0).random((20, 2))
    found = points_at(made, maxima)
    assert np.array_equal(found.raw[1:], maxima[: len(found.raw) - 1]) and 2 < len(found.raw) < 20
    inner = {tuple(row) for row in found.inner}
    assert all(tuple(row) in inner for row in found.raw)


def test_optimistic_points_are_best_if_a_function_is_better_than_expected(made: Context) -> None:
    """For every function, and for all of them, one of the points is as good as the best raw sample, or nearly."""
    found, samples = optimistic_points(made), made.raw_samples
    assert found.min() >= 0.0 and found.max() <= 1.0
    here = made.utility.raw_samples(found)
    certainty = samples.log_pf[:, int(np.argmax(samples.log_value))]
    least = np.argsort(certainty, kind="stable")[: made.settings.candidates.optimistic_constraints]
    for k in (EVERY_FUNCTION, 0, *(1 + int(i) for i in least)):
        assert here.log_optimistic(k).max() >= samples.log_optimistic(k).max() - 0.5


def test_climbing_to_optimistic_points_gains() -> None:
    request = known("welded_beam", 14)
    best = []
    for climb in (False, True):
        made = context(request, chosen(knobs={"candidates": {"optimistic_climb": climb}}))
        found = made.utility.raw_samples(optimistic_points(made))
        best.append([found.log_optimistic(k).max() for k in (EVERY_FUNCTION, 0, 1)])
    assert np.array(best[1]) == pytest.approx(np.maximum(*best), abs=0.1) and sum(best[1]) > sum(best[0])
