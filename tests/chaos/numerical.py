"""Drives studies at the edge of floating point and checks that every answer is one: finite, in bounds, repeatable.

    PYTHONPATH=tests python -m chaos.numerical STUDIES [SEED [FOLDER [STEPS]]]   # goes on with FOLDER/numbers.jsonl
    PYTHONPATH=tests python -m chaos.numerical only SEED [STEPS]                 # one study again, with the traceback

Study SEED + i is drawn from its seed alone (degenerate.py), and every line of the result file has the seed, so that
what went wrong can be repeated. Warnings count as violations.
"""

import json
import math
import re
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from chaos.degenerate import VALUES, Recipe, recipe

import taut
from taut.data.exhausted import ALL_KNOWN
from taut.problem.design import domain
from taut.problem.space import from_unit, to_unit

STEPS = 25
SLOW = 20.0
"""CPU seconds from which on a step is reported."""
HANGS = 300.0
"""CPU seconds after which a step is given up."""
NO_NUMBER = re.compile(r"(?<![a-z])(nan|inf|-inf)(?![a-z])")
VERDICTS = {"binding", "excluding", "irrelevant", "undecided"}


class HungError(BaseException):
    """A step did not end."""


@dataclass
class Report:
    """What happened in one study, and what should not have."""

    seed: int
    about: dict[str, Any]
    steps: int = 0
    refused: int = 0
    """Asks with a budget that pays for nothing."""
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    violations: list[str] = field(default_factory=list)
    trace: str = ""

    def expect(self, holds: bool, what: str, *given: object) -> None:
        if not holds and len(self.violations) < 9:
            self.violations.append(": ".join([what, *(repr(each)[:200] for each in given)]))

    def to_json(self) -> str:
        return json.dumps(vars(self), default=str)


def torment(seed: int, steps: int = STEPS, drawn: Recipe | None = None) -> Report:
    """Play the study of a seed to its end, or to the first exception."""
    chosen = drawn or recipe(seed)
    report = Report(seed, chosen.described())
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            Play(chosen, report).run(steps)
        except (Exception, HungError) as error:
            report.trace = traceback.format_exc()
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}, {place.name}"
            report.expect(False, f"{type(error).__name__} in {where}", str(error))
    report.seconds = time.process_time() - begun
    return report


