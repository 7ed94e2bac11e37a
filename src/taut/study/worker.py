"""One run's part of the work on a study: which evaluations it takes on, and what it found.

Several runs, in several processes, may work on the same study. Each leases an evaluation before it starts it, and
renews its leases while it lives; what a run that died had leased is taken over by the others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as default

from taut.base.errors import StorageError
from taut.data import ledger
from taut.data.rows import Suggestion
from taut.storage.base import Leases, Storage, retry_on_conflict
from taut.storage.leases import Owner
from taut.study.programs import Outcome, Program, Task


@dataclass(frozen=True, slots=True)
class Job:
    """Functions of one suggestion that one program is to evaluate."""

    suggestion: Suggestion
    program: Program
    functions: tuple[str, ...]

    @property
    def task(self) -> Task:
        return Task(self.suggestion.number, dict(self.suggestion.point), self.functions)


class RunListener:
    """Is told what happens, and may stop the loop; this one lets everything pass."""

    seconds: float | None = None
    """How often to call `stop` while nothing happens; None: only when something does."""

    def started(self, job: Job) -> None:
        """An evaluation begins."""

    def ended(self, job: Job, outcome: Outcome) -> None:
        """An evaluation has ended and is recorded, unless it was interrupted. Raises nothing."""

    def troubled(self, message: str) -> None:
        """The storage cannot be used at the moment; it is tried again."""

    def stop(self) -> bool:
        """Start no more?"""
        return False


@dataclass(frozen=True, slots=True)
class Plan:
    """How to run."""

    listener: RunListener = default(default_factory=RunListener)
    failures: int = 10
    """So many failures in a row of one program stop the run."""
    lease: float = 60.0
    """Seconds without a sign of life after which others take over the leases of this run."""
    patient: bool = False
    """At the end, wait for what others have taken on, and take it over if they die?"""
    complete: Callable[[Suggestion], object] | None = None
    """Called when a suggestion has all its answers."""
    pauses: Sequence[float] = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
    """Seconds between tries when the storage fails: enough to start a server again."""


class Worker:
    """Gives out jobs and takes what came out; all is called from the thread of the loop.

    owner: of its leases. ask: makes one more suggestion, as long as the budget pays.
    """

    def __init__(
        self,
        storage: Storage,
        owner: Owner,
        programs: Sequence[Program],
        ask: Callable[[], Suggestion | None],
        plan: Plan,
    ) -> None:
        self._storage, self._owner, self._programs, self._ask, self._plan = storage, owner, programs, ask, plan
        self._used_up = False
        # A suggestion that somebody asked for by hand while this runs is theirs; what was open before is ours to do.
        suggestions, observations = storage.rows()
        known = ledger.answers(observations)
        self._mine = {row.number for row in suggestions if ledger.missing(row, known)}

    def next_job(self, running: int, workers: int) -> Job | None:
        """One more evaluation, taken on; None if there is nothing to start now."""
        while True:
            waiting = 0
            for job in self._open():
                taken = self._owner.lease(job.suggestion.number, job.functions, job.program.slots)
                if taken:
                    return Job(job.suggestion, job.program, taken)
                waiting += 1
            # What waits for a slot is decided on already; more decisions would only be made with less knowledge.
            if self._used_up or running + waiting >= workers:
                return None
            row = self._ask()
            if row is None:
                self._used_up = True
                return None
            self._mine.add(row.number)

    def record(self, job: Job, outcome: Outcome) -> None:
        """Keep what came out, except where somebody told a value in the meantime."""
        row = job.suggestion
        values = {name: outcome.values[name] for name in row.functions if name in outcome.values}

        def step() -> bool:
            known = ledger.answers(self._storage.rows()[1])
            self._storage.add_observations(ledger.told(row, values, known, outcome.note))
            return not set(ledger.missing(row, known)) - set(values)

        try:
            complete = retry_on_conflict(step)
        except StorageError as error:
            found = ", ".join(f"{name}={'fail' if value is None else repr(value)}" for name, value in values.items())
            raise StorageError(f"Suggestion {row.number}: {found} could not be stored. {error}") from error
        if complete and self._plan.complete is not None:
            self._plan.complete(row)

    def waits(self) -> bool:
        """When there is nothing to start now: could there be later, if others finish or die?"""
        return self._plan.patient and next(self._unfinished(), None) is not None

    def _open(self) -> Iterator[Job]:
        """What nobody evaluates, by number and in the order of the programs."""
        for row, missing, leases in self._unfinished():
            free = {name for name in missing if not (lease := leases.get((row.number, name))) or not lease.living}
            for program in self._programs:
                wanted = tuple(name for name in program.functions if name in free)
                if wanted:
                    yield Job(row, program, wanted)

    def _unfinished(self) -> Iterator[tuple[Suggestion, tuple[str, ...], Leases]]:
        """The suggestions that are for runs to evaluate, with what is missing of them, and all leases."""
        suggestions, observations = self._storage.rows()
        known, leases = ledger.answers(observations), self._storage.leases()
        numbers = self._mine | {number for number, _ in leases}
        for row in suggestions:
            missing = ledger.missing(row, known)
            if missing and row.number in numbers:
                yield row, missing, leases
