"""The design variables: what a user may vary, and how each maps to the unit cube."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taut.base import numbers
from taut.base.arrays import Array
from taut.base.errors import ProblemError, ValueRefusedError
from taut.base.numbers import as_float, from_text, shown

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
WIDE = 50.0
"""high/low of positive bounds from which a parameter is searched on a logarithmic scale, if the user leaves it open."""
FIXED = "what has one value is no parameter, leave it out and write the value where it is used"


@dataclass(frozen=True, slots=True)
class Real:
    """A real parameter in [low, high]; log: searched on a logarithmic scale? None: if low > 0 and high/low >= 50."""

    name: str
    low: float
    high: float
    log: bool | None = None
    automatic: bool = field(init=False, repr=False, compare=False, default=False)
    """Was log left open? It is True or False once the parameter is made."""

    def __post_init__(self) -> None:
        _check_name("Parameter", self.name)
        advice = "give the smallest and the largest value to try, in another unit if need be"
        for side in ("low", "high"):
            number = numbers.bound(f"Parameter {self.name!r}: {side}", getattr(self, side), advice)
            object.__setattr__(self, side, number)
        if not self.low < self.high:
            way = FIXED if self.low == self.high else "swap or widen the bounds"
            got = f"low={self.low!r} and high={self.high!r}"
            raise ProblemError(f"Parameter {self.name!r}: high must exceed low, got {got}; {way}.")
        object.__setattr__(self, "automatic", self.log is None)
        wide = self.low > 0.0 and self.high / self.low >= WIDE
        chosen = wide if self.log is None else numbers.flag(f"Parameter {self.name!r}: log", self.log)
        object.__setattr__(self, "log", chosen)
        if self.log and self.low <= 0.0:
            raise ProblemError(
                f"Parameter {self.name!r}: log=True needs low > 0, got low={self.low!r}; raise low or drop log=True."
            )
        if self.log and math.log(self.low) == math.log(self.high):
            raise ProblemError(
                f"Parameter {self.name!r}: log=True needs bounds whose logarithms differ, got low={self.low!r} and "
                f"high={self.high!r}; drop log=True or widen the bounds."
            )

    def check(self, value: object) -> float:
        """The value as a float in [low, high]; raises ValueRefusedError otherwise."""
        number = as_float(value)
        if number is None or not self.low <= number <= self.high:
            way = unquoted(value, "give a point inside the bounds, or declare wider bounds")
            expected = f"a number in [{self.low!r}, {self.high!r}]"
            raise ValueRefusedError.of(f"Parameter {self.name!r}", expected, shown(value), way)
        return number

    def to_unit(self, value: float) -> float:
        """(value - low) / (high - low), on logarithms if log; clipped into [0, 1]."""
        if self.log:
            u = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        else:
            u = (value - self.low) / (self.high - self.low)
        return min(max(u, 0.0), 1.0)

    def from_unit(self, u: float) -> float:
        """The inverse of to_unit; 0 and 1 give low and high exactly, the result never leaves [low, high]."""
        u = float(u)
        if u <= 0.0:
            return self.low
        if u >= 1.0:
            return self.high
        if self.log:
            value = math.exp((1.0 - u) * math.log(self.low) + u * math.log(self.high))
        else:
            value = self.low + u * (self.high - self.low)
        return min(max(value, self.low), self.high)

    def from_units(self, u: Array) -> Array:
        """from_unit of many [q] at once, but for the last digit; [q]."""
        if self.log:
            value = np.exp((1.0 - u) * math.log(self.low) + u * math.log(self.high))
        else:
            value = self.low + u * (self.high - self.low)
        return np.minimum(np.maximum(value, self.low), self.high)

    def slope(self, u: Array) -> Array:
        """d from_unit/du at u [q]; [q]."""
        if self.log:
            return self.from_units(u) * (math.log(self.high) - math.log(self.low))
        return np.full(len(u), self.high - self.low)

    @property
    def width(self) -> int:
        """Columns of the unit cube."""
        return 1

    def place(self, value: float) -> tuple[float, ...]:
        """Coordinates of a value in its columns."""
        return (self.to_unit(value),)

    def places(self, values: Sequence[float]) -> Array:
        """Of many, the same to the last bit; [q, width]."""
        if self.log:
            return np.array([self.to_unit(value) for value in values], dtype=float).reshape(-1, 1)
        scaled = (np.array(values, dtype=float) - self.low) / (self.high - self.low)
        return np.minimum(np.maximum(scaled, 0.0), 1.0).reshape(-1, 1)

    def value_at(self, u: Sequence[float]) -> float:
        """The value with these coordinates."""
        return self.from_unit(u[0])

    def values_at(self, x: Array) -> Array:
        """Of many coordinates [q, width]; [q]."""
        return self.from_units(x[:, 0])

    def levels(self, first: int) -> None:
        """No list of admissible values; others have one, first: their first column."""

    def parsed(self, text: str) -> object:
        """What a text in a file or a command means: a number, or None."""
        return from_text(text)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-able form."""
        return {"type": "real", "name": self.name, "low": self.low, "high": self.high, "log": self.log}


def unquoted(value: object, otherwise: str) -> str:
    """What to do about a value that is no number."""
    return "write the number without quotes" if isinstance(value, str) and from_text(value) is not None else otherwise


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ProblemError(
            f"{what} {name!r}: a name must start with a letter or underscore and go on with letters, digits, "
            f"'_', '.' or '-', got {name!r}."
        )
