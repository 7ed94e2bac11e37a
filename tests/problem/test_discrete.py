"""Whole numbers, catalogues and choices: places and back, what is refused and what the message names."""

import json
import math
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import toy

import taut
from taut.problem.design import domain
from taut.problem.discrete import TABLED, Parameter, _parameter_from_dict
from taut.problem.space import _to_units, from_unit, ties, to_unit, user_values

WIRE = (0.207, 0.225, 0.263, 0.283, 0.307)
EACH: list[tuple[Parameter, list[Any]]] = [
    (taut.Integer("n", 1, 12), list(range(1, 13))),
    (taut.Integer("n", -3, 4), list(range(-3, 5))),
    (taut.Integer("n", 1, 5000, log=True), [1, 2, 3, 70, 71, 4999, 5000]),
    (taut.Integer("n", 0, 10**12), [0, 1, 2, 10**11 + 7, 10**12 - 1, 10**12]),
    (taut.Ordinal("n", WIRE), list(WIRE)),
    (taut.Ordinal("n", (0.009, 0.01, 0.3, 0.5)), [0.009, 0.01, 0.3, 0.5]),
    (taut.Ordinal("n", (5, 1, 2.5)), [1, 2.5, 5]),
    (taut.Ordinal("n", (1.0, 2.0, 4.0), log=True), [1.0, 2.0, 4.0]),
    (taut.Ordinal("n", (0.01, 0.5, 1.0), log=False), [0.01, 0.5, 1.0]),
    (taut.Choice("n", ("steel", "aluminium")), ["steel", "aluminium"]),
    (taut.Choice("n", ("a", 2, 0.5, "-1")), ["a", 2, 0.5, "-1"]),
]
IDS = [repr(parameter) for parameter, _ in EACH]


@pytest.mark.parametrize(("parameter", "values"), EACH, ids=IDS)
def test_a_value_comes_back_as_it_was(parameter: Parameter, values: list[Any]) -> None:
    for value in values:
        place = parameter.place(value)
        assert len(place) == parameter.width and all(0.0 <= u <= 1.0 for u in place)
        for back in (parameter.value_at(place), parameter.check(value), parameter.parsed(str(value))):
            assert parameter.check(back) == value and type(parameter.check(back)) is type(value)
    assert np.array_equal(parameter.places(values), [parameter.place(value) for value in values])


@pytest.mark.parametrize(("parameter", "values"), EACH, ids=IDS)
def test_levels_are_the_places_of_values_to_the_last_bit(parameter: Parameter, values: list[Any]) -> None:
    levels = parameter.levels(0)
    assert levels is not None
    places = parameter.places(values)
    assert np.array_equal(levels.places(levels.nearest(places)), places)
    assert parameter.values_at(places).tolist() == values


@pytest.mark.parametrize(("parameter", "values"), EACH, ids=IDS)
def test_a_declaration_survives_json(parameter: Parameter, values: list[Any]) -> None:
    again = _parameter_from_dict(json.loads(json.dumps(parameter.to_dict())))
    assert again == parameter and hash(again) == hash(parameter)
    assert [type(value) for value in getattr(again, "options", ())] == [
        type(value) for value in getattr(parameter, "options", ())
    ]


def test_positions_follow_the_numbers_and_a_wide_catalogue_its_logarithms() -> None:
    assert taut.Ordinal("w", (1.0, 2.0, 5.0)).to_unit(2.0) == 0.25
    wide = taut.Ordinal("w", (0.01, 0.1, 1.0))
    assert wide.log and wide.to_unit(0.1) == pytest.approx(0.5)
    assert taut.Integer("n", 1, 100, log=True).to_unit(10) == pytest.approx(0.5)
    assert (wide.low, wide.high) == (0.01, 1.0)


def test_the_scale_of_a_catalogue_can_be_told() -> None:
    octaves = taut.Ordinal("w", (1.0, 2.0, 4.0), log=True)
    assert octaves.log and octaves.to_unit(2.0) == pytest.approx(0.5)
    assert taut.Ordinal("w", (0.01, 0.505, 1.0), log=False).to_unit(0.505) == pytest.approx(0.5)
    plain = taut.Ordinal("w", (1.0, 2.0))
    assert taut.Ordinal("w", (1.0, 2.0), log=False) == plain != taut.Ordinal("w", (1.0, 2.0), log=True)


def test_a_catalogue_with_its_usual_scale_is_kept_as_it_always_was() -> None:
    for values in ((1.0, 2.0), (0.01, 1.0)):
        assert taut.Ordinal("w", values).to_dict() == {"type": "ordinal", "name": "w", "values": list(values)}


