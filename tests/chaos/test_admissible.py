"""Suggestions over random mixed problems hold declared values only: a few here, ten thousand with `make admissible`."""

import pytest
from chaos import admissible

import taut
from taut.policy import METHODS
from taut.problem.design import domain


@pytest.mark.parametrize("seed", range(len(METHODS)))
def test_every_value_is_one_that_was_declared(seed: int) -> None:
    made, wrong = admissible.play(seed, 5)
    assert wrong == []
    assert made == 5 or domain(admissible.problem(seed)).finite


def test_problems_are_of_all_kinds() -> None:
    kinds = {type(each) for seed in range(40) for each in admissible.problem(seed).parameters}
    assert kinds == {taut.Real, taut.Integer, taut.Ordinal, taut.Choice}


def test_what_is_not_admissible_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admissible, "admissible", lambda parameter, value: False)
    assert len(admissible.play(3, 2)[1]) >= 3
