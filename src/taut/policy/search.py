"""The search shared by the look-ahead methods: value of sets of functions over the cube.

Raw candidates are ranked for every set with a coarse rule; the best sets are climbed together, one call for all of
them, on the inner points that have won anything so far; the finalists are valued precisely.
"""

from __future__ import annotations

from collections.abc import Sequence
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
SURE = -1e-9  # a constraint whose log probability is nowhere below this takes no part in the search
LEADERS = 8  # sets that are climbed from all starts; the others from their best one
FIXED = 48  # inner points that are never left out: the recommendation, other maxima, promising and known places
EXPECTED = AscentOptions(iterations=20, tolerance=1e-3, calls=20)
CLIMB = AscentOptions(iterations=12, tolerance=1e-3, calls=16, behind=np.log(8.0), patience=6)

Sets = Sequence[tuple[int, ...]]


class Search:
    """Value of sets of functions over the cube: raw candidates, ascents, finalists on a refined inner set."""

    def __init__(self, decision: Decision) -> None:
        self.decision, self.settings = decision, decision.settings
        settings, anchor, rng = decision.settings, decision.anchor, decision.rng
        self.rule = Rule(settings.tails, settings.quantiles, settings.vectors, settings.exact)
        seen = decision.screen
        good = seen.x[np.argsort(-seen.log_gain, kind="stable")[:20]]
        promising = decision.promising(8, EXPECTED).x[:8]
        points = inner_set(anchor, np.vstack([promising, good]), settings.inner, rng)
        local = around(anchor, settings.raw // 3, rng)
        spread = sobol(settings.raw - len(local), len(anchor.x), rng)
        self.raw = np.vstack([anchor.x[None, :], anchor.maxima[1:6], promising, local, spread])
        self._look(points)
        self.nothing = NOTHING * decision.surrogate.processes[0].scale
        self.winners = np.zeros(len(points), dtype=bool)
        self.winners[:FIXED] = True

    def _look(self, points: Array) -> None:
        """Look-aheads on the inner set: the full one, and a coarse one with the raw candidates."""
        drawn, bounds, M, seed = self.decision.drawn, self.decision.bounds, self.decision.land.M, self.decision.seed
        tables = tuple(gp.at(points) for gp in drawn)
        coarse = replace(self.rule, coarse=True)
        whole = LookAhead(drawn, bounds, M, points, coarse, seed, tables)
        at = whole.candidates(self.raw, slopes=False)
        sure = (k for k in whole.doubtful if min(whole.log_pf[k - 1].min(), at.log_pf(k).min()) >= SURE)
        self.idle = frozenset(sure)
        self.ahead = LookAhead(drawn, bounds, M, points, self.rule, seed, tables, self.idle)
        self.coarse = LookAhead(drawn, bounds, M, points, coarse, seed, tables, self.idle)
        at.ahead = self.coarse
        self.at_raw = at

    def live(self, S: tuple[int, ...]) -> tuple[int, ...]:
        """S without constraints that hold for certain everywhere: they change nothing but the time it takes."""
        return tuple(k for k in S if k not in self.idle)

    def raw_values(self, S: tuple[int, ...]) -> Array:
        """KG^S at the raw candidates, by the coarse rule; remembers which inner points won."""
        live = self.live(S)
        if not live:
            return np.zeros(len(self.raw))
        value, winners = self.coarse.value_and_winners(live, self.at_raw)
        self.winners[winners] = True
        return value

    def optimise(self, sets: Sets, raws: Sequence[Array], costs: Sequence[float]) -> list[list[Choice]]:
        """Local maxima of every set's KG from its best raw candidates, best first. costs: for the race only."""
        rates = np.array([raw.max() / cost for raw, cost in zip(raws, costs, strict=True)])
        rank = np.argsort(np.argsort(-rates, kind="stable"), kind="stable")
        starts = [
            self._starts(raw, self.settings.starts if place < LEADERS else 1)
            for raw, place in zip(raws, rank, strict=True)
        ]
        which = np.repeat(np.arange(len(sets)), [len(part) for part in starts])
        rows = np.concatenate([*starts, np.zeros(0, dtype=np.intp)])
        if not len(rows):
            return [[] for _ in sets]
        narrow = self.ahead.reduced(np.flatnonzero(self.winners), self.rule)
        handicap = np.log(np.asarray(costs, dtype=float) / max(costs))[which]  # a common factor must not even round
        found = ascend(self._log_rate(narrow, sets, which, handicap), self.raw[rows], CLIMB, self._metric(rows))
        result: list[list[Choice]] = [[] for _ in sets]
        for i in np.argsort(-found.value, kind="stable"):
            S = sets[which[i]]
            value = float(np.exp(found.value[i] + handicap[i]))
            result[which[i]].append(Choice(found.x[i], S, value, self.decision.cost(S)))
        return result

    def _log_rate(self, ahead: LookAhead, sets: Sets, which: Ints, handicap: Array) -> Score:
        """log KG of each row's set minus its handicap, with gradient, for an ascent; which: [rows]."""
        live = [self.live(S) for S in sets]

        def score(x: Array, rows: Ints) -> tuple[Array, Array]:
            mine = which[rows]
            groups = [(live[i], np.flatnonzero(mine == i)) for i in np.unique(mine)]
            value, gradient = ahead.group_slopes(groups, ahead.candidates(x))
            value = np.maximum(value, 1e-300)
            return np.log(value) - handicap[rows], gradient / value[:, None]

        return score

    def _starts(self, raw: Array, count: int) -> Ints:
        """The best raw candidates that are not next to a better one, relative to the ellipsoid near x_r."""
        order = np.argsort(-raw, kind="stable")
        chosen: list[int] = []
        for i in order[raw[order] > 0.0]:
            if len(chosen) == count:
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
        extra = moved_maxima(self.ahead, [(self.live(c.S), c.x) for c in choices], self.decision.anchor)
        finer = replace(self.rule, vectors=4 * self.rule.vectors) if self.rule.exact else self.rule
        self.sharp = self.ahead.extended(extra, finer)
        return [self.revalue(choice) for choice in choices]

    def revalue(self, choice: Choice) -> Choice:
        """The same point and set valued on the refined inner set."""
        at = self.sharp.candidates(choice.x[None, :], slopes=False)
        return replace(choice, value=float(self.sharp.value(self.live(choice.S), at, refine=3)[0]))

    def climb(self, choices: list[Choice]) -> list[Choice]:
        """One ascent on the refined inner set for each set that was found at somebody else's point."""
        if not choices:
            return []
        which = np.arange(len(choices))
        score = self._log_rate(self.sharp, [c.S for c in choices], which, np.zeros(len(choices)))
        options = AscentOptions(iterations=8, tolerance=1e-3, radius=0.01, calls=12)
        found = ascend(score, np.array([c.x for c in choices]), options)
        return [self._better(choice, x) for choice, x in zip(choices, found.x, strict=True)]

    def _better(self, choice: Choice, x: Array) -> Choice:
        """The choice moved to x [d] if that is worth more and allowed."""
        moved, here = self.revalue(replace(choice, x=x)), self.revalue(choice)
        better = moved if moved.value > here.value else here
        return better if self.decision.admissible(better.x, better.S) == better.S else here
