"""What a study answers with, in the user's units and signs."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from taut.base.markup import table, tag
from taut.base.numbers import probability

Verdict = Literal["binding", "excluding", "irrelevant", "undecided"]
"""binding: active at the best point; excluding: slack there, but it keeps out a better region; irrelevant: neither."""
Side = Literal["at_most", "at_least"]


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The point to use now and what is believed about it, in user units."""

    point: dict[str, Any]
    objective: tuple[float, float]
    """Mean and standard deviation."""
    feasibility: float
    """Probability that all functions can be computed and all constraints hold."""
    constraints: dict[str, tuple[float, float, float]]
    """Per constraint: mean, standard deviation, probability that it holds."""
    note: str = ""
    verified: bool = False
    """Was every function evaluated at this very point, without a failure, and did every constraint hold as measured?"""
    measured: dict[str, float] = field(default_factory=dict)
    """What was measured at this very point; of repeats their mean."""

    def _repr_html_(self) -> str:
        """For notebooks."""
        mean, sd = self.objective
        sure = "verified" if self.verified else f"feasible with probability {probability(self.feasibility)}"
        rows = [[name, f"{value:.6g}" if isinstance(value, float) else value] for name, value in self.point.items()]
        believed = [[name, f"{m:.6g}", f"{s:.2g}", probability(p)] for name, (m, s, p) in self.constraints.items()]
        return tag(
            "div",
            tag("p", tag("b", f"objective {mean:.6g} ± {sd:.2g}"), f", {sure}"),
            table(["parameter", "recommended"], rows),
            table(["constraint", "mean", "sd", "holds with probability"], believed) if believed else None,
            tag("p", self.note) if self.note else None,
        )


@dataclass(frozen=True, slots=True)
class Incumbent:
    """The best design that was measured whole: every function evaluated there, every constraint held as measured."""

    point: dict[str, Any]
    objective: float
    """As measured; of repeats their mean."""
    measured: dict[str, float]
    """The same of every function."""
    suggestions: tuple[int, ...] = ()
    """Numbers of those that were evaluated there; none if it was measured elsewhere."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is believed of every function at some point, in user units; prediction[name] is (mean, sd, probability)."""

    point: dict[str, Any]
    objective: tuple[float, float]
    """Mean and standard deviation."""
    feasibility: float
    """Probability that all functions can be computed and all constraints hold."""
    constraints: dict[str, tuple[float, float, float]]
    """Per constraint: mean, standard deviation, probability that it holds."""
    functions: dict[str, tuple[float, float, float]]
    """The same for every function; the probability of the objective is 1."""
    note: str = ""

    def __getitem__(self, name: str) -> tuple[float, float, float]:
        return self.functions[name]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a method believes about one constraint."""

    constraint: str
    matters: float
    """Probability that leaving the constraint out would change the answer."""
    binds: float
    """Probability that the constraint is active at the best point."""
    verdict: Verdict
    margin: tuple[float, float] | None = field(default=None, kw_only=True)
    """Mean and sd of the distance to the nearest limit at the recommended point, in the constraint's unit; positive
    inside. None if the method does not say, as below."""
    price: tuple[float, float, float] | None = field(default=None, kw_only=True)
    """Mean, low and high (95 %): gain of the objective for each unit by which the limit is relaxed, in the user's
    units, positive if that helps. None also where there is no feasible region or no regular optimum yet."""
    valid: tuple[float, float] | None = field(default=None, kw_only=True)
    """Values of that limit between which the price holds within 10 %; infinite where it has no end."""
    limit: tuple[Side, float] | None = field(default=None, kw_only=True)
    """The limit that has the price, ("at_most", 150.0): of two, the one that costs, or else the nearer one."""


@dataclass(frozen=True, slots=True)
class RelevanceRow(Judgement):
    """Does this constraint matter, and what did it cost? Cost and counts are after the initial design."""

    evaluations: int
    cost: float
    """Spent on this constraint; a group's cost is shared equally between its functions."""
    coupled_cost: float
    """What evaluating it at every location evaluated after the initial design would have cost."""


class RelevanceRows(list[RelevanceRow]):
    """One row per constraint."""

    def _repr_html_(self) -> str:
        """For notebooks."""
        head = ["constraint", "verdict", "matters", "active", "gain per unit", "evaluations", "cost", "everywhere"]
        return table(head, [_cells(row) for row in self])


def _cells(row: RelevanceRow) -> list[str]:
    costs = [str(row.evaluations), f"{row.cost:g}", f"{row.coupled_cost:g}"]
    return [row.constraint, row.verdict, probability(row.matters), probability(row.binds), _price(row.price), *costs]


def _price(price: tuple[float, float, float] | None) -> str:
    if price is None:
        return ""
    mean, low, high = price
    between = f"{low:.3g} to {high:.3g}" if math.isfinite(high) else f"at least {low:.3g}"
    return f"{mean:.3g} ({between})"


@dataclass(frozen=True, slots=True)
class Outlook:
    """What more evaluations are expected to bring, in the objective's unit; infinite if nothing feasible is known."""

    next: float
    """Expected gain of the next evaluation, for each unit of its cost."""
    tenth: float
    """Of the next tenth of the budget."""
    rest: float
    """Of all that is left: what perfect knowledge would bring, so at most this."""
    left: float
    """Budget that is left; infinite if there is no end of it."""
    gaps: tuple[float, ...] = field(default=(), repr=False)
    """How far the recommendation is from the best possible, in posterior samples, increasing; infinite where it is not
    feasible."""

    def within(self, tolerance: float) -> float:
        """Probability that the recommendation is feasible and no further than this from the best possible."""
        near = [gap for gap in self.gaps if gap <= tolerance and gap < math.inf]
        return len(near) / len(self.gaps) if self.gaps else 0.0


@dataclass(frozen=True, slots=True)
class Error:
    """How far a value was from what had been predicted when it was asked for."""

    number: int
    """Of the suggestion."""
    point: tuple[float, ...]
    """Where, in the unit cube; [d]."""
    z: float
    """Standardised: (value - mean) / sd on the scale of the model, upwards in the inner form (see dataset)."""
    nu: float
    """Degrees of freedom of the prediction; inf for a normal one."""
    widened: float = 1.0
    """By how much its error bars had been widened because of earlier errors."""


@dataclass(frozen=True, slots=True)
class ModelReport:
    """What a method says of its model of one function."""

    calibration: float = 1.0
    """Factor on its standard deviations, because of earlier errors."""
    roughness: float | None = None
    """Standard deviation of what a value has beyond the smooth part of its function, in the user's unit; None if the
    method does not say."""
    reason: str = ""
    """Why so much, in words."""


@dataclass(frozen=True, slots=True)
class FunctionCheck:
    """How honest the model of one function has been: its predictions against the values that came."""

    function: str
    values: int
    failures: int
    """Known now, those measured elsewhere included."""
    predictions: int
    """Made before their value came."""
    within: tuple[float, ...] | None
    """Shares of the values within 1, 2 and 3 standard deviations of their prediction; None without any."""
    worst: float | None
    """Largest distance, in standard deviations."""
    worst_suggestion: int | None
    """Where that was."""
    calibration: float
    """Factor on the standard deviations now in force, because of these errors."""
    roughness: float | None
    """Standard deviation of noise, solver noise and rounding, in the user's unit; None if the method does not say."""
    reason: str
    """Why so much, in words."""
