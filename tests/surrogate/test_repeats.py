"""Values at one point: averaged, or gathered without loss."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import dataset, slope

from taut.base.arrays import Array
from taut.surrogate.fit import fit
from taut.surrogate.gp import condition
from taut.surrogate.hyper import Hyper
from taut.surrogate.likelihood import Standardised, integrated, plugged_in
from taut.surrogate.model import fit_surrogate
from taut.surrogate.paths import draw, fourier_features
from taut.surrogate.priors import penalty
from taut.surrogate.repeats import _first_within, gather_repeats, merge_repeats
from taut.surrogate.settings import ModelSettings
from taut.surrogate.task import More

SAME = ModelSettings().same_point


def test_repeats_are_averaged_in_order_of_first_appearance() -> None:
    X = np.array([[0.9, 0.1], [0.2, 0.3], [0.9, 0.1], [0.2, 0.3 + 1e-12], [0.9, 0.1]])
    points, y = merge_repeats(X, np.array([1.0, 10.0, 2.0, 20.0, 6.0]), SAME)
    assert points == pytest.approx(np.array([[0.9, 0.1], [0.2, 0.3]]))
    assert y == pytest.approx([3.0, 15.0])


@pytest.mark.parametrize("n", [0, 1, 5])
def test_different_points_are_left_alone(n: int) -> None:
    X, y = np.random.default_rng(1).random((n, 3)), np.arange(float(n))
    points, values = merge_repeats(X, y, SAME)
    assert points is X and values is y


@given(st.floats(0.1, 0.9), st.floats(0.0, 0.4))
def test_points_closer_than_the_limit_are_one(x: float, share: float) -> None:
    X = np.array([[x], [x + share * SAME]])
    assert len(merge_repeats(X, np.array([1.0, 2.0]), SAME)[0]) == 1


def slow_first(X: Array, distance: float) -> list[int]:
    first: list[int] = []
    for i, row in enumerate(X):
        near = [j for j in range(i + 1) if np.abs(X[j] - row).max() <= distance]
        first.append(i if near[0] == i else first[near[0]])
    return first


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_first_within_a_distance(seed: int, d: int) -> None:
    """Chains, exact repeats, and points on a lattice whose projections are close by chance."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 4, (12, d)) / 4.0
    X = places[rng.integers(0, 12, 60)] + rng.choice([0.0, 0.0, 0.6, 0.9, 1.7], (60, d)) * 1e-3
    assert _first_within(X, 1e-3).tolist() == slow_first(X, 1e-3)


def test_many_repeats_of_one_point_take_no_square_of_their_number() -> None:
    """By comparing all with all 200,000 rows would take 40 billion comparisons."""
    X = np.repeat(np.array([[0.1, 0.2], [0.7, 0.3]]), 100_000, axis=0)
    points, y, repeats = gather_repeats(X, np.arange(200_000.0), SAME)
    assert len(points) == 2 and y == pytest.approx([49_999.5, 149_999.5]) and repeats.count.tolist() == [1e5, 1e5]


