"""Known constraints of a problem on the unit cube."""

import numpy as np
import pytest

import taut
from taut.problem.limits import KnownLimits


def problem() -> taut.Problem:
    return taut.Problem(
        [taut.Real("w", 1.0, 9.0), taut.Real("h", 0.1, 9.0, log=True)],
        taut.Objective("m", formula="w * sqrt(h - 0.2)"),
        [
            taut.Constraint("s", at_most=10.0),
            taut.Constraint("slim", at_most=2.0, formula="h / w"),
            taut.Constraint("area", at_least=3.0, at_most=20.0, formula="w * h"),
        ],
    )


def test_sides_have_the_sign_of_the_margin_and_exact_gradients() -> None:
    limits, x, h = KnownLimits(problem()), np.random.default_rng(0).random((30, 2)), 1e-6
    g, A = limits.values_with_gradient(x)
    assert g.shape == (30, 4) == (30, limits.count) and A.shape == (30, 4, 2)
    np.testing.assert_array_equal(g, limits.values(x))
    w, high = 1.0 + 8.0 * x[:, 0], 0.1 * 90.0 ** x[:, 1]
    margins = np.stack([high / w - 2.0, w * high - 20.0, 3.0 - w * high], axis=1)
    np.testing.assert_array_equal(np.sign(g[:, :3]), np.sign(margins))
    assert (0.05 < np.abs(g[:, :3]).mean(axis=0)).all() and (np.abs(g[:, :3]).mean(axis=0) < 20.0).all()
    for i in range(2):
        step = h * np.eye(2)[i]
        slope = (limits.values(x + step)[:, :3] - limits.values(x - step)[:, :3]) / (2 * h)
        np.testing.assert_allclose(A[:, :3, i], slope, rtol=1e-4, atol=1e-6)


def test_parameters_are_converted_once_for_all_and_it_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    limits, x = KnownLimits(problem()), np.random.default_rng(2).random((20, 2))
    g, A = limits.values_with_gradient(x)
    alone = [each.with_gradient(x) for each in limits.known]
    side = next(j for j, each in enumerate(limits._sides) if limits.known[each.known].name == "slim")
    value, gradient = next(pair for each, pair in zip(limits.known, alone, strict=True) if each.name == "slim")
    np.testing.assert_array_equal(g[:, side], (value - 2.0) / limits._scales[side])
    np.testing.assert_array_equal(A[:, side], 1.0 / limits._scales[side] * gradient)
    calls = []
    whole = taut.Real.values_at
    monkeypatch.setattr(taut.Real, "values_at", lambda self, u: calls.append(self.name) or whole(self, u))
    limits.values(x)
    assert sorted(calls) == ["h", "w"]


def test_where_the_objective_cannot_be_computed_nothing_is_allowed() -> None:
    limits = KnownLimits(problem())
    low = np.array([[0.9, 0.05]])  # h = 0.125
    assert limits.values(low)[0, -1] == np.inf and not limits.holds(low[0])
    assert "m" in limits.broken(low[0])
    assert any("cannot be computed" in each for each in limits.troubles({"w": 8.0, "h": 0.125}))


def test_limits_hold_to_the_last_bit() -> None:
    declared = taut.Problem(
        [taut.Real("a", 0.0, 8.0), taut.Real("b", 0.5, 1.0)],
        taut.Objective("f"),
        [taut.Constraint("ratio", at_least=5.0, formula="a / b")],
    )
    limits = KnownLimits(declared)
    x = np.array([3.5 / 8.0, (0.7 - 0.5) / 0.5])
    assert limits.holds(x) and limits.values(x[None, :]).max() <= 0.0  # 3.5/0.7 is 5
    assert not limits.holds(x * np.array([1.0 - 1e-15, 1.0]))
    assert limits.troubles({"a": 2.0, "b": 1.0}) == ["'ratio' is 2 (at least 5.0)"]


def test_an_empty_region_is_said_when_the_study_is_made() -> None:
    declared = taut.Problem(
        [taut.Real("a", 0.0, 1.0), taut.Real("b", 0.0, 1.0)],
        taut.Objective("f"),
        [taut.Constraint("sum", at_least=2.5, formula="a + b")],
    )
    with pytest.raises(taut.TautError, match=r"known constraints, got none .* 'sum' is 2 \(at least 2.5\)"):
        taut.Study(declared)
