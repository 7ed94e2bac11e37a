"""Drawn by Matplotlib: what is drawn are the numbers."""

import builtins
from typing import Any

import pytest
from shown import Sure, bracket, known

import taut

pytest.importorskip("matplotlib")
NAMES = ["convergence", "spending", "slices", "boundaries", "relevance", "decisions"]


@pytest.mark.parametrize("name", NAMES)
def test_with_and_without_values_and_in_given_axes(name: str) -> None:
    from matplotlib.figure import Figure

    draw = getattr(taut.plot, name)
    assert draw(bracket()).figure is not None
    ax = Figure().subplots()
    assert draw(known(), ax=ax) is ax
    ax.figure.canvas.draw()


def test_bars_are_what_was_paid() -> None:
    ax, found = taut.plot.spending(known()), taut.plot.data.spending(known())
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == [row.coupled for row in found.rows] + [row.spent for row in found.rows]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["mass", "stress", "sag"]


def test_a_panel_for_each_function_and_parameter() -> None:
    assert len(taut.plot.slices(known()).child_axes) == 3 * 2
    assert len(taut.plot.boundaries(known()).child_axes) == 1


def test_convergence_is_the_numbers() -> None:
    ax, found = taut.plot.convergence(known()), taut.plot.data.convergence(known())
    line = next(each for each in ax.lines if each.get_label().startswith("recommended"))
    assert line.get_xdata().tolist() == found.cost.tolist()
    assert line.get_ydata().tolist() == found.objective.tolist()


def test_where_there_is_nothing_it_is_said() -> None:
    for name in ("slices", "boundaries", "relevance", "decisions"):
        assert [each.get_text() for each in getattr(taut.plot, name)(bracket()).texts] == ["nothing to show yet"]


def test_options_stand_side_by_side_and_whole_numbers_have_whole_ticks() -> None:
    parameters = [taut.Choice("material", ("steel", "wood")), taut.Integer("ribs", 1, 3), taut.Real("width", 0.0, 1.0)]
    study = taut.Study(taut.Problem(parameters, taut.Objective("mass")), "random")
    study.add({"material": "steel", "ribs": 1, "width": 0.5}, {"mass": 1.0})
    study.add({"material": "wood", "ribs": 2, "width": 0.2}, {"mass": 2.0})
    material, ribs, _ = taut.plot.slices(study).child_axes
    assert len(material.containers) == 1, "bars"
    assert all(line.get_linestyle() == "None" for line in material.lines if len(line.get_xdata()) > 2)
    plane = taut.plot.boundaries(study).child_axes[0]
    for axis in (ribs.xaxis, plane.xaxis):
        assert all(tick == round(tick) for tick in axis.get_major_locator()())


def test_the_names_of_many_limits_leave_room_for_the_picture() -> None:
    constraints = [taut.Constraint(f"c{i}", at_most=0.5) for i in range(30)]
    parameters = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]
    study = taut.Study(taut.Problem(parameters, taut.Objective("f"), constraints), Sure())
    study.add({"x": 0.5, "y": 0.5}, {"f": 1.0, "c25": 1.0})
    names = [each.get_text() for each in taut.plot.boundaries(study).child_axes[0].get_legend().get_texts()]
    assert names == [f"c{i}" for i in range(6)]


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return usual(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(taut.StudyError, match=r"taut\[plot\]"):
        taut.plot.spending(bracket())
