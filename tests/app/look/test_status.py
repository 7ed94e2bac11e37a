"""taut init, ask, status, best and export: what they say, and that looking changes nothing."""

import csv
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from studies import GOOD, assert_mistake, call, contents, done

import taut
from taut.app.studyfile import file as studyfile


@pytest.fixture(scope="module")
def study(folder: Path) -> str:
    """Two suggestions told, a third pending, and one value measured elsewhere."""
    place = folder / "looking"
    place.mkdir()
    path = place / "study.toml"
    path.write_text(GOOD.replace('command = ["python", "stress.py"]\ntimeout = 3600\nretries = 1\n', ""))
    for _ in range(3):
        done("ask", str(path))
    done("tell", str(path), "1", "mass=1.5")
    done("tell", str(path), "2", "stress=fail", "--note", "no\nconvergence, sorry")
    (place / "data.csv").write_text("width,height,mass,lift\n2,1,3.5,0.75\n")
    done("add", str(path), str(place / "data.csv"))
    return str(path)


class TestInit:
    def test_what_it_writes_is_right(self, tmp_path: Path) -> None:
        text = done("init", str(tmp_path / "new" / "bracket"))
        assert [line.split()[0] for line in text.splitlines()] == ["wrote", "wrote", "wrote", "Next:"]
        file = studyfile.load(tmp_path / "new" / "bracket" / "study.toml")
        assert file.problem.functions == ("mass", "stress")
        assert studyfile.require_runnable(file) == 60.0
        for program in file.programs:
            assert Path(studyfile.argv(file, program)[1]).is_file()

    def test_here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert done("init").endswith("Next: taut run study.toml\n")
        assert sorted(os.listdir()) == ["mass.py", "stress.py", "study.toml"]

    @pytest.mark.parametrize("name", ["study.toml", "stress.py"])
    def test_never_overwrites(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("mine")
        assert_mistake(call("init", str(tmp_path)), f"'{name}'", "taut init NAME")
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]

    def test_not_even_a_dangling_link(self, tmp_path: Path) -> None:
        (tmp_path / "mass.py").symlink_to(tmp_path / "nowhere")
        assert_mistake(call("init", str(tmp_path)), "'mass.py'")
        assert len(list(tmp_path.iterdir())) == 1

    def test_impossible_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for folder in (tmp_path / "file", tmp_path / "file" / "below", "a\0b"):
            assert_mistake(call("init", str(folder)), "folder")


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/a\xffb")
    environment = dict(os.environ, PYTHONIOENCODING="utf-8:strict")
    for args in (["init", name], ["status", f"{name}/study.toml"]):
        run = subprocess.run([sys.executable, "-m", "taut", *args], capture_output=True, text=True, env=environment)
        assert (run.returncode, run.stderr) == (0, "")
        assert "a\\udcffb" in run.stdout


