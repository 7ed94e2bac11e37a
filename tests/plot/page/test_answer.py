"""The answer and what matters, in words."""

from dataclasses import replace

from shown import bracket, known, known_beliefs, known_facts, sound

import taut
from taut.plot.page import answer
from taut.plot.page.page import gathered
from taut.plot.page.words import number, percent


def test_numbers_without_a_model() -> None:
    facts = known_facts(known(), 80.0)
    said = sound(answer.now(facts)).text
    assert facts.incumbent is not None and f"mass = {number(facts.incumbent.objective)}" in said
    assert f"{number(facts.spent)} of 80" in said and f"{facts.values} values" in said
    assert "none yet" in sound(answer.now(known_facts(bracket()))).text


def test_the_best_design_with_its_margins() -> None:
    facts, found = known_facts(known()), known_beliefs()
    said = sound(answer.answer(facts, found)).text
    for name, value in found.best.point.items():
        assert f"{name} {number(value, 6)}" in said
    for name, (_, _, p) in found.best.constraints.items():
        assert name in said and percent(p) in said


def test_verified_is_said() -> None:
    facts, found = known_facts(known()), known_beliefs()
    best = replace(found.best, verified=True, measured={"mass": 3.0, "stress": 100.0, "sag": 1.0})
    said = sound(answer.answer(facts, replace(found, best=best))).text
    assert "✓ verified" in said and "mass = 3 as measured" in said and "100 ✓" in said


def test_why_it_is_not_verified_is_said_too() -> None:
    found = replace(
        known_beliefs(), unverified="not verified: sag was not evaluated at this very point; to do so costs 2"
    )
    assert "Not verified: sag was not evaluated" in sound(answer.answer(known_facts(known()), found)).text
    fine = replace(found, unverified="")
    assert "ot verified" not in sound(answer.answer(known_facts(known()), fine)).text


def test_every_constraint_is_judged() -> None:
    page = sound(answer.constraints_that_matter(known_facts(known()), known_beliefs()))
    for row in known_beliefs().relevance:
        assert row.constraint in page.text and percent(row.matters) in page.text


def test_sliders_begin_at_the_limits() -> None:
    made = answer.what_if(known_facts(known()))
    assert made is not None
    page = sound(made)
    limits = [value for name, value in page.attributes if name == "data-limit"]
    assert limits == ["150.0", "2.0", "0.0"]
    assert answer.what_if(known_facts(bracket())) is None


def test_what_would_be() -> None:
    best = known_beliefs().best
    better = replace(best, objective=(best.objective[0] - 0.5, 0.1))
    assert "0.5 better than now" in answer.what_if_answer(known().problem, better, best)
    assert "no change" in answer.what_if_answer(known().problem, best, best)
    assert "now" not in answer.what_if_answer(known().problem, best, None)


def test_without_constraints_nothing_can_be_violated() -> None:
    problem = taut.Problem([taut.Real("x", 1e9, 1e9 + 1.0)], taut.Objective("f"))
    study = taut.Study(problem, "random")
    study.add({"x": 1e9 + 0.25}, {"f": 1.0})
    facts, found = gathered(study, "bowl", None)
    assert found is not None
    best = replace(found.best, point={"x": 1e9 + 0.25}, verified=False, feasibility=1.0)
    said = sound(answer.answer(facts, replace(found, best=best))).text
    assert "feasible with" not in said
    assert "1000000000.25" in said and "1000000000 … 1000000001" in said, "a range may be narrow and far from 0"
    doubtful = sound(answer.answer(facts, replace(found, best=replace(best, feasibility=0.8)))).text
    assert "feasible with 80 %" in doubtful, "it may fail"
