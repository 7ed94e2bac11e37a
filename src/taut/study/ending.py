"""The last words of a run: why it ended before its budget did, why its answer is not verified, and what that costs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from taut.data.charges import plain
from taut.data.designs import holds
from taut.data.history import History
from taut.data.ledger import counting
from taut.data.results import Recommendation
from taut.problem.functions import Constraint
from taut.problem.problem import Problem
from taut.problem.space import to_unit
from taut.study.questions import Question, stopped


def ended(question: Question, history: History, budget: float, stop: float | None, verify: bool) -> Recommendation:
    """The recommendation, with a word about an end before that of the budget, or without a verified answer."""
    best = question.recommendation()
    early = "" if stop is None else stopped(question.outlook(budget), stop, history.problem)
    why = unverified(history.problem, best, history) if verify else ""
    return replace(best, note="; ".join(filter(None, [best.note, early, why])))


def unverified(problem: Problem, best: Recommendation, history: History) -> str:
    """In words; nothing if the answer is verified. problem: perhaps with other limits than those of the history."""
    if best.verified:
        return ""
    broken = [name for name, value in best.measured.items() if not holds(problem, name, value)]
    if broken:
        why = " and ".join(_beyond(problem, name, best.measured[name]) for name in broken)
        return f"not verified: as measured here, {why}; another whole design costs {_cost(history, problem.simulated)}"
    failed = _failed(history, best.point)
    if failed:
        whole = _cost(history, problem.simulated)
        return f"not verified: {_names(failed)} failed at this very point; another whole design costs {whole}"
    missing = [name for name in problem.simulated if name not in best.measured]
    nothing = len(missing) == len(problem.simulated)
    there = "nothing was" if nothing else f"{_names(missing)} {'was' if len(missing) == 1 else 'were'} not"
    return f"not verified: {there} evaluated at this very point; to do so costs {_cost(history, missing, best.point)}"


def needed(problem: Problem, best: Recommendation, history: History) -> float:
    """What a verified answer costs: the rest of this design, or another one where this one does not hold."""
    bad = any(not holds(problem, name, value) for name, value in best.measured.items()) or _failed(history, best.point)
    missing = [name for name in problem.simulated if name not in best.measured]
    return _price(history, problem.simulated) if bad else _price(history, missing, best.point)


def _beyond(problem: Problem, name: str, value: float) -> str:
    """stress is 260.3, 10.3 above its limit of 250."""
    function = problem.function(name)
    assert isinstance(function, Constraint), "an objective has no limit"
    low, high = function.at_least, function.at_most
    if high is not None and value > high:
        return f"{name} is {value:.6g}, {value - high:.3g} above its limit of {high:g}"
    assert low is not None, "one of the limits is broken"
    return f"{name} is {value:.6g}, {low - value:.3g} below its limit of {low:g}"


def _failed(history: History, point: dict[str, Any]) -> list[str]:
    """Functions that failed at a point, also if they have a value from another time."""
    rows = counting(history.observations)
    failed = {row.function for row in rows if row.value is None and row.point == point}
    return [name for name in history.problem.functions if name in failed]


def _cost(history: History, names: Iterable[str], point: dict[str, Any] | None = None) -> str:
    return f"{_price(history, names, point):.4g}{' s' * history.problem.measured}"


def _price(history: History, names: Iterable[str], point: dict[str, Any] | None = None) -> float:
    """Of functions at a new point, or at one where something may be prepared."""
    problem, prices = history.problem, history.prices()
    if plain(problem) or prices is None:
        return problem.cost(names)
    if point is None:
        return prices.range(problem.complete(names))[1]
    return math.fsum(prices.parts(problem.complete(names), to_unit(problem, point)).values())


def _names(names: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
