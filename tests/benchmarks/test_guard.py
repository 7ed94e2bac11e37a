"""The guard (benchmarks/guard.py): landscapes with known optima, areas by hand, resumable runs."""

import importlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def guarding(monkeypatch):
    """Imports a module of the guard."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return lambda name: importlib.import_module(f"guarding.{name}")


@pytest.fixture
def guard(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("guard")


@pytest.mark.parametrize(
    "name", ["bumps", "waves", "hills", "ripples", "sines", "chirp", "keane", "islands", "rings", "steep"]
)
def test_every_landscape_has_values_and_something_feasible(guarding, name):
    d = 4 if name == "steep" else 2
    landscape = guarding("landscapes").FAMILIES[name].make(np.random.default_rng(3), d)
    f, c = landscape(np.random.default_rng(0).random((4000, d)))
    assert np.isfinite(f).all() and np.isfinite(c).all()
    assert 0.01 < (c <= 0.0).all(axis=0).mean() < 1.0 and np.ptp(f) > 0.1


@pytest.mark.parametrize("name", ["goldstein2", "decades4", "valley4", "product3", "product6", "plateau2", "cliff2"])
def test_tails_have_values_and_something_feasible(guarding, name):
    landscape = guarding("cases").case(name, 3).landscape()
    f, c = landscape(np.random.default_rng(0).random((4000, int(name[-1]))))
    assert np.isfinite(f).all() and np.isfinite(c).all()
    assert 0.01 < (c <= 0.0).all(axis=0).mean() < 1.0 and np.ptp(f) > 0.1
    if name in ("goldstein2", "decades4"):
        assert np.ptp(np.log10(-f)) > 4.0


def test_a_reference_over_orders_of_magnitude_is_the_optimum(guarding):
    def landscape(x):
        return -np.exp(30.0 * ((x - 0.3) ** 2).sum(axis=1)), np.array([x.sum(axis=1) - 1.9])

    found = guarding("reference").computed(landscape, 2)
    assert found.optimum == pytest.approx(-1.0, abs=1e-6) and found.x == pytest.approx([0.3, 0.3], abs=1e-3)


def test_instances_differ_and_are_the_same_every_time(guarding):
    case = guarding("cases").case
    x = np.array([[0.3, 0.6]])
    one, again, other = (case("bumps2", seed).landscape()(x)[0][0] for seed in (0, 0, 1))
    assert one == again != other


def test_a_reference_is_the_optimum(guarding):
    """Two parabolas: the higher one is the optimum, the other the best other local optimum."""

    def landscape(x):
        peaks = [h - 20.0 * ((x - at) ** 2).sum(axis=1) for h, at in ((1.0, 0.25), (0.6, 0.75))]
        return np.maximum(*peaks), np.array([x.sum(axis=1) - 1.9])

    found = guarding("reference").computed(landscape, 2)
    assert found.optimum == pytest.approx(1.0, abs=1e-6) and found.x == pytest.approx([0.25, 0.25], abs=1e-3)
    assert found.other == pytest.approx(0.6, abs=1e-6) and 0.2 < found.found < 0.8


def test_kept_references_belong_to_their_landscapes(guarding):
    for name in ("hills2", "keane2", "steep4"):
        case = guarding("cases").case(name, 0)
        f, c = case.landscape()(np.array([case.truth.x]))
        assert (
            f[0] == pytest.approx(case.truth.optimum, rel=1e-9)
            and (c[:, 0] <= 1e-6 * np.array(case.truth.ranges)).all()
        )
        assert case.bench.opportunity_cost(case.bench.solution) == pytest.approx(0.0, abs=1e-9)


def row(label, seed, oc, **conduct):
    return {
        **{"label": label, "method": "dckg", "case": "hills2", "seed": seed, "budget": 10.0, "oc": oc, "asks": 2},
        **{"trajectory": [[0.0, oc]], "ask_seconds": 0.1},
        "conduct": {"stuck": False, "infeasible": False, "sure": True, "seconds": 0.1, "decisions": 2} | conduct,
    }


def test_figures_and_pairs(guarding):
    figures, better = guarding("figures").figures, guarding("figures").better
    now, base = (
        [row("now", 0, 1e-6), row("now", 1, 0.5, infeasible=True, stuck=True)],
        [row("today", 0, 1e-3), row("today", 1, 1e-2)],
    )
    one, two = figures(now), figures(base)
    assert one.stuck == 1 and one.infeasible == one.false == 1 and one.seconds == pytest.approx(50.0)
    assert one.areas[0] == pytest.approx(-6.0) and better(one, two) == "1:1"


def test_rows_of_before_are_counted_too(guarding, guard, tmp_path, monkeypatch):
    """Runs that did not count how they behave: from their last recommendation and what was said of it."""
    truth = guarding("cases").case("hills2", 0).truth
    old = row("now", 0, 1e-6) | {"point": truth.x, "probability": 0.995, "feasible": False, "asks": 4}
    del old["conduct"]
    out = tmp_path / "rows.jsonl"
    out.write_text(json.dumps(old) + "\n")
    monkeypatch.setattr(guard, "KEPT", replace(guard.KEPT, path=tmp_path / "kept.jsonl"))
    guard.main(["keep", str(out)])
    (kept,) = guard.KEPT.rows()
    assert kept["conduct"] == {
        "stuck": False, "infeasible": True, "sure": True, "evaluations": 0, "seconds": 0.1, "decisions": 4,
    }  # fmt: skip
    one = guarding("figures").figures([old])
    assert (one.stuck, one.infeasible, one.false) == (0, 1, 1)


def test_runs_go_on_where_they_stopped(guard, tmp_path, monkeypatch):
    out, done = tmp_path / "rows.jsonl", []
    monkeypatch.setattr(guard, "trial", lambda run, options: done.append(run) or row(run.label, run.seed, 1e-3))
    for _ in range(2):
        assert guard.main(["run", "--label", "now", "--out", str(out), "--cases", "hills2", "--seeds", "0-2"]) == 0
    assert len(done) == 3 and [json.loads(line)["seed"] for line in out.read_text().splitlines()] == [0, 1, 2]


def test_the_page_keeps_what_was_chosen_on_apart(guarding):
    page = guarding("page").page
    rows = [row("now", 0, 1e-6), row("today", 0, 1e-3), row("now", 20, 1e-5), row("today", 20, 1e-4)]
    judged, chosen = page(rows, "now", "today").split("## Took part")
    assert "1.0e-05" in judged and "1.0e-06" not in judged and "1.0e-06" in chosen
