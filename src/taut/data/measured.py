"""What was measured at every evaluated point, as arrays in inner form: which designs are known whole, and hold."""

from dataclasses import dataclass

import numpy as np

from taut.base.arrays import Array, Flags, Ints
from taut.data.dataset import Dataset
from taut.data.designs import SAME


@dataclass(frozen=True)
class Measured:
    """Every evaluated point once, with what was measured there, in inner form; points of one design are one.

    points: [p, d]; y: means of the values [p, K + 1], nan where there is none; failed: where a function failed, whether
    or not it has a value from another time [p, K + 1]: what fails now and then is no answer (designs.py).
    """

    dataset: Dataset
    points: Array
    y: Array
    failed: Flags

    @staticmethod
    def of(dataset: Dataset) -> "Measured":
        X = np.vstack([*dataset.X, *dataset.failed])
        points, place = _united(*np.unique(X, axis=0, return_inverse=True))
        places = np.split(place.ravel(), np.cumsum([len(part) for part in (*dataset.X, *dataset.failed)])[:-1])
        shape = len(points), len(dataset.functions)
        y, failed = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
        for k, values in enumerate(dataset.y):
            with np.errstate(invalid="ignore"):
                y[:, k] = _means(places[k], values, len(points))
            failed[places[len(dataset.y) + k], k] = True
        for k, view in enumerate(dataset.functions):
            if view.known is not None:  # known wherever anything was evaluated
                y[:, k] = view.known.values(points) * view.unit
                failed[:, k] = np.isnan(y[:, k])
        return Measured(dataset, points, y, failed)

    @staticmethod
    def with_known(dataset: Dataset, whole: Dataset) -> "Measured":
        """With the known constraints of the whole dataset after its functions: they are measured everywhere."""
        names = {view.name for view in dataset.functions}
        known = tuple(view for view in whole.functions if view.name not in names)
        if not known:
            return Measured.of(dataset)
        nowhere = tuple(np.empty((0, dataset.dimension)) for _ in known)
        return Measured.of(
            Dataset(
                (*dataset.functions, *known),
                dataset.dimension,
                (*dataset.X, *nowhere),
                (*dataset.y, *(np.empty(0) for _ in known)),
                (*dataset.failed, *nowhere),
                (*dataset.pending, *nowhere),
            )
        )

    @property
    def violated(self) -> Flags:
        """Where a measured value is outside its bounds, or a function failed; [p]."""
        lower = np.array([view.lower for view in self.dataset.functions])
        upper = np.array([view.upper for view in self.dataset.functions])
        return np.asarray(((self.y < lower) | (self.y > upper) | self.failed).any(axis=1))

    @property
    def whole(self) -> Flags:
        """Where all functions were measured; [p]."""
        return np.asarray(~np.isnan(self.y).any(axis=1))

    @property
    def best(self) -> int | None:
        """The verified design with the largest objective: whole, and all constraints held as measured."""
        verified = np.flatnonzero(self.whole & ~self.violated)
        return int(verified[np.argmax(self.y[verified, 0])]) if len(verified) else None

    def at(self, x: Array, distance: float) -> int | None:
        """The design at x [d], if there is one within a distance (max-norm)."""
        if not len(self.points):
            return None
        far = np.abs(self.points - x).max(axis=1)
        return int(far.argmin()) if far.min() <= distance else None

    def snapped(self, x: Array, distance: float) -> Array:
        """x [d], or the evaluated point next to it, so that the values of one design are of one design."""
        at = self.at(x, distance)
        return x if at is None else np.asarray(self.points[at])

    def value(self, k: int, x: Array, distance: float) -> float | None:
        """Of function k at x [d], if it was measured there."""
        at = self.at(x, distance)
        return None if at is None or np.isnan(self.y[at, k]) else float(self.y[at, k])


def _united(points: Array, place: Ints) -> tuple[Array, Ints]:
    """Different points [p, d] and the place of every row [n], with points that are one design as one.

    A place that is asked for again comes back from the user's units in another last digit now and then. Points of one
    design are next to each other along any direction.
    """
    direction = 1.0 + 0.5 * np.sin(np.arange(1.0, points.shape[1] + 1.0))  # along which grids have no planes
    along = points @ direction
    order = np.argsort(along, kind="stable")
    near = np.diff(along[order]) <= SAME * direction.sum()
    if not near.any():
        return points, place
    label = np.arange(len(points))
    for run in (each for each in np.split(order, np.flatnonzero(~near) + 1) if len(each) > 1):
        for i in np.sort(run)[1:]:
            before = np.sort(run[run < i])
            same = before[np.abs(points[before] - points[i]).max(axis=1, initial=0.0) <= SAME]
            label[i] = label[same[0]] if len(same) else i
    first, inverse = np.unique(label, return_inverse=True)
    return points[first], np.asarray(inverse[place.ravel()], dtype=np.intp)


def _means(place: Ints, values: Array, count: int) -> Array:
    """Mean of the values at each place; nan where there is none. [count]."""
    sums, counts = np.bincount(place, weights=values, minlength=count), np.bincount(place, minlength=count)
    single: Array = np.full(count, np.nan)
    single[place] = values
    return np.where(counts > 1, sums / counts, single)  # one value stays as it is, to the last digit
