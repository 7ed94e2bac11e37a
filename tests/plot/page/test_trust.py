"""Can the models be trusted?"""

import math
from dataclasses import replace

from shown import Page, known, known_beliefs, known_facts, sound

from taut.data.results import Outlook
from taut.plot.page import trust


def test_every_function_has_its_record() -> None:
    page = sound(trust.honesty(known_facts(known()), known_beliefs()))
    for row in known_beliefs().checks:
        assert row.function in page.text and row.reason in page.text


def test_the_verdict_follows_the_shares() -> None:
    found = known_beliefs()
    good = tuple(replace(row, predictions=20, within=(0.7, 0.95, 1.0)) for row in found.checks)
    poor = (replace(good[0], within=(0.3, 0.6, 0.8)), *good[1:])
    few = tuple(replace(row, predictions=2) for row in found.checks)
    facts = known_facts(known())
    assert "So far yes" in trust.honesty(facts, replace(found, checks=good))
    assert "With care" in trust.honesty(facts, replace(found, checks=poor))
    assert "Too few predictions" in trust.honesty(facts, replace(found, checks=few))


def test_without_an_outlook_the_last_decision_speaks() -> None:
    assert "was expected to bring" in trust.outlook(known_facts(known()), None)


def test_what_more_money_would_bring() -> None:
    found = Outlook(0.01, 0.2, 0.5, 30.0, (0.0, 0.1, 0.2, 0.4, math.inf))
    page = sound(trust.outlook(known_facts(known()), found))
    assert "all that is left (30), at most 0.5" in page.text and "next tenth of the budget 0.2" in page.text
    assert any(value == "within 0.1 of mass: 40 %" for name, value in page.attributes if name == "data-tip")
    for odd in (Outlook(math.inf, math.inf, math.inf, math.inf), Outlook(0.0, 0.0, 0.0, 0.0, (0.0, 0.0))):
        Page(trust.outlook(known_facts(known()), odd))


def test_without_money_nothing_is_promised_and_nothing_denied() -> None:
    said = sound(trust.outlook(known_facts(known()), Outlook(0.0, 0.0, 0.0, 0.0, (0.0, 0.1)))).text
    assert "The budget is spent." in said and "perfect knowledge" not in said and "expected gain" not in said
    endless = sound(trust.outlook(known_facts(known()), Outlook(0.1, 0.0, 0.5, math.inf, (0.0, 0.1)))).text
    assert "perfect knowledge 0.5" in endless
