"""A wing section: NACA's modified four-digit family, with any numbers in place of the digits.

All lengths in chords. Thickness (Stack and von Doenhoff, NACA Report 492, 1934; the slope at the trailing edge by
Riegels' fit): before the place p of the largest thickness

    y = (t/0.2) (a0 sqrt(x) + a1 x + a2 x^2 + a3 x^3),    a0 = 0.2969 nose/6   (nose 6 is the usual radius)

and behind it, with s = 1 - x,

    y = (t/0.2) (d0 + d1 s + d2 s^2 + d3 s^3),    d0 = 0.002, d1 = (2.24 - 5.42 p + 12.3 p^2)/(10 (1 - 0.878 p))

where height 0.1, slope 0 and curvature agree at p. The camber line is that of the four-digit family.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
STATIONS = 81
"""Points on each side, closer together at both edges."""
SPAR = 0.65
"""Where the rear spar stands."""


@dataclass(frozen=True)
class Section:
    thickness: float
    thickest: float
    nose: float
    camber: float
    cambered: float
    """Where the camber is largest."""

    @classmethod
    def of(cls, point: Mapping[str, float]) -> "Section":
        """From the parameters of the study: thickness and camber are in percent of the chord."""
        percent = {name: point[name] / 100.0 for name in ("thickness", "thickest", "camber", "cambered")}
        return cls(nose=point["nose"], **percent)

    def half(self, x: Array) -> Array:
        """Half of the thickness at x."""
        p, u = self.thickest, 1.0 - self.thickest
        d0, d1 = 0.002, (2.24 - 5.42 * p + 12.3 * p**2) / (10.0 * (1.0 - 0.878 * p))
        d2, d3 = np.linalg.solve([[u**2, u**3], [2.0 * u, 3.0 * u**2]], [0.1 - d0 - d1 * u, -d1])
        a0 = 0.2969 * self.nose / 6.0
        known = [0.1 - a0 * p**0.5, -0.5 * a0 * p**-0.5, 2.0 * d2 + 6.0 * d3 * u + 0.25 * a0 * p**-1.5]
        a1, a2, a3 = np.linalg.solve([[p, p**2, p**3], [1.0, 2.0 * p, 3.0 * p**2], [0.0, 2.0, 6.0 * p]], known)
        fore = a0 * np.sqrt(x) + a1 * x + a2 * x**2 + a3 * x**3
        s = 1.0 - x
        aft = d0 + d1 * s + d2 * s**2 + d3 * s**3
        return self.thickness / 0.2 * np.where(x < p, fore, aft)

    def line(self, x: Array) -> tuple[Array, Array]:
        """Height and slope of the camber line."""
        m, p = self.camber, self.cambered
        scale = m / np.where(x < p, p**2, (1.0 - p) ** 2)
        return scale * (np.where(x < p, 0.0, 1.0 - 2.0 * p) + 2.0 * p * x - x**2), 2.0 * scale * (p - x)

    def outline(self) -> Array:
        """(2 STATIONS - 1, 2): from the trailing edge over the upper side to the nose, and back below."""
        x = 0.5 * (1.0 - np.cos(np.linspace(0.0, np.pi, STATIONS)))
        half, (height, slope) = self.half(x), self.line(x)
        angle = np.arctan(slope)
        across = np.column_stack([-np.sin(angle), np.cos(angle)]) * half[:, None]
        middle = np.column_stack([x, height])
        return np.concatenate([(middle + across)[::-1], (middle - across)[1:]])

    def file(self) -> str:
        """As XFOIL loads it."""
        return "section\n" + "".join(f"{x:10.6f} {y:10.6f}\n" for x, y in self.outline())

    def spar(self) -> float:
        """Depth at the rear spar, in percent of the chord."""
        return 200.0 * float(self.half(np.array([SPAR]))[0])
