"""Reads the rows of a study once: each time only what is new since the last."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from taut.base.errors import StorageError
from taut.data.history import History
from taut.data.rows import Observation, Suggestion
from taut.problem.problem import Problem
from taut.storage.base import START, Storage


class Reader:
    """The history of a study in a storage; a context for one thread at a time, which finds it up to date."""

    def __init__(self, problem: Problem, storage: Storage) -> None:
        self._problem, self._storage = problem, storage
        self._lock = threading.RLock()
        self._history, self._mark = History(problem), START

    def __enter__(self) -> History:
        self._lock.acquire()
        try:
            self._read()
        except BaseException:
            self._lock.release()
            raise
        return self._history

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def measured(self, point: Mapping[str, Any]) -> tuple[dict[str, float], bool]:
        """What was measured at this very point, and was it whole? See Designs.at."""
        with self as history:
            return history.designs.at(point)

    def as_written(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point in the digits of the design that it is. See Designs.as_written."""
        with self as history:
            return history.designs.as_written(point)

    def _read(self) -> None:
        news = self._storage.since(self._mark)
        if news is None:  # a copy was put in place of what we read: begin anew, with that one
            self._history, self._mark = History(self._problem), START
            news = self._storage.since(START)
        assert news is not None, "nothing comes before the start"
        suggestions, observations, mark = news
        self._check(suggestions, observations)
        self._history.extend(suggestions, observations)
        self._mark = mark

    def _check(self, suggestions: Sequence[Suggestion], observations: Sequence[Observation]) -> None:
        """Suggestions have the numbers 1, 2, 3, ... and are never removed; rows are of this problem."""
        for expected, row in enumerate(suggestions, len(self._history.suggestions) + 1):
            if row.number != expected:
                raise self._damaged(f"suggestion {expected}", f"suggestion {row.number} in its place")
        functions, parameters = set(self._problem.functions), {each.name for each in self._problem.parameters}
        for asked in suggestions:
            if asked.point.keys() != parameters or not functions.issuperset(asked.functions):
                raise self._damaged("rows of its own problem", f"suggestion {asked.number} of another one")
        for told in observations:
            if told.function not in functions or told.point.keys() != parameters:
                raise self._damaged("rows of its own problem", f"a value of {told.function!r} of another one")

    def _damaged(self, expected: str, got: str) -> StorageError:
        return StorageError.of(f"Storage {str(self._storage)!r}", expected, got, "restore it from a copy")
