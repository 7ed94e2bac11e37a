"""What a study has spent and counted."""

import math

import numpy as np
import toy

import taut
from taut.data import ledger

ASKED = taut.Suggestion(1, {"x1": 1.0, "x2": 2.0}, ("f", "c", "g"), 4.5)


def test_what_is_told_and_what_is_missing() -> None:
    rows = [taut.Observation("f", ASKED.point, 1.0, 1), taut.Observation("c", ASKED.point, 1.0)]
    known = ledger.answers(rows)
    assert known == {(1, "f"): rows[0]}  # what was measured elsewhere answers nothing
    assert ledger.missing(ASKED, known) == ("c", "g")
    told = ledger.told(ASKED, {"f": 2.0, "c": 3.0, "g": None}, known, "diverged", {})
    assert told == [taut.Observation("c", ASKED.point, 3.0, 1), taut.Observation("g", ASKED.point, None, 1, "diverged")]
    assert told[0].point is not ASKED.point
    assert ledger.missing(ASKED, ledger.answers([*rows, *told])) == ()


def test_what_remains_of_a_budget() -> None:
    costs = [taut.Suggestion(number, {}, ("f",), 0.1) for number in (1, 2)]
    initial = taut.Suggestion(3, {}, ("f",), 5.0, initial=True)
    assert ledger.remaining(ledger.committed([*costs, initial]), 0.3) == 0.1  # to the last digit
    assert ledger.remaining(ledger.committed(costs), math.inf) == math.inf
    assert ledger.remaining(ledger.committed(costs), 0.0) == -0.2


def test_spent_counts_what_was_told_after_the_initial_design() -> None:
    study = toy.study(initial=1, method=toy.ToyPolicy(coupled=True))
    study.tell(study.ask(), {"f": 1.0, "c": 1.0, "g": 1.0})
    assert (study.spent, study.counts) == (0.0, {"f": 1, "c": 1, "g": 1})
    suggestion = study.ask()
    assert study.spent == 0.0  # pending
    study.tell(suggestion, {"c": 1.0})
    assert study.spent == 0.5
    study.tell(suggestion, {"g": None})
    assert (study.spent, study.counts) == (3.5, {"f": 1, "c": 2, "g": 2})


def test_a_group_is_charged_once_per_suggestion() -> None:
    study = toy.study(initial=0, groups=True)
    suggestion = study.ask()
    study.tell(suggestion, {"f": 1.0})
    assert study.spent == 2.5
    study.tell(suggestion, {"g": 1.0})
    assert (study.spent, study.counts) == (2.5, {"f": 1, "c": 0, "g": 1})


def test_relevance_rows_tell_what_a_constraint_cost() -> None:
    study = toy.study(initial=1)
    study.tell(study.ask(), {"f": 1.0, "c": 1.0, "g": 1.0})
    for _ in range(4):  # f, c, g, f
        suggestion = study.ask()
        study.tell(suggestion, {suggestion.functions[0]: 1.0})
    study.ask()  # c, pending: no location yet
    c, g = study.relevance()
    assert (c.constraint, c.matters, c.binds, c.verdict) == ("c", 0.9, 0.8, "binding")
    assert (c.evaluations, c.cost, c.coupled_cost) == (1, 0.5, 4 * 0.5)
    assert (g.constraint, g.verdict, g.evaluations, g.cost, g.coupled_cost) == (
        "g",
        "irrelevant",
        1,
        3.0,
        12.0,
    )


def test_relevance_shares_the_cost_of_a_group() -> None:
    study = toy.study(initial=0, groups=True)
    for _ in range(2):  # the group, then c
        suggestion = study.ask()
        study.tell(suggestion, dict.fromkeys(suggestion.functions, 1.0))
    c, g = study.relevance()
    assert (c.cost, c.coupled_cost) == (0.5, 1.0)
    assert (g.cost, g.coupled_cost) == (1.25, 2.5)


def test_locations_evaluated_twice_count_once() -> None:
    class OnePlace(toy.ToyPolicy):
        def suggest(self, request, rng):  # type: ignore[no-untyped-def]
            proposal = super().suggest(request, rng)
            return type(proposal)(np.array([0.5, 0.5]), proposal.functions, memory=proposal.memory)

    study = toy.study(initial=0, method=OnePlace())
    for _ in range(3):
        suggestion = study.ask()
        study.tell(suggestion, {suggestion.functions[0]: 1.0})
    assert [row.coupled_cost for row in study.relevance()] == [0.5, 3.0]
