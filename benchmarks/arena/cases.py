"""The cases: one change on one target, its seeds going round the problems."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import taut
from arena.variants import TARGETS, VARIANTS, Changed

PLANE = ("mystery", "constrained_branin", "test_function_2")
HIGH = ("pressure_vessel", "spring_narrow", "welded_beam", "speed_reducer")
HIGH_VARIANTS = ("exact", "sig4", "hash4", "hash2", "jumpat", "fail33")
BUDGET, HIGH_BUDGET = 100.0, 150.0
BLOCK = 5
"""All cases get so many seeds before one gets more: an unfinished measurement is balanced."""


@dataclass(frozen=True)
class Case:
    """Seed s runs the problem number s modulo their count."""

    name: str
    variant: str
    target: str
    problems: tuple[str, ...]
    budget: float = BUDGET

    def changed(self, seed: int) -> Changed:
        return Changed(self.problems[seed % len(self.problems)], self.variant, self.target)


def initial_cost(problem: str) -> float:
    """Of the usual initial design: 2 (d + 1) points, every function at each."""
    declared = taut.bench.problem(problem).problem
    return 2.0 * (len(declared.parameters) + 1) * sum(declared.cost([name]) for name in declared.functions)


def _all() -> Iterable[Case]:
    for problem in PLANE:
        yield Case(f"exact-{problem}", "exact", "all", (problem,))
    for variant in VARIANTS[1:]:
        for target in TARGETS:
            yield Case(f"{variant}-{target}", variant, target, PLANE)
    yield Case("high-exact-spring", "exact", "all", ("spring",), HIGH_BUDGET)
    for variant in HIGH_VARIANTS:
        yield Case(f"high-{variant}", variant, "all", HIGH, HIGH_BUDGET)


CASES = {case.name: case for case in _all()}
GROUPS = {
    "all": tuple(CASES),
    "exact": tuple(f"exact-{problem}" for problem in PLANE),
    "plane": tuple(name for name in CASES if not name.startswith(("exact", "high"))),
    "high": tuple(name for name in CASES if name.startswith("high")),
    "failures": tuple(name for name in CASES if name.startswith("fail")),
}


def selected(words: Sequence[str]) -> list[Case]:
    """Cases by name, by group (all, exact, plane, high, failures) or by variant; in the order of the arena."""
    wanted: set[str] = set()
    for word in words:
        found = GROUPS.get(word) or tuple(name for name in CASES if word in (name, name.rsplit("-", 1)[0]))
        if not found:
            raise SystemExit(f"case {word!r} is unknown; expected one of {', '.join([*GROUPS, *CASES])}.")
        wanted.update(found)
    return [case for case in CASES.values() if case.name in wanted]


def ordered(cases: Sequence[Case], seeds: Sequence[int]) -> list[tuple[Case, int]]:
    """All runs, block of seeds by block."""
    runs = [(case, seed) for case in cases for seed in seeds]
    return sorted(runs, key=lambda run: run[1] // BLOCK)
