"""CPU seconds and memory of taut's own decisions."""

import resource
import time
from typing import Any

import numpy as np

import taut
from speed.cases import Case, OneByOne, Setting, setting, study_of


class Asker:
    """A study of one method from which decisions are timed, each after a new value of exactly one function."""

    def __init__(self, where: Setting, method: str, seed: int) -> None:
        self.where, self.method = where, method
        self.storage = OneByOne()
        self.study: taut.Study = study_of(where, method, seed, self.storage)
        self.ask()  # not counted: hyperparameters are searched from several starts only now

    def ask(self) -> float:
        """CPU seconds of one ask; the function it was made for is then told."""
        start = time.process_time()
        self.study.ask()
        seconds = time.process_time() - start
        asked = self.study.suggestions[-1]
        self.study.tell(asked.number, {name: self.where.value(name, asked.point) for name in asked.functions})
        return seconds


def steps(case: Case, method: str, seed: int, count: int) -> dict[str, Any]:
    """Mean CPU seconds of `count` consecutive steps of ask and tell after the first one, refits included."""
    where = setting(case, seed)
    study = study_of(where, method, seed)
    taken = []
    for _ in range(count + 1):
        start = time.process_time()
        suggestion = study.ask()
        values = {name: where.value(name, suggestion.point) for name in suggestion.functions}
        study.tell(suggestion, values)
        taken.append(time.process_time() - start)
    return {"first": taken[0], "mean": float(np.mean(taken[1:])), "seconds": taken[1:]}


def peak_memory(case: Case, method: str, seed: int) -> dict[str, Any]:
    """Peak resident memory (MiB) of this process after one ask; to be called in a process of its own."""
    study = study_of(setting(case, seed), method, seed)
    before = _peak()
    start = time.process_time()
    study.ask()
    return {"before": before, "peak": _peak(), "seconds": time.process_time() - start}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0  # kilobytes on Linux
