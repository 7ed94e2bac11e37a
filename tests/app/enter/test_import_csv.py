"""Adding values measured before: all of a table or nothing of it, and never twice."""

import json
import threading
from pathlib import Path

import pytest
from studies import GOOD, assert_mistake, call, contents, done

import taut

TABLE = """\
width,height,mass,stress,drag
2.0,1.0,3.5,,
3,2,4.5,120,fail

4.0 , 3.0 , , 90.5 ,
"""


@pytest.fixture
def study(folder: Path, request: pytest.FixtureRequest) -> str:
    place = folder / f"measured-{abs(hash(request.node.name))}"
    place.mkdir()
    (place / "study.toml").write_text(GOOD)
    (place / "data.csv").write_text(TABLE)
    return str(place / "study.toml")


def beside(study: str, name: str) -> Path:
    return Path(study).with_name(name)


def counts(study: str) -> dict[str, int]:
    return {row["function"]: row["added"] for row in json.loads(done("status", study, "--json"))["counts"]}


def test_partial_rows_are_normal(study: str) -> None:
    text = done("add", study, str(beside(study, "data.csv")))
    assert text == "added 4 values and 1 failure from 3 lines\n"
    assert counts(study) == {"mass": 2, "stress": 2, "drag": 1, "lift": 0}
    assert json.loads(done("status", study, "--json"))["spent"] == 0.0


def test_json(study: str) -> None:
    added = json.loads(done("add", study, str(beside(study, "data.csv")), "--json"))
    assert added == {"lines": 3, "values": 4, "failures": 1, "skipped": 0}


def test_the_same_file_twice_is_refused(study: str) -> None:
    data = str(beside(study, "data.csv"))
    done("add", study, data)
    before = contents(beside(study, "bracket.db"))
    assert_mistake(call("add", study, data), "3 of 3 lines", "line 2", "--new-only")
    assert contents(beside(study, "bracket.db")) == before


def test_only_what_is_new(study: str) -> None:
    data = beside(study, "data.csv")
    done("add", study, str(data))
    data.write_text(TABLE + "5,5,7.5,,\n2.0,1.0,3.5,300,\n")
    assert_mistake(call("add", study, str(data)), "4 of 5 lines")
    text = done("add", study, str(data), "--new-only")
    assert text == "added 2 values from 2 lines; 4 lines held values that were there already\n"
    assert counts(study) == {"mass": 3, "stress": 3, "drag": 1, "lift": 0}


def test_what_was_told_is_there_already(study: str) -> None:
    asked = json.loads(done("ask", study, "--json"))
    done("tell", study, "1", "mass=3.5")
    point = ",".join(map(repr, asked["parameters"].values()))
    beside(study, "data.csv").write_text(f"width,height,mass\n{point},3.5\n")
    assert_mistake(call("add", study, str(beside(study, "data.csv"))), "1 of 1 lines")


def test_a_line_twice_in_one_file(study: str) -> None:
    beside(study, "data.csv").write_text("width,height,mass\n2,1,3.5\n2.0,1.0,3.50\n")
    assert_mistake(call("add", study, str(beside(study, "data.csv"))), "1 of 2 lines", "line 3")


def test_two_at_once_add_it_once(study: str) -> None:
    from taut.app.enter import import_csv
    from taut.app.studyfile import file as studyfile

    file = studyfile.load(study)
    studyfile.open_study(file)
    data = str(beside(study, "data.csv"))
    added: list[import_csv.Added] = []

    def work() -> None:
        added.append(import_csv.add(data, file, new_only=True))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each.values for each in added) == [0, 0, 0, 4]
    assert counts(study) == {"mass": 2, "stress": 2, "drag": 1, "lift": 0}


def test_an_export_can_be_added_to_another_study(study: str) -> None:
    for _ in range(3):
        done("ask", study)
    done("add", study, str(beside(study, "data.csv")))
    done("tell", study, "2", "stress=fail", "--note", "line\nbreak")
    table = str(beside(study, "all.csv"))
    assert done("export", study, "-o", table) == f"wrote 6 rows to {table}\n"
    other = beside(study, "other.toml")
    other.write_text(GOOD.replace("bracket.db", "other.db").replace("high = 9.0", "high = 20.0"))
    assert done("add", str(other), table) == "added 4 values and 2 failures from 4 lines\n"
    assert counts(str(other)) == {"mass": 2, "stress": 3, "drag": 1, "lift": 0}


def test_byte_order_mark_and_windows_lines(study: str) -> None:
    data = beside(study, "data.csv")
    data.write_bytes(b"\xef\xbb\xbf" + TABLE.replace("\n", "\r\n").encode())
    assert done("add", study, str(data)).startswith("added 4 values")


