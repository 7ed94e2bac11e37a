"""The speed benchmark (benchmarks/speed), without PyTorch: problems, accurate valuation, tables. Asserts no times."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from processes import random_process
from reference.slow_kg import Outcomes, SlowKG, fine

from taut.acquisition.feasibility import Bounds
from taut_paper import jsonfile

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
X = np.array([0.86, 0.03])


@pytest.fixture
def speed(monkeypatch):
    """Imports a module of the benchmark."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return lambda name: importlib.import_module(f"speed.{name}")


def belief(reference, K=2, n=5):
    """Small processes of an objective and K constraints (the last one two-sided), and points of which some are good."""
    processes = [random_process(k, n, 2, rho=1e-4, **({"nu": 4.0} if k == 0 else {})) for k in range(K + 1)]
    intervals = [reference.Interval(-np.inf, 0.0)] * (K - 1) + [reference.Interval(-2.5, 0.5)]
    return reference.Belief(processes, intervals, -6.0), np.random.default_rng(5).random((30, 2))


# --- Problems


def test_synthetic_problem_is_fixed_by_its_seed(speed):
    synthetic = speed("synthetic").synthetic
    first, again, other = synthetic(4, 5), synthetic(4, 5), synthetic(4, 5, seed=1)
    point = {f"x{i}": 0.1 * i for i in range(1, 5)}
    values = [[f(point) for f in each.functions.values()] for each in (first, again, other)]
    assert values[0] == values[1]
    assert values[0] != values[2]


@pytest.mark.parametrize("d, K", [(2, 1), (6, 10)])
def test_synthetic_constraints_cut_as_promised(speed, d, K):
    made = speed("synthetic").synthetic(d, K)
    sample = np.random.default_rng(7).random((4000, d))
    f = made.functions["f"].at(sample)
    for name in made.problem.functions[1:]:
        values = made.functions[name].at(sample)
        share = np.mean(values <= 0.0)
        assert (0.25 < share < 0.65) if name in made.cutting else share > 0.88
        assert made.functions[name](made.feasible) < 0.0
        if name in made.cutting:
            assert values[f > np.quantile(f, 0.999)].max() > 0.0


def test_setting_has_n_values_of_every_function(speed):
    cases = speed("cases")
    where = cases.setting(cases.Case("synthetic", 12, 3, 2), seed=3)
    names = [row.function for row in where.rows]
    assert {name: names.count(name) for name in where.problem.functions} == {"f": 12, "c1": 12, "c2": 12}
    again = cases.setting(cases.Case("synthetic", 12, 3, 2), seed=3)
    assert again.rows == where.rows
    assert len(cases.by_point(where.problem, where.rows)) == 10


def test_every_timed_ask_follows_one_new_value(speed):
    cases, ours = speed("cases"), speed("ours")
    where = cases.setting(cases.Case("mystery", 8), seed=0)
    asker = ours.Asker(where, "cei", 0)
    before = len(asker.study.observations)
    assert asker.ask() >= 0.0
    assert len(asker.study.observations) == before + 1
    assert not any(len(points) for points in cases.request_of(asker.study).dataset.pending)
    assert {row.functions for row in asker.study.suggestions} == {("c",), ("f",)}


# --- The accurate valuation


def test_cells_have_the_moments_of_a_normal(speed):
    made = speed("reference").cells(breaks=(-np.inf, 2.0))
    z = made.z[:, 0]
    assert made.w.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.diff(z) > 0.0)
    assert made.w @ z == pytest.approx(0.0, abs=1e-12)
    assert made.w @ z**2 == pytest.approx(1.0, abs=2e-3)
    assert made.w @ np.maximum(z - 2.0, 0.0) == pytest.approx(0.008490702617, rel=1e-9)


@pytest.mark.parametrize("limits", [[-np.inf, -2.5], [1.0, 1.8], [-np.inf, 3.0]])
def test_vectors_keep_expectations(speed, limits):
    made = speed("reference").vectors(4096, [0, 2], 3, np.array([limits, [-np.inf, 0.5]]), 1)
    chance = np.diff(importlib.import_module("scipy.special").ndtr(limits))[0]
    hold = (made.z[:, 0] >= limits[0]) & (made.z[:, 0] <= limits[1])
    assert made.w.sum() == pytest.approx(1.0, abs=0.01)
    assert made.w @ made.z**2 == pytest.approx(np.ones(2), abs=0.02)
    assert made.w @ (hold & (made.z[:, 1] <= 0.5)) == pytest.approx(0.6914625 * chance, rel=0.02)


@pytest.mark.parametrize("S", [(0,), (1,), (2,), (0, 1), (0, 2)])
def test_value_of_one_constraint_is_that_of_conditioning_from_scratch(speed, S):
    reference = speed("reference")
    given, points = belief(reference)
    inner = reference.Inner(given, np.vstack([points, X]))
    assert inner.best != len(points), "the slow twin does not take the candidate for x_r"
    bounds = tuple(Bounds(interval.lower, interval.upper) for interval in given.intervals)
    slow = SlowKG(tuple(given.processes), bounds, given.M, points)
    made = reference.Candidate(inner, X, S, 512, 0)
    if S[-1]:
        made.scenarios = reference.cells(40)  # conditioning from scratch is slow
    expected = slow.value(S, X, Outcomes(made.scenarios.z, made.scenarios.w), fine(4.0, 1001))
    assert expected > 1e-3
    assert made.value() == pytest.approx(expected, rel=1e-4)


