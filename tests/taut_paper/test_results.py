"""The store of finished repetitions and its compact form."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from taut.base.errors import StorageError
from taut_paper import packed
from taut_paper.experiments import SCALES, Repetition, plan
from taut_paper.repetition import Step
from taut_paper.results import FILE, TABLE, Store, load


def runs(seeds: int = 2) -> list[Repetition]:
    return plan(["test_function_2"], SCALES["quick"], budget=4.0, seeds=range(seeds), methods=["dckg", "cei"])


def trace(seed: int, seconds: float = 0.5) -> list[Step]:
    third = 1.0 / 3.0
    return [
        Step(0.0, (), (), (), (third, seed + 0.1), 4.0, 0.0, seconds),
        Step(1.0, ("c1",), ("f", "c1"), (0.1, 0.2), (0.25, 1e-300), 0.1 + seed, seconds, seconds),
        Step(4.0, ("f", "c2", "c3"), ("f", "c2", "c3"), (0.3, 2.0 / 3.0), (0.5, 0.5), 0.0, seconds, seconds),
    ]


def filled(folder: Path, order: list[Repetition], seconds: float = 0.5) -> Store:
    store = Store(folder)
    for run in order:
        store.add(run, trace(run.seed, seconds))
    return store


def test_what_is_stored_is_what_is_read(tmp_path: Path) -> None:
    filled(tmp_path, runs())
    results = load(tmp_path)
    assert len(results) == len(runs()) and results.experiments == ("test_function_2",)
    found = results.traces("test_function_2", "dckg")[1]
    assert found.repetition in runs()
    np.testing.assert_array_equal(found.spent, [0.0, 1.0, 4.0])
    np.testing.assert_array_equal(found.oc, [4.0, 1.1, 0.0])
    np.testing.assert_array_equal(found.evaluated.astype(int), [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 1]])
    np.testing.assert_array_equal(found.decided.astype(int), [[0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 1]])
    np.testing.assert_array_equal(found.point[1:], [[0.1, 0.2], [0.3, 2.0 / 3.0]])
    assert np.isnan(found.point[0]).all()
    np.testing.assert_array_equal(found.recommended, [[1.0 / 3.0, 1.1], [0.25, 1e-300], [0.5, 0.5]])
    assert found.counts == {"f": 1, "c1": 1, "c2": 1, "c3": 1} and found.versions["numpy"] == np.__version__
    assert results.traces("test_function_2", "ckg") == {}


def test_a_repetition_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    store = filled(tmp_path, runs())
    before = store.table()
    store.add(runs()[0], trace(99))
    assert store.table() == before


def test_a_repetition_is_stored_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    store = Store(tmp_path)
    steps = trace(0)
    broken = [*steps, Step(5.0, (), (), (), (0.0, 0.0), None, 0.0, 0.0)]  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        store.add(runs()[0], broken)
    assert store.finished() == {} and store.table()["step"] == []


def test_parquet_is_the_same_for_any_order_of_arrival_and_any_times(tmp_path: Path) -> None:
    for name, order, seconds in (("a", runs(), 0.5), ("b", runs()[::-1], 0.7)):
        (tmp_path / name).mkdir()
        packed.write(filled(tmp_path / name, order, seconds), tmp_path / name / TABLE, times=False)
    assert (tmp_path / "a" / TABLE).read_bytes() == (tmp_path / "b" / TABLE).read_bytes()


def test_parquet_holds_everything(tmp_path: Path) -> None:
    store = filled(tmp_path / "full", runs())
    (tmp_path / "small").mkdir()
    assert packed.write(store, tmp_path / "small" / TABLE) == 3 * len(runs())
    for one, other in zip(load(tmp_path / "full"), load(tmp_path / "small"), strict=True):
        assert one.repetition == other.repetition and one.versions == other.versions
        for name in ("spent", "oc", "evaluated", "decided", "point", "recommended", "ask_seconds"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_reading_while_another_writes(tmp_path: Path) -> None:
    store = filled(tmp_path, runs())
    with sqlite3.connect(store.path) as other:
        other.execute("BEGIN IMMEDIATE")
        assert len(load(tmp_path)) == len(runs())


def test_a_folder_without_results(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="got neither; run taut bench run"):
        load(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_a_file_of_another_kind_or_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("not a database, and long enough to be seen as none " * 100)
    with pytest.raises(StorageError, match="expected a file of results"):
        Store(tmp_path)
    newer = Store(tmp_path / "newer")
    with sqlite3.connect(newer.path) as db:
        db.execute("UPDATE format SET version = 99")
    with pytest.raises(StorageError, match="expected format 1, got 99"):
        Store(tmp_path / "newer")


def test_the_table_is_plain_data(tmp_path: Path) -> None:
    json.dumps(filled(tmp_path, runs(1)).table(), allow_nan=False)
