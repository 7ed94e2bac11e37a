"""Drawing: what is on the axes, and that nothing global is changed."""

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from taut_paper.curves import Cloud, Line, Panel, Shares
from taut_paper.figures import draw, files
from taut_paper.figures.draw import Grid
from taut_paper.figures.style import SETTINGS, Style

STYLE = Style("#000000")
STEPS = np.array([3.0, 3.0, 3.0, 2.0, 2.0, 2.0, 2.0])


def panel(scale: float = 1.0, row: str = "") -> Panel:
    line = Line("dckg", STYLE, np.arange(7.0), 0.5 * scale * STEPS, scale * STEPS, 2.0 * scale * STEPS)
    return Panel("Mystery", (line,), 0.1, row)


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def drawn(figure: Figure) -> list[list[float]]:
    """The lines of the first panel by their first drawn values."""
    return [list(map(float, np.asarray(line.get_xdata()))) for line in figure.axes[0].lines]


def test_inner_points_of_flat_stretches_are_left_out() -> None:
    first, *_ = drawn(draw.cost_panels([panel()], Grid(2)))
    assert first == [0.0, 2.0, 3.0, 6.0]


def test_costs_are_on_a_logarithmic_scale_with_a_legend() -> None:
    figure = draw.cost_panels([panel(), Panel("Nothing", ())], Grid(2))
    assert [axes.get_title("left") for axes in figure.axes] == ["Mystery", "Nothing"]
    assert figure.axes[0].get_yscale() == "log" and legend(figure) == ["dckg"]
    assert [text.get_text() for text in figure.axes[1].texts] == ["not run"]


def test_the_floor_is_drawn_where_it_is_reached() -> None:
    far, there = panel(), Panel("", panel().lines, 1.0)
    assert (draw.reaches_floor(far), draw.reaches_floor(there)) == (False, True)
    counts = [len(draw.cost_panels([each], Grid(2)).axes[0].lines) for each in (far, there)]
    assert counts[1] == counts[0] + 1


def test_rows_share_their_axis() -> None:
    figure = draw.count_panels([panel(row="a"), panel(3.0, "a")], Grid(2, shared=True))
    limits = [axes.get_ylim() for axes in figure.axes]
    assert limits[0] == limits[1] and limits[0][0] == 0.0 and limits[0][1] >= 18.0


def test_every_seed_has_a_mark() -> None:
    clouds = [Cloud(name, STYLE, np.array([1e-3, 1e-2, 0.2]), (1e-3, 1e-2, 0.2)) for name in ("a", "b")]
    axes = draw.spread(clouds).axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["b", "a"]
    assert sum(len(np.asarray(line.get_xdata())) == 3 for line in axes.lines) == 2
    assert axes.get_xlim() == (1e-4, 1.0)


def test_shares_are_stacked_to_the_whole() -> None:
    shares = Shares("dckg", np.array([0.0, 5.0, 10.0]), ("f", "other"), np.array([[0.25, 1.0], [0.75, 0.0]]))
    figure = draw.share_panels([shares])
    tops = [bar.get_y() + bar.get_height() for bar in figure.axes[0].patches]  # type: ignore[attr-defined]
    assert tops == [0.25, 1.0, 1.0, 1.0] and legend(figure) == ["f", "other"]


@pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (1e-12, "10⁻¹²"), (1e3, "10³")])
def test_powers(value: float, text: str) -> None:
    assert draw.power_of_ten(value) == text


def test_nothing_global_is_changed() -> None:
    before = {name: matplotlib.rcParams[name] for name in SETTINGS}
    files.svg(draw.cost_panels([panel()], Grid(2)), "name")
    assert {name: matplotlib.rcParams[name] for name in SETTINGS} == before
    assert before["font.size"] != SETTINGS["font.size"]
