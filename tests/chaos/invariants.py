"""What must hold for a study, whatever happened to it. Each check yields what does not: its kind, and what exactly."""

import math
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from chaos import journal
from chaos.journal import COSTS, Evaluation
from chaos.runs import Run, leftover, now
from chaos.scene import Scene

import taut
from taut.data.rows import Observation

GRACE_SECONDS = 2.0
"""A program may live so much longer than its run: whoever ends it has to wake up first."""

KINDS = {
    "lost": "values that were acknowledged and are not stored so",
    "wrong": "values stored that no program found",
    "doubled": "rows that are there twice, numbers that are missing",
    "twice": "evaluations begun by a second run while the first lived, or after they were stored",
    "slots": "programs at the same time that must not be",
    "orphan": "programs that outlived their run",
    "budget": "studies that cost more than allowed, or left some of it",
    "hang": "phases in which nothing happened",
    "code": "runs that ended with another exit code than 0",
    "unanswered": "studies without all their values although every run said it had finished",
    "decisions": "studies of one worker that differ from an undisturbed run",
    "traceback": "exceptions that reached the user",
    "unnoticed": "damaged files that are read as something else",
    "unclear": "commands that failed without one clear line",
}

Found = Iterator[tuple[str, str]]


def check(scene: Scene) -> Found:
    """Of a study whose runs have all ended."""
    evaluations, runs = scene.evaluations, {run.name: run for run in scene.runs}
    study = taut.Study.open(scene.place)
    yield from outputs(scene)
    yield from rows(study, scene.setting.budget)
    yield from values(study.observations, evaluations)
    yield from acknowledged(scene.runs, study.observations)
    yield from twice(evaluations, runs, scene.shot)
    yield from slots(evaluations, runs, scene.shot)
    yield from orphans(scene)


def outputs(scene: Scene) -> Found:
    """A run ends with 0, or was killed; or it could not begin because the storage was in trouble just then."""
    for run in scene.runs:
        if "Traceback" in run.text:
            yield "traceback", f"{run.name}: {run.text[run.text.index('Traceback') :][-1500:]}"
        excused = run.killed < math.inf or (run.refused() and in_trouble(scene, run))
        if run.code != 0 and not excused:
            yield "code", f"{run.name} ended with {run.code}: {run.text[-500:]}"


def in_trouble(scene: Scene, run: Run) -> bool:
    """Could the storage not be used at some time while it ran?"""
    return any(began <= run.ended and run.started <= ended for began, ended in scene.troubles)


def rows(study: taut.Study, budget: float) -> Found:
    """Everything that was asked for is answered once, and the budget is used as far as it goes."""
    asked = [(row.number, name) for row in study.suggestions for name in row.functions]
    told = [(row.suggestion, row.function) for row in study.observations]
    if [row.number for row in study.suggestions] != list(range(1, len(study.suggestions) + 1)):
        yield "doubled", f"numbers {[row.number for row in study.suggestions]}"
    for key, count in Counter(told).items():
        if count > 1:
            yield "doubled", f"{count} rows for {key}"
    if missing := set(asked) - set(told):
        yield "unanswered", f"no values of {sorted(missing)}"
    for key in set(told) - set(asked):
        yield "doubled", f"{key} was not asked for"
    cost = sum(row.cost for row in study.suggestions if not row.initial)
    if not budget - min(COSTS.values()) < cost <= budget or study.spent > budget:
        yield "budget", f"asked for {cost}, spent {study.spent} of {budget}"


def values(observations: tuple[Observation, ...], evaluations: list[Evaluation]) -> Found:
    """Every stored value is, to the last bit, one that a program has found."""
    found: dict[tuple[int | None, str], set[str]] = {}
    for each in evaluations:
        if each.end is not None:
            for key in each.keys:
                found.setdefault(key, set()).add(repr(each.values[key[1]]))
    for row in observations:
        if repr(row.value) not in found.get((row.suggestion, row.function), set()):
            yield "wrong", f"{row.function} of suggestion {row.suggestion} is {row.value!r}, note {row.note!r}"


def acknowledged(runs: list[Run], observations: tuple[Observation, ...]) -> Found:
    """What a run printed as a value is stored."""
    stored = {(row.suggestion, row.function): row.value for row in observations}
    for run in runs:
        for key, text in run.acknowledged().items():
            value = stored.get(key)
            if value is None or f"{value:.6g}" != text:
                yield "lost", f"{run.name} printed {key} = {text}, stored is {value!r}"


def twice(evaluations: list[Evaluation], runs: dict[str, Run], shot: dict[int, float]) -> Found:
    """A second program for the same thing starts only if the first, or its run, was killed; never if that is stored."""
    stored = {name: run.acknowledged() for name, run in runs.items()}
    for place, each in enumerate(evaluations):
        for first in evaluations[:place]:
            both = set(first.keys) & set(each.keys)
            if not both:
                continue
            over = min(runs[first.run].dead, shot.get(first.process, math.inf))
            if over > each.start:
                yield "twice", f"{_life(first)}, which lives; {_life(each)}"
            elif first.process not in shot and both & set(stored[first.run]):
                yield "twice", f"{_life(first)}, which is stored; {_life(each)}"


def slots(evaluations: list[Evaluation], runs: dict[str, Run], shot: dict[int, float]) -> Found:
    """At no time do two programs of c run, in all runs together."""
    busy: Evaluation | None = None
    until = -math.inf
    for each in evaluations:
        if "c" in each.values:
            if each.start < until:
                assert busy is not None
                yield "slots", f"{_life(busy)}; {_life(each)}"
            busy = each
            ends = (each.end, runs[each.run].dead, shot.get(each.process))
            until = min(end for end in ends if end is not None)


def orphans(scene: Scene) -> Found:
    """Whatever belongs to a run ends with it. Kills what does not."""
    dead = {run.name: run.dead for run in scene.runs}
    time.sleep(max(0.0, max(dead.values()) + GRACE_SECONDS - now()) if leftover(journal.STUDY, scene.name) else 0.0)
    for process in leftover(journal.STUDY, scene.name):
        yield "orphan", f"process {process} is still there"
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    for each in scene.evaluations:
        late = (each.start if each.end is None else each.end) - dead[each.run]
        if late > GRACE_SECONDS:
            yield "orphan", f"{_life(each)}, {late:.2f} s after the death of its run"


def decisions(one: taut.Study, other: taut.Study) -> Found:
    """Suggestions and values, in the same order, as without any event."""
    if one.suggestions != other.suggestions:
        number = next((a.number for a, b in zip(one.suggestions, other.suggestions, strict=False) if a != b), None)
        yield "decisions", f"other suggestions than undisturbed, from number {number}"
    if one.observations != other.observations:
        yield "decisions", "other values, or in another order, than undisturbed"


def _life(each: Evaluation) -> str:
    end = "not ended" if each.end is None else f"ended {each.end:.3f}"
    what = f"{', '.join(each.values)} of {each.number}"
    return f"program {each.process} of {each.run} for {what} started {each.start:.3f}, {end}"
