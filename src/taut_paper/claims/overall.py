"""Claims drawn from all experiments together, and the two identities of the Knowledge Gradient."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.acquisition.feasibility import Bounds
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.lookahead import InnerSet
from taut.acquisition.settings import ScenarioOptions
from taut.base.arrays import Array
from taut.surrogate.gp import GP, Hyper, condition
from taut_paper.claims.baseline import BETTER, COUPLED, DECOUPLED, MYSTERY, REDUNDANT, TF2, lowest, twice_as_fast
from taut_paper.claims.costs import C2_5, wider
from taut_paper.claims.evidence import AUC, FINAL, LEVEL, Claim, Detail, Evidence
from taut_paper.experiments import BASELINE, COSTS

ALL = (*BASELINE, REDUNDANT, *COSTS)


def _decoupled_better(evidence: Evidence) -> list[Detail]:
    slower = [evidence.compare(where, AUC, method, "less", "pesc") for where in BASELINE for method in DECOUPLED]
    return [*lowest(evidence, AUC, (*BASELINE, *COSTS), COUPLED), *twice_as_fast(evidence), *slower]


def _larger_benefit(evidence: Evidence) -> list[Detail]:
    return [wider(evidence, REDUNDANT, MYSTERY, COUPLED), wider(evidence, C2_5, TF2, COUPLED)]


def _never_better(evidence: Evidence) -> list[Detail]:
    """Nowhere cEI+ below dcKG: p is that of cEI+ being better. Holm's adjusted p decides about a contradiction."""
    found = [evidence.compare(where, metric, "cei+", "less", "dckg") for where in ALL for metric in (AUC, FINAL)]
    p = np.array([1.0 if each.p is None else each.p for each in found])
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))

    def turned(each: Detail, q: float) -> Detail:
        if each.p is None:
            return each
        return replace(each, what=f"not {each.what}", holds=each.p >= LEVEL, opposite=q < LEVEL)

    return [turned(each, float(q)) for each, q in zip(found, adjusted, strict=True)]


# --- The identities of the Knowledge Gradient: one small model here, many in the tests of the library


def _process(rng: np.random.Generator) -> GP:
    X = rng.random((6, 2))
    y = np.sin(X @ np.array([5.0, 3.0]) + rng.random())
    hyper = Hyper(np.array([0.4, 0.5]), 1.3, 1e-6, 0.1, np.inf)
    return condition(X, y[:, None], hyper, float(y.mean()), float(y.std()))


def plain_kg(gp: GP, inner: Array, x: Array) -> Array:
    """E[max_i (mu_i + s_i Z)] - max_j mu_j, i over the inner set [N, d] and x, j over the set alone; x [q, d], [q]."""
    z = np.linspace(-9.0, 9.0, 6001)
    weight = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) * (z[1] - z[0])
    table, own = gp.posterior(inner), gp.posterior(x)
    s = np.hstack([gp.covariance(own, table), own.var[:, None]]) / np.sqrt(own.var + gp.noise)[:, None]
    mean = np.hstack([np.broadcast_to(table.mean[0], (len(x), len(inner))), own.mean[0][:, None]])
    return np.asarray(np.max(mean[:, :, None] + s[:, :, None] * z, axis=1) @ weight - table.mean[0].max())


def _identities(evidence: Evidence) -> list[Detail]:
    rng = np.random.default_rng(1)
    gps = tuple(_process(rng) for _ in range(3))
    inner, x = rng.random((20, 2)), rng.random((12, 2))
    free = LookAhead(InnerSet.of(gps[:1], (), -2.0, inner), ScenarioOptions(), 0)
    kg, plain = free.value((0,), free.candidates(x), refine=30), plain_kg(gps[0], inner, x)
    bound = LookAhead(InnerSet.of(gps, (Bounds(-np.inf, 0.0),) * 2, -2.0, inner), ScenarioOptions(), 0)
    ckg = bound.value((0, 1, 2), bound.candidates(rng.random((100, 2))))
    error, least, most = float(np.max(np.abs(kg - plain)) / plain.max()), float(ckg.min()), float(ckg.max())

    def computed(what: str, numbers: str, n: int, holds: bool) -> Detail:
        return Detail(numbers, None, n, holds, not holds, where="computed", what=what)

    return [
        computed("cKG without constraints is KG", f"error {error:.1e}", len(x), error < 1e-3),
        computed("cKG is not negative", f"least of 100: {least:.2g}", len(ckg), least >= 0.0 and most > 0.0),
    ]


CLAIMS = (
    Claim(
        "C30",
        "Evaluating functions separately is better overall than evaluating them together, and better than PESC.",
        f"dcKG below cEI and cKG at all costs, dcKG and cEI+ below PESC at unit cost, by {BETTER}; and C12.",
        _decoupled_better,
    ),
    Claim(
        "C31",
        "The benefit is especially large with several or with expensive redundant constraints.",
        "Lead of dcKG over the better of cEI and cKG in mean log10 OC larger with eight redundant constraints than "
        "without, and larger with expensive c2 than at unit cost, at the same seed, by the median and paired Wilcoxon "
        "p < 0.05.",
        _larger_benefit,
    ),
    Claim(
        "C33",
        "cEI+ is not expected to beat dcKG.",
        "cEI+ is nowhere significantly better (p < 0.05) in mean or final log10 OC; contradicted if somewhere it still "
        "is after Holm's correction for the number of comparisons.",
        _never_better,
    ),
    Claim(
        "C35",
        "The constrained Knowledge Gradient is never negative and equals the plain one without constraints.",
        "Evaluated on a small model whenever claims are judged: against numerical integration, and at 100 points.",
        _identities,
    ),
)
