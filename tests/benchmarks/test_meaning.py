"""The measurement of prices, verdicts and the rule to stop (benchmarks/meaning.py): truth by formulas, the table."""

import importlib
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


def test_a_disc_excludes(meaning, monkeypatch):
    monkeypatch.setattr(meaning, "STARTS", 10)
    truth = meaning.Truth(meaning.problem("gramacy_kept_out"))
    assert [truth.verdict(name) for name in ("c1", "c2", "c3")] == ["binding", "irrelevant", "excluding"]
    assert truth.prices()["c1"] == pytest.approx(1.0 / (2.0 + 2.0 * math.pi), rel=1e-4)  # by hand, at (0, 0.75)


def test_a_run_is_judged_once(meaning, monkeypatch, tmp_path):
    monkeypatch.setattr(meaning, "BUDGET", 2.0)
    monkeypatch.setattr(meaning, "STARTS", 0)
    out, page = tmp_path / "meaning.jsonl", tmp_path / "right.md"
    for _ in range(2):
        meaning.main(["run", "--studies", str(tmp_path), "--problems", "gramacy", "--seeds", "0"])
        meaning.main(["judge", "--studies", str(tmp_path), "--out", str(out), "--seeds", "0-1"])
    meaning.main(["judge", "--studies", str(tmp_path), "--out", str(out), "--seeds", "10-19"])
    (line,) = meaning.Store(out, meaning.KEY).rows()
    assert {row["constraint"] for row in line["rows"]} == {"c1", "c2"} and line["seconds"] > 0.0
    assert line["stop"]["spent"] <= 2.0
    assert line["range"] == pytest.approx(1.4002, rel=1e-3)
    meaning.main(["page", "--out", str(out), "--page", str(page)])
    assert "1 problems, seeds 0" in page.read_text() and "figures flatter" in page.read_text()
