"""A dry run: every program once, nothing recorded, nothing left behind."""

import json
from pathlib import Path

import fakes
import pytest
from click.testing import Result
from studies import assert_mistake, call

import taut
from taut.app.run import dry
from taut.app.studyfile.file import load

BROKEN = "import sys; sys.exit('mesh is bad')"
SILENT = "print('no number')"
NOSY = """\
import json, os, sys
asked = json.load(sys.stdin)
seen = [asked, os.getcwd(), os.environ["TAUT_FOLDER"]]
open(os.environ["TAUT_FOLDER"] + "/seen.json", "w").write(json.dumps(seen))
print(json.dumps({"f": 1.0}))
"""


def check(path: Path, *words: str) -> Result:
    return call("check", str(path), *words)


def names(path: Path) -> set[str]:
    return {each.name for each in path.parent.iterdir()}


def test_all_well(tmp_path: Path) -> None:
    path = fakes.write(tmp_path)
    before = names(path)
    result = check(path, "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, found["failed"]) == (0, "", [])
    assert found["point"] == dry.point_of(load(path)) == taut.Study(load(path).problem, "random", initial=2).ask().point
    for trial in found["programs"]:
        assert (trial["started"], trial["exit"], trial["note"]) == (True, 0, "")
        assert trial["values"] == {trial["program"]: pytest.approx(fakes.truth(trial["program"], found["point"]))}
    assert found["functions"] == [] and names(path) == before
    text = check(path).stdout
    assert text.startswith("dry run at x=") and "\nf        0  " in text and "no values yet" in text


def test_a_program_runs_as_it_would_in_a_run(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"f": NOSY}, f="retries = 5")
    assert check(path).exit_code == 0
    asked, where, folder = json.loads((tmp_path / "seen.json").read_text())
    assert (asked["study"], asked["suggestion"], asked["functions"]) == ("fake", 0, ["f"])
    assert folder == str(tmp_path) == str(Path(where).parent.parent) and not Path(where).exists()


def test_what_to_correct(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"f": BROKEN, "c": SILENT}, f="retries = 5")
    before = names(path)
    result = check(path)
    assert result.exit_code == 1
    assert result.stderr == "Error: the dry run of f, c gave no value: see what is said about it, and check again.\n"
    for words in ("FAILED (f)", "exit code 1; standard error ends: mesh is bad", "[objective]", "FAILED (c)"):
        assert words in result.stdout
    assert "expected as the last line of standard output one JSON object with 'c', got 'no number'" in result.stdout
    assert "attempt" not in result.stdout  # it is tried once
    assert names(path) == before
    found = json.loads(check(path, "--json").stdout)
    assert found["failed"] == ["f", "c"] and found["programs"][0]["exit"] == 1


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    path = fakes.write(tmp_path)
    path.write_text(path.read_text().replace(fakes.COMMANDS["c"], '["./c.py"]'))
    (tmp_path / "c.py").write_text("#!/no/such/interpreter\n")
    (tmp_path / "c.py").chmod(0o755)
    result = check(path, "--json")
    trial = json.loads(result.stdout)["programs"][1]
    assert result.exit_code == 1
    assert (trial["started"], trial["exit"], trial["values"]) == (False, None, {"c": None})
    assert "could not be started" in trial["note"]
    (tmp_path / "c.py").unlink()
    missing = check(path)
    assert (missing.exit_code, missing.stdout) == (2, "") and "no such program is there" in missing.stderr


def test_at_another_point(tmp_path: Path) -> None:
    path = fakes.write(tmp_path)
    found = json.loads(check(path, "--json", "--at", "x=0.25").stdout)
    assert found["point"] == dry.point_of(load(path)) | {"x": 0.25}
    assert_mistake(check(path, "--at", "z=1"), "taut check --at", "'z=1'")
    assert_mistake(check(path, "--at", "x=7"), "'x'", "7.0")


def test_without_initial_design_it_is_the_middle(tmp_path: Path) -> None:
    assert dry.point_of(load(fakes.write(tmp_path, initial=0))) == {"x": 0.5, "y": 0.0}


def test_without_a_dry_run(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, {"f": BROKEN, "c": BROKEN})
    result = check(path, "--no-run")
    assert (result.exit_code, result.stdout) == (
        0,
        "no values yet: what the models are worth is seen when there are some\n",
    )


def test_functions_that_are_told_by_hand_are_left_out(tmp_path: Path) -> None:
    path = fakes.write(tmp_path)
    path.write_text(path.read_text().replace(f"command = {fakes.COMMANDS['c']}", ""))
    result = check(path)
    assert result.exit_code == 0 and "c: told by hand" in result.stdout


def test_after_a_run_it_shows_how_the_models_fared(tmp_path: Path) -> None:
    path = fakes.write(tmp_path, method="cei", initial=4, budget=6)
    fakes.run(path)
    before = path.with_name("study.db").read_bytes()
    result = check(path, "--json")
    assert result.exit_code == 0
    for row in json.loads(result.stdout)["functions"]:
        assert (row["values"], row["predictions"]) == (6, 2) and len(row["within"]) == 3
        assert row["worst"] > 0.0 and row["worst_suggestion"] in (5, 6)
    assert path.with_name("study.db").read_bytes() == before
