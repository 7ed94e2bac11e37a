"""Reading formulas: what is one, what is not, and where the trouble is."""

import math

import pytest

from taut.base.errors import ProblemError
from taut.problem.formula import DEEPEST, Formula, Lookup

WHOSE = "Objective 'f'"


def value(text: str, **point: float) -> float:
    return Formula.of(WHOSE, text).value(point, {"density": {"steel": 7.85}})


def test_a_formula_is_what_python_makes_of_it() -> None:
    x, y = 0.1, 0.7
    assert value("x + 2*y**2 - -x/3", x=x, y=y) == x + 2 * y**2 - -x / 3
    assert value("sqrt(x) + log10(y) * pi", x=x, y=y) == math.sqrt(x) + math.log10(y) * math.pi
    assert value("max(x, y, 0.3) - min(x, 1)", x=x, y=y) == max(x, y, 0.3) - min(x, 1)
    assert value(" x *\n (1 +\n y) ", x=x, y=y) == x * (1 + y)
    assert value("pi", pi=3.0) == 3.0  # a parameter of that name


def test_names_and_tables() -> None:
    formula = Formula.of(WHOSE, "density[material] * w * h + w + pi")
    assert formula.names == ("w", "h", "pi", "material")
    assert formula.lookups == (Lookup("density", "material"),)
    assert (
        formula.value({"w": 2.0, "h": 1.0, "material": "steel"}, {"density": {"steel": 7.85}})
        == 7.85 * 2.0 + 2.0 + math.pi
    )


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("x ^ 2", 1, "write ** for a power"),
        ("1 + f(x)", 5, "one of the functions sqrt"),
        ("x + sqtr(x)", 5, "the closest is 'sqrt'"),
        ("1 + x if y else 3", 1, "a plain formula"),
        ("x + __import__('os')", 5, "one of the functions"),
        ("(x).real", 1, "a plain formula"),
        ("x[0] + 1", 1, "table[parameter]"),
        ("2 * 'a'", 5, "a number"),
        ("2 * True", 5, "a number"),
        ("3j + x", 1, "a number"),
        ("sqrt(x, y)", 1, "sqrt(a) with one number"),
        ("1 - max(x)", 5, "two numbers or more"),
        ("max(*x, 1)", 1, "two numbers or more"),
        ("x < 3", 1, "a plain formula"),
        ("x // 2", 1, "the operators"),
        ("~x", 1, "before a number"),
        ("(lambda: x)()", 1, "one of the functions"),
        ("[x]", 1, "a plain formula"),
        ("x := 3", 3, "text that is none"),
        ("2 x", 3, "text that is none"),
        ("\u00e9 + x ^ 2", 1, "write ** for a power"),
        ("  x + y @ 2", 7, "the operators"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_place(text: str, column: int, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        Formula.of(WHOSE, text)
    assert f"column {column}" in str(caught.value) and says in str(caught.value) and WHOSE in str(caught.value)


@pytest.mark.parametrize("text", ["", "  ", "x # why", "x" * 20_000, "(" * 300 + "x" + ")" * 300, "x\0", "in\0"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ProblemError):
        Formula.of(WHOSE, text)


def test_a_formula_may_be_long_but_not_deep() -> None:
    assert value("+".join(["x"] * 150), x=1.0) == 150.0
    with pytest.raises(ProblemError, match=str(DEEPEST)):
        Formula.of(WHOSE, "+".join(["x"] * 400))


def test_unknown_names_are_refused_with_the_closest() -> None:
    formula = Formula.of(WHOSE, "width * heigth")
    with pytest.raises(ProblemError, match=r"column 9: .* got 'heigth'; the closest is 'height'"):
        formula.check({"width": True, "height": True}, {}, {})


def test_tables_must_fit() -> None:
    formula = Formula.of(WHOSE, "1 + density[material]")
    options = {"material": ("steel", "wood")}
    known = {"material": False, "width": True}
    with pytest.raises(ProblemError, match="one of the tables 'price', got 'density'"):
        formula.check(known, {"price": {"steel": 1.0}}, options)
    with pytest.raises(ProblemError, match=r"a table that is declared \(there is none\), got 'density'"):
        formula.check(known, {}, options)
    with pytest.raises(ProblemError, match=r"in the brackets \(this problem has none\)"):
        formula.check(known, {"density": {"steel": 1.0}}, {})
    with pytest.raises(ProblemError, match="none for 'wood'"):
        formula.check(known, {"density": {"steel": 1.0}}, options)
    with pytest.raises(ProblemError, match="a choice in the brackets"):
        Formula.of(WHOSE, "density[width]").check(known, {"density": {"steel": 1.0}}, options)
    with pytest.raises(ProblemError, match=r"density\[material\]"):
        Formula.of(WHOSE, "2 * material").check(known, {}, options)
    formula.check(known, {"density": {"steel": 1.0, "wood": 2.0}}, options)
