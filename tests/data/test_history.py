"""What is kept up to date row by row equals what is computed from all rows."""

import dataclasses
import math

import numpy as np
import pytest
import toy
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut.data import honesty, ledger
from taut.data.dataset import Dataset
from taut.data.history import History

PROBLEMS = {
    groups: taut.Problem(
        [taut.Real("x1", 0.1, 10.0, log=True), taut.Real("x2", -1.0, 1.0)],
        taut.Objective("f", goal="minimize", cost=0.1),
        [taut.Constraint("c", at_most=1.0, cost=0.3), taut.Constraint("g", at_least=-1.0, cost=0.3)],
        [taut.Group("both", ("c", "g"), cost=0.7)] if groups else [],
    )
    for groups in (False, True)
}
"""Costs whose sums are rounded."""

COORDINATES = st.sampled_from([0.1, 0.3, 0.5]) | st.floats(0.1, 1.0)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), COORDINATES, st.sets(st.sampled_from("fcg"), min_size=1), st.booleans()),
        st.tuples(st.just("tell"), st.integers(0, 30), st.sampled_from("fcg"), st.none() | st.floats(-9.0, 9.0)),
        st.tuples(st.just("amend"), st.integers(0, 30), st.sampled_from("fcg"), st.none() | st.floats(-9.0, 9.0)),
        st.tuples(st.just("add"), COORDINATES, st.sampled_from("fcg"), st.none() | st.floats(-9.0, 9.0)),
    ),
    max_size=40,
)


def rows_of(problem: taut.Problem, steps: list[tuple]) -> list[taut.Suggestion | taut.Observation]:  # type: ignore[type-arg]
    """Rows as a study could have written them."""
    rows: list[taut.Suggestion | taut.Observation] = []
    asked: list[taut.Suggestion] = []
    known: dict[tuple[int, str], int] = {}
    opened: dict[tuple[int, str], int] = {}
    told = 0
    for kind, place, what, last in steps:
        if kind == "ask":
            functions = problem.complete(tuple(what))
            point = {"x1": place, "x2": -place}
            number, cost = len(asked) + 1, problem.cost(functions)
            memory = memory_of(number, functions)
            asked.append(taut.Suggestion(number, point, functions, cost, initial=last, memory=memory))
            rows.append(asked[-1])
            continue
        key, row = (place + 1, what), None
        if kind == "add":
            row = taut.Observation(what, {"x1": place, "x2": place}, last)
        elif kind == "amend" and key in known:
            row = taut.Observation(what, dict(asked[place].point), last, place + 1, "", known.pop(key), last is None)
            (opened if last is None else known)[key] = told + 1
        elif kind == "tell" and place < len(asked) and what in asked[place].functions and key not in known:
            known[key] = told + 1
            row = taut.Observation(what, dict(asked[place].point), last, place + 1, "", opened.pop(key, 0))
        if row is not None:
            rows.append(row)
            told += 1
    return rows


def memory_of(number: int, functions: tuple[str, ...]) -> dict[str, object]:
    """Every third suggestion was made without a model."""
    predicted = {name: [0.5, 0.25, None, 0.0, 1.0] for name in functions}
    return {"k": number} | ({"predicted": predicted} if number % 3 else {})


@given(steps=STEPS, groups=st.booleans(), chunk=st.integers(1, 7))
def test_it_equals_what_all_rows_say(steps: list[tuple], groups: bool, chunk: int) -> None:  # type: ignore[type-arg]
    problem = PROBLEMS[groups]
    rows, history = rows_of(problem, steps), History(problem)
    asked: list[taut.Suggestion] = []
    told: list[taut.Observation] = []
    for start in range(0, len(rows), chunk):
        part = rows[start : start + chunk]
        new_asked = [row for row in part if isinstance(row, taut.Suggestion)]
        new_told = [row for row in part if isinstance(row, taut.Observation)]
        history.extend(new_asked, new_told)
        asked, told = asked + new_asked, told + new_told
        agree(problem, history, asked, told)


