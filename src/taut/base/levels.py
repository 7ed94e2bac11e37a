"""The admissible values of one discrete parameter, as places in its columns of the unit cube.

| kind | columns | places |
| --- | --- | --- |
| Ordered | 1 | a table of increasing numbers: a catalogue, or whole numbers on either scale |
| Counted | 1 | i/(m - 1): very many whole numbers, without a table |
| Options | 1 for two options, else one an option | corners of a simplex: every option is as far from every other |

Levels have numbers 0, 1, ..., count - 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taut.base.arrays import Array, Ints
from taut.base.knob import NEVER_TUNED, knob


@dataclass(frozen=True)
class LevelSettings:
    """Where options lie, and which levels are neighbours."""

    option_distance: float = knob(
        0.25, "of the unit cube: between two options of a choice", "benchmarks/choice_kernels.py, see docs/method.md"
    )
    wide: int = knob(6, "one in so many levels of an ordered parameter is a wide step to a neighbour", NEVER_TUNED)


LEVELS = LevelSettings()
OPTION_DISTANCE = LEVELS.option_distance


@dataclass(frozen=True)
class Levels(ABC):
    """One discrete parameter. first: its first column; count: of its values."""

    first: int
    count: int

    @property
    def width(self) -> int:
        """Columns."""
        return 1

    @property
    def columns(self) -> slice:
        return slice(self.first, self.first + self.width)

    @abstractmethod
    def places(self, index: Ints) -> Array:
        """Coordinates of levels [q] in the columns; [q, width]."""

    @abstractmethod
    def nearest(self, x: Array) -> Ints:
        """Levels next to coordinates x [q, width]; [q]."""

    def moves(self, index: Ints) -> Ints:
        """Other levels to try from each of index [q], the same level where there is none; [q, m].

        The next ones on both sides, and of many also one that is far away.
        """
        wide = self.count // LEVELS.wide
        steps = np.array([-1, 1] if wide < 2 else [-1, 1, -wide, wide])
        to = index[:, None] + steps
        return np.where((to >= 0) & (to < self.count), to, index[:, None])


@dataclass(frozen=True)
class Ordered(Levels):
    """table: coordinates of all levels, increasing; a tuple, so that equal domains are equal."""

    table: tuple[float, ...]

    @cached_property
    def _table(self) -> Array:
        return np.array(self.table)

    @cached_property
    def _middles(self) -> Array:
        return 0.5 * (self._table[1:] + self._table[:-1])

    def places(self, index: Ints) -> Array:
        return self._table[index][:, None]

    def nearest(self, x: Array) -> Ints:
        return np.searchsorted(self._middles, x[:, 0])


@dataclass(frozen=True)
class Counted(Levels):
    """Equally spaced levels."""

    def places(self, index: Ints) -> Array:
        places: Array = index[:, None] / (self.count - 1)
        return places

    def nearest(self, x: Array) -> Ints:
        return np.rint(np.clip(x[:, 0], 0.0, 1.0) * (self.count - 1)).astype(np.intp)


@dataclass(frozen=True)
class Options(Levels):
    """Levels without an order."""

    @property
    def width(self) -> int:
        return option_columns(self.count)

    @cached_property
    def _table(self) -> Array:
        return np.array([option_places(i, self.count) for i in range(self.count)])

    def places(self, index: Ints) -> Array:
        return self._table[index]

    def nearest(self, x: Array) -> Ints:
        if self.width == 1:
            return (x[:, 0] > 0.5 * OPTION_DISTANCE).astype(np.intp)
        highest: Ints = np.argmax(x, axis=1)
        return highest

    def moves(self, index: Ints) -> Ints:
        """All others."""
        others: Ints = (index[:, None] + np.arange(1, self.count)) % self.count
        return others


def option_columns(count: int) -> int:
    """Columns of a choice between so many options."""
    return 1 if count == 2 else count


def option_places(index: int, count: int) -> tuple[float, ...]:
    """Coordinates of one option; any two are OPTION_DISTANCE apart."""
    if count == 2:
        return (OPTION_DISTANCE * index,)
    height = OPTION_DISTANCE / np.sqrt(2.0)
    return tuple(float(height) if i == index else 0.0 for i in range(count))
