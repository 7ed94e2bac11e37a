"""Settings of looks: what a decision does when nothing is left to gain (sceptic.py)."""

from __future__ import annotations

from dataclasses import dataclass

from taut.base.ascend import AscentOptions
from taut.base.knob import NEVER_TUNED, SPEED, knob
from taut.surrogate.settings import LOOKS


@dataclass(frozen=True)
class LookSettings:
    """Where to look once nothing is left to gain."""

    sceptical: bool = knob(True, "once nothing is left to gain, explore under a sceptical model", LOOKS)
    nothing_left: tuple[tuple[float, int], ...] = knob(
        ((1e-9, 3), (1e-7, 1)),
        "of the objective's scale: a best value per cost below this is followed by so many looks",
        LOOKS,
    )
    moved: float = knob(0.02, "of the cube: a recommendation that has moved further ends them", NEVER_TUNED)
    worthwhile: float = knob(0.01, "of the objective's scale: an improvement that is worth a look", NEVER_TUNED)
    starts: int = knob(16, "ascents of the expected improvement by the sceptical model", SPEED)
    climb: AscentOptions = knob(
        AscentOptions(tolerance=1e-2, radius=0.03, calls=8, patience=3, apart=0.003), "those ascents", SPEED
    )
