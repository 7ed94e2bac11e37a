"""Values measured elsewhere stand in for points of the initial design."""

import numpy as np
import pytest
import toy
from knobs import check_provenance

import taut
from taut.problem.space import from_unit, to_unit
from taut.study.initial import INITIAL, InitialSettings

SIZE = 5


def study(kind: str = "coupled", groups: bool = False, **settings: object) -> taut.Study:
    return toy.study(SIZE, groups, initial_design=kind, **settings)


def add(to: taut.Study, u: list[float], functions: str = "fcg") -> None:
    """Values at a point of the unit cube."""
    to.add(from_unit(to.problem, np.array(u)), dict.fromkeys(functions, 1.0))


def asked(each: taut.Study) -> list[taut.Suggestion]:
    """The initial design as it is asked for, told as it comes; then the first decision."""
    found = []
    while not found or found[-1].initial:
        found.append(each.ask())
        each.tell(found[-1], dict.fromkeys(found[-1].functions, 1.0))
    return found


def points(rows: list[taut.Suggestion]) -> list[tuple[float, ...]]:
    return [tuple(row.point.values()) for row in rows]


PLAIN = asked(study())
"""Without anything from elsewhere."""


def test_without_values_from_elsewhere_it_is_the_whole_design() -> None:
    assert [row.note for row in PLAIN[:-1]] == [f"initial design, {k} of {SIZE}" for k in range(1, SIZE + 1)]
    assert all(row.functions == ("f", "c", "g") for row in PLAIN[:-1])


def test_each_whole_place_stands_in_for_the_nearest_point() -> None:
    each = study()
    for k in (1, 3):
        u = to_unit(each.problem, PLAIN[k].point)
        add(each, list(np.clip(u + 0.03, 0.0, 1.0)))
    assert points(asked(each))[:-1] == [points(PLAIN)[k] for k in (0, 2, 4)]
    assert not each.suggestions[3].initial
    assert [row.note for row in each.suggestions[:3]] == [f"initial design, {k} of 3" for k in (1, 2, 3)]


def test_as_many_as_the_design_leave_nothing_of_it() -> None:
    each = study()
    for u in np.random.default_rng(0).random((SIZE, 2)):
        add(each, list(u))
    first = each.ask()
    assert not first.initial and first.number == 1 and first.cost > 0.0


def test_repeats_and_neighbours_count_once() -> None:
    each = study()
    for shift in (0.0, 0.0, 0.004, -0.004):
        add(each, [0.5 + shift, 0.5])
    assert len(asked(each)) - 1 == SIZE - 1


def test_failures_stand_in_for_nothing() -> None:
    each = study()
    for k in range(SIZE):
        each.add(PLAIN[k].point, {"f": None, "c": 1.0, "g": 1.0})
    assert [row.functions for row in asked(each)][:-1] == [("f",)] * SIZE


def test_functions_that_are_known_are_not_asked_for_as_often() -> None:
    each = study()
    add(each, [0.1, 0.1], "f")
    add(each, [0.9, 0.9], "f")
    add(each, [0.5, 0.5], "cg")
    rows = asked(each)[:-1]
    counts = {name: sum(name in row.functions for row in rows) for name in "fcg"}
    assert counts == {"f": SIZE - 2, "c": SIZE - 1, "g": SIZE - 1}
    assert set(points(rows)) <= set(points(PLAIN))
    assert any(row.note.endswith("measured elsewhere: f") for row in rows)


def test_a_place_stands_in_once_also_when_it_is_added_later() -> None:
    each = study()
    for k in range(2):
        each.tell(each.ask(), {"f": 1.0, "c": 1.0, "g": 1.0})
        add(each, [0.1 + 0.5 * k, 0.3])
    assert len([row for row in asked(each) if row.initial]) == SIZE - 2 - 2


def test_groups_are_asked_for_whole() -> None:
    each = study(groups=True)  # f and g come together
    add(each, [0.5, 0.5], "f")
    add(each, [0.2, 0.8], "fg")
    rows = asked(each)[:-1]
    assert sum("f" in row.functions for row in rows) == sum("g" in row.functions for row in rows) == SIZE - 1
    assert sum("c" in row.functions for row in rows) == SIZE


def test_an_independent_design_by_bundle() -> None:
    each = study("independent")
    add(each, [0.5, 0.5])
    add(each, [0.2, 0.8], "f")
    rows = asked(each)[:-1]
    counts = {name: sum(name in row.functions for row in rows) for name in "fcg"}
    assert counts == {"f": SIZE - 2, "c": SIZE - 1, "g": SIZE - 1}


@pytest.mark.parametrize("kind", ["coupled", "independent"])
def test_every_suggestion_can_be_computed_again(kind: str) -> None:
    each, rng = study(kind, seed=4), np.random.default_rng(3)
    for k in range(8):
        add(each, list(rng.random(2)), ["f", "fcg", "cg"][k % 3])
        suggestion = each.ask()
        if k % 2:
            each.tell(suggestion, {suggestion.functions[0]: 1.0})
    assert [each.replay(row.number) for row in each.suggestions] == list(each.suggestions)
    assert {row.initial for row in each.suggestions} == {True, False}


def test_the_initial_design_is_over_when_a_method_has_decided() -> None:
    each = study()
    for u in np.random.default_rng(0).random((SIZE, 2)):
        add(each, list(u))
    assert not each.ask().initial and not each.ask().initial


def test_settings_have_sources() -> None:
    check_provenance(InitialSettings)
    assert INITIAL == InitialSettings()


def test_places_where_all_that_has_to_be_measured_was_stand_in_whole_beside_a_known_objective() -> None:
    made = taut.Problem(
        [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
        taut.Objective("f", formula="x + y"),
        [taut.Constraint("c", at_most=0.5), taut.Constraint("g", at_most=0.5)],
    )
    plain = taut.Study(made, seed=0, initial=SIZE)
    design = [plain.ask() for _ in range(SIZE)]
    each = taut.Study(made, seed=0, initial=SIZE)
    # c and g at one place, c at another: together they must not stand in for g at a third point.
    each.add(design[0].point, {"c": 1.0, "g": 1.0})
    each.add(design[3].point, {"c": 1.0})
    left = [each.ask() for _ in range(SIZE - 1)]
    assert [row.functions for row in left] == [("c", "g"), ("c", "g"), ("g",), ("c", "g")]
    assert [row.point for row in left] == [row.point for row in design[1:]]
