"""Tables of pandas: what they hold, and that a study made from one holds the same."""

import io
import math
from typing import Any

import pytest

import taut

pandas = pytest.importorskip("pandas")


def problem(parameter: str = "x", function: str = "f") -> taut.Problem:
    return taut.Problem(
        [taut.Real(parameter, 0.0, 1.0), taut.Real("y", 1.0, 9.0)],
        taut.Objective(function),
        [taut.Constraint("c", at_most=0.0, cost=2.0), taut.Constraint("d", at_least=0.0)],
        [taut.Group("both", ("c", "d"), 6.0)],
    )


def study(parameter: str = "x", function: str = "f") -> taut.Study:
    """Two suggestions of all, one of them with a failure, one of a part, and a value from elsewhere."""
    made = taut.Study(problem(parameter, function), method="random", seed=3, initial=1)
    made.tell(made.ask(), {function: 1.0, "c": 0.5, "d": 2.0})
    made.tell(made.ask(), {function: 3.0, "c": None, "d": 4.0}, "no convergence")
    made.tell(made.ask(), {"c": -1.0})
    made.add({parameter: 0.25, "y": 2.0}, {"d": 7.0})
    return made


def known(made: taut.Study) -> list[tuple[Any, ...]]:
    return sorted((row.function, tuple(row.point.values()), row.value or -1.0) for row in made.observations)


def test_one_row_per_evaluation() -> None:
    made = study()
    frame = made.to_pandas()
    assert list(frame.columns) == [
        *("x", "y", "function", "value", "failed", "cost", "seconds", "suggestion", "initial", "note"),
    ]
    assert list(frame["function"]) == ["f", "c", "d", "f", "c", "d", "c", "d"]
    assert list(frame["failed"]) == [False] * 4 + [True] + [False] * 3
    assert math.isnan(frame["value"][4]) and frame["note"][4] == "no convergence"
    assert frame["suggestion"].isna().tolist() == [False] * 7 + [True]
    assert list(frame["initial"]) == [True] * 3 + [False] * 5
    assert frame["cost"].tolist() == [1.0, 3.0, 3.0, 1.0, 3.0, 3.0, 6.0, 0.0], "a group's cost is shared"
    assert frame[~frame["initial"]]["cost"].sum() == made.spent


def test_one_row_per_point() -> None:
    frame = study().to_pandas(wide=True)
    assert list(frame.columns) == ["x", "y", "f", "c", "d", "failed"]
    assert len(frame) == 4
    assert frame["f"].tolist()[:2] == [1.0, 3.0] and frame["f"].isna().tolist() == [False, False, True, True]
    assert frame["failed"].tolist() == ["", "c", "", ""]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(("parameter", "function"), [("x", "f"), ("value", "f"), ("x", "x"), ("failed", "failed")])
def test_there_and_back(wide: bool, parameter: str, function: str) -> None:
    made, again = study(parameter, function), taut.Study(problem(parameter, function))
    again.add(made.to_pandas(wide=wide))
    assert known(again) == known(made)
    assert all(row.suggestion is None for row in again.observations)


@pytest.mark.parametrize("wide", [False, True])
def test_repeats_stay_repeats(wide: bool) -> None:
    made, again = taut.Study(problem()), taut.Study(problem())
    for value in (1.0, 2.0):
        made.add({"x": 0.5, "y": 2.0}, {"f": value, "c": None})
    again.add(made.to_pandas(wide=wide))
    assert known(again) == known(made)


