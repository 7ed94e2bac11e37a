"""The experiments as data: what is run at which scale, and how names are understood."""

from collections.abc import Iterable
from itertools import pairwise

import pytest

from taut.base.errors import UnknownNameError, ValueRefusedError
from taut.bench import problem
from taut_paper.experiments import CORE, EXPERIMENTS, PARTS, SCALES, Arm, plan, ranges, scale_of, seed_numbers


def arms(what: str, experiment: str, **options: object) -> set[tuple[str, str]]:
    runs = plan([what], SCALES["quick"], seeds=[0], **options)
    return {(run.method, run.preset) for run in runs if run.experiment == experiment}


def test_the_baseline_compares_the_five_methods_of_the_paper_and_more_on_three_problems() -> None:
    assert PARTS["baseline"].experiments == ("mystery", "constrained_branin", "test_function_2")
    methods = {"dckg", "cei+", "ckg", "cei", "pesc", "ucb-d", "cmes", "random"}
    assert arms("baseline", "test_function_2") == {(method, "default") for method in methods}


def test_two_two_and_four_cost_scenarios_with_one_function_at_five() -> None:
    found = [(EXPERIMENTS[name].problem, dict(EXPERIMENTS[name].costs)) for name in PARTS["costs"].experiments]
    assert found == [
        ("mystery", {"f": 5.0}), ("mystery", {"c": 5.0}),
        ("constrained_branin", {"f": 5.0}), ("constrained_branin", {"c": 5.0}),
        *(("test_function_2", {name: 5.0}) for name in ("f", "c1", "c2", "c3")),
    ]  # fmt: skip
    assert EXPERIMENTS["test_function_2-c2=5"].coupled_cost == 8.0


@pytest.mark.parametrize(
    ("scale", "experiment", "budget", "seeds"),
    [
        ("paper-text", "mystery", 300.0, 50),
        ("paper-text", "test_function_2", 600.0, 50),
        ("paper-text", "test_function_2-c2=5", 1200.0, 50),
        ("code", "mystery", 160.0, 40),
        ("code", "mystery_redundant8", 240.0, 40),
        ("quick", "mystery_redundant8", 60.0, 5),
    ],
)
def test_scales(scale: str, experiment: str, budget: float, seeds: int) -> None:
    runs = plan([experiment], SCALES[scale], methods=["dckg"], presets=["default"])
    assert [run.seed for run in runs] == list(range(seeds))
    assert {run.budget for run in runs} == {budget}


def test_budget_and_seeds_of_the_users_choice() -> None:
    runs = plan(["mystery"], SCALES["code"], budget=33.0, seeds=[7, 9], methods=["cei"], presets=["default"])
    assert [(run.seed, run.budget, run.method) for run in runs] == [(7, 33.0, "cei"), (9, 33.0, "cei")]


def test_every_cell_is_there_once_and_seed_by_seed() -> None:
    runs = plan(["paper"], SCALES["quick"])
    assert len({run.key for run in runs}) == len(runs)
    assert all(a.seed <= b.seed for a, b in pairwise(runs))


def test_ablation_shares_the_runs_of_the_baseline() -> None:
    both = plan(["baseline", "ablation"], SCALES["quick"], seeds=[0])
    added = {run.key for run in both} - {run.key for run in plan(["baseline"], SCALES["quick"], seeds=[0])}
    assert added == {("test_function_2", "dckg-uncoupled", "default", 0)}


def test_a_method_that_a_part_does_not_have_is_added_to_it() -> None:
    assert arms("mystery", "mystery", methods=["pesc-coupled"]) == {("pesc-coupled", "default")}
    assert arms("redundant", "mystery_redundant8", methods=["pesc"], presets=["paper"]) == {("pesc", "paper")}
    two = plan(["baseline", "ablation"], SCALES["quick"], seeds=[0], methods=["dckg-uncoupled"])
    assert [run.experiment for run in two] == ["test_function_2"]  # the ablation has it: it is not added elsewhere


def test_default_and_paper_preset_run_on_the_same_experiments() -> None:
    for name in ("presets", "presets-costs"):
        by_preset = [{arm.method for arm in PARTS[name].arms if arm.preset == p} for p in ("default", "paper")]
        assert by_preset[0] == by_preset[1]
    assert {arm for arm in PARTS["presets"].arms} >= {Arm(method, "paper") for method in CORE}


def test_the_usual_preset_is_not_named() -> None:
    assert (Arm("dckg").label, Arm("dckg", "paper").label) == ("dckg", "dckg (paper)")


def test_initial_designs_are_those_of_a_study() -> None:
    sizes = {run.experiment: run.initial for run in plan(["paper"], SCALES["quick"], seeds=[0])}
    assert sizes["mystery"] == 6 and sizes["speed_reducer"] == 16
    assert sizes["welded_beam"] == 2 * (problem("welded_beam").problem.dimension + 1)


@pytest.mark.parametrize(("text", "numbers"), [("3", [0, 1, 2]), ("4-6", [4, 5, 6]), ("0-1,7,1", [0, 1, 7])])
def test_seed_numbers(text: str, numbers: list[int]) -> None:
    assert seed_numbers(text) == numbers


@pytest.mark.parametrize(("numbers", "text"), [([5, 0, 1, 2], "0-2,5"), ([], ""), ([4], "4"), ({1, 3}, "1,3")])
def test_numbers_in_short(numbers: Iterable[int], text: str) -> None:
    assert ranges(numbers) == text
    assert not text or text.isdecimal() or seed_numbers(text) == sorted(numbers)


@pytest.mark.parametrize("text", ["", "a", "3-1", "1,,2", "-1", "1.5"])
def test_seed_numbers_refused(text: str) -> None:
    with pytest.raises(ValueRefusedError, match="expected a count"):
        seed_numbers(text)


def test_no_seed_at_all_is_refused() -> None:
    with pytest.raises(ValueRefusedError, match="for seed 0 alone write 0-0"):
        seed_numbers("0")
    assert seed_numbers("0-0") == [0]


def test_unknown_names_say_what_is_known() -> None:
    with pytest.raises(UnknownNameError, match="closest is 'baseline'"):
        plan(["baselin"], SCALES["quick"])
    with pytest.raises(UnknownNameError, match="Method 'dcgk' is unknown.*'dckg'"):
        plan(["baseline"], SCALES["quick"], methods=["dcgk"])
    with pytest.raises(UnknownNameError, match="Scale 'cod' is unknown.*'code'"):
        scale_of("cod")
    with pytest.raises(UnknownNameError, match="Preset 'papers'"):
        plan(["baseline"], SCALES["quick"], presets=["papers"])


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan"), float("inf")])
def test_budget_refused(budget: float) -> None:
    with pytest.raises(ValueRefusedError, match="positive number of cost units"):
        plan(["mystery"], SCALES["quick"], budget=budget)
