"""Predictive entropy search with constraints (PESC): information about the location of the constrained maximum.

    alpha_k(x) = mean over j of 0.5 log((v_k(x) + r_k)/(v~_k(x; x*_j) + r_k))

v~_k is the variance given that x*_j is the constrained maximiser: EP conditions the processes on what that means at the
known points (propagation.py), once per sample; the same factor h at x itself is then added in closed form. With u the
covariances of the function's sites with its value at x, and Gm, e from EP,

| symbol | meaning | shape |
| --- | --- | --- |
| v_xx, v_xs, v_ss | v_0 - u'Gm u, cov_0(x, x*) - u'Gm e_s, V_ss - e_s'Gm e_s; e_s: covariances with f(x*) | [J, q] |
| m_x, m_s | mu_0 + u'e, m_0 + e_s'e | [J, q] |
| s, alpha | v_xx + v_ss - 2 v_xs, (m_s - m_x)/sqrt(s) | [J, q] |
| m'_k, v'_k | mu_k + u_k'e_k, v_k - u_k'Gm_k u_k | [J, q] |
| v~_0 | v_xx - beta (beta + alpha) (v_xx - v_xs)^2/s | [J, q] |
| v~_k | v'_k (1 - w bend_k - w^2 shift_k^2), with an upper bound only v'_k (1 + w lambda (gamma - w lambda)) | [J, q] |

x* and the sites do not depend on x, so gradients need these formulas only. Functions add up: alpha_S = sum of alpha_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.acquisition.propagation import Conditioning, ExclusionFactor, Scores, exclusion_factor, scores
from taut.base.arrays import Array
from taut.surrogate.gp import GP
from taut.surrogate.posterior import CrossCovariance, Posterior, PosteriorWithGradient

LEAST = 1e-10  # floors of s and of conditional variances, relative to v_xx and to the variance before
REST = 1e-12  # floor of a variance given the sites, relative to the one before


@dataclass(frozen=True)
class _Given:
    """One function at x given the sites: u, Gm u [J, q, L], mean and variance [J, q]; prior: variance before [q]."""

    u: Array
    gu: Array
    mean: Array
    var: Array
    prior: Array


@dataclass(frozen=True)
class _Top:
    """The objective's part: v_xs, s, alpha, gap = v_xx - v_xs [J, q], and whether s is above its floor."""

    xs: Array
    s: Array
    alpha: Array
    gap: Array
    free: Array


@dataclass(frozen=True)
class _Tilted:
    """The factor h at x: the objective's part, every constraint's scores, beta and w."""

    top: _Top
    own: list[Scores]
    h: ExclusionFactor


def _conditional_variances(found: Sequence[_Given], tilted: _Tilted) -> list[Array]:
    """v~_k; [J, q] each."""
    top, h = tilted.top, tilted.h
    first = found[0].var - h.beta * (h.beta + top.alpha) * top.gap**2 / top.s
    rest = [
        given.var * (1.0 - h.w * each.bend - (h.w * each.shift) ** 2)
        for given, each in zip(found[1:], tilted.own, strict=True)
    ]
    return [np.maximum(v, LEAST * given.var) for v, given in zip([first, *rest], found, strict=True)]


