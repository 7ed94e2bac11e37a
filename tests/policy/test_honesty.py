"""What the models say of themselves."""

import numpy as np
import pytest
from states import context, everywhere, known, state

import taut
from taut.data.results import ModelReport
from taut.policy.honesty import reports

POINTS = np.random.default_rng(0).random((40, 2))
PLANE = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]


def smooth(point: dict[str, float]) -> float:
    return float(np.sin(3.0 * point["x"]) + 100.0 * point["y"] ** 2)


def report(objective: taut.Objective, digits: int | None = None) -> ModelReport:
    made = everywhere(
        taut.Problem(PLANE, objective),
        {"f": lambda p: smooth(p) if digits is None else round(smooth(p), digits)},
        POINTS,
    )
    return reports(context(made))["f"]


def test_every_function_has_one() -> None:
    found = reports(context(known("test_function_2", 10)))
    assert set(found) == {"f", "c1", "c2", "c3"}
    assert all(each.roughness is not None and each.roughness >= 0.0 and each.reason for each in found.values())


def test_noise_is_named_in_the_users_unit() -> None:
    given = report(taut.Objective("f", noise=2.0))
    assert given.roughness == pytest.approx(2.0) and given.reason.startswith("noise, as given")
    assert report(taut.Objective("f", noise="learned")).reason.startswith("noise, learned")


def test_printed_digits_are_seen() -> None:
    rounded = report(taut.Objective("f"), digits=1)
    assert rounded.reason.startswith("printed in steps of 0.1")
    assert rounded.roughness is not None and rounded.roughness > 0.5 * 0.1 / np.sqrt(12.0)
    assert "printed" not in report(taut.Objective("f")).reason


def test_without_values_there_is_nothing_to_say() -> None:
    problem = taut.Problem(PLANE, taut.Objective("f"), [taut.Constraint("c", at_most=0.0)])
    found = reports(context(state(problem, [("f", {"x": 0.5, "y": 0.5}, 1.0)])))
    assert found["c"] == ModelReport(reason="no value yet")


def test_a_floor_that_is_only_possible_is_called_that() -> None:
    few = everywhere(taut.Problem(PLANE, taut.Objective("f")), {"f": smooth}, POINTS[:6])
    open_ = reports(context(few))["f"]
    assert open_.roughness is not None and open_.roughness > 0.0
    assert open_.reason.startswith("taken as exact; so much its values leave open")
