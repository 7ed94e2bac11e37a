"""What a study believed before a value came: the one place here that knows the inside of taut."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

import taut
from taut.policy.context import Context, without_pending
from taut.problem.space import to_unit

CAP = 1e6
"""No standardised error is larger: where the reported sd is zero and the value is another."""


@dataclass(frozen=True)
class Forecast:
    """Reported mean and sd of one value, the scale of its process (0: not changed), degrees of freedom, number of data.

    On a changed scale w(y) = sign(y) log(1 + |y|/s) the report gives the median and half the width of the central 68 %.
    width: of the Student-t distribution behind the report, whose sd is larger, on the scale of the process. bend: the
    logarithmic scale of the process, if it has one, as w and its inverse.
    """

    mean: float
    sd: float
    scale: float
    freedom: float
    data: int
    width: float
    bend: tuple[Callable[[float], float], Callable[[float], float]] | None = None

    def plain(self, value: float) -> float:
        """(value - mean)/sd as reported."""
        return standardised(value - self.mean, self.sd)

    def z(self, value: float) -> float:
        """The same on the scale of the process, on which the report is symmetric."""
        if self.bend is not None:
            return standardised(self._error(value), bent_width(self._inside(self.mean), self.sd, self.bend[1]))
        if self.scale == 0.0:
            return self.plain(value)
        return standardised(self._error(value), unspread(self._inside(self.mean), self.sd / self.scale))

    def t(self, value: float) -> float:
        """The same in widths of the Student-t distribution: its tail probability is meaningful."""
        return standardised(self._error(value), self.width)

    def _error(self, value: float) -> float:
        return self._inside(value) - self._inside(self.mean)

    def _inside(self, y: float) -> float:
        """w(y)."""
        if self.bend is not None:
            return self.bend[0](y)
        return y if self.scale == 0.0 else math.copysign(math.log1p(abs(y) / self.scale), y)


def standardised(error: float, sd: float) -> float:
    if error == 0.0:
        return 0.0
    return max(-CAP, min(error / sd, CAP)) if sd > 0.0 else math.copysign(CAP, error)


def unspread(middle: float, width: float) -> float:
    """sigma of width = (v(middle + sigma) - v(middle - sigma))/2; v(w) = sign(w) (exp|w| - 1) inverts w(y) for s = 1.

    One side of zero: width = exp|middle| sinh sigma; both sides: width = exp sigma cosh middle - 1.
    """
    sigma = math.asinh(width * math.exp(-abs(middle)))
    return sigma if sigma <= abs(middle) else math.log((1.0 + width) / math.cosh(middle))


def bent_width(middle: float, sd: float, back: Callable[[float], float]) -> float:
    """sigma of sd = (v(middle + sigma) - v(middle - sigma))/2 for the inverse v of a bend, which is monotone."""

    def reached(sigma: float) -> float:
        return 0.5 * (back(middle + sigma) - back(middle - sigma)) - sd

    high = 1e-12
    while reached(high) < 0.0 and high < 1e3:
        high *= 4.0
    return float(brentq(reached, 0.0, high)) if reached(high) > 0.0 else high


def forecasts(study: taut.Study, suggestion: taut.Suggestion) -> dict[str, Forecast]:
    """What is believed of every function at a suggestion that was just made.

    All functions of the test problems are the same inside and outside (maximise f, c <= 0), so reports need no sign.
    """
    reported = study.predict(suggestion.point)
    question = study._question()
    request = without_pending(question.request)
    context = Context.of(request, question.policy.settings, np.random.default_rng(0), precise=True)
    u = to_unit(study.problem, suggestion.point)
    found = {}
    for k, name in enumerate(context.names):
        mean, sd = reported[name][:2]
        unit = context.dataset.functions[k].unit
        scale = context.surrogate.warps[k] / unit
        honest = getattr(context.surrogate, "honest", None)  # versions that tell more doubt than they decide with
        process = context.posteriors[k] if honest is None else honest(k)
        there = process.posterior(u[None, :])
        width = math.sqrt(float(there.var[0])) / (unit if scale == 0.0 else 1.0)
        bend = getattr(context.surrogate, "bend_of", lambda _: None)(k)  # versions with another logarithm
        scales = None
        if bend is not None and bend.size:
            width, scales = float(np.sqrt(there.var[0])), _scales(bend, unit)
        found[name] = Forecast(mean, sd, scale, process.hyper.nu, len(process.X), width, scales)
    return found


def _scales(bend: Any, unit: float) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """w and its inverse for values in the user's unit."""
    return (lambda y: float(bend.of(np.array(y * unit)))), (lambda w: float(bend.back(np.array(w))) / unit)
