"""The page of what was judged: counts, misses, and which seeds count."""

import importlib
import json
import math
import re
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
GOOD = {
    "constraint": "c", "price": [1.0, 0.9, 1.2], "true_price": 1.15, "gain": [1.0, 0.9, 1.2], "true_gain": 1.05,
    "step": 0.5, "verdict": "binding", "true_verdict": "binding",
}  # fmt: skip
BAD = GOOD | {"price": [1.0, 0.9, 1.1], "gain": None, "verdict": "irrelevant"}
FREE = {"constraint": "e", "price": None, "true_price": 0.0, "verdict": "undecided", "true_verdict": "irrelevant"}
SHARED = {"problem": "a", "range": 10.0, "commit": "abc", "seconds": 7.0}


@pytest.fixture
def page(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("meaning_page")


def squeezed(words):
    """Without the padding of tables."""
    return re.sub(" {2,}", " ", words)


def lines(*seeds):
    stop = {"spent": 50, "rest": 0.0, "cost": 0.5}
    first = SHARED | {"seed": seeds[0], "rows": [GOOD, FREE], "cost": 0.1, "stop": stop}
    whole = {"spent": 200, "cost": 0.0}
    second = SHARED | {"seed": seeds[1], "rows": [BAD], "cost": 0.0, "stop": whole, "seconds": None}
    return json.loads(json.dumps([first, second]))


def test_all_bars_and_all_misses(page):
    words = squeezed(page.text(lines(10, 11), 200.0, 1e-3))
    assert "inside its interval | 90 % | 1 of 2 (50.0%) |" in words
    assert "true problem again | all | 1 of 2 (50.0%) (price times step: 0) |" in words
    assert "| 1 of 3 (33.3%); undecided 1, wrong 1 |" in words
    assert "in the median | a third | 38%; ended early in 1 of 2 |" in words
    assert "range | none | 1; largest loss 0.04 |" in words
    assert "| a | 2 | 1 | 1/2 | 1/2 | 0/2 | 1/3 | 1 | 1 | 125 | 0.04 | 7 |" in words
    assert "| a | 11 | c | gain | nothing | 1.05 |" in words
    assert "| a | 10 | e | verdict | undecided | irrelevant |" in words
    assert "| a | 10 | | loss of stopping at 50 | 0.04 | 0 |" in words and "Each problem has 2 of the 10 seeds" in words
    uneven = lines(10, 11) + [
        line | {"problem": "b", "seed": seed} for seed in range(10, 20) for line in lines(10, 11)[:1]
    ]
    assert "Fewer than 10 seeds: a 2." in page.text(uneven, 200.0, 1e-3)


def test_seeds_that_were_looked_at_do_not_count_beside_others(page):
    mixed = squeezed(page.text(lines(0, 11), 200.0, 1e-3))
    assert "1\nwhole studies" in mixed.replace(" ", "\n") or "seeds 11;" in mixed
    assert "flatter" not in mixed and "| a | 1 |" in mixed
    assert "flatter" in page.text(lines(0, 1), 200.0, 1e-3)


def test_studies_that_were_not_run_with_the_rule_say_nothing_of_it(page):
    words = squeezed(page.text([line | {"stop": None} for line in lines(10, 11)], 200.0, 1e-3))
    assert "| the rule to stop | | not measured yet |" in words and "| 1 | 1 | | | 7 |" in words


def test_without_misses_there_is_no_table_of_them(page):
    fine = lines(10, 11)[0] | {"rows": [GOOD], "cost": 0.5}
    assert "All misses" not in page.text([fine], 200.0, 1e-3)


def test_near(page):
    assert not page.near(None, 1.0) and page.near((0.0, 0.0, 0.0), 0.0) and not page.near((1.0, 1.0, 1.0), math.pi)
    assert page.close([1.0], 1.05) and not page.close(None, 1.0) and not page.close([0.5], 1.0)
