"""What can be evaluated: the user's Python functions, matched with the problem, and what one evaluation gives."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from taut.base.errors import StudyError, UnknownNameError, listed
from taut.base.numbers import FINITE, finite, shown
from taut.data.ledger import Seconds
from taut.problem.problem import Problem

Function = Callable[[dict[str, float]], Any]
"""Takes a point; returns a number, or for a group a dict of numbers by function name."""


@dataclass(frozen=True, slots=True)
class Task:
    """One evaluation: these functions of this suggestion at its point."""

    number: int
    point: dict[str, Any]
    functions: tuple[str, ...]


class Program(Protocol):
    """Gives values of some functions; can be sent to another process if it is to run there."""

    @property
    def name(self) -> str: ...

    @property
    def functions(self) -> tuple[str, ...]: ...

    @property
    def slots(self) -> int | None:
        """How many of its evaluations may run at the same time; None for any number."""

    def evaluate(self, task: Task) -> "Outcome":
        """Run it. Whatever goes wrong is a failure of the functions asked for, never an exception."""


@dataclass(frozen=True, slots=True)
class PythonProgram:
    """A Program that is one callable of the user."""

    name: str
    functions: tuple[str, ...]
    call: Function
    returns_dict: bool
    slots: int | None = None

    def evaluate(self, task: Task) -> "Outcome":
        try:
            result = self.call(dict(task.point))
        except (Exception, SystemExit) as error:  # sys.exit() in a function ends that evaluation, not the run
            return Outcome(dict.fromkeys(task.functions), _text(error))
        if not self.returns_dict:
            result = {self.name: result}
        elif not isinstance(result, Mapping):
            note = f"returned {shown(result)} instead of a dict with {listed(task.functions)}"
            return Outcome(dict.fromkeys(task.functions), note)
        return values_of(result, task.functions)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one evaluation gave: per function a finite value, or None for a failure; and why it failed."""

    values: dict[str, float | None]
    note: str = ""
    interrupted: bool = False
    """Ended on request before it was complete: tells nothing, the evaluation is still to be made."""
    stored: bool = True
    """False if it is told to a listener although the storage could not take it: it is lost unless told by hand."""
    seconds: float | None = field(default=None, compare=False)
    """How long it took in all, failed attempts included."""
    setup: float | None = field(default=None, compare=False)
    """How much of that went into the setup; None if there was none to be made."""

    @property
    def times(self) -> Seconds:
        """By function: an equal share of the time."""
        share = [None if each is None else each / len(self.values) for each in (self.seconds, self.setup)]
        return dict.fromkeys(self.values, (share[0], share[1]))

    @property
    def failed(self) -> bool:
        return all(value is None for value in self.values.values())


def timed(program: Program, task: Task) -> Outcome:
    """Run it where it is to run, and see how long it takes, unless it does so itself."""
    begun = time.perf_counter()
    outcome = program.evaluate(task)
    return outcome if outcome.seconds is not None else replace(outcome, seconds=time.perf_counter() - begun)


def programs(problem: Problem, functions: Mapping[str, Function]) -> tuple[PythonProgram, ...]:
    """Match the user's callables with the problem: one per function, or one under a group's name."""
    if not isinstance(functions, Mapping):
        raise StudyError(
            f"functions must be a dict of callables by name, got {shown(functions)}; write {{name: function, ...}}."
        )
    groups = {group.name for group in problem.groups}
    for name, call in functions.items():
        if name not in problem.functions and name not in groups:
            known = listed([*problem.functions, *sorted(groups)])
            raise UnknownNameError(f"Function {name!r} is unknown; this problem has {known}.")
        if not callable(call):
            raise StudyError(f"Function {name!r}: expected something to call with a point, got {call!r}.")
    found: list[PythonProgram] = []
    for bundle in problem.bundles:
        together = bundle.name in groups and bundle.name in functions
        separate = [name for name in bundle.functions if name in functions and name != bundle.name]
        if together and separate:
            expected, way_out = "one callable for the group or one for each function", f"drop {bundle.name!r}"
            raise StudyError.of(f"Group {bundle.name!r}", expected, "both", f"{way_out} or {listed(separate)}")
        if together:
            found.append(PythonProgram(bundle.name, bundle.functions, functions[bundle.name], True))
            continue
        lacking = [name for name in bundle.functions if name not in functions]
        if lacking:
            raise UnknownNameError(
                f"No callable for {listed(lacking)}; expected {listed(problem.simulated)}, got {listed(functions)}."
            )
        found.extend(PythonProgram(name, (name,), functions[name], False) for name in bundle.functions)
    return tuple(found)


def values_of(result: Mapping[str, Any], functions: Iterable[str]) -> Outcome:
    """The finite numbers in a result; what is missing or anything else is a failure of that function."""
    values = {name: finite(result.get(name)) for name in functions}
    bad = [name for name, value in values.items() if value is None]
    note = "; ".join(
        f"{name} returned {shown(result[name])} instead of {FINITE}" if name in result else f"{name} is missing"
        for name in bad
    )
    return Outcome(values, note)


def _text(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an error that cannot be printed
        return type(error).__name__
