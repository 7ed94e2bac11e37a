"""A constraint as a ratio to its limit: when it is tried, how it is judged, and that it is kept between choices."""

from dataclasses import replace

import numpy as np
import pytest
from processes import dataset

import taut
from taut.base.quasirandom import sobol
from taut.data.bend import Bend
from taut.data.dataset import Dataset, FunctionView
from taut.data.honesty import PREDICTED
from taut.surrogate.model import fit_surrogate
from taut.surrogate.ratio import extremes, limits, near, ratios
from taut.surrogate.scale import STRAIGHT
from taut.surrogate.settings import ModelSettings

SETTINGS = ModelSettings()
X = sobol(24, 4, np.random.default_rng(0))
SIZES = SETTINGS.ratio_sizes


def product(x: np.ndarray) -> np.ndarray:
    value: np.ndarray = (0.1 + 4.0 * x).prod(axis=1)
    return value


def view(sign: float = 1.0, shift: float = 3.0, lower: float = -np.inf, upper: float = 0.0) -> FunctionView:
    return FunctionView("c1", 1.0, lower, upper, None, False, 1.0, sign, shift)


def constrained(value: np.ndarray, sign: float = 1.0, limit: float = 3.0, x: np.ndarray = X) -> Dataset:
    """With one constraint, value <= limit, or >= where the sign is -1."""
    made = dataset([x, x], [x.sum(axis=1), sign * (value - limit)])
    return replace(made, functions=(made.functions[0], view(sign, limit)))


def test_ratios_are_tried_where_all_values_and_the_limit_have_one_sign() -> None:
    y = np.array([0.0, 0.2, 1.0, 50.0]) - 3.0
    assert ratios(y, view(), SETTINGS) == tuple(Bend(-3.0, 3.0 * q, True) for q in SIZES)
    assert ratios(-y, view(-1.0), SETTINGS) == tuple(Bend(3.0, 3.0 * q, False) for q in SIZES)
    band = view(1.0, 6.0, -5.0, 5.0)  # 1 <= value <= 11
    assert ratios(y - 3.0, band, SETTINGS) == tuple(Bend(-6.0, q, True) for q in SIZES)


def test_ratios_are_not_tried_elsewhere() -> None:
    y = np.array([0.1, 0.2, 1.0, 50.0])
    assert ratios(y, view(shift=0.0), SETTINGS) == ()  # no limit to be a ratio of
    assert ratios(np.array([-1.0, 0.2, 1.0, 50.0]) - 3.0, view(), SETTINGS) == ()  # a value of the other sign
    assert ratios(y + 3.0, view(shift=-3.0), SETTINGS) == ()  # a limit of the other sign
    assert ratios(y, view(1.0, 0.0, -5.0, 5.0), SETTINGS) == ()  # limits of both signs
    assert ratios(np.array([2.0, 3.0, 4.0, 5.0]) - 3.0, view(), SETTINGS) == ()  # hardly any range
    assert ratios(y[:3] - 3.0, view(), SETTINGS) == ()  # too few


@pytest.mark.parametrize("upper, lower", [(0.0, -np.inf), (0.4, -0.4), (9.0, -np.inf)])
def test_near_are_the_values_with_the_fewest_others_before_the_limit(upper: float, lower: float) -> None:
    y = np.random.default_rng(2).standard_normal(11)
    here = view(lower=lower, upper=upper)

    def between(value: float) -> int:
        return min(int(np.sum((y > min(value, b)) & (y < max(value, b)))) for b in limits(here))

    found = near(y, here)
    apart = [between(value) for value in y]
    assert len(set(found)) == 5 and max(apart[i] for i in found) <= sorted(apart)[4]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_product_is_modelled_as_a_ratio_and_kept(sign: float) -> None:
    data = constrained(product(X), sign)
    found = fit_surrogate(data, SETTINGS, {}, {})
    bend = found.bends[1]
    assert bend.size and bend.pivot == -3.0 * sign and bend.rising is (sign > 0.0) and found.warps[1] == 0.0
    assert found.memory["c1"]["bend"] == (0.0, bend.size, bend.rising)  # from the user's 0
    assert found.processes[1].y.ravel() == pytest.approx(bend.of(data.y[1]))
    again = fit_surrogate(data, SETTINGS, found.memory, {})
    assert again.bends == found.bends and np.array_equal(again.processes[1].alpha, found.processes[1].alpha)
    more = sobol(25, 4, np.random.default_rng(0))  # one more value: nothing is decided
    assert fit_surrogate(constrained(product(more), sign, x=more), SETTINGS, found.memory, {}).bends[1] == bend
    assert not fit_surrogate(data, replace(SETTINGS, warp=False), {}, {}).bends[1].size