def agree(problem: taut.Problem, history: History, asked: list[taut.Suggestion], told: list[taut.Observation]) -> None:
    known = ledger.answers(told)
    assert history.lists() == (asked, told) and history.answers == known
    assert history.spent == ledger.spent(problem, asked, told)
    assert {name: tally.told + tally.failed for name, tally in history.tallies.items()} == ledger.counts(problem, told)
    assert [row.number for row in asked if ledger.missing(row, known)] == sorted(history.open)
    assert history.initial_done == sum(row.initial and not ledger.missing(row, known) for row in asked)
    assert history.chosen == sum(not row.initial for row in asked)
    moment = history.moment()
    assert (moment.number, moment.asked, moment.seen) == (len(asked), len(asked), len(told))
    assert moment.committed == ledger.committed(asked)
    assert history.designs.incumbent() == slow_incumbent(problem, told)
    assert moment.errors == honesty.errors(problem, asked, told)
    assert moment.memory == (asked[-1].memory if asked else {})
    same(moment.dataset, Dataset.from_rows(problem, asked, told))


def slow_incumbent(problem: taut.Problem, told: list[taut.Observation]) -> taut.Incumbent | None:
    """f is minimised, c at most 1, g at least -1; by going through all points."""
    rows, best = ledger.counting(told), None
    for point in [row.point for row in rows]:
        here = [row for row in rows if row.point == point]
        values = {name: [row.value for row in here if row.function == name] for name in problem.functions}
        if any(None in found or not found for found in values.values()):
            continue
        means = {name: math.fsum(found) / len(found) for name, found in values.items()}  # type: ignore[arg-type]
        numbers = tuple(dict.fromkeys(row.suggestion for row in here if row.suggestion is not None))
        if means["c"] <= 1.0 and means["g"] >= -1.0 and (best is None or means["f"] < best.objective):
            best = taut.Incumbent(point, means["f"], means, numbers)
    return best


def same(first: Dataset, second: Dataset) -> None:
    assert (first.functions, first.dimension) == (second.functions, second.dimension)
    for name in ("X", "y", "failed", "pending"):
        for mine, other in zip(getattr(first, name), getattr(second, name), strict=True):
            np.testing.assert_array_equal(mine, other, strict=True)


@given(steps=STEPS, groups=st.booleans())
def test_charges_and_tallies(steps: list[tuple], groups: bool) -> None:  # type: ignore[type-arg]
    problem, history = PROBLEMS[groups], History(PROBLEMS[groups])
    for row in rows_of(problem, steps):
        history.extend(*(([row], []) if isinstance(row, taut.Suggestion) else ([], [row])))
    first = {row.number for row in history.suggestions if row.initial}
    for bundle in problem.bundles:
        charged = {number for number, name in history.answers if name in bundle.functions} - first
        for name in bundle.functions:
            mine = [row for row in ledger.counting(history.observations) if row.function == name]
            tally = history.tallies[name]
            assert tally.charged == len(charged)
            assert tally.added == sum(row.suggestion is None for row in mine)
            assert tally.initial == sum(row.suggestion in first for row in mine)
            assert tally.failed == sum(row.suggestion is not None and row.value is None for row in mine)


def test_a_moment_stays_as_it_was() -> None:
    problem = toy.problem()
    history = History(problem)
    history.extend([], [taut.Observation("f", {"x1": 1.0, "x2": 1.0}, 1.0)])
    moment = history.moment()
    before = dataclasses.astuple(moment)[-1]
    for k in range(200):  # more than there was room for
        history.extend([], [taut.Observation("f", {"x1": 1.0, "x2": 1.0}, float(k))])
    assert len(moment.dataset.y[0]) == 1 and moment.seen == 1
    assert repr(dataclasses.astuple(moment)[-1]) == repr(before)
    with pytest.raises(ValueError, match="read-only"):
        moment.dataset.X[0][0, 0] = math.nan
    assert history.find(1) is None
