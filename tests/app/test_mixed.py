"""Whole numbers, catalogues and choices through everything one types: file, programs, ask, tell, add, export."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from studies import assert_mistake, call, done

import taut
from taut.app.look import text

FILE = """\
[study]
name = "mixed"
method = "cei+"
budget = 4
seed = 1
initial = 3
storage = "mixed.db"

[study.options]
search_raw = 64
search_starts = 4

[parameters.material]
type = "choice"
options = ["steel", "=oak", 3, 0.5]

[parameters.ribs]
type = "integer"
low = 1
high = 12

[parameters.wire]
type = "ordinal"
values = [0.207, 0.225, 1]

[parameters.width]
low = 1.0
high = 9.0

[objective]
name = "mass"
goal = "minimize"
command = [PYTHON, "mass.py"]
"""
PROGRAM = """\
import json, sys
q = json.load(sys.stdin)["parameters"]
assert type(q["ribs"]) is int and q["wire"] in (0.207, 0.225, 1) and q["material"] in ("steel", "=oak", 3, 0.5)
print(json.dumps({"mass": q["ribs"] * q["width"] + q["wire"]}))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(FILE.replace("PYTHON", json.dumps(sys.executable)))
    (tmp_path / "mass.py").write_text(PROGRAM)
    return tmp_path / "study.toml"


def shown(points: list[dict[str, Any]]) -> list[list[str]]:
    return [list(map(repr, point.values())) for point in points]


def test_a_run_with_programs_and_there_and_back_through_files(path: Path, tmp_path: Path) -> None:
    done("run", str(path))
    study = taut.Study.open(str(tmp_path / "mixed.db"))
    points = [row.point for row in study.suggestions]
    assert len(points) == 7 and all(row.value is not None for row in study.observations)
    assert shown([study.problem.check_point(point) for point in points]) == shown(points)
    assert "material=" in done("status", str(path)) or "spent" in done("status", str(path))
    best = json.loads(done("best", str(path), "--json"))
    assert shown([study.problem.check_point(best["point"])]) == shown([best["point"]])
    done("export", str(path), "-o", str(tmp_path / "x.csv"))
    (tmp_path / "again.toml").write_text(path.read_text().replace("mixed.db", "again.db"))
    done("add", str(tmp_path / "again.toml"), str(tmp_path / "x.csv"))
    again = taut.Study.open(str(tmp_path / "again.db"))
    assert shown([row.point for row in again.observations]) == shown([row.point for row in study.observations])
    done("export", str(path), "-o", str(tmp_path / "x.json"))
    rows = json.loads((tmp_path / "x.json").read_text())
    assert [row["material"] for row in rows] == [point["material"] for point in points]


def test_parquet_keeps_texts_and_whole_numbers(path: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    done("ask", str(path))
    done("export", str(path), "-o", str(tmp_path / "x.parquet"))
    kinds = {name: str(parquet.read_schema(tmp_path / "x.parquet").field(name).type) for name in ("ribs", "width")}
    assert kinds == {"ribs": "int64", "width": "double"}


def test_by_hand(path: Path) -> None:
    asked = json.loads(done("ask", str(path), "--json"))
    assert type(asked["parameters"]["ribs"]) is int
    done("tell", str(path), "1", "mass=3.5")
    done("ask", str(path))
    done("tell", str(path), "2", "mass=4.5")
    said = done("predict", str(path), "material=3", "ribs=2", "wire=1", "width=2.5")
    assert "material=3, ribs=2, wire=1, width=2.5" in said
    wrong = call("predict", str(path), "material=stel", "ribs=2", "wire=1", "width=2.5")
    assert_mistake(wrong, "'stel'", "the closest is 'steel'")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("steel,2.36,1,2.0,1.5", ("'ribs'", "2.36", "the nearest is 2")),
        ("steel,2,0.3,2.0,1.5", ("'wire'", "0.3", "the nearest is 0.225")),
        ("brass,2,1,2.0,1.5", ("'material'", "'brass'")),
        (",2,1,2.0,1.5", ("'material'", "an empty cell")),
    ],
)
def test_what_is_not_admissible_is_refused_when_added(path: Path, cells: str, words: tuple[str, ...]) -> None:
    table = path.with_name("old.csv")
    table.write_text(f"material,ribs,wire,width,mass\n{cells}\n")
    assert_mistake(call("add", str(path), str(table)), *words)


def test_values_in_words() -> None:
    assert text.point({"m": "steel", "n": 3, "w": 0.25, "x": 1.23456789}) == "m=steel, n=3, w=0.25, x=1.23457"
