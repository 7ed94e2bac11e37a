"""The tables of leases and their owners. Unlike all others they are changed in place: they say what is, not what was.

The statements are made once: they are run several times for each evaluation, by every process that works on a study.
"""

import json
from collections.abc import Callable, Collection, Sequence

import sqlalchemy as sa

from taut.storage.base import Lease, Leases
from taut.storage.leases import NEXT
from taut.storage.owner import seen
from taut.storage.transactions import Backend

_TAKE = sa.text(
    "INSERT INTO leases (suggestion, function, owner) VALUES (:suggestion, :function, :owner) "
    "ON CONFLICT (suggestion, function) DO UPDATE SET owner = excluded.owner"
)
_FORGET = sa.text("DELETE FROM owners WHERE owner = :owner")
_FORGET_IDLE = sa.text("DELETE FROM owners WHERE owner NOT IN (SELECT owner FROM leases)")
_ANSWERS = sa.text("SELECT function, withdrawn FROM observations WHERE suggestion = :number ORDER BY id")
_LEASED = sa.text("SELECT DISTINCT suggestion FROM leases WHERE suggestion > 0")
_ASKED = sa.text("SELECT functions FROM suggestions WHERE number = :number")
_DROP = sa.text("DELETE FROM leases WHERE suggestion = :number")
_DROP_ONE = sa.text("DELETE FROM leases WHERE suggestion = :number AND function = :function")


class LeaseRows:
    """Works on a connection of a database."""

    def __init__(self, backend: Backend) -> None:
        now = backend.clock
        # A sign of life from further ahead than it counts comes from a clock that was put back since.
        self._leases = sa.text(
            f"SELECT suggestion, function, leases.owner, renewed BETWEEN {now} - seconds AND {now} + seconds AS recent"
            f", renewed + seconds - {now} AS remaining FROM leases LEFT JOIN owners ON owners.owner = leases.owner"
        )
        self._live = sa.text(
            f"INSERT INTO owners (owner, renewed, seconds) VALUES (:owner, {now}, :seconds) "
            "ON CONFLICT (owner) DO UPDATE SET renewed = excluded.renewed, seconds = excluded.seconds"
        )
        self._renew = sa.text(f"UPDATE owners SET renewed = {now}, seconds = :seconds WHERE owner = :owner")
        self._times: Callable[[], dict[str, float]] = backend.times

    def read(self, connection: sa.Connection) -> Leases:
        found = connection.execute(self._leases, self._times())
        return {
            (number, name): Lease(owner, living((number, name), owner, recent), remaining)
            for number, name, owner, recent, remaining in found
        }

    def take(
        self, connection: sa.Connection, number: int, functions: Sequence[str], owner: str, seconds: float
    ) -> None:
        """Write down that an owner has these leases, and lives."""
        connection.execute(_TAKE, [{"suggestion": number, "function": name, "owner": owner} for name in functions])
        connection.execute(self._live, {"owner": owner, "seconds": seconds, **self._times()})

    def renew(self, connection: sa.Connection, owner: str, seconds: float) -> None:
        """It lives for so many seconds from now; 0 ends it."""
        if seconds > 0.0:
            connection.execute(self._renew, {"owner": owner, "seconds": seconds, **self._times()})
        else:
            connection.execute(_FORGET, {"owner": owner})

    def forget_idle(self, connection: sa.Connection) -> None:
        """Take away owners without leases."""
        connection.execute(_FORGET_IDLE)

    def answered(self, connection: sa.Connection, number: int) -> set[str]:
        """The functions of a suggestion whose last row is an answer."""
        last = {name: withdrawn for name, withdrawn in connection.execute(_ANSWERS, {"number": number})}
        return {name for name, withdrawn in last.items() if not withdrawn}

    def drop(self, connection: sa.Connection, numbers: Collection[int]) -> None:
        """Take away the leases of these suggestions that are not needed any more, because there are answers."""
        if not numbers:
            return
        for number in set(connection.execute(_LEASED).scalars()).intersection(numbers):
            answers = self.answered(connection, number)
            asked = connection.execute(_ASKED, {"number": number}).scalar()
            if asked is not None and answers.issuperset(json.loads(asked)):
                connection.execute(_DROP, {"number": number})
            else:
                rows = [{"number": number, "function": name} for name in sorted(answers)]
                connection.execute(_DROP_ONE, rows)


def living(key: tuple[int, str], owner: str, recent: bool | None) -> bool:
    """Does a lease count? recent: was its owner heard of in time? None: it gave its leases back.

    Where a process can be seen, its life decides and no clock: it may be stopped, or the clock set. Whoever computes a
    suggestion is not waited for that long, because two of them do no harm.
    """
    if recent is None:
        return False
    lives = seen(owner)
    if key == NEXT:
        return bool(recent) and lives is not False
    return bool(recent) if lives is None else lives
