"""A small problem and a method without any model, shared by the tests of everything around the methods."""

import threading
import time
from collections.abc import Callable

import numpy as np

import taut
from taut.data.dataset import Belief, Proposal, Request
from taut.data.results import Judgement


def problem(groups: bool = False) -> taut.Problem:
    """f to maximise, c at most 0, g at least 1; g costs 3. With groups, f and g come together for 2.5."""
    return taut.Problem(
        parameters=[taut.Real("x1", 0.0, 5.0), taut.Real("x2", 0.01, 100.0, log=True)],
        objective=taut.Objective("f", goal="maximize", cost=1.0),
        constraints=[
            taut.Constraint("c", at_most=0.0, cost=0.5),
            taut.Constraint("g", at_least=1.0, cost=3.0),
        ],
        groups=[taut.Group("fg", ("g", "f"), cost=2.5)] if groups else [],
    )


FUNCTIONS = {
    "f": lambda point: -((point["x1"] - 2.0) ** 2),
    "c": lambda point: point["x1"] - 3.0,
    "g": lambda point: point["x2"],
}


def square(point: dict[str, float]) -> float:
    """At the top level of a module, so that other processes find it."""
    return point["x"] ** 2


class ToyPolicy:
    """Random points; the bundles take turns. Every input of a suggestion leaves its mark on it."""

    def __init__(self, coupled: bool = False) -> None:
        self.coupled = coupled
        self.requests: list[Request] = []

    def suggest(self, request: Request, rng: np.random.Generator) -> Proposal:
        self.requests.append(request)
        turn = request.memory.get("turn", 0)
        affordable = [bundle for bundle in request.problem.bundles if bundle.cost <= request.remaining]
        bundle = affordable[turn % len(affordable)]
        seen = sum(float(y.sum()) for y in request.dataset.y)
        pending = sum(len(points) for points in request.dataset.pending)
        point = (rng.random(request.dataset.dimension) + abs(seen) + 0.01 * pending) % 1.0
        functions = request.problem.functions if self.coupled else bundle.functions[:1]
        return Proposal(point, functions, f"turn {turn}, {pending} pending", {"turn": turn + 1})

    def recommend(self, request: Request, rng: np.random.Generator) -> Belief:
        size = len(request.problem.functions)
        X, y = request.dataset.X[0], request.dataset.y[0]
        point = X[int(np.argmax(y))] if len(y) else rng.random(request.dataset.dimension)
        mean = np.arange(1.0, size + 1.0)
        return Belief(point, mean, 0.1 * mean, np.array([1.0] + [0.5] * (size - 1)), 0.25, "best seen")

    def relevance(self, request: Request, rng: np.random.Generator) -> list[Judgement]:
        return [
            Judgement(constraint.name, 0.9, 0.8, "binding" if k == 0 else "irrelevant")
            for k, constraint in enumerate(request.problem.constraints)
        ]


class Gauge:
    """A function that takes a while, and knows how many of its calls ran at the same time."""

    def __init__(self, seconds: float) -> None:
        self.most, self._inside, self._seconds, self._lock = 0, 0, seconds, threading.Lock()

    def __call__(self, point: dict[str, float]) -> float:
        with self._lock:
            self._inside += 1
            self.most = max(self.most, self._inside)
        time.sleep(self._seconds)
        with self._lock:
            self._inside -= 1
        return 1.0


def study(initial: int = 2, groups: bool = False, **settings: object) -> taut.Study:
    """A study of the toy problem with the toy method."""
    method = settings.pop("method", None) or ToyPolicy()
    return taut.Study(problem(groups), method=method, initial=initial, **settings)  # type: ignore[arg-type]


def refusal(action: Callable[[], object], kind: type[taut.TautError] = taut.StorageError) -> str:
    """What is said to a mistake."""
    try:
        action()
    except kind as error:
        return str(error)
    raise AssertionError(f"expected {kind.__name__}")


def play(each: taut.Study, asks: int) -> None:
    """Ask and tell a few times; every third suggestion stays pending, every fifth value failed."""
    for _ in range(asks):
        suggestion = each.ask()
        if suggestion.number % 3 == 0:
            continue
        for name in suggestion.functions:
            value = None if suggestion.number % 5 == 0 else FUNCTIONS[name](suggestion.point)
            each.tell(suggestion, {name: value})
