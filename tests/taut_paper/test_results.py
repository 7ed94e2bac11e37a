"""A file per finished repetition, and the table that is published."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from taut.base.errors import StorageError
from taut_paper import jsonfile
from taut_paper.experiments import SCALES, Repetition, plan
from taut_paper.repetition import Step
from taut_paper.results import FILES, OLD, TABLE, Store, asked, load, publish
from taut_paper.traces import Trace

PUBLISHED = Path(__file__).parents[2] / "results" / "paper"
ARRAYS = ("spent", "oc", "evaluated", "decided", "point", "recommended", "ask_seconds", "recommend_seconds", "said")


def runs(seeds: int = 2) -> list[Repetition]:
    return plan(["test_function_2-f=5"], SCALES["quick"], budget=4.0, seeds=range(seeds), methods=["dckg", "cei"])


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


def same(one: Trace, other: Trace) -> None:
    assert one.repetition == other.repetition and one.versions == other.versions
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


# --- Files


def test_what_is_said_of_recommendations_is_kept_where_it_is_known(tmp_path: Path) -> None:
    """In a file, in another folder, and in the table, beside runs that say nothing."""
    one, two = runs(2)[0], runs(2)[-1]
    store = filled(tmp_path / "files", [two])
    store.add(one, [replace(step, said=(0.5 + 0.1 * k, -1.0, 0.25)) for k, step in enumerate(trace(0))])
    Store(tmp_path / "other").adopt(store.results())
    publish(store.results(), tmp_path / "table" / TABLE)
    for folder in ("files", "other", "table"):
        found = load(tmp_path / folder)
        told = found.traces(one.experiment, one.method, one.preset)[one.seed].said
        assert told is not None and told.tolist() == [[0.5, -1.0, 0.25], [0.6, -1.0, 0.25], [0.7, -1.0, 0.25]]
        assert found.traces(two.experiment, two.method, two.preset)[two.seed].said is None


def test_what_is_stored_is_what_is_read(tmp_path: Path) -> None:
    filled(tmp_path, runs())
    results = load(tmp_path)
    assert len(results) == len(runs()) and results.experiments == ("test_function_2-f=5",)
    found = results.traces("test_function_2-f=5", "dckg")[1]
    assert found.repetition in runs() and found.versions["numpy"] == np.__version__
    assert found.spent.tolist() == [0.0, 1.0, 4.0] and found.oc.tolist() == [4.0, 1.1, 0.0]
    assert found.point[1:].tolist() == [[0.1, 0.2], [0.3, 2.0 / 3.0]]
    assert found.recommended.tolist() == [[1.0 / 3.0, 1.1], [0.25, 1e-300], [0.5, 0.5]]
    assert found.decided.sum(axis=1).tolist() == [0, 2, 3] and found.evaluated.sum(axis=1).tolist() == [0, 1, 3]


def test_a_file_is_plain_data(tmp_path: Path) -> None:
    store = filled(tmp_path, runs(1))
    found = jsonfile.read(store.path(runs(1)[0]))
    assert found["repetition"]["costs"] == {"f": 5.0} and found["repetition"]["seed"] == 0
    assert found["steps"]["point"] == [[], [0.1, 0.2], [0.3, 2.0 / 3.0]]
    assert found["steps"]["functions"] == [[], ["c1"], ["f", "c2", "c3"]]


def test_a_repetition_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    store = filled(tmp_path, runs())
    before = store.path(runs()[0]).read_bytes()
    store.add(runs()[0], trace(99))
    assert store.path(runs()[0]).read_bytes() == before


def test_a_repetition_is_stored_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    store = Store(tmp_path)
    broken = [*trace(0), Step(5.0, (), (), (), (0.0, 0.0), 1j, 0.0, 0.0)]  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        store.add(runs()[0], broken)
    assert len(store.results()) == 0 and store.missing(runs()) == runs()


def test_what_is_missing(tmp_path: Path) -> None:
    store = filled(tmp_path, runs(2))
    assert store.missing(runs(3)) == [run for run in runs(3) if run.seed == 2]


@pytest.mark.parametrize(
    ("field", "words"), [("budget", "budget 4 .* now 60 "), ("initial", "6 initial .* and 60 are")]
)
def test_other_settings_in_the_same_folder_are_refused(tmp_path: Path, field: str, words: str) -> None:
    store = filled(tmp_path, runs(1))
    with pytest.raises(StorageError, match=f"stored with .*{words}.*give another folder"):
        store.missing([replace(run, **{field: 60}) for run in runs(1)])


def test_what_was_asked_for_adds_up(tmp_path: Path) -> None:
    assert asked(tmp_path) == set()
    store = Store(tmp_path)
    for each in (runs(1), runs(3)[4:], runs(1)):
        store.ask(each)
    assert asked(tmp_path) == {run.key for run in (*runs(1), *runs(3)[4:])}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', '{"format": 99}'])
def test_a_file_of_another_kind_is_named(tmp_path: Path, text: str) -> None:
    store = filled(tmp_path, runs(1))
    store.path(runs(1)[0]).write_text(text)
    for look in (store.results, lambda: store.missing(runs(1))):
        with pytest.raises(StorageError, match=r"0000\.json.*: expected a repetition in format 2, .* delete the file"):
            look()


def test_a_folder_without_results(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="got neither; run taut bench run"):
        load(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_the_database_of_an_earlier_version_is_named_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / OLD).touch()
    for look in (Store, load):
        with pytest.raises(StorageError, match=f"got {OLD} .*taut bench export.* another folder"):
            look(tmp_path)
    publish(filled(tmp_path / "new", runs()).results(), tmp_path / TABLE)
    assert len(load(tmp_path)) == len(runs())  # the way out


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="expected a folder that can be written"):
        Store(tmp_path / "file")


# --- The table


def test_the_table_is_the_same_for_any_order_of_arrival_and_any_times(tmp_path: Path) -> None:
    for name, order, seconds in (("a", runs(), 0.5), ("b", runs()[::-1], 0.7)):
        publish(filled(tmp_path / name, order, seconds).results(), tmp_path / name / TABLE, times=False)
    assert (tmp_path / "a" / TABLE).read_bytes() == (tmp_path / "b" / TABLE).read_bytes()


def test_the_table_holds_everything(tmp_path: Path) -> None:
    results = filled(tmp_path / "full", runs()).results()
    assert publish(results, tmp_path / "small" / TABLE) == 3 * len(runs())
    for one, other in zip(results, load(tmp_path / "small"), strict=True):
        same(one, other)


def test_a_run_goes_on_from_a_published_table(tmp_path: Path) -> None:
    results = filled(tmp_path / "full", runs()).results()
    publish(results, tmp_path / "small" / TABLE)
    store = filled(tmp_path / "again", runs()[:1])
    assert store.adopt(load(tmp_path / "small")) == len(runs()) - 1
    assert store.missing(runs()) == [] and store.adopt(results) == 0
    for one, other in zip(results, store.results(), strict=True):
        same(one, other)


def test_published_results_of_other_settings_are_not_taken_over(tmp_path: Path) -> None:
    results = filled(tmp_path / "full", runs()).results()
    with pytest.raises(StorageError, match="is stored with budget"):
        filled(tmp_path / "again", [replace(run, budget=run.budget + 1.0) for run in runs()]).adopt(results)


def test_times_that_are_left_out_are_unknown(tmp_path: Path) -> None:
    publish(filled(tmp_path, runs(1)).results(), tmp_path / "small" / TABLE, times=False)
    assert all(np.isnan(trace.ask_seconds).all() for trace in load(tmp_path / "small"))


def test_files_come_before_the_table(tmp_path: Path) -> None:
    publish(filled(tmp_path / "more", runs(3)).results(), tmp_path / TABLE)
    filled(tmp_path, runs(1))
    assert len(load(tmp_path)) == len(runs(1)) and (tmp_path / FILES).exists()


def test_the_published_table_has_the_columns_that_are_written_today(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    publish(filled(tmp_path, runs(1)).results(), tmp_path / TABLE)
    new, published = (parquet.read_schema(folder / TABLE) for folder in (tmp_path, PUBLISHED))
    assert new.equals(published) and new.metadata.keys() == published.metadata.keys()
