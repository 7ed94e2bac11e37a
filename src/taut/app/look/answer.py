"""The answer of a study: the best point according to what is known, and which constraints matter there."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from taut.app.studyfile.file import StudyFile, open_study, storage_of
from taut.app.studyfile.text import refused
from taut.base.errors import StudyError, UnknownNameError, listed
from taut.base.numbers import from_text, shown
from taut.data.coverage import latest, share_within
from taut.data.results import Incumbent, Outlook, Prediction, Recommendation, RelevanceRow
from taut.plot.gather import answerable
from taut.plot.limits import gain_dict, limit_lines, outlook_dict, outlook_line, to_dict, two_sided
from taut.problem.problem import Problem
from taut.storage import open_storage
from taut.study.ending import unverified
from taut.study.questions import Limits, with_limits
from taut.study.study import Study

RECENT = 20
"""Predictions by which the answer is judged: the last ones."""

VERIFIED = "verified: every function was evaluated here, and every constraint held as measured"
COMPUTED = "every function has a formula: nothing has to be evaluated"

PAGES = (".html", ".htm")
"""Ends of the name of a page."""

_CONDITION = re.compile(r"(?P<name>[^<>=]+)(?P<sign><=|>=)(?P<value>[^<>=]+)")


@dataclass(frozen=True, slots=True)
class Answer:
    """The recommendation, with a judgement of each constraint, and how far to trust it."""

    study: str
    objective: str
    goal: str
    spent: float
    initial_cost: float
    """Of the initial design, which is no part of what is spent."""
    measured: bool
    """Are costs seconds?"""
    best: Recommendation
    relevance: tuple[RelevanceRow, ...]
    trust: str
    """In one line."""
    incumbent: Incumbent | None
    """The best design that was measured whole and held, within the limits that were asked for."""
    outlook: Outlook | None = None
    """What more evaluations are expected to bring; None for other limits than the study's."""
    gain: tuple[float, float, float] | None = None
    """What other limits than the study's would bring: mean, low, high; None where nothing can be said."""
    computed: bool = False
    """Does every function have a formula? Then nothing is evaluated, believed or paid for."""
    two_sided: tuple[str, ...] = ()
    """The constraints with two limits."""

    def to_dict(self) -> dict[str, Any]:
        believed = beliefs(self.best)
        return {
            "study": self.study,
            "spent": self.spent,
            "initial_cost": self.initial_cost,
            **believed,
            "objective": {"name": self.objective, "goal": self.goal} | believed["objective"],
            "verified": self.best.verified,
            "measured": self.best.measured,
            "trust": self.trust,
            "incumbent": None if self.incumbent is None else asdict(self.incumbent),
            "relevance": [to_dict(row) for row in self.relevance],
            "outlook": None if self.outlook is None else outlook_dict(self.outlook),
            "gain": None if self.gain is None else gain_dict(self.gain),
        }


def beliefs(best: Recommendation | Prediction) -> dict[str, Any]:
    """What is believed of a point, JSON-able."""
    return {
        "point": best.point,
        "objective": dict(zip(("mean", "sd"), best.objective, strict=True)),
        "feasibility": best.feasibility,
        "constraints": {
            name: dict(zip(("mean", "sd", "probability"), belief, strict=True))
            for name, belief in best.constraints.items()
        },
        "note": best.note,
    }


def answer(name: str, study: Study, limits: Limits | None = None, budget: float | None = None) -> Answer:
    """The answer of a study that has a value.

    name: what the study is called. limits: instead of its own. budget: for all evaluations together, as in outlook.
    """
    objective = study.problem.objective
    best, relevance = study.recommend(limits), tuple(study.relevance(limits))
    judged = with_limits(study.problem, limits) if limits else study.problem
    trust = f"{unverified(judged, best, study.history) or _held(judged)}; {recent(study)}"
    spent = study.spent, study.history.books.initial, study.problem.measured
    whole, both = study.incumbent(limits), two_sided(judged)
    found = Answer(name, objective.name, objective.goal, *spent, best, relevance, trust, whole, two_sided=both)
    found = replace(found, computed=True, trust=COMPUTED) if not study.problem.simulated else found
    with suppress(StudyError):  # a method of the user's own may have no outlook
        if found.computed and not limits:
            return found
        return replace(found, gain=study.gain(limits)) if limits else replace(found, outlook=study.outlook(budget))
    return found


