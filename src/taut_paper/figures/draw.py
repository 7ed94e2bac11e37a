"""Draws the numbers of `taut_paper.curves`. Each function returns a Matplotlib figure that belongs to nobody else."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from taut.base.arrays import Flags
from taut_paper.curves import Cloud, Line, Panel, Shares
from taut_paper.figures.style import HATCHES, REST, SETTINGS, SHARES, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

WIDTH = 7.1
"""Inches: an A4 page without its margins, so that text keeps its size in print."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Where panels go. height: of a panel, in inches; shared: all panels of a row have the same y axis."""

    columns: int
    height: float = 1.7
    shared: bool = False
    titles: int = 1
    """Lines of a panel's title."""

    @property
    def left(self) -> float:
        """Room for the y axis, with the heading of the row where rows have one."""
        return 0.95 if self.shared else 0.62


@matplotlib.rc_context(SETTINGS)
def cost_panels(panels: Sequence[Panel], grid: Grid) -> Figure:
    """Opportunity cost against cost, logarithmic; a thin line where the floor of the panel is reached."""

    def draw(axes: Axes, panel: Panel) -> None:
        _band_lines(axes, panel.lines)
        axes.set_yscale("log")
        _decades(axes.yaxis, 6)
        if panel.lines:
            bottom = math.log10(min(float(np.min(line.low)) for line in panel.lines))
            top = max(bottom + 1.0, math.log10(max(float(np.max(line.high)) for line in panel.lines)))
            axes.set_ylim(10.0 ** (bottom - 0.04 * (top - bottom)), 10.0 ** (top + 0.06 * (top - bottom)))
        if reaches_floor(panel):
            axes.axhline(panel.floor, color="#555555", linewidth=0.6)

    return _line_panels(panels, grid, "opportunity cost", draw)


@matplotlib.rc_context(SETTINGS)
def count_panels(panels: Sequence[Panel], grid: Grid) -> Figure:
    """Evaluations per function against cost."""

    def draw(axes: Axes, panel: Panel) -> None:
        _band_lines(axes, panel.lines)
        axes.set_ylim(bottom=0.0)
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))

    return _line_panels(panels, grid, "evaluations", draw)


def reaches_floor(panel: Panel) -> bool:
    """Whether a quartile is so small that it is drawn at the floor."""
    return any(float(np.min(line.low)) <= panel.floor * 1.0001 for line in panel.lines)


def _line_panels(panels: Sequence[Panel], grid: Grid, ylabel: str, draw: Callable[[Axes, Panel], None]) -> Figure:
    styles = {line.label: line.style for panel in panels for line in panel.lines}
    handles = [Line2D([], [], **_look(style), label=label) for label, style in styles.items()]
    figure, places = _figure(grid, len(panels), handles)
    for axes, panel in zip(places, panels, strict=True):
        axes.set_title(panel.title)
        draw(axes, panel)
        if not panel.lines:
            _nothing(axes)
    for axes, panel in zip(places[:: grid.columns], panels[:: grid.columns], strict=True):
        axes.set_ylabel(_heading(panel.row) + ylabel)
    if grid.shared:
        _share_rows(places, panels, grid.columns)
    return figure


def _heading(row: str) -> str:
    """The name of a row in short lines, above the name of the axis."""
    return "".join(f"{fill(piece, 20)}\n" for piece in row.replace(", ", ",|").split("|") if piece)


def _figure(grid: Grid, panels: int, handles: Sequence[Line2D | Patch]) -> tuple[Figure, list[Axes]]:
    """Axes for a number of panels, with one legend for all of them above.

    They are at fixed places in inches: what a label needs is known, so nothing has to be fitted.
    """
    columns = min(grid.columns, panels)
    rows = math.ceil(panels / columns)
    legend = max(1, math.ceil(sum(len(str(handle.get_label())) + 8 for handle in handles) / 100))
    left, right, gap_x, below = grid.left, 0.12, 0.22 if grid.shared else 0.48, 0.42
    gap_y = 0.36 + 0.14 * grid.titles
    above = 0.14 + 0.14 * grid.titles + 0.19 * legend
    width = WIDTH if columns > 1 else WIDTH * 0.62
    height = above + rows * grid.height + (rows - 1) * gap_y + below
    figure = Figure(figsize=(width, height))
    wide = (width - left - right - (columns - 1) * gap_x) / columns
    places = []
    for row, column in (divmod(number, columns) for number in range(panels)):
        x, y = left + column * (wide + gap_x), below + (rows - 1 - row) * (grid.height + gap_y)
        places.append(figure.add_axes((x / width, y / height, wide / width, grid.height / height)))
    middle = (left + width - right) / 2.0
    figure.text(middle / width, 0.06 / height, "cost after the initial design", ha="center", va="bottom")
    if handles:
        figure.legend(
            handles=list(handles), loc="upper center", ncols=math.ceil(len(handles) / legend), borderaxespad=0.2,
            columnspacing=1.6, handletextpad=0.6,
        )  # fmt: skip
    return figure, places


