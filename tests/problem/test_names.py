"""Names that Python's grammar does not take for names, in formulas."""

import ast
from keyword import kwlist

import numpy as np
import pytest

import taut
from taut.problem.known import Known
from taut.problem.names import as_written, dotted, renamed
from taut.problem.space import to_unit

WORDS = [word for word in kwlist if word not in ("True", "False", "None")]


@pytest.mark.parametrize("word", [*WORDS, "wing.span", "is.in", "x.1.lambda", "match", "sqrt", "min", "_"])
def test_any_name_may_stand_in_a_formula(word: str) -> None:
    line = renamed(dotted(f"2*{word}+1.5e3"))
    tree = as_written(ast.parse(line, mode="eval").body)
    assert [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)] == [word]
    assert len(line) == len(f"2*{word}+1.5e3")

    problem = taut.Problem(
        [taut.Real(word, 1.0, 2.0), taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", goal="minimize", formula=f"({word} - 1.5)**2 + {word}*x"),
    )
    known, point = Known(problem, "f"), {word: 1.25, "x": 0.5}
    assert known.value(point) == 0.25**2 + 1.25 * 0.5
    value, slope = known.with_gradient(to_unit(problem, point)[None, :])
    assert value == pytest.approx([known.value(point)]) and slope == pytest.approx(np.array([[2 * -0.25 + 0.5, 1.25]]))


def refusal(formula: str, *names: str) -> str:
    with pytest.raises(taut.ProblemError) as caught:
        taut.Problem([taut.Real(name, 0.0, 1.0) for name in names], taut.Objective("f", formula=formula))
    return str(caught.value)


@pytest.mark.parametrize(
    ("formula", "place", "says"),
    [
        ("2 * lambda ^ 2", 1, "write ** for a power"),
        ("lambda * in * wing.spam", 15, "the closest is 'wing.span'"),
        ("1 + lambda * sqtr(in)", 14, "got 'sqtr'; the closest is 'sqrt'"),
        ("lambda * (2 + in", 10, "text that is none"),
        ("lambda if in else 2", 8, "text that is none"),
        ("wing.span if x else 2", 1, "got 'wing.span if x else 2'"),
        ("plate * 2", 1, "a hyphen is a minus in a formula: call 'plate-width' 'plate_width'"),
        ("3 + plate-width", 5, "a hyphen is a minus"),
        ("class * 2", 1, "one of 'lambda', 'in', 'wing.span', 'plate-width', 'pi', got 'class';"),
        ("2 * True", 5, "a number, got 'True'"),
    ],
)
def test_mistakes_are_named_as_they_were_written(formula: str, place: int, says: str) -> None:
    message = refusal(formula, "lambda", "in", "wing.span", "plate-width")
    assert f"column {place}:" in message and says in message and repr(formula) in message


def test_tables_and_choices_may_have_such_names() -> None:
    problem = taut.Problem(
        [taut.Choice("class", ("a", "b")), taut.Real("in", 0.0, 1.0)],
        taut.Objective("f", goal="minimize", formula="from[class] + in"),
        [taut.Constraint("lambda", at_most=1.0)],
        tables={"from": {"a": 1.0, "b": 2.0}},
    )
    study = taut.Study(problem, method="cei+", initial=2)
    best = study.run({"lambda": lambda point: point["in"] + 0.5}, budget=4.0)
    assert best.point["class"] == "a" and best.measured["lambda"] == best.point["in"] + 0.5