def test_scales_are_each_others_inverse_and_keep_the_limit() -> None:
    data = constrained(product(X))
    found = fit_surrogate(data, SETTINGS, {}, {})
    y, h = data.y[1], 1e-6
    w = found.scaled(1, y)
    assert found.unscaled(1, w) == pytest.approx(y)
    assert np.array_equal(w <= found.scaled(1, np.zeros(1)), y <= 0.0)
    assert found.slope(1, y) == pytest.approx((found.scaled(1, y + h) - found.scaled(1, y - h)) / (2.0 * h), rel=1e-4)
    assert found.on_scales(data).y[1] == pytest.approx(w) and found.on_scales(data).y[0] == pytest.approx(data.y[0])


def test_a_bowl_is_left_alone() -> None:
    """Positive and over orders of magnitude, and yet smooth on the straight scale."""
    x = X[:, :2]
    data = constrained(40.0 * ((x - 0.5) ** 2).sum(axis=1), limit=5.0, x=x)
    assert ratios(data.y[1], data.functions[1], SETTINGS)
    assert fit_surrogate(data, SETTINGS, {}, {}).bends[1] == STRAIGHT


def test_a_value_of_the_other_sign_is_allowed() -> None:
    found = fit_surrogate(constrained(product(X)), SETTINGS, {}, {})
    value = product(X)
    value[-1] = -1.0
    data = constrained(value)
    after = fit_surrogate(data, SETTINGS, found.memory, {})
    assert after.bends == found.bends and after.unscaled(1, after.scaled(1, data.y[1])) == pytest.approx(data.y[1])


def test_a_question_with_another_limit_keeps_the_scale() -> None:
    found = fit_surrogate(constrained(product(X)), SETTINGS, {}, {})
    moved = fit_surrogate(constrained(product(X), limit=3.5), SETTINGS, found.memory, {})
    assert moved.bends[1] == found.bends[1]._replace(pivot=-3.5)
    assert moved.processes[1].y == pytest.approx(found.processes[1].y)


def test_values_that_crowd_at_one_end_are_seen_from_there() -> None:
    y = np.array([1.0, *np.linspace(1.1, 1.9, 16), 90.0]) - 1.5
    middle, low = extremes(y, STRAIGHT, SETTINGS)
    assert (middle.pivot, middle.rising) == (-0.5, True) == (low.pivot, low.rising)
    size = np.median(y[1:] + 0.5)
    assert middle.size == pytest.approx(size) and low.size == pytest.approx(np.sqrt(0.1 * size))
    assert extremes(y[3:], STRAIGHT, SETTINGS) == ()  # too few
    assert extremes(-y, STRAIGHT, SETTINGS)[0] == Bend(0.5, middle.size, False)
    assert extremes(y, Bend(-0.55, 0.5, True), SETTINGS)[0] == Bend(-0.55, 0.5, True)  # almost the same
    assert extremes(np.linspace(-1.0, 1.0, 20), STRAIGHT, SETTINGS) == () == extremes(np.zeros(20), STRAIGHT, SETTINGS)


def test_a_product_with_a_limit_of_zero_is_seen_from_its_end() -> None:
    data = constrained(product(X) - 3.0, limit=0.0)
    bend = fit_surrogate(data, SETTINGS, {}, {}).bends[1]
    assert bend.rising and bend.pivot == data.y[1].min()


def test_a_study_keeps_its_predictions_on_that_scale_and_can_be_computed_again() -> None:
    x, y = taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)
    problem = taut.Problem([x, y], taut.Objective("f"), [taut.Constraint("s", at_most=25.0)])
    study = taut.Study(problem, seed=1, initial=14)
    for _ in range(16):
        asked = study.ask()
        a, b = asked.point["x"], asked.point["y"]
        value = {"f": a + b, "s": 3.0 * np.exp(5.0 * a * b + 1.5 * np.sin(4.0 * a))}
        study.tell(asked, {name: float(value[name]) for name in asked.functions})
    last = [each for each in study.suggestions if "s" in each.memory.get(PREDICTED, {})][-1]
    assert len(last.memory[PREDICTED]["s"]) == 9 and last.memory[PREDICTED]["s"][6] == -25.0
    assert study.replay(last.number) == last
    assert all(row.worst is None or row.worst < 10.0 for row in study.check())
