"""Design variables with a list of admissible values: whole numbers, catalogues, choices.

A point holds what the user would write: an int, the catalogue's own number, the option itself. Columns of the unit cube
hold nothing but the places of such values (base/levels.py), and nothing is rounded on the way back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from taut.base import numbers
from taut.base.arrays import Array
from taut.base.errors import ProblemError, ValueRefusedError, way_out
from taut.base.levels import Counted, Levels, Options, Ordered, option_columns, option_places
from taut.base.numbers import as_float, finite, from_text, shown
from taut.problem.parameters import FIXED, WIDE, Real, _check_name, unquoted

LARGEST_WHOLE = 2**53
"""Beyond this a float no longer tells whole numbers apart."""
TABLED = 4096
"""Equally spaced levels up to which they are kept in a table."""
MOST = 100_000
"""Levels of a catalogue, or of whole numbers on a logarithmic scale."""
SAME = 1e-12
"""Relative: a number this close to one of a catalogue is that one."""
TEXT = 200
"""Characters of an option."""


class _Listed:
    """What parameters with one column and a list of places share."""

    __slots__ = ()
    name: str
    width = 1

    def to_unit(self, value: Any) -> float:
        """The place of an admissible value."""
        raise NotImplementedError

    def from_unit(self, u: float) -> Any:
        """The value whose place is next to u."""
        raise NotImplementedError

    def place(self, value: Any) -> tuple[float, ...]:
        """Coordinates of a value in its columns."""
        return (self.to_unit(value),)

    def places(self, values: Sequence[Any]) -> Array:
        """Of many; [q, width]."""
        found = {value: self.to_unit(value) for value in set(values)}
        return np.array([found[value] for value in values], dtype=float).reshape(-1, 1)

    def value_at(self, u: Sequence[float]) -> Any:
        """The value with these coordinates."""
        return self.from_unit(u[0])

    def values_at(self, x: Array) -> Array:
        """Of many coordinates [q, width], as numbers; [q]."""
        levels, values = _levels_and_values(self)
        if values is None:  # too many for a table
            return np.array([float(self.from_unit(u)) for u in x[:, 0]], dtype=float)
        return values[levels.nearest(x)]


@dataclass(frozen=True, slots=True)
class Integer(_Listed):
    """A whole number from low to high; log: searched on a logarithmic scale?"""

    name: str
    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        _check_name("Parameter", self.name)
        what = f"Parameter {self.name!r}"
        for side in ("low", "high"):
            number = _whole(getattr(self, side))
            if number is None or abs(number) > LARGEST_WHOLE:
                got, way = shown(getattr(self, side)), "give the smallest and the largest number to try"
                raise ProblemError.of(f"{what}: {side}", "a whole number of at most 2**53 in size", got, way)
            object.__setattr__(self, side, number)
        if not self.low < self.high:
            got = f"low={self.low!r} and high={self.high!r}"
            way = FIXED if self.low == self.high else "swap or widen the bounds"
            raise ProblemError(f"{what}: high must exceed low, got {got}; {way}.")
        object.__setattr__(self, "log", numbers.flag(f"{what}: log", self.log))
        if self.log and self.low <= 0:
            raise ProblemError(f"{what}: log=True needs low > 0, got low={self.low!r}; raise low or drop log=True.")
        if self.log and self.high - self.low >= MOST:
            got = f"low={self.low!r} and high={self.high!r}"
            raise ProblemError(
                f"{what}: log=True needs at most {MOST} numbers from low to high, got {got}; take another unit, or "
                "taut.Real(log=True)."
            )

    def check(self, value: object) -> int:
        """The value as an int in [low, high]; raises ValueRefusedError otherwise."""
        number = _whole(value)
        if number is None or not self.low <= number <= self.high:
            near, exact = _nearest_whole(value, self.low, self.high), "give a whole number inside the bounds"
            raise ValueRefusedError.of(
                f"Parameter {self.name!r}",
                f"a whole number from {self.low!r} to {self.high!r}",
                shown(value),
                unquoted(value, exact) if near is None else f"the nearest is {near!r}",
            )
        return number

    def to_unit(self, value: int) -> float:
        """The coordinate of a value in [0, 1]."""
        if self.log:
            bottom = math.log(self.low)
            return min(max((math.log(value) - bottom) / (math.log(self.high) - bottom), 0.0), 1.0)
        return (value - self.low) / (self.high - self.low)

    def from_unit(self, u: float) -> int:
        """The value that is nearest to a coordinate."""
        u = min(max(float(u), 0.0), 1.0)
        if not self.log:
            return self.low + round(u * (self.high - self.low))
        about = math.floor(math.exp((1.0 - u) * math.log(self.low) + u * math.log(self.high)))
        near = [min(max(number, self.low), self.high) for number in (about, about + 1)]
        return min(near, key=lambda number: abs(self.to_unit(number) - u))

    def levels(self, first: int) -> Levels:
        """The coordinates of its values, from column `first` on; None where every number is a value."""
        count = self.high - self.low + 1
        if count > TABLED and not self.log:
            return Counted(first, count)
        return Ordered(first, count, tuple(self.to_unit(value) for value in range(self.low, self.high + 1)))

    def parsed(self, text: str) -> object:
        """What a text from a command line or a table stands for, not checked yet."""
        return from_text(text)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-able form."""
        return {"type": "integer", "name": self.name, "low": self.low, "high": self.high, "log": self.log}


