"""cEI+: which functions it considers at a maximum of expected improvement."""

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

import taut
from taut.policy.context import Decision
from taut.policy.ei import _open
from taut.policy.settings import PRESETS

X = np.array([0.3, 0.7])


@dataclass
class State:
    """The objective and constraints 1 to 3, of which 3 is certain; `known` holds those evaluated at X."""

    known: tuple[int, ...]
    bundles: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,), (3,))

    def uncertain(self, x: object) -> tuple[int, ...]:
        return (0, 1, 2)

    def is_new(self, x: object, k: int) -> bool:
        return k not in self.known


def opened(state: State) -> list[tuple[int, ...]]:
    return _open(cast(Any, state), X)


@pytest.mark.parametrize(
    ("known", "bundles"),
    [((), [(0,), (1,), (2,)]), ((0, 2), [(1,)]), ((0, 1, 2), []), ((3,), [(0,), (1,), (2,)])],
)
def test_only_what_is_uncertain_and_not_known_there(known: tuple[int, ...], bundles: list[tuple[int, ...]]) -> None:
    assert opened(State(known)) == bundles


def test_a_group_counts_if_one_of_its_members_does() -> None:
    grouped = ((0,), (1, 3), (2,))
    assert opened(State((0, 2), grouped)) == [(1, 3)]
    assert opened(State((0, 1, 2), grouped)) == []


def test_constraints_that_always_hold_are_never_bought_however_much_is_known() -> None:
    """Around the optimum everything is known: the maxima of expected improvement are places with known values."""
    bench = taut.bench.problem("mystery_redundant8")
    study = taut.Study(bench.problem, method="cei+", seed=0, initial=6)
    for _ in range(6):
        suggestion = study.ask()
        study.tell(suggestion, {name: bench.functions[name](suggestion.point) for name in suggestion.functions})
    rng = np.random.default_rng(0)
    for _ in range(12):  # dense data near the optimum, with f and c1 known and the others not
        point = {name: value + rng.normal(0.0, 0.02) for name, value in bench.solution.items()}
        study.add(point, {name: bench.functions[name](point) for name in ("f", "c1")})
    for _ in range(4):
        suggestion = study.ask()
        assert set(suggestion.functions) <= {"f", "c1"}
        study.tell(suggestion, {name: bench.functions[name](suggestion.point) for name in suggestion.functions})
    request = study._request(*study._rows(), math.inf)
    decision = Decision(request, PRESETS["default"], np.random.default_rng(0))
    at = np.array([study.suggestions[-1].point[name] / 5.0 for name in bench.solution])
    assert set(_open(decision, at)) <= {(0,), (decision.names.index("c1"),)}
