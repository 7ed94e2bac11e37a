"""A number that may change a decision, declared with what it means and where its value comes from."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def knob(default: Any, meaning: str, source: str) -> Any:
    """A field of a frozen settings record. source: what the value rests on, or that it is judgement."""
    return field(default=default, metadata={"meaning": meaning, "source": source})
