"""Expectation propagation: the belief about all functions given that x* is the constrained maximiser.

| symbol | meaning | shape |
| --- | --- | --- |
| x*_j | maximiser of sample j | [J, d] |
| u_n | points where some function is known | [N, d] |
| g_k | factor: constraint k holds at x* | |
| h_n | factor: NOT (all constraints hold at u_n and f(u_n) > f(x*)) | |
| d_n | f(u_n) - f(x*): what the objective's sites stand on; a constraint's stand on c_k(x*) and unknown c_k(u_n) | |
| A, b | covariance and mean of what a function's sites stand on | [J, L, L], [J, L] |
| tau, nu | a site is exp(-tau t^2/2 + nu t), one-dimensional | [J, L] |
| Gm, e | (I + T A)^-1 T and nu - Gm (b + A nu): what the sites add to the process | [J, L, L], [J, L] |

With alpha = -m_d/sqrt(v_d) from a cavity of d_n, PF = prod_k PF_k and Z = (1 - PF) + PF Phi(alpha), two numbers
describe a factor h: beta = PF phi(alpha)/Z and w = PF Phi(-alpha)/Z. All samples are treated at once; sites are updated
in parallel with damping, because with many factors undamped updates oscillate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from taut.acquisition.feasibility import Bounds, log_probability
from taut.acquisition.settings import EP, EPSettings
from taut.base.arrays import Array, Flags, Ints
from taut.base.normal import interval_ratios, inverse_mills, log1mexp, log_cdf
from taut.surrogate.gp import GP
from taut.surrogate.posterior import Posterior

LARGEST_LOG_W = 230.0  # w is only used times densities that are as small where it is large
TIGHTEST = 1e-10  # share of a variance that a factor leaves at least


@dataclass(frozen=True)
class ExclusionFactor:
    """beta and w of a factor h; elementwise."""

    beta: Array
    w: Array


def exclusion_factor(alpha: Array, log_pf: Array) -> ExclusionFactor:
    """The factor NOT (all constraints hold and d > 0), by log PF and alpha = -m_d/sqrt(v_d).

    beta = lambda(alpha) PF Phi(alpha)/Z, whose second factor is a share between 0 and 1: nothing cancels in the tails.
    """
    log_no, log_below = log1mexp(log_pf), log_pf + log_cdf(alpha)
    log_w = log_pf + log_cdf(-alpha) - np.logaddexp(log_no, log_below)
    return ExclusionFactor(inverse_mills(alpha) * expit(log_below - log_no), np.exp(np.minimum(log_w, LARGEST_LOG_W)))


@dataclass(frozen=True)
class Scores:
    """A constraint N(mean, sd^2) against its bounds: scores a, b of the bounds, phi(a)/PF and phi(b)/PF, log PF.

    shift = down - up and bend = a down - b up: d log PF/d mean = shift/sd and d log PF/d sd = bend/sd.
    """

    a: Array
    b: Array
    down: Array
    up: Array
    log_p: Array

    @property
    def shift(self) -> Array:
        return self.down - self.up

    @property
    def bend(self) -> Array:
        return self.a * self.down - self.b * self.up


def scores(bounds: Bounds, mean: Array, sd: Array) -> Scores:
    """Elementwise; a is 0 where there is no lower bound."""
    b = (bounds.upper - mean) / sd
    log_p = log_probability(bounds, mean, sd)
    if bounds.one_sided:
        return Scores(np.zeros_like(b), b, np.zeros_like(b), inverse_mills(b), log_p)
    a = (bounds.lower - mean) / sd
    down, up = interval_ratios(a, b)
    return Scores(a, b, down, up, log_p)


def site(mean: Array, var: Array, move: Array, loss: Array) -> tuple[Array, Array]:
    """tau, nu that turn a cavity N(mean, var) into the moments mean + sd move and var (1 - loss)."""
    left = var * np.maximum(1.0 - loss, TIGHTEST)
    return loss / left, (np.sqrt(var) * move + loss * mean) / left


@dataclass(frozen=True)
class SiteBasis:
    """What the sites of one function stand on.

    posterior: the process at x*_1..J and at the points `at` (positions among u); A, b: see above; live: where there is
    a site [J, L]. The constraint's coordinates are x* and then the points.
    """

    posterior: Posterior
    at: Ints
    A: Array
    b: Array
    live: Flags


@dataclass(frozen=True)
class Conditioned:
    """Gm and e of one function for all samples."""

    basis: SiteBasis
    Gm: Array
    e: Array


@dataclass(frozen=True)
class Conditioning:
    """The processes given x* for J samples; functions: objective first; failed: samples whose EP did not converge."""

    maximisers: Array
    functions: tuple[Conditioned, ...]
    failed: int


def condition(
    processes: Sequence[GP], bounds: Sequence[Bounds], maximisers: Array, points: Array, settings: EPSettings = EP
) -> Conditioning:
    """EP for every maximiser x* [J, d] with factors at points [N, d]."""
    points = points[_telling(processes, bounds, maximisers, points, settings)]
    bases = [_objective(processes[0], maximisers, points, settings)]
    bases += [_constraint(gp, maximisers, points, settings) for gp in processes[1:]]
    task = Propagation(bases, [gp.posterior(points) for gp in processes[1:]], bounds, settings)
    tau, nu, failed = task.solve()
    done = []
    for basis, part in zip(task.bases, task.parts, strict=True):
        A, t, n = basis.A, tau[:, part], nu[:, part]
        one = np.eye(A.shape[1])
        Gm = np.linalg.solve(one + t[:, :, None] * A, t[:, :, None] * one)
        Gm = 0.5 * (Gm + Gm.transpose(0, 2, 1))
        e = n - np.einsum("jlm,jm->jl", Gm, basis.b + np.einsum("jlm,jm->jl", A, n))
        done.append(Conditioned(basis, Gm, e))
    return Conditioning(maximisers, tuple(done), failed)


def _telling(
    processes: Sequence[GP], bounds: Sequence[Bounds], maximisers: Array, points: Array, settings: EPSettings
) -> Ints:
    """Points where a factor can matter, at most so many: they may be feasible and better than some x*; positions."""
    if not len(points):
        return np.zeros(0, dtype=np.intp)
    basis = _objective(processes[0], maximisers, points, settings)
    sd = np.sqrt(np.maximum(np.einsum("jnn->jn", basis.A), 1e-300))
    weight = np.where(basis.live, log_cdf(basis.b / sd), -np.inf).max(axis=0)
    for gp, b in zip(processes[1:], bounds, strict=True):
        here = gp.posterior(points)
        weight = weight + log_probability(b, here.mean[0], np.sqrt(here.var))
    order = np.argsort(-weight, kind="stable")[: settings.points]
    return np.sort(order[weight[order] > np.log(settings.idle)])


def _objective(gp: GP, maximisers: Array, points: Array, settings: EPSettings) -> SiteBasis:
    """Sites on d_n = f(u_n) - f(x*)."""
    J = len(maximisers)
    posterior = gp.posterior(np.vstack([maximisers, points]))
    V, mean = gp.covariance(posterior, posterior), posterior.mean[0]
    cross, own = V[:J, J:], np.diagonal(V)[:J]
    A = V[None, J:, J:] - cross[:, :, None] - cross[:, None, :] + own[:, None, None]
    live = _elsewhere(maximisers, points, settings) & (np.einsum("jnn->jn", A) > settings.known * gp.size)
    return SiteBasis(posterior, np.arange(len(points)), A, mean[J:] - mean[:J, None], live)


def _constraint(gp: GP, maximisers: Array, points: Array, settings: EPSettings) -> SiteBasis:
    """Sites on c_k(x*) and on the c_k(u_n) that are not known."""
    J, known = len(maximisers), settings.known * gp.size
    at = np.flatnonzero(gp.posterior(points).var > known)
    posterior = gp.posterior(np.vstack([maximisers, points[at]]))
    V, mean = gp.covariance(posterior, posterior), posterior.mean[0]
    L = len(at) + 1
    A, b = np.empty((J, L, L)), np.empty((J, L))
    A[:, 0, 0], A[:, 1:, 1:] = np.diagonal(V)[:J], V[J:, J:]
    A[:, 0, 1:] = A[:, 1:, 0] = V[:J, J:]
    b[:, 0], b[:, 1:] = mean[:J], mean[J:]
    live = np.ones((J, L), dtype=bool)
    live[:, 0], live[:, 1:] = A[:, 0, 0] > known, _elsewhere(maximisers, points[at], settings)
    return SiteBasis(posterior, at, A, b, live)


def _elsewhere(maximisers: Array, points: Array, settings: EPSettings) -> Flags:
    """Which points are not x* itself; [J, N]."""
    apart: Flags = np.abs(maximisers[:, None, :] - points).max(axis=2, initial=0.0) > settings.same_point
    return apart


@dataclass(frozen=True)
class _Marginals:
    """Cavities of all sites (mean, var), marginal variances (whole), and whether a sample's are all proper."""

    mean: Array
    var: Array
    whole: Array
    proper: Flags


