"""Questions to what is known: any point, and other limits."""

import math

import numpy as np
import pytest
import toy

import taut
from taut.bench import problem as bench_problem


@pytest.fixture(scope="module")
def played() -> taut.Study:
    bench = bench_problem("mystery")
    study = taut.Study(bench.problem, seed=1, initial=8)
    study.run(bench.functions, budget=12, verify=False)
    return study


def test_at_the_recommended_point_it_is_what_is_recommended(played: taut.Study) -> None:
    best = played.recommend()
    there = played.predict(best.point)
    assert there.point == best.point  # to the last digit
    assert there.objective == pytest.approx(best.objective)
    assert there.feasibility == pytest.approx(best.feasibility)
    for name, belief in best.constraints.items():
        assert there[name] == pytest.approx(belief)


def test_every_function_has_mean_sd_and_probability(played: taut.Study) -> None:
    there = played.predict({"x1": 1.0, "x2": 2.0})
    assert list(there.functions) == list(played.problem.functions)
    for name in played.problem.functions:
        mean, sd, probability = there[name]
        assert math.isfinite(mean) and sd > 0.0 and 0.0 <= probability <= 1.0
    objective, *_ = played.problem.functions
    assert there[objective] == (*there.objective, 1.0)
    assert there.feasibility == pytest.approx(np.prod([p for _, _, p in there.constraints.values()]))


def test_at_a_known_point_it_is_the_value(played: taut.Study) -> None:
    row = next(row for row in played.observations if row.value is not None)
    mean, sd, _ = played.predict(row.point)[row.function]
    assert mean == pytest.approx(row.value, abs=1e-3) and sd < 1e-2


@pytest.mark.parametrize("point", [{"x1": 1.0}, {"x1": 1.0, "x2": 99.0}, {"x1": 1.0, "x2": 1.0, "x3": 1.0}])
def test_points_are_checked(played: taut.Study, point: dict[str, float]) -> None:
    with pytest.raises(taut.TautError, match="x2|x3"):
        played.predict(point)


def test_a_method_of_ones_own_need_not_predict() -> None:
    with pytest.raises(taut.StudyError, match="ToyPolicy, which has none"):
        toy.study().predict({"x1": 1.0, "x2": 1.0})


def test_what_if_a_limit_were_another(played: taut.Study) -> None:
    (name,) = played.problem.functions[1:]
    before = played.recommend()
    wide, narrow = (played.recommend(limits={name: {"at_most": limit}}) for limit in (5.0, -0.5))
    sign = 1.0 if played.problem.objective.goal == "maximize" else -1.0
    assert sign * wide.objective[0] > sign * before.objective[0] > sign * narrow.objective[0]
    assert wide.constraints[name][0] > before.constraints[name][0] > narrow.constraints[name][0]
    assert narrow.constraints[name][0] <= -0.45
    assert played.recommend() == before  # nothing is stored or remembered
    assert [row.constraint for row in played.relevance(limits={name: {"at_most": 5.0}})] == [name]


def test_what_other_limits_would_bring(played: taut.Study) -> None:
    (name,) = played.problem.functions[1:]
    found = [played.gain({name: {"at_most": limit}}) for limit in (0.01, -0.01)]
    assert found[0] is not None and found[1] is not None
    assert found[1][0] < 0.0 < found[0][0] and found[0][1] <= found[0][0] <= found[0][2]
    with pytest.raises(taut.ProblemError, match="has no limit"):
        played.gain({played.problem.objective.name: {"at_most": 1.0}})
    assert toy.study().gain({"g": {"at_most": 5.0}}) is None  # a method of one's own need not say


def test_the_best_measured_design_is_judged_by_the_limits_that_are_asked_for(played: taut.Study) -> None:
    objective, name = played.problem.functions
    initial = [row for row in played.observations if row.function == name and row.suggestion <= 8]
    least = min(row.value for row in initial)
    tight = played.incumbent(limits={name: {"at_most": least}})
    assert tight is not None and tight.measured[name] == least
    assert played.incumbent(limits={name: {"at_most": least - 1.0}}) is None
    free = played.incumbent(limits={name: {"at_most": 1e9}})
    known = [row.value for row in played.observations if row.function == objective and row.suggestion <= 8]
    assert free is not None and free.objective >= max(known)


def test_the_same_limits_are_the_same_question(played: taut.Study) -> None:
    (constraint,) = played.problem.constraints
    same = played.recommend(limits={constraint.name: {"at_most": constraint.at_most}})
    assert same.point == pytest.approx(played.recommend().point, abs=1e-3)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (["c"], "Limits: expected a dict by constraint, got \\['c'\\]; write"),
        ({"nonsense": {"at_most": 1.0}}, "nonsense"),
        ({"f": {"at_most": 1.0}}, "has no limit"),
        ({"c": {"below": 1.0}}, "'at_most' and/or 'at_least'"),
        ({"c": 1.0}, "'at_most' and/or 'at_least'"),
        ({"c": {}}, "'at_most' and/or 'at_least'"),
        ({"c": {"at_most": None}}, "expected a bound"),
        ({"c": {"at_least": 1.0}}, "at_least must be below"),
        ({"c": {"at_most": float("nan")}}, "at_most"),
    ],
)
def test_limits_are_checked(limits: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(taut.TautError, match=message):
        toy.study().recommend(limits=limits)


@pytest.mark.parametrize("budget", [-1, "much", float("nan"), True])
def test_the_budget_of_an_outlook_is_checked(budget: object) -> None:
    with pytest.raises(taut.StudyError, match="budget must be a number of 0 or more"):
        taut.Study(toy.study().problem).outlook(budget)  # type: ignore[arg-type]


def test_a_record_of_how_honest_each_model_has_been(played: taut.Study) -> None:
    errors = played.history.moment().errors
    for row in played.check():
        scores = [abs(error.z) for error in errors[row.function]]
        assert row.predictions == len(scores) > 0 and row.worst == max(scores)
        assert row.within == tuple(sum(z <= width for z in scores) / len(scores) for width in (1.0, 2.0, 3.0))
        assert played.suggestions[row.worst_suggestion - 1].number == row.worst_suggestion  # type: ignore[operator]
        assert row.roughness is not None and row.reason
    assert [row.function for row in played.check()] == list(played.problem.functions)


def test_a_method_of_ones_own_need_not_report() -> None:
    study = toy.study(initial=1)
    study.tell(study.ask(), {"f": 1.0, "c": None})
    found = {row.function: row for row in study.check()}
    assert (found["f"].values, found["c"].failures, found["g"].values) == (1, 1, 0)
    assert (found["f"].calibration, found["f"].roughness, found["f"].reason) == (1.0, None, "")
