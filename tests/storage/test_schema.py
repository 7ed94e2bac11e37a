"""Versions of the tables: old studies open, new ones are refused, and a failed migration changes nothing."""

import shutil
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import servers
import sqlalchemy as sa
import toy

import taut
from taut.storage import open_storage, schema
from taut.storage.base import Lease

ASSETS = Path(__file__).parent.parent / "assets"
"""schema-N.db was written by make_asset below with version N of the tables. Never write it again."""


def make_asset(path: Path) -> None:
    """A small study with a bit of everything, by a method that only the tests could change."""
    study = toy.study(groups=True, initial=0, seed=11, storage=path)
    for _ in range(2):
        study.tell(study.ask(), {"f": -0.0, "g": 0.1 + 0.2}, seconds={"f": 0.1 + 0.2})
        study.tell(study.ask(), {"c": None}, note="ValueError: größer als 1", seconds={"c": 12})
    study.add({"x1": 1.0, "x2": 2.0}, {"f": 1e-300, "c": None})
    study.ask(remaining=7.25)
    open_storage(path).lease(5, ["c"], "a process", 60.0, None)


def dump(path: Path, tables: list[str]) -> dict[str, object]:
    with sqlite3.connect(path) as connection:
        found = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    connection.close()
    return found


def declarations(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    connection.close()
    return [" ".join(sql.split()) for (sql,) in found]


@pytest.fixture
def old(path: Path) -> Path:
    """A study as it was stored by the first version."""
    shutil.copy(ASSETS / "schema-1.db", path)
    return path


@pytest.mark.parametrize("asset", sorted(ASSETS.glob("schema-*.db")), ids=lambda asset: asset.stem)
def test_old_studies_open_and_replay(asset: Path, path: Path) -> None:
    shutil.copy(asset, path)
    study = taut.Study.open(path, toy.ToyPolicy())
    declared = toy.problem(groups=True)
    stored = replace(declared.objective, scale="linear")  # all that there was
    assert (study.problem, study.seed) == (
        taut.Problem(declared.parameters, stored, declared.constraints, declared.groups),
        11,
    )
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)
    assert [row.remaining for row in study.suggestions] == [None] * 4 + [7.25]
    assert [row.note for row in study.observations[2:4]] == ["ValueError: größer als 1", ""]
    assert repr(study.observations[0].value) == "-0.0"
    assert (study.counts, study.spent) == ({"f": 2, "c": 2, "g": 2}, 6.0)
    assert study.observations[-2:] == (
        taut.Observation("f", {"x1": 1.0, "x2": 2.0}, 1e-300),
        taut.Observation("c", {"x1": 1.0, "x2": 2.0}, None),
    )
    assert study.ask().number == 6


def test_there_is_an_asset_for_each_version() -> None:
    assert sorted(path.name for path in ASSETS.glob("schema-*.db")) == [
        f"schema-{version}.db" for version in range(1, schema.current() + 1)
    ]


def test_the_tables_do_not_change_without_a_new_version(path: Path) -> None:
    make_asset(path)
    newest = ASSETS / f"schema-{schema.current()}.db"
    assert declarations(path) == declarations(newest)
    tables = ["suggestions", "observations", "leases WHERE suggestion > 0"]
    assert dump(path, tables) == dump(newest, tables)


