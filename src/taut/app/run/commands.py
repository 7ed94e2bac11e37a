"""Programs of the user as programs of a study: a JSON object goes in, the last line of the output comes back."""

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from taut.app.run import folders, processes
from taut.app.run.points import VARIABLE, Ready, SetupProgram, folder_of, prepare
from taut.base.errors import StoppedError, listed
from taut.base.numbers import finite, shown
from taut.study.programs import Outcome, Task, values_of

NOTE_CHARACTERS = 2000
"""So much of the end of standard error is recorded with a failure."""
MOST_LINES = 1000
"""Of an output that others write to: looked through for the answer."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program that is started for each evaluation, in a new folder of its own."""

    name: str
    functions: tuple[str, ...]
    argv: tuple[str, ...]
    study: str
    runs: str
    """The folder in which evaluations get their folders; made when it is needed."""
    study_storage: str = ""
    """Whose folder that is: see folders.owner_of."""
    keep: Literal["all", "failed", "none"] = "all"
    """Which of those folders stay."""
    timeout: float | None = None
    """Seconds."""
    retries: int = 0
    """Further attempts after a failed one."""
    slots: int | None = None
    environment: Mapping[str, str] | None = None
    """None for that of the process that starts it."""
    owner: str = ""
    """The run it belongs to; processes.end_all(owner) ends it."""
    setups: tuple[SetupProgram, ...] = ()
    """What it shares with others at the same point."""

    def evaluate(self, task: Task) -> Outcome:
        """Start it, again if it fails and may be retried. StoppedError if it cannot be started at all."""
        begun = time.perf_counter()
        with self._ready(task) as ready:
            if ready.interrupted:
                return Outcome(dict.fromkeys(task.functions), "ended on request", interrupted=True)
            outcome = self._attempts(task, ready)
            ready.success = not outcome.failed
        seconds = time.perf_counter() - begun - ready.waited
        setup = outcome.setup if ready.seconds is None else ready.seconds
        return replace(outcome, seconds=seconds, setup=None if setup is None else min(setup, seconds))

    def _ready(self, task: Task) -> AbstractContextManager[Ready]:
        """What it shares with others, made if it is not there."""
        folder = folder_of(Path(self.runs), task.point)

        def make(setup: SetupProgram, place: Path) -> str:
            alone = replace(self, name=setup.name, argv=setup.argv, timeout=setup.timeout, setups=())
            own, ended = alone._run(task, Ready(folder, {setup.name: False}))
            note = alone._outcome(ended, ()).note
            self._tidy(own, note)
            return f"setup {setup.name!r}: {note}" if note else ""

        return prepare(folder, self.setups, make, lambda: processes.ended(self.owner))

    def _attempts(self, task: Task, ready: Ready) -> Outcome:
        if ready.note:
            stopped = processes.ended(self.owner)
            return Outcome(dict.fromkeys(task.functions), ready.note, interrupted=stopped)
        values: dict[str, float | None] = dict.fromkeys(task.functions)
        outcome = Outcome(values)
        for attempt in range(self.retries + 1):
            missing = tuple(name for name, value in values.items() if value is None)
            if attempt:
                ready.empty()
            outcome = self._attempt(replace(task, functions=missing), ready)
            values = values | outcome.values
            if not outcome.note:
                return replace(outcome, values=values)
            if processes.ended(self.owner):
                return Outcome(values, "ended on request", interrupted=True)
            if self.retries:
                outcome = replace(outcome, note=f"attempt {attempt + 1} of {self.retries + 1}: {outcome.note}")
        return replace(outcome, values=values)

    def trial(self, task: Task) -> tuple[processes.Ended | None, Outcome]:
        """One attempt, of which nothing is kept: how it ended (None if its setup did not succeed), and what came."""
        with self._ready(task) as ready:
            if ready.note:
                return None, Outcome(dict.fromkeys(task.functions), ready.note)
            folder, ended = self._run(task, ready)
            shutil.rmtree(folder, ignore_errors=True)
            outcome = self._outcome(ended, task.functions)
            ready.success = not outcome.failed
        return ended, outcome

    def _attempt(self, task: Task, ready: Ready) -> Outcome:
        folder, ended = self._run(task, ready)
        outcome = self._outcome(ended, task.functions)
        self._tidy(folder, outcome.note)
        return outcome

    def _tidy(self, folder: Path, note: str) -> None:
        """Remove the folder of an attempt unless it is to be kept; note: what went wrong, if anything did."""
        if self.keep == "none" or (self.keep == "failed" and not note):
            shutil.rmtree(folder, ignore_errors=True)

    def _run(self, task: Task, ready: Ready) -> tuple[Path, processes.Ended]:
        """Start it in a new folder, and wait for its end."""
        try:
            folder = folders.new(Path(self.runs), self.study_storage, f"{task.number}-{self.name}")
            request = {"study": self.study, "suggestion": task.number, "parameters": task.point}
            request |= {"functions": task.functions} | ({"setups": ready.shown()} if ready.made else {})
            (folder / processes.INPUT).write_text(json.dumps(request) + "\n")
            environment = dict(os.environ if self.environment is None else self.environment)
            environment["TAUT_FOLDER"] = str(Path(self.runs).parent)
            if ready.made:
                environment[VARIABLE] = str(ready.folder)
            return folder, processes.run(self.argv, folder, environment, self.timeout, self.owner)
        except OSError as error:  # says nothing about the point: no failure of the function
            raise StoppedError(
                f"Function {self.name!r}: {self.argv[0]!r} could not be started ({error}); expected a program that can "
                f"run and a folder {self.runs!r} that can be written to. The evaluation stays pending: correct this "
                "and run again."
            ) from error

    def _outcome(self, ended: processes.Ended, functions: tuple[str, ...]) -> Outcome:
        if ended.timed_out:
            outcome = Outcome(dict.fromkeys(functions), f"ended after its time-out of {self.timeout:g} s")
        elif ended.code:
            how = f"exit code {ended.code}" if ended.code > 0 else f"ended by signal {-ended.code}"
            outcome = Outcome(dict.fromkeys(functions), how)
        else:
            outcome = parse(ended.stdout, functions, ended.shared, [setup.name for setup in self.setups])
        words = ended.stderr.decode("utf-8", "replace").strip()[-NOTE_CHARACTERS:]
        if outcome.note and words:
            return replace(outcome, note=f"{outcome.note}; standard error ends: {words}")
        return outcome


