"""Rows that take the place of others: nothing is ever changed, so that every decision can be computed again."""

import getpass
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from taut.base.errors import StudyError, listed
from taut.data.history import History
from taut.data.rows import Observation, Suggestion
from taut.storage.base import ALL, Storage
from taut.storage.leases import ASKING_SECONDS, Owner
from taut.storage.sharing import retry_on_conflict
from taut.study import checks
from taut.study.reader import Reader


def retry(
    storage: Storage, reader: Reader, suggestion: Suggestion | int | None, name: str | None
) -> list[tuple[int, str]]:
    """Withdraw failures, of all suggestions and functions or of those that are named; what is open again."""

    def step() -> list[tuple[int, str]]:
        with reader as history:
            number = None if suggestion is None else checks.find(suggestion, history).number
            functions = checks.evaluated(history.problem, name)
            failed = [key for key, row in history.answers.items() if row.value is None]
            chosen = [key for key in failed if number in (None, key[0]) and key[1] in functions]
            rows = [_withdrawal(history, key) for key in chosen]
        storage.add_observations(rows)
        return chosen

    opened = retry_on_conflict(step)
    with Owner(storage, ASKING_SECONDS) as owner:
        for each in {key[0] for key in opened}:
            owner.lease(each, [ALL])  # says that it is for runs to evaluate, also for those at work
    return opened


def correct(
    storage: Storage, reader: Reader, suggestion: Suggestion | int, values: Mapping[str, float | None]
) -> list[str]:
    """Replace what is known of a suggestion by other values; the functions where they are other ones."""

    def step() -> list[str]:
        with reader as history:
            new = _corrections(history, checks.find(suggestion, history), values)
        storage.add_observations(new)
        return [each.function for each in new]

    return retry_on_conflict(step)


def author() -> str:
    """Who changes something, and when."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        user = "somebody"
    return f"{user}, {datetime.now().astimezone().isoformat(timespec='seconds')}"


def _withdrawal(history: History, key: tuple[int, str]) -> Observation:
    row, place = history.answers[key], history.places[key]
    return Observation(row.function, dict(row.point), None, row.suggestion, "", place, withdrawn=True, who=author())


def _corrections(history: History, row: Suggestion, values: Mapping[str, float | None]) -> list[Observation]:
    unknown = [name for name in values if (row.number, name) not in history.answers]
    if unknown:
        got = f"{listed(unknown)}, of which there is none"
        way_out = "use study.tell (or taut tell) for a first value"
        raise StudyError.of(f"Suggestion {row.number}", "functions with a value or a failure", got, way_out)
    return [
        replace(known, value=value, note="", replaces=history.places[row.number, name], who=author())
        for name, value in values.items()
        if (known := history.answers[row.number, name]).value != value
    ]
