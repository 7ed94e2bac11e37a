"""Questions to what is known: the recommendation, the relevance of constraints, any other point, other limits."""

import math
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.base.arrays import Array
from taut.base.errors import ProblemError, StudyError, listed
from taut.base.numbers import shown
from taut.base.threads import one_thread
from taut.data import ledger
from taut.data.beliefs import prediction, recommendation
from taut.data.coverage import checked
from taut.data.dataset import Request
from taut.data.history import History
from taut.data.results import (
    FunctionCheck,
    Incumbent,
    ModelReport,
    Outlook,
    Prediction,
    Recommendation,
    RelevanceRow,
    RelevanceRows,
)
from taut.data.rows import Observation, Suggestion
from taut.data.survey import Survey, in_user_units
from taut.problem.design import require_region
from taut.problem.functions import Constraint
from taut.problem.problem import Problem
from taut.problem.space import from_unit, to_unit
from taut.study import checks
from taut.study.method import (
    ForeseeingPolicy,
    Policy,
    PredictingPolicy,
    ReportingPolicy,
    SurveyingPolicy,
    WeighingPolicy,
)
from taut.study.reader import Reader

Limits = Mapping[str, Mapping[str, float | None]]
"""Other limits: {constraint: {"at_most": ..., "at_least": ...}}."""


@dataclass(frozen=True)
class Question:
    """What a method is asked, at one moment. Nothing is stored; the same rows and seed give the same answer."""

    policy: Policy
    seed: int
    request: Request
    suggestions: list[Suggestion]
    observations: list[Observation]
    measured: Callable[[Mapping[str, float]], tuple[dict[str, float], bool]]
    """See Designs.at."""
    as_written: Callable[[Mapping[str, Any]], dict[str, Any]]
    """See Designs.as_written."""
    committed: float = 0.0
    """Cost of all suggestions after the initial design."""

    @property
    def problem(self) -> Problem:
        return self.request.problem

    def recommendation(self) -> Recommendation:
        with one_thread():
            belief = self.policy.recommend(self.request, self._generator(1))
        point = self.as_written(from_unit(self.problem, belief.point))
        found, (measured, verified) = recommendation(self.problem, belief, point), self.measured(point)
        return replace(found, verified=verified, measured=measured)

    def relevance(self) -> list[RelevanceRow]:
        if not self.problem.constraints:
            return []
        with one_thread():
            judged = self.policy.relevance(self.request, self._generator(1))  # of the recommendation itself
        return RelevanceRows(ledger.relevance_rows(self.problem, self.suggestions, self.observations, judged))

    def outlook(self, budget: float | None = None) -> Outlook:
        if not isinstance(self.policy, ForeseeingPolicy):
            got = f"{type(self.policy).__name__}, which has none"
            raise StudyError.of("Study", "a method with outlook", got, "use one of taut's methods by its name")
        budget = None if budget is None else checks.amount("budget", budget)
        committed, last = self.committed, self.suggestions[-1] if self.suggestions else None
        left = math.inf if last is None or last.remaining is None or last.initial else last.remaining - last.cost
        left = max(0.0, left if budget is None else ledger.remaining(committed, budget))
        with one_thread():
            asked = replace(self.request, remaining=left, budget=committed + left)
            return self.policy.outlook(asked, self._generator(5))

    def prediction(self, point: Mapping[str, Any]) -> Prediction:
        where = self.problem.check_point(point)
        if not isinstance(self.policy, PredictingPolicy):
            got = f"{type(self.policy).__name__}, which has none"
            raise StudyError.of("Study", "a method with predict", got, "use one of taut's methods by its name")
        with one_thread():
            belief = self.policy.predict(self.request, to_unit(self.problem, where), self._generator(3))
        return prediction(self.problem, belief, where)

    def gain(self, limits: Limits) -> tuple[float, float, float] | None:
        """What other limits would bring next to the recommendation; None where that cannot be said."""
        other = with_limits(self.problem, limits)
        if not isinstance(self.policy, WeighingPolicy):
            return None
        with one_thread():
            return self.policy.gain(self.request, other, self._generator(1))  # of the recommendation itself

    def survey(self, points: Array) -> Survey | None:
        """What is believed at points [m, d] of the unit cube; None if the method does not say."""
        if not isinstance(self.policy, SurveyingPolicy):
            return None
        with one_thread():
            return in_user_units(self.problem, self.policy.survey(self.request, points, self._generator(3)))

    def check(self) -> list[FunctionCheck]:
        found: Mapping[str, ModelReport] = {}
        if isinstance(self.policy, ReportingPolicy):
            with one_thread():
                found = self.policy.honesty(self.request, self._generator(4))
        errors, nothing = self.request.errors, ModelReport()
        return [
            checked(name, errors.get(name, ()), self.request.dataset, found.get(name, nothing))
            for name in self.problem.functions
        ]

    def _generator(self, kind: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, len(self.suggestions), kind])


