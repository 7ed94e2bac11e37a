"""On which scale the objective is modelled: as it is, or on a logarithmic one (data/bend.py).

Evidence over all values is not precision at the optimum: where the worst values dwarf the others, a logarithm explains
all of them better, also where the straight scale is the one on which the optimum can be found (Rosenbrock). So scales
compete by how well each of the better half of the values is predicted from all others,

    sum over the better half of  log p(w(y_i) | all others) + log w'(y_i)

and another scale than the straight one must be better by a margin for each of them. It is decided again and again as
values come, so that the straight scale comes back where it predicts better near the optimum. Tried are a logarithm with
its asymptote at 0, where all values have one sign, and one that begins at the median gap to the best value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from taut.base.arrays import Array
from taut.base.triangular import solve_lower
from taut.data.bend import STRAIGHT, Bend
from taut.surrogate.fit import Fitted
from taut.surrogate.gp import GP
from taut.surrogate.settings import ModelSettings

LEAST = 1e-60  # of the spread of the values: no size is smaller
LEAST_BETTER = 3  # values by which scales are judged, at least


def declared(y: Array) -> tuple[Bend, ...]:
    """What scale="log" may mean for values y [n]: the logarithm if they have one sign."""
    if len(y) < 2 or np.ptp(y) == 0.0:
        return ()
    best, worst = float(y.max()), float(y.min())
    if best < 0.0:
        return (Bend(best, -best),)
    if worst > 0.0:
        return (Bend(worst, worst, True),)
    return _falling(y)


def considered(y: Array, kept: Bend, settings: ModelSettings) -> tuple[Bend, ...]:
    """Scales worth trying for values y [n] of which nothing was declared: none unless the worst dwarf the others.

    kept: the present one, which stands in for one that is almost the same.
    """
    if len(y) < settings.bend_values or np.ptp(y) == 0.0:
        return ()
    best = float(y.max())
    gap = best - y[y < best]
    if gap.max() <= settings.bend_heavy * np.median(gap):
        return ()
    plain = (Bend(best, -best),) if best < 0.0 and float(y.min()) < settings.bend_heavy * best else ()
    middle = Bend(best, float(np.median(gap)))
    same = kept.size and 0.5 * middle.size < kept.size < 2.0 * middle.size
    return tuple(dict.fromkeys((*plain, kept if same else middle)))


def _falling(y: Array) -> tuple[Bend, ...]:
    """With the median gap to the best value as the size, the smallest, and in between."""
    best = float(y.max())
    gap = best - y[y < best]
    middle = float(np.median(gap))
    low = max(float(gap.min()), LEAST * float(gap.max()))
    return tuple(Bend(best, s) for s in dict.fromkeys((middle, float(np.sqrt(low * middle)), low)))


def pinned(bend: Bend, y: Array) -> Bend:
    """The same asymptote with the pivot at the best value there is now; straight if values went beyond it."""
    if not bend.size or not len(y):
        return bend
    if bend.rising:
        end, pivot = bend.pivot - bend.size, float(y.min())
        size = pivot - end
    else:
        end, pivot = bend.pivot + bend.size, float(y.max())
        size = end - pivot
    return Bend(pivot, size, bend.rising) if size > LEAST * float(np.ptp(y)) else STRAIGHT


def left_out(gp: GP) -> Array:
    """Of every value the log density of its prediction from all others; [n].

    With R = C + rho I, the error of the prediction is alpha_i/(R^-1)_ii and its variance a/(R^-1)_ii; Student-t.
    """
    diagonal = np.square(solve_lower(gp.L, np.eye(len(gp.X)))).sum(axis=0)
    sd = np.sqrt(gp.amplitude / diagonal)
    z = gp.scale * gp.alpha[:, 0] / diagonal / sd
    nu = gp.hyper.nu
    if not np.isfinite(nu):
        normal: Array = -0.5 * z**2 - np.log(sd) - 0.5 * np.log(2.0 * np.pi)
        return normal
    constant = gammaln(0.5 * (nu + 1.0)) - gammaln(0.5 * nu) - 0.5 * np.log(nu * np.pi)
    density: Array = constant - 0.5 * (nu + 1.0) * np.log1p(z**2 / nu) - np.log(sd)
    return density


def due(n: int, decided: int, settings: ModelSettings) -> bool:
    """Is the scale to be decided again?"""
    return n != decided and (n <= settings.bend_until or n >= settings.bend_growth * decided)


def likeliest(fits: Sequence[tuple[Fitted, Bend]], y: Array) -> int:
    """The position of the scale with the largest evidence."""
    return int(np.argmax([fitted.evidence + float(bend.log_slope(y).sum()) for fitted, bend in fits]))


def choice(fits: Sequence[tuple[Fitted, Bend]], y: Array, settings: ModelSettings) -> int:
    """The position of the scale that predicts the better half of the values best; the first is the straight one."""
    if len(fits) == 1:
        return 0
    better = np.argsort(-y, kind="stable")[: max(len(y) // 2, LEAST_BETTER)]
    scores = np.array([float((left_out(fitted.gp) + bend.log_slope(y))[better].sum()) for fitted, bend in fits])
    scores[0] += settings.bend_margin + settings.bend_margin_each * len(better)
    return int(np.argmax(scores))
