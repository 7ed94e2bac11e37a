"""The course of a study in words and pictures."""

from dataclasses import replace

from shown import bracket, known, known_beliefs, known_facts, sound

from taut.data.rows import Observation
from taut.plot.page import course
from taut.plot.page.words import number


def test_money_names_what_was_saved() -> None:
    facts = known_facts(known())
    said = sound(course.money(facts)).text
    assert f"would have cost {number(facts.spending.coupled)}" in said and "was saved" in said
    assert "Nothing was evaluated yet" in course.money(known_facts(bracket()))


def test_progress() -> None:
    assert sound(course.progress(known_facts(known()), known_beliefs().convergence)).tags.count("figure") == 2


def test_a_decision_shows_what_it_was_compared_with() -> None:
    facts = known_facts(known())
    page = sound(course.decisions(facts))
    assert page.tags.count("details") == len(facts.decisions)
    newest = facts.decisions[0]
    assert newest.chosen is not None
    for each in newest.candidates:
        assert " + ".join(each.functions) in page.text
    assert f"decision-{newest.number}" in page.ids and "under way" in page.text


def test_what_runs_and_what_is_abandoned() -> None:
    facts = known_facts(known())
    assert "running, process 4711 on node7" in sound(course.running(facts)).text
    short = replace(facts, running=(replace(facts.running[0], left=41.6), replace(facts.running[0], left=-3.0)))
    said = sound(course.running(short)).text
    assert said.count("lease for 42 s more unless renewed") == 1 == said.count("lease for")
    left = replace(
        facts, running=(replace(facts.running[0], living=False), replace(facts.running[0], who="", living=False))
    )
    said = sound(course.running(left)).text
    assert "abandoned by process 4711" in said and "waits for its value" in said
    many = replace(facts, running=facts.running[:1] * 25)
    assert "and 5 more" in course.running(many)
    assert "Nothing is under way" in course.running(known_facts(bracket()))


def test_failures_say_why() -> None:
    facts = known_facts(known())
    row = Observation("sag", {"width": 2.0, "height": 20.0}, None, 3, "<no convergence>")
    page = sound(course.failures(replace(facts, failed=(row,), failures=30)))
    assert "<no convergence>" in page.text and "#3" in page.text and "The latest 1 of 30" in page.text
    assert "Nothing has failed" in course.failures(known_facts(bracket()))
