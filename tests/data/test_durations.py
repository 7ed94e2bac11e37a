"""The model of log time: exact where times are, sensible where there are few, and a slow twin of its regression."""

import numpy as np
import pytest

from taut.data.durations import DURATIONS, Curve, Times, _regression, curves


def times(x: np.ndarray, seconds: np.ndarray, failed: np.ndarray | None = None) -> Times:
    return Times(x, seconds, np.zeros(len(x), dtype=bool) if failed is None else failed)


def none(d: int = 2) -> Times:
    return times(np.empty((0, d)), np.empty(0))


def test_before_anything_is_measured_everything_takes_a_second() -> None:
    found = curves({"f": none(), "c": none()}, 2)
    assert all(each.level == 0.5 * DURATIONS.scatter**2 and not each.slope.any() for each in found.values())


def test_a_line_is_found() -> None:
    rng = np.random.default_rng(0)
    x, slope = rng.random((40, 2)), np.array([4.6, -1.0])
    found = curves({"f": times(x, 30.0 * np.exp((x - 0.5) @ slope))}, 2)["f"]
    assert found.slope == pytest.approx(slope, abs=0.02)
    assert found.log(x) == pytest.approx(np.log(30.0) + (x - 0.5) @ slope, abs=0.02)
    assert found.bend == pytest.approx([0.0, 0.0], abs=0.1)


def test_a_bowl_is_found() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((40, 2))
    truth = 3.0 + 4.0 * ((x - [0.2, 0.9]) ** 2).sum(axis=1)
    found = curves({"f": times(x, np.exp(truth))}, 2)["f"]
    assert found.log(x) == pytest.approx(truth, abs=0.05)
    step = 1e-6
    for i, unit in enumerate(np.eye(2)):
        slope = (found.log(x + step * unit) - found.log(x - step * unit)) / (2.0 * step)
        assert found.gradient(x)[:, i] == pytest.approx(slope, abs=1e-6)


def test_the_expected_cost_is_the_mean_of_the_times() -> None:
    rng = np.random.default_rng(1)
    x = rng.random((4000, 2))
    seconds = np.exp(0.8 * rng.standard_normal(4000))
    found = curves({"f": times(x, seconds)}, 2)["f"]
    assert np.exp(found.log(x)).mean() == pytest.approx(seconds.mean(), rel=0.03)


def test_what_others_take_is_the_prior() -> None:
    rng = np.random.default_rng(2)
    x = rng.random((30, 2))
    known = times(x, 100.0 * np.exp(3.0 * (x[:, 0] - 0.5)))
    found = curves({"f": known, "c": none(), "g": times(x[:1], np.array([5.0]))}, 2)
    assert found["c"].slope == pytest.approx([3.0, 0.0], abs=0.1)
    assert found["g"].slope == pytest.approx([3.0, 0.0], abs=0.4)
    expected = np.log(5.0)
    assert found["g"].log(x[:1])[0] == pytest.approx(expected, abs=0.1)
    assert np.log(5.0) < found["c"].level < np.log(110.0)


def test_failures_cost_what_they_take() -> None:
    """Half of them end a hundred times as fast: the expected cost is the mean of all."""
    rng = np.random.default_rng(3)
    x = rng.random((400, 1))
    failed = np.arange(400) % 2 == 0
    found = curves({"f": times(x, np.where(failed, 1.0, 100.0), failed)}, 1)["f"]
    assert np.exp(found.log(x)).mean() == pytest.approx(50.5, rel=0.02)


def test_tiny_and_huge_times_are_numbers() -> None:
    found = curves({"f": times(np.array([[0.0], [1.0]]), np.array([0.0, 1e150]))}, 1)["f"]
    assert np.isfinite(found.level) and np.isfinite(found.slope).all()


def test_regression_is_the_posterior_mean() -> None:
    """The slow twin: prior and data as rows of one least-squares problem, at the scatter it ends with."""
    rng = np.random.default_rng(4)
    columns, y = rng.standard_normal((12, 3)), rng.standard_normal(12)
    prior, sd = np.array([0.3, -0.2, 0.0]), np.array([2.0, 0.5, 1.0])
    scatter = DURATIONS.scatter**2
    for _ in range(DURATIONS.rounds):
        A = np.vstack([columns / np.sqrt(scatter), np.diag(1.0 / sd)])
        b = np.concatenate([y / np.sqrt(scatter), prior / sd])
        slow = np.linalg.lstsq(A, b)[0]
        squares = float(((y - columns @ slow) ** 2).sum())
        scatter = (DURATIONS.scatter_weight * DURATIONS.scatter**2 + squares) / (DURATIONS.scatter_weight + 12)
    weights, found = _regression(columns, y, prior, sd, DURATIONS)
    assert weights == pytest.approx(slow, abs=1e-9)
    assert found == pytest.approx(scatter)


def test_nothing_is_beyond_the_reach() -> None:
    curve = Curve(1.0, np.array([2.0, -3.0]), np.array([1.0, -4.0]))
    x = np.random.default_rng(5).random((1000, 2))
    assert (np.abs(curve.log(x) - 1.0) <= curve.reach).all()
    assert curve.log(np.array([[1.0, 1.0]]))[0] == pytest.approx(1.0 + 1.0 - 1.5 + 0.25 - 1.0)
