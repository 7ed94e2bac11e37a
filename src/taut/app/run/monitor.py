"""What a run is doing, wherever its study and its programs are; views draw it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from taut.app.look import status
from taut.app.studyfile.file import StudyOptions
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
            self._busy_cost += self.study.problem.cost(job.functions)

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
        """By the time that a unit of cost took in this run; None before anything has ended."""
        if not self._busy_cost:
            return None
        everything = self.study.problem.cost(self.study.problem.functions)
        initial = max(0, state.initial_size - state.initial_done) * everything
        left = max(0.0, self.budget - state.spent) + initial
        # One at a time, decisions take their part of the time; else they are made while programs run.
        passed = self._ended_at - self.started_at if self.workers == 1 else self._busy_seconds / self.workers
        return left * passed / self._busy_cost


def _key(job: Job) -> tuple[int, str]:
    return job.suggestion.number, job.program.name
