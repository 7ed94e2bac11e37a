"""Several workers at once on a clock that is counted instead of waited for: the same run every time."""

import heapq
import random
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from typing import Any

import pytest

import taut
from taut.study import loop


class Workers(Executor):
    """Takes evaluations on at once and ends them after a time of their own, which the loop asks the clock for."""

    def __init__(self, seed: int) -> None:
        self.seed, self.now, self.waits = seed, 0.0, 0
        self._running: list[tuple[float, int, Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        program, task = args
        lasts = random.Random(f"{self.seed}/{task.number}/{program.name}").uniform(0.2, 1.8)
        future: Future[Any] = Future()
        heapq.heappush(self._running, (self.now + lasts, self.waits, future, lambda: fn(*args)))
        return future

    def wait(self, futures: Iterable[Future[Any]], timeout: float | None, how: str) -> None:
        """Whatever ends first has ended."""
        self.waits += 1
        self.now, _, future, call = heapq.heappop(self._running)
        future.set_result(call())


def played(
    monkeypatch: pytest.MonkeyPatch,
    study: taut.Study,
    functions: dict[str, Any],
    budget: float,
    workers: int,
    **how: Any,
) -> taut.Recommendation:
    """A run with so many workers; some evaluations take nine times as long as others."""
    pool = Workers(study.seed)
    monkeypatch.setattr(loop, "wait", pool.wait)
    return study.run(functions, budget, executor=pool, workers=workers, **how)
