"""Settings of questions to what is known: which constraints matter, what limits cost, what there is left to gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.base.knob import knob

JUDGED = "judgement, never tuned"


@dataclass(frozen=True)
class RelevanceSettings:
    """Does a constraint matter?"""

    samples: int = knob(512, "joint posterior samples of all functions", JUDGED)
    inner: int = knob(384, "inner points at which they are drawn,", JUDGED)
    known: int = knob(20, "best known points,", JUDGED)
    cloud: int = knob(128, "and points around x_r at all scales", JUDGED)
    way: tuple[float, ...] = knob(
        (1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0),
        "shares of the way to the optimum without a constraint",
        JUDGED,
    )
    near: float = knob(0.01, "of the parameters' ranges: a boundary this close to x_r binds", JUDGED)
    sure: float = knob(0.9, "share of samples that makes a verdict", JUDGED)
    never: float = knob(
        0.02,
        "share of samples in which a constraint that does not matter may have a price",
        "benchmarks/meaning.py: at 0 of 60 verdicts wrong, 1 without it; on the studies that chose it",
    )
    likely: float = knob(0.1, "probability of one better point behind it from which it may be excluding", JUDGED)
    known_gain: float = knob(1e-6, "gain without a known constraint, as a share of G - M, that counts", JUDGED)


@dataclass(frozen=True)
class OutlookSettings:
    """What there is left to gain."""

    samples: int = knob(256, "joint posterior samples of all functions", JUDGED)
    inner: int = knob(192, "inner points at which they are drawn,", JUDGED)
    known: int = knob(20, "best known points among them,", JUDGED)
    cloud: int = knob(64, "points around the recommendation at all scales,", JUDGED)
    optimistic: int = knob(96, "raw points that may be best if all functions are better than expected,", JUDGED)
    wide: int = knob(96, "and quasi-random points", JUDGED)


@dataclass(frozen=True)
class PriceSettings:
    """What a limit costs, and how far that holds."""

    samples: int = knob(32, "joint posterior samples whose optima give the interval of a price,", JUDGED)
    interval: tuple[float, float] = knob((0.025, 0.975), "and the quantiles that are its ends", JUDGED)
    exact: float = knob(
        0.01, "share of a price: slopes of a model are not told more exactly than that", "intervals missed by 0.3 %"
    )
    active: float = knob(1e-6, "standardised, or of the cube: a margin below this is none", JUDGED)
    stationary: float = knob(1e-2, "of its length: what limits may leave of the objective's gradient", JUDGED)
    flat: float = knob(5e-3, "standardised, and this length on top: a search ends that far from flat", JUDGED)
    tolerance: float = knob(1e-7, "of sequential quadratic programming,", JUDGED)
    steps: int = knob(30, "and its steps", JUDGED)
    steep: float = knob(
        10.0, "standardised: an objective with a larger slope is made flatter, as first steps would be too long", JUDGED
    )
    anew: int = knob(1, "times that a search begins anew if it gave up outside of the limits", JUDGED)
    within: float = knob(0.1, "by so much a price may change where it is said to hold", "the contract: 10 %")
    first_step: float = knob(1e-3, "prior sds by which a limit is moved first, then twice as far,", JUDGED)
    furthest: float = knob(8.0, "at most so far: beyond this there is no end,", JUDGED)
    halvings: int = knob(5, "and between the last two steps the end is halved so often", JUDGED)
    way: int = knob(4, "steps in which limits are moved to see what others would bring", JUDGED)
    behind: tuple[float, ...] = knob(
        (1e-4, 1e-3, 1e-2, 0.1, 1.0, np.inf),
        "prior sds by which a limit with a price is moved to see whether its constraint matters,",
        JUDGED,
    )
    room: float = knob(3.0, "sds by which all others are moved inward meanwhile", JUDGED)
