"""The rows a study consists of; everything in the user's units and signs."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Observation:
    """One value of one function at one point, in user units; value None means that it failed there."""

    function: str
    point: dict[str, Any]
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
    seconds: float | None = field(default=None, compare=False)
    """How long it took, None if nobody measured it; of several that came together, an equal share. What took longer
    says the same: not compared."""
    setup: float | None = field(default=None, compare=False)
    """How much of that went into the setup that it shares with others; None if it needed none."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A point and the functions to evaluate there; together with the rows it can be recomputed."""

    number: int
    point: dict[str, Any]
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
