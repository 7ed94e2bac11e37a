"""How outcomes are represented and how much effort a criterion takes: every number here may change a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from taut.base.ascend import AscentOptions
from taut.base.knob import NEVER_TUNED, SPEED, STUCK_RUNS, knob

Resolution = Literal["coarse", "usual", "fine"]
Width = Literal["schedule", "theory", "constant"]

_SHARE = "speed benchmark: share of the precise value that is kept"
_EXACT = "judgement; tests compare the values with the integral"


@dataclass(frozen=True)
class ScenarioOptions:
    """How the outcomes of a look-ahead are represented (scenarios.py). Edges of cells are those on the right half."""

    tails: bool = knob(
        True, "weighted tail cells for one constraint, or the paper's equiprobable quantiles", STUCK_RUNS
    )
    quantiles: int = knob(7, "of them, and of the objective's outcome where it is not integrated", "published method")
    vectors: int = knob(8, "Sobol vectors for the outcomes of several constraints", "judgement: the paper has 5")
    exact: bool = knob(True, "integrate the objective's outcome along its envelope, or use quantiles", "published code")
    resolution: Resolution = knob("usual", "which cells and look-up points: coarse ones to rank, fine ones last", SPEED)
    coarse_cells: tuple[float, ...] = knob(
        (0.0, 0.7, 1.8, 3.6),
        "edges for ranking; with one at 0, where good outcomes begin to pay, eight cells keep four fifths of a value",
        _SHARE,
    )
    usual_cells: tuple[float, ...] = knob(
        (0.4, 1.2, 2.0, 2.8, 3.6, 4.5), "edges of the thirteen usual cells", STUCK_RUNS
    )
    fine_cells: tuple[float, ...] = knob(
        (*(0.1 + 0.2 * i for i in range(16)), 3.4, 3.7, 4.1, 4.5), "edges of the forty-one last cells", _EXACT
    )
    pair_cells: tuple[float, ...] = knob(
        (0.0, 0.35, 0.7, 1.2, 1.8, 2.6, 3.6), "edges for two constraints, all combinations of whose cells count", _EXACT
    )
    pair_limit: float = knob(2.0, "combinations for each vector they stand for, at most", NEVER_TUNED)
    envelope: tuple[float, ...] = knob(
        (0.0, 0.45, 0.95, 1.5, 2.15, 2.9, 3.8, 4.8),
        "normal scores at which the best line of the objective's outcome is looked up",
        NEVER_TUNED,
    )
    coarse_envelope: tuple[float, ...] = knob((0.0, 0.95, 2.15, 3.8), "the same for ranking", SPEED)
    vector_residual: float = knob(0.5, "variance a vector leaves open, times the root of their number", NEVER_TUNED)
    least_hits: float = knob(
        8.0, "vectors expected to show that all constraints hold, from which on they are trusted with it", NEVER_TUNED
    )

    @property
    def cells(self) -> tuple[float, ...]:
        """Edges of one constraint's cells at this resolution."""
        known = {"coarse": self.coarse_cells, "usual": self.usual_cells, "fine": self.fine_cells}
        return known[self.resolution]

    @property
    def look_up_scores(self) -> tuple[float, ...]:
        """Right half of the normal scores of the envelope at this resolution."""
        return self.coarse_envelope if self.resolution == "coarse" else self.envelope


@dataclass(frozen=True)
class UtilitySettings:
    """Of G and of the raw samples that searches start from (utility.py)."""

    optimism_sds: float = knob(1.5, "standard deviations by which an optimistic mean is better", NEVER_TUNED)
    cheap: int = knob(300_000, "points times values up to which all variances are computed", SPEED)
    shortlist: int = knob(256, "points beyond that whose variances are computed, the best by their means", SPEED)
    shortlist_observed: int = knob(64, "the best observed points, which are always among them", SPEED)
    shortlist_sd: float = knob(0.1, "standard deviation assumed for that ranking, in prior ones", NEVER_TUNED)
    penalty_starts: int = knob(4, "ascents of the search for the penalty M", NEVER_TUNED)
    penalty_ascent: AscentOptions = knob(AscentOptions(calls=8, tolerance=1e-4), "their effort", SPEED)


@dataclass(frozen=True)
class ImprovementSettings:
    """Of constrained expected improvement (improvement.py)."""

    tie_break: float = knob(1e-6, "weight of the standardised mean while there is no incumbent", NEVER_TUNED)
    probable: float = knob(0.5, "probability of feasibility that makes a modelled point the incumbent", NEVER_TUNED)
    known_gain: float = knob(
        1e-6, "gain over the incumbent, in scales of a known objective, below which its logarithm flattens", NEVER_TUNED
    )


@dataclass(frozen=True)
class MaxValueSettings:
    """Of the information about the constrained maximum (maxvalue.py)."""

    raised_sds: float = knob(
        5.0, "noise sds by which maxima are raised: rounding must not decide whether f >= f*", NEVER_TUNED
    )
    rounding: float = knob(1e-6, "prior sds up to which noise is only rounding", NEVER_TUNED)


@dataclass(frozen=True)
class EPSettings:
    """Of expectation propagation (propagation.py)."""

    sweeps: int = knob(100, "sweeps at most", source="published code")
    converged: float = knob(1e-4, "largest change of a site, in units of its marginal, that ends it", "published code")
    damping: float = knob(0.99, "factor of the step after every sweep", source="published code")
    shortened: float = knob(0.5, "factor of the step after a sweep that was taken back", source="published code")
    smallest: float = knob(1e-5, "step at which a sample is given up", source="published code")
    rise: float = knob(
        2.0,
        "factor by which changes may grow on the way",
        source="tests against sampling: with 1 one sample in twenty is given up",
    )
    same_point: float = knob(1e-6, "max-norm up to which a point is x* itself and says nothing", NEVER_TUNED)
    known: float = knob(1e-10, "share of the prior variance below which no site can change a value", NEVER_TUNED)
    idle: float = knob(1e-8, "points less likely to be better than x* in all samples need no factor", NEVER_TUNED)
    points: int = knob(150, "points with factors at most: the effort grows with their cube", NEVER_TUNED)


@dataclass(frozen=True)
class ConfidenceSettings:
    """Of confidence bounds and the optimistic maximum (confidence.py)."""

    width: Width = knob("schedule", "how the half-width of the bounds grows with the decisions", "published code")
    divisor: float = knob(20.0, "of the schedule; larger is narrower", "middle of the published code's 10 to 40")
    constant: float = knob(2.0, "the constant half-width, in standard deviations", NEVER_TUNED)
    delta: float = knob(0.1, "probability with which the bounds of the theory may fail", source="published method")
    cells: int = knob(1000, "points per dimension that stand for the finite domain of the theory", NEVER_TUNED)
    starts: int = knob(6, "searches for the optimistic maximum", NEVER_TUNED)
    steps: int = knob(30, "steps of each", NEVER_TUNED)
    tolerance: float = knob(1e-9, "accuracy of each, standardised", NEVER_TUNED)
    slack: float = knob(1e-8, "how far outside the optimistic set a maximum may be, standardised", NEVER_TUNED)
    same_maximum: float = knob(1e-3, "max-norm up to which two ends are one maximum", NEVER_TUNED)


SCENARIOS, UTILITY, IMPROVEMENT = ScenarioOptions(), UtilitySettings(), ImprovementSettings()
MAX_VALUE, EP, CONFIDENCE = MaxValueSettings(), EPSettings(), ConfidenceSettings()