def test_a_table_of_ones_own_with_gaps() -> None:
    made = taut.Study(problem())
    made.add(pandas.DataFrame({"y": [1, 2], "x": [0.0, 1.0], "f": [3, None], "d": [pandas.NA, 5.0]}))
    assert [(row.function, row.point, row.value) for row in made.observations] == [
        ("f", {"x": 0.0, "y": 1.0}, 3.0),
        ("d", {"x": 1.0, "y": 2.0}, 5.0),
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pandas.DataFrame({"x": [0.5], "f": [1.0]}), "a column for each parameter, got none for 'y'"),
        (pandas.DataFrame({"x": [0.5], "y": [2.0], "q": [1.0]}), "columns of parameters and of 'f', 'c', 'd', got 'q'"),
        (pandas.DataFrame({"x": [0.5], "y": [2.0]}), "got no function"),
        (
            pandas.DataFrame({"x": [0.5, 7.0], "y": [2.0, 2.0], "f": [1.0, 1.0]}),
            r"expected a number in \[0.0, 1.0\], got 7.0",
        ),
        (pandas.DataFrame({"x": [0.5], "y": [2.0], "function": ["q"], "value": [1.0]}), "Function 'q' is unknown"),
        (pandas.DataFrame({"x": [0.5, 0.5], "y": [2.0, 2.0], "f": [1.0, float("inf")]}), "inf"),
        ("table", "a point and values, or a table, got 'table'"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_taken(table: Any, message: str) -> None:
    made = taut.Study(problem())
    with pytest.raises(taut.TautError, match=message):
        made.add(table)
    assert made.observations == ()


def test_a_point_without_values_is_still_a_mistake() -> None:
    with pytest.raises(taut.ValueRefusedError, match="a value of at least one of"):
        taut.Study(problem()).add({"x": 0.5, "y": 2.0})


def test_nothing_yet() -> None:
    empty = taut.Study(problem())
    assert empty.to_pandas().empty and empty.to_pandas(wide=True).empty


def test_choices_and_formulas() -> None:
    problem = taut.Problem(
        [taut.Choice("material", ("steel", 3)), taut.Integer("ribs", 1, 5)],
        taut.Objective("mass", formula="2 * ribs"),
        [taut.Constraint("c", at_most=1.0)],
    )
    made = taut.Study(problem)
    made.add({"material": "steel", "ribs": 2}, {"c": 1.0})
    made.add({"material": 3, "ribs": 4}, {"c": None})
    wide = made.to_pandas(wide=True)
    assert wide["mass"].tolist() == [4.0, 8.0] and wide["material"].tolist() == ["steel", 3]
    for table in (wide, made.to_pandas()):
        again = taut.Study(problem)
        again.add(table)
        assert [(row.point, row.value) for row in again.observations] == [
            ({"material": "steel", "ribs": 2}, 1.0),
            ({"material": 3, "ribs": 4}, None),
        ]


def test_a_choice_of_numbers_and_texts_comes_back_out_of_a_file() -> None:
    pandas = pytest.importorskip("pandas")
    mixed = taut.Problem([taut.Choice("k", (1, 2.5, "two", "nan"))], taut.Objective("f"))
    study, again = taut.Study(mixed), taut.Study(mixed)
    for value, option in enumerate((1, 2.5, "two", "nan")):
        study.add({"k": option}, {"f": value})
    text = io.StringIO(study.to_pandas(wide=True).to_csv(index=False))
    again.add(pandas.read_csv(text, keep_default_na=False, na_values=[""]))
    assert [row.point["k"] for row in again.observations] == [1, 2.5, "two", "nan"]
    assert [type(row.point["k"]) for row in again.observations] == [int, float, str, str]
    with pytest.raises(taut.ValueRefusedError, match="got '1'; write the number without quotes"):
        study.add({"k": "1"}, {"f": 0.0})  # in Python one writes what one means


def _declared() -> taut.Problem:
    return taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [taut.Constraint("c", at_most=1.0)])


@pytest.mark.parametrize(
    ("cell", "value"),
    [(False, 2.0), ("False", 2.0), ("no", 2.0), ("", 2.0), (0, 2.0), (None, 2.0)]
    + [(True, None), ("TRUE ", None), (1.0, None)],
)
def test_a_failure_is_one_however_it_is_written(cell: object, value: float | None) -> None:
    study = taut.Study(_declared())
    study.add(pandas.DataFrame({"x": [0.5], "function": ["f"], "value": [2.0], "failed": [cell]}))
    assert [row.value for row in study.observations] == [value]


def test_failures_that_cannot_be_understood_are_refused() -> None:
    study = taut.Study(_declared())
    long = pandas.DataFrame({"x": [0.5], "function": ["f"], "value": [2.0], "failed": ["mesh broke"]})
    with pytest.raises(taut.TautError, match="failed: expected True or False, got 'mesh broke'; put reasons"):
        study.add(long)
    for cell in (True, "g", "f, c"):
        with pytest.raises(taut.TautError, match="failed: expected names of functions that failed"):
            study.add(pandas.DataFrame({"x": [0.5], "f": [None], "c": [1.0], "failed": [cell]}))
    assert not study.observations
    study.add(pandas.DataFrame({"x": [0.5], "f": [None], "c": [None], "failed": ["f + c"]}))
    assert [(row.function, row.value) for row in study.observations] == [("f", None), ("c", None)]


def test_a_column_that_is_there_twice_is_refused() -> None:
    with pytest.raises(taut.TautError, match="expected every column once, got 'f' more than once"):
        taut.Study(_declared()).add(pandas.DataFrame([[0.5, 1.0, 2.0]], columns=["x", "f", "f"]))


def test_a_table_of_known_functions_alone_has_nothing_to_add() -> None:
    objective = taut.Objective("f", formula="x")
    study = taut.Study(taut.Problem([taut.Real("x", 0.0, 1.0)], objective))
    study.add(study.to_pandas(wide=True))
    assert not study.observations
