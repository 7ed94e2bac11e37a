"""The measurement of prices, verdicts and the rule to stop (benchmarks/meaning.py): truth by formulas, the table."""

import importlib
import json
import math
from pathlib import Path

import pytest
from kkt import true_prices

import taut

SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def meaning(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("meaning")


@pytest.mark.parametrize(
    "name", ["mystery", "test_function_2", "gramacy", "spring_narrow", "pressure_vessel", "welded_beam"]
)
def test_true_prices_are_the_gain_of_a_relaxed_limit(meaning, monkeypatch, name):
    """By KKT in two ways, and by solving the problem again with the limit moved a little."""
    monkeypatch.setattr(meaning, "STARTS", 0)
    bench = taut.bench.problem(name)
    truth = meaning.Truth(bench)
    found = truth.prices()
    assert found == pytest.approx(true_prices(bench), rel=1e-3, abs=1e-9)
    for constraint, price in found.items():
        assert (price > 0.0) == (constraint in bench.binding)
        if price > 0.0:
            step = 1e-4 * float(abs(truth.gradient(constraint, truth.best)).max())
            assert truth.optimum({constraint: step}) - bench.optimum == pytest.approx(price * step, rel=0.05)


def test_true_verdicts(meaning, monkeypatch):
    monkeypatch.setattr(meaning, "STARTS", 5)
    truth = meaning.Truth(taut.bench.problem("test_function_2"))
    assert [truth.verdict(name) for name in ("c1", "c2", "c3")] == ["binding", "irrelevant", "binding"]


def test_a_run_is_judged_once(meaning, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(meaning, "BUDGET", 2.0)
    monkeypatch.setattr(meaning, "GRID", (1,))
    monkeypatch.setattr(meaning, "STARTS", 0)
    out = tmp_path / "meaning.jsonl"
    for _ in range(2):
        meaning.main(["run", "--studies", str(tmp_path), "--problems", "gramacy", "--seeds", "0"])
        meaning.main(["judge", "--studies", str(tmp_path), "--out", str(out)])
    (line,) = meaning.lines(out)
    assert {row["constraint"] for row in line["rows"]} == {"c1", "c2"} and line["range"] == pytest.approx(
        1.4002, rel=1e-3
    )
    meaning.main(["table", str(out)])
    assert "1 studies of 1 problems" in capsys.readouterr().out


def test_the_table(meaning):
    good = {"constraint": "c", "price": [1.0, 0.9, 1.2], "true_price": 1.15, "gain": 1.0, "true_gain": 1.05}
    good |= {"verdict": "binding", "true_verdict": "binding"}
    bad = good | {"price": [1.0, 0.9, 1.1], "gain": None, "verdict": "irrelevant"}
    free = {"constraint": "e", "price": None, "true_price": 0.0, "verdict": "undecided", "true_verdict": "irrelevant"}
    stop = {"spent": 50, "rest": 0.0, "cost": 0.5}
    lines = [
        {"problem": "a", "rows": [good, free], "range": 10.0, "cost": 0.1, "stop": stop},
        {"problem": "a", "rows": [bad], "range": 10.0, "cost": 0.0, "stop": None},
    ]
    words = "\n".join(meaning.table(json.loads(json.dumps(lines))))
    assert "2 studies of 1 problems" in words and "covered: 1 of 2" in words and "true one: 1 of 2" in words
    assert "right: 1 of 3; open: 1; wrong: 1" in words
    assert (
        "ended at 125 of 200 in the median (1 of 2" in words
        and "largest loss 0.04 of the range, above 1e-2 in 1" in words
    )
    assert (
        not meaning.near(None, 1.0)
        and meaning.near((0.0, 0.0, 0.0), 0.0)
        and not meaning.near((1.0, 1.0, 1.0), math.pi)
    )