class Play:
    """One study under way."""

    def __init__(self, chosen: Recipe, report: Report) -> None:
        self.recipe, self.report, self.problem = chosen, report, chosen.problem
        self.rng = np.random.default_rng([chosen.seed, 2])
        self.study = taut.Study(chosen.problem, **chosen.study)
        self.open: list[taut.Suggestion] = []

    def run(self, steps: int) -> None:
        for _ in range(self.recipe.before):
            self.add()
        for step in range(steps):
            if self.study.finished or not self.step():  # few designs, and all of them known
                break
            self.report.steps += 1
            if step == steps - 1 or self.rng.random() < 0.15:
                self.recommend()
            if step == steps - 1 or self.rng.random() < 0.05:
                self.relevance()
        self.replay()

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Notes the slowest step."""
        begun = time.process_time()
        if signal.getsignal(signal.SIGVTALRM) is _ring:
            signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
        yield
        taken = time.process_time() - begun
        self.report.slowest = max(self.report.slowest, (round(taken, 2), f"{what} at step {self.report.steps}"))

    def _over(self, error: taut.StudyError) -> bool:
        """Is nothing left to ask for, of few designs? Levels that are nearly the same count as one."""
        return ALL_KNOWN in str(error) and domain(self.problem).finite

    def step(self) -> bool:
        """Ask, answer what is due, and at times add values from elsewhere; False if nothing is left to ask for."""
        limits = self._limits()
        try:
            with self.timed("ask"):
                suggestion = self.study.ask(**limits)
        except taut.StudyError as error:
            if self._over(error):
                return False
            left = next(iter(limits.values()), math.inf)
            payable = left >= self.problem.cost(self.problem.functions) and "remaining" in limits
            self.report.expect("nothing affordable" in str(error) and not payable, "refused", str(error), limits)
            self.report.refused += 1
            try:
                suggestion, limits = self.study.ask(), {}
            except taut.StudyError as again:
                if not self._over(again):
                    raise
                return False
        self.check(suggestion, limits)
        self.open.append(suggestion)
        while len(self.open) > self.recipe.ahead:
            self.answer(self.open.pop(self.rng.integers(len(self.open))))
        if self.rng.random() < self.recipe.added:
            self.add()
        return True

    def _limits(self) -> dict[str, float]:
        """A budget that pays for one bundle and no more, for a little less than that, for nothing, for everything."""
        if self.rng.random() >= self.recipe.limited:
            return {}
        costs = [bundle.cost for bundle in self.problem.bundles]
        one, everything = float(self.rng.choice(costs)), self.problem.cost(self.problem.functions)
        choices = [min(costs), one, one * (1.0 - 1e-9), everything, 0.0, 1e300, max(costs), math.inf]
        amount = float(choices[self.rng.integers(len(choices))])
        return {"budget" if self.rng.random() < 0.2 else "remaining": amount}

    def value(self, name: str, u: np.ndarray) -> float | None:
        kind = self.recipe.kinds[name]
        if name in self.recipe.copies:  # the same numbers in the same order are not needed: the same kind is
            kind = self.recipe.kinds[self.recipe.copies[name]]
        return VALUES[kind](u, self.rng)

    def answer(self, suggestion: taut.Suggestion) -> None:
        """All at once or one by one; at times only some of it is ever told."""
        u = to_unit(self.problem, suggestion.point)
        values = {name: self.value(name, u) for name in suggestion.functions}
        if self.rng.random() < 0.1:
            values = dict(list(values.items())[:1])
        self.study.tell(suggestion, values)

    def add(self) -> None:
        """Values from elsewhere: anywhere, in a corner, a cluster, or a known point again with another value."""
        known = self.study.observations
        kind = str(self.rng.choice(["anywhere", "corner", "cluster", "again"]))
        d, count = self.problem.dimension, 4 if kind == "cluster" else 1
        centre, width = self.rng.random(d), 10.0 ** self.rng.uniform(-17.0, -2.0)
        for _ in range(count):
            u = np.clip(centre + width * self.rng.standard_normal(d) * (kind == "cluster"), 0.0, 1.0)
            u = np.round(u) if kind == "corner" else u
            point = from_unit(self.problem, u)
            if kind == "again" and known:
                point = known[self.rng.integers(len(known))].point
            names = [name for name in self.problem.functions if self.rng.random() < 0.6] or ["f"]
            self.study.add(point, {name: self.value(name, u) for name in names})

    def check(self, made: taut.Suggestion, limits: dict[str, float]) -> None:
        """A suggestion is a point in bounds, functions that are bought together, at their cost, with a reason."""
        expect, problem = self.report.expect, self.problem
        self._inside("suggestion", made.point)
        expect(bool(made.functions) and set(made.functions) <= set(problem.functions), "functions", made.functions)
        expect(made.functions == problem.complete(made.functions), "functions of a group", made.functions)
        expect(made.cost == problem.cost(made.functions), "cost", made.cost)
        left = limits.get("remaining", math.inf)
        expect(made.initial or made.cost <= left * (1.0 + 1e-12), "cost above what remains", made.cost, left)
        expect(bool(made.note) and not NO_NUMBER.search(made.note), "note", made.note)
        expect(not NO_NUMBER.search(json.dumps(made.memory).lower()), "memory", made.memory)

    def recommend(self) -> None:
        with self.timed("recommend"):
            best = self.study.recommend()
        expect = self.report.expect
        self._inside("recommendation", best.point)
        expect(list(best.constraints) == list(self.problem.functions[1:]), "constraints", best.constraints)
        beliefs = {"f": (*best.objective, best.feasibility), **best.constraints}
        for name, (mean, sd, probability) in beliefs.items():
            expect(math.isfinite(mean), "mean", name, mean)
            expect(math.isfinite(sd) and sd >= 0.0, "sd", name, sd)
            expect(0.0 <= probability <= 1.0, "probability", name, probability)
        expect(not NO_NUMBER.search(best.note), "note of a recommendation", best.note)

    def relevance(self) -> None:
        with self.timed("relevance"):
            rows = self.study.relevance()
        expect = self.report.expect
        expect([row.constraint for row in rows] == list(self.problem.functions[1:]), "relevance of", rows)
        for row in rows:
            expect(0.0 <= row.matters <= 1.0 and 0.0 <= row.binds <= 1.0, "relevance", row)
            expect(row.verdict in VERDICTS, "verdict", row)
            expect(all(math.isfinite(x) and x >= 0.0 for x in (row.cost, row.coupled_cost)), "cost", row)
        expect(math.isfinite(self.study.spent) and self.study.spent >= 0.0, "spent", self.study.spent)

    def replay(self) -> None:
        """Two suggestions made again from the rows are the same; without what this process remembers."""
        made = self.study.suggestions
        if not made:
            return
        self.study._decision.cache.clear()
        for number in {len(made), int(self.rng.integers(1, len(made) + 1))}:
            again = self.study.replay(number)
            self.report.expect(again == made[number - 1], "replay", number, again, made[number - 1])

    def _inside(self, what: str, point: dict[str, float]) -> None:
        self.report.expect(list(point) == [p.name for p in self.problem.parameters], f"{what} of", point)
        for p in self.problem.parameters:
            self.report.expect(admissible(p, point[p.name]), f"{what} out of bounds", p, point[p.name])


def admissible(parameter: Any, value: object) -> bool:
    """Is it a value as the user would write it?"""
    try:
        allowed = parameter.check(value)
    except taut.ValueRefusedError:
        return False
    return bool(value == allowed) and type(value) is type(allowed)


def series(seeds: Iterable[int], file: Path, steps: int, say: Callable[[str], object] = print) -> None:
    """Play the studies that the file does not have yet; a line for each."""
    done = {line["seed"] for line in results(file)}
    signal.signal(signal.SIGVTALRM, _ring)
    for seed in seeds:
        if seed in done:
            continue
        report = torment(seed, steps)
        with file.open("a") as out:
            out.write(report.to_json() + "\n")
        for each in report.violations:
            say(f"VIOLATION, seed {seed}: {each}")
        if report.slowest[0] > SLOW:
            say(f"SLOW, seed {seed}: {report.slowest[0]:.0f} s CPU, {report.slowest[1]}")


def results(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def summary(rows: list[dict[str, Any]]) -> str:
    """Counts of everything, and of the violations by kind."""
    bad = [row for row in rows if row["violations"]]
    kinds = Counter(each.split(": ")[0] for row in bad for each in row["violations"][:1])
    methods = Counter(row["about"]["study"]["method"] for row in rows)
    slowest = max(((*row["slowest"], row["seed"]) for row in rows), default=(0.0, "", 0))
    lines = [
        f"{len(rows)} studies, {sum(row['steps'] for row in rows)} steps, {sum(row['refused'] for row in rows)} asks "
        f"without enough budget, {sum(row['seconds'] for row in rows):.0f} s CPU; {len(bad)} studies with a violation",
        ", ".join(f"{name} {count}" for name, count in methods.most_common()),
        f"slowest: {slowest[0]:.1f} s CPU, {slowest[1]}, seed {slowest[2]}",
    ]
    return "\n".join(lines + [f"  {count} x {kind}" for kind, count in kinds.most_common()])


def _ring(*_: object) -> None:
    raise HungError(f"more than {HANGS:g} s CPU")


def main(words: list[str]) -> int:
    if words[:1] == ["only"]:
        report = torment(int(words[1]), int(words[2]) if len(words) > 2 else STEPS)
        print(report.to_json(), report.trace, sep="\n")
        return min(len(report.violations), 1)
    studies, seed, folder, steps = [*words, *["1000", "0", "chaos-results", str(STEPS)][len(words) :]]
    Path(folder).mkdir(parents=True, exist_ok=True)
    file, seeds = Path(folder) / "numbers.jsonl", range(int(seed), int(seed) + int(studies))
    series(seeds, file, int(steps), lambda line: print(line, flush=True))
    rows = [row for row in results(file) if row["seed"] in seeds]
    print(summary(rows))
    return 1 if any(row["violations"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
