"""Who evaluates what: rows that say "this function of this suggestion is mine", and rows that say "I am alive".

A claim counts while its holder does: until the end that its newest renewal names, unless it is seen to have ended.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from taut.storage import owner as holders
from taut.storage.base import Claim, Claims
from taut.storage.schema import claims, observations, renewals
from taut.storage.transactions import Database

LONGEST_SECONDS = 86400.0
"""No renewal reaches further; one that seems to comes from a clock that was put back since."""

_NEWEST = sa.select(sa.func.max(renewals.c.id)).group_by(renewals.c.holder)


class ClaimTables:
    """The claims, in a database whose tables exist."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, number: int, functions: Sequence[str], holder: str, most: int | None) -> tuple[str, ...]:
        """See Storage.claim."""

        def work(connection: sa.Connection) -> tuple[str, ...]:
            self._database.backend.lock(connection, claims)
            # First who lives, then what is known: who ends stores its values before it says that it ends.
            found = self._living(connection)
            answered = {(row.suggestion, row.function) for row in connection.execute(_answers(functions))}
            busy = {key for key, claim in found.items() if claim.living and key not in answered}
            free = [name for name in functions if (number, name) not in busy | answered]
            if not free or (most is not None and _others(busy, number, functions) >= most):
                return ()
            rows = [{"suggestion": number, "function": name, "holder": holder} for name in free]
            connection.execute(sa.insert(claims), rows)
            return tuple(free)

        return self._database.write(work)

    def renew(self, holder: str, seconds: float) -> None:
        """See Storage.renew."""
        until = self._database.backend.now() + min(seconds, LONGEST_SECONDS)
        statement = sa.insert(renewals).values(holder=holder, until=until)
        self._database.write(lambda connection: connection.execute(statement))

    def all(self) -> Claims:
        """See Storage.claimed."""
        return self._database.read(self._living)

    def _living(self, connection: sa.Connection) -> Claims:
        now = self._database.backend.now()
        alive = sa.and_(renewals.c.until > now, renewals.c.until <= now + 2.0 * LONGEST_SECONDS)
        newest = sa.select(renewals.c.holder).where(renewals.c.id.in_(_NEWEST), alive)
        living = {name for name in connection.execute(newest).scalars() if not holders.gone(name)}
        rows = connection.execute(sa.select(claims).order_by(claims.c.id))
        return {(row.suggestion, row.function): Claim(row.holder, row.holder in living) for row in rows}


def _answers(functions: Sequence[str]) -> sa.Select[Any]:
    table = observations.c
    return sa.select(table.suggestion, table.function).where(
        table.suggestion.is_not(None), table.function.in_(list(functions))
    )


def _others(busy: set[tuple[int, str]], number: int, functions: Sequence[str]) -> int:
    """How many other suggestions have one of the functions under way."""
    return len({other for other, name in busy if name in functions and other != number})