HEAD = "width,height,mass,stress\n"
GOOD_LINE = "2,1,3.5,\n"
BAD: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "empty": ("", ("empty",)),
    "only a header": (HEAD, ("at least one line",)),
    "only points": (HEAD + "2,1,,\n", ("at least one line",)),
    "binary": (b"\0\1\2" * 99, ("binary",)),
    "latin-1": ("width,height,mass\n2,1,\xfc".encode("latin-1"), ("UTF-8", "line 2")),
    "no header": ("2,1,3.5\n3,2,4.5\n", ("line 1", "'2'")),
    "semicolons": ("width;height;mass\n2;1;3.5\n", ("line 1", "commas")),
    "unknown column": ("width,height,wieght\n2,1,3.5\n", ("line 1", "'wieght'", "closest is 'height'")),
    "column twice": ("width,height,mass,mass\n2,1,3.5,3.5\n", ("line 1", "'mass' twice")),
    "no parameter": ("width,mass\n2,3.5\n", ("line 1", "without 'height'")),
    "no function": ("width,height\n2,1\n", ("line 1", "without any of these functions")),
    "column without a name": ("width,height,mass,\n2,1,3.5,7\n", ("line 1", "''")),
    "too few cells": (HEAD + GOOD_LINE + "2,1\n", ("line 3", "4 cells", "got 2")),
    "too many cells": (HEAD + GOOD_LINE + "2,1,3,5,\n", ("line 3", "got 5")),
    "text": (HEAD + GOOD_LINE + "3,1,heavy,\n", ("line 3", "column 'mass'", "'heavy'")),
    "nan": (HEAD + GOOD_LINE + "3,1,nan,\n", ("line 3", "column 'mass'", "'nan'")),
    "inf": (HEAD + GOOD_LINE + "3,1,,-inf\n", ("line 3", "column 'stress'", "'-inf'")),
    "too large": (HEAD + GOOD_LINE + "3,1,1e200,\n", ("line 3", "column 'mass'", "1e200", "fail")),
    "NA": (HEAD + GOOD_LINE + "3,1,NA,\n", ("line 3", "column 'mass'", "empty")),
    "out of bounds": (HEAD + GOOD_LINE + "10,1,3.5,\n", ("line 3", "column 'width'", "[1.0, 9.0]")),
    "no value of a parameter": (HEAD + GOOD_LINE + "3,,3.5,\n", ("line 3", "column 'height'", "empty cell")),
    "nan as a parameter": (HEAD + GOOD_LINE + "nan,1,3.5,\n", ("line 3", "column 'width'", "'nan'")),
    "unfinished quotes": (HEAD + GOOD_LINE + '3,1,"3.5,\n', ("line 3", "quotation")),
    "unknown failure": ("width,height,mass,taut_failed\n2,1,3.5,lfit\n", ("line 2", "'lfit'")),
    "value and failure": ("width,height,mass,taut_failed\n2,1,3.5,mass\n", ("line 2", "column 'mass'")),
}


@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize("what", BAD)
def test_bad_table_changes_nothing(what: str, started: bool, study: str) -> None:
    text, words = BAD[what]
    data = beside(study, "data.csv")
    if started:
        done("add", study, str(data))
    data.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = contents(beside(study, "bracket.db"))
    assert_mistake(call("add", study, str(data)), "data.csv'", *words)
    assert contents(beside(study, "bracket.db")) == before
    assert beside(study, "bracket.db").exists() == started


@pytest.mark.parametrize("name", ["none.csv", "."])
def test_no_file(name: str, study: str) -> None:
    assert_mistake(call("add", study, str(beside(study, "x").parent / name)), "a table (CSV)")
    assert not beside(study, "bracket.db").exists()


def test_times_go_along(study: str, tmp_path: Path) -> None:
    """Of what was told, and of what was added; where nobody measured them, the cells are empty."""
    path = tmp_path / "study.toml"
    path.write_text(Path(study).read_text())
    done("ask", str(path))
    done("tell", str(path), "1", "mass=1.5", "--seconds", "mass=12.25")
    done("export", str(path), "-o", str(tmp_path / "x.csv"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "study.toml").write_text(path.read_text())
    done("add", str(other / "study.toml"), str(tmp_path / "x.csv"))
    found = taut.Study.open(other / "bracket.db").observations
    assert [(row.function, row.value, row.seconds, row.setup) for row in found] == [("mass", 1.5, 12.25, None)]


@pytest.mark.parametrize("text", ["-1", "long", "nan"])
def test_a_time_that_is_none_is_refused(text: str, study: str, tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    table.write_text(f"width,height,mass,taut_seconds_mass\n2,1,3.25,{text}\n")
    assert_mistake(call("add", study, str(table)), "taut_seconds_mass", "0 or more")
