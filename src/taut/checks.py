"""Checks of what a user hands to a study."""

import math
from concurrent.futures import Executor

import numpy as np

from taut.errors import StudyError, ValueRefusedError
from taut.ledger import Answers
from taut.problem import as_float


def check_repeat(number: int, name: str, value: float | None, known: Answers) -> None:
    """Refuse a value that contradicts the one known for this function of this suggestion."""
    row = known.get((number, name))
    if row is None or row.value == value:
        return
    if row.value is None:
        raise ValueRefusedError(
            f"Suggestion {number}: {name!r} was told to have failed, got {value!r} now; use study.add "
            "with the point of the suggestion to add a later measurement."
        )
    raise ValueRefusedError(
        f"Suggestion {number}: {name!r} already has the value {row.value!r}, got {value!r}; expected the "
        "same value or none, use study.add for a repeated measurement."
    )


def value(name: str, value: object) -> float | None:
    """A finite number, or None for a failure."""
    if value is None:
        return None
    number = as_float(value)
    if number is None or not math.isfinite(number):
        raise ValueRefusedError(
            f"Function {name!r}: expected a finite number, got {value!r}; tell None if the evaluation failed."
        )
    return number


def whole(what: str, value: object) -> int:
    """A whole number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise StudyError(f"Study: {what} must be a whole number of 0 or more, got {value!r}.")
    return int(value)


def amount(what: str, value: object) -> float:
    """A number of 0 or more; may be infinite."""
    number = as_float(value)
    if number is None or math.isnan(number) or number < 0.0:
        raise StudyError(f"Study: {what} must be a number of 0 or more, got {value!r}.")
    return number


def workers(executor: Executor | None, workers: int | None) -> int:
    """How many suggestions to keep in flight: as given, else as many as the executor has workers."""
    if workers is None:
        return max(1, int(getattr(executor, "_max_workers", 1)))
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise StudyError(f"Study: workers must be a whole number of 1 or more, got {workers!r}.")
    if executor is None and workers > 1:
        raise StudyError(
            f"Study: workers={workers} needs an executor, got None; pass for example "
            f"executor=concurrent.futures.ThreadPoolExecutor({workers})."
        )
    return workers