def _band_lines(axes: Axes, lines: Sequence[Line]) -> None:
    for number, line in enumerate(lines):
        kept = _corners(line)
        cost, low, middle, high = (values[kept] for values in (line.cost, line.low, line.middle, line.high))
        order = 3.0 - 0.01 * number
        if not np.array_equal(low, high):
            axes.fill_between(cost, low, high, color=line.style.colour, alpha=0.13, linewidth=0.0)
        axes.plot(cost, middle, **{**_look(line.style), "marker": ""}, zorder=order)
        every = max(1, len(line.cost) // 6)
        chosen = slice(every * (number + 1) // (len(lines) + 1), None, every)
        marks = {**_look(line.style), "linestyle": ""}
        axes.plot(line.cost[chosen], line.middle[chosen], **marks, zorder=order, clip_on=False)
    if lines:
        axes.set_xlim(0.0, max(float(line.cost[-1]) for line in lines))


def _corners(line: Line) -> Flags:
    """Points without which the line would look different: the inner points of flat stretches are left out."""
    flat = np.ones(len(line.cost) - 1, dtype=bool)
    for values in (line.low, line.middle, line.high):
        flat &= np.diff(values) == 0.0
    kept = np.ones(len(line.cost), dtype=bool)
    kept[1:-1] = ~(flat[:-1] & flat[1:])
    return kept


def _look(style: Style) -> dict[str, Any]:
    return {
        "color": style.colour, "linestyle": style.dashes, "linewidth": style.width, "marker": style.marker,
        "markersize": 3.8, "markeredgecolor": "white", "markeredgewidth": 0.4,
    }  # fmt: skip


def _decades(axis: Axis, most: int) -> None:
    """Whole decades only, few enough to be read."""
    axis.set_major_locator(LogLocator(10.0, numticks=most))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))


def power_of_ten(value: float) -> str:
    """1e-3 -> 10⁻³, as plain text."""
    exponent = round(math.log10(value))
    return "1" if exponent == 0 else "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _share_rows(places: Sequence[Axes], panels: Sequence[Panel], columns: int) -> None:
    """The same y axis for all panels of a row, with its numbers at the first."""
    for first in range(0, len(panels), columns):
        both = zip(places[first : first + columns], panels[first:], strict=False)
        row = [axes for axes, panel in both if panel.lines]
        limits = [axes.get_ylim() for axes in row]
        for axes in row:
            axes.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
        for axes in row[1:]:
            axes.tick_params(labelleft=False)


def _nothing(axes: Axes) -> None:
    axes.set_xticks(())
    axes.set_yticks(())
    for side in axes.spines.values():
        side.set_visible(False)
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color="#777777")


# --- The ablation


@matplotlib.rc_context(SETTINGS)
def spread(clouds: Sequence[Cloud]) -> Figure:
    """Final opportunity cost of every seed, with median and quartiles, one row per arm."""
    height = 0.5 + 0.42 * len(clouds)
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.add_axes((1.45 / WIDTH, 0.42 / height, 1.0 - 1.6 / WIDTH, 1.0 - 0.48 / height))
    for row, cloud in enumerate(clouds):
        _cloud(axes, len(clouds) - 1 - row, cloud)
    axes.set_xscale("log")
    _decades(axes.xaxis, 9)
    axes.set_yticks(range(len(clouds)), [cloud.label for cloud in reversed(clouds)])
    axes.set_ylim(-0.6, len(clouds) - 0.4)
    logs = np.log10(np.concatenate([cloud.values for cloud in clouds]))
    axes.set_xlim(10.0 ** math.floor(logs.min() - 0.05), 10.0 ** math.ceil(logs.max() + 0.05))
    axes.set_xlabel("opportunity cost at the end of the budget")
    axes.grid(visible=False, axis="y")
    return figure


def _cloud(axes: Axes, row: int, cloud: Cloud) -> None:
    values = np.sort(cloud.values)
    low, middle, high = cloud.quartiles
    offsets = 0.26 * (((np.arange(len(values)) * 0.618034) % 1.0) - 0.5)  # spread evenly, the same each time
    axes.plot([low, high], [row, row], color=cloud.style.colour, linewidth=7.0, alpha=0.25, solid_capstyle="butt")
    axes.plot([middle, middle], [row - 0.3, row + 0.3], color=cloud.style.colour, linewidth=1.8)
    axes.plot(values, row + offsets, **{**_look(cloud.style), "linestyle": ""})


@matplotlib.rc_context(SETTINGS)
def share_panels(panels: Sequence[Shares]) -> Figure:
    """Stacked bars: which sets were chosen when."""
    sets = list(dict.fromkeys(name for panel in panels for name in panel.sets))
    fillings = {name: _filling(name, number) for number, name in enumerate(sets)}
    grid = Grid(2)
    figure, places = _figure(grid, len(panels), [Patch(**filling, label=name) for name, filling in fillings.items()])
    for axes, panel in zip(places, panels, strict=True):
        _bars(axes, panel, fillings)
    for axes in places[:: grid.columns]:
        axes.set_ylabel("share of decisions")
    return figure


def _filling(name: str, number: int) -> dict[str, Any]:
    colour, hatch = (REST, "") if name == "other" else (SHARES[number % len(SHARES)], HATCHES[number % len(HATCHES)])
    return {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.0}


def _bars(axes: Axes, panel: Shares, fillings: Mapping[str, dict[str, Any]]) -> None:
    below = np.zeros(len(panel.edges) - 1)
    widths = np.diff(panel.edges)
    for name, share in zip(panel.sets, panel.share, strict=True):
        axes.bar(panel.edges[:-1], share, widths * 0.94, below, align="edge", **fillings[name])
        below = below + share
    axes.set_title(panel.title)
    axes.set_xlim(panel.edges[0], panel.edges[-1])
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks((0.0, 0.25, 0.5, 0.75, 1.0), ("0", "25 %", "50 %", "75 %", "100 %"))
    axes.grid(visible=False)
