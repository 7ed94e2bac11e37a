"""The tables of a study and their versions.

    taut_schema    which version of the tables this is, and which taut wrote it
    study          the declaration: one row
    suggestions    one row each, by number
    observations   one row each; at most one for a function of a suggestion, and one that replaces a given other row
    leases         who took on a function of a suggestion last; a row is replaced by the next              (version 3)
    owners         who has leases, when it was last heard of, and how long that counts; rows are changed   (version 3)
    steps          the last step of each writer, by which it finds out whether a commit reached the server (version 4)

Versions 1 and 2 had other tables for leases, with a row for each renewal. Version 4 has a checksum in each row of
study, suggestions and observations (see records.py; rows of older versions have none), and observations that replace or
withdraw others. Version 5 has how long each observation took.

Their columns are in schema.toml. A change of the tables is a step in STEPS, which brings a database from one version
to the next. Never change the tables without one: studies last for years.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import UserDefinedType

from taut import __version__
from taut.base.errors import StorageError, listed
from taut.storage.transactions import Database


class _Untyped(UserDefinedType[float]):
    """A column in which SQLite keeps a float as it is; in one it knows to hold floats, -0.0 becomes 0.0."""

    cache_ok = True

    def get_col_spec(self, **kw: object) -> str:
        return "BLOB"


_TYPES: dict[str, Any] = {
    "integer": sa.Integer,
    "id": sa.BigInteger().with_variant(sa.Integer(), "sqlite"),  # SQLite counts rows up only in an INTEGER column
    "text": sa.Text,
    "exact": sa.Double().with_variant(_Untyped(), "sqlite"),
    "seconds": sa.Double,
    "flag": sa.Boolean,
}
_COLUMNS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

METADATA = sa.MetaData()


def _column(name: str, kind: str, role: str = "") -> sa.Column[Any]:
    key, counted = role in ("key", "counted"), role == "counted"
    return sa.Column(name, _TYPES[kind], primary_key=key, autoincrement=counted, nullable=role == "optional")


def _table(name: str, *constraints: sa.Constraint, **options: Any) -> sa.Table:
    """A table with the columns that schema.toml gives it."""
    columns = (_column(column, *words.split()) for column, words in _COLUMNS[name].items())
    return sa.Table(name, METADATA, *columns, *constraints, **options)


versions = _table("taut_schema")
study = _table("study")
suggestions = _table("suggestions")
observations = _table(
    "observations", sa.UniqueConstraint("suggestion", "function", "replaces"), sqlite_autoincrement=True
)
leases = _table("leases", sqlite_with_rowid=False)
owners = _table("owners", sqlite_with_rowid=False)
steps = _table("steps", sqlite_with_rowid=False)


def _add_claims(connection: sa.Connection) -> None:
    """Version 2. The next step takes these tables away again: only the columns that it reads matter."""
    connection.execute(sa.text("CREATE TABLE claims (id INTEGER, suggestion INTEGER, function TEXT, holder TEXT)"))
    connection.execute(sa.text("CREATE TABLE renewals (id INTEGER, holder TEXT, until FLOAT)"))


def _merge_leases(connection: sa.Connection) -> None:
    """Version 3: one row a lease and one an owner instead of one each time. Whoever changes them keeps this form here.

    An owner counts until the end that its last renewal named, which was at most a day away.
    """
    for table in (leases, owners):
        table.create(connection)
    for statement in (
        "INSERT INTO leases SELECT suggestion, function, holder FROM claims "
        "WHERE id IN (SELECT max(id) FROM claims GROUP BY suggestion, function)",
        "INSERT INTO owners SELECT holder, until - 86400.0, 86400.0 FROM renewals "
        "WHERE id IN (SELECT max(id) FROM renewals GROUP BY holder)",
        "DROP TABLE claims",
        "DROP TABLE renewals",
        "DROP TABLE lease",
    ):
        connection.execute(sa.text(statement))


def _seal_and_amend(connection: sa.Connection) -> None:
    """Version 4. SQLite cannot change what is unique in a table, so that one is written anew."""
    steps.create(connection)
    kind = _TYPES["id"].compile(connection.dialect)
    for table in ("study", "suggestions"):
        connection.execute(sa.text(f"ALTER TABLE {table} ADD COLUMN checksum {kind}"))
    if connection.dialect.name == "sqlite":
        connection.execute(sa.text("ALTER TABLE observations RENAME TO observations_3"))
        observations.create(connection)
        connection.execute(
            sa.text(
                "INSERT INTO observations (id, suggestion, function, point, value, note, replaces, withdrawn, who) "
                "SELECT id, suggestion, function, point, value, note, 0, 0, '' FROM observations_3"
            )
        )
        connection.execute(sa.text("DROP TABLE observations_3"))
        return
    (unique,) = sa.inspect(connection).get_unique_constraints("observations")
    for change in (
        "ADD COLUMN replaces BIGINT NOT NULL DEFAULT 0",
        "ADD COLUMN withdrawn BOOLEAN NOT NULL DEFAULT false",
        "ADD COLUMN who TEXT NOT NULL DEFAULT ''",
        "ADD COLUMN checksum BIGINT",
        f"DROP CONSTRAINT {unique['name']}",
        "ADD UNIQUE (suggestion, function, replaces)",
    ):
        connection.execute(sa.text(f"ALTER TABLE observations {change}"))


def _add_seconds(connection: sa.Connection) -> None:
    """Version 5. A table that the step before has written anew has them already."""
    there = {column["name"] for column in sa.inspect(connection).get_columns("observations")}
    kind = _TYPES["exact"].compile(connection.dialect)
    for name in ("seconds", "setup"):
        if name not in there:
            connection.execute(sa.text(f"ALTER TABLE observations ADD COLUMN {name} {kind}"))


STEPS: tuple[Callable[[sa.Connection], None], ...] = (_add_claims, _merge_leases, _seal_and_amend, _add_seconds)
"""STEPS[k] brings tables of version k + 1 to version k + 2."""


def current() -> int:
    """The version that this taut writes."""
    return 1 + len(STEPS)


def check(database: Database) -> bool:
    """Are the tables there? Brings older ones up to date; raises StorageError on newer or foreign ones."""
    if database.backend.absent():
        return False
    found = database.read(lambda connection: _version(connection, database))
    if found is None:
        return False
    if found < current():
        database.write(lambda connection: _migrate(connection, database))
    return True


def create(database: Database) -> None:
    """Create the tables, unless somebody else just did."""

    def work(connection: sa.Connection) -> None:
        database.backend.lock_schema(connection)
        if _version(connection, database) is not None:
            return
        METADATA.create_all(connection, checkfirst=False)
        _record(connection, current())

    database.backend.found()
    database.write(work)


def _migrate(connection: sa.Connection, database: Database) -> None:
    database.backend.lock_schema(connection)
    found = _version(connection, database)
    for version in range(found or 1, current()):
        STEPS[version - 1](connection)
        _record(connection, version + 1)


def _record(connection: sa.Connection, version: int) -> None:
    connection.execute(sa.insert(versions).values(version=version, written_by=__version__))


def _version(connection: sa.Connection, database: Database) -> int | None:
    """The version of the tables; None if there are none."""
    name = database.backend.name
    names = set(sa.inspect(connection).get_table_names())
    if versions.name not in names:
        foreign = names & set(METADATA.tables) if database.backend.shared else names
        if foreign:
            raise StorageError(
                f"Storage {name!r}: expected a study written by taut or an empty database, got one with "
                f"{listed(sorted(foreign))} of another program; nothing was written. Give another path, database or "
                "schema."
            )
        return None
    newest = sa.select(versions).order_by(versions.c.version.desc()).limit(1)
    row = connection.execute(newest).first()
    if row is None:
        raise StorageError(f"Storage {name!r}: expected the version of its tables, got none; restore it from a copy.")
    if row.version > current():
        raise StorageError(
            f"Storage {name!r}: it has tables of version {row.version}, written by taut {row.written_by}, and this is "
            f"taut {__version__}, which knows them up to version {current()}; install a newer taut to open it."
        )
    return int(row.version)