class Propagation:
    """Damped parallel EP of all samples. known: the constraints at all points with factors, where they have no site."""

    def __init__(
        self, bases: Sequence[SiteBasis], known: Sequence[Posterior], bounds: Sequence[Bounds], settings: EPSettings
    ) -> None:
        self.bases, self.bounds, self.settings = bases, bounds, settings
        ends = np.cumsum([0, *(basis.A.shape[1] for basis in bases)])
        self.parts = [slice(int(low), int(high)) for low, high in zip(ends[:-1], ends[1:], strict=True)]
        self.live = np.hstack([basis.live for basis in bases])
        self.known = [(here.mean[0], here.var) for here in known]

    def solve(self) -> tuple[Array, Array, int]:
        """Sites tau, nu [J, M] of all functions side by side, and how many samples did not converge.

        A sweep that leads to an improper state or to clearly larger changes than the last one is taken back and tried
        with a shorter step; the last proper state is kept.
        """
        J, settings = len(self.live), self.settings
        base, step = np.zeros((2, *self.live.shape)), np.zeros((2, *self.live.shape))
        eps, last = np.ones(J), np.full(J, np.inf)
        going, converged = np.ones(J, dtype=bool), np.zeros(J, dtype=bool)
        for sweep in range(settings.sweeps):
            rows = np.flatnonzero(going)
            trial = base[:, rows] + eps[rows, None] * step[:, rows]
            target, change = self.sweep(trial, rows)
            good = change <= settings.rise * last[rows]
            better, worse = rows[good], rows[~good]
            base[:, better], step[:, better] = trial[:, good], (target - trial)[:, good]
            last[better] = change[good]
            eps[better] *= settings.damping
            eps[worse] *= settings.shortened
            converged[better] = (change[good] < settings.converged) & (sweep > 0)
            going = ~converged & (eps >= settings.smallest)
            if not going.any():
                break
        return base[0], base[1], int(J - converged.sum())

    def sweep(self, sites: Array, rows: Ints) -> tuple[Array, Array]:
        """New sites [2, r, M] of samples `rows` from old ones, and their largest change (inf if improper) [r]."""
        found = self._cavities(sites, rows)
        new = np.zeros_like(sites)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # improper states are refused below
            self._targets(found, rows, new)
            new = np.where(self.live[rows], new, 0.0)
            scale = np.sqrt(np.maximum(found.whole, 0.0))
            moved = np.abs(new - sites) * np.stack([scale * scale, scale])
            change = moved.max(axis=(0, 2), initial=0.0)
        return new, np.where(found.proper & np.isfinite(change), change, np.inf)

    def _cavities(self, sites: Array, rows: Ints) -> _Marginals:
        """Marginals (I + A T)^-1 (b + A nu), (I + A T)^-1 A, and what is left of them without the own site."""
        tau, nu = sites
        mean, var = np.empty_like(tau), np.empty_like(tau)
        for basis, part in zip(self.bases, self.parts, strict=True):
            A, b, t, n = basis.A[rows], basis.b[rows], tau[:, part], nu[:, part]
            right = np.concatenate([A, (b + np.einsum("jlm,jm->jl", A, n))[:, :, None]], axis=2)
            solved = np.linalg.solve(np.eye(A.shape[1]) + A * t[:, None, :], right)
            var[:, part], mean[:, part] = np.einsum("jll->jl", solved[:, :, :-1]), solved[:, :, -1]
        left = 1.0 - tau * var
        proper = ((var > 0.0) & (left > 0.0) | ~self.live[rows]).all(axis=1)
        left = np.where(left > 0.0, left, 1.0)
        whole = np.maximum(var, 1e-300)
        return _Marginals((mean - nu * whole) / left, whole / left, whole, proper)

    def _targets(self, at: _Marginals, rows: Ints, new: Array) -> None:
        """Sites by the tilted moments of every factor, written to new [2, r, M]."""
        part = self.parts[0]
        d_mean, d_var = at.mean[:, part], at.var[:, part]
        alpha = -d_mean / np.sqrt(d_var)
        log_pf, seen = np.zeros_like(alpha), []
        for basis, part, bounds, (mean, var) in zip(
            self.bases[1:], self.parts[1:], self.bounds, self.known, strict=True
        ):
            own = scores(bounds, at.mean[:, part], np.sqrt(at.var[:, part]))
            each = np.repeat(log_probability(bounds, mean, np.sqrt(var))[None, :], len(rows), axis=0)
            each[:, basis.at] = own.log_p[:, 1:]
            log_pf += each
            seen.append(own)
        h = exclusion_factor(alpha, log_pf)
        new[:, :, self.parts[0]] = site(d_mean, d_var, -h.beta, h.beta * (h.beta + alpha))
        for basis, part, own in zip(self.bases[1:], self.parts[1:], seen, strict=True):
            w = np.hstack([np.full((len(rows), 1), -1.0), h.w[:, basis.at]])  # -1 is the factor g
            loss = w * own.bend + (w * own.shift) ** 2
            new[:, :, part] = site(at.mean[:, part], at.var[:, part], -w * own.shift, loss)