@dataclass(frozen=True, slots=True)
class Ordinal(_Listed):
    """One number of a catalogue, any spacing; log: on a logarithmic scale? None: if all > 0 and last/first >= 50."""

    name: str
    values: tuple[float, ...]
    log: bool

    def __init__(self, name: str, values: Iterable[float], log: bool | None = None) -> None:
        _check_name("Parameter", name)
        what, way = f"Parameter {name!r}: values", "write for example values=(0.5, 0.8, 1.2)"
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
            raise ProblemError.of(what, "a list of at least two numbers", shown(values), way)
        given = [_catalogued(value) for value in values]
        for value in given:
            if finite(value) is None:
                raise ProblemError.of(what, numbers.FINITE, shown(value), unquoted(value, way))
        found = tuple(sorted(given))
        if not 2 <= len(found) <= MOST or len(set(found)) < len(found):
            way = FIXED if len(found) == 1 else way
            raise ProblemError.of(what, f"from 2 to {MOST} different numbers", shown(found), way)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", found)
        object.__setattr__(self, "log", self._wide if log is None else numbers.flag(f"Parameter {name!r}: log", log))
        if self.log and not (self.low > 0.0 and math.log(self.low) < math.log(self.high)):
            got = f"values from {self.low!r} to {self.high!r}"
            need = "log=True needs values above 0 whose logarithms differ"
            raise ProblemError(f"Parameter {name!r}: {need}, got {got}; drop log=True.")

    @property
    def low(self) -> float:
        """The smallest value."""
        return self.values[0]

    @property
    def high(self) -> float:
        """The largest value."""
        return self.values[-1]

    @property
    def _wide(self) -> bool:
        """What log is if it is left open."""
        return self.low > 0.0 and self.high / self.low >= WIDE

    def check(self, value: object) -> float:
        """The catalogue's own number; raises ValueRefusedError if it has none like that."""
        number = as_float(_plain(value))
        near = None if number is None or math.isnan(number) else min(self.values, key=lambda each: abs(each - number))
        if number is None or near is None or abs(near - number) > SAME * max(abs(self.low), abs(self.high)):
            hint = unquoted(value, f"write for example {self.values[0]!r}")
            hint = hint if near is None else f"the nearest is {near!r}"
            raise ValueRefusedError.of(f"Parameter {self.name!r}", f"one of {_some(self.values)}", shown(value), hint)
        return near

    def to_unit(self, value: float) -> float:
        """The coordinate of a value in [0, 1]."""
        if self.log:
            bottom = math.log(self.low)
            return min(max((math.log(value) - bottom) / (math.log(self.high) - bottom), 0.0), 1.0)
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def from_unit(self, u: float) -> float:
        """The value that is nearest to a coordinate."""
        return min(self.values, key=lambda value: abs(self.to_unit(value) - u))

    def levels(self, first: int) -> Levels:
        """The coordinates of its values, from column `first` on; None where every number is a value."""
        return Ordered(first, len(self.values), tuple(self.to_unit(value) for value in self.values))

    def parsed(self, text: str) -> object:
        """What a text from a command line or a table stands for, not checked yet."""
        return from_text(text)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-able form; log is said where it is not what the values imply, as older forms know no other."""
        form: dict[str, Any] = {"type": "ordinal", "name": self.name, "values": list(self.values)}
        return form if self.log == self._wide else form | {"log": self.log}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several options without an order: numbers or text."""

    name: str
    options: tuple[Any, ...]

    def __init__(self, name: str, options: Iterable[Any]) -> None:
        _check_name("Parameter", name)
        what, way = f"Parameter {name!r}: options", "write for example options=('steel', 'aluminium')"
        if isinstance(options, (str, bytes, Mapping)) or not isinstance(options, Iterable):
            raise ProblemError.of(what, "a list of at least two options", shown(options), way)
        if isinstance(options, Set):
            raise ProblemError.of(what, "a list", "a set, whose order may change from run to run", way)
        found = tuple(_plain(option) for option in options)
        for option in found:
            if not _is_option(option):
                expected = f"numbers, or texts of at most {TEXT} printable characters without spaces around them"
                raise ProblemError.of(what, expected, shown(option), way)
        texts = {str(option) for option in found}
        if not 2 <= len(found) <= MOST or len(texts) < len(found) or len(set(found)) < len(found):
            way = FIXED if len(found) == 1 else way
            raise ProblemError.of(what, f"from 2 to {MOST} different ones", shown(found), way)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", found)

    @property
    def width(self) -> int:
        """Columns."""
        return option_columns(len(self.options))

    @property
    def numeric(self) -> bool:
        """Are all options numbers?"""
        return not any(isinstance(option, str) for option in self.options)

    def check(self, value: object) -> Any:
        """The option itself; raises ValueRefusedError if there is none like that."""
        plain = _plain(value)
        exact = isinstance(plain, (str, int)) and not isinstance(plain, bool)
        wanted = plain if exact else as_float(plain)
        for option in self.options:
            if option == wanted:
                return option
        raise ValueRefusedError.of(
            f"Parameter {self.name!r}", f"one of {_some(self.options)}", shown(value), self._nearest(value)
        )

    def _nearest(self, value: object) -> str:
        number = as_float(value)
        figures = [option for option in self.options if not isinstance(option, str)]
        if number is not None and figures and not math.isnan(number):
            return f"the nearest is {min(figures, key=lambda option: abs(option - number))!r}"
        texts = [option for option in self.options if isinstance(option, str)]
        if not texts or (isinstance(value, str) and from_text(value) in figures):
            return unquoted(value, f"write for example {self.options[0]!r}")
        plain = _plain(value)
        return f"write it with quotes, {str(plain)!r}" if str(plain) in texts else way_out(plain, texts)

    def place(self, value: Any) -> tuple[float, ...]:
        """The coordinates of a value."""
        return option_places(self.options.index(value), len(self.options))

    def places(self, values: Sequence[Any]) -> Array:
        """The coordinates of many values; [q, width]."""
        found = {value: self.place(value) for value in set(values)}
        return np.array([found[value] for value in values], dtype=float).reshape(-1, self.width)

    def value_at(self, u: Sequence[float]) -> Any:
        """The value with these coordinates."""
        return self.options[int(self.levels(0).nearest(np.array([u], dtype=float))[0])]

    def values_at(self, x: Array) -> Array:
        """As numbers where all options are, else as objects."""
        table = np.empty(len(self.options), dtype=float if self.numeric else object)
        table[:] = self.options
        return table[self.levels(0).nearest(x)]

    def levels(self, first: int) -> Levels:
        """The coordinates of its values, from column `first` on; None where every number is a value."""
        return Options(first, len(self.options))

    def parsed(self, text: str) -> object:
        """The option that a text in a file or a command means, or the text."""
        number = from_text(text)
        for option in self.options:
            if text in (str(option), f"'{option}") or (number is not None and option == number):
                return option
        return text

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON-able form."""
        return {"type": "choice", "name": self.name, "options": list(self.options)}


Parameter = Real | Integer | Ordinal | Choice
KINDS: dict[str, Callable[..., Parameter]] = {"real": Real, "integer": Integer, "ordinal": Ordinal, "choice": Choice}
"""By the word for them in study files and storages."""


@lru_cache(maxsize=256)
def _levels_and_values(parameter: Integer | Ordinal) -> tuple[Levels, Array | None]:
    """The levels and, unless there are too many, their values [count]."""
    levels = parameter.levels(0)
    if isinstance(parameter, Ordinal):
        return levels, np.array(parameter.values, dtype=float)
    if isinstance(levels, Counted):
        return levels, None
    return levels, np.arange(parameter.low, parameter.high + 1, dtype=float)


def _parameter_from_dict(entry: Mapping[str, Any]) -> Parameter:
    fields = dict(entry)
    kind = fields.pop("type", "real")
    if kind not in KINDS:
        way = "it may have been written by a newer taut"
        raise ProblemError.of(f"Parameter {fields.get('name')!r}: type", f"one of {', '.join(KINDS)}", repr(kind), way)
    return KINDS[kind](**fields)


def _plain(value: object) -> Any:
    """Scalars of NumPy and members of an Enum as Python's own numbers and texts; anything else as it is.

    A float of less than 64 bits is the number that it is printed as: 0.207, not 0.2070000022649765.
    """
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        narrow = isinstance(value, (np.generic, np.ndarray)) and value.itemsize < 8
        value = float(str(value)) if narrow and isinstance(value.item(), float) else value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else value


def _catalogued(value: object) -> Any:
    """A number of a catalogue: an int, or any other as a float; what is none as it is."""
    plain = _plain(value)
    number = finite(plain)
    return plain if number is None or isinstance(plain, int) else number


def _whole(value: object) -> int | None:
    """The value as an int if it is a whole number, else None."""
    plain = _plain(value)
    if isinstance(plain, int) and not isinstance(plain, bool):
        return plain
    number = as_float(value)
    return int(number) if number is not None and math.isfinite(number) and number == round(number) else None


def _nearest_whole(value: object, low: int, high: int) -> int | None:
    number = as_float(value)
    if number is None or math.isnan(number):
        return None
    return low if number <= low else high if number >= high else round(number)


def _is_option(option: object) -> bool:
    if isinstance(option, str):
        return 0 < len(option) <= TEXT and option.isprintable() and option == option.strip()
    return isinstance(option, (int, float)) and not isinstance(option, bool) and finite(option) is not None


def _some(values: Sequence[object]) -> str:
    """The values in words, of many only the first and the last."""
    words = [repr(value) for value in values]
    return ", ".join(words if len(words) <= 12 else [*words[:6], "...", *words[-3:]])
