"""What is said about a point."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from states import chosen, context, everywhere, state

import taut
from taut.base.quasirandom import sobol
from taut.data.dataset import Request
from taut.policy.belief import belief

X = [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)]


def problem() -> taut.Problem:
    return taut.Problem(X, taut.Objective("f"), [taut.Constraint("c", at_most=0.0)])


def bowl(q: dict[str, float]) -> float:
    return -((q["x"] - 0.7) ** 2 + (q["y"] - 0.6) ** 2)


def line(q: dict[str, float]) -> float:
    return q["x"] + q["y"] - 1.0


def points(count: int, seed: int = 0) -> np.ndarray:
    return sobol(count, 2, np.random.default_rng(seed))


def few_values(seed: int = 3) -> Request:
    return everywhere(problem(), {"f": bowl, "c": lambda q: math.sin(9.0 * line(q))}, points(5, seed))


def test_reported_probabilities_are_student_t_while_few_values_are_known() -> None:
    """The signal variance was integrated out: with five values T_4((bound - mean)/sd), not the normal probability."""
    made = context(few_values(), precise=True)
    found = belief(made, np.array([0.45, 0.45]))
    score = -found.mean[1] / found.sd[1] * math.sqrt(4.0 / 2.0)  # the reported sd is that of the Student-t
    assert found.probability[1] == pytest.approx(stats.t.cdf(score, 4), abs=1e-9) == found.feasibility
    assert abs(found.probability[1] - stats.norm.cdf(score)) > 1e-4


def test_a_belief_is_in_declared_order() -> None:
    declared = taut.Problem(X, taut.Objective("f"), [taut.Constraint(n, at_most=0.0) for n in ("z", "a")])
    values = {"f": bowl, "z": lambda q: -5.0 + 0.1 * line(q), "a": lambda q: 4.0 + 0.1 * line(q)}
    found = belief(context(everywhere(declared, values, points(8))), np.array([0.5, 0.5]))
    assert found.mean == pytest.approx([bowl({"x": 0.5, "y": 0.5}), -5.0, 4.0], abs=0.1)
    assert found.probability == pytest.approx([1.0, 1.0, 0.0], abs=1e-3)
    assert found.feasibility == pytest.approx(np.prod(found.probability))


def test_a_belief_says_what_is_unknown() -> None:
    nothing = belief(context(state(problem(), [("f", {"x": 0.5, "y": 0.5}, 1.0)])), np.full(2, 0.5))
    assert nothing.note == "no value of c is known yet"
    never = context(everywhere(problem(), {"f": bowl, "c": lambda q: 1e3 + q["x"]}, points(6)))
    assert "no feasible region yet" in belief(never, never.optimum.x).note and not never.optimum.feasible


@pytest.mark.parametrize("size", [1e-140, 1e140])
def test_a_belief_is_in_the_users_units_however_large_the_values(size: float) -> None:
    plain = context(everywhere(problem(), {"f": bowl, "c": line}, points(8)))
    scaled = {"f": lambda q: size * bowl(q), "c": lambda q: size * line(q)}
    made = context(everywhere(problem(), scaled, points(8)), chosen(penalty=-2.0 * size))
    assert made.utility.M == pytest.approx(-2.0 * size * made.dataset.functions[0].unit)
    one, other = (belief(each, np.array([0.4, 0.5])) for each in (plain, made))
    assert other.mean / size == pytest.approx(one.mean, rel=1e-5)
    assert other.sd / size == pytest.approx(one.sd, rel=1e-3)
    assert other.probability == pytest.approx(one.probability, abs=1e-5)
    assert "f: values of extreme size, treated in units of" in other.note and one.note == ""


def test_a_probability_is_not_below_0() -> None:
    """Distribution functions at the two ends of a very narrow interval differ by their rounding errors, either way."""
    declared = taut.Problem(
        X, taut.Objective("f"), [taut.Constraint("c", at_least=0.5, at_most=math.nextafter(0.5, 1.0))]
    )
    made = context(everywhere(declared, {"f": bowl, "c": lambda q: 0.5 + math.sin(9.0 * line(q))}, points(5)))
    found = [belief(made, x) for x in points(256, 1)]
    assert min(float(each.probability.min()) for each in found) == 0.0 <= min(b.feasibility for b in found)


def failing(*fail: str) -> Request:
    """Twelve points; the named functions fail where x > 0.6."""
    rows = []
    for x, y in points(12):
        at = {"x": float(x), "y": float(y)}
        for name, function in (("f", bowl), ("c", line)):
            rows.append((name, at, None if name in fail and x > 0.6 else function(at)))
    return state(problem(), rows)


def test_feasibility_includes_whether_everything_can_be_computed() -> None:
    made, x = context(failing("c"), precise=True), np.array([0.57, 0.2])
    found = belief(made, x)
    q = made.computable(x)
    assert q[0] == 1.0 and 0.05 < q[1] < 0.99
    assert found.feasibility == pytest.approx(found.probability[1] * q[1])
    count = sum(x > 0.6 for x, _ in points(12))
    assert f"c could not be computed at {count} of 12 points: here it can with probability {q[1]:.3g}" in found.note


def test_functions_that_fail_together_count_once() -> None:
    made, x = context(failing("f", "c"), precise=True), np.array([0.57, 0.2])
    found, q = belief(made, x), made.computable(x)
    assert q[0] == q[1] < 0.99 and found.feasibility == pytest.approx(found.probability[1] * q[0])


def test_where_a_function_was_evaluated_it_is_known_whether_it_can_be_computed() -> None:
    made = context(failing("c"), precise=True)
    data = made.dataset
    here, there = data.X[1][0], data.failed[1][0]
    assert "could not" not in belief(made, here).note and belief(made, there).feasibility == 0.0
    assert belief(made, here).feasibility == pytest.approx(belief(made, here).probability[1])


@pytest.mark.parametrize(
    ("limit", "flag"),
    [({"at_least": 1.0}, lambda p: float(p["x"] > 0.3)), ({"at_most": 0.0}, lambda p: max(0.0, p["x"] - 2.0))],
)
def test_values_on_the_limit_are_no_tossed_coin(
    limit: dict[str, float], flag: Callable[[dict[str, float]], float]
) -> None:
    """With the limit where the values are, every new place holds with one half, and the whole budget goes there."""
    functions = {"f": lambda p: p["x"] + p["y"] ** 2, "c": flag, "g": lambda p: p["x"] * p["y"]}
    constraints = [taut.Constraint("c", **limit), taut.Constraint("g", at_least=0.3)]
    study = taut.Study(taut.Problem(X, taut.Objective("f", goal="minimize"), constraints))
    study.run(functions, budget=10, verify=False)
    assert study.counts["c"] < 6 + 8
    assert study.predict({"x": 0.85, "y": 0.7})["c"][2] > 0.6


def test_where_no_design_is_feasible_it_says_what_is_in_the_way() -> None:
    """c and e exclude each other, g holds everywhere: the two are named, the less likely one first."""
    limits = [taut.Constraint("c", at_most=0.2), taut.Constraint("e", at_least=0.9), taut.Constraint("g", at_most=9.0)]
    functions = {"f": lambda p: p["y"], "c": lambda p: p["x"], "e": lambda p: p["x"], "g": lambda p: p["y"]}
    study = taut.Study(taut.Problem(X, taut.Objective("f"), limits), initial=12)
    for _ in range(12):
        row = study.ask()
        study.tell(row, {name: functions[name](row.point) for name in row.functions})
    best = study.recommend()
    assert "no feasible region yet" in best.note and best.feasibility < 1e-3
    named = best.note.split("in the way: ")[1].split(";")[0]
    wrong = sorted(
        (name for name in ("c", "e") if best.constraints[name][2] < 0.5), key=lambda k: best.constraints[k][2]
    )
    assert [each.split(" (")[0] for each in named.split(", ")] == wrong and wrong
