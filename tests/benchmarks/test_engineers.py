"""The engineers' problems (benchmarks/engineers.py): verified optima, arms, and the page."""

import importlib
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
    assert "| gear_train | known | 1 | 1 | 0 | 0 to 0 |" in text
