"""How the figures look; all of it is declared in style.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Style:
    """A line. Widths are in points."""

    colour: str
    dashes: str | tuple[float, tuple[float, ...]] = "-"
    """As Matplotlib has them: a name, or an offset and points on and off."""
    marker: str = "o"
    width: float = 1.2


_DECLARED = tomllib.loads(Path(__file__).with_name("style.toml").read_text(encoding="utf-8"))
SETTINGS: dict[Any, Any] = _DECLARED["matplotlib"]
"""For matplotlib.rc_context around drawing and saving: nothing global is changed."""


def _styles(table: str) -> dict[str, Style]:
    return {name: _style(*look) for name, look in _DECLARED[table].items()}


def _style(colour: str, dashes: str, marker: str, width: float) -> Style:
    points = tuple(_DECLARED["dashes"][dashes])
    return Style(_DECLARED["colours"][colour], (0.0, points) if points else "-", marker, width)


METHODS: Mapping[str, Style] = _styles("methods")
_OTHERS, _PRESETS = list(_styles("others").values()), _styles("presets")
FUNCTIONS = tuple(_styles("functions").values())
"""The objective first, then the constraints."""
SHARES = [_DECLARED["colours"][name] for name in _DECLARED["shares"]["colours"]]
HATCHES, REST = _DECLARED["shares"]["hatches"], _DECLARED["shares"]["rest"]


def method_style(method: str, known: Sequence[str] = ()) -> Style:
    """The style of a method; a method without one of its own takes one by its place among the names that are known."""
    if method in METHODS:
        return METHODS[method]
    strangers = [name for name in known if name not in METHODS]
    return _OTHERS[(strangers.index(method) if method in strangers else 0) % len(_OTHERS)]


def preset_style(preset: str) -> Style:
    """Where the lines of a figure are the presets of one method."""
    return _PRESETS.get(preset, _PRESETS["other"])
