"""Asking and telling from a command line: texts in, sentences out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taut.app.studyfile.file import StudyFile, open_study
from taut.base.errors import StudyError, UnknownNameError, ValueRefusedError, listed, way_out
from taut.base.numbers import from_text, shown, typed
from taut.data.rows import Suggestion
from taut.problem.problem import Problem

_WHOLE = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Told:
    """What a call of tell took."""

    suggestion: int
    values: dict[str, float | None]
    open: tuple[str, ...]
    """Functions of the suggestion that still wait for a value."""

    def sentence(self) -> str:
        taken = ", ".join(f"{name} {'failed' if v is None else f'= {v!r}'}" for name, v in self.values.items())
        rest = f"open: {', '.join(self.open)}" if self.open else "complete"
        return f"suggestion {self.suggestion}: {taken} ({rest})"


def ask(file: StudyFile) -> Suggestion:
    """The next suggestion of the study of a file, within its budget if it has one, as a run would make it."""
    study = open_study(file)
    budget = file.study.budget
    try:
        return study.ask(budget=budget, verify=file.study.verify)
    except StudyError as error:
        if budget is None or study.finished:
            raise
        where, expected = f"{str(file.path)!r}: [study] budget", f"enough for one more step of method {study.method!r}"
        got = f"{budget:g}, of which {study.spent:g} is spent and the rest asked for or too little"
        raise StudyError.of(where, expected, got, "raise budget to go on, or see taut best") from error


def tell(file: StudyFile, number: str, values: Sequence[str], note: str, seconds: Sequence[str] = ()) -> Told:
    """Tell values given as name=value to a suggestion given by its number; all of them, or none.

    seconds: how long they took, given likewise.
    """
    study = open_study(file, must_exist=True)
    row = _suggestion_number(number)
    parsed = parse(file.problem, values)
    text = note.encode(errors="replace").decode()  # a database holds no half characters
    study.tell(row, parsed, text, times(seconds))
    history = study.history
    found = history.find(row)
    assert found is not None, "it was told to"
    return Told(row, parsed, history.missing(found))


@dataclass(frozen=True, slots=True)
class Amended:
    """Evaluations whose answer was replaced or withdrawn."""

    evaluations: list[tuple[int, str]]

    def to_dict(self) -> dict[str, Any]:
        return {"evaluations": [{"suggestion": number, "function": name} for number, name in self.evaluations]}

    def sentence(self, done: str, nothing: str) -> str:
        """done: what became of each of them."""
        if not self.evaluations:
            return nothing
        listing = ", ".join(f"{name} of suggestion {number}" for number, name in self.evaluations)
        return f"{done}: {listing}"


def retry(file: StudyFile, number: str | None, name: str | None) -> Amended:
    """Open failed evaluations again: all, those of one suggestion, of one function (or group), or of both.

    A function alone may stand in place of the number.
    """
    study = open_study(file, must_exist=True)
    if number is not None and name is None and not number[:1].isdigit():
        number, name = None, number
    return Amended(study.retry(None if number is None else _suggestion_number(number, "taut retry"), name))


def correct(file: StudyFile, number: str, values: Sequence[str]) -> Amended:
    """Replace values given as name=value; all of them, or none."""
    study = open_study(file, must_exist=True)
    row = _suggestion_number(number, "taut correct")
    return Amended([(row, name) for name in study.correct(row, parse(file.problem, values, "taut correct"))])


def parse(problem: Problem, values: Sequence[str], command: str = "taut tell") -> dict[str, float | None]:
    """The values by name: a number, or None for fail. command: that they were given to."""
    wanted = problem.simulated or problem.functions
    example = f"write for example {wanted[0]}=1.5"
    if not values:
        expected = f"NAME=VALUE for at least one of {listed(wanted)}"
        raise ValueRefusedError.of(command, expected, "nothing", example)
    found: dict[str, float | None] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueRefusedError.of(command, "NAME=VALUE", shown(text), f"{example}, without spaces")
        if name not in problem.functions:
            expected = f"one of the functions {listed(wanted)}"
            raise UnknownNameError.of(command, expected, shown(name), way_out(name, wanted))
        if name in found:
            raise ValueRefusedError(f"{command}: expected {name!r} once, got it twice; leave one of them out.")
        found[name] = _value(name, value, command)
    return found


def times(words: Sequence[str]) -> dict[str, float]:
    """Seconds by the name of a function or setup."""
    found: dict[str, float] = {}
    for text in words:
        name, equals, value = text.partition("=")
        number = from_text(value)
        if not equals or number is None or name in found:
            way_out = "write for example --seconds stress=812.4, once for each"
            raise ValueRefusedError.of("taut tell: --seconds", "NAME=SECONDS", shown(text), way_out)
        found[name] = number
    return found


def to_dict(suggestion: Suggestion) -> dict[str, Any]:
    """JSON-able form of what a user needs to know of a suggestion."""
    kept = {name: getattr(suggestion, name) for name in ("functions", "cost", "initial", "note")}
    return {"suggestion": suggestion.number, "parameters": suggestion.point} | kept


def lines(suggestion: Suggestion, path: str, measured: bool = False) -> list[str]:
    """A suggestion for somebody who is going to carry it out. measured: its cost is the time it is expected to take."""
    width = max(map(len, suggestion.point))
    rest = " (initial design, not part of the budget)" if suggestion.initial else ""
    values = " ".join(f"{name}=..." for name in suggestion.functions)
    return [
        f"suggestion {suggestion.number}: evaluate {', '.join(suggestion.functions)} at",
        *(f"  {name:<{width}}  {value!r}" for name, value in suggestion.point.items()),
        f"cost: {suggestion.cost:g}{' s expected' * measured}{rest}",
        f"why: {suggestion.note}",
        f"then: taut tell {path} {suggestion.number} {values}",
    ]


def _suggestion_number(text: str, command: str = "taut tell") -> int:
    if not _WHOLE.fullmatch(text):
        way_out = "write the number that taut ask gave, for example 7 (taut status lists those that wait)"
        raise ValueRefusedError.of(command, "the number of a suggestion", shown(text), way_out)
    return int(text)


def _value(name: str, text: str, command: str) -> float | None:
    if text == "fail":
        return None
    failed = f"{name}=fail if the evaluation failed"
    wanted, way_out = "a number with a decimal dot, or fail", f"write for example {name}=1.5, or {failed}"
    return typed(f"{command}: {name}", text, ValueRefusedError, wanted, way_out, failed)
