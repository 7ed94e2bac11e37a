"""Checks of what a user hands to a study."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from taut.base.errors import StudyError, UnknownNameError, ValueRefusedError, listed, way_out
from taut.base.numbers import FINITE, LARGEST, as_float, finite, shown
from taut.data.exhausted import ALL_KNOWN
from taut.data.history import History
from taut.data.ledger import Answers, Seconds
from taut.data.rows import Suggestion
from taut.problem.functions import Group, Setup
from taut.problem.problem import Problem

Values = Mapping[str, float | None]


def find(suggestion: Suggestion | int, history: History) -> Suggestion:
    """The stored row of a suggestion, given itself or its number."""
    number = suggestion.number if isinstance(suggestion, Suggestion) else suggestion
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        raise StudyError(f"Study: expected a suggestion or its number, got {shown(suggestion)}.")
    row = history.find(int(number))
    if row is None:
        have = f"1 to {history.suggestions[-1].number}" if history.suggestions else "none yet"
        raise StudyError(f"Suggestion {shown(number)} is unknown; this study has {have}.")
    if isinstance(suggestion, Suggestion) and (suggestion.point, suggestion.functions) != (row.point, row.functions):
        expected, got = (f"{listed(each.functions)} at {each.point!r}" for each in (row, suggestion))
        way_out = "it belongs to another study or was changed, use study.add (or taut add) for another point"
        raise StudyError.of(f"Suggestion {number}", expected, f"one for {got}", way_out)
    return row


def evaluated(problem: Problem, name: str | None) -> tuple[str, ...]:
    """The functions that a name stands for: itself, those of a group, or all without one."""
    if name is None:
        return problem.functions
    group = next((group.functions for group in problem.groups if group.name == name), ())
    if not group and name not in problem.functions:
        known = [*problem.functions, *(group.name for group in problem.groups)]
        raise UnknownNameError.of("Study", f"one of {listed(known)}", shown(name), way_out(name, known))
    return group or (name,)


def values(problem: Problem, values: Values) -> dict[str, float | None]:
    """At least one value of a function of the problem, each finite or None."""
    if not isinstance(values, Mapping) or not values:
        expected = f"a dict with a value of at least one of {listed(problem.simulated or problem.functions)}"
        raise ValueRefusedError.of("Study", expected, shown(values), "write {name: value}")
    for name in values:
        if problem.function(name).formula is not None:
            way_out = "leave it out: its values are known everywhere"
            raise ValueRefusedError.of(
                f"Function {name!r}", "no value, because it has a formula", shown(values[name]), way_out
            )
    return {name: value(name, number) for name, number in values.items()}


def seconds(problem: Problem, times: Mapping[str, float] | None, told: Values) -> Seconds:
    """By function told: how long it took, with what went into its setup, which has a name of its own."""
    if times is None:
        return {}
    steps: tuple[Group | Setup, ...] = (*problem.groups, *problem.setups)
    shared = {each.name: [name for name in told if name in each.functions] for each in steps}
    names = [*told, *(name for name, functions in shared.items() if functions)]
    if not isinstance(times, Mapping):
        raise ValueRefusedError.of("Study", "seconds as a dict by name", shown(times), f"write {{{names[0]!r}: 12.5}}")
    known = {name: _seconds(name, times[name], names) for name in times}
    for group in problem.groups:
        known |= _of_group(known, group.name, shared[group.name])
    found: dict[str, tuple[float | None, float | None]] = {}
    for name in told:
        setup = next((each.name for each in problem.setups if name in each.functions), "")
        extra = known.pop(setup, None)  # paid by the first of those told together
        own = known.get(name)
        if own is not None or extra is not None:
            found[name] = None if own is None else own + (extra or 0.0), extra
    return found


def _of_group(known: Mapping[str, float], group: str, members: Sequence[str]) -> dict[str, float]:
    """By function of a group that was told, equal shares of what is given under the group's own name."""
    if group not in known or not members:
        return {}
    given = [name for name in members if name in known]
    if given:
        got, way_out = f"both, with {listed(given)}", "give one time for the group, or one for each function"
        raise ValueRefusedError.of(f"Seconds of {group!r}", f"its own or those of {listed(members)}", got, way_out)
    return dict.fromkeys(members, known[group] / len(members))


def _seconds(name: str, value: object, names: Sequence[str]) -> float:
    if name not in names:
        way_out = "give the times of what is told"
        raise UnknownNameError.of("Study", f"seconds of {listed(names)}", shown(name), way_out)
    number = finite(value)
    if number is None or number < 0.0:
        expected = "a finite number of seconds, 0 or more"
        raise ValueRefusedError.of(f"Seconds of {name!r}", expected, shown(value), "leave it out if nobody measured it")
    return number


def check_repeat(number: int, name: str, value: float | None, known: Answers) -> None:
    """Refuse a value that contradicts the one known for this function of this suggestion."""
    row = known.get((number, name))
    if row is None or row.value == value:
        return
    if row.value is None:
        raise ValueRefusedError(
            f"Suggestion {number}: {name!r} was told to have failed, got {value!r} now; use study.correct (or taut "
            "correct) if that was a mistake, study.retry (or taut retry) to have it evaluated once more."
        )
    raise ValueRefusedError(
        f"Suggestion {number}: {name!r} already has the value {row.value!r}, got {value!r}; expected the same value "
        "or none, use study.correct (or taut correct) if it was a mistake, study.add (or taut add) for a second one."
    )


