"""Settings of the methods, by stage of a decision: every number that may change a decision, and nothing else.

A field is a knob: its value, what it means, and where the value comes from; docs/settings.md is printed from them.
None means: chosen by the number of parameters (`Settings.for_problem`). Users set some of them by a flat name, see
options.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from taut.acquisition.settings import (
    ConfidenceSettings,
    EPSettings,
    ImprovementSettings,
    MaxValueSettings,
    ScenarioOptions,
    UtilitySettings,
)
from taut.base.ascend import AscentOptions
from taut.base.knob import TRUST, knob
from taut.policy.look_settings import FinishSettings, LookSettings
from taut.policy.question_settings import JUDGED, OutlookSettings, PriceSettings, RelevanceSettings
from taut.policy.sizes import BY_DIMENSION
from taut.surrogate.settings import ModelSettings, SuccessSettings

QUALITY = "quality benchmark: share of the best value per cost that decisions reach"
RUNS = "whole runs on the problems of the paper"
SPEED = "speed benchmark: as small as the quality benchmark allows"
PAPER_SOURCE = "the paper"
WORKERS = "simulated runs with two and four workers: a bracket, Mystery, Gramacy, Test Function 2, spring"


@dataclass(frozen=True)
class PendingSettings:
    """Evaluations under way."""

    draws: int = knob(8, "fantasies of the outcomes of evaluations under way (Knowledge Gradient methods)", JUDGED)
    near: float = knob(
        0.01, "of the cube, max-norm: expected improvement looks elsewhere first while this close", JUDGED
    )
    same_point: float = knob(
        1e-6, "of the cube, max-norm: a deterministic function is not evaluated twice within", JUDGED
    )
    rough_apart: float = knob(
        0.5, "shortest length-scales times the root of its ratio: a rough function is not evaluated twice within", TRUST
    )
    rough_furthest: float = knob(0.01, "of the cube: and never kept further apart than this", TRUST)


@dataclass(frozen=True)
class OptimumSettings:
    """The search of the recommendation x_r = argmax G."""

    penalty: float | None = knob(
        None, "objective value of an infeasible design; none: the worst posterior mean", PAPER_SOURCE
    )
    raw: int | None = knob(None, "quasi-random points from which the search starts", SPEED)
    starts: int = knob(16, "short ascents from the best points", QUALITY)
    extra_sd: float = knob(
        0.03, "prior sds added to every constraint in the short ascents, so that none is a wall", JUDGED
    )
    rough: AscentOptions = knob(
        AscentOptions(tolerance=1e-2, calls=8), "short ascents, with more doubt than there is", SPEED
    )
    fine: AscentOptions = knob(
        AscentOptions(tolerance=1e-8, calls=16, behind=1.0, patience=2, shrink=0.3, apart=0.003, smooth=True),
        "ascents from the best ends, on the way to a decision",
        SPEED,
    )
    precise: AscentOptions = knob(
        AscentOptions(tolerance=1e-10, calls=80, behind=1.0, patience=5, shrink=0.5),
        "the same where x_r itself is the answer",
        RUNS,
    )
    fine_program: float = knob(1e-5, "tolerance of constrained maxima on the way to a decision", SPEED)
    precise_program: float = knob(1e-9, "the same where x_r itself is the answer", RUNS)
    program_steps: int = knob(20, "steps of sequential quadratic programming", SPEED)
    rival: float = knob(0.1, "nats below the best from which on another local maximum is left where it is", JUDGED)
    same_corner: float = knob(
        0.03, "of the cube: ends of ascents this close lead to the same constrained maximum", JUDGED
    )
    back_off: tuple[float, ...] = knob(
        (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0),
        "standard deviations away from a constrained maximum at which G is compared",
        "G is largest at up to six of them where constraints are well known",
    )
    beside: int = knob(
        12,
        "designs next to x_r in one discrete value, those with the best objective, whose constrained maxima are tried",
        "benchmarks/engineers.py, pressure_vessel_mixed: runs that stayed at another plate than the best",
    )
    beside_rounds: int = knob(3, "times that this is done, from the best of them", JUDGED)
    kept: float = knob(0.125, "share of the starts whose short ascents are climbed on, two at least", JUDGED)
    rough_apart: float = knob(1e-3, "of the cube: ends of short ascents this close are one,", JUDGED)
    apart: float = knob(1e-4, "and local maxima of G", JUDGED)
    known_places: int = knob(8, "best evaluated places that x_r may move to where functions are rough", TRUST)
    no_region: float = knob(1e-6, "a best probability of feasibility below this: no feasible region yet", JUDGED)


@dataclass(frozen=True)
class VerifySettings:
    """What is kept of the budget so that the answer is a design of which everything was measured (verify.py)."""

    attempts: float = knob(
        1.0, "times the cost of all functions where none is rough, and the dearest of them at least on top", TRUST
    )
    rough_attempts: float = knob(2.0, "the same where one is", TRUST)
    rough_from: float = knob(1e-9, "most likely ratio of a rough part from which a function is rough for this", TRUST)
    share: float = knob(0.25, "of the budget that is kept at most, but always the cost of one design", JUDGED)
    same_point: float = knob(1e-9, "of the cube, max-norm: values at one design", JUDGED)
    sure: float = knob(0.9, "probability of feasibility below which the last attempt goes to a safer design", JUDGED)
    bold: float = knob(0.5, "probability of feasibility from which the likely recommendation is tried first", JUDGED)
    near_sure: float = knob(0.999, "the same up to which an evaluated place next to x_r must be as feasible", JUDGED)
    at_once: float = knob(
        0.8,
        "probability that what is under way at the target holds, from which the rest of it is asked for meanwhile",
        WORKERS,
    )
    safety: float = knob(4.0, "weight of its log feasibility in the choice of that design, beside G's own", JUDGED)
    noisy_sd: float = knob(
        0.25,
        "sds of the difference of the objective by which an evaluated place may be worth less than x_r and is as good",
        "answers on Mystery and Test Function 2 with noise: with the sd of the objective itself they were worse",
    )
    noisy_loss: float = knob(1e-3, "the same as a share of G - M, where the objective is known well", JUDGED)


@dataclass(frozen=True)
class FocusSettings:
    """Where models that are built on a selection of very many values get those that are near (search/focus.py)."""

    rounds: int = knob(
        3,
        "parts in which they are added, each around what the model of the parts before it hopes for",
        "value of decisions: with 250 of 600 values and five parameters 0.85 of that with all, in one part 0.7",
    )
    places: int = knob(4, "best evaluated places", JUDGED)
    maxima: int = knob(3, "other local maxima of G", JUDGED)
    optimistic_points: int = knob(1, "optimistic points for each function, and for all at once", JUDGED)
    optimistic_constraints: int = knob(6, "constraints for which there are any, the least certain ones", JUDGED)
    rival_weight: float = knob(
        0.25, "values near each of them for one near the recommendation, and near the best place", JUDGED
    )


@dataclass(frozen=True)
class EISettings:
    """Local maxima of constrained expected improvement."""

    short: AscentOptions = knob(
        AscentOptions(tolerance=1e-4, radius=0.03, calls=3, behind=4.0, patience=2, shrink=0.8, apart=0.003),
        "first ascents of cei and cei+",
        SPEED,
    )
    thorough: AscentOptions = knob(
        AscentOptions(tolerance=1e-4, calls=10, behind=3.0, patience=3, shrink=0.7, smooth=True),
        "their last ascents, which know the curvature",
        "states of runs: without them the maximum was missed by a nat on average",
    )
    apart: float = knob(1e-3, "of the cube: maxima this close are one", JUDGED)
    finished: int = knob(3, "best ends that are climbed to the last", QUALITY)
    finished_apart: float = knob(0.01, "of the cube: distance between them at least", JUDGED)
    near: int = knob(96, "points near x_r among which further starts are chosen", RUNS)
    near_radii: tuple[float, float] = knob((0.3, 1e5), "their distances, in semi-axes of G at x_r", RUNS)
    expected: AscentOptions = knob(
        AscentOptions(tolerance=1e-2, radius=0.03, calls=4, patience=3, apart=0.003),
        "ascents of the maxima that a Knowledge Gradient search begins with",
        SPEED,
    )
    starts: int | None = knob(None, "starts of the maxima that a Knowledge Gradient search begins with", QUALITY)
    calls: int | None = knob(None, "trial steps of each", QUALITY)
    kept: int | None = knob(None, "maxima kept", QUALITY)


@dataclass(frozen=True)
class CandidateSettings:
    """Raw candidates of a search for the next evaluation."""

    raw: int | None = knob(None, "points near x_r and all over the cube", SPEED)
    near: int = knob(3, "of them near x_r: one in so many", JUDGED)
    ei_maxima: int = knob(8, "maxima at which cei+ values functions, among the inner points", JUDGED)
    snap: float = knob(0.12, "of the cube: every second wide point is moved onto bounds this close to it", JUDGED)
    maxima: int = knob(5, "other local maxima of G among the candidates", JUDGED)
    observed: int = knob(20, "best raw samples of G among the inner points", JUDGED)
    prepared: int = knob(32, "places where a setup is paid, those with the largest G, if there are setups", JUDGED)
    optimistic_constraints: int = knob(
        12, "constraints for which optimistic points are searched, the least certain ones", SPEED
    )
    optimistic: AscentOptions = knob(
        AscentOptions(tolerance=2e-2, calls=7, patience=3, apart=0.003), "ascents of optimistic values", SPEED
    )
    optimistic_points: int = knob(2, "optimistic points for each function, and for all at once", JUDGED)
    optimistic_apart: float = knob(0.02, "of the cube: those this close are one", JUDGED)
    optimistic_rows: int = knob(48, "ascents of optimistic values in all", SPEED)
    optimistic_climb: bool | None = knob(
        None, "climb to optimistic points instead of taking them from raw samples", QUALITY
    )


@dataclass(frozen=True)
class InnerSettings:
    """The inner set: where the recommendation might move to."""

    size: int | None = knob(None, "points", SPEED)
    fixed: int = knob(64, "first points that are never left out: x_r, other maxima, EI maxima and known points", JUDGED)
    maxima: int = knob(11, "other local maxima of G", JUDGED)
    shares: tuple[int, int, int] = knob((4, 5, 2), "one in so many on lines, on axes, near x_r in all", QUALITY)
    least_wide: int = knob(16, "points all over the cube at least", JUDGED)
    radii: tuple[float, float] = knob(
        (0.03, 4.0), "distances from x_r, in semi-axes on which G - M falls by exp(-1/2)", QUALITY
    )
    outward: tuple[float, ...] = knob(
        (0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 2.5, 3.0, 4.0, -0.1, -0.5, -1.5),
        "standard deviations by which a boundary recedes on its line",
        QUALITY,
    )
    next_to: float = knob(1e-9, "probability of a violation at x_r from which a boundary counts as next to it", JUDGED)
    widest: float = knob(0.5, "of the cube: no line is longer", JUDGED)
    axes: int = knob(2, "longest axes of G with points on them", QUALITY)
    axis_steps: tuple[float, ...] = knob(
        tuple(side * 0.004 * 2.0**i for i in range(10) for side in (1.0, -1.0)),
        "their distances, in semi-axes",
        QUALITY,
    )
    narrow: float = knob(0.3, "of the longest semi-axis: shorter ones are across a ridge", QUALITY)


@dataclass(frozen=True)
class SetSettings:
    """Which sets of functions compete."""

    delta: float = knob(
        1e-7,
        "a constraint whose probability exceeds 1 - delta at the point is left out of a coupled step",
        PAPER_SOURCE,
    )
    subsets: Literal["paper", "search"] = knob(
        "search",
        "paper: single functions and the coupled set; search: any set found by forward and backward steps",
        RUNS,
    )
    instalments: bool = knob(True, "buy a set one bundle at a time, the most likely to spoil the point first", RUNS)
    enumerate: int = knob(5, "with at most this many bundles all sets of them are compared", SPEED)
    compared: int = knob(8, "bundles among which sets are compared otherwise", SPEED)
    points: int = knob(3, "best points at which sets are compared, and best sets that are valued precisely", SPEED)
    worth: float = knob(0.5, "share of the best value per cost that another set must have", JUDGED)
    synergy: float = knob(
        0.7, "of its best member's value per cost: what makes the coupled set worth a search", QUALITY
    )
    coupled_everywhere: bool | None = knob(None, "search the coupled set without asking for synergy", QUALITY)
    prune_raw: float | None = knob(
        None, "share of the best raw value per cost below which a set is not searched at first", QUALITY
    )
    always_met: float = knob(
        1e-9, "largest probability of a violation with which a constraint is left out everywhere", QUALITY
    )
    nothing: float = knob(
        1e-12, "of the objective's scale (Knowledge Gradient), or nats (entropy): less counts as none", JUDGED
    )


@dataclass(frozen=True)
class ClimbSettings:
    """Ascents of the value of sets, and how finalists are treated."""

    starts: int = knob(3, "ascents per set", QUALITY)
    leaders: int = knob(8, "sets that are climbed from all starts; the others from their best one", SPEED)
    apart: float = knob(0.05, "of the cube, max-norm: starts closer than this,", QUALITY)
    apart_radius: float = knob(0.5, "and than so many semi-axes of G at x_r, are one", QUALITY)
    near_radius: float = knob(5.0, "semi-axes of G from x_r up to which ascents begin with its shape", JUDGED)
    far_square: float = knob(0.01, "of the cube, squared: first guess of the scale elsewhere", JUDGED)
    cross_seed: bool | None = knob(None, "a short ascent first, whose ends are then starts for all sets", QUALITY)
    seeds: int = knob(2, "ends of each set that are offered to the others, and starts taken from them", SPEED)
    seed_share: float = knob(0.1, "share of the best value per cost that such a start must have", SPEED)
    first: AscentOptions = knob(AscentOptions(tolerance=2e-2, calls=5), "that short ascent", SPEED)
    second: AscentOptions = knob(
        AscentOptions(tolerance=5e-3, calls=8, behind=float(np.log(5.0)), patience=3, shrink=0.5),
        "the main ascent",
        SPEED,
    )
    last: AscentOptions = knob(AscentOptions(tolerance=2e-3, calls=4), "ascents of finalists", RUNS)
    entropy: AscentOptions = knob(
        AscentOptions(tolerance=2e-3, calls=16, behind=float(np.log(20.0)), patience=4),
        "the main ascent of entropy methods",
        JUDGED,
    )
    entropy_last: AscentOptions = knob(AscentOptions(tolerance=1e-4, calls=16), "their ascents of other sets", JUDGED)
    peaks: int = knob(2, "local maxima of each set that may be finalists", SPEED)
    finalists: int = knob(5, "candidates that are valued precisely", SPEED)
    prune_finalists: float = knob(0.4, "share of the best below which a candidate is not valued precisely", QUALITY)
    second_peak: float = knob(
        0.8, "of the best of the same set: another maximum below this is not valued precisely", SPEED
    )
    same_peak: float = knob(0.03, "of the cube: ends this close and of nearly the same value are one maximum", JUDGED)
    same_value: float = knob(0.9, "share that is nearly the same value", JUDGED)
    rounds: tuple[int, ...] | None = knob(None, "finalists of different sets that are polished in each round", QUALITY)
    prune_polish: float | None = knob(None, "share of the best below which a finalist is not polished", QUALITY)
    follow: bool | None = knob(None, "the inner set follows the finalists in each round", QUALITY)
    restarts: int = knob(2, "rounds that begin at the best point x_r might move to", QUALITY)
    ascents: int = knob(32, "look-ahead maxima of a finalist", RUNS)
    objective_ascents: int = knob(12, "the same if only the objective is evaluated", SPEED)
    lookahead: AscentOptions = knob(
        AscentOptions(tolerance=1e-10, calls=14, smooth=True, growth=8.0), "their ascents", RUNS
    )
    refined_vectors: tuple[int, int] = knob(
        (4, 16), "times the vectors of scenarios for comparing and for valuing finalists", QUALITY
    )
    just_apart: float = knob(1.5, "distances of the same point at which a point beside a known one is taken", JUDGED)


@dataclass(frozen=True)
class PathSettings:
    """Sample paths and their constrained maxima (entropy methods)."""

    paths: int = knob(10, "joint paths of all functions", "published methods")
    features: int = knob(1000, "random Fourier features of a prior path", "judgement; a test compares the correlation")
    near: int = knob(3, "raw candidates near x_r: one in so many", JUDGED)
    wide: int = knob(2, "raw candidates all over the cube, times the usual number", JUDGED)
    maxima: int = knob(3, "other local maxima of G among the candidates", JUDGED)
    redraws: int = knob(10, "of a path without any feasible point of the grid", JUDGED)
    apart: float = knob(
        0.15,
        "of the cube: a second start of the refinement is as far from the best grid point",
        JUDGED,
    )
    nearly: float = knob(
        0.15,
        "standardised: a third start may exceed bounds by this; feasible corners are narrow",
        JUDGED,
    )
    steps: int = knob(25, "of sequential quadratic programming,", SPEED)
    tolerance: float = knob(1e-9, "and its tolerance", SPEED)


@dataclass(frozen=True)
class UCBSettings(ConfidenceSettings):
    """ucb-d: confidence bounds and the optimistic maximum (acquisition/confidence.py)."""

    recommendation: Literal["value", "certified"] = knob(
        "value", "recommend argmax G as all methods do, or the queried point with the smallest certified bound", RUNS
    )


@dataclass(frozen=True)
class Settings:
    """Everything that may change a decision."""

    model: ModelSettings = field(default_factory=ModelSettings)
    success: SuccessSettings = field(default_factory=SuccessSettings)
    utility: UtilitySettings = field(default_factory=UtilitySettings)
    improvement: ImprovementSettings = field(default_factory=ImprovementSettings)
    max_value: MaxValueSettings = field(default_factory=MaxValueSettings)
    ep: EPSettings = field(default_factory=EPSettings)
    pending: PendingSettings = field(default_factory=PendingSettings)
    optimum: OptimumSettings = field(default_factory=OptimumSettings)
    verify: VerifySettings = field(default_factory=VerifySettings)
    focus: FocusSettings = field(default_factory=FocusSettings)
    ei: EISettings = field(default_factory=EISettings)
    candidates: CandidateSettings = field(default_factory=CandidateSettings)
    inner: InnerSettings = field(default_factory=InnerSettings)
    scenarios: ScenarioOptions = field(default_factory=ScenarioOptions)
    sets: SetSettings = field(default_factory=SetSettings)
    climb: ClimbSettings = field(default_factory=ClimbSettings)
    look: LookSettings = field(default_factory=LookSettings)
    finish: FinishSettings = field(default_factory=FinishSettings)
    paths: PathSettings = field(default_factory=PathSettings)
    ucb: UCBSettings = field(default_factory=UCBSettings)
    relevance: RelevanceSettings = field(default_factory=RelevanceSettings)
    price: PriceSettings = field(default_factory=PriceSettings)
    outlook: OutlookSettings = field(default_factory=OutlookSettings)

    def for_problem(self, d: int) -> Settings:
        """The same with what was not set chosen for d parameters."""
        if d not in self._chosen:
            self._chosen[d] = self._for_problem(d)
        return self._chosen[d]

    @cached_property
    def _chosen(self) -> dict[int, Settings]:
        return {}

    def _for_problem(self, d: int) -> Settings:
        size = next(chosen for most, chosen in BY_DIMENSION if d <= most)
        changed = {}
        for stage, values in size.items():
            record = getattr(self, stage)
            unset = {name: value for name, value in values.items() if getattr(record, name) is None}
            changed[stage] = replace(record, **unset)
        return replace(self, **changed)
