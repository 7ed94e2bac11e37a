"""Is everything worth knowing known? In a problem without real parameters there are only so many designs.

A design is settled, and no value there can change the answer any more, if a constraint was violated there, a function
could not be computed, everything was measured, or its objective is no better than that of the best verified design. Of
a known objective the last can be said of designs at which nothing was measured.
When all designs are settled (or what is open of them is under way), there is nothing left to ask for.
"""

import numpy as np

from taut.base.arrays import Array, Flags
from taut.base.domain import Domain
from taut.data.dataset import Dataset
from taut.data.measured import Measured

ALL_KNOWN = "everything worth knowing is known: no evaluation that is left can change the answer"


ROUNDING = 1e-9
"""Relative: values of arrays this close are computed again as the user's own function has them."""


class ExhaustedError(Exception):
    """A method found no evaluation that could bring anything new."""


def exhausted(dataset: Dataset, domain: Domain) -> bool:
    """Is there no evaluation left that could change the answer? Never while a parameter is real or a function noisy."""
    if not domain.finite or any(view.noise is not None for view in dataset.functions):
        return False
    measured, under_way = Measured.of(dataset), np.unique(np.vstack(dataset.pending), axis=0)
    unseen = _unseen(domain, np.vstack([measured.points, under_way]))
    if unseen is None or not no_better(dataset, measured, unseen).all():
        return False
    new = [x for x in under_way if measured.at(x, 0.0) is None]
    return all(_waits(dataset, measured, x) for x in [*measured.points[~settled(measured)], *new])


def _unseen(domain: Domain, points: Array) -> Array | None:
    """Designs of a finite domain that are not among points [m, d], of which some may be outside it; None: too many."""
    if domain.limits is None:
        return points[:0] if len(np.unique(points, axis=0)) >= domain.size else None
    if domain.members is None:
        return None
    seen = {x.tobytes() for x in points}
    fresh = np.array([x.tobytes() not in seen for x in domain.members], dtype=bool)
    return np.asarray(domain.members[fresh])


def no_better(dataset: Dataset, measured: Measured, x: Array) -> Flags:
    """Are designs x [q, d] known to be no better than the best verified one? [q]."""
    known = dataset.functions[0].known
    if not len(x) or known is None or measured.best is None:
        return np.zeros(len(x), dtype=bool)
    best = float(measured.y[measured.best, 0])
    value, rounding = known(x)[0], ROUNDING * max(abs(best), 1.0)
    worse: Flags = ~(value > best + rounding)
    close = np.flatnonzero(worse & (value > best - rounding))
    worse[close] = known.values(x[close]) <= best
    return worse


def settled(measured: Measured) -> Flags:
    """Designs that can no longer become the answer, or are known whole; [p]."""
    f, best = measured.y[:, 0], measured.best
    no_better = f <= (-np.inf if best is None else f[best])  # False where it is not known
    return np.asarray(measured.violated | measured.whole | no_better)


def _waits(dataset: Dataset, measured: Measured, x: Array) -> bool:
    """Is everything under way at x [d] that was not measured there?"""
    at = measured.at(x, 0.0)
    missing = [k for k in range(len(dataset.X)) if at is None or np.isnan(measured.y[at, k])]
    return all(bool((dataset.pending[k] == x).all(axis=1).any()) for k in missing)
