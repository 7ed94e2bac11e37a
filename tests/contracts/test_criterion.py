"""What every criterion of a set search promises, driven by one suite: a new one joins by a line in CRITERIA."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from processes import AT_MOST_ZERO, problem, slope
from regions import model
from states import believing, chosen

from taut.acquisition.entropy import Entropy
from taut.acquisition.feasibility import Bounds
from taut.acquisition.maxvalue import MaxValue
from taut.acquisition.propagation import condition
from taut.policy.context import Context
from taut.policy.menu import Set
from taut.policy.search.candidates import points
from taut.policy.search.criterion_search import InformationCriterion
from taut.policy.search.finalists import FirstLook
from taut.policy.search.path_optima import optima
from taut.policy.search.sets import SetCriterion
from taut.policy.settings import PathSettings
from taut.surrogate.success import Successes

MADE = chosen(inner=48, raw=16, search_raw=96, search_starts=6)


def with_failures(made: Context) -> Context:
    """The objective and the first constraint fail together, the second somewhere else; never where they have values."""
    X, rng = made.dataset.X, np.random.default_rng(7)
    one, two = np.array([[0.9, 0.1], [0.75, 0.3]]), rng.random((3, 2)) * [1.0, 0.1]
    vars(made)["successes"] = Successes((model(np.vstack(X[:2]), one), model(X[2], two)), (0, 0, 1), 2.0)
    return made


BELIEFS: dict[str, Callable[[], Context]] = {
    "two constraints": lambda: believing(problem(1, 2, 2, nu=5.0), AT_MOST_ZERO, MADE),
    "two-sided": lambda: believing(problem(3, 2, 2), Bounds(-1.5, 0.6), MADE),
    "no constraint": lambda: believing(problem(4, 2, 0), AT_MOST_ZERO, MADE),
    "failures": lambda: with_failures(believing(problem(1, 2, 2, nu=5.0), AT_MOST_ZERO, MADE)),
    "three parameters": lambda: believing(problem(5, 3, 3), AT_MOST_ZERO, MADE),
}


def pesc(made: Context) -> SetCriterion:
    found = optima(made.posteriors, made.bounds, made.starts, PathSettings(paths=4), np.random.default_rng(2))
    given = condition(made.posteriors, made.bounds, found.x[found.found], made.observed_points)
    return InformationCriterion(Entropy(made.posteriors, made.bounds, given), len(made.names), made.successes)


def cmes(made: Context) -> SetCriterion:
    found = optima(
        made.posteriors, made.bounds, made.starts, PathSettings(paths=4, redraws=0), np.random.default_rng(2)
    )
    return InformationCriterion(MaxValue(made.posteriors, made.bounds, found.value), len(made.names), made.successes)


CRITERIA: dict[str, Callable[[Context], SetCriterion]] = {
    "kg": lambda made: FirstLook(made, points(made)).criterion,
    "kg, what ascents climb": lambda made: FirstLook(made, points(made)).narrow(),
    "pesc": pesc,
    "cmes": cmes,
}


@pytest.fixture(scope="module", params=BELIEFS)
def made(request: pytest.FixtureRequest) -> Context:
    return BELIEFS[request.param]()


@pytest.fixture(scope="module", params=CRITERIA)
def criterion(request: pytest.FixtureRequest, made: Context) -> SetCriterion:
    return CRITERIA[request.param](made)


@pytest.fixture
def sets(made: Context) -> list[Set]:
    """Every function, every pair and all of them."""
    everything = made.menu.everything
    return sorted({*combinations(everything, 1), *combinations(everything, 2), everything})


@pytest.fixture
def x(made: Context) -> np.ndarray:
    """Points inside the cube, three a set at least."""
    return 0.05 + 0.9 * np.random.default_rng(6).random((24, made.dataset.dimension))


def test_no_value_is_negative_or_undefined(criterion: SetCriterion, made: Context, sets: list[Set]) -> None:
    """At known points, at corners and anywhere."""
    d = made.dataset.dimension
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * d), axis=-1).reshape(-1, d)
    at = criterion.at(np.vstack([made.observed_points, corners, made.optimum.x, made.raw[:40]]))
    for S in sets:
        value = criterion.value(at, S)
        assert np.isfinite(value).all() and value.min() >= 0.0
    assert criterion.value(at, made.menu.everything).max() > 0.0


def test_gradients_are_those_of_differences(criterion: SetCriterion, sets: list[Set], x: np.ndarray) -> None:
    for S in sets:
        groups = [(S, np.arange(len(x)))]
        value, gradient = criterion.values_with_gradient(x, groups)
        expected = slope(lambda u, g=groups: criterion.values_with_gradient(u, g)[0], x, h=1e-6)  # type: ignore[misc]
        size = np.abs(expected).max(axis=1)
        # Where the winner of a scenario changes within the difference the value has a kink.
        wrong = np.abs(gradient - expected).max(axis=1) > 1e-3 * size + 1e-5 * np.abs(expected).max() + 1e-12
        assert wrong.sum() <= 1, (S, np.flatnonzero(wrong))
        assert gradient.shape == x.shape and value.shape == (len(x),)


def grouped(sets: list[Set], count: int) -> list[tuple[Set, np.ndarray]]:
    """The rows dealt out to the sets, one by one."""
    return [(S, np.arange(i, count, len(sets))) for i, S in enumerate(sets)]


def test_a_row_is_worth_what_its_set_is_worth_there(criterion: SetCriterion, sets: list[Set], x: np.ndarray) -> None:
    at = criterion.at(x)
    value, _ = criterion.values_with_gradient(x, grouped(sets, len(x)))
    for S, rows in grouped(sets, len(x)):
        expected = criterion.value(at, S)
        assert value[rows] == pytest.approx(expected[rows], rel=1e-9, abs=1e-12 * max(float(expected.max()), 1e-300))


def test_rows_of_one_call_do_not_influence_each_other(criterion: SetCriterion, sets: list[Set], x: np.ndarray) -> None:
    value, gradient = criterion.values_with_gradient(x, grouped(sets, len(x)))
    for S, rows in grouped(sets, len(x)):
        for i in rows[:2]:
            alone, slopes = criterion.values_with_gradient(x[[i]], [(S, np.zeros(1, dtype=np.intp))])
            assert alone[0] == pytest.approx(value[i], rel=1e-8, abs=1e-14 * float(value.max()))
            assert slopes[0] == pytest.approx(gradient[i], rel=1e-6, abs=1e-9 * float(np.abs(gradient).max()))
            there = criterion.value(criterion.at(x[[i]]), S)
            assert there[0] == pytest.approx(value[i], rel=1e-8, abs=1e-12 * float(value.max()))


def test_the_order_in_which_sets_are_asked_changes_nothing(
    criterion: SetCriterion, sets: list[Set], x: np.ndarray
) -> None:
    at = criterion.at(x)
    forward = {S: criterion.value(at, S) for S in sets}
    backward = {S: criterion.value(at, S) for S in reversed(sets)}
    for S in sets:
        assert np.array_equal(forward[S], backward[S])


def test_what_is_known_tells_nothing(criterion: SetCriterion, made: Context) -> None:
    """At a place where a function has been evaluated without noise, compared with the best place."""
    for k in made.menu.everything:
        there = criterion.value(criterion.at(made.dataset.X[k]), (k,))
        best = criterion.value(criterion.at(made.raw[:60]), (k,)).max()
        assert there.max() <= 0.02 * best + 1e-9
