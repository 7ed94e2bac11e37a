"""The search shared by the look-ahead methods: value of sets of functions over the cube."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from taut.acquisition.inner import around, inner_set
from taut.acquisition.knowledge import LookAhead
from taut.acquisition.maximise import AscentOptions, Score, ascend
from taut.acquisition.refine import moved_maxima
from taut.acquisition.scenarios import Rule
from taut.arrays import Array, Ints
from taut.policy.base import Choice, Decision
from taut.quasirandom import sobol

NOTHING = 1e-12  # relative to the objective's scale: a smaller value counts as none


class Search:
    """Value of sets of functions over the cube: raw candidates, ascents, finalists on a refined inner set."""

    def __init__(self, decision: Decision) -> None:
        self.decision, self.settings = decision, decision.settings
        settings, anchor, rng = decision.settings, decision.anchor, decision.rng
        self.rule = Rule(settings.tails, settings.quantiles, settings.vectors, settings.exact)
        places = decision.places
        if len(places):
            places = places[np.argsort(-decision.land.log_gain(places), kind="stable")]
        promising = decision.promising(8, 20).x[:8]
        points = inner_set(anchor, np.vstack([promising, places[:20]]), settings.inner, rng)
        self.ahead = LookAhead(decision.drawn, decision.bounds, decision.land.M, points, self.rule, decision.seed)
        local = around(anchor, settings.raw // 3, rng)
        spread = sobol(settings.raw - len(local), len(anchor.x), rng)
        self.raw = np.vstack([anchor.x[None, :], anchor.maxima[1:6], promising, local, spread])
        self.at_raw = self.ahead.candidates(self.raw)
        self.nothing = NOTHING * decision.surrogate.processes[0].scale

    def live(self, S: tuple[int, ...]) -> tuple[int, ...]:
        """S without constraints that hold for certain everywhere: they change nothing but the time it takes."""
        return tuple(k for k in S if k == 0 or self._doubtful(k))

    def _doubtful(self, k: int) -> bool:
        sure = np.log1p(-1e-12)
        return bool(self.ahead.log_pf[k - 1].min() < sure or self.at_raw.log_pf[k - 1].min() < sure)

    def raw_values(self, S: tuple[int, ...]) -> Array:
        live = self.live(S)
        return self.ahead.value(live, self.at_raw) if live else np.zeros(len(self.raw))

    def optimise(self, S: tuple[int, ...], raw: Array) -> list[Choice]:
        """Local maxima of KG^S from the best raw candidates, best first."""
        order = np.argsort(-raw, kind="stable")
        starts = self._starts(order[raw[order] > 0.0])
        if not len(starts):
            return []
        found = ascend(
            self._log_value(self.ahead, S),
            self.raw[starts],
            AscentOptions(iterations=12, tolerance=1e-3),
            self._metric(starts),
        )
        cost = self.decision.cost(S)
        choices = [Choice(x, S, float(np.exp(v)), cost) for x, v in zip(found.x, found.value, strict=True)]
        return sorted(choices, key=lambda choice: -choice.value)

    def _log_value(self, ahead: LookAhead, S: tuple[int, ...]) -> Score:
        """log KG^S with its gradient, for an ascent."""
        live = self.live(S)

        def score(x: Array, rows: Ints) -> tuple[Array, Array]:
            value, gradient = ahead.value_slopes(live, ahead.candidates(x))
            value = np.maximum(value, 1e-300)
            return np.log(value), gradient / value[:, None]

        return score

    def _starts(self, order: Ints) -> Ints:
        """The best raw candidates that are not next to a better one, relative to the ellipsoid near x_r."""
        chosen: list[int] = []
        for i in order:
            if len(chosen) == self.settings.starts:
                break
            if all(not self._close(self.raw[i], self.raw[j]) for j in chosen):
                chosen.append(int(i))
        return np.array(chosen, dtype=np.intp)

    def _close(self, x: Array, y: Array) -> bool:
        step = x - y
        return bool(np.abs(step).max() < 0.05 and step @ self._inverse @ step < 0.25)

    @cached_property
    def _inverse(self) -> Array:
        return np.linalg.inv(self.decision.anchor.metric)

    def _metric(self, starts: Ints) -> Array:
        step = self.raw[starts] - self.decision.anchor.x
        near = np.einsum("qi,ij,qj->q", step, self._inverse, step) < 25.0
        return np.where(near[:, None, None], self.decision.anchor.metric, 0.01 * np.eye(self.raw.shape[1]))

    def sharpen(self, choices: list[Choice]) -> list[Choice]:
        """Re-value choices on an inner set that holds the moved maxima of all of them."""
        extra = [moved_maxima(self.ahead, self.live(c.S), c.x[None, :], self.decision.anchor) for c in choices]
        finer = replace(self.rule, vectors=4 * self.rule.vectors) if self.rule.exact else self.rule
        self.sharp = self.ahead.extended(np.vstack([*extra, self.raw[:0]]), finer)
        return [self.revalue(choice) for choice in choices]

    def revalue(self, choice: Choice) -> Choice:
        """The same point and set valued on the refined inner set."""
        value = float(self.sharp.value(self.live(choice.S), self.sharp.candidates(choice.x[None, :]), refine=3)[0])
        return replace(choice, value=value)

    def climb(self, choice: Choice) -> Choice:
        """One ascent on the refined inner set, for a set that was found at somebody else's point."""
        score = self._log_value(self.sharp, choice.S)
        found = ascend(score, choice.x[None, :], AscentOptions(iterations=8, tolerance=1e-3, radius=0.01))
        moved, here = self.revalue(replace(choice, x=found.x[0])), self.revalue(choice)
        better = moved if moved.value > here.value else here
        return better if self.decision.admissible(better.x, better.S) == better.S else here
