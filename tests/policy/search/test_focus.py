"""Where models of very many values are exact: the recommendation, the best known places, where it may be better."""

from dataclasses import replace

import numpy as np
from processes import AT_MOST_ZERO, dataset, process
from states import chosen, context, known

from taut.acquisition.utility import Utility
from taut.policy.search.focus import best_places, foci
from taut.policy.settings import FocusSettings

SETTINGS = FocusSettings()


def flat(X: np.ndarray, y: np.ndarray) -> Utility:
    """An objective and one constraint known at a few points only, long length-scales."""
    return Utility((process(X, y, length=0.8), process(X, X[:, 0] - 0.5, length=0.8)), (AT_MOST_ZERO,), -5.0)


def test_a_narrow_peak_counts_by_its_value_and_not_by_the_model() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((40, 2)) * np.array([0.4, 1.0])
    y = X[:, 1].copy()
    y[17] += 4.0  # the model, built on the first ten, does not know
    data = dataset([X, X], [y, X[:, 0] - 0.5])
    best = best_places(flat(X[:10], y[:10]), data, SETTINGS)
    assert best[0].tolist() == X[17].tolist() and len(best) <= SETTINGS.places
    noisy = dataset([X, X], [y, X[:, 0] - 0.5], noise=1.0)
    assert best_places(flat(X[:10], y[:10]), noisy, SETTINGS)[0].tolist() != X[17].tolist()


def test_a_place_known_to_be_infeasible_is_none_of_the_best_whatever_its_value() -> None:
    X = np.array([[0.2, 0.2], [0.3, 0.5], [0.9, 0.9], [0.1, 0.8], [0.4, 0.1]])
    y = np.array([1.0, 2.0, 9.0, 1.5, 0.5])
    best = best_places(flat(X, y), dataset([X, X], [y, X[:, 0] - 0.5]), SETTINGS)
    assert best[0].tolist() == [0.3, 0.5] and [0.9, 0.9] not in best[:3].tolist()


def test_where_a_function_was_not_measured_its_model_decides() -> None:
    X = np.array([[0.2, 0.2], [0.3, 0.5], [0.45, 0.9], [0.1, 0.8], [0.4, 0.1]])
    y = np.array([1.0, 2.0, 3.0, 1.5, 0.5])
    only_f = np.array([[0.95, 0.5]])  # the constraint's model forbids it
    data = dataset([np.vstack([X, only_f]), X], [np.append(y, 9.0), X[:, 0] - 0.5])
    best = best_places(flat(X, y), data, SETTINGS)
    assert best[0].tolist() == [0.45, 0.9]


def test_foci_are_the_recommendation_the_best_places_other_maxima_and_optimistic_points() -> None:
    made = context(known("test_function_2", 24))
    best = made.observed_points[:2]
    points, weights = foci(made.raw_samples, made.optimum, best, SETTINGS)
    assert np.array_equal(points[0], made.optimum.x) and np.array_equal(points[1:3], best)
    assert weights[:2].tolist() == [1.0, 1.0] and set(weights[2:].tolist()) == {SETTINGS.rival_weight}
    maxima = len(made.optimum.maxima[1 : 1 + SETTINGS.maxima])
    assert np.array_equal(points[3 : 3 + maxima], made.optimum.maxima[1 : 1 + maxima])
    assert len(points) == 3 + maxima + 2 + 3  # everything better, the objective, each of three constraints
    fewer = foci(made.raw_samples, made.optimum, best[:0], replace(SETTINGS, optimistic_constraints=1, maxima=0))[0]
    assert len(fewer) == 1 + 2 + 1


def test_a_model_of_a_selection_is_exact_around_the_recommendation() -> None:
    """All values next to the optimum are among those of every model, and both models believe the same there."""
    request = known("test_function_2", 180)
    full, some = context(request), context(replace(request, cache={}), chosen(most_values=100))
    x = full.optimum.x
    assert np.abs(some.optimum.x - x).max() < 5e-3
    for k, part in enumerate(some.selection.parts):
        assert part is not None and len(part.rows) == 100
        nearest = np.argsort(np.abs(some.dataset.X[k] - x).max(axis=1))[:8]
        assert set(nearest.tolist()) <= set(part.rows.tolist())
        one, two = (each.posteriors[k].posterior(x[None, :]) for each in (full, some))
        sd = float(np.sqrt(two.var[0]))
        assert abs(one.mean[0, 0] - two.mean[0, 0]) < 3.0 * sd and sd < 0.03 * full.posteriors[k].scale
