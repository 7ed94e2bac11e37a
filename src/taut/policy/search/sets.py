"""The search shared by the look-ahead methods: value of sets of functions over the cube.

Raw candidates are ranked for every set with a coarse rule; the best sets are climbed together, one call for all of
them, on the inner points that have won anything so far; the finalists are valued precisely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from taut.acquisition.knowledge import LookAhead
from taut.acquisition.knowledge_gradient import values_with_gradient
from taut.acquisition.knowledge_update import possible
from taut.acquisition.lookahead import CandidatePosterior, InnerSet
from taut.acquisition.settings import ScenarioOptions
from taut.acquisition.utility import EVERY_FUNCTION
from taut.base.arrays import Array, Flags, Ints
from taut.base.ascend import AscentOptions, Score, ascend
from taut.base.distinct import best_apart, distinct
from taut.base.quasirandom import sobol
from taut.policy.context import SAME_POINT, Candidate, Decision
from taut.policy.search.inner import ellipsoid_samples, inner_set, snap_to_bounds
from taut.policy.search.lookahead_maxima import lookahead_maxima

NOTHING = 1e-12  # relative to the objective's scale: a smaller value counts as none
SURE = -1e-9  # a constraint whose log probability is nowhere below this takes no part in the search
LEADERS = 8  # sets that are climbed from all starts; the others from their best one
FIXED = 64  # inner points that are never left out: the recommendation, other maxima, promising and known places
OPTIMISTIC_CONSTRAINTS = 12  # constraints for which places of good news are searched, the most doubtful ones
OPTIMISTIC_ROWS = 48
OPTIMISTIC_ASCENT = AscentOptions(tolerance=2e-2, calls=7, patience=3, apart=0.003)
EXPECTED = AscentOptions(tolerance=1e-2, radius=0.03, calls=4, patience=3, apart=0.003)
FEW = 3  # dimensions up to which one climb is enough
FIRST = AscentOptions(tolerance=2e-2, calls=5)
SECOND = AscentOptions(tolerance=5e-3, calls=8, behind=np.log(5.0), patience=3, shrink=0.5)
BLOCK = 32
JUST_APART = 1.5  # times the distance at which places are the same
HOPELESS = 0.1  # share of the best value per cost below which a set is not climbed on
LAST = AscentOptions(tolerance=2e-3, calls=4)

Sets = Sequence[tuple[int, ...]]


class Search:
    """Value of sets of functions over the cube: raw candidates, ascents, finalists on a refined inner set.

    places: maxima of expected improvement, if only their values are of interest; then no others are looked for.
    """

    def __init__(self, decision: Decision, places: Array | None = None) -> None:
        self.decision, self.settings = decision, decision.settings
        settings, optimum, rng = decision.settings, decision.optimum, decision.rng
        self.rule = ScenarioOptions(settings.tails, settings.quantiles, settings.vectors, settings.exact)
        samples = decision.raw_samples
        good = samples.x[np.argsort(-samples.log_value, kind="stable")[:20]]
        ei_maxima = self._ei_maxima() if places is None else places[:8]
        optimistic = self._optimistic_points() if places is None else places[:0]  # candidates above all
        points = inner_set(decision.utility, optimum, np.vstack([ei_maxima, optimistic, good]), settings.inner, rng)
        self.raw = np.vstack([optimum.x[None, :], ei_maxima])
        if places is None:
            local = ellipsoid_samples(optimum.x, optimum.metric, settings.raw // 3, rng)
            wide = sobol(settings.raw - len(local), len(optimum.x), rng)
            wide[::2] = snap_to_bounds(wide[::2])
            self.raw = np.vstack([self.raw[:1], optimum.maxima[1:6], ei_maxima, optimistic, local, wide])
        self._look(points)
        self.nothing = NOTHING * decision.surrogate.processes[0].scale
        self._shapes: dict[bytes, Array] = {}  # what ascents have learnt about the places where they ended
        self._lookahead_maxima: dict[tuple[tuple[int, ...], bytes], Array] = {}

    def _ei_maxima(self) -> Array:
        """Maxima of constrained expected improvement, more of them where there is more space; [p, d]."""
        if len(self.decision.optimum.x) <= FEW:
            return self.decision.ei_maxima(8, EXPECTED).x[:8]
        return self.decision.ei_maxima(16, replace(EXPECTED, calls=8)).x[:12]

    def _optimistic_points(self) -> Array:
        """Where the recommendation would go after good news about one function, or all: places to ask for them."""
        samples = self.decision.raw_samples
        doubt = samples.log_pf[:, int(np.argmax(samples.log_value))]
        which = [EVERY_FUNCTION, 0, *(1 + int(k) for k in np.argsort(doubt, kind="stable")[:OPTIMISTIC_CONSTRAINTS])]
        if samples.x.shape[1] <= FEW:  # the raw samples is dense enough
            return np.vstack([samples.x[best_apart(samples.x, samples.log_optimistic(k), 2)] for k in which])
        each = min(max(OPTIMISTIC_ROWS // len(which), 2), 4)
        picks = [best_apart(samples.x, samples.log_optimistic(k), each) for k in which]
        rows = np.repeat(which, [len(pick) for pick in picks])

        def score(x: Array, mine: Ints) -> tuple[Array, Array]:
            return self.decision.utility.log_optimistic_with_gradient(x, rows[mine])

        found = ascend(score, samples.x[np.concatenate(picks)], OPTIMISTIC_ASCENT, kinds=rows)
        best = [np.flatnonzero(rows == k) for k in which]
        return np.vstack([found.x[mine][distinct(found.x[mine], found.value[mine], 0.02)[:2]] for mine in best])

    def _look(self, points: Array) -> None:
        """Look-aheads on the inner set: the full one, and a coarse one with the raw candidates."""
        decision = self.decision
        inner = InnerSet.of(decision.fantasies, decision.bounds, decision.utility.M, points)
        inner = inner.reduced(
            np.flatnonzero(possible(inner.bounds, inner.posteriors) | (np.arange(len(points)) < FIXED))
        )
        at = CandidatePosterior(inner, self.raw, gradients=False)
        sure = (k for k in inner.uncertain if min(inner.log_pf[k - 1].min(), at.log_pf[k].min()) >= SURE)
        self.always_met = frozenset(sure)
        if self.always_met:
            inner = replace(inner, always_met=self.always_met)
            at = at.without(self.always_met, inner)
        self.winners = np.arange(len(inner.points)) < FIXED
        self.ahead = LookAhead(inner, self.rule, decision.seed)
        self.coarse = self.ahead.with_options(replace(self.rule, resolution="coarse"))
        self.at_raw: CandidatePosterior | None = at

    def live(self, S: tuple[int, ...]) -> tuple[int, ...]:
        """S without constraints that hold for certain everywhere: they change nothing but the time it takes."""
        return tuple(k for k in S if k not in self.always_met)

    def raw_values(self, S: tuple[int, ...], where: Flags | None = None) -> Array:
        """KG^S at the raw candidates, by the coarse rule; remembers which inner points won. where: 0 elsewhere."""
        live: tuple[int, ...] = self.live(S)
        values: Array = np.zeros(len(self.raw))
        if not live or (where is not None and not where.any()):
            return values
        if self.at_raw is None:
            self.at_raw = self.coarse.candidates(self.raw, gradients=False)
        if where is None:
            values, winners = self.coarse.value_and_winners(live, self.at_raw)
        else:
            rows = np.flatnonzero(where)
            values[rows], winners = self.coarse.value_and_winners(live, self.at_raw.part(rows))
        self.winners[winners] = True
        return values

    def raw_uncertain(self, delta: float) -> Flags:
        """What is in doubt at the raw candidates: the objective, constraints with PF < 1 - delta; [K + 1, q]."""
        assert self.at_raw is not None
        uncertain = np.zeros((len(self.decision.names), len(self.raw)), dtype=bool)
        uncertain[0] = True
        for k in self.coarse.inner.uncertain:
            uncertain[k] = self.at_raw.log_pf[k].min(axis=0) < np.log1p(-delta)
        return uncertain

    def optimise(self, sets: Sets, raws: Sequence[Array], costs: Sequence[float]) -> list[list[Candidate]]:
        """Local maxima of every set's KG, best first. costs: what the sets are compared by.

        A climb from the best raw candidates. In many dimensions a short one comes before it, after which all ends are
        valued for all sets, because a good place for one is often a good place for another.
        """
        rates = np.array([raw.max() / cost for raw, cost in zip(raws, costs, strict=True)])
        rank = np.argsort(np.argsort(-rates, kind="stable"), kind="stable")
        counts = [self.settings.starts if place < LEADERS else 1 for place in rank]
        starts = [self.raw[self._starts(raw, count)] for raw, count in zip(raws, counts, strict=True)]
        self.narrow = narrow = self.coarse.reduced(np.flatnonzero(self.winners), self.coarse.options)
        if self.raw.shape[1] > FEW and any(len(part) for part in starts):
            starts = self._cross_seeded(narrow, sets, self._ascend_sets(narrow, sets, starts, costs, FIRST), costs)
        return self._ascend_sets(narrow, sets, starts, costs, SECOND)

    def estimate(self, choice: Candidate) -> Candidate:
        """The choice with the value that the last climb would have given it."""
        at, live = self.narrow.candidates(choice.x[None, :], gradients=False), self.live(choice.S)
        return replace(choice, value=float(self.narrow.value(live, at)[0]) if live else 0.0)

    def _cross_seeded(
        self, narrow: LookAhead, sets: Sets, ends: list[list[Candidate]], costs: Sequence[float]
    ) -> list[Array]:
        """The two best places for every set among all ends; none for sets far behind."""
        places = np.array([choice.x for choices in ends for choice in choices[:2]])
        at = narrow.candidates(places, gradients=False)
        values = [narrow.value(self.live(S), at) / cost for S, cost in zip(sets, costs, strict=True)]
        least = HOPELESS * max(float(value.max()) for value in values)
        return [places[order[value[order] > least]] for value, order in ((v, self._apart(places, v)) for v in values)]

    def _apart(self, places: Array, value: Array) -> Ints:
        """The two best places that are not next to each other."""
        order = np.argsort(-value, kind="stable")
        second = [i for i in order[1:] if not self._close(places[i], places[order[0]])]
        return np.array([order[0], *second[:1]], dtype=np.intp)

    def _ascend_sets(
        self, narrow: LookAhead, sets: Sets, starts: list[Array], costs: Sequence[float], options: AscentOptions
    ) -> list[list[Candidate]]:
        """Ascents of all sets from their starts [p, d], together; the ends of each set, best first."""
        result: list[list[Candidate]] = [[] for _ in sets]
        which = np.repeat(np.arange(len(sets)), [len(part) for part in starts])
        if not len(which):
            return result
        x = np.vstack([part for part in starts if len(part)])
        log_cost = np.log(np.asarray(costs, dtype=float) / max(costs))[which]  # a common factor must not even round
        found = ascend(self._log_rate(narrow, sets, which, log_cost), x, options, self._metric(x), which)
        for i in np.argsort(-found.value, kind="stable"):
            S = sets[which[i]]
            self._shapes[found.x[i].tobytes()] = found.metric[i]
            value = float(np.exp(found.value[i] + log_cost[i]))
            result[which[i]].append(Candidate(found.x[i], S, value, self.decision.cost(S)))
        return result

    def _log_rate(self, ahead: LookAhead, sets: Sets, which: Ints, log_cost: Array) -> Score:
        """log KG of each row's set minus its handicap, with gradient, for an ascent; which: [rows]."""
        live = [self.live(S) for S in sets]

        def score(x: Array, rows: Ints) -> tuple[Array, Array]:
            mine = which[rows]
            groups = [(live[i], np.flatnonzero(mine == i)) for i in np.unique(mine)]
            value, gradient = values_with_gradient(ahead, groups, ahead.candidates(x))
            value = np.maximum(value, 1e-300)
            return np.log(value) - log_cost[rows], gradient / value[:, None]

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
        return np.linalg.inv(self.decision.optimum.metric)

    def _metric(self, x: Array) -> Array:
        """A first guess of the scales at each start [p, d]: those of G near x_r, a tenth of the cube elsewhere."""
        step = x - self.decision.optimum.x
        near = np.einsum("qi,ij,qj->q", step, self._inverse, step) < 25.0
        return np.where(near[:, None, None], self.decision.optimum.metric, 0.01 * np.eye(x.shape[1]))

    def refine_finalists(self, choices: list[Candidate]) -> list[Candidate]:
        """Re-value choices on an inner set that holds the moved maxima of all of them."""
        exact, few = self.rule.exact, self.rule.vectors
        quick = replace(self.rule, vectors=4 * few) if exact else self.rule
        fine = replace(quick, vectors=16 * few, resolution="fine") if exact else self.rule
        finalists = [(self.live(choice.S), choice.x) for choice in choices]
        self.at_raw = None  # large, and not needed any more
        self.sharp = self.ahead.extended(self._maxima(finalists, replace(quick, resolution="fine")), fine)
        self.quick = self.sharp.with_options(quick)
        self._there: CandidatePosterior | None = None
        moved = np.arange(len(self.ahead.inner.points), len(self.sharp.inner.points))
        places = np.concatenate([np.flatnonzero(self.winners), moved])
        self._narrow = self.quick.reduced(places, replace(quick, resolution="coarse"))
        return [self.revalue(choice) for choice in choices]

    def _maxima(self, finalists: list[tuple[tuple[int, ...], Array]], rule: ScenarioOptions) -> Array:
        """Moved maxima of all finalists; those of finalists of the last time are still known. [p, d]."""
        keys = [(S, x.tobytes()) for S, x in finalists]
        fresh = {key: each for key, each in zip(keys, finalists, strict=True) if key not in self._lookahead_maxima}
        found = lookahead_maxima(self.ahead.with_options(rule), list(fresh.values()), self.decision.optimum)
        known = {**self._lookahead_maxima, **dict(zip(fresh, found, strict=True))}
        self._lookahead_maxima = {key: known[key] for key in keys}
        return np.vstack([*self._lookahead_maxima.values(), self.raw[:0]])

    def revalue(self, choice: Candidate) -> Candidate:
        """The same point and set valued on the refined inner set."""
        live = self.live(choice.S)
        if self._there is None or not np.array_equal(self._there.x[0], choice.x):  # the last place is often asked again
            self._there = self.sharp.candidates(choice.x[None, :], gradients=False)
        refine = max(3 - len([k for k in live if k]), 1)  # many scenarios average over look-up points
        return replace(choice, value=float(self.sharp.value(live, self._there, refine)[0]))

    def nearest_evaluable(self, choice: Candidate) -> list[Candidate]:
        """The best of the places just far enough from a known one, along the axes of G at x_r; none without value."""
        axes = self.decision.optimum.axes[1].T
        steps = JUST_APART * SAME_POINT * axes / np.abs(axes).max(axis=1, keepdims=True)
        places = np.clip(choice.x + np.vstack([steps, -steps]), 0.0, 1.0)
        free = [x for x in places if self.decision.evaluable(x, choice.S) == choice.S]
        valued = [self.revalue(replace(choice, x=x)) for x in free]
        best = max(valued, key=lambda each: each.value, default=None)
        return [best] if best is not None and best.value > self.nothing else []

    def polish(self, choices: list[Candidate]) -> list[Candidate]:
        """Each choice, valued on the refined inner set, after an ascent there, if it gained."""
        moved = self._moved(choices)
        return [self._better(choice, x) for choice, x in zip(choices, moved, strict=True)]

    def polish_with_refined_set(self, choices: list[Candidate], jump: bool) -> list[Candidate]:
        """The same with an inner set that follows: moved maxima of old and new places alike, or the old ones win.

        jump: an ascent starts at the best place the recommendation might move to. What would be chosen after good news
        is often a better place to ask for them than the place itself.
        """
        places = self._jumps(choices) if jump else [choice.x for choice in choices]
        starts = [replace(choice, x=x) for choice, x in zip(choices, places, strict=True)]
        moved = [replace(choice, x=x) for choice, x in zip(choices, self._moved(starts), strict=True)]
        both = self.refine_finalists(choices + moved)
        pairs = zip(both[: len(choices)], both[len(choices) :], strict=True)
        return [self._allowed(new, old) if new.value > old.value else old for old, new in pairs]

    def _jumps(self, choices: list[Candidate]) -> list[Array]:
        """For every choice the moved maximum where its set is worth most; nothing large is kept after it."""
        rough, places = (
            self.sharp.with_options(self.coarse.options),
            self.sharp.inner.points[len(self.ahead.inner.points) :],
        )
        values: list[list[Array]] = [[] for _ in choices]
        for first in range(0, len(places), BLOCK):  # in blocks: what sets share is kept, and would fill the memory
            at = rough.candidates(places[first : first + BLOCK], gradients=False)
            for choice, found in zip(choices, values, strict=True):
                found.append(rough.value(self.live(choice.S), at))
        return [places[int(np.argmax(np.concatenate(value)))] for value in values]

    def _moved(self, choices: list[Candidate]) -> Array:
        """Ends of the choices' ascents; [p, d]."""
        if not choices:
            return self.raw[:0]
        which = np.arange(len(choices))
        score = self._log_rate(self._narrow, [c.S for c in choices], which, np.zeros(len(choices)))
        x = np.array([c.x for c in choices])
        guess = [
            self._shapes.get(place.tobytes(), otherwise) for place, otherwise in zip(x, self._metric(x), strict=True)
        ]
        found = ascend(score, x, LAST, np.array(guess))
        self._shapes |= {place.tobytes(): shape for place, shape in zip(found.x, found.metric, strict=True)}
        return found.x

    def _better(self, choice: Candidate, x: Array) -> Candidate:
        """The choice moved to x [d] if that is worth more and allowed."""
        moved = self.revalue(replace(choice, x=x))
        return self._allowed(moved, choice) if moved.value > choice.value else choice

    def _allowed(self, choice: Candidate, otherwise: Candidate) -> Candidate:
        """The choice if all of its functions may be evaluated there."""
        return choice if self.decision.evaluable(choice.x, choice.S) == choice.S else otherwise
