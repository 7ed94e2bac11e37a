"""The numbers of data drawn by Matplotlib (extra `plot`): each takes a study and, if given, the axes to draw in.

    taut.plot.convergence(study).figure.savefig("convergence.png")

slices and boundaries hold several panels: they are drawn inside the axes given. Nothing global is changed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.base.errors import StudyError
from taut.plot import data
from taut.plot.page.words import VERDICTS, limit, spent_axis
from taut.plot.surfaces import Plane, Slice, effects
from taut.problem.discrete import Integer
from taut.problem.functions import Constraint
from taut.problem.problem import Problem
from taut.study.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#222222", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
"""The objective, then the constraints in turn; of Okabe and Ito, which people with any common colour blindness see."""
GREY = "#7F7F7F"
SURE = 0.95
MOST = 6
"""Functions, parameters and planes shown."""


def convergence(study: Study, ax: "Axes | None" = None) -> "Axes":
    """The objective of what was recommended at each cost, judged by what is known now, and the best measured design."""
    ax, found = _axes(ax, 5.6, 3.4), data.convergence(study)
    if len(found.measured.cost):
        across = np.append(found.measured.cost, found.spent)
        up = np.append(found.measured.objective, found.measured.objective[-1])
        ax.step(across, up, where="post", color=COLOURS[0], lw=1.0, label="best measured design")
    if len(found.cost):
        low, high = found.objective - 2.0 * found.sd, found.objective + 2.0 * found.sd
        ax.fill_between(found.cost, low, high, color=COLOURS[1], alpha=0.15, lw=0.0)
        ax.plot(found.cost, found.objective, color=COLOURS[1], lw=1.6, label="recommended (band: 2 sd)")
        sure = found.feasibility >= SURE
        ax.plot(
            found.cost[sure], found.objective[sure], "o", ms=4, color=COLOURS[1], label="feasible with 95 % or more"
        )
        ax.plot(found.cost[~sure], found.objective[~sure], "o", ms=4, mfc="white", mec=COLOURS[1], label="not sure")
    ax.set_xlabel(spent_axis(study.problem))
    ax.set_ylabel(study.problem.objective.name)
    return _legend(ax)


def spending(study: Study, ax: "Axes | None" = None) -> "Axes":
    """What each function cost after the initial design, and would have cost if evaluated everywhere."""
    found = data.spending(study)
    ax = _axes(ax, 5.6, 1.2 + 0.35 * len(found.rows))
    at = np.arange(len(found.rows))
    ax.barh(at, [row.coupled for row in found.rows], 0.7, fill=False, ec=GREY, ls="--", label="if evaluated everywhere")
    colours = [_colour(k) for k in range(len(found.rows))]
    ax.barh(at, [row.spent for row in found.rows], 0.42, color=colours, label="paid")
    ax.set_yticks(at, [row.function for row in found.rows])
    ax.invert_yaxis()
    ax.set_xlim(left=0.0)
    ax.set_xlabel(f"{'seconds' if study.problem.measured else 'cost'} after the initial design")
    return _legend(ax, above=True)


def slices(study: Study, ax: "Axes | None" = None) -> "Axes":
    """Every function along each parameter through the recommendation: mean, two sd, limits, values close by."""
    found, problem = data.slices(study), study.problem
    kept = sorted(found, key=lambda each: -effects(problem, found)[each.parameter])[:MOST] if found else []
    shown = [each for each in found if any(each is other for other in kept)]
    rows = min(len(problem.functions), MOST)
    ax = _axes(ax, 2.3 * max(len(shown), 1) + 0.6, 1.5 * rows + 0.4)
    if not shown:
        return _nothing(ax)
    for (k, j), panel in _panels(ax, rows, len(shown)).items():
        _slice(problem, shown[j], k, panel)
        if j == 0:
            panel.set_ylabel(problem.functions[k])
        if k == rows - 1:
            panel.set_xlabel(shown[j].parameter)
    return ax


def boundaries(study: Study, ax: "Axes | None" = None) -> "Axes":
    """Where all constraints hold, and the limit of each, over pairs of parameters through the recommendation."""
    found = data.boundaries(study)[:MOST]
    columns = min(len(found), 3)
    rows = -(-len(found) // 3)
    ax = _axes(ax, 3.3 * max(columns, 1) + 0.6, 2.8 * max(rows, 1) + 0.4)
    if not found:
        return _nothing(ax)
    for (i, j), panel in _panels(ax, rows, columns).items():
        if 3 * i + j < len(found):
            _plane(study.problem, found[3 * i + j], panel)
        else:
            panel.set_axis_off()
    return ax


def relevance(study: Study, ax: "Axes | None" = None) -> "Axes":
    """Of each constraint: the probability that it changes the answer, and that the best design lies at its limit."""
    rows = data.relevance(study)
    ax = _axes(ax, 5.6, 1.2 + 0.4 * len(rows))
    if not rows:
        return _nothing(ax)
    at = np.arange(len(rows))
    ax.barh(at - 0.17, [row.matters for row in rows], 0.3, color=COLOURS[1], label="changes the answer")
    ax.barh(at + 0.17, [row.binds for row in rows], 0.3, color=COLOURS[5], label="active at the best design")
    words = [
        f"{row.constraint} {limit(study.problem, row.constraint)}\n{VERDICTS.get(row.verdict, '')}" for row in rows
    ]
    ax.set_yticks(at, words)
    ax.invert_yaxis()
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("probability")
    return _legend(ax, above=True)


def decisions(study: Study, ax: "Axes | None" = None) -> "Axes":
    """Value per cost of what was chosen and of its runner-up, for the latest decisions, newest on top."""
    rows = [each for each in data.decisions(study) if each.chosen is not None and each.chosen.value_per_cost]
    ax = _axes(ax, 5.6, 1.2 + 0.3 * len(rows))
    if not rows:
        return _nothing(ax)
    for kind, marker, face in (("chosen", "o", COLOURS[1]), ("runner_up", "o", "white")):
        pairs = [(getattr(each, kind), i) for i, each in enumerate(rows)]
        points = [(best.value_per_cost, i) for best, i in pairs if best is not None and best.value_per_cost]
        across, up = zip(*points, strict=True) if points else ((), ())
        ax.plot(across, up, marker, ls="", mfc=face, mec=COLOURS[1], label=kind.replace("_", "-"))
    _logarithmic(ax)
    ax.set_yticks(range(len(rows)), [f"#{each.number} {' + '.join(each.functions)}" for each in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel("value per cost")
    return _legend(ax, above=True)


def _logarithmic(ax: "Axes") -> None:
    """Ticks at 1 and 3 of every decade, as plain numbers: the usual ones overlap."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def _slice(problem: Problem, found: Slice, k: int, ax: "Axes") -> None:
    name, function = problem.functions[k], problem.function(problem.functions[k])
    parameter = next(each for each in problem.parameters if each.name == found.parameter)
    mean, sd = found.survey.mean[:, k], found.survey.sd[:, k]
    across: Sequence[Any] = found.values
    at: Any = found.at
    if hasattr(parameter, "options"):  # side by side: there is nothing in between
        across, at = [str(each) for each in found.values], str(found.at)
        ax.errorbar(across, mean, 2.0 * sd, fmt="o", ms=4, color=_colour(k), elinewidth=4.0, ecolor=(_colour(k), 0.2))
    else:
        _scale(ax, "x", parameter)
        ax.fill_between(across, mean - 2.0 * sd, mean + 2.0 * sd, color=_colour(k), alpha=0.15, lw=0.0)
        ax.plot(across, mean, color=_colour(k), lw=1.3)
    measured = [(value if across is found.values else str(value), y) for value, y in found.measured[name]]
    if measured:
        ax.plot(*zip(*measured, strict=True), "o", ms=2.5, color=GREY, ls="")
    for side in _sides(function):
        ax.axhline(side, color="black", lw=1.0, ls="--")
    # Far from the data bands may be very wide: what is shown is chosen by the means.
    i = min(range(len(found.values)), key=lambda i: found.values[i] != found.at)
    inside = [*mean, mean[i] - 2.0 * sd[i], mean[i] + 2.0 * sd[i], *_sides(function), *(y for _, y in measured)]
    ax.set_ylim(*_room([float(y) for y in inside if np.isfinite(y)]))
    ax.axvline(at, color=GREY, lw=0.8, ls=":")


