"""The benchmark of models of very many values runs, and finds what its page says in small."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))
    try:
        import many_values

        return many_values
    finally:
        sys.path.remove(str(SCRIPTS))


def cells(lines: list[str]) -> dict[tuple[str, str], list[float]]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {(row[0], row[1]): [float(cell) for cell in row[2:]] for row in rows}


def test_a_selection_is_exact_near_its_focus_and_inducing_points_are_not(script: ModuleType) -> None:
    found = cells(script.main(["posteriors", "--values", "400", "--kept", "150", "--seeds", "0"]))
    assert found["selection", "near"][1] == pytest.approx(1.0, abs=0.02) and found["selection", "near"][0] < 0.1
    assert found["FITC", "near"][1] > 1.5 and found["DTC", "near"][1] > 1.5
    assert all(row[2] == 0.0 for (name, _), row in found.items() if name in ("selection", "spread only"))


def test_of_noisy_values_inducing_points_lose_nothing(script: ModuleType) -> None:
    found = cells(script.main(["posteriors", "--values", "300", "--kept", "150", "--seeds", "0", "--noise", "0.2"]))
    assert found["FITC", "cube"][1] == pytest.approx(1.0, abs=0.05) and found["selection", "cube"][1] > 1.2


def test_a_decision_with_a_selection_is_worth_as_much_to_the_model_of_all_values(script: ModuleType) -> None:
    lines = script.main(["decisions", "--values", "200", "--kept", "80", "--seeds", "3"])
    selection, spread_only = (float(cell) for cell in lines[2].split("|")[2:4])
    assert selection > 0.9 > spread_only
