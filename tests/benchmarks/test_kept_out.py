"""Test problems with a disc around their best point: their stated facts."""

import importlib
import pickle
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(params=["gramacy", "test_function_2"])
def bench(request, monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("kept_out").problem(f"{request.param}_kept_out")


def test_the_stated_optimum_is_the_best_of_a_fine_grid(bench):
    grid = [{"x1": float(a), "x2": float(b)} for a in np.linspace(0, 1, 201) for b in np.linspace(0, 1, 201)]
    f = np.array([bench.functions["f"](p) for p in grid])
    over = np.array([[bench.functions[c](p) > 0.0 for p in grid] for c in bench.constraint_ranges])
    assert f[~over.any(axis=0)].max() <= bench.optimum == pytest.approx(bench.functions["f"](bench.solution))
    assert f[~over.any(axis=0)].max() > bench.optimum - 0.02 and bench.is_feasible(bench.solution)
    assert f[~over[:-1].any(axis=0)].max() > bench.optimum + 0.05  # without the disc
    assert bench.functions[list(bench.functions)[-1]](bench.solution) < -0.05


def test_others_are_those_of_the_library_and_all_can_be_sent_to_another_process(bench):
    module = importlib.import_module("kept_out")
    assert module.problem("mystery").name == "mystery"
    assert pickle.loads(pickle.dumps(bench)).evaluate(bench.solution) == bench.evaluate(bench.solution)
