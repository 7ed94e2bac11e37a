"""The engineers' problems (benchmarks/engineers.py): verified optima, arms, and the page."""

import importlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
TABLES = tomllib.loads((SCRIPTS / "engineers.toml").read_text())


@pytest.fixture
def engineers(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("engineers")


def test_solutions_are_feasible_to_the_last_bit_and_attain_the_optimum(engineers: Any) -> None:
    for name, entry in TABLES.items():
        if "solution" in entry:
            assert engineers.case(name).loss(entry["solution"]) == pytest.approx(0.0, abs=1e-12)


def test_arms_declare_what_is_known(engineers: Any) -> None:
    for name in (*engineers.MIXED, *engineers.REAL):
        case = engineers.case(name)
        known, simulated = (case.declared(arm) for arm in engineers.ARMS)
        assert set(known.functions) - set(known.simulated) == set(case.known)
        assert simulated.simulated == simulated.functions == known.functions


def test_what_is_all_formula_is_solved_at_no_cost_and_the_page_says_so(engineers: Any) -> None:
    row = engineers.run(engineers.case("gear_train"), "known", 3)
    assert row["reached"] == 0.0 and row["counts"] == {"error": 0}
    page = importlib.import_module("engineers_page")
    text = page.text([row], {"gear_train": engineers.case("gear_train")}, 150.0)
    assert "| gear_train | known | 1 | 1 | 0 | 0 to 0 |" in re.sub(" {2,}", " ", text)


def test_a_rival_pays_for_what_is_not_known_and_nothing_for_what_violates_it(engineers: Any) -> None:
    rivals = importlib.import_module("engineers_rivals")
    case = engineers.case("pressure_vessel_mixed")
    board = rivals.Board(case, 0, 6.0, 1e-4)
    assert board.price == 2.0 and board.spent == 0.0 and board.reached is None
    assert all(max(board._known(point)) <= 0.0 for point in board.initial)
    small = {"shell": 1.0, "head": 1.0, "radius": 20.0, "length": 20.0}  # holds too little
    value, limits = board(small)
    assert (board.spent, board.free) == (0.0, 1) and limits.max() > 0.0 and value == case.functions["cost"](small)
    board(TABLES["pressure_vessel_mixed"]["solution"])
    assert board.spent == board.reached == 2.0
    with pytest.raises(rivals.SpentError):
        board(small)


def test_the_page_puts_rivals_beside(engineers: Any) -> None:
    page = importlib.import_module("engineers_page")
    base = {"case": "gear_train", "seed": 0, "cpu": 1.0}
    rows = [
        base | {"arm": "known", "reached": 0.0, "best": 0.0, "counts": {"error": 0}},
        base | {"arm": "egobox", "reached": None, "best": 0.5},
        base | {"arm": "optuna-tpe", "reached": None, "best": None},
    ]
    text = re.sub(" {2,}", " ", page.text(rows, {"gear_train": engineers.case("gear_train")}, 150.0))
    assert "| gear_train | 1 of 1 at 0; 0.0e+00 | | 0 of 1; none | 0 of 1; 5.0e-01 | EGObox |" in text
    assert "| gear_train | egobox |" not in text
