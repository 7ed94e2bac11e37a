"""One run's share of the work on a study: which evaluations it takes on, and what it found.

Several runs, in several processes, may work on the same study. Each claims an evaluation before it starts it, and
renews its claims while it lives; the claims of a run that died are taken over by the others.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field as default
from types import TracebackType

from taut.base.errors import StorageError
from taut.data import ledger
from taut.data.rows import Observation, Suggestion
from taut.storage import owner
from taut.storage.base import Claims, Storage, TakenError, until_first
from taut.study.loop import FAILURES_IN_A_ROW, Job, Watch
from taut.study.programs import Outcome, Program

LEASE_SECONDS = 60.0
"""A run that was not heard of for so long has lost its claims."""

_RENEWALS = 4  # in the time of a lease: three may be lost


@dataclass(frozen=True, slots=True)
class Plan:
    """How to run."""

    watch: Watch = default(default_factory=Watch)
    failures: int = FAILURES_IN_A_ROW
    """So many failures in a row of one program stop the run."""
    lease: float = LEASE_SECONDS
    """Seconds without a sign of life after which others take over the claims of this run."""
    patient: bool = False
    """At the end, wait for what others have taken on, and take it over if they die?"""
    complete: Callable[[Suggestion], object] | None = None
    """Called when a suggestion has all its answers."""


class Share:
    """The Desk of a loop; a context, within which its claims are kept alive."""

    def __init__(
        self, storage: Storage, programs: Sequence[Program], ask: Callable[[], Suggestion | None], plan: Plan
    ) -> None:
        self._storage, self._programs, self._ask, self._plan = storage, programs, ask, plan
        self._holder = owner.new()
        self._end = threading.Event()
        self._renewing = threading.Thread(target=self._renew, name="taut-claims", daemon=True)
        self._used_up = False
        # A suggestion that somebody asked for by hand while this runs is theirs; what was open before is ours to do.
        suggestions, observations = storage.rows()
        known = ledger.answers(observations)
        self._mine = {row.number for row in suggestions if ledger.missing(row, known)}

    def __enter__(self) -> "Share":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        if self._renewing.ident is not None:
            self._renewing.join()
            with suppress(StorageError):  # they run out by themselves
                self._storage.renew(self._holder, 0.0)

    def next_job(self, running: int, workers: int) -> Job | None:
        while True:
            waiting = 0
            for job in self._open():
                taken = self._claim(job)
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
            record(self._storage, row, values, known, outcome.note)
            return not set(ledger.missing(row, known)) - set(values)

        try:
            complete = until_first(step)
        except TakenError:
            raise
        except StorageError as error:
            found = ", ".join(f"{name}={'fail' if value is None else repr(value)}" for name, value in values.items())
            raise StorageError(f"Suggestion {row.number}: {found} could not be stored. {error}") from error
        if complete and self._plan.complete is not None:
            self._plan.complete(row)

    def waits(self) -> bool:
        if not self._plan.patient:
            return False
        suggestions, observations = self._storage.rows()
        known, claims = ledger.answers(observations), self._storage.claimed()
        return any(ledger.missing(row, known) for row in self._ours(suggestions, claims))

    def _open(self) -> Iterator[Job]:
        """What nobody evaluates, by number and in the order of the programs."""
        suggestions, observations = self._storage.rows()
        known, claims = ledger.answers(observations), self._storage.claimed()
        for row in self._ours(suggestions, claims):
            missing = ledger.missing(row, known)
            free = {name for name in missing if not (claim := claims.get((row.number, name))) or not claim.living}
            for program in self._programs:
                wanted = tuple(name for name in program.functions if name in free)
                if wanted:
                    yield Job(row, program, wanted)

    def _ours(self, suggestions: Sequence[Suggestion], claims: Claims) -> list[Suggestion]:
        numbers = self._mine | {number for number, _ in claims}
        return [row for row in suggestions if row.number in numbers]

    def _claim(self, job: Job) -> tuple[str, ...]:
        if self._renewing.ident is None:
            self._storage.renew(self._holder, self._plan.lease)
            self._renewing.start()
        return self._storage.claim(job.suggestion.number, job.functions, self._holder, job.program.slots)

    def _renew(self) -> None:
        while not self._end.wait(self._plan.lease / _RENEWALS):
            with suppress(StorageError):  # a server that comes back in time is as good as one that never left
                self._storage.renew(self._holder, self._plan.lease)


def record(
    storage: Storage, row: Suggestion, values: Mapping[str, float | None], known: ledger.Answers, note: str
) -> None:
    """Store the values of a suggestion that are not known yet; the note is why some of them failed."""
    storage.add_observations(
        [
            Observation(name, dict(row.point), value, row.number, note if value is None else "")
            for name, value in values.items()
            if (row.number, name) not in known
        ]
    )
