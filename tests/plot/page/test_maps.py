"""Contours and shades over a plane."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shown import known, known_beliefs, sound

from taut.plot.page import maps


def test_a_circle_is_one_closed_line() -> None:
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, 33), np.linspace(-1.0, 1.0, 33))
    (line,) = maps.contour(x**2 + y**2, 0.36)
    assert line[0] == pytest.approx(line[-1])
    radius = [np.hypot(i / 16 - 1.0, j / 16 - 1.0) for i, j in line]
    assert radius == pytest.approx([0.6] * len(line), abs=0.01)


def test_a_plane_is_crossed_once_and_a_flat_one_never() -> None:
    x = np.linspace(0.0, 1.0, 11)[None, :] * np.ones((5, 1))
    (line,) = maps.contour(x, 0.33)
    assert [column for column, _ in line] == pytest.approx([3.3] * 5)
    assert sorted(row for _, row in line) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert maps.contour(np.zeros((4, 4)), 0.0) == [] == maps.contour(np.full((3, 3), np.nan), 0.0)


@given(st.lists(st.lists(st.sampled_from([-1.0, -0.3, 0.5, 2.0]), min_size=4, max_size=4), min_size=3, max_size=3))
def test_every_crossing_of_an_edge_is_on_exactly_one_line(rows: list[list[float]]) -> None:
    z = np.array(rows)
    below = z < 0.0
    crossed = int((below[1:] != below[:-1]).sum() + (below[:, 1:] != below[:, :-1]).sum())
    lines = maps.contour(z, 0.0)
    points = [point for line in lines for point in (line[:-1] if len(line) > 2 and line[0] == line[-1] else line)]
    assert len(points) == crossed
    for column, row in points:
        assert 0.0 <= column <= 3.0 and 0.0 <= row <= 2.0
        assert column == int(column) or row == int(row)


def test_shades_cover_what_is_not_sure() -> None:
    p = np.array([[0.0, 0.0, 0.99], [0.5, 0.99, 0.99]])
    made = maps.shades([0.0, 10.0, 20.0], [20.0, 0.0], p)
    assert len(made) == 2, "two runs; what is sure stays white"
    assert 'class="shade0"' in made[0] and 'width="15"' in made[0]


def test_a_map_of_a_study() -> None:
    (plane,) = known_beliefs().planes
    page = sound(maps.plane_map(known().problem, plane))
    said = [value for name, value in page.attributes if name == "data-tip"]
    assert sum(tip.startswith("evaluated: ") for tip in said) == len(plane.points)
    assert any(tip.startswith("recommended: width = ") for tip in said)
    assert any("boundary: stress ≤ 150" in tip for tip in said)
