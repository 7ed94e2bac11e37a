"""How the figures look: one colour, line style and marker per method, so that they can be read in grey as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from taut_paper.experiments import Arm

Dashes = str | tuple[float, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Style:
    """A line. Widths are in points."""

    colour: str
    dashes: Dashes = "-"
    marker: str = "o"
    width: float = 1.2


# The colours of Okabe and Ito, which people with any common colour blindness can tell apart, and two darker ones.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#222222", "#7F7F7F"
WINE, OLIVE = "#882255", "#7A7A1F"
DASHED: Dashes = (0.0, (5.0, 1.8))
DOTTED: Dashes = (0.0, (1.2, 1.4))
MIXED: Dashes = (0.0, (6.0, 1.5, 1.2, 1.5))
LONG: Dashes = (0.0, (9.0, 2.0))
TWICE: Dashes = (0.0, (6.0, 1.4, 1.2, 1.4, 1.2, 1.4))

METHODS: Mapping[str, Style] = {
    "dckg": Style(BLUE, "-", "o", 1.8),
    "cei+": Style(ORANGE, DASHED, "s"),
    "ckg": Style(GREEN, MIXED, "^"),
    "cei": Style(PINK, DOTTED, "D", 1.5),
    "pesc": Style(BLACK, LONG, "v"),
    "ucb-d": Style(SKY, DASHED, "P", 1.5),
    "cmes": Style(AMBER, MIXED, "X", 1.4),
    "random": Style(GREY, DOTTED, "*", 1.5),
    "dckg-uncoupled": Style(WINE, DASHED, "h"),
    "pesc-coupled": Style(OLIVE, TWICE, "<"),
}
_OTHERS = (Style("#332288", LONG, ">"), Style("#AA4499", TWICE, "p"), Style("#44AA99", DASHED, "d"))
FUNCTIONS = (
    Style(BLACK, "-", "o", 1.6),
    Style(BLUE, DASHED, "s"),
    Style(ORANGE, MIXED, "^"),
    Style(GREEN, DOTTED, "D", 1.5),
    Style(PINK, LONG, "v"),
    Style(AMBER, TWICE, "P"),
)
"""The objective first, then the constraints."""
SHARES = (BLUE, SKY, GREEN, AMBER, ORANGE, PINK, WINE, OLIVE)
HATCHES = ("", "///", "||", "\\\\\\\\", "xx", "--", "++", "//--")
REST = "#CFCFCF"

SETTINGS: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "legend.handlelength": 3.2,
    "hatch.linewidth": 0.5,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
}
"""For matplotlib.rc_context around drawing and saving: nothing global is changed."""


def method_style(method: str, known: Sequence[str] = ()) -> Style:
    """The style of a method; a method without one of its own takes one by its place among the names that are known."""
    if method in METHODS:
        return METHODS[method]
    strangers = [name for name in known if name not in METHODS]
    return _OTHERS[(strangers.index(method) if method in strangers else 0) % len(_OTHERS)]


def preset_style(preset: str) -> Style:
    """Where the lines of a figure are the presets of one method."""
    if preset == "default":
        return Style(BLUE, "-", "o", 1.6)
    return Style(ORANGE, DASHED, "s", 1.3) if preset == "paper" else Style(GREEN, MIXED, "^")


def arm_label(arm: Arm) -> str:
    """'dckg', or 'dckg (paper)' if it is not the library default."""
    return arm.method if arm.preset == "default" else f"{arm.method} ({arm.preset})"
