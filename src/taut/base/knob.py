"""Numbers that may change a decision: each is a field that says what it means and where its value comes from."""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

T = TypeVar("T")

# Sources that many numbers share.
NEVER_TUNED = "judgement, never tuned"
SPEED = "speed benchmark, with its bars of decision quality met"
TRUST = "arena of simulator-like problems: shares of errors beyond 3 standard deviations"
STUCK_RUNS = "study of runs that got stuck: Mystery, Branin and Test Function 2, up to 20 seeds"


def knob(default: T, meaning: str, source: str) -> T:
    """A field of a frozen dataclass, `starts: int = knob(16, "ascents", "judgement")`, with these words as metadata."""
    return field(default=default, metadata={"meaning": meaning, "source": source})
