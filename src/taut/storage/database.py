"""A study in a database: an SQLite file, or a PostgreSQL server.

Rows are inserted and never changed, but for leases. Points, notes and the like are JSON; numbers are kept to the last
bit.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from taut.base.errors import StorageError
from taut.data.rows import Observation, Suggestion
from taut.storage import schema
from taut.storage.base import ConflictError, Lease, Leases, number_taken
from taut.storage.leases import free
from taut.storage.owner import gone
from taut.storage.schema import leases, owners
from taut.storage.transactions import Database

_BY_NUMBER = sa.select(schema.suggestions).order_by(schema.suggestions.c.number)
_IN_ORDER = sa.select(schema.observations).order_by(schema.observations.c.id)


class DatabaseStorage:
    """The Storage contract in tables.

    One database (or schema of it) holds one study. The tables are created when the first row is written.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._checked = False
        self._exists()

    def __str__(self) -> str:
        return self._database.backend.name

    def create(self, problem: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        row = {"id": 1, "problem": json.dumps(problem), "settings": json.dumps(settings)}
        try:
            self._insert(schema.study, [row])
        except IntegrityError as error:
            raise ConflictError(
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
            raise number_taken(suggestion) from error

    def add_observations(self, observations: Sequence[Observation]) -> None:
        if not observations:
            return
        try:
            self._insert(schema.observations, [_observation_row(row) for row in observations])
        except IntegrityError as error:
            told = ", ".join(f"{row.function!r} of suggestion {row.suggestion}" for row in observations)
            raise ConflictError(
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

    def lease(
        self, number: int, functions: Sequence[str], owner: str, seconds: float, most: int | None
    ) -> tuple[str, ...]:
        self._ensure()

        def take(connection: sa.Connection) -> tuple[str, ...]:
            self._database.backend.lock(connection, leases)
            # First who lives, then what is known: who ends stores its values before it says that it ends.
            found = self._leases(connection, leases.c.function.in_(functions))
            answered = {(row.suggestion, row.function) for row in connection.execute(_answers(functions))}
            names = free(number, functions, found, answered, most)
            if names:
                rows = [{"suggestion": number, "function": name, "owner": owner} for name in names]
                life = {"owner": owner, "renewed": self._database.backend.now(), "seconds": seconds}
                connection.execute(sa.delete(leases).where(leases.c.suggestion == number, leases.c.function.in_(names)))
                connection.execute(sa.insert(leases), rows)
                connection.execute(sa.delete(owners).where(owners.c.owner == owner))
                connection.execute(sa.insert(owners).values(life))
            return names

        return self._database.write(take)

    def renew(self, owner: str, seconds: float) -> None:
        self._ensure()

        def work(connection: sa.Connection) -> None:
            renewed = sa.update(owners).values(renewed=self._database.backend.now(), seconds=seconds)
            connection.execute((renewed if seconds > 0.0 else sa.delete(owners)).where(owners.c.owner == owner))

        self._database.write(work)

    def leases(self) -> Leases:
        return self._database.read(self._leases) if self._exists() else {}

    def _leases(self, connection: sa.Connection, which: sa.ColumnElement[bool] | None = None) -> Leases:
        now = self._database.backend.now()
        # A sign of life from further ahead than it counts comes from a clock that was put back since.
        recent = owners.c.renewed.between(now - owners.c.seconds, now + owners.c.seconds)
        heard = connection.execute(sa.select(owners.c.owner).where(recent)).scalars()
        living = {owner for owner in heard if not gone(owner)}
        rows = connection.execute(sa.select(leases).where(sa.true() if which is None else which))
        return {(row.suggestion, row.function): Lease(row.owner, row.owner in living) for row in rows}

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


def _answers(functions: Sequence[str]) -> sa.Select[Any]:
    told = schema.observations.c
    return sa.select(told.suggestion, told.function).where(told.suggestion.is_not(None), told.function.in_(functions))
