"""What suggestions cost: given costs, setups, seconds, and rows that lack them."""

import pytest

import taut
from taut.data import ledger
from taut.data.charges import COSTS, Books, charge, plain
from taut.data.rows import Observation, Suggestion


def problem(cost: object = "measured") -> taut.Problem:
    """f alone, c and g with a mesh, h and k as a group."""
    mesh = "measured" if cost == "measured" else 10.0
    return taut.Problem(
        [taut.Real("x", 0.0, 1.0)],
        taut.Objective("f", cost=cost),  # type: ignore[arg-type]
        [taut.Constraint(name, at_most=0.0, cost=cost) for name in "cghk"],  # type: ignore[arg-type]
        [taut.Group("hk", ("h", "k"), cost)],  # type: ignore[arg-type]
        setups=[taut.Setup("mesh", ("c", "g"), mesh)],  # type: ignore[arg-type]
    )


EXPECTED = {"f": 1.0, "c": 2.0, "g": 3.0, "hk": 8.0, "mesh": 16.0}


def asked(functions: str, number: int = 1, initial: bool = False, costs: dict[str, float] = EXPECTED) -> Suggestion:
    return Suggestion(number, {"x": 0.5}, tuple(functions), 30.0, initial=initial, memory={COSTS: costs})


def told(name: str, seconds: float | None = None, setup: float | None = None, number: int = 1) -> Observation:
    return Observation(name, {"x": 0.5}, 1.0, number, seconds=seconds, setup=setup)


def charged(made: taut.Problem, row: Suggestion, *rows: Observation) -> tuple[dict[str, float], dict[str, float]]:
    found = charge(made, row, ledger.answers(rows))
    return dict(found.spent), dict(found.pending)


def test_seconds_count_as_they_came() -> None:
    row = asked("fcg")
    assert charged(problem(), row, told("f", 1.5)) == ({"f": 1.5}, {"f": 0.0, "c": 2.0, "g": 3.0, "mesh": 16.0})
    spent, pending = charged(problem(), row, told("c", 25.0, 20.0), told("g", 4.0))
    assert spent == {"c": 5.0, "g": 4.0, "mesh": 20.0}
    assert sum(pending.values()) == 1.0


def test_without_seconds_it_is_what_was_expected() -> None:
    spent, pending = charged(problem(), asked("cghk"), told("c"), told("h"))
    assert spent == {"c": 2.0, "mesh": 16.0, "hk": 4.0}
    assert pending == {"c": 0.0, "g": 3.0, "hk": 4.0}


def test_a_time_without_its_setup_holds_the_setup_too() -> None:
    spent, _ = charged(problem(), asked("c"), told("c", 25.0))
    assert spent == {"c": 25.0, "mesh": 0.0}


def test_given_costs_do_not_ask_how_long_it_took() -> None:
    made = problem(1.0)
    assert charged(made, asked("cg"), told("g", 77.0, 5.0)) == ({"g": 3.0, "mesh": 16.0}, {"c": 2.0})
    prepared = asked("cg", costs={"c": 2.0, "g": 3.0})
    assert charged(made, prepared, told("g"))[0] == {"g": 3.0, "mesh": 0.0}


def test_plain_problems_are_charged_by_bundle() -> None:
    made = taut.Problem(
        [taut.Real("x", 0.0, 1.0)], taut.Objective("f", cost=2.0), [taut.Constraint("c", at_most=0.0, cost=0.5)]
    )
    assert plain(made) and not plain(problem()) and not plain(problem(1.0))
    row = Suggestion(1, {"x": 0.5}, ("f", "c"), 2.5)
    assert charged(made, row, told("c")) == ({"c": 0.5}, {"f": 2.0})


def test_books() -> None:
    made, books = problem(), Books(problem())
    first, later = asked("fc", 1, initial=True), asked("fcg", 2)
    rows = [told("f", 1.0), told("c", 30.0, 10.0), told("g", 5.0, number=2)]
    known = ledger.answers(rows)
    for row in (first, later):
        books.enter(row, known)
    assert (books.initial, books.spent, books.pending) == (31.0, 5.0, 3.0)
    assert books.committed == 8.0
    assert books.on_function("g") == 5.0
    assert books.spent == ledger.spent(made, [first, later], rows)
    books.enter(later, known | ledger.answers([told("c", 4.0, 2.0, number=2)]))
    assert (books.spent, books.on_function("g")) == (9.0, 6.0)


@pytest.mark.parametrize("seconds", [None, 12.0])
def test_a_failure_costs_like_a_value(seconds: float | None) -> None:
    failed = Observation("f", {"x": 0.5}, None, 1, "broke", seconds=seconds)
    assert charged(problem(), asked("f"), failed)[0] == {"f": 1.0 if seconds is None else 12.0}
