"""Formulas over many points at once, with exact slopes: forward mode, one array of slopes a number.

| rule | slope |
| --- | --- |
| a + b, a - b | a' + b', a' - b' |
| a * b, a / b | a' b + a b', (a' - (a/b) b')/b |
| a ** b | b a^(b-1) a' + a^b log(a) b' |
| h(a) | h'(a) a' |
| min, max | of the first that is smallest or largest |

Where a value cannot be computed it is nan, and slopes that are not finite are 0: a search finds no way there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from taut.base.arrays import Array, Flags
from taut.base.numbers import LARGEST
from taut.problem.formula import Algebra, Formula, Lookup, evaluated


class Dual(NamedTuple):
    """Values [q] (or one number for all points) and slopes with respect to p parameters [p, q]; None: none."""

    value: Array
    slope: Array | None = None


def values(formula: Formula, columns: Mapping[str, Array], tables: Mapping[Lookup, Array]) -> Array:
    """The formula at q points, given by the values of each parameter [q]; nan where it cannot be computed. [q].

    tables: what each look-up gives at every point [q].
    """
    return _finite(_computed(formula, columns, tables, ()).value, columns)


def values_with_slopes(
    formula: Formula, columns: Mapping[str, Array], tables: Mapping[Lookup, Array], by: tuple[str, ...]
) -> tuple[Array, Array]:
    """The same [q], and its slopes with respect to the parameters `by` [p, q]."""
    found = _computed(formula, columns, tables, by)
    value = _finite(found.value, columns)
    slope = np.zeros((len(by), len(value)))
    if found.slope is not None:
        slope[:] = found.slope
        slope[~np.isfinite(slope) | np.isnan(value)] = 0.0
    return value, slope


def _finite(value: Array, columns: Mapping[str, Array]) -> Array:
    full = np.empty(len(next(iter(columns.values()))))
    full[:] = value
    full[~(np.abs(full) <= LARGEST)] = np.nan
    return full


def _computed(
    formula: Formula, columns: Mapping[str, Array], tables: Mapping[Lookup, Array], by: tuple[str, ...]
) -> Dual:
    unit = np.eye(len(by))

    def name(which: str) -> Dual:
        if which not in columns:
            return Dual(np.float64(math.pi))  # type: ignore[arg-type]
        return Dual(columns[which], unit[by.index(which)][:, None] if which in by else None)

    algebra = Algebra(_constant, name, lambda which: Dual(tables[which]), _OPERATORS, _FUNCTIONS, _negative)
    with np.errstate(all="ignore"):
        return evaluated(formula.tree, algebra)


def _constant(number: float) -> Dual:
    return Dual(np.float64(number))  # type: ignore[arg-type]


def _negative(a: Dual) -> Dual:
    return Dual(-a.value, None if a.slope is None else -a.slope)


def _sum(*terms: Array | None) -> Array | None:
    """The sum of those that are there."""
    there = [term for term in terms if term is not None]
    return sum(there[1:], there[0]) if there else None


def _times(weight: Array, slope: Array | None) -> Array | None:
    return None if slope is None else weight * slope


def _product(a: Dual, b: Dual) -> Dual:
    return Dual(a.value * b.value, _sum(_times(b.value, a.slope), _times(a.value, b.slope)))


def _quotient(a: Dual, b: Dual) -> Dual:
    value = a.value / b.value
    return Dual(value, _sum(_times(1.0 / b.value, a.slope), _times(-value / b.value, b.slope)))


def _power(a: Dual, b: Dual) -> Dual:
    value = np.power(a.value, b.value)
    by_base = None if a.slope is None else b.value * np.power(a.value, b.value - 1.0) * a.slope
    by_power = None if b.slope is None else np.where(a.value == 0.0, 0.0, value * np.log(a.value)) * b.slope
    return Dual(value, _sum(by_base, by_power))


def _chosen(pick: Callable[[Array, Array], Flags]) -> Callable[..., Dual]:
    def of(first: Dual, *others: Dual) -> Dual:
        best = first
        for other in others:
            other_wins = pick(other.value, best.value)
            value = np.where(other_wins, other.value, best.value)
            value = np.where(np.isnan(best.value) | np.isnan(other.value), np.nan, value)
            slope = None
            if best.slope is not None or other.slope is not None:
                zero = np.zeros(1)
                one, two = (zero if each is None else each for each in (best.slope, other.slope))
                slope = np.where(other_wins, two, one)
            best = Dual(value, slope)
        return best

    return of


def _smooth(function: Callable[[Array], Array], slope: Callable[[Array], Array]) -> Callable[[Dual], Dual]:
    def of(a: Dual) -> Dual:
        return Dual(function(a.value), None if a.slope is None else slope(a.value) * a.slope)

    return of


_OPERATORS: dict[str, Callable[[Dual, Dual], Dual]] = {
    "+": lambda a, b: Dual(a.value + b.value, _sum(a.slope, b.slope)),
    "-": lambda a, b: Dual(a.value - b.value, _sum(a.slope, None if b.slope is None else -b.slope)),
    "*": _product,
    "/": _quotient,
    "**": _power,
}
_FUNCTIONS: dict[str, Callable[..., Dual]] = {
    "sqrt": _smooth(np.sqrt, lambda a: 0.5 / np.sqrt(a)),
    "exp": _smooth(np.exp, np.exp),
    "log": _smooth(np.log, lambda a: 1.0 / a),
    "log10": _smooth(np.log10, lambda a: 1.0 / (a * math.log(10.0))),
    "sin": _smooth(np.sin, np.cos),
    "cos": _smooth(np.cos, lambda a: -np.sin(a)),
    "tan": _smooth(np.tan, lambda a: 1.0 + np.tan(a) ** 2),
    "asin": _smooth(np.arcsin, lambda a: 1.0 / np.sqrt(1.0 - a * a)),
    "acos": _smooth(np.arccos, lambda a: -1.0 / np.sqrt(1.0 - a * a)),
    "atan": _smooth(np.arctan, lambda a: 1.0 / (1.0 + a * a)),
    "abs": _smooth(np.abs, np.sign),
    "min": _chosen(lambda new, old: new < old),
    "max": _chosen(lambda new, old: new > old),
}
