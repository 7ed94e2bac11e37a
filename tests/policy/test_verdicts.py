"""Verdicts on constraints: the rule, the margins, and what a wild region behind a boundary is worth as evidence."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from states import chosen, context, everywhere, known

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.data.results import Judgement
from taut.policy.prices import Price
from taut.policy.question_settings import RelevanceSettings
from taut.policy.relevance import Shares
from taut.policy.verdicts import evidence, judge, verdict

QUICK = {"price": {"samples": 10}}
NOWHERE = np.zeros(1)


def judged(request: Request) -> dict[str, Judgement]:
    return {row.constraint: row for row in judge(context(request, chosen(knobs=QUICK), precise=True))}


@pytest.mark.parametrize(
    "matters, telling, active, proof, word",
    [
        (1.0, 1.0, 1.0, 1.0, "binding"),
        (0.95, 1.0, 0.95, 0.2, "binding"),
        (0.5, 1.0, 1.0, 1.0, "undecided"),  # in half of the samples the best point is elsewhere
        (1.0, 1.0, 0.5, 1.0, "undecided"),
        (1.0, 1.0, 0.0, 1.0, "excluding"),
        (1.0, 1.0, 0.0, 0.7, "undecided"),
        (1.0, 1.0, 0.0, 0.05, "irrelevant"),  # a better point somewhere in every sample, and nowhere in most
        (1.0, 1.0, 0.0, 0.2, "undecided"),
        (0.45, 1.0, 0.0, 0.3, "undecided"),  # which would not be irrelevant in every second world
        (0.0, 1.0, 0.0, 0.0, "irrelevant"),
        (0.0, 1.0, 0.05, 0.0, "undecided"),  # a few samples pay for it
        (1.0, 0.3, 1.0, 1.0, "undecided"),  # few samples have a feasible point at all
    ],
)
def test_words(matters: float, telling: float, active: float, proof: float, word: str) -> None:
    price = Price((0.0, 0.0, 0.0), (0.0, 1.0), ("at_most", 1.0), active)
    assert verdict(Shares(matters, 0.0, telling, NOWHERE), price, proof, RelevanceSettings()) == word
    assert verdict(Shares(matters, 0.0, telling, NOWHERE), None, proof, RelevanceSettings()) == "undecided"


def line(behind: float, spoilt: bool = False) -> Request:
    """On a line, f has its best feasible value 1 at 0.3; c forbids what is right of 0.6, where f is `behind` at 0.8.

    spoilt: another constraint forbids that region too.
    """
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", goal="maximize"),
        [taut.Constraint("c", at_most=0.0), taut.Constraint("d", at_most=0.0)],
    )
    functions: dict[str, Any] = {
        "f": lambda p: np.exp(-((p["x"] - 0.3) ** 2) / 0.02) + behind * np.exp(-((p["x"] - 0.8) ** 2) / 0.02),
        "c": lambda p: p["x"] - 0.6,
        "d": lambda p: p["x"] - 0.65 if spoilt else -1.0 - p["x"],
    }
    return everywhere(problem, functions, np.linspace(0.0, 1.0, 21)[:, None])


def test_excluding_keeps_out_a_better_region() -> None:
    rows = judged(line(2.0))
    assert rows["c"].verdict == "excluding" and rows["d"].verdict == "irrelevant"
    assert rows["c"].matters > 0.9 and rows["d"].matters == 0.0
    assert rows["c"].price == (0.0, 0.0, 0.0) and rows["c"].margin is not None
    assert rows["c"].margin[0] == pytest.approx(0.3, abs=0.01)


def test_what_another_constraint_forbids_as_well_is_not_kept_out() -> None:
    rows = judged(line(2.0, spoilt=True))
    assert rows["c"].verdict == rows["d"].verdict == "irrelevant"


def test_a_worse_region_is_not_missed() -> None:
    assert judged(line(0.5))["c"].verdict == "irrelevant"


def test_a_wild_region_is_no_evidence() -> None:
    """Behind the boundary f was never looked at: half of the samples have a better point there, but no one point."""
    request = line(0.0)
    X = np.linspace(0.0, 0.55, 23)[:, None]
    data = replace(
        request.dataset,
        X=(X, *request.dataset.X[1:]),
        y=(np.sin(40.0 * X[:, 0]), *request.dataset.y[1:]),
    )
    made = context(replace(request, dataset=data), chosen(knobs=QUICK), precise=True)
    c = judge(made)[0]
    assert c.matters > 0.4 and c.verdict in ("irrelevant", "undecided")
    assert evidence(made, np.linspace(0.6, 1.0, 41)[:, None])[0].max() < 0.7


def test_margins_are_distances_to_the_nearest_limit_in_the_users_units() -> None:
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", goal="minimize"),
        [taut.Constraint("two", at_least=-10.0, at_most=60.0), taut.Constraint("low", at_least=5.0)],
    )
    functions: dict[str, Any] = {
        "f": lambda p: (p["x"] - 0.5) ** 2,
        "two": lambda p: 100.0 * p["x"],
        "low": lambda p: 20.0 * p["x"] ** 2 + 3.0,
    }
    rows = judged(everywhere(problem, functions, np.linspace(0.0, 1.0, 15)[:, None]))
    assert rows["two"].margin is not None and rows["two"].margin[0] == pytest.approx(10.0, abs=0.1)
    assert rows["low"].margin is not None and rows["low"].margin[0] == pytest.approx(3.0, abs=0.1)
    assert 0.0 <= rows["two"].margin[1] < 1.0


def test_on_a_solved_problem() -> None:
    bench = taut.bench.problem("test_function_2")
    best = np.array(list(bench.solution.values()))
    near = np.clip(best + 0.15 * (2.0 * sobol(24, 2, np.random.default_rng(8)) - 1.0), 0.0, 1.0)
    request = everywhere(bench.problem, bench.functions, np.vstack([sobol(16, 2, np.random.default_rng(8)), near]))
    rows = judged(request)
    assert [rows[name].verdict for name in ("c1", "c2", "c3")] == ["binding", "irrelevant", "binding"]


def test_a_disc_that_may_not_be_entered_keeps_out_the_better_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test Function 2 has two pieces; a disc forbids the better one, and the best of the other has nothing of it."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    bench = importlib.import_module("kept_out").problem("test_function_2_kept_out")
    best = np.array(list(bench.solution.values()))
    near = np.clip(best + 0.15 * (2.0 * sobol(16, 2, np.random.default_rng(8)) - 1.0), 0.0, 1.0)
    rows = judged(everywhere(bench.problem, bench.functions, np.vstack([sobol(32, 2, np.random.default_rng(8)), near])))
    words = ["binding", "irrelevant", "binding", "excluding"]
    assert [rows[name].verdict for name in ("c1", "c2", "c3", "c4")] == words
    assert rows["c4"].matters > 0.9 and rows["c4"].price == (0.0, 0.0, 0.0)


def test_little_data_leave_verdicts_open() -> None:
    assert "undecided" in {row.verdict for row in judged(known("test_function_2", 5)).values()}