def _held(problem: Problem) -> str:
    return VERIFIED if problem.constraints else "verified: it was evaluated here"


def recent(study: Study) -> str:
    """How the last predictions fared, in words."""
    errors = latest(study.history.moment().errors, RECENT)
    if not errors:
        return "no prediction has been put to the test yet"
    within = round(share_within(errors, 2.0) * len(errors))
    return f"{within} of the last {len(errors)} predictions were within 2 sd"


def recommended(file: StudyFile) -> Recommendation | None:
    """The recommendation alone; None if the study of a file has no value yet. Nothing is written."""
    study = open_study(file, must_exist=True)
    return study.recommend() if answerable(study) else None


def meaning(file: StudyFile) -> tuple[str, ...]:
    """What the limits of the study of a file cost and what there is left to gain, in sentences; none without values."""
    study, objective = open_study(file, must_exist=True), file.problem.objective
    if not answerable(study):
        return ()
    costs = limit_lines(study.relevance(), objective.name, objective.goal, two_sided(file.problem))
    if not study.problem.simulated:
        return tuple(costs)
    return outlook_line(study.outlook(file.study.budget), objective.name, file.problem.measured), *costs


def stored(file: StudyFile, conditions: Sequence[str] = ()) -> Answer:
    """The answer of the study of a file; raises if it has no value yet. Nothing is written.

    conditions: other limits, each as NAME>=VALUE or NAME<=VALUE.
    """
    return answer(file.study.name, _known(file), limits_of(file.problem, conditions), file.study.budget)


def report(file: StudyFile, target: str) -> Path:
    """Write the page of the study of a file; it may have no value yet. The study is only read."""
    place = os.path.realpath(target)
    if place in (os.path.realpath(file.path), os.path.realpath(file.study.storage)):
        raise refused(repr(target), "a file of its own", "that of the study", "give another name")
    if (end := Path(target).suffix.lower()) not in PAGES:
        way_out = "write for example -o study.html"
        raise refused(repr(target), f"a file name that ends in {listed(PAGES)}", repr(end or "no such end"), way_out)
    study = open_study(file, must_exist=True)
    return study.report(target, file.study.name, file.study.budget)


def predicted(file: StudyFile, words: Sequence[str]) -> Prediction:
    """What the study of a file believes at a point, given as NAME=VALUE for each parameter."""
    return _known(file).predict(typed_point(file.problem, words, "taut predict"))


def limits_of(problem: Problem, conditions: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Limits from texts such as stress<=260."""
    found: dict[str, dict[str, float | None]] = {}
    for text in conditions:
        match = _CONDITION.fullmatch(text.strip())
        value = None if match is None else from_text(match["value"].strip())
        if match is None or value is None:
            example = f"write for example --with '{problem.functions[-1]}<=1.5'"
            raise UnknownNameError.of("--with", "NAME<=VALUE or NAME>=VALUE", shown(text), example)
        side = "at_most" if match["sign"] == "<=" else "at_least"
        sides = found.setdefault(match["name"].strip(), {})
        if side in sides:
            expected = f"one limit {match['sign']} for {match['name'].strip()!r}"
            raise UnknownNameError.of("--with", expected, f"another in {shown(text)}", "leave one of them out")
        sides[side] = value
    return found


def _known(file: StudyFile) -> Study:
    if not file.problem.simulated and storage_of(file).load() is None:
        return open_study(file, open_storage(None))  # nothing has to begin
    study = open_study(file, must_exist=True)
    if not answerable(study):
        way_out = "run it with taut run, tell values with taut tell, or add some with taut add"
        raise refused(repr(str(file.path)), "a study with values", "one without any yet", way_out)
    return study


def typed_point(problem: Problem, words: Sequence[str], command: str) -> dict[str, Any]:
    """The parameters given as NAME=VALUE, each at most once. command: that they were given to."""
    found: dict[str, Any] = {}
    example = " ".join(f"{each.name}=..." for each in problem.parameters)
    declared = {parameter.name: parameter for parameter in problem.parameters}
    for text in words:
        name, equals, value = text.partition("=")
        if not equals or name not in declared or name in found:
            raise UnknownNameError.of(command, f"{example}, each once", shown(text), "give a value for each")
        meant = declared[name].parsed(value)
        if meant is None:
            raise UnknownNameError.of(command, f"{example}, each once", shown(text), "give a number for each")
        found[name] = meant
    return found
