"""A study in which every function has a formula: nothing is evaluated or believed, and nobody speaks of it."""

import json
from pathlib import Path

import pytest
from studies import assert_mistake, call, done

from taut.app.look.watch import Watch
from taut.app.studyfile.file import load

BOX = """\
[study]
name = "box"

[parameters.w]
low = 1.0
high = 9.0

[parameters.h]
low = 1.0
high = 9.0

[objective]
name = "mass"
goal = "minimize"
formula = "w * h"

[[constraints]]
name = "perimeter"
at_least = 12
formula = "2 * (w + h)"
"""
BELIEFS = (
    "probability",
    "verif",
    "evaluated at",
    "spent",
    "spending",
    "outlook",
    "prediction",
    "measured design",
    "> 0.99",
)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("known") / "study.toml"
    path.write_text(BOX)
    return str(path)


def said(*words: str) -> str:
    text = done(*words)
    assert not [each for each in BELIEFS if each in text], text
    return text


def test_the_answer_is_there_before_anything_began(study: str) -> None:
    text = said("best", study)
    assert "mass = 5, feasible\n" in text and "every function has a formula" in text
    assert "perimeter   12           binds" in text
    assert "this costs 4 of mass" in said("best", study, "--with", "perimeter>=20")
    assert json.loads(done("best", study, "--json"))["outlook"] is None
    assert [each.name for each in Path(study).parent.iterdir()] == ["study.toml"]


def test_a_point_is_feasible_or_not(study: str) -> None:
    assert ": feasible\n" in said("predict", study, "w=3", "h=3")
    text = said("predict", study, "w=3", "h=2")
    assert ": not feasible\n" in text and "10           violated" in text


def test_there_is_nothing_to_try_or_to_ask(study: str) -> None:
    assert "no program to try" in said("check", study)
    assert "dry run" not in said("check", study)
    assert "nothing has to be evaluated" in said("status", study)
    assert_mistake(call("ask", study), "every function has a formula", "taut best")


def test_a_run_needs_no_budget_and_ends_with_the_answer(study: str) -> None:
    text = said("run", study, "--plain")
    assert "mass = 5, feasible\n" in text and "budget" not in text and "Finished" not in text
    assert json.loads(done("run", study, "--json"))["best"]["objective"]["mean"] == pytest.approx(5.0)
    assert "best  mass = 5, feasible, at w=" in said("status", study)


def test_the_page_has_the_answer_and_no_word_of_evaluations(study: str, tmp_path: Path) -> None:
    done("run", study, "--json")
    done("report", study, "-o", str(tmp_path / "box.html"))
    page = (tmp_path / "box.html").read_text()
    assert "✓ computed" in page and "no value yet" not in page
    for title in ("Is more money worth it?", "Where the money went", "Can the models be trusted?", "Best measured"):
        assert title not in page
    watch = Watch(load(study))
    watch.look()
    assert watch.state.waiting  # for the models, although there is no value
