"""The choice of UCB-D: which function, its widths, its memory, its own recommendation."""

from typing import Any

import numpy as np
import pytest

import taut
from taut import bench
from taut.acquisition.confidence import Confidence, ConfidenceBounds
from taut.policy import make
from taut.policy.context import Decision
from taut.policy.ucbd import _ranked

FAST = {"search_raw": 256, "search_starts": 6}


class Costs:
    """As much of a Decision as the ranking needs."""

    def __init__(self, costs: list[float]) -> None:
        self.costs, self.names = costs, [str(k) for k in range(len(costs))]

    def complete(self, S: list[int]) -> tuple[int, ...]:
        return tuple(S)

    def cost(self, S: tuple[int, ...]) -> float:
        return sum(self.costs[k] for k in S)


@pytest.mark.parametrize(
    "upper, width, costs, empty, order",
    [
        ([2.0, 0.3, 0.6], 0.5, [1, 1, 1], False, [2, 0, 1]),
        ([2.0, 0.3, 0.6], 0.5, [1, 1, 2], False, [0, 1, 2]),
        ([2.0, 0.5, -0.1], 0.5, [1, 1, 1], False, [0, 1]),
        ([2.0, 0.3, 0.6], 0.5, [1, 1, 1], True, [2, 1]),
    ],
)
def test_ranking(upper: list[float], width: float, costs: list[float], empty: bool, order: list[int]) -> None:
    """The risk u_k/b_k against nu/b_0; the objective wins ties; functions that cannot spoil the point are left out."""
    top = np.array(upper)[:, None]
    assert _ranked(Costs(costs), ConfidenceBounds(top, top - width), empty) == order  # type: ignore[arg-type]


def played(steps: int, **options: Any) -> taut.Study:
    tested = bench.problem("test_function_2")
    study = taut.Study(tested.problem, method="ucb-d", seed=1, initial=6, options={**FAST, **options})
    for _ in range(6 + steps):
        suggestion = study.ask()
        study.tell(suggestion, {name: tested.functions[name](suggestion.point) for name in suggestion.functions})
    return study


def test_every_decision_is_that_of_the_rule() -> None:
    """Recomputed from the bounds at the suggested point: the function with the largest risk per cost there."""
    study = played(5)
    for suggestion in study.suggestions[6:]:
        assert len(suggestion.functions) == 1
        if "optimistic maximum" not in suggestion.note:
            continue
        before = [s for s in study.suggestions if s.number < suggestion.number]
        request = study._request(before, study.observations[: suggestion.seen], np.inf)
        decision = Decision(request, make("ucb-d", options=FAST).settings, np.random.default_rng(0))
        step = suggestion.number - 7
        w = 2.0 * np.log(2000.0 * (step + 1.0) ** 2 / 0.6) / 20.0
        x = np.array([study.problem.parameters[i].to_unit(v) for i, v in enumerate(suggestion.point.values())])
        bands = Confidence(decision.posteriors, decision.bounds, w).at(x[None, :])
        assert f"width {w:.3g}" in suggestion.note
        risk = [bands.width[0, 0], *bands.upper[1:, 0]]
        assert decision.names[int(np.argmax(risk))] == suggestion.functions[0]


def test_widths_and_guard() -> None:
    assert "width 2" in played(1, width="constant").suggestions[-1].note
    assert "width 4.8" in played(1, width="theory").suggestions[-1].note
    guarded = played(10, guard_factor=1e-9).suggestions[6:]
    assert any(len(s.functions) > 1 and "f" in s.functions for s in guarded)
    with pytest.raises(taut.TautError, match="width"):
        make("ucb-d", options={"width": "narrow"})
    with pytest.raises(taut.TautError, match="guard_factor"):
        make("ucb-d", options={"guard_factor": -1.0})
    assert make("ucb-d", options={"guard_factor": None}).settings.guard_factor is None


def test_its_own_recommendation_is_a_queried_place() -> None:
    study = played(4, recommendation="certified")
    best = study.recommend()
    asked = [list(s.point.values()) for s in study.suggestions[6:]]
    assert any(list(best.point.values()) == pytest.approx(point, abs=1e-9) for point in asked)
    kept = study.suggestions[-1].memory["ucb"]
    assert kept["step"] == 4 and kept["bound"] > 0.0
    fresh = played(0, recommendation="certified")
    assert fresh.recommend() == played(0).recommend()
