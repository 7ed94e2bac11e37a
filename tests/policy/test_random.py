"""Random search: uniform over the domain, and in a finite one never where everything is known."""

import numpy as np
import pytest
from states import chosen, state

import taut
from taut.data.exhausted import ExhaustedError
from taut.policy.random import Random

MIXED = [taut.Choice("m", ("a", "b", "c")), taut.Integer("n", 1, 4)]


def test_every_value_of_a_mixed_problem_is_as_likely() -> None:
    problem = taut.Problem([*MIXED, taut.Real("x", 0.0, 1.0)], taut.Objective("f"))
    policy, request = Random(chosen()), state(problem, [])
    points = np.array([policy.suggest(request, np.random.default_rng(seed)).point for seed in range(300)])
    assert (points[:, :3] > 0.0).sum(axis=0).min() > 70
    assert 0.4 < points[:, 4].mean() < 0.6


def test_known_designs_are_left_out() -> None:
    problem = taut.Problem(MIXED, taut.Objective("f"))
    designs = [{"m": m, "n": n} for m in "abc" for n in range(1, 5)]
    policy = Random(chosen())
    rows = [("f", point, float(point["n"])) for point in designs]
    left = policy.suggest(state(problem, rows[:-1]), np.random.default_rng(0))
    assert left.functions == ("f",) and left.point[2] > 0.0 and left.point[3] == 1.0
    with pytest.raises(ExhaustedError):
        policy.suggest(state(problem, rows), np.random.default_rng(0))


def test_chance_needs_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that asking takes no longer with fifty thousand values than with a few."""

    def no_model(*_: object, **__: object) -> None:
        raise AssertionError("a model was fitted")

    monkeypatch.setattr("taut.policy.context.fit_surrogate", no_model)
    study = taut.Study(
        taut.Problem([taut.Real("x", 0.0, 1.0)], taut.Objective("f"), [taut.Constraint("c", at_most=0.0)]),
        method="random",
        initial=1,
    )
    for _ in range(4):
        suggestion = study.ask()
        study.tell(suggestion, dict.fromkeys(suggestion.functions, 1.0))
    assert len(study.suggestions) == 4
