"""Asks for thousands of suggestions over random mixed problems: every value must be one that the user declared.

    PYTHONPATH=tests python -m chaos.admissible SUGGESTIONS [SEED]

Problem SEED + i is drawn from its number alone. What must hold: every suggestion and recommendation is admissible, with
the types that were declared; a deterministic function is never asked for twice at one design; a suggestion that is
computed again is the same.
"""

import sys
from typing import Any

import numpy as np
from chaos.numerical import admissible

import taut
from taut.policy import METHODS
from taut.problem.space import to_unit

EFFORT = {"inner": 32, "raw": 16, "starts": 2, "search_raw": 64, "search_starts": 4, "paths": 2}
COUPLED = {"cei", "ckg", "pesc-coupled"}
"""They evaluate everything at a design, what is known there included."""


def parameter(rng: np.random.Generator, name: str) -> Any:
    """One of any kind: two levels or many, on either scale, texts and numbers."""
    kind = int(rng.choice(6, p=[0.25, 0.2, 0.1, 0.15, 0.2, 0.1]))
    count = int(rng.choice([2, 3, 5, 9, 30], p=[0.2, 0.3, 0.25, 0.15, 0.1]))
    if kind == 0:
        low = float(rng.normal())
        return taut.Real(name, low, low + float(10.0 ** rng.uniform(-3, 4)))
    if kind == 1:
        low = int(rng.integers(-20, 20))
        return taut.Integer(name, low, low + count)
    if kind == 2:
        return taut.Integer(name, 1, count * int(rng.choice([1, 7, 500])), log=bool(rng.random() < 0.5))
    if kind == 3:
        return taut.Ordinal(name, np.unique(rng.normal(size=count + 1).round(3)).tolist())
    options = [f"option {k}" for k in range(count)]
    return taut.Choice(name, options if kind == 4 else [k * 1.5 if k % 2 else k for k in range(count)])


def problem(seed: int) -> taut.Problem:
    rng = np.random.default_rng([seed, 7])
    parameters = [parameter(rng, f"x{k}") for k in range(int(rng.integers(1, 6)))]
    constraints = [taut.Constraint(f"c{k}", at_most=0.3) for k in range(int(rng.integers(0, 3)))]
    return taut.Problem(parameters, taut.Objective("f", cost=float(rng.choice([1.0, 3.0]))), constraints)


def values(made: taut.Problem, seed: int) -> Any:
    """Smooth functions of the unit cube; name and point in, value out."""
    rng = np.random.default_rng([seed, 8])
    waves = {name: (rng.normal(size=made.dimension), rng.uniform(0, 6)) for name in made.functions}

    def value(name: str, point: dict[str, Any]) -> float:
        slope, phase = waves[name]
        return float(np.sin(2.0 * slope @ to_unit(made, point) + phase))

    return value


def play(seed: int, most: int) -> tuple[int, list[str]]:
    """Suggestions made, and what was wrong."""
    made, method = problem(seed), sorted(METHODS)[seed % len(METHODS)]
    study = taut.Study(made, method=method, seed=seed, initial=3, options=EFFORT)
    value, wrong, seen = values(made, seed), [], set()
    for _ in range(most):
        if study.finished:
            break
        row = study.ask()
        wrong += [f"{each!r}: {row.point}" for each in made.parameters if not admissible(each, row.point[each.name])]
        asked = {(name, *map(repr, row.point.values())) for name in row.functions}
        if method not in COUPLED and seen & asked:
            wrong.append(f"asked twice: {sorted(seen & asked)}")
        seen |= asked
        study.tell(row, {name: value(name, row.point) for name in row.functions})
    best = study.recommend().point
    wrong += [f"recommended {each!r}: {best}" for each in made.parameters if not admissible(each, best[each.name])]
    last = study.suggestions[-1]
    if study.replay(last.number) != last:
        wrong.append(f"suggestion {last.number} computed again is another one")
    return len(study.suggestions), [f"seed {seed}, {method}: {each}" for each in wrong]


def main(words: list[str]) -> int:
    wanted, seed = [int(word) for word in [*words, *["10000", "0"][len(words) :]]]
    first, made, wrong = seed, 0, 0
    while made < wanted:
        count, found = play(seed, 20)
        made, seed, wrong = made + count, seed + 1, wrong + len(found)
        for each in found:
            print(f"VIOLATION, {each}", flush=True)
    print(f"{made} suggestions over {seed - first} random mixed problems, {wrong} violations")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
