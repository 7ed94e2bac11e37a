"""What every method promises on a mixed problem in which some functions are formulas."""

from typing import Any

import pytest

import taut
from taut.policy import METHODS

FAST = {"inner": 32, "raw": 16, "starts": 2, "search_raw": 64, "search_starts": 4, "paths": 2}
STRENGTH = {"steel": 2.0, "aluminium": 1.0, "3": 1.5}
FORMULAS = {
    "mass": "width * ribs * strength[material] + 10 * wire",
    "stress": "4 / (width * strength[material]) - 0.05 * ribs",
    "fit": "width - 20 * wire",
}


def functions(q: dict[str, Any]) -> dict[str, float]:
    strength = STRENGTH[str(q["material"])]
    return {
        "mass": q["width"] * q["ribs"] * strength + 10.0 * q["wire"],
        "stress": 4.0 / (q["width"] * strength) - 0.05 * q["ribs"],
        "fit": q["width"] - 20.0 * q["wire"],
    }


def problem(known: set[str], measured: bool = False, setup: bool = False) -> taut.Problem:
    text = {name: FORMULAS[name] if name in known else None for name in FORMULAS}
    cost: dict[str, Any] = {name: "measured" if measured and name not in known else 1.0 for name in FORMULAS}
    return taut.Problem(
        parameters=[
            taut.Choice("material", ("steel", "aluminium", 3)),
            taut.Integer("ribs", 1, 12),
            taut.Ordinal("wire", (0.207, 0.225, 0.263, 0.283)),
            taut.Real("width", 1.0, 5.0),
        ],
        objective=taut.Objective("mass", goal="minimize", formula=text["mass"], cost=cost["mass"]),
        constraints=[
            taut.Constraint("stress", at_most=1.0, formula=text["stress"], cost=cost["stress"]),
            taut.Constraint("fit", at_least=-4.0, at_most=-1.5, formula=text["fit"], cost=cost["fit"]),
        ],
        tables={"strength": STRENGTH},
        setups=[taut.Setup("mesh", ("mass", "stress"), cost=2.0)] if setup else [],
    )


PROBLEMS = {
    "objective": problem({"mass"}),
    "all but one constraint": problem({"mass", "fit"}),
    "constraints, and a mesh": problem({"fit"}, setup=True),
}


MEASURED = problem({"mass"}, measured=True)


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("method", sorted(METHODS))
def test_what_is_known_is_never_asked_for_and_never_violated(method: str, which: str) -> None:
    holds(method, PROBLEMS[which])


@pytest.mark.parametrize("method", ["dckg", "cei+", "cmes", "random"])
def test_so_it_is_where_costs_are_measured(method: str) -> None:
    holds(method, MEASURED)


def holds(method: str, declared: taut.Problem) -> None:
    known = set(declared.functions) - set(declared.simulated)
    study = taut.Study(declared, method=method, seed=2, initial=3, options=FAST)
    for _ in range(5):
        row = study.ask(remaining=6.0)
        values = functions(row.point)
        study.tell(row, {name: values[name] for name in row.functions}, seconds=dict.fromkeys(row.functions, 0.5))
    best = study.recommend()
    last = study.suggestions[-1]
    assert study.replay(last.number) == last
    assert not any(known & set(row.functions) for row in study.suggestions)
    for point in (best.point, *(row.point for row in study.suggestions)):
        assert declared.check_point(point) == point and type(point["ribs"]) is int
        assert "fit" not in known or -4.0 <= functions(point)["fit"] <= -1.5
    assert all(study.counts[name] == 0 for name in known)
    if "mass" in known:
        assert best.objective == (functions(best.point)["mass"], 0.0)
    told = study.predict(best.point).constraints["fit"]
    assert "fit" not in known or (told[0], told[2]) == (functions(best.point)["fit"], 1.0)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_failures_and_work_under_way_with_a_known_limit(method: str) -> None:
    study = taut.Study(PROBLEMS["all but one constraint"], method=method, seed=1, initial=2, options=FAST)
    for _ in range(2):
        row = study.ask()
        study.tell(row, {"stress": functions(row.point)["stress"]})
    study.tell(study.ask(), {"stress": None})
    waiting = [study.ask() for _ in range(2)]
    assert len({repr(row.point) for row in study.suggestions}) == len(study.suggestions) == 5
    assert all(-4.0 <= functions(row.point)["fit"] <= -1.5 for row in waiting)
