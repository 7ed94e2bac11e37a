"""The main numbers, and how to get them again."""

from dataclasses import replace

import numpy as np
from synthetic_traces import Made, make, results_of

from taut_paper.experiments import EXPERIMENTS, PARTS, SCALES
from taut_paper.report import headline
from taut_paper.traces import Results


def cards(results: Results) -> dict[str, str]:
    """By the beginning of the label."""
    return {card.label.split(":")[0]: card.value for card in headline.cards(results)}


def test_the_main_numbers() -> None:
    small = {"budget": 20.0, "seeds": 2}
    ends = {"dckg": Made(end=-5.0, sets=("f", "c1"), **small), "cei": Made(**small)}
    mine = results_of({("mystery_redundant8", method): made for method, made in ends.items()})
    found = headline.cards(mine)
    assert (found[0].value, found[0].label) == (
        "4", "repetitions with 44 decisions: 1 experiments, 2 methods and presets"
    )  # fmt: skip
    assert found[1].value == "1 of 1" and found[1].label.startswith("experiments on which dckg has the lowest")
    assert cards(mine)["evaluations wasted on redundant constraints (median)"] == "0 / 16"
    assert cards(mine)["runs that end at another local optimum"] == "0 / 0 %"
    assert "CPU time of a decision (median of all runs)" in cards(mine)


def test_few_seeds_do_not_beat_dckg() -> None:
    arms = {("mystery", "dckg"): Made(seeds=3), ("mystery", "cei"): Made(end=-6.0, seeds=1)}
    assert len(headline.cards(results_of(arms))) < len(headline.cards(results_of({**arms, ("mystery", "ckg"): Made()})))


def test_times_that_were_not_kept_are_left_out() -> None:
    trace = make("mystery", "dckg", 0, Made(budget=20.0))
    unknown = replace(trace, ask_seconds=np.full_like(trace.ask_seconds, np.nan))
    assert not any(label.startswith("CPU time") for label in cards(Results([unknown])))


def test_nothing_decided() -> None:
    trace = make("mystery", "dckg", 0, Made(budget=0.5))
    assert len(trace.spent) == 1
    assert list(cards(Results([trace]))) == ["repetitions with 0 decisions", "runs that end at another local optimum"]


def test_presets_are_compared() -> None:
    made = Made(early=-3.0, end=-5.0, seeds=5)
    pairs = [(("mystery", "dckg"), made), (("mystery", "dckg"), replace(made, end=-4.0, preset="paper"))]
    (value,) = (value for label, value in cards(results_of(pairs)).items() if "library default has a lower" in label)
    assert value == "1 of 1"


def test_settings_of_every_experiment() -> None:
    mine = [make("mystery-c=5", "dckg", seed, Made(budget=20.0 + seed, sets=("f",))) for seed in range(3)]
    (row,) = headline.settings(Results(mine)).rows
    assert [cell.text for cell in row] == [
        "Mystery, cost of c = 5", "mystery-c=5", "f 1, c 5", "6", "20 or 21 or 22", "0-2"
    ]  # fmt: skip


def test_all_versions_are_named() -> None:
    trace = make("mystery", "dckg", 0, Made(budget=8.0))
    other = replace(trace, repetition=replace(trace.repetition, seed=1), versions={"taut": "1", "numpy": "2"})
    assert headline.versions(Results([trace, other])) == [("taut", "0, 1"), ("numpy", "2")]


def test_command_for_the_whole_plan() -> None:
    everything = [
        make(name, arm.method, 0, Made(preset=arm.preset, budget=SCALES["quick"].budget(EXPERIMENTS[name])))
        for name in EXPERIMENTS
        for arm in {arm for part in PARTS.values() if name in part.experiments for arm in part.arms}
    ]
    assert headline.commands(Results(everything))[0] == "taut bench run paper --scale quick --seeds 0"


def test_command_for_a_part() -> None:
    mine = [make("mystery", "dckg", seed, Made(budget=40.0)) for seed in (0, 1, 4)]
    expected = "taut bench run mystery --budget 40 --seeds 0-1,4 --methods dckg --presets default"
    assert headline.commands(Results(mine)) == [expected, "taut bench report"]
