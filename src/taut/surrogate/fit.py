"""Hyperparameters by penalised likelihood: data of one function -> GP, plus what a later fit may start from.

Presets: `robust` (library default: mean and signal variance integrated out, log l ~ N(log(0.35 sqrt(d/2)), 0.5^2)),
`gamma` (Gamma(3, 6) on l, Gamma(2, 0.15) on a: what the paper's code most likely ran), `map` (dimension-scaled
log-normal on l, Gamma(2, 0.15) on a) and `ml2` (no prior, box only).
"""

from __future__ import annotations

from copy import copy
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from taut.base.arrays import Array
from taut.surrogate.factor import Factor, factor
from taut.surrogate.gp import GP, Hyper, condition
from taut.surrogate.likelihood import Penalty, Standardised, freedom, integrated, least_squares, plain_value, plugged_in

Prior = Literal["robust", "gamma", "map", "ml2"]
LOG_LENGTH = (np.log(0.01), np.log(20.0))
LOG_AMPLITUDE = (np.log(1e-3), np.log(1e3))
LOG_NOISE = (np.log(1e-4), np.log(10.0))
CONSTANT_AMPLITUDE = 1e-3  # what doubt is left about a function that has only ever returned one value
MAX_ITERATIONS = 60
LARGE = 400  # values from which a first search is made on SAMPLE of them and only polished on all
SAMPLE = 256
POLISH = 10  # evaluations of the likelihood of all values then
REFIT = 20  # evaluations from earlier parameters,
OFTEN = 64  # at every new value up to so many values;
TOUCH_UP = 5  # then fewer: parameters hardly move any more, and the last digits of a likelihood are rough
# A deterministic function may still carry solver noise; a larger ratio is taken if the data ask for it clearly.
RATIOS = (1e-10, 1e-8, 1e-6, 1e-4)
CLEARLY = 5.0  # nats of log-likelihood


@dataclass(frozen=True)
class FitOptions:
    """prior: see the module. rho: noise of a deterministic function, relative to a (`robust`) or the data variance.

    warp: constraints may be modelled on a logarithmic scale (warp.py).
    """

    prior: Prior = "robust"
    rho: float = 1e-12
    warp: bool = True


@dataclass(frozen=True)
class Warm:
    """What the history keeps of a fit.

    theta: parameters; n: values they were fitted to; full: values at the last multi-start; rho: noise ratio;
    warp: scale of the constraint's change of scale (0: none).
    """

    theta: tuple[float, ...]
    n: int
    full: int
    rho: float
    warp: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(entry: Any) -> Warm | None:
        return Warm(**{**entry, "theta": tuple(entry["theta"])}) if entry else None

    def stale(self, n: int) -> bool:
        """Is a search from several starts due? Always with little data, then whenever it has grown by half."""
        return n != self.n and (n < 12 or n >= 1.5 * self.full)


@dataclass(frozen=True)
class Fitted:
    """A process, the warm start for the next fit, numerical trouble in words.

    evidence: log evidence up to a constant, nan if earlier hyperparameters were kept; factor: for the next fit.
    """

    gp: GP
    warm: Warm | None
    note: str
    evidence: float
    factor: Factor | None = None


def length_prior(d: int) -> tuple[float, float]:
    """Mean and sd of log l in the robust prior; the median grows like the diagonal of the cube."""
    return float(np.log(0.35 * np.sqrt(d / 2.0))), 0.5


def fit(
    X: Array, y: Array, noise: float | str | None, options: FitOptions, warm: Warm | None, known: Factor | None = None
) -> Fitted:
    """Fit one function. X: [n, d] unit cube, y: [n] inner units; noise: None, "learned" or a known sd (inner units).

    The answer depends on these arguments only, never on earlier calls; a known factor saves work and changes nothing.
    """
    offset, scale = _standard(y)
    standard = (y - offset) / scale
    task = _Task(X, standard, noise, scale, options)
    if len(y) < 2 or np.ptp(standard) == 0.0:
        return Fitted(condition(X, y[:, None], task.default_hyper(), offset, scale), None, "", 0.0)
    theta, warm, note, height = _search(task, warm)
    found = factor(X, np.exp(theta[: task.d]), task.ratio(theta), warm.n, known)
    gp = condition(X, y[:, None], task.hyper(theta, found), offset, scale, found.L)
    # n, not n - 1, factors of the scale: the evidence of two scales of the data must not depend on their unit.
    return Fitted(gp, warm, note, -height - len(y) * float(np.log(scale)), found)


