"""Expected-improvement methods: cEI evaluates everything at its maximum, cEI+ only the most valuable function there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.acquisition.improvement import Improvement, incumbent
from taut.acquisition.inner import around
from taut.acquisition.maximise import AscentOptions, ascend
from taut.arrays import Array, Ints
from taut.data import Proposal, Request
from taut.policy.base import Bench, Choice, Recommender
from taut.policy.knowledge import Search


def best_points(bench: Bench) -> tuple[Array, Array, bool]:
    """Local maxima of log cEI, best first [m, d], their log values [m], and whether there is an incumbent."""
    score = Improvement(bench.land, incumbent(bench.land, bench.dataset))
    raw = np.vstack([bench.raw, bench.anchor.x[None, :], around(bench.anchor, 64, bench.rng)])
    value = score.log_value(raw)
    starts = raw[np.argsort(-value, kind="stable")[: bench.settings.search_starts]]

    def slopes(x: Array, rows: Ints) -> tuple[Array, Array]:
        return score.slopes(x)

    found = ascend(slopes, starts, AscentOptions(iterations=50, tolerance=1e-7))
    order = np.argsort(-found.value, kind="stable")
    return found.x[order], found.value[order], score.tau is not None


def _why(known: bool) -> str:
    return "constrained expected improvement" if known else "probability of feasibility (nothing feasible is known yet)"


@dataclass(frozen=True)
class CoupledEI(Recommender):
    """cEI: every function at the maximum of constrained expected improvement."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        bench = Bench(request, self.settings, rng)
        everything = tuple(range(len(bench.names)))
        points, values, known = best_points(bench)
        for x, value in zip(points, values, strict=True):
            if bench.admissible(x, everything):
                note = f"all functions: {_why(known)}, log value {value:.3g}"
                return bench.proposal(Choice(x, everything, 0.0, bench.cost(everything)), note)
        choice = bench.spread_choice()
        note = "all functions: every maximum of expected improvement is known already, most uncertain place"
        return bench.proposal(Choice(choice.x, everything, 0.0, bench.cost(everything)), note)


@dataclass(frozen=True)
class ImprovementPlus(Recommender):
    """cEI+: at the maximum of cEI, the one function with the largest Knowledge Gradient per cost there."""

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        bench = Bench(request, self.settings, rng)
        points, _, known = best_points(bench)
        for x in points:
            units = [S for S in bench.units if bench.admissible(x, S)]
            if units:
                return self._at(bench, x, units, known)
        return bench.proposal(
            bench.spread_choice(), "every maximum of expected improvement is known already: most uncertain place"
        )

    def _at(self, bench: Bench, x: Array, units: list[tuple[int, ...]], known: bool) -> Proposal:
        search = Search(bench)
        choices = search.sharpen([Choice(x, S, 0.0, bench.cost(S)) for S in units if search.live(S)])
        valued = [choice for choice in choices if choice.value > search.nothing]
        if valued:
            best = max(valued, key=lambda c: (c.rate, -c.S[0]))
            return bench.proposal(best, f"{bench.label(best.S)} at the maximum of {_why(known)}", choices)
        best = self._widest(bench, x, units)
        return bench.proposal(
            best, f"{bench.label(best.S)} at the maximum of {_why(known)}: none has value, the most uncertain"
        )

    def _widest(self, bench: Bench, x: Array, units: list[tuple[int, ...]]) -> Choice:
        """Largest v_k/(b_k scale_k^2) among the objective and the constraints that are not certain at x."""
        uncertain = set(bench.uncertain(x))

        def width(S: tuple[int, ...]) -> float:
            ratios = [
                float(bench.believed[k].at(x[None, :]).var[0]) / bench.believed[k].scale ** 2
                for k in S
                if k in uncertain
            ]
            return max(ratios, default=0.0) / bench.cost(S)

        S = max(units, key=width)
        return Choice(x, S, 0.0, bench.cost(S))
