"""The commands taut bench run, status, export and report."""

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from synthetic_traces import Made, make

from taut.app.cli.main import main
from taut_paper.experiments import SCALES, Repetition, plan
from taut_paper.repetition import Step
from taut_paper.results import Store, load

MYSTERY = ["mystery", "--budget", "4", "--methods", "random", "--presets", "default"]


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments])


def one() -> Repetition:
    (run,) = plan(["mystery"], SCALES["quick"], budget=4.0, seeds=[0], methods=["cei"], presets=["default"])
    return run


# --- Running


def test_run_and_status(tmp_path: Path) -> None:
    arguments = [*MYSTERY, "--seeds", "0-1,3", "--out", str(tmp_path)]
    done = invoke("run", *arguments, "--json")
    assert done.exit_code == 0 and json.loads(done.stdout) == {"before": 0, "ran": 3, "failed": []}
    again = invoke("run", *arguments)
    assert again.exit_code == 0 and "3 of 3 repetitions are finished, 0 to run" in again.stdout
    rows = json.loads(invoke("status", "--json", "--out", str(tmp_path)).stdout)
    took = rows[0].pop("seconds")
    expected = {"experiment": "mystery", "method": "random", "preset": "default", "budgets": [4.0], "seeds": [0, 1, 3]}
    assert rows == [expected | {"missing": []}] and took > 0.0
    shown = invoke("status", "--out", str(tmp_path)).stdout.splitlines()
    assert shown[1].split() == ["mystery", "random", "default", "4", "3", "0", f"{took:.1f}", "0-1,3"]
    assert shown[2] == "3 of 3 repetitions are finished"


def test_failures_end_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from taut_paper import runner

    failed = runner.Outcome(0, 1, ("mystery cei seed 0",))
    monkeypatch.setattr(runner, "run_all", lambda *given: failed)
    ended = invoke("run", *MYSTERY, "--seeds", "2", "--json", "--out", str(tmp_path))
    assert ended.exit_code == 1 and json.loads(ended.stdout)["failed"] == ["mystery cei seed 0"]
    assert ended.stderr == "Error: 1 repetitions failed; the same command tries them again.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "mistery"], "closest is 'mystery'"),
        (["run", "mystery", "--scale", "huge"], "Scale 'huge' is unknown"),
        (["run", "mystery", "--seeds", "x"], "seeds: expected a count"),
        (["run", "mystery", "--budget", "-3"], "budget: expected a positive number"),
        (["run", "mystery", "--methods", "bo"], "Method 'bo' is unknown"),
        (["run", *MYSTERY, "--dask", "nowhere"], "Dask 'nowhere'"),
        (["status"], "expected repetitions or steps.parquet there, got neither"),
        (["export", "-o", "steps.parquet"], "got neither"),
        (["report"], "got neither"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, arguments: list[str], words: str) -> None:
    ended = invoke(*arguments, "--out", str(tmp_path / "results"))
    assert ended.exit_code == 2 and words in ended.stderr and len(ended.stderr.strip().splitlines()) == 1


def test_other_settings_are_refused_before_anything_is_shown(tmp_path: Path) -> None:
    Store(tmp_path).add(one(), [Step(0.0, (), (), (), (1.0, 1.0), 4.0, 0.0, 0.0)])
    ended = invoke("run", "mystery", "--methods", "cei", "--seeds", "1", "--presets", "default", "--out", str(tmp_path))
    assert ended.exit_code == 2 and ended.stdout == "" and "is stored with budget 4" in ended.stderr


def test_export_writes_the_table(tmp_path: Path) -> None:
    Store(tmp_path).add(one(), [Step(0.0, (), (), (), (1.0, 1.0), 4.0, 0.0, 0.0)])
    target = tmp_path / "published" / "steps.parquet"
    done = invoke("export", "--out", str(tmp_path), "-o", str(target))
    assert done.exit_code == 0 and done.stdout == f"wrote 1 rows to {target}\n" and len(load(target.parent)) == 1


@pytest.mark.parametrize("command", ["run", "status", "export", "report"])
def test_help_has_an_example(command: str) -> None:
    assert f"taut bench {command}" in re.split("Examples?:", invoke(command, "--help").stdout)[1]


# --- The report


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = Store(tmp_path / "results")
    for seed in range(2):
        trace = make("mystery", "dckg", seed, Made(budget=6.0, sets=("f", "c")))
        sets = [tuple(name for name, flag in zip(trace.names, row, strict=True) if flag) for row in trace.evaluated]
        points = [(), *map(tuple, trace.point[1:].tolist())]
        rows = zip(trace.spent.tolist(), sets, points, trace.recommended.tolist(), trace.oc.tolist(), strict=True)
        steps = [Step(spent, chosen, chosen, x, tuple(best), oc, 0.1, 0.1) for spent, chosen, x, best, oc in rows]
        store.add(trace.repetition, steps)
    return tmp_path / "results"


def test_report_beside_the_results(folder: Path) -> None:
    result = invoke("report", "--out", str(folder))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"wrote {folder / 'report.html'}, and 2 figures to {folder / 'figures'}\n"
    assert (folder / "figures" / "oc-baseline.svg").exists()


def test_report_where_told(folder: Path, tmp_path: Path) -> None:
    assert invoke("report", "--out", str(folder), "-o", str(tmp_path / "new" / "page.html")).exit_code == 0
    assert (tmp_path / "new" / "page.html").exists()
    assert not (folder / "report.html").exists()


def test_claims_as_json(folder: Path) -> None:
    found = json.loads(invoke("report", "--out", str(folder), "--json").stdout)
    assert len(found) == 70
    assert {"id", "preset", "verdict", "claim", "numbers", "rule", "details"} == set(found[0])
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nothing_finished(options: list[str], tmp_path: Path) -> None:
    Store(tmp_path)
    result = invoke("report", "--out", str(tmp_path), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "expected finished repetitions, got none; wait for the first" in result.stderr


@pytest.mark.parametrize("package", ["matplotlib"])
def test_says_what_to_install(package: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("taut_paper.report", "taut_paper.figures", package))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    result = invoke("report", "--out", str(folder))
    assert result.exit_code == 2
    assert f"needs {package}, which is not installed; run pip install 'taut[bench]'" in result.stderr
    assert invoke("report", "--out", str(folder), "--json").exit_code == 0


def test_published_results_are_taken_over(folder: Path, tmp_path: Path) -> None:
    table, new = tmp_path / "published", tmp_path / "new"
    assert invoke("export", "--out", str(folder), "-o", str(table / "steps.parquet")).exit_code == 0
    first, again = (invoke("import", str(table), "--out", str(new)) for _ in range(2))
    count = len(load(folder))
    assert f"took over {count} of {count} repetitions" in first.stdout and f"took over 0 of {count}" in again.stdout
    assert len(load(new)) == count
