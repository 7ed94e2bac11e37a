"""Settings that users choose by a flat name: presets, and `options={"raw": 80}`, which is also what a study stores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from taut.base.errors import UnknownNameError, ValueRefusedError, listed
from taut.policy.settings import Settings

OPTIONS = {
    "prior": "model", "rho": "model", "warp": "model", "trend": "model", "rough": "model", "widen": "model",
    "most_values": "model",
    "tails": "scenarios", "exact": "scenarios", "quantiles": "scenarios", "vectors": "scenarios",
    "delta": "sets", "subsets": "sets", "instalments": "sets",
    "sceptical": "look", "finish": "finish", "home": "finish", "meet": "finish", "ahead": "finish",
    "penalty": "optimum", "search_raw": "optimum", "search_starts": "optimum",
    "draws": "pending", "inner": "inner", "raw": "candidates", "starts": "climb", "paths": "paths",
    "width": "ucb", "width_divisor": "ucb", "width_constant": "ucb", "recommendation": "ucb",
}  # fmt: skip
"""The stage of every option that users set by name."""
FIELDS = {
    "search_raw": "raw",
    "search_starts": "starts",
    "inner": "size",
    "width_divisor": "divisor",
    "width_constant": "constant",
}
GONE = ("divisor", "guard_factor", "pure")
"""Options of earlier versions that no preset, experiment or documented use ever set."""


def with_options(base: Settings, options: Mapping[str, Any]) -> Settings:
    """The settings with options replaced by their flat names, unchecked."""
    for name, value in options.items():
        stage = OPTIONS[name]
        base = replace(base, **{stage: replace(getattr(base, stage), **{FIELDS.get(name, name): value})})
    return base


PAPER = with_options(
    Settings(),
    {
        "prior": "gamma",
        "rho": 1e-6,
        "warp": False,
        "trend": False,
        "rough": False,
        "widen": False,
        "tails": False,
        "exact": False,
        "vectors": 5,
        "subsets": "paper",
        "instalments": False,
        "sceptical": False,
        "finish": False,
        "home": False,
        "meet": False,
        "ahead": False,
        "inner": 256,
        "raw": 72,
        "starts": 15,
        "search_raw": 2048,
        "search_starts": 20,
    },
)
PRESETS = {"default": Settings(), "paper": PAPER}


def settings(preset: str | None, options: Mapping[str, Any] | None) -> Settings:
    """The preset with options replaced by name."""
    if preset is not None and preset not in PRESETS:
        raise UnknownNameError(f"preset: expected one of {listed(PRESETS)}, got {preset!r}.")
    for name, value in (options or {}).items():
        if name in GONE:
            raise UnknownNameError(f"options: {name!r} no longer exists; leave it out, or use an earlier version.")
        if name not in OPTIONS:
            raise UnknownNameError(f"options: unknown option {name!r}; known are {listed(sorted(OPTIONS))}.")
        _check(name, value)
    return with_options(PRESETS[preset or "default"], {name: _plain(value) for name, value in (options or {}).items()})


def option(chosen: Settings, name: str) -> Any:
    """The value of an option by its flat name."""
    return getattr(getattr(chosen, OPTIONS[name]), FIELDS.get(name, name))


def _check(name: str, value: object) -> None:
    """By the annotation of the field: words, true or false, whole or other numbers, which are positive."""
    record = type(getattr(Settings(), OPTIONS[name]))
    kind = get_type_hints(record)[FIELDS.get(name, name)]
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ValueRefusedError(f"options: {name} must be one of {listed(get_args(kind))}, got {value!r}.")
    elif kind is bool:
        if not isinstance(value, bool):
            raise ValueRefusedError(f"options: {name} must be true or false, got {value!r}.")
    elif value is None and NoneType in get_args(kind):
        return  # chosen for the problem
    elif name == "penalty":
        if not _finite(value):
            raise ValueRefusedError(f"options: penalty must be a finite number or None, got {value!r}.")
    elif not _finite(value) or not float(value) > 0.0:  # type: ignore[arg-type]
        raise ValueRefusedError(f"options: {name} must be a positive number, got {value!r}.")
    elif kind is not float and not isinstance(value, Integral):
        raise ValueRefusedError(f"options: {name} must be a whole number, got {value!r}.")


def _finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _plain(value: Any) -> Any:
    """NumPy scalars as Python numbers, so that settings can be stored."""
    return value.item() if hasattr(value, "item") else value
