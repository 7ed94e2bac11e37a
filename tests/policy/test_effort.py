"""What a decision costs, counted instead of timed: posterior rows and factorised matrices of one `ask`.

An accidental O(n^3) per step or O(K^2) per decision shows here on any machine.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import taut
from taut.base import triangular
from taut.surrogate import factor, gp, likelihood


class Effort(Counter[str]):
    """rows: points at which some process was evaluated; largest: size of a factored matrix; the rest by name."""

    @property
    def rows(self) -> int:
        return self["posterior"] + self["posterior_with_gradient"]

    @property
    def largest(self) -> int:
        return max((int(key.split()[1]) for key in self if key.startswith("factored ")), default=0)


@contextmanager
def counted() -> Iterator[Effort]:
    """Count posterior evaluations and factorisations while the block runs."""
    effort = Effort()
    patch = pytest.MonkeyPatch()

    def rows(name: str) -> None:
        original = getattr(gp.GP, name)

        def method(self: gp.GP, x: np.ndarray) -> Any:
            effort[name] += len(x)
            effort["calls"] += 1
            return original(self, x)

        patch.setattr(gp.GP, name, method)

    def matrices(module: Any, routine: str, label: str) -> None:
        original: Callable[..., Any] = getattr(module, routine)

        def counting(a: np.ndarray, **rest: Any) -> Any:
            effort[f"{label} {len(a)}"] += 1
            return original(a, **rest)

        patch.setattr(module, routine, counting)

    for name in ("posterior", "posterior_with_gradient", "mean", "mean_with_gradient"):
        rows(name)
    matrices(triangular, "dtrtri", "inverted")
    for module in (factor, likelihood):
        matrices(module, "dpotrf", "factored")
    with patch.context():
        try:
            yield effort
        finally:
            patch.undo()


def linear(weights: np.ndarray, shift: float) -> Callable[[np.ndarray], float]:
    return lambda x: float(np.sin(3.0 * x @ weights) + x @ x - shift)


def prepared(n: int, K: int, method: str = "dckg", d: int = 2, **options: Any) -> tuple[taut.Study, dict[str, Any]]:
    """A study with n values of every function and one decision made, so that fits are warm."""
    rng = np.random.default_rng([n, K])
    names = ["f", *(f"c{k}" for k in range(K))]
    functions = {name: linear(rng.normal(size=d), 0.7 + 0.3 * i) for i, name in enumerate(names)}
    problem = taut.Problem(
        [taut.Real(f"x{i}", 0.0, 1.0) for i in range(d)],
        taut.Objective("f", goal="maximize"),
        [taut.Constraint(name, at_most=0.0) for name in names[1:]],
    )
    study = taut.Study(problem, method=method, seed=1, initial=0, options=options or None)
    for x in rng.random((n, d)):
        point = {f"x{i}": float(u) for i, u in enumerate(x)}
        study.add(point, {name: function(x) for name, function in functions.items()})
    told(study, functions, study.ask())
    return study, functions


def told(study: taut.Study, functions: dict[str, Any], suggestion: taut.Suggestion) -> None:
    x = np.array(list(suggestion.point.values()))
    study.tell(suggestion, {name: functions[name](x) for name in suggestion.functions})


def effort_of_an_ask(n: int, K: int, method: str = "dckg") -> Effort:
    study, _ = prepared(n, K, method)
    with counted() as effort:
        study.ask()
    return effort


def test_between_refits_no_matrix_of_the_data_is_factored() -> None:
    """96 values: refits come every third value. Before, a new value is appended to the factor in O(n^2).

    The sceptical model is another one, of a limited number of values, and made anew where it is asked.
    """
    study, functions = prepared(96, 1, finish=False, sceptical=False)
    sizes = []
    for _ in range(6):
        with counted() as effort:
            suggestion = study.ask()
        told(study, functions, suggestion)
        sizes.append(effort.largest)
    assert sum(size > 90 for size in sizes) <= 3
    assert sum(size <= 4 for size in sizes) >= 3


def test_a_refit_needs_few_factorisations() -> None:
    """Up to 64 values every new one leads to a refit, from where the last one ended."""
    study, _ = prepared(48, 1)
    with counted() as effort:
        study.ask()
    assert 0 < sum(count for key, count in effort.items() if key.startswith("factored")) <= 60


def test_without_memory_of_earlier_asks_the_answers_are_the_same() -> None:
    """What a process keeps between decisions saves work and changes nothing, refits and appended values included."""
    (kept, functions), (fresh, _) = prepared(90, 2), prepared(90, 2)
    for _ in range(5):
        fresh._decision.cache.clear()
        one, two = kept.ask(), fresh.ask()
        assert (one.point, one.functions, one.memory) == (two.point, two.functions, two.memory)
        told(kept, functions, one)
        told(fresh, functions, two)
    assert kept.recommend() == fresh.recommend()


def test_factors_are_inverted_once_and_only_small_ones() -> None:
    """An inverse serves all gradients of a decision; a large factor is never inverted."""
    small, large = effort_of_an_ask(40, 1), effort_of_an_ask(320, 1)
    assert 0 < sum(count for key, count in small.items() if key.startswith("inverted")) <= 2
    assert not [key for key in large if key.startswith("inverted")]


@pytest.mark.parametrize("method, at_most", [("dckg", 400), ("ckg", 400), ("cei+", 300), ("cei", 200)])
def test_posterior_calls_of_a_decision(method: str, at_most: int) -> None:
    """Calls, not rows: what the interpreter costs. Two functions, thirty values each."""
    assert effort_of_an_ask(30, 1, method)["calls"] <= at_most


def test_posterior_work_grows_linearly_with_the_number_of_constraints() -> None:
    """Rows per function must not grow with K: sources share posteriors, and only the leading ones are searched."""
    few, many = effort_of_an_ask(12, 4), effort_of_an_ask(12, 16)
    assert 0 < many.rows / 17 <= 2.0 * few.rows / 5


def test_posterior_work_does_not_grow_with_the_number_of_values() -> None:
    few, many = effort_of_an_ask(30, 1), effort_of_an_ask(240, 1)
    assert 0 < many.rows <= 1.5 * few.rows + 2 * 240
