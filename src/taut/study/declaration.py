"""What a study was declared to be: written to its storage once, and compared whenever it is opened again."""

import json
from collections.abc import Mapping
from typing import Any

from taut.base.errors import StorageError
from taut.problem.problem import Problem
from taut.storage.base import ConflictError, Storage
from taut.study import checks

_SHOWN = 3


def agree(storage: Storage, problem: Problem, settings: Mapping[str, Any]) -> None:
    """Declare the study in an empty storage, or check that a used one holds the same study."""
    here = json.loads(json.dumps([problem.to_dict(), settings]))
    there = storage.load()
    if there is None:
        try:
            storage.create(*here)
            return
        except ConflictError:  # somebody declared it at the same moment
            return agree(storage, problem, settings)
    known = json.loads(json.dumps(Problem.from_dict(there[0]).to_dict()))  # in today's form, however old it is
    found = list(checks.differences(here[0] | here[1], known | there[1]))
    if found:
        more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
        raise StorageError(
            f"Study: the storage {str(storage)!r} holds another study, in which {'; '.join(found[:_SHOWN])}{more}. Go "
            "on with that one by taut.Study.open(storage), or give another storage for a new study."
        )


def stored(storage: Storage) -> tuple[Problem, dict[str, Any]]:
    """The problem and the settings of the study in a storage."""
    there = storage.load()
    if there is None:
        raise StorageError(
            f"Study: expected a study in the storage {str(storage)!r}, got none; check the name, or start one with "
            "taut.Study(problem, storage=...)."
        )
    return Problem.from_dict(there[0]), there[1]