@dataclass
class Entropy:
    """alpha_k of one belief given EP for J samples. clamped: values that would have been negative, out of `looked`."""

    processes: Sequence[GP]
    bounds: Sequence[Bounds]
    given: Conditioning
    clamped: int = 0
    looked: int = 0
    _star: tuple[Array, Array, Array] = field(init=False)

    def __post_init__(self) -> None:
        """e_s [J, L], v_ss and m_s [J]."""
        top = self.given.functions[0]
        J = len(self.given.maximisers)
        posterior = top.basis.posterior
        V = self.processes[0].covariance(posterior, posterior)
        e_s = V[:J, J:] - np.diagonal(V)[:J, None]
        v_ss = np.diagonal(V)[:J] - np.einsum("jl,jlm,jm->j", e_s, top.Gm, e_s)
        self._star = e_s, v_ss, posterior.mean[0, :J] + np.einsum("jl,jl->j", e_s, top.e)

    def at(self, x: Array) -> Array:
        """alpha_k of all functions at x [q, d], not below 0; [K + 1, q]."""
        found = self._found(x)
        raw = self._alphas(found, self._tilted(found))
        self.clamped += int((raw < 0.0).sum())
        self.looked += raw.size
        return np.maximum(raw, 0.0)

    def value(self, parts: Array, S: Sequence[int]) -> Array:
        """alpha_S; [q]."""
        total: Array = parts[list(S)].sum(axis=0)
        return total

    def value_with_gradient(self, x: Array, member: Array) -> tuple[Array, Array]:
        """alpha [q] of each row's set (member: [K + 1, q], 1 or 0) at x [q, d], and its gradient [q, d]."""
        here = [gp.posterior_with_gradient(x) for gp in self.processes]
        crosses = [at.cross(each.basis.posterior) for at, each in zip(here, self.given.functions, strict=True)]
        found = [self._given(k, at.posterior, c[0]) for k, (at, c) in enumerate(zip(here, crosses, strict=True))]
        tilted = self._tilted(found)
        raw = self._alphas(found, tilted)
        weight = member * (raw > 0.0)
        pulls = self._pulls(found, tilted, weight)
        gradient = np.zeros_like(x)
        for k, (at, (_, slope), pull) in enumerate(zip(here, crosses, pulls, strict=True)):
            gradient += self._pulled(k, at, slope, found[k], pull, weight[k])
        return (weight * raw).sum(axis=0), gradient

    # --- forward

    def _found(self, x: Array) -> list[_Given]:
        found = []
        for k, (gp, each) in enumerate(zip(self.processes, self.given.functions, strict=True)):
            here = gp.posterior(x)
            found.append(self._given(k, here, gp.covariance(here, each.basis.posterior)))
        return found

    def _given(self, k: int, here: Posterior, cov: Array) -> _Given:
        """Function k given its sites; cov: with x*_1..J and its points, [q, J + L]."""
        each = self.given.functions[k]
        J = len(self.given.maximisers)
        own, rest = cov[:, :J].T, cov[None, :, J:]
        u = rest - own[:, :, None] if k == 0 else np.concatenate([own[:, :, None], np.repeat(rest, J, axis=0)], axis=2)
        gu = u @ each.Gm
        mean = here.mean[0] + np.einsum("jql,jl->jq", u, each.e)
        var = np.maximum(here.var - np.einsum("jql,jql->jq", u, gu), REST * here.var)
        if k == 0:  # x* itself is no site of the objective; its covariance travels with u
            u = np.concatenate([u, own[:, :, None]], axis=2)
        return _Given(u, gu, mean, var, here.var)

    def _top(self, f: _Given) -> _Top:
        e_s, v_ss, m_s = self._star
        xs = f.u[:, :, -1] - np.einsum("jql,jl->jq", f.gu, e_s)
        raw, floor = f.var + v_ss[:, None] - 2.0 * xs, LEAST * f.var
        s = np.maximum(raw, floor)
        return _Top(xs, s, (m_s[:, None] - f.mean) / np.sqrt(s), f.var - xs, raw > floor)

    def _tilted(self, found: Sequence[_Given]) -> _Tilted:
        """The factor h at x itself."""
        top = self._top(found[0])
        own = [scores(b, each.mean, np.sqrt(each.var)) for b, each in zip(self.bounds, found[1:], strict=True)]
        log_pf = np.zeros_like(top.alpha)
        for each in own:
            log_pf += each.log_p
        return _Tilted(top, own, exclusion_factor(top.alpha, log_pf))

    def conditional(self, x: Array) -> list[Array]:
        """v~_k at x [q, d] for every function; [J, q] each."""
        found = self._found(x)
        return _conditional_variances(found, self._tilted(found))

    def _alphas(self, found: Sequence[_Given], tilted: _Tilted) -> Array:
        """alpha_k before the clamp; [K + 1, q]."""
        rows = [
            0.5 * (np.log(given.prior + gp.noise) - np.log(v + gp.noise).mean(axis=0))
            for gp, given, v in zip(self.processes, found, _conditional_variances(found, tilted), strict=True)
        ]
        return np.array(rows)

    # --- backward: adjoints of mean and variance given the sites, and of v_xs

    def _pulls(self, found: Sequence[_Given], tilted: _Tilted, weight: Array) -> list[tuple[Array, Array, Array]]:
        """d(sum_k weight_k alpha_k) by m and v given the sites (and v_xs for the objective), [J, q] each.

        dbeta/dalpha = -beta (beta + alpha), dbeta/dlog PF = beta (1 + w), dw/dalpha = -beta (1 + w),
        dw/dlog PF = w (1 + w).
        """
        top, own, h = tilted.top, tilted.own, tilted.h
        J = len(self.given.maximisers)
        v = _conditional_variances(found, tilted)
        by = [-0.5 / J * weight[k] / (v[k] + gp.noise) for k, gp in enumerate(self.processes)]
        loss, sum_ba = h.beta * (h.beta + top.alpha), 2.0 * h.beta + top.alpha
        share = by[0] * -(top.gap**2) / top.s  # by loss
        by_beta, by_alpha = share * sum_ba, share * h.beta
        by_w = np.zeros_like(h.w)
        for given, each, b in zip(found[1:], own, by[1:], strict=True):
            by_w -= b * given.var * (each.bend + 2.0 * h.w * each.shift**2)
        by_alpha = by_alpha - by_beta * loss - by_w * h.beta * (1.0 + h.w)
        by_log_pf = (by_beta * h.beta + by_w * h.w) * (1.0 + h.w)
        result = [self._pull_top(found[0], top, loss, by[0], by_alpha)]
        for given, each, b in zip(found[1:], own, by[1:], strict=True):
            result.append(_pull_constraint(given, each, h.w, b, by_log_pf))
        return result

    def _pull_top(self, f: _Given, top: _Top, loss: Array, by: Array, by_alpha: Array) -> tuple[Array, Array, Array]:
        """By m_x, v_xx and v_xs, from v~_0 = v_xx - loss gap^2/s and alpha = (m_s - m_x)/sqrt(s)."""
        by_s = by * loss * (top.gap / top.s) ** 2 - 0.5 * by_alpha * top.alpha / top.s
        by_gap = -2.0 * by * loss * top.gap / top.s
        free = np.where(top.free, by_s, 0.0)
        by_xx = by + by_gap + np.where(top.free, by_s, LEAST * by_s)
        return -by_alpha / np.sqrt(top.s), by_xx, -by_gap - 2.0 * free

    def _pulled(
        self,
        k: int,
        here: PosteriorWithGradient,
        slope: Array,
        given: _Given,
        pull: tuple[Array, Array, Array],
        weight: Array,
    ) -> Array:
        """The gradient [q, d] that function k contributes: through its mean, variance and covariances at x."""
        each, (by_mean, by_var, by_xs) = self.given.functions[k], pull
        by_u = by_mean[:, :, None] * each.e[:, None, :] - 2.0 * by_var[:, :, None] * given.gu
        if k == 0:
            by_u = by_u - by_xs[:, :, None] * np.einsum("jlm,jm->jl", each.Gm, self._star[0])[:, None, :]
            by_cov = np.concatenate([(by_xs - by_u.sum(axis=2)).T, by_u.sum(axis=0)], axis=1)
        else:
            by_cov = np.concatenate([by_u[:, :, 0].T, by_u[:, :, 1:].sum(axis=0)], axis=1)
        by_prior = by_var.sum(axis=0) + 0.5 * weight / (given.prior + self.processes[k].noise)
        cross = CrossCovariance(slice(None), each.basis.posterior, slope, by_cov)
        return here.gradient(by_mean.sum(axis=0)[None, :], by_prior, cross)


def _pull_constraint(given: _Given, own: Scores, w: Array, by: Array, by_log_pf: Array) -> tuple[Array, Array, Array]:
    """By m'_k and v'_k, from v~_k = v'_k (1 - w bend - w^2 shift^2) and log PF_k; the third is unused."""
    sd = np.sqrt(given.var)
    by_bend = -by * given.var * w
    by_shift = -2.0 * by * given.var * w * w * own.shift
    by_a = own.down * (by_shift * (own.shift - own.a) + by_bend * (1.0 + own.bend - own.a**2))
    by_b = own.up * (by_shift * (own.b - own.shift) - by_bend * (1.0 + own.bend - own.b**2))
    by_mean = (by_log_pf * own.shift - by_a - by_b) / sd
    by_sd = (by_log_pf * own.bend - by_a * own.a - by_b * own.b) / sd
    direct = by * (1.0 - w * own.bend - (w * own.shift) ** 2)
    return by_mean, direct + 0.5 * by_sd / sd, np.zeros_like(by_mean)
