"""What limits cost and what there is left to gain, in sentences."""

import json
import math
from dataclasses import replace

import pytest

from taut.data.results import Outlook, RelevanceRow, Side, Verdict
from taut.plot.limits import (
    FEW,
    folded,
    gain_dict,
    gain_line,
    limit_lines,
    outlook_dict,
    outlook_line,
    to_dict,
    unit_step,
)


def row(
    price: tuple[float, float, float] | None,
    valid: tuple[float, float] = (0.0, 0.0),
    side: Side = "at_most",
    limit: float = 150.0,
    verdict: Verdict = "binding",
) -> RelevanceRow:
    return RelevanceRow(
        "stress", 1.0, 1.0, verdict, 3, 60.0, 80.0, price=price, valid=valid, limit=(side, limit), margin=(1.0, 0.1)
    )


@pytest.mark.parametrize(
    "given, goal, line",
    [
        (
            row((0.052, 0.05, 0.0545), (141.0, 158.0)),
            "minimize",
            "raising the stress limit by 1 saves 0.052 of mass (0.05 to 0.0545); true up to 158",
        ),
        (
            row((0.052, 0.05, 0.0545), (112.0, 158.0), "at_least"),
            "maximize",
            "lowering the stress limit by 10 gains 0.52 of mass (0.5 to 0.545); true down to 112",
        ),
        (
            row((2.0, 1.5, 2.5), (-0.01, 0.0), limit=0.0),
            "minimize",
            "raising the stress limit alone brings nothing: a bound or another limit holds there",
        ),
        (
            row((2.0, 1.5, math.inf), (-0.01, 0.047), limit=0.0),
            "minimize",
            "raising the stress limit by 0.01 saves 0.02 of mass (at least 0.015); true up to 0.047",
        ),
        (
            row((2.0, 1.5, 2.5), (149.0, math.inf)),
            "minimize",
            "raising the stress limit by 10 saves 20 of mass (15 to 25); true as far as anything is known",
        ),
        (
            row((0.0, 0.0, 0.0), (132.25, math.inf), verdict="irrelevant"),
            "minimize",
            "the stress limit could come down to 132.2 before it costs anything",
        ),
        (
            row((0.0, 0.0, 0.0), (-math.inf, 170.0), "at_least", verdict="irrelevant"),
            "minimize",
            "the stress limit could come up to 170 before it costs anything",
        ),
        (
            row((0.0, 0.0, 0.0), (132.25, math.inf), verdict="excluding"),
            "minimize",
            "the stress limit costs nothing here, but keeps out a better region",
        ),
    ],
)
def test_sentences(given: RelevanceRow, goal: str, line: str) -> None:
    assert limit_lines([given], "mass", goal) == [line]


def test_of_two_limits_it_is_said_which_one_is_meant() -> None:
    costs, free = row((1.0, 1.0, 1.0), (141.0, 158.0)), row((0.0, 0.0, 0.0), (-math.inf, 170.0), "at_least")
    assert limit_lines([costs], "mass", "minimize", ("stress",))[0].startswith("raising the upper stress limit by 1 ")
    assert limit_lines([free], "mass", "minimize", ("stress",))[0].startswith("the lower stress limit could come up")
    assert limit_lines([costs], "mass", "minimize", ("other",))[0].startswith("raising the stress limit by 1 ")


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert limit_lines([row(None), row((0.0, 0.0, 1.0), (1.0, math.inf))], "mass", "minimize") == []


def test_what_costs_comes_first() -> None:
    free = row((0.0, 0.0, 0.0), (132.25, math.inf), verdict="irrelevant")
    first, second = limit_lines([free, row((1.0, 1.0, 1.0), (141.0, 158.0))], "mass", "minimize")
    assert "raising" in first and "could" in second


def test_json_has_no_infinities() -> None:
    found = to_dict(row((1.0, 0.0, math.inf), (1.0, math.inf)))
    assert json.loads(json.dumps(found, allow_nan=False))["valid"] == [1.0, None] and found["price"][2] is None
    assert to_dict(row(None))["price"] is None


@pytest.mark.parametrize(
    "room, limit, step", [(8.0, 150.0, 1.0), (0.05, 0.0, 0.01), (0.0, 5.0, 1.0), (900.0, 13600.0, 100.0)]
)
def test_steps(room: float, limit: float, step: float) -> None:
    assert unit_step(room, limit) == pytest.approx(step)


@pytest.mark.parametrize(
    "found, line",
    [
        (
            Outlook(0.1, 0.2, 0.25, 60.0, (0.0,) * 8 + (0.125, 1.0)),
            "outlook: with probability 0.9 within 0.12 of the best possible; "
            "the 60 that are left would gain 0.25 of mass at most",
        ),
        (
            Outlook(0.1, 0.0, 0.0, 0.0, (0.0,) * 9 + (1.0,)),
            "outlook: with probability 0.9 within 0 of the best possible",
        ),
        (
            Outlook(0.1, 0.0, 0.5, math.inf, (0.0,) * 4 + (3.0, 9.0) + (math.inf,) * 4),
            "outlook: with probability 0.54 feasible and within 9 of the best possible",
        ),
        (
            Outlook(0.1, 0.0, 0.5, math.inf, (math.inf,) * 10),
            "outlook: nothing feasible is known well enough to say what there is to gain",
        ),
        (
            Outlook(math.inf, math.inf, math.inf, 5.0),
            "outlook: nothing feasible is known well enough to say what there is to gain",
        ),
    ],
)
def test_outlook(found: Outlook, line: str) -> None:
    assert outlook_line(found, "mass") == line
    json.dumps(outlook_dict(found), allow_nan=False)


def test_many_that_do_not_matter_are_named_in_one_line() -> None:
    free = row((0.0, 0.0, 0.0), (132.25, math.inf), verdict="irrelevant")
    rows = [replace(free, constraint=f"c{k}") for k in range(FEW + 1)]
    assert folded(rows[:FEW]) == () and len(limit_lines(rows[:FEW], "mass", "minimize")) == FEW
    cost, last = limit_lines([*rows, row((1.0, 1.0, 1.0), (141.0, 158.0))], "mass", "minimize")
    assert cost.startswith("raising the stress limit")
    assert last == "6 constraints do not matter here: c0, c1, c2, c3, c4, c5"


@pytest.mark.parametrize(
    "gain, goal, words",
    [
        ((0.5, 0.4, 0.6), "minimize", "saves 0.5 of mass (0.4 to 0.6)"),
        ((0.5, 0.4, 0.6), "maximize", "gains 0.5 of mass (0.4 to 0.6)"),
        ((-0.5, -0.6, -0.4), "minimize", "costs 0.5 of mass (0.4 to 0.6)"),
        ((-0.5, -0.6, -0.4), "maximize", "loses 0.5 of mass (0.4 to 0.6)"),
        ((0.5, -math.inf, math.inf), "minimize", "saves 0.5 of mass"),
    ],
)
def test_what_other_limits_bring(gain: tuple[float, float, float], goal: str, words: str) -> None:
    assert gain_line(gain, "mass", goal) == f"next to the best point within the limits of now, this {words}"
    assert json.loads(json.dumps(gain_dict(gain), allow_nan=False))["mean"] == gain[0]


def test_a_gain_of_nothing() -> None:
    for goal in ("minimize", "maximize"):
        assert gain_line((0.0, 0.0, 0.0), "mass", goal).endswith(", this changes nothing")
        assert gain_line((0.0, 0.0, 0.25), "mass", goal).endswith(", this changes nothing (0 to 0.25)")
