"""Asks for thousands of suggestions over random mixed problems: every value must be one that the user declared.

    PYTHONPATH=tests python -m chaos.admissible SUGGESTIONS [SEED]

Problem SEED + i is drawn from its number alone; half of them have known constraints, and some a known objective. What
must hold: every suggestion and recommendation is admissible, with the types that were declared, and violates no known
constraint; a deterministic function is never asked for twice at one design; a suggestion that is
computed again is the same.
"""

import sys
from typing import Any

import numpy as np
from chaos.numerical import admissible

import taut
from taut.policy import METHODS
from taut.problem.known import Known
from taut.problem.limits import KnownLimits
from taut.problem.space import everywhere, from_unit, to_unit

EFFORT = {"inner": 32, "raw": 16, "starts": 2, "search_raw": 64, "search_starts": 4, "paths": 2}
SLACK = 1e-3
"""Of the range of a formula: two limits that one and the same point just meets would leave nothing but that point."""
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
    made = taut.Problem(parameters, taut.Objective("f", cost=float(rng.choice([1.0, 3.0]))), constraints)
    return with_known(made, np.random.default_rng([seed, 9])) if seed // len(METHODS) % 2 else made


def with_known(made: taut.Problem, rng: np.random.Generator) -> taut.Problem:
    """The same with one or two known constraints, met by a half or by next to nothing; perhaps a known objective."""
    tables = {f"t_{each.name}": _table(rng, each) for each in made.parameters if isinstance(each, taut.Choice)}
    points = everywhere(made).sample(400, rng)
    known: list[taut.Constraint] = []
    for k in range(int(rng.integers(1, 3))):
        text = formula(rng, made)
        trial = taut.Problem(made.parameters, taut.Objective("f", formula=text), tables=tables)
        found = np.array([Known(trial, "f").value(from_unit(trial, u)) for u in points])
        share = float(rng.choice([0.005, 0.02, 0.1, 0.5]))
        limit = float(np.quantile(found, share, method="lower")) + SLACK * float(np.ptp(found))
        points = points[found <= limit]
        known.append(taut.Constraint(f"k{k}", at_most=limit, formula=text))
    objective = made.objective
    if made.constraints and rng.random() < 0.5:
        objective = taut.Objective("f", goal="minimize", formula=formula(rng, made))
    return taut.Problem(made.parameters, objective, (*made.constraints, *known), tables=tables)


def formula(rng: np.random.Generator, made: taut.Problem) -> str:
    """A sum, a product or squares of all parameters."""
    terms = []
    for each in made.parameters:
        low, size = (each.low, each.high - each.low) if not isinstance(each, taut.Choice) else (0.0, 1.0)
        value = f"t_{each.name}[{each.name}]" if isinstance(each, taut.Choice) else each.name
        terms.append(f"{rng.normal():.3f} * ({value} - {low!r}) / {size!r}")
    kind = int(rng.integers(3))
    if kind == 0:
        return " + ".join(terms)
    return (
        " * ".join(f"(1.5 + {term})" for term in terms)
        if kind == 1
        else " + ".join(f"({term} - 0.2) ** 2" for term in terms)
    )


def _table(rng: np.random.Generator, choice: taut.Choice) -> dict[str, float]:
    return {str(option): float(rng.normal()) for option in choice.options}


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
        wrong += [f"violates {each}: {row.point}" for each in KnownLimits(made).troubles(row.point)]
        asked = {(name, *map(repr, row.point.values())) for name in row.functions}
        if method not in COUPLED and seen & asked:
            wrong.append(f"asked twice: {sorted(seen & asked)}")
        seen |= asked
        study.tell(row, {name: value(name, row.point) for name in row.functions})
    best = study.recommend().point
    wrong += [f"recommended {each!r}: {best}" for each in made.parameters if not admissible(each, best[each.name])]
    wrong += [f"recommended violates {each}: {best}" for each in KnownLimits(made).troubles(best)]
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
