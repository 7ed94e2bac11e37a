"""Values of one function at one point: averaged where it is deterministic, gathered without loss where it is noisy.

r values at one point with noise variance s^2 say the same about the function as their mean with noise s^2/r: the
posterior is the same. About the noise their scatter says something as well,

    prod_i N(y_i | f, s^2) = N(mean | f, s^2/r) r^-1/2 (2 pi s^2)^-(r - 1)/2 exp(-scatter/(2 s^2))

with scatter = sum_i (y_i - mean)^2, and so the likelihood is the same too (up to a constant).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array, Ints


@dataclass(frozen=True)
class Repeats:
    """Of gathered values: how many there are at each point [n], and their scatter [n]."""

    count: Array
    scatter: Array

    @property
    def share(self) -> Array:
        """Noise variance of each mean, in those of one value; [n]."""
        return 1.0 / self.count

    @property
    def more(self) -> float:
        """Values beyond one at each point."""
        return float(self.count.sum() - len(self.count))

    def part(self, rows: Ints) -> Repeats:
        return Repeats(self.count[rows], self.scatter[rows])

    def scaled(self, scale: float) -> Repeats:
        """The same for values divided by a scale."""
        return Repeats(self.count, self.scatter / scale**2)


def merge_repeats(X: Array, y: Array, distance: float) -> tuple[Array, Array]:
    """Average values at one point, in order of first appearance: a deterministic function cannot have two."""
    first = _first_within(X, distance)
    if len(X) < 2 or np.array_equal(first, np.arange(len(X))):
        return X, y
    kept, group = np.unique(first, return_inverse=True)
    return X[kept], np.bincount(group, weights=y) / np.bincount(group)


def gather_repeats(X: Array, y: Array, distance: float) -> tuple[Array, Array, Repeats]:
    """Points [n, d] in order of first appearance, means [n], and what was gathered."""
    kept, group = np.unique(_first_within(X, distance), return_inverse=True)
    count = np.bincount(group).astype(float)
    mean = np.bincount(group, weights=y) / count
    scatter = np.bincount(group, weights=(y - mean[group]) ** 2).astype(float)
    return X[kept], mean, Repeats(count, scatter)


def _first_within(X: Array, distance: float) -> Ints:
    """For every row the first row within a distance (max-norm); [n].

    Rows at one point have almost equal projections, so only rows with a close neighbour among the sorted projections
    are compared with each other. Equal rows are compared once.
    """
    first = np.arange(len(X))
    weights = np.sqrt(np.arange(2.0, 2.0 + X.shape[1]))
    shadow, reach = X @ weights, distance * float(weights.sum())
    order = np.argsort(shadow, kind="stable")
    close = np.diff(shadow[order]) <= reach
    suspects = np.unique(np.concatenate([order[1:][close], order[:-1][close]]))
    if not len(suspects):
        return first
    _, index, inverse = np.unique(X[suspects], axis=0, return_index=True, return_inverse=True)
    equal = suspects[index]  # the first of equal rows
    first[suspects] = equal[inverse.ravel()]
    different = equal[np.argsort(shadow[equal], kind="stable")]
    shadows = shadow[different]
    begin = np.searchsorted(shadows, shadows - 2.0 * reach)  # twice: sums of different rows round differently
    end = np.searchsorted(shadows, shadows + 2.0 * reach, side="right")
    for i in np.flatnonzero(end - begin > 1)[np.argsort(different[end - begin > 1], kind="stable")]:
        rows = different[begin[i] : end[i]]
        near = rows[(np.abs(X[rows] - X[different[i]]).max(axis=1) <= distance) & (rows <= different[i])]
        first[different[i]] = first[near.min()]
    first[suspects] = first[first[suspects]]
    return first
