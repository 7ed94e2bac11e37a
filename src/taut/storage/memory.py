"""A study kept in two lists; it ends with the process."""

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from taut.data.rows import Observation, Suggestion
from taut.storage.base import Claim, Claims, TakenError


class MemoryStorage:
    """The Storage contract in memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking = threading.Lock()
        self._declaration: str | None = None
        self._suggestions: dict[int, Suggestion] = {}
        self._observations: list[Observation] = []
        self._answered: set[tuple[int, str]] = set()
        self._claims: dict[tuple[int, str], str] = {}
        self._living: dict[str, float] = {}

    def __str__(self) -> str:
        return "memory"

    def create(self, problem: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        declaration = json.dumps([problem, settings])
        with self._lock:
            if self._declaration is not None:
                raise TakenError("MemoryStorage: expected an empty storage, got one that holds a study; use a new one.")
            self._declaration = declaration

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        if self._declaration is None:
            return None
        problem, settings = json.loads(self._declaration)
        return problem, settings

    def add_suggestion(self, suggestion: Suggestion) -> None:
        with self._lock:
            if suggestion.number in self._suggestions:
                raise TakenError(f"Suggestion {suggestion.number}: expected a new number, got a taken one; ask again.")
            self._suggestions[suggestion.number] = _copy_suggestion(suggestion)

    def add_observations(self, observations: Sequence[Observation]) -> None:
        with self._lock:
            answered = set(self._answered)
            for row in observations:
                if row.suggestion is None:
                    continue
                if (row.suggestion, row.function) in answered:
                    raise TakenError(
                        f"Suggestion {row.suggestion}: expected one row for {row.function!r}, got a second; "
                        "use study.add for a further measurement."
                    )
                answered.add((row.suggestion, row.function))
            self._answered = answered
            self._observations.extend(_copy_observation(row) for row in observations)

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        with self._lock:
            suggestions = [_copy_suggestion(self._suggestions[number]) for number in sorted(self._suggestions)]
            return suggestions, [_copy_observation(row) for row in self._observations]

    @contextmanager
    def asking(self) -> Iterator[None]:
        with self._asking:
            yield

    def claim(self, number: int, functions: Sequence[str], holder: str, most: int | None = None) -> tuple[str, ...]:
        with self._lock:
            busy = {key for key, claim in self._all().items() if claim.living and key not in self._answered}
            free = [name for name in functions if (number, name) not in busy | self._answered]
            others = {other for other, name in busy if name in functions and other != number}
            if most is not None and len(others) >= most:
                return ()
            self._claims.update(((number, name), holder) for name in free)
            return tuple(free)

    def renew(self, holder: str, seconds: float) -> None:
        with self._lock:
            self._living[holder] = time.monotonic() + seconds

    def claimed(self) -> Claims:
        with self._lock:
            return self._all()

    def _all(self) -> Claims:
        now = time.monotonic()
        return {key: Claim(who, self._living.get(who, now) > now) for key, who in self._claims.items()}


def _copy_observation(row: Observation) -> Observation:
    """By hand: every ask reads all rows, and dataclasses.replace takes several times as long."""
    return Observation(row.function, dict(row.point), row.value, row.suggestion, row.note)


def _copy_suggestion(row: Suggestion) -> Suggestion:
    copied = _copied(row.memory)
    return Suggestion(
        row.number,
        dict(row.point),
        row.functions,
        row.cost,
        row.note,
        row.seen,
        row.initial,
        row.remaining,
        copied,
    )


def _copied(value: Any) -> Any:
    """A JSON-able value with dictionaries and lists of its own."""
    if isinstance(value, dict):
        return {key: _copied(entry) for key, entry in value.items()}
    return [_copied(entry) for entry in value] if isinstance(value, list) else value
