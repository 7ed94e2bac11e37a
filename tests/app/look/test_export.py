"""taut export: a table of everything, that replaces a file as a whole or not at all."""

import csv
import json
import os
import sys
from pathlib import Path

import pytest
from studies import GOOD, assert_mistake, call, contents, done

import taut


class TestExport:
    def test_csv(self, study: str, tmp_path: Path) -> None:
        target = tmp_path / "x.csv"
        target.write_text("old")
        assert done("export", study, "-o", str(target)) == f"wrote 4 rows to {target}\n"
        with target.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == [
            "taut_suggestion", "taut_initial", "width", "height", "mass", "stress", "drag", "lift",
            "taut_failed", "taut_cost", "taut_why", "taut_error", "taut_amended",
            "taut_seconds_mass", "taut_seconds_stress", "taut_seconds_drag", "taut_seconds_lift",
        ]  # fmt: skip
        assert [row["taut_suggestion"] for row in rows] == ["1", "2", "3", ""]
        assert [row["mass"] for row in rows] == ["1.5", "", "", "3.5"]
        assert rows[1]["taut_failed"] == "stress"
        assert rows[1]["taut_error"] == "no\nconvergence, sorry"
        assert (rows[3]["width"], rows[3]["lift"], rows[3]["taut_cost"]) == ("2.0", "0.75", "")
        assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]

    def test_json_and_parquet_hold_the_same(self, study: str, tmp_path: Path) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        done("export", study, "-o", str(tmp_path / "x.json"))
        done("export", study, "-o", str(tmp_path / "x.PARQUET"))
        rows = json.loads((tmp_path / "x.json").read_text())
        assert rows[3]["mass"] == 3.5 and rows[2]["mass"] is None
        assert parquet.read_table(tmp_path / "x.PARQUET").to_pylist() == rows

    def test_parquet_of_nothing_told(self, tmp_path: Path) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        (tmp_path / "study.toml").write_text(GOOD)
        done("ask", str(tmp_path / "study.toml"))
        done("export", str(tmp_path / "study.toml"), "-o", str(tmp_path / "x.parquet"))
        assert str(parquet.read_schema(tmp_path / "x.parquet").field("stress").type) == "double"

    def test_parquet_without_pyarrow(self, study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        assert_mistake(call("export", study, "-o", str(tmp_path / "x.parquet")), "pip install 'taut[parquet]'")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["x.xlsx", "x", ".", "none/x.csv", "folder.csv", "a\0.csv", "x" * 300 + ".csv"])
    def test_bad_target(self, study: str, tmp_path: Path, name: str) -> None:
        (tmp_path / "folder.csv").mkdir()
        assert_mistake(call("export", study, "-o", os.path.join(tmp_path, name)))
        assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]

    def test_not_over_the_study(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD.replace("bracket.db", "bracket.csv"))
        done("ask", str(path))
        before = contents(tmp_path / "bracket.csv")
        (tmp_path / "link.csv").symlink_to("bracket.csv")
        for name in ("bracket.csv", "link.csv"):
            assert_mistake(call("export", str(path), "-o", str(tmp_path / name)), "of its own")
        assert contents(tmp_path / "bracket.csv") == before

    def test_no_study(self, tmp_path: Path) -> None:
        (tmp_path / "study.toml").write_text(GOOD)
        assert_mistake(call("export", str(tmp_path / "study.toml"), "-o", str(tmp_path / "x.csv")), "none yet")
        assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]

    def test_no_output_named(self, study: str) -> None:
        assert_mistake(call("export", study), "--output")

    @pytest.mark.parametrize("note", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1"])
    def test_no_text_is_a_formula_in_csv(self, tmp_path: Path, note: str) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        done("ask", str(path))
        done("tell", str(path), "1", "mass=fail", "--note", note)
        done("add", str(path), str(_table(tmp_path)))
        rows, raw = exported(path, tmp_path / "x.csv")
        assert rows[0]["taut_error"] == ("\\r=1" if note[0] == "\r" else "'" + note)
        assert (rows[1]["width"], rows[1]["mass"]) == ("2.0", "-3.5")  # numbers are left alone
        assert json.loads((exported(path, tmp_path / "x.json"))[1])[0]["taut_error"] == note
        again = tmp_path / "again.toml"
        again.write_text(GOOD.replace("bracket.db", "again.db"))
        assert "added 1 value and 1 failure" in done("add", str(again), str(tmp_path / "x.csv"))

    def test_no_control_characters_in_csv(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        done("ask", str(path))
        done("tell", str(path), "1", "mass=fail", "--note", "a\x1b]0;OWNED\x07\nb")
        rows, raw = exported(path, tmp_path / "x.csv")
        assert rows[0]["taut_error"] == "a\\x1b]0;OWNED\\x07\nb" and "\x1b" not in raw
        stored = taut.Study.open(tmp_path / "bracket.db").observations
        assert stored[0].note == "a\x1b]0;OWNED\x07\nb"


def _table(folder: Path) -> Path:
    (folder / "d.csv").write_text("width,height,mass\n2.0,1.0,-3.5\n")
    return folder / "d.csv"


def exported(path: Path, target: Path) -> tuple[list[dict[str, str]], str]:
    """The rows of a table (if it is CSV), and its text."""
    done("export", str(path), "-o", str(target))
    with target.open(newline="") as file:
        return list(csv.DictReader(file)) if target.suffix == ".csv" else [], target.read_text()
