"""The choice of UCB-D: which function, its widths, its memory, its own recommendation."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from states import context, state, under_way

import taut
from taut import bench
from taut.acquisition.confidence import Confidence, ConfidenceBounds, OptimisticMaximum
from taut.data.dataset import Proposal
from taut.policy import make, ucbd

FAST = {"search_raw": 256, "search_starts": 6}
FIRST, SECOND = np.array([0.5, 0.5]), np.array([0.25, 0.75])


class Given:
    """Bounds by hand instead of those of a belief: the same at the first optimistic maximum and at the second."""

    def __init__(self, upper: list[float], width: float, empty: bool) -> None:
        self.w, self.empty = 1.0, empty
        self.upper = np.array(upper)[:, None]
        self.lower = self.upper - width

    def at(self, x: np.ndarray) -> ConfidenceBounds:
        return ConfidenceBounds(self.upper, self.lower, np.full_like(self.lower, -np.inf))

    def optimist(self, points: np.ndarray) -> OptimisticMaximum:
        return OptimisticMaximum(np.array([FIRST, SECOND]), self.empty)


def priced(costs: list[float]) -> taut.Problem:
    return taut.Problem(
        [taut.Real("x", 0.0, 1.0), taut.Real("y", 0.0, 1.0)],
        taut.Objective("f", cost=costs[0]),
        [taut.Constraint(f"c{k}", at_most=0.0, cost=costs[k]) for k in (1, 2)],
    )


def decided(given: Given, costs: list[float], known: tuple[str, ...], patch: pytest.MonkeyPatch) -> Proposal:
    """The decision with these bounds, where some functions are under way at the first maximum."""
    request = state(priced(costs), [(name, {"x": 0.1, "y": 0.1}, 1.0) for name in ("f", "c1", "c2")])
    for name in known:
        request = under_way(request, name, FIRST)
    patch.setattr(ucbd, "Confidence", lambda *rest: given)
    return make("ucb-d", options=FAST).suggest(request, np.random.default_rng(0))


@pytest.mark.parametrize(
    "upper, width, costs, empty, order",
    [
        ([2.0, 0.3, 0.6], 0.5, [1, 1, 1], False, ["c2", "f", "c1"]),
        ([2.0, 0.3, 0.6], 0.5, [1, 1, 2], False, ["f", "c1", "c2"]),
        ([2.0, 0.5, -0.1], 0.5, [1, 1, 1], False, ["f", "c1"]),
        ([2.0, 0.3, 0.6], 0.5, [1, 1, 1], True, ["c2", "c1"]),
    ],
)
def test_the_function_with_the_largest_risk_per_cost(
    upper: list[float],
    width: float,
    costs: list[float],
    empty: bool,
    order: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """u_k/b_k against nu/b_0; the objective wins ties; functions that cannot spoil the point are left out.

    What is known at a point gives way to the next in order, and then the next maximum is looked at.
    """
    for done in range(len(order)):
        made = decided(Given(upper, width, empty), costs, tuple(order[:done]), monkeypatch)
        assert made.functions == (order[done],) and np.array_equal(made.point, FIRST)
        assert ("infeasible even at its lower bounds" in made.note) == empty
    after = decided(Given(upper, width, empty), costs, tuple(order), monkeypatch)
    assert after.functions == (order[0],) and np.array_equal(after.point, SECOND)


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
        rows = study.observations[: suggestion.seen]
        request = state(study.problem, [(row.function, row.point, row.value) for row in rows])
        made = context(replace(request, memory=study.suggestions[suggestion.number - 2].memory))
        step = suggestion.number - 7
        w = 2.0 * np.log(2000.0 * (step + 1.0) ** 2 / 0.6) / 20.0
        x = np.array([study.problem.parameters[i].to_unit(v) for i, v in enumerate(suggestion.point.values())])
        bands = Confidence(made.posteriors, made.bounds, w).at(x[None, :])
        assert f"width {w:.3g}" in suggestion.note
        risk = [bands.width[0, 0], *bands.upper[1:, 0]]
        assert made.names[int(np.argmax(risk))] == suggestion.functions[0]


def test_widths() -> None:
    assert "width 2" in played(1, width="constant").suggestions[-1].note
    assert "width 4.8" in played(1, width="theory").suggestions[-1].note
    narrow, wide = (
        float(played(1, width_divisor=divisor).suggestions[-1].note.split("width ")[1].split(";")[0])
        for divisor in (40.0, 20.0)
    )
    assert wide == pytest.approx(2.0 * narrow, rel=0.01)


def test_its_memory_counts_decisions_and_keeps_the_smallest_certified_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = Given([1.0, 0.3, 0.2], 0.5, False), Given([1.0, 0.9, 0.2], 0.5, False)
    first = decided(high, [1, 1, 1], (), monkeypatch).memory["ucb"]
    assert first == {"step": 1, "bound": pytest.approx(0.9), "x": [0.5, 0.5]}
    policy = make("ucb-d", options=FAST)
    request = state(priced([1, 1, 1]), [])
    for given, bound in ((low, 0.5), (high, 0.9)):
        monkeypatch.setattr(ucbd, "Confidence", lambda *rest, given=given: given)
        told = replace(request, memory={"ucb": first})
        kept = policy.suggest(told, np.random.default_rng(0)).memory["ucb"]
        assert kept["step"] == 2 and kept["bound"] == pytest.approx(bound)


def test_its_own_recommendation_is_a_queried_place() -> None:
    study = played(4, recommendation="certified")
    best = study.recommend()
    asked = [list(s.point.values()) for s in study.suggestions[6:]]
    assert any(list(best.point.values()) == pytest.approx(point, abs=1e-9) for point in asked)
    kept = study.suggestions[-1].memory["ucb"]
    assert kept["step"] == 4 and kept["bound"] > 0.0
    fresh = played(0, recommendation="certified")
    assert fresh.recommend() == played(0).recommend()
