"""The scale of the objective: what is tried, how it is judged, and that it is kept between choices."""

from dataclasses import replace

import numpy as np
import pytest
from processes import dataset, process
from scipy import stats

from taut.base.quasirandom import sobol
from taut.data.bend import Bend
from taut.data.dataset import Dataset
from taut.data.moderate import moderated
from taut.surrogate.fit import fit
from taut.surrogate.gp import condition
from taut.surrogate.model import fit_surrogate
from taut.surrogate.scale import STRAIGHT, choice, considered, declared, due, left_out, likeliest, pinned
from taut.surrogate.settings import ModelSettings

SETTINGS = ModelSettings()
X = sobol(24, 2, np.random.default_rng(0))


def decades(x: np.ndarray) -> np.ndarray:
    """Positive, over six orders of magnitude, and smooth on the scale of its logarithm."""
    a, b = x.T
    return np.exp(14.0 * ((a - 0.6) ** 2 + 0.8 * (b - 0.4) ** 2) + np.sin(5.0 * a * b))


def bowl(x: np.ndarray) -> np.ndarray:
    a, b = x.T
    return 50.0 * (a - 0.55) ** 4 + 80.0 * (b - 0.45) ** 4 + (a - b) ** 2 - 1.0


def objective(y: np.ndarray, scale: str | None = None, x: np.ndarray = X) -> Dataset:
    made = dataset([x], [y])
    return replace(made, functions=(replace(made.functions[0], scale=scale),))  # type: ignore[arg-type]


@pytest.mark.parametrize("nu", [np.inf, 9.0])
def test_what_is_left_out_is_predicted_by_the_others(nu: float) -> None:
    gp = process(X[:9], bowl(X[:9]), nu=nu)
    for i, density in enumerate(left_out(gp)):
        rest = np.arange(len(gp.X)) != i
        other = condition(gp.X[rest], gp.y[rest], gp.hyper, gp.offset, gp.scale)
        there = other.posterior(gp.X[i : i + 1])
        sd = float(np.sqrt(there.var[0] + other.amplitude * other.hyper.rho))
        z = float(gp.y[i, 0] - there.mean[0, 0]) / sd
        slow = stats.norm.logpdf(z) if np.isinf(nu) else stats.t.logpdf(z, nu)
        assert density == pytest.approx(slow - np.log(sd), abs=1e-5)


def test_a_function_that_is_smooth_on_the_scale_of_its_logarithm_is_modelled_there() -> None:
    found = fit_surrogate(objective(-decades(X)), SETTINGS, {}, {})
    assert found.bend == Bend(-decades(X).min(), decades(X).min())
    assert found.memory["f"]["bend"] == pytest.approx([*found.bend])
    assert found.processes[0].y.ravel() == pytest.approx(found.bend.of(-decades(X)))
    assert fit_surrogate(objective(-decades(X), "linear"), SETTINGS, {}, {}).bend == STRAIGHT
    assert fit_surrogate(objective(-decades(X)), replace(SETTINGS, warp=False), {}, {}).bend == STRAIGHT


def test_the_straight_scale_stays_where_it_predicts_the_better_half_well() -> None:
    """The logarithm has the larger evidence over all values, and would be chosen by it."""
    x = sobol(40, 2, np.random.default_rng(3))
    y = -bowl(x)
    tried = considered(y, STRAIGHT, SETTINGS)
    assert tried
    fits = [(fit(x, bend.of(y), None, SETTINGS, None), bend) for bend in (STRAIGHT, *tried)]
    assert choice(fits, y, SETTINGS) == 0 and likeliest(fits, y) > 0


def test_even_values_are_left_alone() -> None:
    assert considered(np.linspace(-9.0, -1.0, 20), STRAIGHT, SETTINGS) == ()
    assert considered(np.full(9, 2.0), STRAIGHT, SETTINGS) == () == declared(np.full(9, 2.0))
    assert considered(-decades(X)[:5], STRAIGHT, SETTINGS) == ()


def test_a_declared_logarithm_is_that_of_values_with_one_sign() -> None:
    assert declared(np.array([-8.0, -2.0])) == (Bend(-2.0, 2.0),)
    assert declared(np.array([8.0, 2.0])) == (Bend(2.0, 2.0, True),)
    assert {bend.pivot for bend in declared(np.array([8.0, -2.0, -1000.0]))} == {8.0}


def test_the_asymptote_is_kept_while_the_best_value_moves() -> None:
    y = np.array([-900.0, -30.0, -4.0])
    old = Bend(-4.0, 4.0)
    new = pinned(old, np.append(y, -1.0))
    assert new == Bend(-1.0, 1.0)
    assert np.diff(new.of(y)) == pytest.approx(np.diff(old.of(y)))
    assert pinned(old, np.append(y, 0.5)) == STRAIGHT  # beyond the asymptote there is no logarithm


def test_it_is_decided_at_every_value_at_first_and_then_at_tenths() -> None:
    assert [n for n in range(6, 31) if due(n, max(n - 1, 1), SETTINGS)] == [6, 7, 8, 9, 10, 11, 12]
    assert not due(21, 20, SETTINGS) and due(22, 20, SETTINGS)


def test_between_choices_the_scale_is_that_of_the_memory() -> None:
    first = fit_surrogate(objective(-decades(X[:20]), x=X[:20]), SETTINGS, {}, {})
    second = fit_surrogate(objective(-decades(X[:21]), x=X[:21]), SETTINGS, first.memory, {})
    assert first.memory["f"]["decided"] == second.memory["f"]["decided"] == 20
    assert second.bend == pinned(first.bend, -decades(X[:21])) and second.bend.size
    third = fit_surrogate(objective(-decades(X[:22]), x=X[:22]), SETTINGS, second.memory, {})
    assert third.memory["f"]["decided"] == 22


def test_a_value_beyond_the_asymptote_leads_to_another_choice() -> None:
    memory = fit_surrogate(objective(-decades(X), "log"), SETTINGS, {}, {}).memory
    y = np.append(-decades(X), 2.0)
    x = np.vstack([X, [[0.6, 0.41]]])
    found = fit_surrogate(objective(y, "log", x), SETTINGS, memory, {})
    assert found.bend.size and found.bend.pivot == 2.0


def test_extreme_units_change_nothing() -> None:
    plain = fit_surrogate(objective(-decades(X)), SETTINGS, {}, {})
    tiny = fit_surrogate(moderated(objective(-decades(X) * 2.0**-200)), SETTINGS, {}, {})
    assert tiny.memory["f"]["bend"][:2] == pytest.approx(np.array(plain.bend[:2]) * 2.0**-200)
    assert np.ravel(tiny.processes[0].y) == pytest.approx(plain.processes[0].y.ravel())