def test_very_many_whole_numbers_need_no_table() -> None:
    large = taut.Integer("n", 1, 10**12)
    levels = large.levels(0)
    assert levels is not None and levels.count == 10**12
    assert large.high - large.low > TABLED


REFUSED: list[tuple[Parameter, object, str]] = [
    (taut.Integer("n", 1, 12), 2.36, "the nearest is 2"),
    (taut.Integer("n", 1, 12), 40, "the nearest is 12"),
    (taut.Integer("n", 1, 12), True, "whole number"),
    (taut.Integer("n", 1, 12), "3", "whole number"),
    (taut.Integer("n", 1, 12), math.nan, "whole number"),
    (taut.Ordinal("n", WIRE), 0.23, "the nearest is 0.225"),
    (taut.Ordinal("n", WIRE), 9.0, "the nearest is 0.307"),
    (taut.Ordinal("n", WIRE), None, "one of 0.207"),
    (taut.Choice("n", ("steel", "aluminium")), "aluminum", "the closest is 'aluminium'"),
    (taut.Choice("n", ("steel", "aluminium")), 1, "one of 'steel', 'aluminium'"),
    (taut.Choice("n", (1, 2)), "1", "one of 1, 2"),
    (taut.Choice("n", (1, 2)), True, "one of 1, 2"),
]


@pytest.mark.parametrize(("parameter", "value", "words"), REFUSED)
def test_what_is_not_admissible_is_refused_with_the_nearest_that_is(
    parameter: Parameter, value: object, words: str
) -> None:
    message = toy.refusal(lambda: parameter.check(value), taut.ValueRefusedError)
    assert "Parameter 'n'" in message and words in message


def test_equal_numbers_of_other_types_are_taken_as_declared() -> None:
    assert type(taut.Integer("n", 1, 12).check(np.float64(3.0))) is int
    assert type(taut.Choice("n", (1, 2.5)).check(1.0)) is int
    assert taut.Ordinal("n", (0.3, 0.5)).check(0.1 + 0.2) == 0.3


