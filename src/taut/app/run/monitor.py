"""What a run is doing, wherever its study and its programs are; views draw it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from taut.app.look import status
from taut.app.studyfile.file import StudyOptions
from taut.data.charges import plain
from taut.study.programs import Outcome
from taut.study.study import Study
from taut.study.worker import Job, RunListener

END_AT = 2
"""So many interrupts end the running programs; one more leaves at once."""


@dataclass
class Monitor(RunListener):
    """Also knows when the user wants the run to stop."""

    command: str
    """What the user typed: "taut run"."""
    study: Study
    options: StudyOptions
    """How the study is called and set up."""
    budget: float
    workers: int = 1
    end: Callable[[], object] = lambda: None
    """Ends the running programs."""
    seconds: float | None = 0.5
    started_at: float = field(default_factory=time.monotonic)
    running: dict[tuple[int, str], tuple[Job, float]] = field(default_factory=dict)
    """The evaluations under way, each with time.monotonic() at its start."""
    evaluations: int = 0
    """Those that ended in this run."""
    interrupts: int = 0
    _busy_seconds: float = 0.0
    _busy_cost: float = 0.0
    _ended_at: float = 0.0
    _ended: bool = False

    def started(self, job: Job) -> None:
        self.running[_key(job)] = job, time.monotonic()

    def ended(self, job: Job, outcome: Outcome) -> None:
        _, since = self.running.pop(_key(job))
        if not outcome.interrupted:
            self._ended_at = time.monotonic()
            self.evaluations += 1
            self._busy_seconds += self._ended_at - since
            seconds = outcome.seconds or 0.0
            self._busy_cost += seconds if self.study.problem.measured else self.study.problem.cost(job.functions)

    def stop(self) -> bool:
        if self.interrupts >= END_AT and not self._ended:
            self._ended = True
            self.end()
        return self.interrupts > 0

    def rows(self) -> status.Rows:
        """The study as it is now, with what others did for it."""
        return status.Rows(self.study.history)

    def state(self, rows: status.Rows) -> status.Status:
        """Where the study stands with these rows."""
        return status.status(self.study.problem, self.options, rows)

    def seconds_left(self, state: status.Status) -> float | None:
        """By the time that a unit of cost took in this run, and the part of it in which workers were busy.

        When they are not, they wait for a decision, or for each other at the end. None before anything has ended.
        """
        if not self._busy_cost:
            return None
        under_way = sum(max(0.0, self._ended_at - since) for _, since in self.running.values())
        passed = max(self._ended_at - self.started_at, 1e-9)
        busy = min((self._busy_seconds + under_way) / (passed * self.workers), 1.0)
        left = max(0.0, self.budget - state.spent) + self._initial_left(state)
        return left * self._busy_seconds / self._busy_cost / (self.workers * max(busy, 1e-9))

    def _initial_left(self, state: status.Status) -> float:
        """What the rest of the initial design is expected to cost."""
        missing = max(0, state.initial_size - state.initial_done)
        if not plain(self.study.problem) and state.initial_done:
            return missing * state.initial_cost / state.initial_done
        return missing * self.study.problem.cost(self.study.problem.functions)


def _key(job: Job) -> tuple[int, str]:
    return job.suggestion.number, job.program.name
