"""Regions that fail, tiny scales, the penalty in user units, and work under way."""

import math

import numpy as np
import pytest
from scipy import stats

import taut
from taut.data.dataset import views
from taut.policy import make
from taut.surrogate.model import with_failures

FAST = {"inner": 48, "raw": 24, "starts": 2, "search_raw": 96, "search_starts": 6}
X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]


def problem(goal: str = "maximize") -> taut.Problem:
    return taut.Problem(X, taut.Objective("f", goal=goal), [taut.Constraint("c", at_most=0.0)])


def bowl(q: dict[str, float]) -> float:
    return -((q["x"] - 0.7) ** 2 + (q["y"] - 0.6) ** 2)


def line(q: dict[str, float]) -> float:
    return q["x"] + q["y"] - 1.0


def test_a_failed_place_counts_as_the_worst_value_seen() -> None:
    objective, constraint = views(problem())
    at, y = np.array([[0.1, 0.2], [0.3, 0.4]]), np.array([-2.0, 5.0])
    failed = np.array([[0.9, 0.9]])
    assert with_failures(objective, at, y, failed)[1].tolist() == [-2.0, 5.0, -2.0]
    assert with_failures(constraint, at, y, failed)[1][-1] == 5.0
    assert with_failures(constraint, at, y - 9.0, failed)[1][-1] == pytest.approx(3.5)  # one spread above the threshold
    assert with_failures(objective, at, y, failed[:0])[1] is y
    assert len(with_failures(objective, at[:0], y[:0], failed)[1]) == 0


@pytest.mark.parametrize("method", ["dckg", "cei+"])
def test_a_region_that_fails_does_not_swallow_the_budget(method: str) -> None:
    """f has no value for x > 0.45; the unconstrained optimum lies there."""

    def broken(q: dict[str, float]) -> float:
        if q["x"] > 0.45:
            raise RuntimeError("mesh")
        return bowl(q)

    study = taut.Study(problem(), method=method, seed=1, options=FAST)
    best = study.run({"f": broken, "c": line}, budget=24)
    rows = [row for row in study.observations if row.function == "f"][6:]
    assert sum(row.value is None for row in rows) <= len(rows) // 2
    assert best.point["x"] < 0.5


@pytest.mark.parametrize("scale", [1e-14, 1e9])
def test_the_unit_of_the_values_does_not_matter(scale: float) -> None:
    points = []
    for factor in (1.0, scale):
        study = taut.Study(problem(), seed=0, initial=6, options=FAST)
        for _ in range(12):
            suggestion = study.ask()
            values = {"f": factor * bowl(suggestion.point), "c": factor * line(suggestion.point)}
            study.tell(suggestion, {name: values[name] for name in suggestion.functions})
        points.append(study.recommend())
    plain, scaled = points
    assert list(scaled.point.values()) == pytest.approx(list(plain.point.values()), abs=0.03)
    assert scaled.feasibility == pytest.approx(plain.feasibility, abs=0.1)


def test_the_penalty_is_in_the_users_unit_and_sign() -> None:
    """A loss of 1000 for an infeasible design is a large cost when minimising: more cautious than a loss of 1."""
    results = {}
    for goal, sign in (("maximize", 1.0), ("minimize", -1.0)):
        for loss in (1.0, 1000.0):
            options = {**FAST, "penalty": -sign * loss}
            study = taut.Study(problem(goal), seed=0, initial=8, options=options)
            for _ in range(8):
                suggestion = study.ask()
                study.tell(suggestion, {"f": sign * bowl(suggestion.point), "c": line(suggestion.point)})
            results[goal, loss] = study.recommend()
    assert results["minimize", 1.0].point == pytest.approx(results["maximize", 1.0].point, abs=1e-6)
    assert results["minimize", 1000.0].feasibility >= results["minimize", 1.0].feasibility


@pytest.mark.parametrize("penalty", [math.nan, math.inf, True, "low"])
def test_a_penalty_that_is_no_number_is_refused(penalty: object) -> None:
    with pytest.raises(taut.TautError, match="penalty must be a finite number"):
        taut.Study(problem(), options={"penalty": penalty})


def test_numpy_numbers_are_options() -> None:
    assert make("dckg", options={"inner": np.int64(64), "delta": np.float64(1e-6)}).settings.inner == 64


def test_expected_improvement_spreads_parallel_work() -> None:
    study = taut.Study(problem(), method="cei", seed=2, initial=6, options=FAST)
    for _ in range(6):
        suggestion = study.ask()
        study.tell(suggestion, {"f": bowl(suggestion.point), "c": line(suggestion.point)})
    under_way = np.array([list(study.ask().point.values()) for _ in range(5)])
    apart = np.abs(under_way[:, None] - under_way[None]).max(axis=2) + np.eye(5)
    assert apart.min() > 0.005


def test_the_recommendation_says_what_is_unknown() -> None:
    study = taut.Study(problem(), initial=0, options=FAST)
    study.add({"x": 0.5, "y": 0.5}, {"f": 1.0})
    assert "no value of c is known yet" in study.recommend().note


def test_least_cost() -> None:
    priced = taut.Problem(X, taut.Objective("f", cost=2.0), [taut.Constraint("c", at_most=0.0, cost=0.5)])
    names = ("dckg", "cei+", "ckg", "cei", "pesc", "pesc-coupled", "random")
    assert {name: make(name).least_cost(priced) for name in names} == {
        "dckg": 0.5,
        "cei+": 0.5,
        "ckg": 2.5,
        "cei": 2.5,
        "pesc": 0.5,
        "pesc-coupled": 2.5,
        "random": 0.5,
    }


def test_nothing_feasible_is_not_called_irrelevant() -> None:
    """Both constraints forbid everything: they are the whole problem."""
    doomed = taut.Problem(
        X, taut.Objective("f"), [taut.Constraint("c", at_most=0.0), taut.Constraint("d", at_least=10.0)]
    )
    study = taut.Study(doomed, seed=0, initial=6, options=FAST)
    for _ in range(9):
        suggestion = study.ask()
        values = {"f": 1.0, "c": 1.0 + suggestion.point["x"] ** 2, "d": suggestion.point["y"]}
        study.tell(suggestion, {name: values[name] for name in suggestion.functions})
    assert {row.verdict for row in study.relevance()} == {"undecided"}


def test_reported_probabilities_are_student_t_while_few_values_are_known() -> None:
    """The signal variance was integrated out: with five values T_4((bound - mean)/sd), not the normal probability."""
    study = taut.Study(problem(), seed=3, initial=5, options=FAST)
    for _ in range(5):
        suggestion = study.ask()
        study.tell(suggestion, {"f": bowl(suggestion.point), "c": math.sin(9.0 * line(suggestion.point))})
    mean, sd, probability = study.recommend().constraints["c"]
    assert probability == pytest.approx(stats.t.cdf(-mean / sd, 4), abs=1e-9)
    assert abs(probability - stats.norm.cdf(-mean / sd)) > 1e-4
