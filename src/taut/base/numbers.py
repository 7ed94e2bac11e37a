"""Numbers that a user hands in: what counts as one, how large it may be, and how to show it in a message."""

import re
from typing import Literal

from taut.base.errors import ProblemError, TautError
from taut.base.secrets import without_secrets

Cost = float | Literal["measured"]
"""Of one evaluation: a number, or the seconds that it takes, which are learned as it goes."""
Noise = float | Literal["learned"] | None
"""None: deterministic; "learned": fitted from the data; a number: known standard deviation, user units."""

LARGEST = 1e150
"""Largest size of a value, bound or cost: its square still fits a float."""
FINITE = f"a finite number of at most {LARGEST:g} in size"
LONGEST = 200  # characters of a value in a message

_DIGITS = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def as_float(value: object) -> float | None:
    """The value as a float if it is a real number (NumPy scalars and one-element arrays included), else None."""
    try:
        if getattr(value, "size", None) == 1 and hasattr(value, "item"):
            value = value.item()
        if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
            return None
        return float(value)
    except Exception:  # whatever the __float__ of a foreign class raises
        return None


def finite(value: object) -> float | None:
    """The value as a float if it is FINITE, else None."""
    number = as_float(value)
    return number if number is not None and abs(number) <= LARGEST else None


def from_text(text: str) -> float | None:
    """The number that a text is in plain digits, with a dot; else None. NaN and infinities are no numbers."""
    return float(text) if len(text) <= 400 and _DIGITS.fullmatch(text) else None


def typed(what: str, text: str, kind: type[TautError], wanted: str, way_out: str, failed: str) -> float:
    """The number that a user typed as the value of a function; failed: what to write if there is none."""
    number = from_text(text)
    if number is None:
        raise kind(f"{what}: expected {wanted}, got {shown(text)}; {way_out}.")
    if finite(number) is None:
        raise kind(
            f"{what}: expected a number of at most {LARGEST:g} in size, got {shown(text)}; use another unit, or write "
            f"{failed}."
        )
    return number


def shown(value: object) -> str:
    """The value as text for a message; never raises, never long, without passwords."""
    try:
        text = repr(without_secrets(value))
    except Exception:  # for example a whole number of more digits than Python prints
        return f"something of type {type(value).__name__} that cannot be printed"
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def probability(p: float) -> str:
    """Two digits, and never a certainty that was not computed."""
    return "< 0.01" if p < 0.01 else "> 0.99" if p > 0.99 else f"{p:.2f}"


def bound(what: str, value: object, way_out: str) -> float:
    """A finite number that limits something."""
    number = finite(value)
    if number is None:
        raise ProblemError(f"{what} must be {FINITE}, got {shown(value)}; {way_out}.")
    return number


def flag(what: str, value: object) -> bool:
    """True or False, NumPy's included."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    if not isinstance(value, bool):
        raise ProblemError(f"{what} must be True or False, got {shown(value)}; leave it out for the default.")
    return value


def cost(what: str, value: object) -> Cost:
    """What one evaluation costs, or "measured". Not too small either: values are divided by it."""
    if isinstance(value, str) and value == "measured":
        return "measured"
    number = as_float(value)
    if number is None or not 1.0 / LARGEST <= number <= LARGEST:
        raise ProblemError(
            f"{what}: cost must be a number above 0, from {1.0 / LARGEST:g} to {LARGEST:g}, or 'measured', got "
            f"{shown(value)}; give what one evaluation costs compared with the others, for example 1.0, or 'measured' "
            "if it is the time that it takes, which nobody knows yet."
        )
    return number


def noise(what: str, value: object) -> Noise:
    """As described at Noise."""
    if value is None:
        return None
    if isinstance(value, str) and value == "learned":
        return "learned"
    number = as_float(value)
    if number is None or not 0.0 < number <= LARGEST:
        raise ProblemError(
            f"{what}: noise must be None (deterministic), 'learned', or a known standard deviation above 0 and "
            f"at most {LARGEST:g}, got {shown(value)}; write noise='learned' if you do not know it."
        )
    return number
