"""Moving points onto the right side of known constraints, and keeping ascents there."""

import numpy as np
import pytest

from taut.base.arrays import Array
from taut.base.ascend import AscentOptions, ascend
from taut.base.limits import (
    INSIDE,
    NEWTON_STEPS,
    Walls,
    _computable,
    _stepped,
    corrected,
    furthest,
    met,
    towards,
    violation,
)


class Ball:
    """Inside a ball, and below a plane: max |x - 0.5|^2 <= r^2 and sum x <= top. Not a number where x_0 > 0.9."""

    slow = False

    def __init__(self, r: float, top: float = 9.0) -> None:
        self.r, self.top, self.count = r, top, 2

    def values(self, x: Array) -> Array:
        return self.values_with_gradient(x)[0]

    def values_with_gradient(self, x: Array) -> tuple[Array, Array]:
        g = np.stack([((x - 0.5) ** 2).sum(axis=1) - self.r**2, x.sum(axis=1) - self.top], axis=1)
        g[x[:, 0] > 0.9] = np.nan
        return g, np.stack([2.0 * (x - 0.5), np.ones_like(x)], axis=1)

    def holds(self, x: Array) -> bool:
        return bool(met(self, x[None, :])[0])


FREE = np.ones(3, dtype=bool)


@pytest.mark.parametrize("limits", [Ball(0.3), Ball(1e-3), Ball(0.3, 1.45), Ball(0.4, 1.0)])
def test_points_are_moved_inside_and_not_far(limits: Ball) -> None:
    x = np.random.default_rng(0).random((200, 3)) * np.array([0.9, 1.0, 1.0])
    moved = corrected(limits, x, FREE)
    assert met(limits, moved).mean() >= 0.99  # a few end before what cannot be computed
    inside = met(limits, x)
    assert np.array_equal(moved[inside], x[inside])
    if limits.top > 8.0:  # the nearest point of a ball is known
        away = np.linalg.norm(x - 0.5, axis=1)
        step = np.linalg.norm(moved - x, axis=1)
        np.testing.assert_allclose(step[~inside], (away - limits.r)[~inside], rtol=1e-6, atol=1e-8)


def slowly(limits: Ball, x: Array, free: Array) -> Array:
    """The same steps, every point by itself and to the last one, whether or not they lead anywhere."""
    ends = []
    for at in x[:, None, :].copy():
        reached = np.zeros((1, limits.count), dtype=bool)
        for _ in range(NEWTON_STEPS):
            if met(limits, at)[0]:
                break
            g, A = limits.values_with_gradient(at)
            reached = (reached | (g > -INSIDE)) & np.isfinite(g)
            left = np.where(reached & (g > -INSIDE), g + INSIDE, 0.0)
            at = _computable(limits, at, _stepped(at, left, A * reached[:, :, None] * free))[0]
        ends.append(at[0])
    return np.array(ends)


@pytest.mark.parametrize("limits", [Ball(0.3), Ball(0.3, 1.45), Ball(0.2, 0.5), Ball(0.45, 2.0)])
@pytest.mark.parametrize("free", [(True, True, True), (True, False, True), (False, False, False)])
def test_steps_end_where_all_of_them_lead(limits: Ball, free: tuple[bool, ...]) -> None:
    x = np.random.default_rng(1).random((60, 3))
    moved, fine = towards(limits, x, np.array(free))
    np.testing.assert_array_equal(moved, slowly(limits, x, np.array(free)))
    np.testing.assert_array_equal(fine, met(limits, moved))


def test_no_step_is_repeated_that_leads_nowhere() -> None:
    limits, asked = Ball(0.2), []
    x = np.array([[0.95, 0.5, 0.5], [0.5, 0.95, 0.95]])  # cannot be computed; too far out in columns that are held
    limits.values = lambda at: asked.append(len(at)) or Ball(0.2).values(at)  # type: ignore[method-assign]
    assert not towards(limits, x, np.array([True, False, False]))[1].any()
    assert len(asked) < NEWTON_STEPS


def test_held_columns_stay() -> None:
    limits, x = Ball(0.3), np.array([[0.5, 0.9, 0.9], [0.5, 0.5, 0.95]])
    moved = corrected(limits, x, np.array([True, True, False]))
    assert np.array_equal(moved[:, 2], x[:, 2])
    assert not met(limits, moved).any()  # too far out in the column that is held


def test_what_cannot_be_computed_is_a_violation() -> None:
    x = np.array([[0.95, 0.5, 0.5], [0.5, 0.5, 0.5]])
    assert met(Ball(1.0), x).tolist() == [False, True]
    assert violation(Ball(1.0), x)[0] == np.inf


def test_furthest_is_on_the_border() -> None:
    found = furthest(Ball(0.25), np.full((1, 3), 0.5), np.array([[0.5, 1.0, 0.5]]), 50)
    assert found[0] == pytest.approx([0.5, 0.75, 0.5], abs=1e-12) and met(Ball(0.25), found).all()


def test_directions_along_a_wall_do_not_lead_out() -> None:
    limits = Ball(0.3, 1.5)
    walls = Walls(limits, FREE)
    x = np.full((1, 3), 0.5)  # on the plane
    step = walls.along(x, np.array([[1.0, 0.0, 0.0]]))
    assert step.sum() == pytest.approx(0.0, abs=1e-12)
    assert np.array_equal(walls.along(x, np.array([[-1.0, 0.0, 0.0]])), [[-1.0, 0.0, 0.0]])


@pytest.mark.parametrize("top", [9.0, 1.5])
def test_an_ascent_ends_at_the_constrained_maximum(top: float) -> None:
    limits, c = Ball(0.3, top), np.array([1.0, 2.0, -0.5])
    seen = []

    def score(x: Array, rows: Array) -> tuple[Array, Array]:
        seen.append(x.copy())
        return x @ c, np.tile(c, (len(x), 1))

    starts = corrected(limits, np.random.default_rng(1).random((10, 3)) * 0.9, FREE)
    found = ascend(score, starts, AscentOptions(calls=80), walls=Walls(limits, FREE))
    flat = c - (c.mean() if top == 1.5 else 0.0)  # in the plane, or anywhere
    best = 0.5 * c.sum() + 0.3 * float(np.linalg.norm(flat))
    assert met(limits, np.vstack(seen)).all()  # nothing else is ever looked at
    assert found.value.max() == pytest.approx(best, abs=2e-4)
    assert np.sort(found.value)[2] == pytest.approx(best, abs=1e-2)