BAD = {
    "half": lambda: taut.Integer("n", 1.5, 3),  # type: ignore[arg-type]
    "one number": lambda: taut.Integer("n", 3, 3),
    "log of zero": lambda: taut.Integer("n", 0, 3, log=True),
    "too large": lambda: taut.Integer("n", 0, 10**17),
    "log of many": lambda: taut.Integer("n", 1, 10**9, log=True),
    "log of a negative one": lambda: taut.Ordinal("n", (-1.0, 1.0), log=True),
    "log of equal logarithms": lambda: taut.Ordinal("n", (1e150, 1.0000000000000002e150), log=True),
    "a scale in words": lambda: taut.Ordinal("n", (1.0, 2.0), log="yes"),  # type: ignore[arg-type]
    "one value": lambda: taut.Ordinal("n", (1.0,)),
    "twice": lambda: taut.Ordinal("n", (1.0, 2.0, 1.0)),
    "a word": lambda: taut.Ordinal("n", (1.0, "two")),  # type: ignore[arg-type]
    "infinite": lambda: taut.Ordinal("n", (1.0, math.inf)),
    "a text of values": lambda: taut.Ordinal("n", "12"),  # type: ignore[arg-type]
    "one option": lambda: taut.Choice("n", ("a",)),
    "the same text": lambda: taut.Choice("n", ("1", 1)),
    "the same number": lambda: taut.Choice("n", (1, 1.0)),
    "a flag": lambda: taut.Choice("n", (True, False)),
    "nothing": lambda: taut.Choice("n", ("a", None)),
    "spaces": lambda: taut.Choice("n", (" a", "b")),
    "a text of options": lambda: taut.Choice("n", "ab"),
    "a bad name": lambda: taut.Choice("a b", ("a", "b")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_declarations_are_refused(case: str) -> None:
    toy.refusal(BAD[case], taut.ProblemError)


MIXED = taut.Problem(
    [taut.Choice("m", ("a", "b", "c")), taut.Real("x", 0.0, 2.0), taut.Integer("n", 1, 4), taut.Ordinal("w", WIRE)],
    taut.Objective("f"),
)
POINT = {"m": "b", "x": 0.5, "n": 3, "w": 0.263}


def test_a_point_has_all_columns_and_comes_back() -> None:
    u = to_unit(MIXED, POINT)
    assert len(u) == MIXED.dimension == 6 and from_unit(MIXED, u) == POINT
    assert np.array_equal(_to_units(MIXED, [tuple(POINT.values())] * 2), [u, u])
    assert domain(MIXED).contains(u[None, :]).all()
    assert ties(MIXED) == (0, 0, 0, 1, 2, 3)
    found = user_values(MIXED, u[None, :], {"m", "n"})
    assert found["m"].tolist() == ["b"] and found["n"].tolist() == [3.0]


def test_every_point_of_the_domain_is_one_of_the_problem() -> None:
    x = domain(MIXED).sample(100, np.random.default_rng(0))
    for u in x:
        point = MIXED.check_point(from_unit(MIXED, u))
        assert np.array_equal(to_unit(MIXED, point), u)


class Material(str, Enum):  # noqa: UP042  (str() of a member is its name)
    STEEL = "steel"
    WOOD = "wood"


class Count(IntEnum):
    ONE = 1
    FIVE = 5


@pytest.mark.parametrize(
    ("parameter", "values"),
    [
        (taut.Ordinal("w", [Decimal("0.1"), Fraction(1, 4), np.longdouble(0.5)]), (0.1, 0.25, 0.5)),
        (taut.Ordinal("w", np.array([0.207, 0.3], dtype=np.float32)), (0.207, 0.3)),
        (taut.Ordinal("w", Count), (1, 5)),
        (taut.Ordinal("w", {3, 1, 2}), (1, 2, 3)),
        (taut.Ordinal("w", np.arange(3, dtype=np.int8)), (0, 1, 2)),
        (taut.Choice("w", Material), ("steel", "wood")),
        (taut.Choice("w", Count), (1, 5)),
        (taut.Choice("w", np.array(["a", "b"])), ("a", "b")),
    ],
)
def test_whatever_numbers_and_texts_are_declared_with_they_are_kept_as_pythons_own(
    parameter: taut.Ordinal | taut.Choice, values: tuple[Any, ...]
) -> None:
    kept = parameter.values if isinstance(parameter, taut.Ordinal) else parameter.options
    assert kept == values and [type(each) for each in kept] == [type(each) for each in values]
    assert json.loads(json.dumps(parameter.to_dict())) == parameter.to_dict() | {
        name: list(kept) for name in ("values", "options") if hasattr(parameter, name)
    }


def test_values_of_other_types_are_the_declared_ones() -> None:
    wire, number, material = taut.Ordinal("w", WIRE), taut.Choice("k", (1, 2.5, 2**60 + 1)), taut.Choice("m", Material)
    assert wire.check(np.float32(0.207)) == wire.check(np.array(0.207)) == wire.check(Decimal("0.207")) == 0.207
    assert [type(number.check(value)) for value in (1.0, np.int8(1), Decimal(1), 2**60 + 1)] == [int] * 4
    for value in (Material.STEEL, np.str_("steel"), "steel"):
        assert type(material.check(value)) is str
    whole = taut.Integer("n", Count.ONE, Count.FIVE)
    assert type(whole.low) is int and type(whole.check(Count.FIVE)) is int


@pytest.mark.parametrize("value", [np.array([1, 2]), np.array(["a", "b"]), None, math.nan, [1], 1 + 0j, True, {}])
@pytest.mark.parametrize("parameter", [each for each, _ in EACH[::2]], ids=IDS[::2])
def test_what_is_no_value_is_refused_in_words(parameter: Parameter, value: object) -> None:
    assert "'n'" in toy.refusal(lambda: parameter.check(value), taut.ValueRefusedError)


@pytest.mark.parametrize(
    ("parameter", "value", "says"),
    [
        (taut.Real("r", 0, 1), "0.5", "without quotes"),
        (taut.Integer("n", 1, 5), "2", "without quotes"),
        (taut.Ordinal("w", WIRE), "0.207", "without quotes"),
        (taut.Choice("k", (1, 2)), "1", "without quotes"),
        (taut.Choice("k", ("1", "2")), 1, "with quotes, '1'"),
    ],
)
def test_quotes_too_many_or_too_few_are_spoken_of(parameter: Any, value: object, says: str) -> None:
    assert says in toy.refusal(lambda: parameter.check(value), taut.ValueRefusedError)


@pytest.mark.parametrize(
    "made",
    [
        lambda: taut.Real("p", 1, 1),
        lambda: taut.Integer("p", 1, 1),
        lambda: taut.Ordinal("p", [1]),
        lambda: taut.Choice("p", ["a"]),
    ],
)
def test_one_value_is_no_parameter(made: Any) -> None:
    assert "leave it out and write the value where it is used" in toy.refusal(made, taut.ProblemError)


def test_options_have_an_order_so_that_a_study_can_go_on() -> None:
    assert "a set, whose order may change" in toy.refusal(lambda: taut.Choice("m", {"a", "b"}), taut.ProblemError)
