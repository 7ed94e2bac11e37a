"""When everything worth knowing is known: settled designs, and studies that end by themselves."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import toy

import taut
from taut.data.dataset import Dataset
from taut.data.exhausted import exhausted, settled
from taut.data.measured import Measured
from taut.data.rows import Observation, Suggestion
from taut.policy import METHODS
from taut.problem.design import domain

SMALL = taut.Problem(
    [taut.Choice("m", ("a", "b")), taut.Integer("n", 1, 2)],
    taut.Objective("f", goal="minimize"),
    [taut.Constraint("c", at_most=0.0)],
)
Rows = list[tuple[str, int, str, float | None]]


def data(rows: Rows, pending: Rows = [], problem: taut.Problem = SMALL) -> Dataset:  # noqa: B006  (never changed)
    found = [Observation(name, {"m": m, "n": n}, value) for m, n, name, value in rows]
    asked = [Suggestion(k, {"m": m, "n": n}, (name,), 1.0) for k, (m, n, name, _) in enumerate(pending, start=1)]
    return Dataset.from_rows(problem, asked, found)


BEST: Rows = [("a", 1, "f", 1.0), ("a", 1, "c", -1.0)]
REST: Rows = [("a", 2, "f", 2.0), ("b", 1, "c", 0.3), ("b", 2, "f", None)]  # worse, violated, cannot be computed


def test_a_design_that_cannot_win_is_settled() -> None:
    found = Measured.of(data([*BEST, *REST, ("b", 2, "c", -1.0)]))
    assert settled(found).all()
    assert exhausted(data([*BEST, *REST]), domain(SMALL))


OPEN: dict[str, Rows] = {
    "one design was never looked at": [*BEST, *REST[:2]],
    "one might be better": [*BEST, ("a", 2, "f", 0.5), *REST[1:]],
    "one is feasible and not valued": [*BEST, ("a", 2, "c", -1.0), *REST[1:]],
    "nothing is verified yet": [BEST[0], *REST],
}


@pytest.mark.parametrize("case", OPEN)
def test_anything_that_may_change_the_answer_is_worth_asking_for(case: str) -> None:
    assert not exhausted(data(OPEN[case]), domain(SMALL))


def test_what_is_under_way_is_not_asked_for_again() -> None:
    rows: Rows = [*BEST, ("a", 2, "f", 0.5), *REST[1:]]
    assert exhausted(data(rows, [("a", 2, "c", None)]), domain(SMALL))
    both: Rows = [("a", 2, "c", None), ("a", 2, "f", None)]
    assert exhausted(data([*BEST, *REST[1:]], both), domain(SMALL))
    assert not exhausted(data([*BEST, *REST[1:]], both[:1]), domain(SMALL))


def test_noise_and_real_parameters_leave_something_to_know() -> None:
    noisy = taut.Problem(SMALL.parameters, taut.Objective("f", noise="learned"), SMALL.constraints)
    assert not exhausted(data([*BEST, *REST], problem=noisy), domain(noisy))
    assert not exhausted(data([*BEST, *REST]), domain(toy.problem()))


PROBLEM = taut.Problem(
    [taut.Choice("m", ("a", "b", "c", "d")), taut.Ordinal("n", (1, 2, 3, 5, 8, 13))],
    taut.Objective("f", goal="minimize"),
    [taut.Constraint("c", at_most=0.0)],
)
OFFSET = {"a": 0.0, "b": 0.3, "c": -0.2, "d": 0.1}


def f(q: dict[str, Any]) -> float:
    return (q["n"] - 4) ** 2 * 0.1 + OFFSET[q["m"]]


def c(q: dict[str, Any]) -> float:
    return (1.0 if q["m"] == "c" else -0.3) + 0.05 * q["n"]


FEW = taut.Problem([taut.Choice("m", ("a", "c")), taut.Ordinal("n", (1, 3, 5))], PROBLEM.objective, PROBLEM.constraints)


@pytest.mark.parametrize(("method", "problem"), [("dckg", PROBLEM), *((method, FEW) for method in METHODS)])
def test_a_study_of_few_designs_ends_when_everything_worth_knowing_is_known(method: str, problem: taut.Problem) -> None:
    study = taut.Study(problem, method=method, seed=3, initial=3)
    best = study.run({"f": f, "c": c}, budget=1000.0)
    assert study.finished and study.spent <= 48.0
    designs = [{"m": m, "n": n} for m in problem.parameters[0].options for n in problem.parameters[1].values]
    assert best.verified and f(best.point) == min(f(q) for q in designs if c(q) <= 0.0)
    asked = [(*row.point.values(), name) for row in study.suggestions for name in row.functions]
    assert method in ("cei", "ckg", "pesc-coupled", "random") or len(set(asked)) == len(asked)
    message = toy.refusal(study.ask, taut.StudyError)
    assert "everything worth knowing is known" in message
    again = study.replay(len(study.suggestions))
    assert again.point == study.suggestions[-1].point


def test_several_at_a_time_end_as_well() -> None:
    study = taut.Study(FEW, method="cei+", seed=1, initial=2)
    pending: list[taut.Suggestion] = []
    rng = np.random.default_rng(0)
    while True:
        try:
            pending.append(study.ask())
        except taut.StudyError:
            if not pending:
                break
        if len(pending) == 3 or study.finished:
            row = pending.pop(int(rng.integers(len(pending))))
            study.tell(row, {name: {"f": f, "c": c}[name](row.point) for name in row.functions})
    assert study.finished and study.recommend().verified


def few(x: dict[str, Any]) -> float:
    return float(sum((number - 3.3) ** 2 for number in x.values()))


RARE = taut.Problem(
    [taut.Integer(name, 0, 9) for name in "pqrs"],
    taut.Objective("f", goal="minimize"),
    [
        taut.Constraint("c", at_most=3.0),
        taut.Constraint("wave", at_least=0.9995, formula="sin(1000 * p + 77 * q * q + 13 * r * r + 5 * s)"),
        taut.Constraint("other", at_least=0.98, formula="cos(s * 31 * q + 7 * r + p)"),
    ],
)
LEFT = {(0, 1, 0, 0), (1, 8, 0, 6), (2, 5, 0, 7), (5, 3, 0, 4), (5, 8, 0, 9)}


@pytest.mark.parametrize("method", ["dckg", "cei+", "random"])
def test_the_few_designs_among_thousands_are_each_asked_once(method: str) -> None:
    study = taut.Study(RARE, method=method, seed=0, initial=2)
    study.run({"f": few, "c": lambda x: x["p"] - 6.0}, budget=1000.0)
    assert study.finished
    assert {tuple(row.point.values()) for row in study.suggestions} == LEFT
    asked = [(*row.point.values(), name) for row in study.suggestions for name in row.functions]
    assert method == "random" or len(set(asked)) == len(asked)
    assert "everything worth knowing is known" in toy.refusal(study.ask, taut.StudyError)


def test_values_measured_outside_known_limits_leave_the_designs_inside_to_be_looked_at() -> None:
    limit = taut.Constraint("sum", at_most=1.0, formula="a + b")
    whole = [taut.Integer(name, 0, 3) for name in "ab"]
    problem = taut.Problem(whole, taut.Objective("f", goal="minimize"), [limit])
    study = taut.Study(problem, method="cei+", initial=2)
    for a, b in product((2, 3), range(4)):
        study.add({"a": a, "b": b}, {"f": 0.0})
    assert not study.finished
    best = study.run({"f": lambda x: x["b"] - x["a"]}, budget=20.0)
    assert study.finished and study.counts["f"] == 3 and best.point == {"a": 1, "b": 0} and best.verified


@pytest.mark.parametrize("seed", range(4))
def test_of_equally_good_designs_one_that_was_measured_whole_is_the_answer(seed: int) -> None:
    parameters = [taut.Integer("n", 0, 2), taut.Choice("m", ("a", "b", "c"))]
    problem = taut.Problem(parameters, taut.Objective("f", goal="minimize"), [taut.Constraint("c", at_most=0.0)])
    study = taut.Study(problem, method="cei+", seed=seed, initial=2)
    best = study.run({"f": lambda x: x["n"], "c": lambda x: 1 - x["n"]}, budget=1000.0, verify=False)
    assert study.finished and best.verified and best.point["n"] == 1
    outlook = study.outlook()
    assert (outlook.next, outlook.rest, outlook.within(0.0)) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("method", ["dckg", "cei+", "cmes"])
def test_designs_that_a_formula_says_are_no_better_are_not_looked_at(method: str) -> None:
    parameters = [taut.Integer("n", 1, 40), taut.Choice("m", ("a", "b"))]
    mass = taut.Objective("mass", goal="minimize", formula="n * price[m]")
    problem = taut.Problem(
        parameters, mass, [taut.Constraint("c", at_most=0.0)], tables={"price": {"a": 1.0, "b": 1.0}}
    )
    study = taut.Study(problem, method=method, seed=1, initial=4)
    best = study.run({"c": lambda x: 3.5 - x["n"]}, budget=70.0)
    assert study.finished and best.verified and best.point["n"] == 4
    assert study.spent < 35.0  # of the 80 designs 72 are heavier
