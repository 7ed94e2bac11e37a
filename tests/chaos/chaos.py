"""Kills runs and programs at random moments and checks that nothing is lost, doubled or decided differently.

    python tests/chaos.py KILLS [SEED] [METHOD]

One series with one run at a time, whose decisions must be those of an undisturbed one; then one with two runs of two
workers each on the same study. Each study is run to its end, and studies follow until there were so many kills.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import fakes

import taut

PROGRAM = """\
import json, os, sys, time
asked = json.load(sys.stdin)
name, number, point = "{name}", asked["suggestion"], asked["parameters"]
def log(what):
    line = json.dumps([what, number, name, os.getpid(), time.monotonic()]) + "\\n"
    file = os.open(os.environ["TAUT_FOLDER"] + "/journal", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line.encode())
    os.close(file)
log("start")
time.sleep({seconds})
answer = json.dumps({{name: {formula}}})
log("end")
print(answer)
"""


@dataclass
class Report:
    """What happened, and what should not have."""

    kills: dict[str, int] = field(default_factory=lambda: {"run": 0, "program": 0})
    studies: int = 0
    evaluations: int = 0
    repeated: int = 0
    """Evaluations completed again because their run was killed before it stored the first result."""
    violations: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.kills.values())

    def add(self, other: "Report") -> None:
        for victim, count in other.kills.items():
            self.kills[victim] += count
        self.studies += other.studies
        self.evaluations += other.evaluations
        self.repeated += other.repeated
        self.violations += other.violations


@dataclass(frozen=True)
class Trial:
    """One study to torment."""

    seed: int
    kills: int
    """At most so many."""
    runs: int = 1
    workers: int = 1
    method: str = "random"
    budget: float = 45.0
    seconds: float = 0.06
    """How long a program takes."""


def write(folder: Path, trial: Trial) -> Path:
    programs = {
        name: PROGRAM.format(name=name, formula=formula, seconds=trial.seconds)
        for name, formula in fakes.FORMULAS.items()
    }
    # A program that was killed is started again; it would count as failed otherwise, and change the decisions.
    again = "retries = 9"
    return fakes.write(folder, programs, trial.method, trial.seed, initial=3, budget=trial.budget, f=again, c=again)


def torment(folder: Path, trial: Trial) -> Report:
    """Run a study, killing all the time, and check it when it is complete."""
    rng, report = random.Random(trial.seed), Report(studies=1)
    path = write(folder / "tormented", trial)
    options = ("--json", "--workers", str(trial.workers))
    running = [fakes.start(path, *options) for _ in range(trial.runs)]
    deaths: list[float] = []
    shot: set[int] = set()
    while report.total < trial.kills and any(each.poll() is None for each in running):
        if rng.random() < 0.4:
            shot |= kill_program(path.parent / "journal", running, rng, trial, report)
            continue
        if rng.random() < 0.8:  # else also while it starts
            await_news(path.parent / "journal", running)
        time.sleep(rng.uniform(0.0, 4.0 * trial.seconds))
        chosen = rng.randrange(trial.runs)
        if running[chosen].poll() is None:
            running[chosen].kill()
            running[chosen].communicate()
            deaths.append(time.monotonic())
            report.kills["run"] += 1
            running[chosen] = fakes.start(path, *options)
    for process in running:
        out, err = process.communicate(timeout=300)
        if process.returncode or not json.loads(out)["finished"]:
            report.violations.append(f"a run ended with {process.returncode}: {err}")
    check(path, trial, deaths, shot, report)
    if trial.runs == trial.workers == 1:
        compare(path, write(folder / "undisturbed", trial), report)
    return report


def await_news(journal: Path, running: "list[subprocess.Popen[str]]") -> None:
    """Until one more program starts or ends."""
    before = len(entries(journal))
    fakes.until(lambda: len(entries(journal)) > before or all(each.poll() is not None for each in running), 60.0)


def kill_program(
    journal: Path, running: "list[subprocess.Popen[str]]", rng: random.Random, trial: Trial, report: Report
) -> set[int]:
    """Somewhere between its start and its end, if it does not end before; the program that was killed, if any."""
    fakes.until(lambda: living(journal) or all(each.poll() is not None for each in running), 60.0)
    time.sleep(rng.uniform(0.0, trial.seconds))
    started = living(journal)
    if started:
        with suppress(ProcessLookupError):
            chosen = rng.choice(started)
            os.kill(chosen, signal.SIGKILL)
            report.kills["program"] += 1
            return {chosen}
    return set()


def living(journal: Path) -> list[int]:
    """Programs that have started and not ended."""
    found: set[int] = set()
    for what, _, _, process, _ in entries(journal):
        found = found | {process} if what == "start" else found - {process}
    return [process for process in found if fakes.alive(process)]


def entries(journal: Path) -> list[tuple[str, int, str, int, float]]:
    if not journal.exists():
        return []
    return [tuple(json.loads(line)) for line in journal.read_text().splitlines(keepends=True) if line.endswith("\n")]


def check(path: Path, trial: Trial, deaths: list[float], shot: set[int], report: Report) -> None:
    """Every value once and right; nothing completed twice without a death in between; the budget kept.

    shot: programs that were killed, perhaps between the note in the journal that they are complete and their last line.
    """
    study = taut.Study.open(path.parent / "study.db")
    asked = [(row.number, name) for row in study.suggestions for name in row.functions]
    told = [(row.suggestion, row.function) for row in study.observations]
    report.evaluations = len(told)
    if sorted(told) != sorted(asked):
        report.violations.append(f"asked for {len(asked)}, told {len(told)}, {len(set(told))} different")
    for row in study.observations:
        if row.value != fakes.truth(row.function, row.point):
            report.violations.append(f"suggestion {row.suggestion}: {row.function} = {row.value}, {row.note}")
    if [row.number for row in study.suggestions] != list(range(1, len(study.suggestions) + 1)):
        report.violations.append("numbers are not 1, 2, 3, ...")
    if not trial.budget - 3.0 < study.spent <= trial.budget:
        report.violations.append(f"spent {study.spent} of {trial.budget}")
    starts: dict[int, float] = {}
    complete: dict[tuple[int, str], list[tuple[float, float, int]]] = defaultdict(list)
    for what, number, name, process, when in entries(path.parent / "journal"):
        if what == "start":
            starts[process] = when
        else:
            complete[number, name].append((starts[process], when, process))
    for key in set(told) - set(complete):
        report.violations.append(f"{key} is told and was never complete")
    for key, times in complete.items():
        for (_, first, process), (second, _, _) in zip(times, times[1:], strict=False):
            report.repeated += 1
            if process not in shot and not any(first - 0.5 < death < second for death in deaths):
                report.violations.append(f"{key} was complete at {first} and started again at {second}")


def compare(path: Path, straight: Path, report: Report) -> None:
    """The same suggestions and values, in the same order, as without any kill."""
    code, _, err = fakes.run(straight)
    if code:
        report.violations.append(f"the undisturbed run ended with {code}: {err}")
    one, other = (taut.Study.open(each.parent / "study.db") for each in (path, straight))
    if one.suggestions != other.suggestions:
        report.violations.append("other suggestions than in an undisturbed run")
    if one.observations != other.observations:
        report.violations.append("other values, or in another order, than in an undisturbed run")


def series(kills: int, seed: int, **settings: object) -> Report:
    """Studies until there were so many kills."""
    report = Report()
    while report.total < kills:
        with tempfile.TemporaryDirectory() as folder:
            trial = Trial(seed + report.studies, kills - report.total, **settings)  # type: ignore[arg-type]
            report.add(torment(Path(folder), trial))
        print(f"  {report.total} kills, {report.studies} studies, {len(report.violations)} violations", flush=True)
    return report


def main(kills: int, seed: int, method: str) -> int:
    print(f"one run at a time, method {method}")
    one = series(kills // 2, seed, method=method)
    print("two runs of two workers")
    two = series(kills - kills // 2, seed + 1000, runs=2, workers=2)
    one.add(two)
    print(f"kills {one.kills}, studies {one.studies}, evaluations {one.evaluations}, repeated {one.repeated}")
    for each in one.violations:
        print(f"VIOLATION: {each}")
    return len(one.violations)


if __name__ == "__main__":
    given = sys.argv[1:]
    words = given + ["100", "0", "cei+"][len(given) :]
    sys.exit(min(1, main(int(words[0]), int(words[1]), words[2])))
