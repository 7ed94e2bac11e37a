"""A study in a database: an SQLite file, or a PostgreSQL server.

Rows are inserted and never changed, but for leases. Points, notes and the like are JSON; numbers are kept to the last
bit.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from taut.base.errors import StorageError
from taut.data.rows import Observation, Suggestion
from taut.storage import schema
from taut.storage.base import ConflictError, Lease, Leases, free, number_taken
from taut.storage.owner import gone
from taut.storage.schema import leases, owners
from taut.storage.transactions import Database

_JSON = {"point", "functions", "note", "memory"}
_BY_NUMBER = sa.select(*(schema.suggestions.c[each.name] for each in fields(Suggestion))).order_by("number")
_IN_ORDER = sa.select(*(schema.observations.c[each.name] for each in fields(Observation))).order_by(
    schema.observations.c.id
)

Row = TypeVar("Row")
Result = TypeVar("Result")


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
        taken = f"Storage {str(self)!r}: expected no study, got a database that holds a study; use another one."
        self._insert(schema.study, [row], ConflictError(taken))

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        if not self._exists():
            return None
        row = self._database.read(lambda connection: connection.execute(sa.select(schema.study)).first())
        if row is None:
            return None
        problem, settings = self._decode([row.problem, row.settings])
        return problem, settings

    def add_suggestion(self, suggestion: Suggestion) -> None:
        self._insert(schema.suggestions, [_row(suggestion)], number_taken(suggestion))

    def add_observations(self, observations: Sequence[Observation]) -> None:
        if not observations:
            return
        told = ", ".join(f"{row.function!r} of suggestion {row.suggestion}" for row in observations)
        what, got = f"Suggestion {observations[0].suggestion}", f"a second for one of {told}"
        second = ConflictError.of(what, "one row for each function", got, "use study.add for a further measurement")
        self._insert(schema.observations, [_row(each) for each in observations], second)

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        if not self._exists():
            return [], []
        asked, told = self._database.read(
            lambda connection: (connection.execute(_BY_NUMBER).all(), connection.execute(_IN_ORDER).all())
        )
        return self._objects(Suggestion, asked), self._objects(Observation, told)

    def lease(
        self, number: int, functions: Sequence[str], owner: str, seconds: float, most: int | None
    ) -> tuple[str, ...]:
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

        return self._write(take)

    def renew(self, owner: str, seconds: float) -> None:
        def work(connection: sa.Connection) -> None:
            renewed = sa.update(owners).values(renewed=self._database.backend.now(), seconds=seconds)
            connection.execute((renewed if seconds > 0.0 else sa.delete(owners)).where(owners.c.owner == owner))

        self._write(work)

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

    def _write(self, work: Callable[[sa.Connection], Result]) -> Result:
        if not self._exists():
            schema.create(self._database)
            self._checked = True
        return self._database.write(work)

    def _insert(self, table: sa.Table, rows: list[dict[str, Any]], conflict: ConflictError) -> None:
        def work(connection: sa.Connection) -> None:
            self._database.backend.lock(connection, table)
            connection.execute(sa.insert(table), rows)

        try:
            self._write(work)
        except IntegrityError as error:
            raise conflict from error

    def _objects(self, kind: Callable[..., Row], rows: Sequence[sa.Row[Any]]) -> list[Row]:
        """Rows of a query for all fields of this dataclass."""
        names = [each.name for each in fields(cast(Any, kind))]
        columns = zip(names, zip(*rows, strict=True), strict=False)  # without rows there are no columns
        decoded = [self._decode(cells) if name in _JSON else cells for name, cells in columns]
        return [kind(*cells) for cells in zip(*decoded, strict=True)]

    def _decode(self, texts: Sequence[str]) -> list[Any]:
        """The JSON in each text, lists as tuples. Read in one go: most of the time would be spent on starting."""
        try:
            found: list[Any] = json.loads(f"[{','.join(texts)}]")
        except ValueError:
            found = []
        if len(found) != len(texts):
            way_out = "they were changed by another program, restore them from a copy"
            raise StorageError.of(f"Storage {str(self)!r}", "JSON in its tables", "something else", way_out)
        return [tuple(entry) if isinstance(entry, list) else entry for entry in found]


def _row(kept: Suggestion | Observation) -> dict[str, Any]:
    row = {each.name: getattr(kept, each.name) for each in fields(kept)}
    return {name: json.dumps(value) if name in _JSON else value for name, value in row.items()}


def _answers(functions: Sequence[str]) -> sa.Select[Any]:
    told = schema.observations.c
    return sa.select(told.suggestion, told.function).where(told.suggestion.is_not(None), told.function.in_(functions))