def noisy(seed: int = 0) -> tuple[Array, Array]:
    """30 values at 8 places."""
    rng = np.random.default_rng(seed)
    places = rng.random((8, 2))
    X = places[np.append(np.arange(8), rng.integers(0, 8, 22))]
    return X, np.sin(4.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(30)


def test_gathered_values_have_the_same_posterior() -> None:
    X, y = noisy()
    x, mean, repeats = gather_repeats(X, y, SAME)
    hyper = Hyper(np.array([0.4, 0.6]), 1.2, 0.07, 0.1, np.inf)
    every = condition(X, y[:, None], hyper, 0.0, 1.0)
    some = condition(x, mean[:, None], hyper, 0.0, 1.0, share=repeats.share)
    at = np.random.default_rng(1).random((20, 2))
    assert len(x) == 8
    assert some.posterior(at).mean == pytest.approx(every.posterior(at).mean, abs=1e-9)
    assert some.posterior(at).var == pytest.approx(every.posterior(at).var, rel=1e-9)
    new, value = np.array([[0.3, 0.3]]), np.array([[1.0]])
    after = some.observed(new, value).posterior(at), every.observed(new, value).posterior(at)
    assert after[0].var == pytest.approx(after[1].var, rel=1e-9)
    assert some.observed(new, value).share == pytest.approx(np.append(repeats.share, 1.0))


@pytest.mark.parametrize("treatment", [integrated, plugged_in])
def test_gathered_values_have_the_same_likelihood(treatment: object) -> None:
    """Up to a constant: differences between parameters are the same, and so is the variance found."""
    X, y = noisy()
    x, mean, repeats = gather_repeats(X, y, SAME)
    data = Standardised(X, y, 3.0), Standardised(x, mean, 3.0, repeats)
    of_prior = partial(penalty, d=2, integrates=treatment is integrated, learned=True, settings=ModelSettings())
    base = np.log([0.4, 0.6] + ([] if treatment is integrated else [1.3]) + [0.05])
    rows = base + np.random.default_rng(2).normal(0.0, 0.4, (5, len(base)))
    found = [[treatment(each, row, None, of_prior) for row in rows] for each in data]  # type: ignore[operator]
    values = np.array([[value for value, *_ in each] for each in found])
    assert np.diff(values[1]) == pytest.approx(np.diff(values[0]), abs=1e-8)
    for (_, slope_all, _), (_, slope_some, _) in zip(*found, strict=True):
        assert slope_some == pytest.approx(slope_all, rel=1e-6, abs=1e-8)

    def height(at: Array) -> Array:
        return np.array([treatment(data[1], row, None, of_prior)[0] for row in at])  # type: ignore[operator]

    assert np.array([gradient for _, gradient, _ in found[1]]) == pytest.approx(slope(height, rows), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("noise", ["learned", 0.3])
def test_a_fit_of_gathered_values_is_that_of_all(noise: float | str) -> None:
    X, y = noisy(3)
    x, mean, repeats = gather_repeats(X, y, SAME)
    tight = ModelSettings(value_tolerance=1e-13, slope_tolerance=1e-7)
    every = fit(X, y, noise, tight, None)
    some = fit(x, mean, noise, tight, None, more=More(y, repeats))
    assert np.log(some.gp.hyper.l) == pytest.approx(np.log(every.gp.hyper.l), abs=1e-3)
    assert some.gp.noise == pytest.approx(every.gp.noise, rel=1e-3) and some.gp.hyper.nu == every.gp.hyper.nu
    at = np.random.default_rng(4).random((20, 2))
    assert some.gp.posterior(at).mean == pytest.approx(every.gp.posterior(at).mean, abs=2e-3)
    assert some.gp.posterior(at).var == pytest.approx(every.gp.posterior(at).var, rel=1e-2)


def test_many_noisy_values_are_gathered_and_few_are_not() -> None:
    X, y = noisy()
    given = dataset([X], [y], noise="learned")
    sizes = [len(fit_surrogate(given, ModelSettings(most_values=m), {}, {}).processes[0].X) for m in (30, 29)]
    assert sizes == [30, 8]


def test_a_fit_is_not_reused_when_only_the_scatter_has_changed() -> None:
    X, y = noisy()
    y = np.round(8.0 * y) / 8.0  # sums of such values are exact, so that the means are the same to the last bit
    both = np.vstack([X, X]), [np.append(y - s, y + s) for s in (0.125, 1.0)]
    cache: dict[str, object] = {}
    settings = ModelSettings(most_values=20)
    first, second = (
        fit_surrogate(dataset([both[0]], [each], noise="learned"), settings, {}, cache).processes[0] for each in both[1]
    )
    assert np.array_equal(first.X, second.X) and np.array_equal(first.y, second.y)
    assert second.noise > 3.0 * first.noise


def test_paths_scatter_as_the_gathered_values_do() -> None:
    X, y = noisy()
    x, mean, repeats = gather_repeats(X, y, SAME)
    hyper = Hyper(np.array([0.4, 0.6]), 1.2, 0.5, 0.1, np.inf)
    gp = condition(x, mean[:, None], hyper, 0.0, 1.0, share=repeats.share)
    rng = np.random.default_rng(5)
    paths = draw(gp, fourier_features(hyper.l, 2000, rng), 4000, rng).values(x)
    assert paths.var(axis=0) == pytest.approx(gp.posterior(x).var, rel=0.12)
