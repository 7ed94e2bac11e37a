"""Empirical cumulative distributions over targets, one picture a dimension."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coco import targets
from coco.rivals import TITLES
from taut_paper.figures.style import SETTINGS, method_style

FINEST = 0.3
"""Units for each parameter where the logarithmic axis begins; less is drawn there."""


def draw(rows: Sequence[targets.Row], d: int, path: Path) -> None:
    """Six panels by the class of K, one of all with three constraints or more, one of all."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    with pyplot.rc_context({**SETTINGS, "svg.hashsalt": "taut"}):  # the same numbers give the same file
        canvas, axes = pyplot.subplots(2, 4, figsize=(11.0, 5.4), sharey=True, sharex=True, layout="constrained")
        for ax, (title, mine) in zip(axes.ravel(), panels(rows).items(), strict=True):
            panel(ax, title, mine)
        handles, labels = axes.ravel()[-1].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        canvas.supxlabel(f"units spent after the initial design, for each of the {d} parameters", fontsize=8)
        canvas.supylabel("share of targets reached", fontsize=8)
        canvas.savefig(path, metadata={"Date": None})
        pyplot.close(canvas)


def panels(rows: Sequence[targets.Row]) -> dict[str, list[targets.Row]]:
    found = {title: [row for row in rows if targets.kind(row) == title] for title in targets.KINDS}
    found["K >= 3"] = [row for row in rows if targets.kind(row) != "K = 1"]
    return found | {"all": list(rows)}


def panel(ax: Any, title: str, rows: Sequence[targets.Row]) -> None:
    last = max((row["budget"] / targets.place(row["problem"]).dimension for row in rows), default=30.0)
    grid = np.geomspace(FINEST, last, 200)
    for method in targets.methods(rows):
        look = method_style(method)
        mine = [row for row in rows if row["method"] == method]
        line = {"color": look.colour, "linestyle": look.dashes, "linewidth": look.width}
        ax.plot(grid, targets.ecdf(mine, grid), label=TITLES.get(method, method), **line)
    ax.set(title=title, xscale="log", ylim=(0.0, 1.0), xlim=(FINEST, last))