class TestAsk:
    def test_says_what_to_do(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        text = done("ask", str(path))
        asked = json.loads(done("ask", str(path), "--json"))
        assert "suggestion 1: evaluate mass at\n  width " in text
        assert f"then: taut tell {path} 1 mass=...\n" in text
        assert (asked["suggestion"], asked["functions"], asked["initial"]) == (2, ["stress"], True)
        same = taut.Study.open(str(tmp_path / "bracket.db")).suggestions
        assert [row.number for row in same] == [1, 2]
        assert asked["parameters"] == same[1].point

    def test_budget_is_the_end(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD.replace("initial = 2", "initial = 0"))
        cost = 0.0
        while (result := call("ask", str(path), "--json")).exit_code == 0:
            cost += json.loads(result.stdout)["cost"]
        assert 0.0 < cost <= 40.0
        assert_mistake(result, "[study] budget", "taut best")
        path.write_text(GOOD.replace("initial = 2", "initial = 0").replace("budget = 40", "budget = 80"))
        done("ask", str(path))

    def test_without_a_budget(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD.replace("initial = 2", "initial = 0").replace("budget = 40\n", ""))
        for _ in range(4):
            done("ask", str(path))


class TestStatus:
    def test_not_started(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        assert "not started yet" in done("status", str(path))
        found = json.loads(done("status", str(path), "--json"))
        assert (found["started"], found["suggestions"], found["spent"]) == (False, 0, 0.0)
        assert [each.name for each in tmp_path.iterdir()] == ["study.toml"]

    def test_numbers(self, study: str) -> None:
        found = json.loads(done("status", study, "--json"))
        assert (found["initial_done"], found["initial_size"], found["suggestions"]) == (2, 6, 3)
        table = {row.pop("function"): tuple(row.values()) for row in found["counts"]}
        assert table == {
            "mass": (1.0, 1, 0, 0, 1),
            "stress": (20.0, 0, 1, 0, 0),
            "drag": (5.0, 0, 0, 1, 0),
            "lift": (5.0, 0, 0, 1, 1),
        }
        [waiting] = found["open"]
        assert (waiting["suggestion"], waiting["functions"], waiting["running"]) == (3, ["drag", "lift"], [])

    def test_lines(self, study: str) -> None:
        lines = done("status", study).splitlines()
        assert lines[0] == "bracket: minimize mass subject to stress, drag, lift"
        assert lines[2] == "spent 0 of 40, 0 pending; initial design 2 of 6"
        assert lines[5].split() == ["mass", "1", "1", "0", "0", "1"]
        assert lines[-1].startswith("  3  drag, lift  at width=")

    def test_many_that_wait(self, folder: Path) -> None:
        path = folder / "many.toml"
        path.write_text(
            '[study]\nname="a"\ninitial=25\n[parameters.x]\nlow=0\nhigh=1\n[objective]\nname="f"\ngoal="minimize"\n'
        )
        study = studyfile.open_study(studyfile.load(path))
        for _ in range(25):
            suggestion = study.ask()
        lines = done("status", str(path)).splitlines()
        assert lines[0] == "a: minimize f"
        assert lines[-1] == "  and 5 more"
        study.tell(suggestion, {"f": 2.0})
        assert "\nf = 2 +- " in done("best", str(path))

    def test_says_what_runs(self, study: str, monkeypatch: pytest.MonkeyPatch) -> None:
        from taut.storage.base import Lease
        from taut.storage.database import DatabaseStorage

        leases = {(3, "drag"): Lease("a", True), (3, "lift"): Lease("b", False)}
        monkeypatch.setattr(DatabaseStorage, "leases", lambda self: leases)
        assert done("status", study).splitlines()[-1].startswith("  3  drag (running), lift  at ")


def test_without_a_name_it_is_study_toml(study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(study).parent)
    assert done("status") == done("status", "study.toml")
    assert done("best", "--json") == done("best", study, "--json")
    done("export", "-o", str(tmp_path / "x.csv"))
    monkeypatch.chdir(tmp_path)
    assert_mistake(call("status"), "'study.toml'", "taut init")


class TestBest:
    def test_says_the_same_as_python(self, study: str) -> None:
        found = json.loads(done("best", study, "--json"))
        same = taut.Study.open(str(Path(study).with_name("bracket.db"))).recommend()
        assert found["point"] == same.point
        assert found["objective"]["mean"] == same.objective[0]
        assert found["feasibility"] == same.feasibility
        assert list(found["constraints"]) == [row["constraint"] for row in found["relevance"]]

    def test_lines(self, study: str) -> None:
        text = done("best", study)
        assert text.startswith("bracket: best point after spending 0\n  width   ")
        for name in ("stress", "drag", "lift"):
            assert f"\n{name} " in text

    def test_no_values_yet(self, tmp_path: Path) -> None:
        path = tmp_path / "study.toml"
        path.write_text(GOOD)
        assert_mistake(call("best", str(path)), "none yet", "taut run")
        done("ask", str(path))
        assert_mistake(call("best", str(path)), "without any yet", "taut tell")
        done("tell", str(path), "1", "mass=fail")
        assert_mistake(call("best", str(path)), "without any yet")


class TestExport:
    def test_csv(self, study: str, tmp_path: Path) -> None:
        target = tmp_path / "x.csv"
        target.write_text("old")
        assert done("export", study, "-o", str(target)) == f"wrote 4 rows to {target}\n"
        with target.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert list(rows[0]) == [
            "taut_suggestion", "taut_initial", "width", "height", "mass", "stress", "drag", "lift",
            "taut_failed", "taut_cost", "taut_why", "taut_error",
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


def test_looking_changes_nothing(study: str, tmp_path: Path) -> None:
    before = contents(Path(study).with_name("bracket.db"))
    for command in ("status", "best"):
        done(command, study)
        done(command, study, "--json")
    done("export", study, "-o", str(tmp_path / "x.csv"))
    assert contents(Path(study).with_name("bracket.db")) == before


def test_looking_while_somebody_writes(folder: Path, tmp_path: Path) -> None:
    place = folder / "busy"
    place.mkdir()
    path = place / "study.toml"
    path.write_text(GOOD.replace("budget = 40\n", ""))
    study = studyfile.open_study(studyfile.load(path))
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            suggestion = study.ask()
            study.tell(suggestion, dict.fromkeys(suggestion.functions, 1.0))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = [json.loads(done("status", str(path), "--json"))["suggestions"] for _ in range(10)]
        done("export", str(path), "-o", str(tmp_path / "x.csv"))
    finally:
        stop.set()
        writer.join()
    assert seen == sorted(seen)
    assert study.counts["mass"] >= 1
