"""Expected roughness against brute force, and what it does as values crowd."""

import numpy as np
import pytest

from taut.surrogate.likelihood import Standardised, integrated
from taut.surrogate.roughness import coarse_shares, exact_ratio, expected_ratio, ratio_penalty, rival_starts
from taut.surrogate.settings import ModelSettings

SETTINGS = ModelSettings()
L = np.array([0.4])


def data(n: int, rough: float = 0.0, width: float = 1.0) -> Standardised:
    X = 0.5 + width * (np.random.default_rng(1).random((n, 1)) - 0.5)
    y = np.sin(5.0 * X[:, 0]) + rough * np.random.default_rng(2).standard_normal(n)
    return Standardised(X, (y - y.mean()) / y.std(), 3.0)


def test_the_expected_ratio_is_the_mean_of_its_posterior() -> None:
    known = data(9, 0.05)
    ratios = [SETTINGS.exact_rho, *SETTINGS.rough_grid]
    free = lambda theta: (0.0, np.zeros_like(theta))  # noqa: E731
    nll = np.array([integrated(known, np.log(L), ratio, free)[0] for ratio in ratios])
    weight = np.exp(-nll) * np.array(ratios) ** -SETTINGS.rough_open
    assert expected_ratio(known, L, SETTINGS) == pytest.approx(weight @ ratios / weight.sum(), rel=1e-9)


def test_it_falls_as_exact_values_crowd() -> None:
    found = [expected_ratio(data(n), L, SETTINGS) for n in (5, 10, 20, 40)]
    assert found[0] > 1e-6 and found[-1] < 1e-9 and sorted(found, reverse=True) == found


@pytest.mark.parametrize("rough", [1e-3, 1e-2, 0.1])
def test_it_is_the_size_of_the_rough_part(rough: float) -> None:
    known = data(60, rough)
    share = float(np.sqrt(expected_ratio(known, L, SETTINGS)))
    assert 0.3 * rough < share < 3.0 * rough  # of the signal, which is as large as the values within a factor of two


def test_what_looks_exact_is_taken_as_more_exact_than_a_search_can_tell() -> None:
    assert exact_ratio(SETTINGS.rho, SETTINGS) == SETTINGS.exact_rho < SETTINGS.rho
    assert exact_ratio(1e-7, SETTINGS) == 1e-7
    given = ModelSettings(rho=1e-6)  # said by the user: kept
    assert exact_ratio(1e-6, given) == 1e-6
    assert expected_ratio(data(40, 0.0, 0.1), L, given) >= 1e-6


def test_few_values_say_nothing() -> None:
    assert expected_ratio(data(3), L, SETTINGS) == 0.0


def test_the_penalty_grows_with_the_ratio() -> None:
    assert ratio_penalty(float(np.log(SETTINGS.rho)), SETTINGS) == 0.0
    assert ratio_penalty(0.0, SETTINGS) == pytest.approx(-0.1 * np.log(1e-12))


def test_a_rival_explains_roughness_that_short_length_scales_took_for_signal() -> None:
    known, short = data(60, 0.1), np.log([0.02])
    height, start = rival_starts(known, np.append(short, np.log(1e-12)), (short, np.log(L)), [0.0, 0.0], SETTINGS)
    assert np.exp(start[0]) == pytest.approx(0.4) and np.exp(start[1]) >= 0.9e-3
    free = lambda theta: (0.0, np.zeros_like(theta))  # noqa: E731
    assert height < integrated(known, short, 1e-12, free)[0]


def test_only_what_is_coarser_than_the_roughness_has_a_share_of_its_own() -> None:
    rounded = np.array([0.5, 2.0, 8.0])
    assert coarse_shares(rounded, 2.0, 1.0) == pytest.approx([1.0, 1.0, 4.0])
    assert coarse_shares(rounded, 2.0, 4.0) is None
