"""Regions that fail, and tiny and huge scales."""

import pytest

import taut

FAST = {"inner": 48, "raw": 24, "starts": 2, "search_raw": 96, "search_starts": 6}
X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]


def problem(goal: str = "maximize") -> taut.Problem:
    return taut.Problem(X, taut.Objective("f", goal=goal), [taut.Constraint("c", at_most=0.0)])


def bowl(q: dict[str, float]) -> float:
    return -((q["x"] - 0.7) ** 2 + (q["y"] - 0.6) ** 2)


def line(q: dict[str, float]) -> float:
    return q["x"] + q["y"] - 1.0


@pytest.mark.parametrize("method", ["dckg", "cei+"])
def test_a_region_that_fails_does_not_swallow_the_budget(method: str) -> None:
    """f has no value for x > 0.45; the unconstrained optimum lies there."""

    def broken(q: dict[str, float]) -> float:
        if q["x"] > 0.45:
            raise RuntimeError("mesh")
        return bowl(q)

    study = taut.Study(problem(), method=method, seed=1, options=FAST)
    best = study.run({"f": broken, "c": line}, budget=24)
    rows = [row for row in study.observations if row.function == "f"][6:]
    assert sum(row.value is None for row in rows) <= len(rows) // 2
    assert best.point["x"] < 0.5


@pytest.mark.parametrize("scale", [1e-14, 1e9])
def test_the_unit_of_the_values_does_not_matter(scale: float) -> None:
    points = []
    for factor in (1.0, scale):
        study = taut.Study(problem(), seed=0, initial=6, options=FAST)
        for _ in range(12):
            suggestion = study.ask()
            values = {"f": factor * bowl(suggestion.point), "c": factor * line(suggestion.point)}
            study.tell(suggestion, {name: values[name] for name in suggestion.functions})
        points.append(study.recommend())
    plain, scaled = points
    assert list(scaled.point.values()) == pytest.approx(list(plain.point.values()), abs=0.03)
    assert scaled.feasibility == pytest.approx(plain.feasibility, abs=0.1)
