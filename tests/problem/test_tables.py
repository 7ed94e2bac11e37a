"""Tables of numbers for formulas."""

import pytest

import taut
from taut.problem.tables import checked_tables


def test_tables_hold_plain_numbers_by_text() -> None:
    assert checked_tables({"density": {"steel": 7, 1: 2.5}}) == {"density": {"steel": 7.0, "1": 2.5}}
    assert checked_tables(None) == {}


@pytest.mark.parametrize(
    "tables",
    [3, {"d": 3}, {"d": {}}, {"d": {"a": "x"}}, {"d": {"a": float("nan")}}, {"a b": {"a": 1}}, {"d": {1: 1, "1": 2}}],
)
def test_other_tables_are_refused(tables: object) -> None:
    with pytest.raises(taut.TautError, match="density"):
        checked_tables(tables)


def test_tables_are_part_of_a_problem() -> None:
    made = taut.Problem([taut.Real("w", 0, 1)], taut.Objective("m"), tables={"density": {"steel": 7.85}})
    assert taut.Problem.from_dict(made.to_dict()) == made
    assert "tables" not in taut.Problem([taut.Real("w", 0, 1)], taut.Objective("m")).to_dict()
