"""Numbers that may change a decision. Each is a field that says what it means and where its value comes from.

@dataclass(frozen=True)
class SearchSettings:
    starts: int = knob(16, "ascents from the best points", source="quality benchmark")
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

T = TypeVar("T")


def knob(default: T, meaning: str, source: str) -> T:
    """A field of a frozen dataclass; its metadata hold `meaning` and `source`."""
    return field(default=default, metadata={"meaning": meaning, "source": source})
