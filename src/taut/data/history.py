"""All rows of a study that were read so far, with what follows from them kept up to date row by row.

Rows are only ever added, so a step need not go through all of them again: what is asked for often (what is open, what
was spent, the arrays for the models) is brought up to date by the new rows alone. ledger and Dataset.from_rows compute
the same from all rows; the tests hold one against the other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.data import ledger
from taut.data.charges import Books, plain
from taut.data.dataset import Dataset, grouped, views
from taut.data.designs import Designs
from taut.data.honesty import error_of
from taut.data.prices import Prices
from taut.data.results import Error
from taut.data.rows import Observation, Suggestion
from taut.problem.problem import Problem
from taut.problem.space import ties, to_unit

_FIRST_CAPACITY = 64


@dataclass(frozen=True, slots=True)
class Moment:
    """What the next decision depends on, at one moment; later rows do not change it."""

    number: int
    """Of the last suggestion; 0 if there is none."""
    memory: Mapping[str, Any]
    """What the method remembered with it."""
    asked: int
    """Suggestions so far."""
    seen: int
    """Observations so far."""
    committed: float
    """Cost of all suggestions after the initial design."""
    decided: bool
    """Has a method decided on anything yet? Then the initial design is over."""
    initial: tuple[Suggestion, ...]
    added: tuple[Observation, ...]
    """Until then: the initial design so far, and what was measured elsewhere. After it, both are empty."""
    errors: Mapping[str, tuple[Error, ...]]
    """By function: how its predictions have fared; see honesty.errors."""
    dataset: Dataset
    as_written: Callable[[Mapping[str, Any]], dict[str, Any]]
    """A point in the digits in which it was written before, if it was; see Designs."""
    prices: Prices | None = None
    """What evaluations are expected to cost; None if that is the same everywhere."""


@dataclass
class Tally:
    """The evaluations of one function."""

    told: int = 0
    failed: int = 0
    added: int = 0
    """Measured elsewhere, failures included."""
    initial: int = 0
    """Of those told or failed: how many in the initial design."""
    charged: int = 0
    """Suggestions after the initial design that its bundle was charged for."""


@dataclass
class History:
    """The rows of one study in order. Not safe for several threads at once; hand out a Moment instead."""

    problem: Problem
    suggestions: list[Suggestion] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    """All of them, those included that were replaced or withdrawn."""
    answers: ledger.Answers = field(init=False)
    books: Books = field(init=False)
    """What was spent, and on what."""
    places: dict[tuple[int, str], int] = field(init=False)
    """Of each answer, its place among the observations (1, 2, ...)."""
    reopened: dict[tuple[int, str], int] = field(init=False)
    """Of each answer that was withdrawn, the place of the row that did so."""
    open: dict[int, Suggestion] = field(init=False)
    """The suggestions that still wait for values, by number."""
    tallies: dict[str, Tally] = field(init=False)
    """By function."""
    initial_done: int = field(init=False)
    """Suggestions of the initial design that are complete."""
    chosen: int = field(init=False)
    """Suggestions after the initial design."""

    def __post_init__(self) -> None:
        self._bundle = {name: bundle.functions for bundle in self.problem.bundles for name in bundle.functions}
        self._begin()

    def _begin(self) -> None:
        """All that follows from the rows, without any."""
        self.answers, self.open, self.places, self.reopened = {}, {}, {}, {}
        self.initial_done = self.chosen = 0
        self.tallies = {name: Tally() for name in self.problem.functions}
        self._by_number: dict[int, Suggestion] = {}
        self._added: list[Observation] = []
        self.books = Books(self.problem)
        self._designs, self._unplaced = Designs(self.problem), list[Suggestion | Observation]()
        self._errors: dict[str, list[Error]] = {name: [] for name in self.problem.functions}
        width = self.problem.dimension
        self._columns = {
            (name, kind): _Column(size)
            for name in self.problem.functions
            for kind, size in (("X", width), ("y", 0), ("failed", width))
        }

    def extend(self, suggestions: Sequence[Suggestion], observations: Sequence[Observation]) -> None:
        """Append rows that were read after all the others."""
        seen = len(self.observations)
        self.suggestions.extend(suggestions)
        self.observations.extend(observations)
        if any(row.replaces for row in observations):  # rare: what followed from the replaced rows is not undone
            self._begin()
            suggestions, seen = self.suggestions, 0
        gone = {row.replaces for row in self.observations[seen:]}
        rows = [(place, row) for place, row in enumerate(self.observations[seen:], seen + 1) if place not in gone]
        for suggestion in suggestions:
            self._ask(suggestion)
        for place, row in rows:
            self._tell(place, row)
        counting = [row for _, row in rows if not row.withdrawn]
        self._unplaced += counting
        for name, (X, y, failed) in grouped(self.problem, counting).items():
            for kind, columns in (("X", X), ("y", y), ("failed", failed)):
                self._columns[name, kind].append(columns)

    def lists(self) -> tuple[list[Suggestion], list[Observation]]:
        """The rows, in lists of the caller's own."""
        return list(self.suggestions), list(self.observations)

    def find(self, number: int) -> Suggestion | None:
        """The suggestion of a number, if there is one."""
        return self._by_number.get(number)

    def missing(self, suggestion: Suggestion) -> tuple[str, ...]:
        """The functions of a suggestion that were neither told nor failed."""
        return ledger.missing(suggestion, self.answers)

    @property
    def designs(self) -> Designs:
        """Every point, with what was measured there; brought up to date when it is asked for."""
        for row in self._unplaced:
            if isinstance(row, Suggestion):
                self._designs.ask(row.point)
            else:
                self._designs.add(row)
        self._unplaced.clear()
        return self._designs

    @property
    def spent(self) -> float:
        """Cost after the initial design of everything told or failed; see ledger.spent."""
        return self.books.spent

    @property
    def valued(self) -> bool:
        """Is there any value at all, of whatever function, measured here or elsewhere?"""
        return any(len(self._columns[name, "y"].view()) for name in self.problem.functions)

    def moment(self) -> Moment:
        last = self.suggestions[-1] if self.suggestions else None
        return Moment(
            number=last.number if last else 0,
            memory=last.memory if last else {},
            asked=len(self.suggestions),
            seen=len(self.observations),
            committed=self.books.committed,
            decided=self.chosen > 0,
            initial=() if self.chosen else tuple(self.suggestions),
            added=() if self.chosen else tuple(self._added),
            errors={name: tuple(found) for name, found in self._errors.items()},
            dataset=self._dataset(),
            as_written=self.designs.as_written,
            prices=self.prices(),
        )

    def prices(self) -> Prices | None:
        """What evaluations are expected to cost; None if that is the same everywhere."""
        return None if plain(self.problem) else Prices.of(self.problem, self.suggestions, self.answers, self._added)

    def _ask(self, suggestion: Suggestion) -> None:
        self._by_number[suggestion.number] = suggestion
        self._unplaced.append(suggestion)
        if not suggestion.initial:
            self.chosen += 1
        self.books.enter(suggestion, self.answers)
        if self.missing(suggestion):
            self.open[suggestion.number] = suggestion
        else:
            self.initial_done += suggestion.initial

    def _tell(self, place: int, row: Observation) -> None:
        tally = self.tallies[row.function]
        if row.suggestion is None:
            tally.added += 1
            self._added.append(row)
            return
        if row.withdrawn:
            self.reopened[row.suggestion, row.function] = place
            return
        self.answers[row.suggestion, row.function] = row
        self.places[row.suggestion, row.function] = place
        tally.told += row.value is not None
        tally.failed += row.value is None
        suggestion = self._by_number.get(row.suggestion)
        if suggestion is not None:
            self._charge(suggestion, row.function)
            error = error_of(self.problem, suggestion, row)
            self._errors[row.function] += [] if error is None else [error]

    def _charge(self, suggestion: Suggestion, name: str) -> None:
        number = suggestion.number
        self.books.enter(suggestion, self.answers)
        if suggestion.initial:
            self.tallies[name].initial += 1
        else:
            if not any((number, each) in self.answers for each in self._bundle[name] if each != name):
                for each in self._bundle[name]:
                    self.tallies[each].charged += 1
        if number in self.open and not self.missing(suggestion):
            del self.open[number]
            self.initial_done += suggestion.initial

    def _dataset(self) -> Dataset:
        functions = self.problem.functions
        pending: dict[str, list[Array]] = {name: [] for name in functions}
        for number in sorted(self.open):
            place = to_unit(self.problem, self.open[number].point)
            for name in self.missing(self.open[number]):
                pending[name].append(place)
        empty = np.empty((0, self.problem.dimension))
        X, y, failed = (tuple(self._columns[name, kind].view() for name in functions) for kind in ("X", "y", "failed"))
        return Dataset(
            functions=views(self.problem),
            dimension=self.problem.dimension,
            X=X,
            y=y,
            failed=failed,
            pending=tuple(np.array(pending[name]) if pending[name] else empty for name in functions),
            ties=ties(self.problem),
        )


class _Column:
    """Rows of numbers that can be appended to; what was handed out stays as it is."""

    def __init__(self, width: int) -> None:
        """width: numbers in a row; 0 for a column of plain numbers."""
        self._rows = np.empty((_FIRST_CAPACITY, width) if width else _FIRST_CAPACITY)
        self._count = 0

    def append(self, rows: Array) -> None:
        needed = self._count + len(rows)
        if needed > len(self._rows):
            grown = np.empty((max(needed, 2 * len(self._rows)), *self._rows.shape[1:]))
            grown[: self._count] = self._rows[: self._count]
            self._rows = grown
        self._rows[self._count : needed] = rows
        self._count = needed

    def view(self) -> Array:
        found = self._rows[: self._count]
        found.flags.writeable = False
        return found
