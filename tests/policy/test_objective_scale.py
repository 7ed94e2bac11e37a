"""Decisions with an objective on a logarithmic scale: those of its logarithm, told in the user's own units."""

import math
from collections.abc import Mapping

import pytest

import taut

PARAMETERS = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]
CONSTRAINT = taut.Constraint("c", at_most=0.0)


def logarithm(p: Mapping[str, float]) -> float:
    return 5.0 * ((p["x"] - 0.7) ** 2 + 2.0 * (p["y"] - 0.3) ** 2) + 2.0 * math.sin(4.0 * p["x"] * p["y"])


def line(p: Mapping[str, float]) -> float:
    return 0.6 - p["x"] - 0.3 * p["y"]


def played(method: str, objective: taut.Objective, exact: bool, steps: int = 3, sign: float = 1.0) -> taut.Study:
    """exact: the objective is the logarithm itself."""
    declared = taut.Problem(PARAMETERS, objective, [CONSTRAINT])
    study = taut.Study(declared, method=method, seed=2, options={"trend": False})  # on a scale none is exact
    for _ in range(6 + steps):
        asked = study.ask()
        f = sign * logarithm(asked.point)
        values = {"f": f if exact else math.exp(f), "c": line(asked.point)}
        study.tell(asked, {name: values[name] for name in asked.functions})
    return study


def points(study: taut.Study) -> list[float]:
    return [value for row in study.suggestions for value in row.point.values()]


@pytest.mark.parametrize("method", ["dckg", "cei", "ucb-d"])
def test_a_logarithmic_scale_decides_as_the_logarithm_itself(method: str) -> None:
    declared = played(method, taut.Objective("f", "minimize", scale="log"), exact=False)
    itself = played(method, taut.Objective("f", "minimize", scale="linear"), exact=True)
    assert points(declared) == pytest.approx(points(itself), abs=1e-4)
    assert [row.functions for row in declared.suggestions] == [row.functions for row in itself.suggestions]


def test_rising_values_are_on_the_scale_of_their_logarithm_too() -> None:
    declared = played("cei", taut.Objective("f", "maximize", scale="log"), exact=False, sign=-1.0)
    itself = played("cei", taut.Objective("f", "maximize", scale="linear"), exact=True, sign=-1.0)
    assert points(declared) == pytest.approx(points(itself), abs=1e-4)


def test_reports_are_in_the_users_units_and_suggestions_can_be_computed_again() -> None:
    study = played("dckg", taut.Objective("f", "minimize", scale="log"), exact=False)
    place = {"x": 0.2, "y": 0.9}
    itself = played("dckg", taut.Objective("f", "minimize", scale="linear"), exact=True)
    mean, sd = study.predict(place).objective
    middle, spread = itself.predict(place).objective
    assert mean == pytest.approx(math.exp(middle), rel=1e-3)  # the median
    assert sd == pytest.approx(0.5 * (math.exp(middle + spread) - math.exp(middle - spread)), rel=1e-3)
    assert [study.replay(row.number) for row in study.suggestions] == list(study.suggestions)
    one, other = (each.check()[0] for each in (study, itself))
    assert one.worst == pytest.approx(other.worst, abs=0.2) and one.within == other.within  # places differ by 1e-5
    assert one.calibration == pytest.approx(other.calibration, rel=0.05)
