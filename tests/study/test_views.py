"""What a study shows of itself in a notebook."""

import numpy as np
import toy

import taut
from taut.data.results import RelevanceRow, RelevanceRows


def test_an_overview_without_models() -> None:
    problem = taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", goal="minimize"),
        [
            taut.Constraint("c", at_most=2.0, at_least=1.0),
            taut.Constraint("d", at_most=0.5),
            taut.Constraint("e", at_least=0),
        ],
    )
    study = taut.Study(problem, method="random")
    assert "none yet" in study._repr_html_()
    study.add({"x": 0.5}, {"f": 1.25, "c": 1.5, "d": 0.0, "e": 1.0})
    shown = study._repr_html_()
    assert "<td>minimize</td>" in shown and "<td>1 to 2</td>" in shown
    assert "<td>at most 0.5</td>" in shown and "<td>at least 0</td>" in shown
    assert "f = 1.25 at x = 0.5" in shown


def test_a_method_of_ones_own_makes_no_survey() -> None:
    assert toy.study().survey(np.array([[0.5, 0.5]])) is None


def test_answers_in_a_notebook() -> None:
    rec = taut.Recommendation({"x": 0.25}, (1.5, 0.25), 0.875, {"c": (0.5, 0.25, 0.75)}, note="<careful>")
    shown = rec._repr_html_()
    assert "objective 1.5 ± 0.25" in shown and "feasible with probability 0.88" in shown
    assert "<td>c</td><td>0.5</td><td>0.25</td><td>0.75</td>" in shown and "&lt;careful&gt;" in shown
    row = RelevanceRow("c", 0.99, 0.5, "binding", 3, 6.0, 12.0, price=(0.5, 0.25, 1.0))
    judged = RelevanceRows([row])
    assert judged == [row] and "0.5 (0.25 to 1)" in judged._repr_html_() and "<td>binding</td>" in judged._repr_html_()
