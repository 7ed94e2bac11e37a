"""The quality measurement (benchmarks/quality.py): a small real run, and the tables from made-up traces."""

import importlib
import json
import math
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def quality(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("quality")


@pytest.fixture
def table(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("quality_table")


def trace(ocs, method="dckg", budget=120.0, **extra):
    """A run of Test Function 2 that spends 10 units per step and ends with the last of these OCs."""
    steps = [
        {
            "spent": 10.0 * i,
            "functions": ["f", "c1"] if i else [],
            "oc": oc,
            "oc_strict": oc,
            "probability": 0.9,
            "feasible": oc < 1,
            "feasible_strict": oc < 1,
            "recommend_seconds": 0.1,
            "values": {"f": 0.0, "c1": 0.0, "c2": 0.0, "c3": 0.0},
        }
        for i, oc in enumerate(ocs)
    ]
    for step in steps[1:]:
        step["ask_seconds"] = 0.5
    settings = {"problem": "test_function_2", "method": method, "budget": budget, "costs": {}}
    relevance = [
        {"constraint": c, "verdict": v} for c, v in [("c1", "binding"), ("c2", "binding"), ("c3", "undecided")]
    ]
    return {
        "settings": settings,
        "optimum": 0.75,
        "binding": ["c1", "c3"],
        "relevance": relevance,
        "steps": steps,
        **extra,
    }


def test_step_function_holds_until_the_next_recommendation(table):
    run = trace([4.0, 0.2, 0.1])
    del run["steps"][1]["oc"]
    assert [table.at(run, spent) for spent in (0.0, 10.0, 19.9, 20.0, 500.0)] == [4.0, 4.0, 4.0, 0.1, 0.1]


def test_cost_to_reach_uses_the_median_curve(table):
    runs = [trace([4, 0.1, 0.01]), trace([4, 0.3, 0.02]), trace([4, 4, 4])]
    assert table.cost_to_reach(runs, 0.3) == 10.0
    assert table.cost_to_reach(runs, 0.02) == 20.0
    assert table.cost_to_reach(runs, 1e-9) == math.inf


def test_stuck_thresholds(table):
    known = {"mystery_redundant8": 0.5, "constrained_branin": 10.0, "test_function_2": 0.03, "gramacy": 0.06}
    assert {name: table.stuck_threshold(name, -0.6) for name in known} == pytest.approx(known)


def test_calibration_counts_only_doubtful_recommendations(table):
    run = trace([4.0, 0.2, 0.1])
    run["steps"][2]["probability"] = 0.99
    assert table.calibration([run]) == pytest.approx((2, 0.9, 0.5, 0.5))


def test_verdicts_and_evaluations(table):
    assert table.verdicts([trace([4.0, 0.1])] * 2) == (2, 2, 2)
    assert table.evaluations([trace([4.0, 0.1, 0.1])]) == {"f": 2.0, "c1": 2.0, "c2": 0.0, "c3": 0.0}


def test_tables_show_quality_and_cost_ratio(table):
    groups = {
        ("test_function_2", "dckg", "default"): [trace([4.0, 0.2, 0.01]), trace([4.0, 0.1, 0.05])],
        ("test_function_2", "cei", "default"): [trace([4.0, 4.0, 0.16], method="cei")],
    }
    text = table.tables(groups)
    rows = [line.split() for line in text.splitlines()]
    assert ["test_function_2", "dckg", "default", "2", "0.03", "0.04", "0.05", "0.03", "1", "1", "1"] in rows
    assert ["test_function_2", "dckg", "default", "cei", "0.16", "120", "10", "0.0833"] in rows
    assert table.tables({}).startswith("No finished")


def test_command_line_values(quality):
    assert quality.numbers("0-3,7") == [0, 1, 2, 3, 7]
    assert quality.assignments(["a=1,b=x", "c=True"]) == {"a": 1, "b": "x", "c": True}
    assert quality.assignments([]) == {}
    assert quality.default_label({"c2": 5}, "paper", {}) == "paper,c2=5"


def test_bars_suite(quality, tmp_path):
    jobs = quality.plan(quality.parse(["--suite", "bars", "--out", str(tmp_path)]))
    assert len(jobs) == 4 * 20 + 4 * 5
    plans = {s.problem: (s.method, s.budget, s.initial) for _, _, s in jobs}
    assert plans["test_function_2"] == ("dckg", 240.0, 6)
    assert plans["mystery_redundant8"] == ("dckg", 120.0, 6)
    assert plans["speed_reducer"] == ("dckg", 200.0, 16)


def test_run_store_and_resume(quality, tmp_path, capsys):
    """A short run with random points; the second call finds everything done; other settings are refused."""
    command = [
        "--problems",
        "mystery",
        "--methods",
        "random",
        "--seeds",
        "0-1",
        "--budget",
        "5",
        "--every",
        "2",
        "--costs",
        "c=2",
        "--processes",
        "1",
        "--out",
        str(tmp_path),
    ]
    assert quality.main(command) == 0
    stored = sorted(tmp_path.glob("mystery/random/c=2/*"))
    assert [path.name for path in stored] == ["0000.json", "0001.json"]
    run = json.loads(stored[0].read_text())
    assert run["steps"][0]["spent"] == 0.0 and run["steps"][-1]["spent"] <= 5.0
    assert "oc" in run["steps"][0] and "oc" in run["steps"][-1]
    assert {row["constraint"] for row in run["relevance"]} == {"c"}
    before = stored[0].stat().st_mtime_ns
    assert quality.main(command) == 0
    assert "2 of 2 repetitions are there" in capsys.readouterr().out
    assert stored[0].stat().st_mtime_ns == before
    with pytest.raises(SystemExit, match="other settings"):
        quality.main([*command, "--budget", "6"])
