"""One repetition: what a trace holds, and that it depends on nothing but its settings."""

from dataclasses import replace
from itertools import accumulate

import pytest

import taut
from taut_paper.experiments import SCALES, Repetition, plan
from taut_paper.repetition import Step, repeat


def settings(method: str, experiment: str = "mystery", budget: float = 6.0, seed: int = 0) -> Repetition:
    (run,) = plan([experiment], SCALES["quick"], budget=budget, seeds=[seed], methods=[method], presets=["default"])
    return run


def timeless(steps: list[Step]) -> list[Step]:
    return [replace(step, ask_seconds=0.0, recommend_seconds=0.0) for step in steps]


def test_the_same_settings_give_the_same_trace() -> None:
    assert timeless(repeat(settings("cei+"))) == timeless(repeat(settings("cei+")))


def test_all_methods_begin_with_the_same_data_for_a_seed() -> None:
    first = {method: repeat(settings(method, budget=2.0))[0] for method in ("dckg", "cei", "random")}
    assert len({step.recommended for step in first.values()}) == 1
    assert all(step.spent == 0.0 and step.functions == () and step.point == () for step in first.values())
    assert first["cei"].recommended != repeat(settings("cei", budget=2.0, seed=1))[0].recommended


@pytest.mark.parametrize("method", ["dckg", "cei+", "cei", "random"])
def test_spending_adds_up_and_never_exceeds_the_budget(method: str) -> None:
    bench = taut.bench.problem("test_function_2", costs={"c2": 5.0})
    steps = repeat(settings(method, "test_function_2-c2=5", budget=17.0))
    spent = [step.spent for step in steps]
    assert spent == pytest.approx([0.0, *accumulate(bench.problem.cost(step.functions) for step in steps[1:])])
    assert spent[-1] <= 17.0
    if method == "cei":
        assert spent[-1] == 16.0  # two coupled steps; the last unit buys none
    for step in steps:
        point = dict(zip(bench.solution, step.recommended, strict=True))
        assert step.oc == bench.opportunity_cost(point)


def test_an_instalment_names_the_set_that_won() -> None:
    steps = repeat(settings("dckg", budget=12.0))[1:]
    assert all(set(step.functions) <= set(step.decided) for step in steps)
    parts = [step for step in steps if step.functions != step.decided]
    assert parts and {step.decided for step in parts} == {("f", "c")}
    whole = repeat(replace(settings("dckg", budget=12.0), preset="paper"))[1:]
    assert all(step.functions == step.decided for step in whole)  # the paper's settings buy a set at once


def test_recommendations_do_not_change_decisions() -> None:
    run = settings("cei+", budget=5.0)
    bench = taut.bench.problem("mystery")
    study = taut.Study(bench.problem, method="cei+", seed=0, initial=6, preset="default")
    study.run(bench.functions, budget=5.0, verify=False)
    alone = [tuple(row.point.values()) for row in study.suggestions if not row.initial]
    assert alone == [step.point for step in repeat(run)[1:]]
