"""Which repetitions a run of the suite consists of."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from taut.base.errors import UnknownNameError, ValueRefusedError, listed, way_out
from taut_paper.arena.suite import DIMENSIONS, FUNCTIONS, INSTANCES, Place, optimum
from taut_paper.experiments import Repetition

METHODS = ("dckg", "cei+", "cei", "random")
UNITS = 30.0
"""Budget for each parameter, in units of one evaluation of one function."""


def design_size(dimension: int) -> int:
    """Points of the initial design, the suite's feasible start among them."""
    return 2 * (dimension + 1)


def numbers(name: str, text: str, known: Collection[int]) -> list[int]:
    """'1-3,7' -> 1, 2, 3, 7, each of which must be known."""
    found: dict[int, None] = {}
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if not (first.isdecimal() and (last or first).isdecimal() and int(last or first) >= int(first)):
            raise ValueRefusedError(f"{name}: expected numbers such as 1-3,7, got {text!r}.")
        found.update(dict.fromkeys(range(int(first), int(last or first) + 1)))
    unknown = [number for number in found if number not in known]
    if unknown:
        raise ValueRefusedError(f"{name}: expected some of {', '.join(map(str, known))}, got {unknown[0]}.")
    return list(found)


def places(functions: str = "1-54", dimensions: str = "2", instances: str = "1") -> list[Place]:
    """Problems by texts of numbers, all functions of an instance together."""
    chosen = numbers("functions", functions, FUNCTIONS)
    return [
        Place(function, dimension, instance)
        for dimension in numbers("dimensions", dimensions, DIMENSIONS)
        for instance in numbers("instances", instances, INSTANCES)
        for function in chosen
    ]


def plan(
    where: Sequence[Place], methods: Sequence[str] = (), seeds: Sequence[int] = (0,), budget: float | None = None
) -> list[Repetition]:
    """Seed by seed, problem by problem, so that a stop leaves a balance. budget: else 30 units for each parameter."""
    from taut.policy import METHODS as KNOWN

    if budget is not None and not (math.isfinite(budget) and budget > 0.0):
        raise ValueRefusedError(f"budget: expected a positive number of cost units, got {budget!r}.")
    for name in methods:
        if name not in KNOWN:
            raise UnknownNameError(
                f"Method {name!r} is unknown; expected some of {listed(KNOWN)}; {way_out(name, tuple(KNOWN))}."
            )
    for each in where:
        optimum(each)  # one that is not known is said before anything is paid for
    return [repetition(each, method, seed, budget) for seed in seeds for each in where for method in methods or METHODS]


def repetition(where: Place, method: str, seed: int, budget: float | None = None) -> Repetition:
    """One run. The suite's feasible start is given to everybody, and takes the place of one point of the design."""
    return Repetition(
        experiment=where.name,
        problem=where.name,
        costs=(),
        method=method,
        preset="default",
        seed=seed,
        budget=UNITS * where.dimension if budget is None else float(budget),
        initial=design_size(where.dimension),
    )
