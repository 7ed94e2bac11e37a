"""The words that all views share."""

from dataclasses import replace

import pytest

from taut.app.look import text
from taut.app.look.answer import Answer
from taut.app.look.check import Check, Trial
from taut.app.look.status import Count, Open, Status
from taut.base.numbers import probability
from taut.data.results import FunctionCheck, Incumbent, Outlook, Prediction, Recommendation, RelevanceRow
from taut.data.rows import Suggestion

STATE = Status(
    name="bracket",
    storage="memory",
    objective="mass",
    goal="minimize",
    constraints=("stress",),
    method="dckg",
    seed=3,
    started=True,
    budget=40.0,
    spent=7.5,
    initial_cost=24.0,
    measured=False,
    pending_cost=2.0,
    initial_done=2,
    initial_size=6,
    suggestions=3,
    counts=(Count("mass", 1.0, 12, 0, 0, 1), Count("stress", 20.0, 3, 1, 2, 0)),
    open=(Open(3, {"x": 0.5}, ("mass", "stress"), ("stress",)),),
)
BEST = Recommendation({"x1": 0.5, "x2": 0.25}, (1.0, 0.5), 0.5, {"stress": (140.0, 2.0, 0.999)}, "few values")
ROW = RelevanceRow("stress", 0.9, 0.8, "binding", 3, 60.0, 80.0)


@pytest.mark.parametrize(
    ("p", "words"), [(0.0, "< 0.01"), (0.5, "0.50"), (0.994, "> 0.99"), (0.99, "0.99"), (0.01, "0.01")]
)
def test_probability(p: float, words: str) -> None:
    assert probability(p) == words
    line = text.best_line("f", replace(BEST, feasibility=p))
    assert line == f"f = 1 +- 0.5, P(feasible) {words}, not verified, at x1=0.5, x2=0.25"


@pytest.mark.parametrize(
    ("note", "shown"), [("f+c1: coupled evaluation", "coupled evaluation"), ("f: not these", "f: not these")]
)
def test_a_decision_does_not_repeat_its_functions(note: str, shown: str) -> None:
    assert text.why(Suggestion(7, {"x1": 0.5}, ("f", "c1"), 3.0, note)) == shown


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (119.0, "119 s"), (120.0, "2.0 min"), (9000.0, "2.5 h"), (2e5, "2.3 d")]
)
def test_duration(seconds: float, words: str) -> None:
    assert text.duration(seconds) == words


def test_status() -> None:
    assert text.status_lines(STATE) == [
        "bracket: minimize mass subject to stress",
        "method dckg, seed 3, stored in memory",
        "spent 7.5 of 40 (initial design: 24), 2 pending; initial design 2 of 6",
        "",
        "function  cost  told  failed  pending  added",
        "mass      1     12    0       0        1",
        "stress    20    3     1       2        0",
        "",
        "waiting for values:",
        "  3  mass, stress (running)  at x=0.5",
    ]
    assert text.status_lines(replace(STATE, started=False))[2:] == ["not started yet: taut run or taut ask begins it"]
    free = replace(STATE, constraints=(), budget=None)
    assert (text.headline(free), text.spent(free)) == ("bracket: minimize mass", "spent 7.5 (initial design: 24)")


def test_the_recommendation_and_what_was_measured_side_by_side() -> None:
    whole = Incumbent({"x": 0.5}, 1.25, {"mass": 1.25, "stress": 9.0}, (3, 7))
    lines = text.status_lines(replace(STATE, best=replace(BEST, verified=True), incumbent=whole))
    assert lines[7:10] == [
        "",
        "recommended    mass = 1 +- 0.5, verified, at x1=0.5, x2=0.25",
        "best measured  mass = 1.25, at x=0.5 (suggestions 3, 7)",
    ]
    assert text.status_lines(replace(STATE, best=BEST))[9].startswith("best measured  none yet at which every function")
    assert text.incumbent_line("f", replace(whole, suggestions=(3,))).endswith("(suggestion 3)")
    assert text.incumbent_line("f", replace(whole, suggestions=())).endswith("(measured elsewhere)")
    meant = text.status_lines(replace(STATE, best=BEST, meaning=("outlook: fine", "raising it saves 1")))
    assert meant[10:13] == ["", "outlook: fine", "raising it saves 1"]


def test_the_answer_looks_ahead() -> None:
    found = Answer(
        "bracket",
        "mass",
        "minimize",
        7.5,
        24.0,
        False,
        BEST,
        (ROW,),
        "verified",
        None,
        Outlook(0.0, 0.0, 0.0, 0.0, (0.5,)),
    )
    assert text.answer_lines(found)[5] == "best measured design: " + text.NONE_WHOLE
    whole = replace(found, best=replace(BEST, verified=True))
    assert text.NONE_WHOLE not in "".join(text.answer_lines(whole)), "formulas need no measured design"
    assert text.answer_lines(found)[6] == "outlook: with probability 0.9 within 0.5 of the best possible"