def parse(stdout: bytes, functions: Iterable[str], shared: bool = False, setups: Iterable[str] = ()) -> Outcome:
    """The values in the last line of an output; what is missing or no finite number is a failure of that function.

    shared: others may have written to it, too; so it is the last line that has one of the functions. setups: under
    their names it may say how many seconds they took.
    """
    names = tuple(functions)
    if not names:
        return Outcome({})
    lines = stdout.decode("utf-8", "replace").strip().split("\n")
    found = _object(lines[-1])
    if shared and not (found and found.keys() & set(names)):
        others = (_object(line) for line in reversed(lines[-MOST_LINES:]))
        found = next((each for each in others if each and each.keys() & set(names)), found)
    if found is None:
        wanted = f"one JSON object with {listed(names)}"
        note = f"expected as the last line of standard output {wanted}, got {shown(lines[-1])}"
        if _object(lines[-1][max(0, lines[-1].find("{")) :]) is not None:  # a library left an unfinished line there
            note += "; print a line break before the object"
        return Outcome(dict.fromkeys(names), note)
    outcome = values_of(found | dict.fromkeys(found.twice, Twice()), names)
    seconds = [each for each in (finite(found.get(name)) for name in setups) if each is not None and each >= 0.0]
    return replace(outcome, setup=sum(seconds)) if seconds else outcome


def _object(line: str) -> "_Object | None":
    try:
        found = json.loads(line, object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, _Object) else None


class Twice:
    """In place of a value that was given more than once: which one counts?"""

    def __repr__(self) -> str:
        return "more than one value (its key is there twice)"


class _Object(dict[str, Any]):
    """A JSON object that remembers which of its keys came more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