def stopped(found: Outlook, stop: float, problem: Problem) -> str:
    """Why a run ended before its budget did; nothing if it did not."""
    if not problem.simulated:  # there was nothing to run
        return ""
    least = 0.0 if problem.measured else min(bundle.cost for bundle in problem.bundles)
    if found.rest >= stop or found.left < least or not found.left:
        return ""
    gain = f"expected to gain no more than {found.rest:.2g} of {problem.objective.name}, less than {stop:g}"
    return f"stopped with {found.left:g} of the budget left: all of it is {gain}"


def stopping(row: Suggestion) -> float | None:
    """The gain at which a suggestion's run was to stop, if that made it what it is."""
    found: float | None = row.memory.get("verify", {}).get("stop")
    return found


def verifying(row: Suggestion) -> bool:
    """Was a suggestion made for a run that ends with a verified answer, if that made it what it is?"""
    return "verify" in row.memory or "unseen" in row.memory


def question(
    reader: Reader, policy: Policy, seed: int, cache: MutableMapping[str, Any], limits: Limits | None
) -> Question:
    """A question to all that is known now, perhaps with other limits than those of the study."""
    measured, as_written = reader.measured, reader.as_written
    with reader as history:
        rows, moment = history.lists(), history.moment()
        if limits:
            then = _retold(history, limits)
            measured, as_written = then.designs.at, then.designs.as_written
            memory = {"fit": _fits(moment.memory, limits)}
            request = Request(then.problem, then.moment().dataset, math.inf, memory, {}, moment.errors)
        else:
            known = (moment.dataset, math.inf, moment.memory, cache, moment.errors)
            request = Request(history.problem, *known, prices=moment.prices)
    return Question(policy, seed, request, *rows, measured, as_written, moment.committed)


def incumbent(reader: Reader, limits: Limits | None) -> Incumbent | None:
    """The best design that was measured whole and held, perhaps within other limits than those of the study."""
    with reader as history:
        return (_retold(history, limits) if limits else history).designs.incumbent()


def _retold(history: History, limits: Limits) -> History:
    """The same rows under other limits; raises if known constraints leave nothing."""
    then = History(with_limits(history.problem, limits))
    require_region(then.problem)
    then.extend(*history.lists())
    return then


def _fits(memory: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """What is remembered of the models, without those whose scale has its zero at a limit that is another now."""
    fits = memory.get("fit", {})
    return {name: kept for name, kept in fits.items() if name not in limits or not kept.get("warp")}


def with_limits(problem: Problem, limits: Limits) -> Problem:
    """The same problem with other limits; a side that is not named stays as it is, and None takes one away."""
    if not isinstance(limits, Mapping):
        way_out = "write {'stress': {'at_most': 1.5}}, with the names of constraints"
        raise ProblemError.of("Limits", "a dict by constraint", shown(limits), way_out)
    changed = {each.name: {"at_most": each.at_most, "at_least": each.at_least} for each in problem.constraints}
    for name, sides in limits.items():
        if not isinstance(problem.function(name), Constraint):
            way = f"name one of {listed(problem.functions[1:])}" if problem.constraints else "there is no constraint"
            raise ProblemError(f"Objective {name!r}: has no limit; {way}.")
        if not isinstance(sides, Mapping) or not sides or set(sides) - set(changed[name]):
            expected = "a dict with 'at_most' and/or 'at_least'"
            raise ProblemError.of(f"Limits of {name!r}", expected, shown(sides), "write {'at_most': 1.5}")
        changed[name].update(sides)
    constraints = [
        replace(each, at_most=changed[each.name]["at_most"], at_least=changed[each.name]["at_least"])
        for each in problem.constraints
    ]
    same = (problem.groups, problem.tables, problem.setups)
    return Problem(problem.parameters, problem.objective, constraints, *same)
