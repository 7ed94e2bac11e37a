"""Identities of decisions: what must not change a choice, and what must."""

import json
import subprocess
import sys

import numpy as np
import pytest

import taut
from taut import bench

# Small searches: the identities hold however hard a method looks.
FAST = {"inner": 48, "raw": 24, "starts": 2, "search_raw": 128, "search_starts": 6, "paths": 4}


def run(costs: dict[str, float] | None, method: str, steps: int, seed: int = 3, **options: object) -> taut.Study:
    """Test Function 2 for some steps after 6 coupled points."""
    tested = bench.problem("test_function_2", costs=costs)
    study = taut.Study(tested.problem, method=method, seed=seed, initial=6, options={**FAST, **options})
    for _ in range(6 + steps):
        suggestion = study.ask()
        study.tell(suggestion, {name: tested.functions[name](suggestion.point) for name in suggestion.functions})
    return study


def choices(study: taut.Study) -> list[tuple[tuple[str, ...], dict[str, float]]]:
    return [(s.functions, s.point) for s in study.suggestions]


@pytest.mark.parametrize("method", ["dckg", "dckg-uncoupled", "cei+", "ckg", "ucb-d", "cmes", "pesc"])
def test_doubling_all_costs_changes_no_choice(method: str) -> None:
    ones = {"f": 1.0, "c1": 2.0, "c2": 3.0, "c3": 1.5}
    single = run(ones, method, 3)
    double = run({name: 2.0 * cost for name, cost in ones.items()}, method, 3)
    assert choices(single) == choices(double)


def test_a_very_expensive_constraint_is_bought_less() -> None:
    cheap = run({"c3": 1.0}, "dckg", 8).counts["c3"]
    dear = run({"c3": 50.0}, "dckg", 8).counts["c3"]
    assert dear < cheap


def test_a_constraint_that_always_holds_is_never_bought_and_changes_nothing() -> None:
    """Eight constant constraints far from their threshold: no evaluation after the initial design."""
    tested = bench.problem("mystery_redundant8")
    study = taut.Study(tested.problem, seed=2, initial=6, options=FAST)
    for _ in range(14):
        suggestion = study.ask()
        study.tell(suggestion, {name: tested.functions[name](suggestion.point) for name in suggestion.functions})
    assert all(study.counts[f"c{k}"] == 6 for k in range(2, 10))
    assert {row.constraint: row.verdict for row in study.relevance()}["c5"] == "irrelevant"


@pytest.mark.parametrize("method", ["dckg", "dckg-uncoupled", "cei+", "ckg", "cei", "ucb-d", "cmes", "pesc"])
def test_reordering_constraints_changes_nothing(method: str) -> None:
    """With two constraints swapped every decision, recommendation and judgement is the same to the last bit."""
    tested = bench.problem("gramacy")
    original = tested.problem
    swapped = taut.Problem(original.parameters, original.objective, original.constraints[::-1])
    studies = []
    for problem in (original, swapped):
        study = taut.Study(problem, method=method, seed=1, initial=6, options=FAST)
        for _ in range(9):
            suggestion = study.ask()
            study.tell(suggestion, {name: tested.functions[name](suggestion.point) for name in suggestion.functions})
        studies.append(study)
    one, two = studies
    assert [set(s.functions) for s in one.suggestions] == [set(s.functions) for s in two.suggestions]
    assert [s.point for s in one.suggestions] == [s.point for s in two.suggestions]
    assert one.recommend() == two.recommend()
    if method == "dckg":  # all methods judge alike
        verdicts = [{row.constraint: row for row in study.relevance()} for study in studies]
        assert verdicts[0] == verdicts[1] and list(verdicts[0]) == list(verdicts[1])[::-1]


def test_shifting_and_scaling_the_objective_changes_no_choice() -> None:
    """The penalty moves with the objective, so its zero and its unit do not matter."""
    tested = bench.problem("test_function_2")
    results = []
    for scale, shift in ((1.0, 0.0), (4.0, -16.0)):
        study = taut.Study(tested.problem, seed=2, initial=6, options=FAST)
        for _ in range(9):
            suggestion = study.ask()
            values = {name: tested.functions[name](suggestion.point) for name in suggestion.functions}
            if "f" in values:
                values["f"] = scale * values["f"] + shift
            study.tell(suggestion, values)
        results.append(study)
    for a, b in zip(results[0].suggestions, results[1].suggestions, strict=True):
        assert a.functions == b.functions
        assert list(a.point.values()) == pytest.approx(list(b.point.values()), abs=1e-2)


@pytest.fixture(scope="module")
def long_run() -> taut.Study:
    return run(None, "dckg", 12)


def test_known_values_have_no_value_of_information(long_run: taut.Study) -> None:
    """A deterministic function is not evaluated twice within 1e-6 of the cube."""
    for name in long_run.problem.functions:
        X = np.array([list(row.point.values()) for row in long_run.observations if row.function == name])
        apart = np.abs(X[:, None, :] - X[None, :, :]).max(axis=2)
        apart[np.diag_indices_from(apart)] = 1.0
        assert apart.min() > 1e-6


SCRIPT = """
import json, sys
import taut
from taut import bench
tested = bench.problem("test_function_2")
rows = json.load(sys.stdin)
study = taut.Study(tested.problem, seed=3, initial=6, options=rows["options"])
for number, (point, values) in enumerate(rows["told"], start=1):
    suggestion = study.ask()
    assert suggestion.point == point, number
    study.tell(suggestion, values)
print(json.dumps([study.ask().point, study.recommend().point]))
"""


def test_a_new_process_gives_the_same_suggestion() -> None:
    study = run(None, "dckg", 3)
    told: list[tuple[dict[str, float], dict[str, float | None]]] = [
        (s.point, {row.function: row.value for row in study.observations if row.suggestion == s.number})
        for s in study.suggestions
    ]
    message = json.dumps({"options": FAST, "told": told})
    done = subprocess.run([sys.executable, "-c", SCRIPT], input=message, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [study.ask().point, study.recommend().point]


def test_instalments_buy_one_bundle_at_a_time(long_run: taut.Study) -> None:
    studies = [long_run, run(None, "dckg", 12, seed=2)]
    notes = [row.note for study in studies for row in study.suggestions[6:]]
    assert all(len(row.functions) == 1 for study in studies for row in study.suggestions[6:])
    assert any("instalment" in note for note in notes)
