"""A study in a database: an SQLite file or a PostgreSQL server. Rows are inserted and never changed, but for leases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from taut.base.errors import StorageError
from taut.data.rows import Observation, Suggestion
from taut.storage import records, schema
from taut.storage.base import ALL, START, ConflictError, Leases, Mark, News
from taut.storage.lease_rows import LeaseRows
from taut.storage.owner import Turn
from taut.storage.records import DamagedError
from taut.storage.schema import leases, observations, study, suggestions
from taut.storage.sharing import free, number_taken
from taut.storage.transactions import Database

Result = TypeVar("Result")


class DatabaseStorage:
    """The Storage contract in tables.

    One database (or schema of it) holds one study. The tables are created when the first row is written.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._leases = LeaseRows(database.backend)
        self._checked = False
        self.turn = Turn()
        self._exists()

    def __str__(self) -> str:
        return self._database.backend.name

    # --- rows

    def create(self, problem: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        row = {"id": 1, **records.declared(problem, settings)}
        taken = f"Storage {str(self)!r}: expected no study, got a database that holds a study; use another one."
        self._insert(study, [row], ConflictError(taken))

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        found = self._read(lambda connection: connection.execute(_DECLARATION).first())
        return None if found is None else self._sound(lambda: records.declaration(*found))

    def add_suggestion(self, suggestion: Suggestion, owner: str | None = None, seconds: float = 0.0) -> None:
        def also(connection: sa.Connection) -> None:
            if owner is not None:
                self._leases.take(connection, suggestion.number, [ALL], owner, seconds)
            if self.turn.leased:  # it was for this suggestion: one transaction less
                self._leases.renew(connection, self.turn.name, 0.0)

        self._insert(suggestions, [records.cells(suggestion)], number_taken(suggestion), also)
        self.turn.leased = False

    def add_observations(self, observed: Sequence[Observation]) -> None:
        if not observed:
            return
        told = ", ".join(f"{row.function!r} of suggestion {row.suggestion}" for row in observed)
        what, got = f"Suggestion {observed[0].suggestion}", f"a second for one of {told}"
        second = ConflictError.of(what, "one row for each function", got, "use study.add for a further measurement")
        answered = {row.suggestion for row in observed if row.suggestion is not None}
        self._insert(
            observations,
            [records.cells(each) for each in observed],
            second,
            lambda connection: self._leases.drop(connection, answered),
        )

    def rows(self) -> tuple[list[Suggestion], list[Observation]]:
        news = self.since(START)
        assert news is not None, "nothing comes before the start"
        return news[0], news[1]

    def since(self, mark: Mark) -> News | None:
        found = self._read(
            lambda connection: (
                connection.execute(_SUGGESTIONS, {"after": mark.suggestion}).all(),
                connection.execute(_OBSERVATIONS, {"after": mark.observation}).all(),
            )
        )
        if found is None:
            return ([], [], START) if mark == START else None
        return self._sound(lambda: self._news(mark, *found))

    def _news(self, mark: Mark, asked: Sequence[Any], told: Sequence[Any]) -> News | None:
        known = mark.checks
        new = records.read(Suggestion, asked, mark.suggestion, known[0])
        values = records.read(Observation, told, mark.observation, known[1])
        if new is None or values is None:
            return None
        if self._database.backend.gapless and values.last != mark.observation + len(values.rows):
            raise DamagedError("observations are missing")
        return new.rows, values.rows, Mark(new.last, values.last, (new.check, values.check))

    # --- leases

    def lease(
        self, number: int, functions: Sequence[str], owner: str, seconds: float, most: int | None
    ) -> tuple[str, ...]:
        def take(connection: sa.Connection) -> tuple[str, ...]:
            self._database.backend.lock(connection, leases)
            # First who lives, then what is known: who ends stores its values before it says that it ends.
            names = free(number, functions, owner, self._leases.read(connection), (), most)
            known = self._leases.answered(connection, number) if names else set()
            names = tuple(name for name in names if name not in known)
            if names:
                self._leases.take(connection, number, names, owner, seconds)
                self._leases.forget_idle(connection)
            return names

        return self._write(take, wrote=bool)

    def renew(self, owner: str, seconds: float) -> None:
        self._write(lambda connection: self._leases.renew(connection, owner, seconds))

    def leases(self) -> Leases:
        return self._read(self._leases.read) or {}

    # --- transactions

    def _exists(self) -> bool:
        """Are the tables there? Once they are, this asks no more."""
        self._checked = self._checked or schema.check(self._database)
        return self._checked

    def _read(self, work: Callable[[sa.Connection], Result]) -> Result | None:
        """What work finds at one moment; None if there are no tables yet."""
        return self._sound(lambda: self._database.read(work)) if self._exists() else None

    def _write(
        self, work: Callable[[sa.Connection], Result], wrote: Callable[[Result], bool] = lambda result: True
    ) -> Result:
        if not self._exists():
            schema.create(self._database)
            self._checked = True
        return self._database.write(work, wrote)

    def _insert(
        self,
        table: sa.Table,
        rows: list[dict[str, Any]],
        conflict: ConflictError,
        also: Callable[[sa.Connection], None] = lambda connection: None,
    ) -> None:
        """Append rows, and do something else with the same stroke."""

        def work(connection: sa.Connection) -> None:
            self._database.backend.lock(connection, table)
            connection.execute(sa.insert(table), rows)
            also(connection)

        try:
            self._write(work)
        except IntegrityError as error:
            raise conflict from error

    def _sound(self, decode: Callable[[], Result]) -> Result:
        """What was read, or a StorageError if it cannot have been written by taut."""
        try:
            return decode()
        except (TypeError, ValueError, OverflowError) as error:  # drivers say these of cells they cannot decode
            got = f"something else ({error})"
            way_out = "the disk or another program changed it, restore it from a copy"
            raise StorageError.of(f"Storage {str(self)!r}", "rows as taut wrote them", got, way_out) from error


def _select(table: sa.Table, kind: type, place: str) -> sa.Select[Any]:
    """All rows of a table from a place on: the fields of a dataclass, the checksum, the place."""
    names = [each.name for each in fields(kind)]
    columns = [*(table.c[name] for name in names), table.c.checksum, table.c[place].label("place")]
    return sa.select(*columns).where(table.c[place] >= sa.bindparam("after")).order_by(table.c[place])


_DECLARATION = sa.select(study.c.problem, study.c.settings, study.c.checksum)
_SUGGESTIONS = _select(suggestions, Suggestion, "number")
_OBSERVATIONS = _select(observations, Observation, "id")
