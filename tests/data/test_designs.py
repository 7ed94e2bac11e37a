"""What was measured at a point, and the best point that was measured whole."""

import pytest
import toy

import taut
from taut.data.designs import Designs, holds, rewritten

POINT = {"x1": 1.0, "x2": 1.0}
OTHER = {"x1": 2.0, "x2": 1.0}
GOOD = {"f": 5.0, "c": -1.0, "g": 2.0}


def designs(*rows: tuple[dict[str, float], dict[str, float | None]]) -> Designs:
    """Of the toy problem: f maximised, c at most 0, g at least 1."""
    found = Designs(toy.problem())
    for number, (point, values) in enumerate(rows, 1):
        for name, value in values.items():
            found.add(taut.Observation(name, point, value, number))
    return found


def test_nothing_yet() -> None:
    assert designs().incumbent() is None
    assert designs().at(POINT) == ({}, False)


def test_whole_and_feasible() -> None:
    found = designs((POINT, GOOD), (OTHER, GOOD | {"f": 6.0}))
    assert found.incumbent() == taut.Incumbent(OTHER, 6.0, GOOD | {"f": 6.0}, (2,))
    assert found.at(POINT) == (GOOD, True)


def test_in_parts() -> None:
    found = designs((POINT, {"f": 5.0}), (OTHER, {"g": 1.0}), (POINT, {"c": -1.0}), (POINT, {"g": 2.0}))
    assert found.incumbent() == taut.Incumbent(POINT, 5.0, GOOD, (1, 3, 4))
    assert found.at(OTHER) == ({"g": 1.0}, False)


@pytest.mark.parametrize("spoilt", [{"c": 0.1}, {"g": 0.9}, {"c": None}])
def test_one_that_does_not_hold_or_cannot_be_computed_is_none(spoilt: dict[str, float | None]) -> None:
    assert designs((POINT, GOOD | spoilt)).incumbent() is None
    assert designs((POINT, GOOD), (POINT, {"c": None})).incumbent() is None  # a repeat that failed


def test_limits_themselves_hold() -> None:
    assert designs((POINT, {"f": 5.0, "c": 0.0, "g": 1.0})).incumbent() is not None
    assert holds(toy.problem(), "f", -1e9) and not holds(toy.problem(), "c", 1e-300)


def test_repeats_count_as_their_mean() -> None:
    found = designs((POINT, GOOD), (OTHER, GOOD | {"f": 6.0}), (OTHER, {"f": 0.0}))
    best = found.incumbent()
    assert best is not None and best.point == POINT  # the other one fell back
    again = designs((POINT, GOOD), (POINT, {"c": 3.0}))
    assert again.at(POINT) == (GOOD | {"c": 1.0}, False) and again.incumbent() is None


def test_of_equals_the_first() -> None:
    best = designs((POINT, GOOD), (OTHER, GOOD)).incumbent()
    assert best is not None and best.point == POINT


def test_the_same_point_but_for_rounding() -> None:
    near, far = {"x1": 1.0 + 4e-9, "x2": 1.0}, {"x1": 1.0 + 6e-9, "x2": 1.0}  # x1 is five wide
    found = designs((POINT, GOOD))
    assert found.at(near) == (GOOD, True) and found.at(far) == ({}, False)
    assert designs((POINT, {"f": 5.0, "c": -1.0}), (near, {"g": 2.0})).incumbent() is not None
    for k in range(60):  # wherever the file of a point ends
        x1 = 0.3 + 1.7e-9 * k
        assert designs(({"x1": x1, "x2": 1.0}, GOOD)).at({"x1": x1 + 4.9e-9, "x2": 1.0}) == (GOOD, True)


def test_one_design_has_one_point_to_the_last_digit() -> None:
    near = {"x1": 1.0 + 1e-15, "x2": 1.0 - 1e-15}
    found = designs((POINT, {"f": 5.0}))
    assert found.as_written(near) == POINT and found.as_written(OTHER) == OTHER
    asked = designs()
    asked.ask(near)
    assert asked.as_written(POINT) == near and asked.at(near) == ({}, False)


def test_beside_a_place_that_a_formula_forbids_is_another_design() -> None:
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [taut.Constraint("c", at_most=0.3, formula="x")]
    )
    found, out, fine = Designs(problem), {"x": 0.3 + 1e-12}, {"x": 0.3}
    found.add(taut.Observation("f", out, 1.0))
    assert found.as_written(fine) == fine and found.at(fine) == ({"c": 0.3}, False)
    found.add(taut.Observation("f", fine, 1.0))
    assert found.at(fine) == ({"c": 0.3, "f": 1.0}, True) and found.at(out) == ({"c": 0.3 + 1e-12, "f": 1.0}, False)


def test_new_rows_are_written_like_the_first_ones() -> None:
    known = designs((POINT, {"f": 5.0}))
    points = {"x1": 1.0 + 1e-15, "x2": 1.0}, OTHER, {"x1": 2.0 + 1e-15, "x2": 1.0}
    rows = [taut.Observation("c", point, 1.0) for point in points]
    assert [row.point for row in rewritten(toy.problem(), known, rows)] == [POINT, OTHER, OTHER]


def test_a_study_knows_what_was_verified() -> None:
    study = toy.study(initial=1, method=toy.ToyPolicy(coupled=True))
    assert study.incumbent() is None
    suggestion = study.ask()
    study.tell(suggestion, {"f": 1.0, "c": -1.0})
    best = study.recommend()
    assert (best.verified, best.measured) == (False, {"f": 1.0, "c": -1.0})
    study.tell(suggestion, {"g": 2.0})
    best, incumbent = study.recommend(), study.incumbent()
    assert best.verified and incumbent is not None
    assert best.point == suggestion.point  # to the last digit
    assert (incumbent.point, incumbent.objective, incumbent.suggestions) == (suggestion.point, 1.0, (1,))
    assert best.measured == incumbent.measured == {"f": 1.0, "c": -1.0, "g": 2.0}
    assert not study.recommend(limits={"g": {"at_least": 3.0}}).verified
    study.correct(suggestion, {"c": 1.0})
    assert not study.recommend().verified and study.incumbent() is None
    study.add(OTHER, {"f": 0.0, "c": 0.0, "g": 5.0})
    incumbent = study.incumbent()
    assert incumbent is not None and (incumbent.point, incumbent.suggestions) == (OTHER, ())
    assert study.recommend(limits={"c": {"at_most": 1.0}}).verified