def test_check() -> None:
    good = Trial("mass", ("mass",), True, 0, {"mass": 1.5}, 0.25, "", "[objective]")
    bad = Trial("cfd", ("drag", "lift"), True, 3, {"drag": None, "lift": 2.0}, 1.5, "exit code 3", "[[groups]] 'cfd'")
    absent = Trial("rig", ("life",), False, None, {"life": None}, 0.0, "could not be started", "[[constraints]] 'life'")
    found = Check("bracket", {"x": 0.5}, (good, bad, absent), ("test",), ())
    assert text.check_lines(found) == [
        "dry run at x=0.5 (nothing is recorded)",
        "",
        "program  exit         seconds  gave",
        "mass     0            0.25     mass = 1.5",
        "cfd      3            1.5      lift = 2, FAILED (drag)",
        "rig      not started  0        FAILED (life)",
        "test: told by hand",
        "",
        "cfd: exit code 3",
        "  if it cannot be computed at this point (no convergence, no mesh), all is well: a run records such failures",
        "  and avoids their neighbourhood; --at tries another point",
        "  if there should have been a value, correct the program, or its command in [[groups]] 'cfd'",
        "",
        "rig: could not be started",
        "  correct the program, or its command in [[constraints]] 'life'",
        "",
        "no values yet: what the models are worth is seen when there are some",
    ]
    assert found.failed == ["cfd", "rig"]


def test_how_the_models_fared() -> None:
    first = FunctionCheck("mass", 12, 0, 8, (0.5, 0.75, 1.0), 2.44, 9, 1.25, 1e-4, "printed in steps of 0.0001")
    second = FunctionCheck("stress", 3, 1, 0, None, None, None, 1.0, None, "")
    assert text.check_lines(Check("bracket", None, (), (), (first, second))) == [
        "function  values  failed  predicted  within 1, 2, 3 sd  worst                  sd times  noise floor",
        "mass      12      0       8          50%, 75%, 100%     2.4 sd (suggestion 9)  1.25      "
        "0.0001: printed in steps of 0.0001",
        "stress    3       1       0                                                    1",
    ]


def test_answer() -> None:
    found = Answer("bracket", "mass", "minimize", 7.5, 24.0, False, BEST, (ROW,), "not verified: for a reason", None)
    whole = Incumbent({"x": 0.5}, 1.25, {"mass": 1.25, "stress": 9.0}, (3,))
    assert text.answer_lines(replace(found, incumbent=whole))[5] == (
        "best measured design: mass = 1.25, at x=0.5 (suggestion 3)"
    )
    sure = replace(found, best=replace(BEST, verified=True), incumbent=whole)
    assert not any("best measured" in line for line in text.answer_lines(sure))  # it is the recommended one
    assert text.answer_lines(found) == [
        "bracket: best point after spending 7.5 (initial design: 24)",
        "  x1  0.5",
        "  x2  0.25",
        "mass = 1 +- 0.5, feasible with probability 0.50",
        "trust: not verified: for a reason",
        "best measured design: none yet at which every function was evaluated and every constraint held",
        "",
        "constraint  value there  holds with  verdict  evaluations  cost",
        "stress      140 +- 2     > 0.99      binds    3            60",
        "note: few values",
    ]


def test_an_answer_with_many_constraints_shows_those_that_matter() -> None:
    slack = [RelevanceRow(f"c{k}", 0.0, 0.0, "irrelevant", 3, 60.0, 80.0) for k in range(20)]
    best = replace(BEST, constraints=BEST.constraints | {each.constraint: (1.0, 0.1, 1.0) for each in slack})
    found = Answer("bracket", "mass", "minimize", 7.5, 24.0, False, best, (ROW, *slack), "", None)
    lines = text.answer_lines(found)
    assert [line.split()[0] for line in lines[7:9]] == ["constraint", "stress"]
    assert lines[9:11] == ["", "20 constraints do not matter here: " + ", ".join(f"c{k}" for k in range(20))]
    assert len(found.to_dict()["relevance"]) == 21 and len(found.to_dict()["constraints"]) == 21
    some = replace(best, constraints=dict([*best.constraints.items()][:6]))
    few = replace(found, relevance=(ROW, *slack[:5]), best=some)
    assert sum("does not matter" in line for line in text.answer_lines(few)) == 5


def test_rounding_far_below_the_uncertainty_is_nothing() -> None:
    assert text.believed(-2.2e-16, 6e-10) == "0 +- 6e-10" and text.believed(-2.2e-16, 0.0) == "-2.2e-16"
    assert text.believed(1e-9, 6e-10) == "1e-09 +- 6e-10"


def test_without_constraints_nothing_is_feasible_or_not() -> None:
    free = replace(BEST, constraints={}, feasibility=1.0)
    assert text.feasible(free) == "" and text.best_line("f", free).startswith("f = 1 +- 0.5, not verified, at")
    found = Answer("bracket", "mass", "minimize", 7.5, 24.0, False, free, (), "not verified: for a reason", None)
    assert "mass = 1 +- 0.5" in text.answer_lines(found)
    doubtful = replace(free, feasibility=0.9)  # it has failed somewhere
    assert text.feasible(doubtful) == "can be computed with probability 0.90"
    assert "P(feasible) 0.90" in text.best_line("f", doubtful)
    nowhere = text.prediction_lines(Prediction({"x": 1.0}, (1.0, 0.1), 1.0, {}, {"f": (1.0, 0.1, 1.0)}), "f")
    assert nowhere[0] == "at x=1"
