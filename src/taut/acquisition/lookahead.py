"""What a look-ahead rests on: posteriors on the inner set A and at the candidates, and what an observation moves.

| symbol | meaning | shape |
| --- | --- | --- |
| A | inner set: where the recommendation might move to; a candidate itself is added as its last point | [N, d] |
| sigma_tilde_k | cov_k(x', x)/sqrt(v_k(x) + r_k): how one sd of an outcome at x moves the mean at x' | [q, N + 1] |
| J | fantasies of the outcomes of evaluations under way; means carry that axis | |

Everything here is shared between the sets S of functions that are valued at the same candidates (knowledge.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from taut.acquisition.feasibility import Bounds, log_probability
from taut.acquisition.knowledge_update import Updated, updated
from taut.base.arrays import Array, Ints
from taut.surrogate.gp import GP
from taut.surrogate.posterior import Posterior, PosteriorWithGradient, Process
from taut.surrogate.success import Successes

# exp(-1e4) is 0: deeper logarithms say no more, and would cancel when one constraint is taken out of a sum.
DEEPEST = -1e4

# The scores of a constraint: in a set of its own, among several, as one of a pair, or given that all of a set hold at
# the candidate.
ScenarioKind = Literal["alone", "several", "pair", "all_feasible"]


@dataclass(frozen=True)
class InnerSet:
    """Processes (objective first) with their posteriors at the points of A [N, d], feasible intervals, penalty M.

    always_met: constraints that hold for certain wherever it matters, and are not looked at; successes: where functions
    can be computed, None if everywhere.
    """

    processes: tuple[GP, ...]
    bounds: tuple[Bounds, ...]
    M: float
    points: Array
    posteriors: tuple[Posterior, ...]
    always_met: frozenset[int] = frozenset()
    successes: Successes | None = None

    @staticmethod
    def of(
        processes: tuple[GP, ...],
        bounds: tuple[Bounds, ...],
        M: float,
        points: Array,
        successes: Successes | None = None,
    ) -> InnerSet:
        known = tuple(gp.posterior(points) for gp in processes)
        return InnerSet(processes, bounds, M, points, known, successes=successes)

    def extended(self, extra: Array) -> InnerSet:
        """The same with more points [p, d]."""
        pairs = zip(self.processes, self.posteriors, strict=True)
        joined = tuple(known.joined(gp.posterior(extra)) for gp, known in pairs)
        return replace(self, points=np.vstack([self.points, extra]), posteriors=joined)

    def reduced(self, keep: Ints) -> InnerSet:
        """Some of its points."""
        return replace(self, points=self.points[keep], posteriors=tuple(each.part(keep) for each in self.posteriors))

    @cached_property
    def fantasies(self) -> int:
        """J."""
        return int(self.posteriors[0].mean.shape[0])

    @cached_property
    def uncertain(self) -> list[int]:
        """The constraints that are looked at, from 1."""
        return [k for k in range(1, len(self.processes)) if k not in self.always_met]

    @cached_property
    def log_pf(self) -> list[Array]:
        """log PF of every constraint, the first at position 0; [J, N] each."""
        return [_log_pf(b, each.mean, each.var) for b, each in zip(self.bounds, self.posteriors[1:], strict=True)]

    @cached_property
    def total_log_pf(self) -> Array:
        """Sum over the uncertain constraints, and of log q over all functions; [J, N]."""
        start = np.zeros_like(self.posteriors[0].mean)
        if self.successes is not None:
            start += np.maximum(self.successes.log(self.points), DEEPEST)
        return sum((self.log_pf[k - 1] for k in self.uncertain), start)

    @cached_property
    def product(self) -> Array:
        """The product of all feasibilities, as they are; [J, N]."""
        return np.exp(np.minimum(self.total_log_pf, 0.0))

    @cached_property
    def excess(self) -> Array:
        """mu_0 - M; [J, N]."""
        return self.posteriors[0].mean - self.M

    @cached_property
    def base(self) -> Ints:
        """The recommendation as it is now: argmax G over A, for every fantasy; [J]."""
        G = self.excess * np.exp(self.total_log_pf)
        base: Ints = np.argmax(G, axis=1)
        return base


class UpdateScale(NamedTuple):
    """sigma_tilde of one function, s [q, N + 1], with sqrt(v + r) [q] and the radial slope for gradients [q, N]."""

    s: Array
    slope: Array | None
    root: Array

    @staticmethod
    def of(gp: Process, var: Array, cov: Array, slope: Array | None) -> UpdateScale:
        """cov: cov(x, A) [q, N]; var: v(x) [q]."""
        root = np.sqrt(var + gp.noise)
        s = np.empty((len(cov), cov.shape[1] + 1))
        np.divide(cov, root[:, None], out=s[:, :-1])
        np.divide(var, root, out=s[:, -1])
        return UpdateScale(s, slope, root)

    @staticmethod
    def with_slope(here: PosteriorWithGradient, inner: Posterior) -> UpdateScale:
        return UpdateScale.of(here.gp, here.var, *here.cross(inner))


class CandidatePosterior:
    """What is believed at candidates x [q, d] of the objective and of every uncertain constraint, for all sets at once.

    mean: [J, q] and var: [q] by function; log_pf: [J, q] by constraint. gradients: whether they will be asked for.
    """

    def __init__(self, inner: InnerSet, x: Array, gradients: bool = True) -> None:
        self.inner, self.x = inner, x
        functions = [0, *inner.uncertain]
        self.with_gradient: dict[int, PosteriorWithGradient] = {}
        self.posterior: dict[int, Posterior] = {}
        if gradients:
            self.with_gradient = {k: inner.processes[k].posterior_with_gradient(x) for k in functions}
            self.posterior = {k: each.posterior for k, each in self.with_gradient.items()}
        else:
            self.posterior = {k: inner.processes[k].posterior(x) for k in functions}
        self.mean = {k: each.mean for k, each in self.posterior.items()}
        self.var = {k: each.var for k, each in self.posterior.items()}
        self.log_pf = {k: _log_pf(inner.bounds[k - 1], self.mean[k], self.var[k]) for k in inner.uncertain}
        self._known: tuple[CandidatePosterior, Ints | slice] | None = None
        self._clear()

    def _clear(self) -> None:
        self._scale: dict[int, UpdateScale] = {}
        self._updated: dict[tuple[int, int, ScenarioKind], Updated] = {}
        self._moments: dict[tuple[int, int], tuple[Array, Array, Array]] = {}
        self._excess: dict[int, Array] = {}
        self.last_product: tuple[object, Array] | None = None

    def without(self, always_met: Iterable[int], inner: InnerSet) -> CandidatePosterior:
        """The same candidates over an inner set in which some constraints always hold."""
        other = self.part(slice(None), {})
        other.inner, other._known = inner, None
        for k in always_met:
            del other.log_pf[k]
        return other

    def part(self, rows: Ints | slice, scales: Mapping[int, UpdateScale] | None = None) -> CandidatePosterior:
        """Some of the candidates; what is known of all is not computed again. scales: theirs, as far as known."""
        other = object.__new__(CandidatePosterior)
        other.inner, other.x = self.inner, self.x[rows]
        other.with_gradient, other.posterior = self.with_gradient, self.posterior  # of all: parts never ask for them
        other.mean = {k: mean[:, rows] for k, mean in self.mean.items()}
        other.var = {k: var[rows] for k, var in self.var.items()}
        other.log_pf = {k: log_pf[:, rows] for k, log_pf in self.log_pf.items()}
        other._known = self, rows
        other._clear()
        other._scale = dict(scales or {})
        return other

    def with_scales(self, scales: Mapping[int, UpdateScale]) -> CandidatePosterior:
        """These candidates, with sigma_tilde where it is known already."""
        self._scale.update(scales)
        return self

    @cached_property
    def total_log_pf(self) -> Array:
        """Sum over all uncertain constraints, and of log q over all functions; [J, q]."""
        total = np.zeros((self.inner.fantasies, len(self.x)))
        if self.inner.successes is not None:
            total += self.log_success.sum(axis=0)
        for k in self.inner.uncertain:
            total += self.log_pf[k]
        return total

    @cached_property
    def log_success(self) -> Array:
        """log q of every model of where functions can be computed; [m, q]."""
        assert self.inner.successes is not None
        if self._known is not None:
            whole, rows = self._known
            return whole.log_success[:, rows]
        return np.maximum(self.inner.successes.logs(self.x), DEEPEST)

    @cached_property
    def log_success_after(self) -> Array:
        """The same once it has succeeded there; [m, q]."""
        assert self.inner.successes is not None
        if self._known is not None:
            whole, rows = self._known
            return whole.log_success_after[:, rows]
        return np.maximum(self.inner.successes.logs_after(self.x), DEEPEST)

    def sigma_tilde(self, k: int) -> UpdateScale:
        """Of function k, on A and at x."""
        if k not in self._scale:
            self._scale[k] = self._sigma_tilde(k)
        return self._scale[k]

    def _sigma_tilde(self, k: int) -> UpdateScale:
        if self._known is not None:
            whole, rows = self._known
            known = whole.sigma_tilde(k)
            return UpdateScale(known.s[rows], None, known.root[rows])
        inner, gp = self.inner.posteriors[k], self.inner.processes[k]
        if k in self.with_gradient:
            return UpdateScale.with_slope(self.with_gradient[k], inner)
        return UpdateScale.of(gp, self.var[k], gp.covariance(self.posterior[k], inner), None)

    def moments(self, k: int, j: int) -> tuple[Array, Array, Array]:
        """mu_k, sigma_tilde_k and v_k on A and at x under fantasy j, each [q, N + 1]."""
        if (k, j) not in self._moments:
            inner = self.inner.posteriors[k]
            mean, var = joined(inner.mean[j], self.mean[k][j]), joined(inner.var, self.var[k])
            self._moments[k, j] = mean, self.sigma_tilde(k).s, var
        return self._moments[k, j]

    def excess(self, j: int) -> Array:
        """mu_0 - M on A and at x under fantasy j; [q, N + 1]."""
        if j not in self._excess:
            self._excess[j] = joined(self.inner.excess[j], self.mean[0][j] - self.inner.M)
        return self._excess[j]

    def updated(self, k: int, j: int, kind: ScenarioKind, z: Array, residual: Array) -> Updated:
        """PF_k+ for scores z [1 or q, C] with residual [C]; sets share the scores of k in scenarios of a kind."""
        if (k, j, kind) not in self._updated:
            self._updated[k, j, kind] = self._update(k, j, kind, z, residual)
        return self._updated[k, j, kind]

    def _update(self, k: int, j: int, kind: ScenarioKind, z: Array, residual: Array) -> Updated:
        if self._known is not None and kind != "all_feasible":  # whose scores are each candidate's own
            whole, rows = self._known
            if (k, j, kind) in whole._updated:
                known = whole._updated[k, j, kind]
                return Updated(known.columns, known.p[rows])
        inner, own = self.inner, (self.mean[k], self.var[k])
        amplitude = inner.processes[k].size
        scale = self.sigma_tilde(k).s
        return updated(inner.bounds[k - 1], amplitude, inner.posteriors[k], own, scale, (z, residual), j)


def _log_pf(bounds: Bounds, mean: Array, var: Array) -> Array:
    return np.maximum(log_probability(bounds, mean, np.sqrt(var)), DEEPEST)


def joined(inner: Array, own: Array) -> Array:
    """Values on A [N] and at each candidate [q] as one array [q, N + 1]."""
    out = np.empty((len(own), len(inner) + 1))
    out[:, :-1], out[:, -1] = inner, own
    return out