def value(name: str, value: object) -> float | None:
    """A finite number, or None for a failure."""
    if value is None:
        return None
    number = finite(value)
    if number is None:
        way_out = "tell None if the evaluation failed, or use another unit if it did not"
        raise ValueRefusedError.of(f"Function {name!r}", FINITE, shown(value), way_out)
    return number


def one_of(what: str, name: object, names: Iterable[str]) -> str:
    known = list(names)
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(f"{what}: expected one of {listed(known)}, got {shown(name)}; {way_out(name, known)}.")
    return name


def whole(what: str, value: object, most: int = 2**63 - 1) -> int:
    """A whole number of 0 or more, by default any that a database can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value <= most:
        way_out = f"leave it out for the default, or write for example {what}=8"
        end = "below 2**63" if most == 2**63 - 1 else f"at most {most}"
        raise _not(f"{what} must be a whole number of 0 or more ({end})", value, way_out)
    return int(value)


def options(options: object, preset: object) -> dict[str, Any]:
    """Options by name, with NumPy's numbers as plain ones; the preset must be a name or None."""
    if preset is not None and not isinstance(preset, str):
        raise _not("preset must be a name or None", preset, "write preset='paper' or leave it out")
    if options is not None and not isinstance(options, Mapping):
        raise _not("options must be a dict", options, "write {name: value, ...}")
    plain = {name: entry.item() if isinstance(entry, np.generic) else entry for name, entry in (options or {}).items()}
    try:
        json.dumps(plain)
        named = all(isinstance(name, str) for name in plain)
    except (TypeError, ValueError):
        named = False
    if not named:
        raise _not("options must be plain numbers, words and lists by name", options, "they are stored with the study")
    return plain


def flag(what: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise _not(f"{what} must be True or False", value, "leave it out for the default")
    return bool(value)


def amount(what: str, value: object) -> float:
    """A number of 0 or more; may be infinite."""
    number = as_float(value)
    if number is None or math.isnan(number) or number < 0.0:
        raise _not(f"{what} must be a number of 0 or more", value, "leave it out if there is no limit")
    return number


def stop(value: object, policy: object = None) -> float | None:
    """A finite number of 0 or more, or None. policy: a method that must be able to tell what there is left to gain."""
    number = finite(value)
    if number is not None and policy is not None and not hasattr(policy, "outlook"):
        raise _not("stop needs a method with outlook", policy, "leave it out, or use one of taut's methods by its name")
    if value is not None and (number is None or number < 0.0):
        raise _not("stop must be a finite number of 0 or more", value, "leave it out to spend the whole budget")
    return number


def budget(value: object, least: float, method: str, bundles: Iterable[str]) -> float:
    """A finite number that pays for at least one step of the method."""
    number = finite(value)
    if number is None or number * (1.0 + 1e-12) < least:
        raise StudyError(
            f"Study: budget must be a finite number of at least {least!r} (at most {LARGEST:g}): less pays for no "
            f"step of method {method!r} on {listed(bundles)}; got {shown(value)}; give what may be spent in all after "
            "the initial design."
        )
    return number


def callback(call: object) -> None:
    if call is not None and not callable(call):
        way_out = "leave it out or pass a function of two arguments"
        raise _not("callback must be callable with the study and a suggestion", call, way_out)


def workers(executor: Executor | None, workers: int | None) -> int:
    """How many suggestions to keep in flight: as given, else as many as the executor has workers."""
    if executor is not None and (isinstance(executor, type) or not callable(getattr(executor, "submit", None))):
        way_out = "pass for example executor=concurrent.futures.ThreadPoolExecutor(4), or None to run one by one"
        raise _not("executor must have a method submit", executor, way_out)
    if workers is None:
        return _size(executor)
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1:
        way_out = "leave it out to use all workers of the executor"
        raise _not("workers must be a whole number of 1 or more", workers, way_out)
    if executor is None and workers > 1:
        way_out = f"pass for example executor=concurrent.futures.ThreadPoolExecutor({workers})"
        raise _not(f"workers={workers} needs an executor", None, way_out)
    return int(workers)


def _not(what: str, got: object, way_out: str) -> StudyError:
    return StudyError(f"Study: {what}, got {shown(got)}; {way_out}.")


def _size(executor: Executor | None) -> int:
    """How many calls it can run at once, as far as it tells: Python's pools and Dask's, none by a public name."""
    if executor is None:
        return 1
    most = getattr(executor, "_max_workers", None)
    client = getattr(executor, "_client", None)
    if client is not None and callable(getattr(client, "nthreads", None)):
        most = sum(client.nthreads().values())
    return max(1, most) if isinstance(most, int) else 1


def nothing_left(problem: Problem, method: str, left: float, least: float | None) -> StudyError:
    """Why there is no suggestion. left: what it may cost; least: what one costs, None if everything is known."""
    if not problem.simulated:
        return StudyError(
            "Study: nothing has to be evaluated, because every function has a formula; study.recommend() (taut "
            "best) gives the best point at no cost."
        )
    if least is None or math.isinf(left):  # it was not for want of money
        return StudyError(f"Study: {ALL_KNOWN}; see study.recommend().")
    return StudyError(
        f"Study: nothing affordable is left to suggest: remaining is {left!r}; with "
        f"{listed(bundle.name for bundle in problem.bundles)} method {method!r} needs at least {least!r} and found no "
        "evaluation within remaining; raise it or stop here."
    )