def _standard(y: Array) -> tuple[float, float]:
    """Offset and scale; constant data keep scale 1, and a spread that is only rounding counts as constant."""
    if not len(y):
        return 0.0, 1.0
    offset = float(np.mean(y))
    scale = float(np.std(y))
    if scale <= 1e-12 * abs(offset):
        return float(y[0]) if np.ptp(y) == 0.0 else offset, 1.0
    return offset, scale


class _Task:
    """One fitting problem: which parameters are free, their box, their prior, and how they become a Hyper."""

    def __init__(self, X: Array, y: Array, noise: float | str | None, scale: float, options: FitOptions) -> None:
        self.data = Standardised(X, y)
        self.d = X.shape[1]
        self.prior = options.prior
        self.learned = noise == "learned"
        self.integrates = options.prior == "robust" and (noise is None or self.learned)
        if isinstance(noise, str) or noise is None:
            self.rho: float = options.rho
        else:
            self.rho = max((noise / scale) ** 2, 1e-10)
        self.box = self._box()

    def _box(self) -> list[tuple[float, float]]:
        box = [LOG_LENGTH] * self.d
        if not self.integrates:
            box = [*box, LOG_AMPLITUDE]
        return [*box, LOG_NOISE] if self.learned else box

    def sample(self, size: int) -> _Task:
        """The same task on about `size` values, taken at equal steps through the history."""
        keep = np.unique(np.linspace(0, len(self.data.y) - 1, size).astype(int))
        part = copy(self)
        part.data = Standardised(self.data.X[keep], self.data.y[keep])
        return part

    def start(self) -> Array:
        """The default start: prior median (or l = 0.5), a = 1, noise 1e-2."""
        centre = length_prior(self.d)[0] if self.prior == "robust" else float(np.log(0.5))
        theta = [centre] * self.d + ([] if self.integrates else [0.0])
        return np.array(theta + ([float(np.log(1e-2))] if self.learned else []))

    def penalty(self, theta: Array) -> tuple[float, Array]:
        """-log prior and its gradient in theta."""
        gradient = np.zeros_like(theta)
        value = _length_penalty(self.prior, theta[: self.d], gradient[: self.d])
        if not self.integrates and self.prior != "ml2":
            a = float(np.exp(theta[self.d]))
            value += 0.15 * a - float(theta[self.d])
            gradient[self.d] = 0.15 * a - 1.0
        if self.learned and self.prior == "robust":
            value += 0.125 * float(theta[-1] - np.log(1e-2)) ** 2  # log noise ~ N(log 1e-2, 2^2): weak
            gradient[-1] = 0.25 * (theta[-1] - np.log(1e-2))
        return value, gradient

    def objective(self, theta: Array) -> tuple[float, Array]:
        penalty: Penalty = self.penalty
        fixed = None if self.learned else self.rho
        try:
            if self.integrates:
                return integrated(self.data, theta, fixed, penalty)[:2]
            return plugged_in(self.data, theta, fixed, penalty)[:2]
        except np.linalg.LinAlgError:
            return 1e25, np.zeros_like(theta)

    def ratio(self, theta: Array) -> float:
        """Noise relative to the signal variance."""
        rho = float(np.exp(theta[-1])) if self.learned else self.rho
        return rho if self.integrates else rho / float(np.exp(theta[self.d]))

    def hyper(self, theta: Array, found: Factor) -> Hyper:
        """The fitted Hyper, with the noise ratio at which the matrix could be factored."""
        least = least_squares(found.L, self.data.y)
        if self.integrates:
            return Hyper(found.l, max(least.a, CONSTANT_AMPLITUDE), found.rho, least.m, least.nu)
        return Hyper(found.l, float(np.exp(theta[self.d])), found.rho, least.m, np.inf)

    def default_hyper(self) -> Hyper:
        """Prior predictions for 0 or 1 values, and the remaining doubt about constant data."""
        nu, nu0 = freedom(len(self.data.y))
        a = max(nu0 / nu, CONSTANT_AMPLITUDE)
        l = np.exp(self.start()[: self.d])
        rho = 1e-2 if self.learned else (self.rho if self.integrates else self.rho / a)
        return Hyper(l, a, rho, 0.0, nu if self.integrates else np.inf)


