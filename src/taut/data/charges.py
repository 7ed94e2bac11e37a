"""What suggestions cost: as expected when they were made, and as it turned out, part by part.

A part is a bundle (group or single function) or a setup. A bundle is charged once per suggestion, as soon as one of its
functions was told or failed, and a setup with the first of its functions. Where costs are given numbers, that is what
they cost. Where they are measured it is the seconds they took, failures included; a row without them counts as
expected.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from taut.data.rows import Observation, Suggestion
from taut.problem.bundles import Bundle
from taut.problem.functions import Setup
from taut.problem.problem import Problem

COSTS = "costs"
"""In the memory of a suggestion: what each part was expected to cost, where that is not always the same."""


Part = Bundle | Setup


def parts_of(problem: Problem) -> tuple[Part, ...]:
    """Everything that is paid for."""
    return (*problem.bundles, *problem.setups)


def plain(problem: Problem) -> bool:
    """Does everything cost the same wherever it is evaluated, and whatever was evaluated there before?"""
    return not problem.measured and not problem.setups


@dataclass(frozen=True, slots=True)
class Charge:
    """By part: what was paid, and what the rest is expected to cost."""

    spent: Mapping[str, float]
    pending: Mapping[str, float]


def charge(problem: Problem, suggestion: Suggestion, known: Mapping[tuple[int, str], Observation]) -> Charge:
    """What a suggestion cost so far, and will cost. known: the answers by (suggestion number, function)."""
    expected = _expected(problem, suggestion)
    wanted = set(suggestion.functions)
    spent: dict[str, float] = {}
    pending: dict[str, float] = {}
    for part in parts_of(problem):
        asked = [name for name in part.functions if name in wanted]
        rows = [known[suggestion.number, name] for name in asked if (suggestion.number, name) in known]
        cost = expected.get(part.name, 0.0)
        if not rows:
            pending |= {part.name: cost} if asked else {}
        elif not problem.measured:
            spent[part.name] = cost
        elif isinstance(part, Setup):
            spent[part.name] = _setup_seconds(rows, cost)
        else:
            spent[part.name] = math.fsum(_seconds(row, cost / len(asked)) for row in rows)
            pending[part.name] = cost * (len(asked) - len(rows)) / len(asked)
    return Charge(spent, pending)


def own_seconds(row: Observation) -> float | None:
    """How long a function took, without its setup."""
    return None if row.seconds is None else max(0.0, row.seconds - (row.setup or 0.0))


def _seconds(row: Observation, expected: float) -> float:
    own = own_seconds(row)
    return expected if own is None else own


def _setup_seconds(rows: Sequence[Observation], expected: float) -> float:
    """What is not known to have gone into the setup counts as the function's own, if that has a time at all."""
    told = [row.setup for row in rows if row.setup is not None]
    return expected if not told and all(row.seconds is None for row in rows) else math.fsum(told)


def _expected(problem: Problem, suggestion: Suggestion) -> Mapping[str, float]:
    kept = suggestion.memory.get(COSTS)
    return {bundle.name: bundle.cost for bundle in problem.bundles} if kept is None else kept


@dataclass
class Books:
    """What a study has spent, kept up to date suggestion by suggestion."""

    problem: Problem
    _later: dict[int, Charge] = field(default_factory=dict)
    _initial: dict[int, Charge] = field(default_factory=dict)
    _committed: dict[int, float] = field(default_factory=dict)

    def enter(self, suggestion: Suggestion, known: Mapping[tuple[int, str], Observation]) -> None:
        """Take a new suggestion, or one with another answer than before."""
        found = charge(self.problem, suggestion, known)
        if suggestion.initial:
            self._initial[suggestion.number] = found
            return
        self._later[suggestion.number] = found
        total = suggestion.cost if not self.problem.measured else math.fsum(_amounts(found))
        self._committed[suggestion.number] = total

    @property
    def spent(self) -> float:
        """After the initial design, on everything told or failed."""
        return _spent(self._later)

    @property
    def initial(self) -> float:
        """The same in the initial design."""
        return _spent(self._initial)

    @property
    def committed(self) -> float:
        """Everything asked for after the initial design, pending suggestions included."""
        return math.fsum(self._committed.values())

    @property
    def pending(self) -> float:
        """What is asked for after the initial design and not told."""
        return math.fsum(amount for each in self._later.values() for amount in each.pending.values())

    def on(self, part: Part) -> float:
        """What was spent on a part after the initial design."""
        return math.fsum(each.spent.get(part.name, 0.0) for each in self._later.values())

    def on_function(self, name: str) -> float:
        """What was spent on a function: equal shares of its bundle and of its setup."""
        parts = [part for part in parts_of(self.problem) if name in part.functions]
        return math.fsum(self.on(part) / len(part.functions) for part in parts)


def _amounts(found: Charge) -> list[float]:
    return [*found.spent.values(), *found.pending.values()]


def _spent(charges: Mapping[int, Charge]) -> float:
    """Rounded suggestion by suggestion, as the cost of each is."""
    return math.fsum(math.fsum(each.spent.values()) for each in charges.values())
