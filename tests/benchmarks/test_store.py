"""What all benchmarks share: rows that survive a kill, one way to run, one kind of table."""

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

KEY = ("case", "seed")
WANTED: list[dict[str, Any]] = [{"case": case, "seed": seed} for seed in range(2) for case in ("b", "a")]
Part = Callable[[str], ModuleType]


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Part:
    """Imports a module of the store."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return lambda name: importlib.import_module(f"store.{name}")


def work(key: dict[str, Any]) -> dict[str, Any]:
    return {"value": ord(key["case"]) + 0.1 * key["seed"]}


class KilledError(BaseException):
    """Not an error of a run: the end of the process."""


def ran(store: Part, path: Path, work: Callable[[dict[str, Any]], dict[str, Any]] = work, **options: Any) -> int:
    made = store("rows").Store(path, KEY)
    failures: int = store("runs").run_all(made, WANTED, work, lambda row: f"{row['value']:g}", **options)
    return failures


def test_killed_at_any_time_and_resumed_makes_the_same_file(store: Part, tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    assert ran(store, whole) == 0
    text = whole.read_bytes()
    kept = store("rows").Store(tmp_path / "kept.jsonl", KEY)
    kept.merge(store("rows").Store(whole, KEY).rows())
    for size in range(0, len(text), 37):  # as much as a kill let it write, in the middle of a line or not
        path, again = tmp_path / f"{size}.jsonl", store("rows").Store(tmp_path / f"{size}.kept", KEY)
        path.write_bytes(text[:size])
        assert ran(store, path) == 0
        again.merge(store("rows").Store(path, KEY).rows())
        assert again.path.read_bytes() == kept.path.read_bytes()


def test_a_kill_in_a_run_loses_that_run_alone(store: Part, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, done = tmp_path / "rows.jsonl", []

    def killed(key: dict[str, Any]) -> dict[str, Any]:
        if len(done) == 2:
            raise KilledError
        done.append(key)
        return work(key)

    with pytest.raises(KilledError):
        ran(store, path, killed)
    assert ran(store, path) == 0
    assert "2 of 4 runs are there, 2 to run" in capsys.readouterr().out
    assert [(row["case"], row["seed"]) for row in store("rows").rows(path)] == [("b", 0), ("a", 0), ("b", 1), ("a", 1)]


def test_what_raised_is_a_row_and_is_tried_again_when_told(store: Part, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"

    def broken(key: dict[str, Any]) -> dict[str, Any]:
        if key["case"] == "a":
            raise ValueError("no such case")
        return work(key)

    assert ran(store, path, broken) == 2 and ran(store, path) == 0
    made = store("rows").Store(path, KEY)
    assert [row["case"] for row in made.rows()] == ["b", "b"]
    assert any("no such case" in row.get("traceback", "") for row in store("rows").rows(path))
    assert ran(store, path, again=True) == 0 and len(made.rows()) == 4


def test_every_row_says_what_it_was_made_with(store: Part, tmp_path: Path) -> None:
    ran(store, tmp_path / "rows.jsonl", processes=2)
    made = [row["made"] for row in store("rows").rows(tmp_path / "rows.jsonl")]
    assert len(made) == 4 and all(set(each) == {"taut", "source", "numpy", "scipy", "python"} for each in made)


def test_merged_rows_are_in_order_and_the_newest_of_each_run(store: Part, tmp_path: Path) -> None:
    kept = store("rows").Store(tmp_path / "folder" / "kept.jsonl", KEY)
    assert kept.merge([{"case": "b", "seed": 0, "value": 1}, {"case": "a", "seed": 9, "error": "x"}]) == 1
    assert kept.merge([{"case": "a", "seed": 1, "value": 2}, {"case": "b", "seed": 0, "value": 3}]) == 2
    assert kept.rows() == [{"case": "a", "seed": 1, "value": 2}, {"case": "b", "seed": 0, "value": 3}]
    assert [path.name for path in kept.path.parent.iterdir()] == ["kept.jsonl"]


def test_kept_files_have_every_run_once_and_in_order(store: Part) -> None:
    """Those that are merged; the others grow at their end."""
    for script in ("bbob", "guard", "noise", "quality", "trust"):
        kept = importlib.import_module(script).KEPT
        keys = [kept.of(json.loads(line)) for line in kept.path.read_text(encoding="utf-8").splitlines()]
        assert keys and keys == sorted(set(keys))


def test_a_table(store: Part) -> None:
    assert store("table").markdown(("name", "n"), [("a", 12), ("longer", 3)], right=(1,)).splitlines() == [
        "| name   |  n |",
        "| ------ | -: |",
        "| a      | 12 |",
        "| longer |  3 |",
    ]


def test_words_are_filled_and_tables_left_alone(store: Part) -> None:
    text = "# Title\n\nmany\nwords " + "word " * 40 + "\n\n| a |\n| - |\n\n\n- one\n- two\n"
    filled = store("table").filled(text)
    assert filled.startswith("# Title\n\nmany words word") and "\n\n| a |\n| - |\n\n- one\n- two\n" in filled
    assert max(map(len, filled.splitlines())) <= store("table").WIDTH


def test_a_table_is_put_between_its_marks(store: Part, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a -->\nold\n<!-- end -->\nafter\n")
    store("table").put(page, "<!-- a -->", r"new \1", "<!-- end -->")
    assert page.read_text() == "before\n<!-- a -->\nnew \\1\n<!-- end -->\nafter\n"
    with pytest.raises(SystemExit, match="once"):
        store("table").put(page, "<!-- b -->", "new", "<!-- end -->")


def test_words_of_a_command_line(store: Part) -> None:
    words = store("words")
    assert words.numbers("0-3,7") == [0, 1, 2, 3, 7]
    assert words.assignments(["a=1,b=x", "c=True"]) == {"a": 1, "b": "x", "c": True} and words.assignments([]) == {}
    with pytest.raises(SystemExit, match="name=value"):
        words.assignments(["a"])
