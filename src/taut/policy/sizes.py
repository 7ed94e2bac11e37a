"""Settings that depend on the number of parameters: what those that are None become."""

from __future__ import annotations

import math
from typing import Any

_LOW: dict[str, dict[str, Any]] = {
    "ei": {"starts": 8, "calls": 4, "kept": 8},
    "candidates": {"optimistic_climb": False},  # the raw samples are dense enough
    "sets": {"coupled_everywhere": False, "prune_raw": 0.3},  # raw candidates miss less
    "climb": {"cross_seed": False, "rounds": (3,), "prune_polish": 0.9, "follow": False},
}
_HIGH: dict[str, dict[str, Any]] = {
    "optimum": {"raw": 1024},
    "ei": {"starts": 16, "calls": 8, "kept": 12},
    "candidates": {"raw": 80, "optimistic_climb": True},
    "inner": {"size": 256},
    "sets": {"coupled_everywhere": True, "prune_raw": 0.02},
    "climb": {"cross_seed": True, "rounds": (3, 2, 1, 1), "prune_polish": 0.7, "follow": True},
}
_SMALL: dict[str, dict[str, Any]] = {"optimum": {"raw": 512}, "candidates": {"raw": 56}, "inner": {"size": 176}}


def _merged(*tables: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Later tables win."""
    stages = {stage for table in tables for stage in table}
    return {stage: {k: v for table in tables for k, v in table.get(stage, {}).items()} for stage in stages}


BY_DIMENSION: tuple[tuple[float, dict[str, dict[str, Any]]], ...] = (
    (2, _merged(_HIGH, _LOW, _SMALL)),  # the plane is filled sooner
    (3, _merged(_HIGH, _LOW)),
    (math.inf, _HIGH),
)
"""What a setting that is None becomes, by the largest number of parameters it is for; measured as `prune_raw` etc."""
