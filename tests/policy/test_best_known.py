"""Problems that are all formula are solved at no cost."""

import pytest

import taut


def gears() -> taut.Problem:
    return taut.Problem(
        [taut.Integer(name, 12, 40) for name in ("a", "b", "c", "d")],
        taut.Objective("error", goal="minimize", formula="(1 / 6.931 - a * b / (c * d)) ** 2"),
    )


def test_every_design_is_looked_at() -> None:
    best = taut.Study(gears()).recommend()
    q = best.point
    products = {a * b for a in range(12, 41) for b in range(12, 41)}
    exact = min((1 / 6.931 - n / m) ** 2 for n in products for m in (1600, 1560))
    assert best.objective[0] == (1 / 6.931 - q["a"] * q["b"] / (q["c"] * q["d"])) ** 2 <= exact
    assert best.verified and best.feasibility == 1.0 and best.measured == {"error": best.objective[0]}


def test_real_parameters_and_an_active_known_constraint() -> None:
    problem = taut.Problem(
        [taut.Real("x", -2.0, 2.0), taut.Real("y", -2.0, 2.0), taut.Integer("n", 1, 5)],
        taut.Objective("f", goal="minimize", formula="(x - 1) ** 2 + (y - 1) ** 2 + (n - 2.6) ** 2"),
        [
            taut.Constraint("disc", at_most=1.0, formula="x ** 2 + y ** 2"),
            taut.Constraint("few", at_most=2, formula="n"),
        ],
    )
    study = taut.Study(problem)
    best = study.recommend()
    assert best.objective[0] == pytest.approx(2.0 * (1.0 - 0.5**0.5) ** 2 + 0.36, rel=1e-9)
    assert best.point["x"] ** 2 + best.point["y"] ** 2 <= 1.0 and best.point["n"] == 2
    with pytest.raises(taut.TautError, match="nothing has to be evaluated"):
        study.ask()
    assert study.run({}, budget=5.0).point == best.point
    assert [row.verdict for row in study.relevance()] == ["binding", "binding"]
