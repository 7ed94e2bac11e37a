"""CPU seconds of one decision against the number of values and against the number of constraints."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from speed.table import TITLES, grouped, medians

PANELS = (
    ("mystery", "n", "Mystery (K = 1)", "values of each function, n"),
    ("test_function_2", "n", "Test Function 2 (K = 3)", "values of each function, n"),
    ("synthetic-d6", "K", "synthetic (d = 6, n = 50)", "constraints, K"),
)
STYLES = {
    "dckg": ("#1b5e9b", "o-"),
    "ckg": ("#5b9bd5", "s-"),
    "cei+": ("#2e8b57", "^-"),
    "cei": ("#8fc9a3", "v-"),
    "botorch-cei": ("#c0392b", "D--"),
    "botorch-cei-gamma": ("#8e44ad", "D:"),
    "botorch-kg": ("#e59866", "x--"),
    "egobox": ("#555555", "P:"),
}


def curves(units: Sequence[Any], prefix: str, axis: str) -> dict[str, list[tuple[int, float]]]:
    """Per contestant the points (n or K, median seconds) of the cases whose name starts with the prefix."""
    found: dict[str, list[tuple[int, float]]] = {}
    for case, group in grouped(units).items():
        if case.startswith(prefix):
            for name, value in medians(group).items():
                found.setdefault(name, []).append((group[0][axis], value))
    return {name: sorted(points) for name, points in found.items()}


def draw(units: Sequence[Any], path: Path) -> None:
    """One panel per family of cases, both axes logarithmic."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "taut"  # the same numbers give the same file
    from matplotlib import pyplot

    canvas, axes = pyplot.subplots(1, len(PANELS), figsize=(11.0, 3.8), sharey=True, layout="constrained")
    for ax, (prefix, axis, title, label) in zip(axes, PANELS, strict=True):
        for name, points in curves(units, prefix, axis).items():
            colour, style = STYLES[name]
            x, y = zip(*points, strict=True)
            ax.plot(x, y, style, color=colour, label=TITLES.get(name, name), markersize=4.0)
        ax.set(xscale="log", yscale="log", title=title, xlabel=label)
        ax.grid(True, which="major", alpha=0.3)
    axes[0].set_ylabel("CPU seconds of one decision")
    handles, labels = axes[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    canvas.savefig(path, metadata={"Date": None})
    pyplot.close(canvas)
