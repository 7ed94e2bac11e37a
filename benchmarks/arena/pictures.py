"""Pictures: what the changes look like, how far predictions miss, and whether answers hold."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arena import figures as fig
from arena.bars import Runs
from arena.record import FLOOR, THRESHOLDS, Record
from arena.variants import CHANGES, VARIANTS, Changed

COLOURS = {"before": "#c0392b", "now": "#1b5e9b"}
LOSSES = FLOOR, 1e3
"""Relative opportunity costs are drawn between these."""
SHAPES = ("exact", *CHANGES)


def draw(folder: Path, now: Runs, base: Runs) -> list[str]:
    """All pictures as files trust-*.svg; their names."""
    pairs = {"trust-changes.svg": lambda plot: changes(plot), "trust-misses.svg": lambda plot: misses(plot, now, base)}
    pairs["trust-answers.svg"] = lambda plot: answers(plot, now, base)
    for name, make in pairs.items():
        canvas = make(_pyplot())
        canvas.savefig(folder / name, metadata={"Date": None})
        _pyplot().close(canvas)
    return list(pairs)


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "taut"  # the same numbers give the same file
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text, and small
    from matplotlib import pyplot

    return pyplot


# --- What the changes look like


def slice_of(variant: str, width: float, count: int = 81) -> tuple[np.ndarray, np.ndarray]:
    """The constraint of Mystery near its optimum along its own direction, in spreads; distance [n] and value [n]."""
    changed = Changed("mystery", variant)
    w, _ = changed.planes["c"]
    t = np.linspace(-width, width, count)
    points = [changed.box.point(changed.box.optimum + step * w) for step in t]
    values = [changed("c", point) for point in points]
    return t, np.array([np.nan if y is None else y for y in values]) / changed.box.spread["c"]


def changes(plot: Any) -> Any:
    canvas, axes = plot.subplots(2, 5, figsize=(11.0, 3.8), layout="constrained", sharex=True)
    for ax, variant in zip(axes.ravel(), SHAPES, strict=True):
        t, exact = slice_of("exact", 0.15)
        y = slice_of(variant, 0.15)[1]
        ax.plot(t, exact if variant == "exact" else y - exact, "-", color=COLOURS["now"], linewidth=1.0)
        ax.set_title("exact: the constraint" if variant == "exact" else f"{variant}: what is added", fontsize=8)
        ax.tick_params(labelsize=7)
    canvas.supxlabel("distance from the optimum in the unit cube", fontsize=8)
    return canvas


# --- How far predictions miss


def exceedance(runs: Runs) -> list[float]:
    """Share of predictions beyond each of THRESHOLDS."""
    return [fig.beyond(runs, size) for size in THRESHOLDS]


def misses(plot: Any, now: Runs, base: Runs) -> Any:
    """Left: exceedance over all rough cases. Right: share beyond 3 sd by change."""
    from scipy.special import ndtr

    canvas, (left, right) = plot.subplots(1, 2, figsize=(11.0, 3.8), layout="constrained")
    for title, runs in (("before", base), ("now", now)):
        rough = [run for run in runs if run.rough]
        left.plot(THRESHOLDS, exceedance(rough), "o-", color=COLOURS[title], label=f"{title}, rough", markersize=3.0)
        exact = [run for run in runs if not run.rough]
        left.plot(THRESHOLDS, exceedance(exact), "o:", color=COLOURS[title], label=f"{title}, exact", markersize=3.0)
    x = np.linspace(0.5, 4.5, 60)
    left.plot(x, 2.0 * ndtr(-x), "--", color="grey", label="a normal distribution")
    left.plot([3.0, 6.0], [0.015, 0.001], "k_", markersize=14.0, label="at most")
    left.set(
        xscale="log", yscale="log", ylim=(1e-5, 1.0), xlabel="standard deviations", ylabel="share of predictions beyond"
    )
    left.legend(fontsize=7, frameon=False)
    _by_variant(right, {"before": base, "now": now}, lambda runs: 100.0 * fig.beyond(runs, 3.0))
    right.axvline(1.5, color="black", linewidth=0.8)
    right.set(xscale="symlog", xlabel="predictions beyond 3 sd, %")
    return canvas


def answers(plot: Any, now: Runs, base: Runs) -> Any:
    """Left: true answers among those reported at >= 0.99. Right: OC of what a user would build."""
    canvas, (left, right) = plot.subplots(1, 2, figsize=(11.0, 3.8), layout="constrained")
    _by_variant(left, {"before": base, "now": now}, lambda runs: 100.0 * fig.true_share(runs))
    left.axvline(99.0, color="black", linewidth=0.8)
    left.set(xlabel="true among answers reported at >= 0.99, %")
    left.legend(fontsize=7, frameon=False)
    _by_variant(right, {"before": base, "now": now}, _usual_loss)
    right.set(
        xscale="log",
        xlim=(0.5 * LOSSES[0], 2.0 * LOSSES[1]),
        xlabel="relative OC, 75 % quantile (now: of the verified answer)",
    )
    return canvas


def _usual_loss(runs: Runs) -> float:
    """75 % quantile of the OC of what a user would build: the verified answer where there are such."""
    return float(np.clip(fig.oc_quantile(runs, 0.75, held=any(run.verified for run in runs)), *LOSSES))


def _by_variant(ax: Any, versions: dict[str, Sequence[Record]], figure: Any) -> None:
    """One line a change, a dot a version."""
    names = [name for name in VARIANTS if any(run.variant == name for runs in versions.values() for run in runs)]
    for title, runs in versions.items():
        groups = fig.grouped(runs, lambda run: run.variant)
        values = [figure(groups[name]) if name in groups else np.nan for name in names]
        ax.plot(values, range(len(names)), "o", color=COLOURS[title], label=title, markersize=4.0)
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.invert_yaxis()
    ax.grid(True, axis="x", alpha=0.3)
