"""Drawn by Matplotlib: what is drawn are the numbers."""

import builtins
from typing import Any

import pytest
from shown import bracket, known

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


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return usual(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(taut.StudyError, match=r"taut\[plot\]"):
        taut.plot.spending(bracket())
