"""The published results: what they must hold, and that the page about them shows their numbers."""

import importlib
from pathlib import Path

import pytest
from synthetic_traces import BASELINE, COSTS

from taut_paper import statistics
from taut_paper.experiments import CORE
from taut_paper.results import load
from taut_paper.traces import Results

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def results() -> Results:
    return load(ROOT / "results" / "paper")


@pytest.mark.parametrize("name", ["areas", "ends", "coupled", "claims", "mystery", "presets"])
def test_the_page_shows_the_tables_of_the_results(results: Results, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    tables = importlib.import_module("paper_tables")
    page = (ROOT / "docs" / "paper.md").read_text()
    assert f"{tables.BEGIN.format(name=name)}\n{tables.TABLES[name](results)}\n{tables.END}" in page


@pytest.mark.parametrize("experiment", [*BASELINE, "mystery_redundant8", *COSTS])
def test_twenty_seeds_of_the_methods_of_the_paper(results: Results, experiment: str) -> None:
    assert all(set(results.traces(experiment, method)) >= set(range(20)) for method in CORE)


def test_seeds_of_the_ablation_and_of_pesc(results: Results) -> None:
    assert len(results.traces("test_function_2", "dckg-uncoupled")) >= 20
    assert all(len(results.traces(experiment, "pesc")) >= 10 for experiment in BASELINE)


def test_dckg_never_evaluates_a_redundant_constraint(results: Results) -> None:
    runs = results.traces("mystery_redundant8", "dckg").values()
    assert sum(int(trace.evaluated[:, 2:].sum()) for trace in runs) == 0


@pytest.mark.parametrize("experiment", [*BASELINE, "mystery_redundant8", *COSTS])
def test_no_run_of_dckg_is_stuck(results: Results, experiment: str) -> None:
    assert statistics.stuck_count(results.traces(experiment, "dckg")) == 0


def test_the_first_step_of_a_run_can_be_repeated(results: Results) -> None:
    """The versions that made the table may differ from those here; the initial design does not depend on them."""
    from dataclasses import replace

    from taut_paper.repetition import repeat

    trace = results.traces("mystery", "cei")[3]
    first = repeat(replace(trace.repetition, budget=2.0))[0]
    assert first.oc == pytest.approx(trace.oc[0], rel=1e-3)
