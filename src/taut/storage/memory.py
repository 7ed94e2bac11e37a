"""A study kept in two lists; it ends with the process."""

import itertools
import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from taut.data.rows import Observation, Suggestion
from taut.storage.base import ALL, START, ConflictError, Lease, Leases, Mark, News
from taut.storage.owner import Turn
from taut.storage.sharing import free, number_taken


class MemoryStorage:
    """The Storage contract in memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.turn = Turn()
        self._declaration: str | None = None
        self._suggestions: dict[int, Suggestion] = {}
        self._observations: list[Observation] = []
        self._told: set[tuple[int, str, int]] = set()
        self._answered: set[tuple[int, str]] = set()
        self._owner: dict[tuple[int, str], str] = {}
        self._until: dict[str, float] = {}

    def __str__(self) -> str:
        return "memory"

    def create(self, problem: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        declaration = json.dumps([problem, settings])
        with self._lock:
            if self._declaration is not None:
                raise ConflictError.of("MemoryStorage", "an empty storage", "one that holds a study", "use a new one")
            self._declaration = declaration

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        if self._declaration is None:
            return None
        problem, settings = json.loads(self._declaration)
        return problem, settings

    def add_suggestion(self, suggestion: Suggestion, owner: str | None = None, seconds: float = 0.0) -> None:
        with self._lock:
            if suggestion.number in self._suggestions:
                raise number_taken(suggestion)
            self._suggestions[suggestion.number] = _copy_suggestion(suggestion)
            if owner is not None:
                self._owner[suggestion.number, ALL] = owner
                self._until[owner] = time.monotonic() + seconds

    def add_observations(self, observations: Sequence[Observation]) -> None:
        with self._lock:
            new: set[tuple[int, str, int]] = set()
            for row in observations:
                if row.suggestion is None:
                    continue
                key = (row.suggestion, row.function, row.replaces)
                if key in self._told or key in new:
                    what, way_out = f"Suggestion {row.suggestion}", "use study.add for a further measurement"
                    raise ConflictError.of(what, f"one row for {row.function!r}", "a second", way_out)
                new.add(key)
            self._told |= new
            for row in observations:
                if row.suggestion is not None:
                    (self._answered.discard if row.withdrawn else self._answered.add)((row.suggestion, row.function))
            self._observations.extend(_copy_observation(row) for row in observations)
            for number in {row.suggestion for row in observations if row.suggestion is not None}:
                self._unlease(number)

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        with self._lock:
            suggestions, observations, _ = self._since(START)
            return suggestions, observations

    def since(self, mark: Mark) -> News:
        with self._lock:
            return self._since(mark)

    def lease(
        self, number: int, functions: Sequence[str], owner: str, seconds: float, most: int | None
    ) -> tuple[str, ...]:
        with self._lock:
            names = free(number, functions, owner, self._leases(), self._answered, most)
            if names:
                self._owner.update(((number, name), owner) for name in names)
                self._until[owner] = time.monotonic() + seconds
            return names

    def renew(self, owner: str, seconds: float) -> None:
        with self._lock:
            if seconds <= 0.0:
                self._until.pop(owner, None)
            elif owner in self._until:
                self._until[owner] = time.monotonic() + seconds

    def leases(self) -> Leases:
        with self._lock:
            return self._leases()

    def _since(self, mark: Mark) -> News:
        numbers = (
            list(self._suggestions)
            if mark == START
            else itertools.takewhile(lambda number: number > mark.suggestion, reversed(self._suggestions))
        )
        suggestions = [_copy_suggestion(self._suggestions[number]) for number in sorted(numbers)]
        observations = [_copy_observation(row) for row in self._observations[mark.observation :]]
        last = suggestions[-1].number if suggestions else mark.suggestion
        return suggestions, observations, Mark(last, len(self._observations))

    def _unlease(self, number: int) -> None:
        """Take away the leases that are not needed any more."""
        suggestion = self._suggestions.get(number)
        complete = suggestion is not None and all((number, name) in self._answered for name in suggestion.functions)
        for key in [key for key in self._owner if key[0] == number]:
            if complete or key in self._answered:
                del self._owner[key]

    def _leases(self) -> Leases:
        now = time.monotonic()
        left = {owner: self._until.get(owner, now) - now for owner in self._owner.values()}
        return {key: Lease(owner, left[owner] > 0.0, left[owner]) for key, owner in self._owner.items()}


def _copy_observation(row: Observation) -> Observation:
    """By hand: every ask reads all rows, and dataclasses.replace takes several times as long."""
    told = (row.function, dict(row.point), row.value, row.suggestion, row.note)
    return Observation(*told, row.replaces, row.withdrawn, row.who, row.seconds, row.setup)


def _copy_suggestion(row: Suggestion) -> Suggestion:
    asked = (row.number, dict(row.point), row.functions, row.cost, row.note)
    return Suggestion(*asked, row.seen, row.initial, row.remaining, _copied(row.memory))


def _copied(value: Any) -> Any:
    """A JSON-able value with dictionaries and lists of its own."""
    if isinstance(value, dict):
        return {key: _copied(entry) for key, entry in value.items()}
    return [_copied(entry) for entry in value] if isinstance(value, list) else value