def _scale(ax: "Axes", which: str, parameter: object) -> None:
    """Logarithmic, or with whole numbers only, as the parameter is."""
    from matplotlib.ticker import MaxNLocator

    if getattr(parameter, "log", False):
        ax.set(**{f"{which}scale": "log"})
    elif isinstance(parameter, Integer):
        (ax.xaxis if which == "x" else ax.yaxis).set_major_locator(MaxNLocator(integer=True, nbins=5))


def _room(values: list[float]) -> tuple[float, float]:
    """From the smallest to the largest, with some room."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = 0.2 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


def _plane(problem: Problem, found: Plane, ax: "Axes") -> None:
    if problem.constraints:
        levels = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
        shown = np.clip(found.grid(found.survey.feasibility), 0.0, 1.0)
        ax.contourf(found.across, found.up, shown, levels, cmap="Greys_r", vmin=-1.2, vmax=1.0)
    objective = found.grid(found.survey.mean[:, 0])
    if np.ptp(objective) > 0.0:
        ax.contour(found.across, found.up, objective, 6, colors=GREY, linewidths=0.6, linestyles="dotted")
    for k, name in enumerate(problem.functions[1:], 1):
        values = found.grid(found.survey.mean[:, k])
        sides = [side for side in _sides(problem.function(name)) if values.min() < side < values.max()]
        for side in sides:
            ax.contour(found.across, found.up, values, [side], colors=_colour(k), linewidths=1.6)
        if sides and len(ax.get_legend_handles_labels()[0]) < MOST:
            ax.plot([], [], color=_colour(k), lw=1.6, label=name)
    for held, marker in ((True, "o"), (False, "x")):
        points = [each[:2] for each in found.points if each[2] is held]
        if points:
            ax.plot(*zip(*points, strict=True), marker, ms=3, color="#333333", ls="")
    ax.plot(*found.at, "o", ms=7, mfc="white", mec="black", mew=1.6)
    parameters = {each.name: each for each in problem.parameters}
    _scale(ax, "x", parameters[found.first])
    _scale(ax, "y", parameters[found.second])
    ax.set_xlabel(found.first)
    ax.set_ylabel(found.second)
    _legend(ax)


def _sides(function: object) -> list[float]:
    if not isinstance(function, Constraint):
        return []
    return [side for side in (function.at_least, function.at_most) if side is not None]


def _colour(k: int) -> str:
    return COLOURS[k if k < len(COLOURS) else 1 + (k - 1) % (len(COLOURS) - 1)]


def _panels(ax: "Axes", rows: int, columns: int) -> dict[tuple[int, int], "Axes"]:
    """Axes inside axes: rows from the top."""
    ax.set_axis_off()
    found = {}
    for i in range(rows):
        for j in range(columns):
            width, height = 1.0 / columns, 1.0 / rows
            box = (j * width, 1.0 - (i + 1) * height + 0.22 * height, 0.78 * width, 0.74 * height)
            found[i, j] = _quiet(ax.inset_axes(box))
    return found


def _axes(ax: "Axes | None", width: float, height: float) -> "Axes":
    """The axes given, or those of a new figure, which belongs to no window."""
    if ax is not None:
        return ax
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        way_out = "run pip install 'taut[plot]'"
        raise StudyError.of("taut.plot", "Matplotlib", "none installed", way_out) from error
    figure = Figure(figsize=(width, height), layout="tight")
    FigureCanvasAgg(figure)
    return _quiet(figure.subplots())


def _quiet(ax: "Axes") -> "Axes":
    """Without what is not needed: two sides of the frame, thick lines."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=7.5, width=0.6, length=2.5)
    return ax


def _legend(ax: "Axes", above: bool = False) -> "Axes":
    """above: where bars leave no room inside."""
    if ax.get_legend_handles_labels()[0]:
        where: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2} if above else {}
        ax.legend(frameon=False, fontsize=7.5, **where)
    return ax


def _nothing(ax: "Axes") -> "Axes":
    """Instead of a picture of nothing."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, "nothing to show yet", ha="center", va="center", color=GREY, transform=ax.transAxes)
    return ax
