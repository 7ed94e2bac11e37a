"""Settings of the methods: one frozen record, a library default, the paper's preset, and free options by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, Literal

from taut.base.errors import UnknownNameError, ValueRefusedError, listed
from taut.surrogate.settings import Prior

PLANE = 2  # dimensions up to which fewer points do


@dataclass(frozen=True)
class Settings:
    """What a user may set; see the attribute docs. Nothing here depends on the problem."""

    prior: Prior = "robust"
    """Treatment of hyperparameters: robust (default), gamma (paper)."""
    rho: float = 1e-12
    """Noise of a deterministic function: relative to its signal variance, or to its data variance (other priors)."""
    warp: bool = True
    """Model a constraint whose values span orders of magnitude on a logarithmic scale if its data favour that."""
    tails: bool = True
    """Weighted tail nodes for a single constraint instead of equiprobable quantiles."""
    exact: bool = True
    """Integrate the objective's outcome exactly instead of over quantiles."""
    quantiles: int = 7
    vectors: int = 8
    """Sobol vectors for several constraints at once."""
    delta: float = 1e-7
    """A constraint whose probability exceeds 1 - delta at the point is left out of a coupled step."""
    divisor: Literal["filtered", "total"] = "filtered"
    """Cost by which the coupled value is divided: of the functions evaluated, or of all."""
    subsets: Literal["paper", "search"] = "search"
    """Sets considered: single functions and the filtered coupled set, or any set found by forward/backward search."""
    instalments: bool = True
    """Buy a coupled choice one function at a time, the one most likely to spoil the point first."""
    pure: bool = False
    """Ablation: where nothing has value, evaluate one bundle at the recommendation in turn instead of all in doubt."""
    penalty: float | None = None
    """Objective value that an infeasible design is worth, in the user's units; None: the worst posterior mean."""
    draws: int = 8
    """Draws of the outcomes of evaluations under way (Knowledge Gradient methods)."""
    inner: int = 0
    """Size of the inner set; unset: 256, and 176 in one or two dimensions."""
    raw: int = 0
    """Raw candidates of the acquisition search; unset: 80, and 56 in one or two dimensions."""
    starts: int = 3
    """Ascents per set of functions."""
    search_raw: int = 0
    """Raw points of the recommendation search; unset: 1024, and 512 in one or two dimensions."""
    search_starts: int = 16
    """Ascents of the recommendation search."""
    paths: int = 10
    """Sample paths whose constrained maxima the entropy methods use."""
    width: Literal["schedule", "theory", "constant"] = "schedule"
    """ucb-d: half-width of the bounds in standard deviations, see acquisition/confidence.py."""
    width_divisor: float = 20.0
    width_constant: float = 2.0
    """Of the schedule, and of the constant width."""
    guard_factor: float | None = None
    """ucb-d: with the objective, evaluate constraints whose bounds are this much wider than its own; None: never."""
    recommendation: Literal["value", "certified"] = "value"
    """ucb-d: recommend argmax G as all methods do, or the queried place with the smallest certified bound."""

    def sized(self, d: int) -> Settings:
        """The same with the numbers that were not set chosen for d parameters: the plane is filled sooner."""
        plane = d <= PLANE
        return replace(
            self,
            inner=self.inner or (176 if plane else 256),
            raw=self.raw or (56 if plane else 80),
            search_raw=self.search_raw or (512 if plane else 1024),
        )


PAPER = Settings(
    prior="gamma",
    rho=1e-6,
    warp=False,
    tails=False,
    exact=False,
    vectors=5,
    subsets="paper",
    instalments=False,
    inner=256,
    raw=72,
    starts=15,
    search_raw=2048,
    search_starts=20,
)
PRESETS = {"default": Settings(), "paper": PAPER}


def settings(preset: str | None, options: Mapping[str, Any] | None) -> Settings:
    """The preset with options replaced by name."""
    if preset is not None and preset not in PRESETS:
        raise UnknownNameError(f"preset: expected one of {listed(PRESETS)}, got {preset!r}.")
    base = PRESETS[preset or "default"]
    known = {field.name for field in fields(Settings)}
    for name, value in (options or {}).items():
        if name not in known:
            raise UnknownNameError(f"options: unknown option {name!r}; known are {listed(sorted(known))}.")
        _check(name, value, getattr(base, name))
    return replace(base, **{name: _plain(value) for name, value in (options or {}).items()})


_WORDS = {
    "prior": ("robust", "gamma"),
    "divisor": ("filtered", "total"),
    "subsets": ("paper", "search"),
    "width": ("schedule", "theory", "constant"),
    "recommendation": ("value", "certified"),
}


def _check(name: str, value: object, default: object) -> None:
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise ValueRefusedError(f"options: {name} must be one of {listed(_WORDS[name])}, got {value!r}.")
    elif isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueRefusedError(f"options: {name} must be true or false, got {value!r}.")
    elif name == "penalty":
        if value is not None and not _finite(value):
            raise ValueRefusedError(f"options: penalty must be a finite number or None, got {value!r}.")
    elif name == "guard_factor" and value is None:
        return
    elif not _finite(value) or not float(value) > 0.0:  # type: ignore[arg-type]
        raise ValueRefusedError(f"options: {name} must be a positive number, got {value!r}.")
    elif isinstance(default, int) and not isinstance(value, Integral):
        raise ValueRefusedError(f"options: {name} must be a whole number, got {value!r}.")


def _finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _plain(value: Any) -> Any:
    """NumPy scalars as Python numbers, so that settings can be stored."""
    return value.item() if hasattr(value, "item") else value