def test_a_newer_study_is_refused(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("INSERT INTO taut_schema VALUES (7, '9.1.0')")
    connection.close()
    content = old.read_bytes()
    with pytest.raises(taut.StorageError) as caught:
        taut.Study.open(old)
    message, known = str(caught.value), f"version {schema.current()}"
    assert all(part in message for part in (str(old), "version 7", "taut 9.1.0", known, "newer taut"))
    assert old.read_bytes() == content


def add_weather(connection: sa.Connection) -> None:
    connection.execute(sa.text("CREATE TABLE weather (day INTEGER)"))
    connection.execute(sa.text("INSERT INTO weather SELECT number FROM suggestions"))


def add_rain(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE weather ADD COLUMN rain TEXT"))
    connection.execute(sa.text("UPDATE weather SET rain = 'yes' WHERE day > 3"))


def flood(connection: sa.Connection) -> None:
    add_rain(connection)
    raise RuntimeError("too much rain")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_steps_are_taken_in_order_and_once(
    kind: str, new_place: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = new_place(kind)
    toy.play(toy.study(storage=place), 5)
    before = open_storage(place).rows()
    first = schema.current()
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, add_weather, add_rain))
    for _ in range(2):
        storage = open_storage(place)
        assert storage.rows() == before
        read = storage._database.read  # type: ignore[attr-defined]
        weather = read(lambda connection: connection.execute(sa.text("SELECT * FROM weather ORDER BY day")).all())
        assert weather == [(1, None), (2, None), (3, None), (4, "yes"), (5, "yes")]
        versions = read(lambda connection: connection.execute(sa.select(schema.versions.c.version)).scalars().all())
        assert sorted(versions) == [first, first + 1, first + 2]
    assert toy.study(storage=place).ask().number == 6
    monkeypatch.undo()
    with pytest.raises(taut.StorageError, match=f"version {first + 2}.*version {first}"):
        open_storage(place)


def test_a_failed_migration_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, declared = open_storage(old).rows(), declarations(old)
    steps = schema.STEPS
    monkeypatch.setattr(schema, "STEPS", (*steps, add_weather, flood))
    with pytest.raises(RuntimeError, match="too much rain"):
        open_storage(old)
    assert declarations(old) == declared
    monkeypatch.setattr(schema, "STEPS", (*steps, add_weather, add_rain))
    assert open_storage(old).rows() == rows
    assert dump(old, ["weather"]) == {"weather": [(n, "yes" if n > 3 else None) for n in range(1, 6)]}


def test_lost_versions_are_noticed(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("DELETE FROM taut_schema")
    connection.close()
    with pytest.raises(taut.StorageError, match="expected the version of its tables"):
        taut.Study.open(old)


@pytest.mark.parametrize("asset", sorted(ASSETS.glob("schema-*.db")), ids=lambda asset: asset.stem)
def test_old_tables_become_the_new_ones(asset: Path, path: Path, new_place: Callable[[str], str]) -> None:
    fresh = Path(new_place("sqlite"))
    make_asset(fresh)
    shutil.copy(asset, path)
    rows = open_storage(path).rows()
    assert declarations(path) == declarations(fresh)
    assert rows == open_storage(fresh).rows()
    assert open_storage(path).lease(6, ["c"], "new one", 60.0, None) == ("c",)


def test_leases_of_version_2_are_kept(path: Path) -> None:
    """The last claim on an evaluation counts, until the end that the last renewal of its holder named."""
    shutil.copy(ASSETS / "schema-2.db", path)
    with sqlite3.connect(path) as connection:
        claims = [(4, "c", "old"), (4, "c", "a process"), (3, "f", "old")]
        connection.executemany("INSERT INTO claims (suggestion, function, holder) VALUES (?, ?, ?)", claims)
        renewals = [("old", 60.0), ("a process", 0.0), ("a process", 3600.0), ("old", -1.0)]
        now = time.time()
        connection.executemany(
            "INSERT INTO renewals (holder, until) VALUES (?, ?)", [(holder, now + left) for holder, left in renewals]
        )
    connection.close()
    storage = open_storage(path)
    assert storage.leases() == {
        (3, "f"): Lease("old", False),
        (4, "c"): Lease("a process", True),
        (5, "c"): Lease("a process", True),
    }
    assert storage.lease(5, ["c"], "new one", 60.0, None) == ()
    storage.renew("a process", 0.0)
    assert storage.lease(5, ["c"], "new one", 60.0, None) == ("c",)


# The tables for leases of old versions, as PostgreSQL had them.
VERSION_1 = """
ALTER TABLE study DROP COLUMN checksum; ALTER TABLE suggestions DROP COLUMN checksum;
ALTER TABLE observations DROP COLUMN checksum; ALTER TABLE observations DROP COLUMN replaces;
ALTER TABLE observations DROP COLUMN withdrawn; ALTER TABLE observations DROP COLUMN who;
ALTER TABLE observations ADD UNIQUE (suggestion, function);
DROP TABLE leases; DROP TABLE owners; DROP TABLE steps; UPDATE taut_schema SET version = 1;
CREATE TABLE lease (id INTEGER PRIMARY KEY, holder TEXT, until DOUBLE PRECISION NOT NULL);
INSERT INTO lease VALUES (1, NULL, 0.0);
"""
VERSION_2 = f"""
{VERSION_1} UPDATE taut_schema SET version = 2;
CREATE TABLE claims (id BIGSERIAL PRIMARY KEY, suggestion BIGINT NOT NULL, function TEXT NOT NULL, holder TEXT);
CREATE TABLE renewals (id BIGSERIAL PRIMARY KEY, holder TEXT NOT NULL, until DOUBLE PRECISION NOT NULL);
CREATE INDEX renewals_holder ON renewals (holder, id);
INSERT INTO claims (suggestion, function, holder) VALUES (4, 'f', 'a process'), (5, 'c', 'gone'), (5, 'c', 'a process');
INSERT INTO renewals (holder, until) VALUES ('a process', 0.0), ('a process', extract(epoch FROM now()) + 60.0);
"""


@pytest.mark.parametrize("tables", [VERSION_1, VERSION_2], ids=["1", "2"])
def test_old_studies_on_a_server(postgres: servers.Server, tables: str) -> None:
    place = postgres.url()
    toy.play(toy.study(storage=place), 5)
    before = open_storage(place).rows()
    with postgres.connect() as connection:
        connection.execute(f"SET search_path TO {place.rpartition('%3D')[2]}")
        connection.execute(tables)
    storage = open_storage(place)
    assert storage.rows() == before
    kept = {(4, "f"): Lease("a process", True), (5, "c"): Lease("a process", True)}
    assert storage.leases() == (kept if tables == VERSION_2 else {})
    assert storage.lease(5, ["f", "c"], "new one", 60.0, None) == (("f",) if tables == VERSION_2 else ("f", "c"))
    assert toy.study(storage=place).ask().number == 6


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_times_are_added_to_tables_of_version_4(kind: str, new_place: Callable[[str], str]) -> None:
    place = new_place(kind)
    study = toy.study(storage=place)
    toy.play(study, 5)

    def back(connection: sa.Connection) -> None:
        for name in ("seconds", "setup"):
            connection.execute(sa.text(f"ALTER TABLE observations DROP COLUMN {name}"))
        connection.execute(sa.text("UPDATE taut_schema SET version = 4"))

    open_storage(place)._database.write(back)  # type: ignore[attr-defined]
    opened = taut.Study.open(place, toy.ToyPolicy())
    assert opened.observations == study.observations and opened.suggestions == study.suggestions
    row = opened.ask()
    opened.tell(row, {row.functions[0]: 1.0}, seconds={row.functions[0]: 0.1 + 0.2})
    assert opened.observations[-1].seconds == 0.1 + 0.2
