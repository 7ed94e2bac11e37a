"""The rows a study consists of, and what it answers with; everything in the user's units and signs."""

from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["binding", "irrelevant", "undecided"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One value of one function at one point, in user units; value None means that it failed there."""

    function: str
    point: dict[str, float]
    value: float | None
    suggestion: int | None = None
    """Number of the suggestion it answers; None if it was measured elsewhere."""
    note: str = ""
    """Why it failed, if known."""
    replaces: int = 0
    """Place (1, 2, ...) of the observation that this one takes the place of; 0: of none. Rows are never changed."""
    withdrawn: bool = False
    """Takes an observation away and is none itself: the evaluation is open again."""
    who: str = ""
    """Who replaced or withdrew it, and when."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A point and the functions to evaluate there; together with the rows it can be recomputed."""

    number: int
    point: dict[str, float]
    functions: tuple[str, ...]
    cost: float
    note: str = ""
    """Why this point and these functions, in words."""
    seen: int = 0
    """Number of observation rows that were visible when it was made."""
    initial: bool = False
    """Part of the initial design: costs nothing of the budget."""
    remaining: float | None = None
    """Budget left when it was made; None means unlimited."""
    memory: dict[str, Any] = field(default_factory=dict, repr=False)
    """JSON-able state of the method, handed to it at the next ask."""

    def __hash__(self) -> int:
        """Of the number, so that a suggestion can be a key: {suggestion: future}."""
        return hash(self.number)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The point to use now and what is believed about it, in user units."""

    point: dict[str, float]
    objective: tuple[float, float]
    """Mean and standard deviation."""
    feasibility: float
    """Probability that all functions can be computed and all constraints hold."""
    constraints: dict[str, tuple[float, float, float]]
    """Per constraint: mean, standard deviation, probability that it holds."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is believed of every function at some point, in user units; prediction[name] is (mean, sd, probability)."""

    point: dict[str, float]
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


@dataclass(frozen=True, slots=True)
class RelevanceRow(Judgement):
    """Does this constraint matter, and what did it cost? Cost and counts are after the initial design."""

    evaluations: int
    cost: float
    """Spent on this constraint; a group's cost is shared equally between its functions."""
    coupled_cost: float
    """What evaluating it at every location evaluated after the initial design would have cost."""