def test_cells_are_fine_enough(speed):
    reference = speed("reference")
    given, points = belief(reference)
    made = reference.Candidate(reference.Inner(given, np.vstack([points, X])), X, (0, 1), 512, 0)
    value = made.value()
    made.scenarios = reference.cells(3200)
    assert value == pytest.approx(made.value(), rel=2e-3)


@pytest.mark.parametrize("S", [(1, 2), (0, 1, 2)])
def test_value_of_several_constraints_is_that_of_plain_monte_carlo(speed, S):
    reference = speed("reference")
    given, points = belief(reference)
    inner = reference.Inner(given, points)
    choice = reference.Candidate(inner, X, S, 1024, 0)
    plain = reference.Candidate(inner, X, S, 2, 0)
    z = np.random.default_rng(11).normal(size=(4000, 2))
    plain.scenarios = reference.Scenarios(z, np.full(len(z), 1.0 / len(z)))
    gains, _ = plain.gains()
    error = gains.std() / np.sqrt(len(z))
    assert choice.value() == pytest.approx(gains.mean(), abs=4.0 * error)
    assert error < 0.07 * gains.mean()


def test_expected_max_is_that_of_a_fine_grid(speed):
    reference = speed("reference")
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=40), rng.normal(size=40)
    a[3], b[3] = a[5] + 1.0, b[5]  # parallel lines
    grid = fine(3.0)
    lines = a + grid.z * b
    value, pieces = reference.expected_max(a, b, 3.0)
    assert value == pytest.approx(grid.weight @ lines.max(axis=1), rel=1e-5)
    assert {i for i, _ in pieces} <= set(lines.argmax(axis=1))


def test_polish_finds_what_a_dense_set_finds_and_more(speed, monkeypatch):
    reference, polish = speed("reference"), speed("polish")
    monkeypatch.setattr(polish, "POLISHED", (60, 60))
    given, points = belief(reference)
    choices = [(X, (1,)), (X, (0, 1))]
    rough = [reference.Candidate(reference.Inner(given, points), x, S, 64, 0).value() for x, S in choices]
    values, inner = polish.value_all(given, choices, points, 64, 0)
    dense = reference.Inner(given, np.vstack([X, np.random.default_rng(8).random((6000, 2))]))
    best = [reference.Candidate(dense, x, S, 64, 0).value() for x, S in choices]
    assert inner.gain[inner.best] >= dense.gain.max() * (1.0 - 1e-4)
    for value, least, first in zip(values, best, rough, strict=True):
        assert value >= 0.999 * least > 1.05 * first


# --- Tables


UNITS = {
    "speed": [
        {"case": "mystery-n20", "n": 20, "K": 1, "seconds": {"dckg": [0.2, 0.4, 0.3], "botorch-cei": [0.9]},
         "skipped": {}},
        {"case": "mystery-n300", "n": 300, "K": 1, "seconds": {"dckg": [12.3]},
         "skipped": {"botorch-cei": "more than 300 s"}},
    ],
    "steps": [{"case": "mystery-n100", "first": 0.5, "mean": 0.15, "seconds": [0.1, 0.2]}],
    "memory": [{"case": "synthetic-d6-k20-n2000", "peak": 900.4, "before": 80.0, "seconds": 100.0}],
    "quality": [
        {"case": "mystery-n20", "seed": seed, "share": share, "gain": gain}
        for seed, share, gain in ((0, 1.0, 0.1), (1, 0.85, 0.2), (2, 0.0, 1e-9))
    ],
}  # fmt: skip


def test_tables(speed):
    table = speed("table")
    rows = table.speed_rows(UNITS["speed"])
    assert rows[1] == ["mystery-n20", "0.30", "0.90", "3.0", *6 * ["-"]]
    assert rows[2] == ["mystery-n300", "12", "- (more than 300 s)", *7 * ["-"]]
    raced = {"case": "mystery-n20", "seconds": {"dckg": [0.04], "egobox": [0.02]}, "skipped": {}}
    assert table.speed_rows([raced]) == [
        ["case", "dckg", "EGObox", *rows[0][-7:]], ["mystery-n20", "0.040", "0.020", *6 * ["-"], "0.5"]
    ]  # fmt: skip
    assert table.quality_rows(UNITS["quality"])[1] == [
        "mystery-n20", "2", "0.925", "0.850", "1", "no", "1", "0.000",
    ]  # fmt: skip
    assert "mystery-n300" in table.report(UNITS)


def test_stored_numbers_make_the_page(speed, tmp_path):
    page = speed("page")
    page.save(tmp_path, UNITS, "0123456789")
    page.save(tmp_path, {"quality": [{"case": "mystery-n20", "seed": 0, "share": 0.5, "gain": 0.1}]}, "abcdef")
    stored = page.load(tmp_path)
    assert [unit["share"] for unit in stored["quality"]] == [0.5]
    text = page.markdown(stored)
    assert "| mystery-n20 | 0.30 | 0.90 | 3.0 | - |" in text
    assert "| mystery-n20 | 1 | 0.500 | 0.500 | 0 | no | 0 | - |" in text


def test_curves_of_the_figure(speed):
    found = speed("figure").curves(UNITS["speed"], "mystery", "n")
    assert found == {"dckg": [(20, 0.3), (300, 12.3)], "botorch-cei": [(20, 0.9)]}
    measure = speed("measure")
    assert set(speed("figure").STYLES) == {*measure.OURS, *measure.RIVALS}


def test_units_survive_an_interruption(speed, tmp_path):
    store = speed("store")
    path = tmp_path / "part" / "unit.json"
    assert store.finished(path) is None
    jsonfile.write(path, {"share": 0.5})
    assert store.finished(path) == {"share": 0.5}
    assert store.fingerprint() == store.fingerprint()
