"""Every error a user can cause. Each message names the thing, what was expected, what came, and the way out."""

from collections.abc import Iterable
from typing import Self

from taut.base.secrets import hidden


class TautError(Exception):
    """Base of all errors raised on purpose by taut. Whatever a message quotes, it repeats no password."""

    def __init__(self, message: str = "", *more: object) -> None:
        super().__init__(hidden(str(message)), *more)

    @classmethod
    def of(cls, what: str, expected: str, got: str, way_out: str) -> Self:
        """The error with a message in its usual form."""
        return cls(f"{what}: expected {expected}, got {got}; {way_out}.")


class ProblemError(TautError):
    """The declaration of a parameter, function, group or problem is wrong: bounds, costs, duplicate names."""


class UnknownNameError(TautError):
    """A parameter, function, method or option of that name does not exist."""


class ValueRefusedError(TautError):
    """A point or a value cannot be taken: not finite, out of bounds, or contradicting a known value."""


class StudyError(TautError):
    """A study was used in a way that it cannot follow: a budget too small, a value not asked for."""


class StoppedError(StudyError):
    """A run did not reach its end: a program keeps failing, an executor broke.

    The study keeps what it has, and the same run goes on from there.
    """


class StorageError(TautError):
    """A study cannot be stored or read."""


class StudyFileError(TautError):
    """A study file, or a file of data, cannot be read or says something impossible."""


def listed(names: Iterable[str]) -> str:
    """The names as words for a message: 'a', 'b' (or: nothing)."""
    return ", ".join(repr(name) for name in names) or "nothing"


def way_out(name: object, names: Iterable[str]) -> str:
    """What to do about a name that is none of these: take the closest, if there is one."""
    from difflib import get_close_matches  # only needed when something went wrong

    known = list(names)
    close = get_close_matches(name, known, n=1) if isinstance(name, str) else []
    return f"the closest is {close[0]!r}" if close else f"write for example {known[0]!r}"
