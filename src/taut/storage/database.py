"""A study in a database: an SQLite file, or a PostgreSQL server.

Rows are inserted and never changed. Points, notes and the like are JSON; numbers are kept to the last bit.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from taut.base.errors import StorageError
from taut.data.rows import Observation, Suggestion
from taut.storage import schema
from taut.storage.backends import backend
from taut.storage.base import Claims, TakenError
from taut.storage.claims import ClaimTables
from taut.storage.leases import Lease
from taut.storage.transactions import Database

_BY_NUMBER = sa.select(schema.suggestions).order_by(schema.suggestions.c.number)
_IN_ORDER = sa.select(schema.observations).order_by(schema.observations.c.id)


class DatabaseStorage:
    """The Storage contract in tables. location: a path, or a URL like postgresql+psycopg://user:password@host/database.

    One database (or schema of it) holds one study. The tables are created when the first row is written.
    """

    def __init__(self, location: str) -> None:
        self._database = Database(backend(location))
        self._lease = Lease(self._database)
        self._claims = ClaimTables(self._database)
        self._asking = threading.Lock()  # threads of this process queue here and do not poll the database
        self._checked = False
        self._exists()

    def __str__(self) -> str:
        return self._database.backend.name

    def create(self, problem: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        row = {"id": 1, "problem": json.dumps(problem), "settings": json.dumps(settings)}
        try:
            self._insert(schema.study, [row])
        except IntegrityError as error:
            raise TakenError(
                f"Storage {str(self)!r}: expected no study, got a database that holds a study; use another one."
            ) from error

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        if not self._exists():
            return None
        row = self._database.read(lambda connection: connection.execute(sa.select(schema.study)).first())
        if row is None:
            return None
        problem, settings = self._decode([row.problem, row.settings])
        return problem, settings

    def add_suggestion(self, suggestion: Suggestion) -> None:
        try:
            self._insert(schema.suggestions, [_suggestion_row(suggestion)])
        except IntegrityError as error:
            raise TakenError(
                f"Suggestion {suggestion.number}: expected a new number, got a taken one; ask again."
            ) from error

    def add_observations(self, observations: Sequence[Observation]) -> None:
        if not observations:
            return
        try:
            self._insert(schema.observations, [_observation_row(row) for row in observations])
        except IntegrityError as error:
            told = ", ".join(f"{row.function!r} of suggestion {row.suggestion}" for row in observations)
            raise TakenError(
                f"Suggestion {observations[0].suggestion}: expected one row for each function, got a second for one of "
                f"{told}; use study.add for a further measurement."
            ) from error

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        if not self._exists():
            return [], []
        asked, told = self._database.read(
            lambda connection: (connection.execute(_BY_NUMBER).all(), connection.execute(_IN_ORDER).all())
        )
        return self._suggestions(asked), self._observations(told)

    @contextmanager
    def asking(self) -> Iterator[None]:
        self._ensure()
        with self._asking, self._lease.held():
            yield

    def claim(self, number: int, functions: Sequence[str], holder: str, most: int | None = None) -> tuple[str, ...]:
        self._ensure()
        return self._claims.take(number, functions, holder, most)

    def renew(self, holder: str, seconds: float) -> None:
        self._ensure()
        self._claims.renew(holder, seconds)

    def claimed(self) -> Claims:
        return self._claims.all() if self._exists() else {}

    def _exists(self) -> bool:
        """Are the tables there? Once they are, this asks no more."""
        self._checked = self._checked or schema.check(self._database)
        return self._checked

    def _ensure(self) -> None:
        if not self._exists():
            schema.create(self._database)
            self._checked = True

    def _insert(self, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        self._ensure()

        def work(connection: sa.Connection) -> None:
            self._database.backend.lock(connection, table)
            connection.execute(sa.insert(table), rows)

        self._database.write(work)

    def _suggestions(self, rows: Sequence[sa.Row[Any]]) -> list[Suggestion]:
        points = self._decode([row.point for row in rows])
        functions = self._decode([row.functions for row in rows])
        notes = self._decode([row.note for row in rows])
        memories = self._decode([row.memory for row in rows])
        return [
            Suggestion(
                number=row.number,
                point=points[i],
                functions=tuple(functions[i]),
                cost=row.cost,
                note=notes[i],
                seen=row.seen,
                initial=row.initial,
                remaining=row.remaining,
                memory=memories[i],
            )
            for i, row in enumerate(rows)
        ]

    def _observations(self, rows: Sequence[sa.Row[Any]]) -> list[Observation]:
        points = self._decode([row.point for row in rows])
        notes = self._decode([row.note for row in rows])
        return [Observation(row.function, points[i], row.value, row.suggestion, notes[i]) for i, row in enumerate(rows)]

    def _decode(self, texts: Sequence[str]) -> list[Any]:
        """The JSON in each text. Read in one go: most of the time would be spent on starting."""
        try:
            found: list[Any] = json.loads(f"[{','.join(texts)}]")
        except ValueError:
            found = []
        if len(found) != len(texts):
            raise StorageError(
                f"Storage {str(self)!r}: expected JSON in its tables, got something else; they were changed by another "
                "program, restore them from a copy."
            )
        return found


def _suggestion_row(suggestion: Suggestion) -> dict[str, Any]:
    return {
        "number": suggestion.number,
        "point": json.dumps(suggestion.point),
        "functions": json.dumps(suggestion.functions),
        "cost": suggestion.cost,
        "note": json.dumps(suggestion.note),
        "seen": suggestion.seen,
        "initial": suggestion.initial,
        "remaining": suggestion.remaining,
        "memory": json.dumps(suggestion.memory),
    }


def _observation_row(observation: Observation) -> dict[str, Any]:
    return {
        "suggestion": observation.suggestion,
        "function": observation.function,
        "point": json.dumps(observation.point),
        "value": observation.value,
        "note": json.dumps(observation.note),
    }
