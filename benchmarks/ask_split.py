"""CPU seconds of one dcKG decision and where they go: fit, recommendation, acquisition.

    python benchmarks/ask_split.py --problem mystery --points 100 --asks 20

The study starts with `points` coupled designs; every further ask changes one function, as in a running study.
"""

import argparse
import os
import time
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import numpy as np

import taut
from taut.data import Request
from taut.policy import make
from taut.policy.base import Decision


def timed(request: Request, method: str, rng_seed: list[int]) -> tuple[float, float, float]:
    """CPU seconds of the fit, of the recommendation after it, and of the whole decision."""
    policy = make(method)
    decision = Decision(request, policy.settings, np.random.default_rng(rng_seed))
    start = time.process_time()
    _ = decision.surrogate
    fitted = time.process_time()
    _ = decision.anchor
    recommended = time.process_time()
    policy.suggest(request, np.random.default_rng(rng_seed))
    return fitted - start, recommended - fitted, time.process_time() - recommended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", default="mystery")
    parser.add_argument("--method", default="dckg")
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--asks", type=int, default=20)
    given = parser.parse_args()
    tested = taut.bench.problem(given.problem)
    study = taut.Study(tested.problem, method=given.method, seed=0, initial=given.points)
    rows = []
    for number in range(given.points + 1 + given.asks):
        if number > given.points:
            suggestions, observations = study._rows()
            request = study._request(suggestions, observations, float("inf"))
            rows.append(timed(request, given.method, [0, number + 1]))
        suggestion = study.ask()
        study.tell(suggestion, {name: tested.functions[name](suggestion.point) for name in suggestion.functions})
    fit, recommend, whole = (median(column) for column in zip(*rows, strict=True))
    print(f"{given.problem}, {given.method}, n = {given.points}; median CPU seconds of {given.asks} decisions")
    print(f"fit {fit:.3f}  recommendation {recommend:.3f}  acquisition {whole - fit - recommend:.3f} of {whole:.3f}")


if __name__ == "__main__":
    main()
