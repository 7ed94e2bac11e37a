"""The commands on a study file: which file they take, and that looking changes nothing."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from studies import GOOD, assert_mistake, call, contents, done

from taut.app.studyfile import file as studyfile


def test_without_a_name_it_is_study_toml(study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(study).parent)
    assert done("status") == done("status", "study.toml")
    assert done("best", "--json") == done("best", study, "--json")
    done("export", "-o", str(tmp_path / "x.csv"))
    monkeypatch.chdir(tmp_path)
    assert_mistake(call("status"), "'study.toml'", "taut init")


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/a\xffb")
    environment = dict(os.environ, PYTHONIOENCODING="utf-8:strict")
    for args in (["init", name], ["status", f"{name}/study.toml"]):
        run = subprocess.run([sys.executable, "-m", "taut", *args], capture_output=True, text=True, env=environment)
        assert (run.returncode, run.stderr) == (0, "")
        assert "a\\udcffb" in run.stdout


def test_looking_changes_nothing(study: str, tmp_path: Path) -> None:
    before = contents(Path(study).with_name("bracket.db"))
    for command in ("status", "best"):
        done(command, study)
        done(command, study, "--json")
    done("export", study, "-o", str(tmp_path / "x.csv"))
    assert done("report", study, "-o", str(tmp_path / "x.html")) == f"wrote {tmp_path / 'x.html'}\n"
    assert "<h1>bracket</h1>" in (tmp_path / "x.html").read_text()
    assert contents(Path(study).with_name("bracket.db")) == before


def test_a_report_never_replaces_the_study(study: str, tmp_path: Path) -> None:
    for name in (study, str(Path(study).with_name("bracket.db"))):
        assert_mistake(call("report", study, "-o", name), "of its own")
    assert_mistake(call("report", study, "-o", str(tmp_path / "nowhere" / "x.html")), "a file that can be written")
    assert_mistake(call("report", study, "-o", str(tmp_path / "x.txt")), "ends in '.html', '.htm'", "'.txt'")
    assert_mistake(call("report", study), "--output")


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
            time.sleep(0.005)  # a pace at which the other thread gets its turn

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen = [json.loads(done("status", str(path), "--json"))["suggestions"] for _ in range(6)]
        done("export", str(path), "-o", str(tmp_path / "x.csv"))
    finally:
        stop.set()
        writer.join()
    assert seen == sorted(seen)
    assert study.counts["mass"] >= 1


def test_names_of_files_are_shown_without_control_characters(tmp_path: Path) -> None:
    folder = tmp_path / "a\x1b[2J\u202eb"
    path, table = str(folder / "study.toml"), folder / "x.csv"
    shown = [done("init", str(folder))]
    (folder / "study.toml").write_text(GOOD)
    shown += [done("ask", path), done("tell", path, "1", "mass=1"), done("status", path)]
    shown += [done("best", path), done("export", path, "-o", str(table)), call("add", path, str(table)).stderr]
    for text in shown:
        assert text.replace("\n", "").isprintable(), text
    assert all("a\\x1b[2J\\u202eb" in shown[k] for k in (0, 1, 3, 5, 6))
    assert table.exists()
