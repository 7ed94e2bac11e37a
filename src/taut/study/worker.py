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
from taut.storage.base import Lease, Leases, Storage
from taut.storage.leases import Owner
from taut.storage.sharing import retry_on_conflict
from taut.study.programs import Outcome, Program, Task
from taut.study.reader import Reader


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
        """An evaluation has ended and is recorded, unless it was interrupted or is not `stored`. Raises nothing."""

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
    verify: bool = False
    """Keep part of the budget for a verified answer?"""
    stop: float | None = None
    """End when all that is left is expected to gain less than this, in the objective's unit; None: with the budget."""
    patient: bool = False
    """At the end, wait for what others have taken on, and take it over if they die?"""
    complete: Callable[[Suggestion], object] | None = None
    """Called when a suggestion has all its answers."""
    pauses: Sequence[float] = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
    """Seconds between tries when the storage fails: enough to start a server again."""


class Worker:
    """Gives out jobs and takes what came out; all is called from the thread of the loop.

    owner: of its leases. ask: makes one more suggestion, as long as the budget pays; told that something is under way
    that it can wait for, only one that need not.
    """

    def __init__(
        self,
        storage: Storage,
        reader: Reader,
        owner: Owner,
        programs: Sequence[Program],
        ask: Callable[[bool], Suggestion | None],
        plan: Plan,
    ) -> None:
        self._storage, self._reader, self._owner = storage, reader, owner
        self._programs, self._ask, self._plan = programs, ask, plan
        self._used_up = False
        self._idle_at: tuple[int, int] | None = None
        self.deferred = False
        """Did the last look find nothing to start only because of what was under way then?"""
        self._under_way: set[tuple[int, str]] = set()
        self._mine: set[int] | None = None

    def next_job(self, running: int, workers: int) -> Job | None:
        """One more evaluation, taken on; None if there is nothing to start now."""
        self.deferred = False
        while True:
            waiting = 0
            for job in self._open():
                taken = self._owner.lease(job.suggestion.number, job.functions, job.program.slots)
                if taken:
                    self._under_way.update((job.suggestion.number, name) for name in taken)
                    return Job(job.suggestion, job.program, taken)
                waiting += 1
            # What waits for a slot is decided on already; more decisions would only be made with less knowledge.
            if self._used_up or running + waiting >= workers:
                return None
            with self._reader as history:
                now = len(history.suggestions), len(history.observations)
            others = bool(running or self.waits())
            # The same rows give the same decision.
            row = None if others and now == self._idle_at else self._ask(others)
            if row is None:
                # It may be another one when what is under way has come in; where nothing is, it stays so.
                self._idle_at, self._used_up, self.deferred = now, not others, others
                return None

    def record(self, job: Job, outcome: Outcome) -> None:
        """Keep what came out, except where somebody told a value in the meantime."""
        row = job.suggestion
        values = {name: outcome.values[name] for name in row.functions if name in outcome.values}

        def step() -> bool:
            with self._reader as history:
                new = ledger.told(row, values, history.answers, outcome.note, history.reopened, outcome.times)
                open_still = set(history.missing(row)) - set(values)
            self._storage.add_observations(new)
            return not open_still

        try:
            complete = retry_on_conflict(step)
        except StorageError as error:
            found = ", ".join(f"{name}={'fail' if value is None else repr(value)}" for name, value in values.items())
            raise StorageError(f"Suggestion {row.number}: {found} could not be stored. {error}") from error
        self._under_way.difference_update((row.number, name) for name in job.functions)
        if complete and self._plan.complete is not None:
            self._plan.complete(row)

    def failed_everywhere(self, row: Suggestion) -> dict[str, str]:
        """What every function that is evaluated said last, if all have failed and none has a value yet; else nothing.

        Nothing as well while the suggestion waits for others of its functions. What has a formula cannot fail.
        """
        with self._reader as history:
            if history.valued or history.missing(row):
                return {}
            said = {name: answer.note for (_, name), answer in history.answers.items()}
            return said if len(said) == len(history.problem.simulated) else {}

    def waits(self) -> Leases:
        """When there is nothing to start now: whom to wait for, who could finish or die and leave work behind."""
        if not self._plan.patient:
            return {}
        return {
            (row.number, name): leases.get((row.number, name), Lease("", False))
            for row, missing, leases in self._unfinished()
            for name in missing
        }

    def _open(self) -> Iterator[Job]:
        """What nobody evaluates, by number and in the order of the programs."""
        for row, missing, leases in self._unfinished():
            free = {name for name in missing if self._free((row.number, name), leases)}
            for program in self._programs:
                wanted = tuple(name for name in program.functions if name in free)
                if wanted:
                    yield Job(row, program, wanted)

    def _free(self, key: tuple[int, str], leases: Leases) -> bool:
        """A lease of ours that is not under way here is one whose answer never reached us: still ours to do."""
        lease = leases.get(key)
        others = lease is not None and lease.living and lease.owner != self._owner.name
        return not others and key not in self._under_way

    def _unfinished(self) -> Iterator[tuple[Suggestion, tuple[str, ...], Leases]]:
        """The suggestions that are for runs to evaluate, with what is missing of them, and all leases."""
        with self._reader as history:
            found = [(row, history.missing(row)) for _, row in sorted(history.open.items())]
        if self._mine is None:
            # A suggestion that somebody asks for by hand while this runs is theirs; what was open before is ours to do.
            self._mine = {row.number for row, _ in found}
        if not found:
            return
        leases = self._storage.leases()
        numbers = self._mine | {number for number, _ in leases}
        for row, missing in found:
            if row.number in numbers:
                yield row, missing, leases