def _length_penalty(prior: Prior, t: Array, gradient: Array) -> float:
    """-log prior of t = log l; fills the gradient. Densities of `gamma` and `map` are in l, as in the literature."""
    if prior == "robust":
        centre, sd = length_prior(len(t))
        gradient[:] = (t - centre) / sd**2
        return float(0.5 * np.sum(((t - centre) / sd) ** 2))
    if prior == "gamma":
        gradient[:] = 6.0 * np.exp(t) - 2.0
        return float(np.sum(6.0 * np.exp(t) - 2.0 * t))
    if prior == "map":
        centre = np.sqrt(2.0) + 0.5 * np.log(len(t))
        gradient[:] = 1.0 + (t - centre) / 3.0
        return float(np.sum(t + (t - centre) ** 2 / 6.0))
    gradient[:] = 0.0
    return 0.0


def _search(task: _Task, warm: Warm | None) -> tuple[Array, Warm, str, float]:
    """Parameters, warm start, trouble in words, and the value reached; kept while the data has hardly grown."""
    n = len(task.data.y)
    if warm is not None and len(warm.theta) != len(task.box):
        warm = None
    if warm is not None and not _due(n, warm.n):
        if task.integrates:
            task.rho = warm.rho
        return np.array(warm.theta), warm, "", np.nan
    full = warm is None or warm.stale(n)
    if warm is not None and not full and n > OFTEN:
        height, theta = _touched_up(task, warm)
        if height < 1e24:
            return theta, Warm(tuple(float(t) for t in theta), n, warm.full, task.rho), "", height
    height, theta = _best(task, None if warm is None else np.array(warm.theta), full)
    if not height < 1e24:
        theta = task.start() if warm is None else np.array(warm.theta)
        return theta, Warm(tuple(theta), n, n, task.rho), "the fit failed and earlier hyperparameters were kept", height
    height, theta, note = _noise_ratio(task, height, theta)
    done = n if full or warm is None else warm.full
    return theta, Warm(tuple(float(t) for t in theta), n, done, task.rho), note, height


def _touched_up(task: _Task, warm: Warm) -> tuple[float, Array]:
    """A few steps from earlier parameters, with their noise ratio."""
    if task.integrates:
        task.rho = warm.rho
    return _local(task, np.array(warm.theta), TOUCH_UP)


def _best(task: _Task, warm: Array | None, full: bool) -> tuple[float, Array]:
    """Best local minimum from the warm parameters and, for a full search or if it promises more, from the default."""
    if full and len(task.data.y) >= LARGE:
        return _local(task, _best(task.sample(SAMPLE), warm, True)[1], POLISH)
    results = [] if warm is None else [_local(task, warm, REFIT)]
    if full:
        results += [_local(task, task.start() + shift) for shift in (0.0, -1.0, 0.7)]
    elif task.objective(task.start())[0] < results[0][0]:
        results.append(_local(task, task.start()))
    return min(results, key=lambda result: result[0])


def _noise_ratio(task: _Task, height: float, theta: Array) -> tuple[float, Array, str]:
    """Raise the noise ratio of a deterministic function if its data are clearly not smooth to the last digit."""
    if task.learned or not task.integrates:
        return height, theta, ""
    declared, penalty = task.rho, task.penalty(theta)[0]
    values = [plain_value(task.data, np.exp(theta), ratio) + penalty for ratio in RATIOS]
    lowest = int(np.argmin(values))
    if RATIOS[lowest] <= declared or values[lowest] > height - CLEARLY:
        return height, theta, ""
    task.rho = RATIOS[lowest]
    height, theta = _local(task, theta)
    note = (
        f"values scatter by about {np.sqrt(task.rho):.0e} of the signal, treated as noise" if task.rho >= 1e-6 else ""
    )
    return height, theta, note


def _due(n: int, fitted: int) -> bool:
    """Refit at every new value up to OFTEN, then whenever the data has grown by about 3 %."""
    return n != fitted and (n <= OFTEN or n >= fitted + max(1, fitted // 32))


def _local(task: _Task, start: Array, evaluations: int = 1000) -> tuple[float, Array]:
    """One local search, to about 1e-3 nats: nearly noise-free data make the last digits of a likelihood rough."""
    from scipy.optimize import minimize

    low, high = np.array(task.box).T
    result = minimize(
        task.objective,
        np.clip(start, low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=task.box,
        options={"maxiter": MAX_ITERATIONS, "maxfun": evaluations, "maxls": 8, "ftol": 1e-6, "gtol": 1e-3},
    )
    return float(result.fun), np.clip(result.x, low, high)
