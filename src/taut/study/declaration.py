"""What a study was declared to be: written to its storage once, and compared whenever it is opened again."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from taut.base.errors import StorageError
from taut.base.numbers import shown
from taut.problem.discrete import Parameter
from taut.problem.known import Formulas, handed_over
from taut.problem.parameters import Real
from taut.problem.problem import Problem
from taut.storage.base import ConflictError, Storage

_SHOWN = 3

SETTINGS = {"method", "seed", "initial", "preset", "initial_design", "options"}
"""Of a study, besides its problem; the last three may be missing in old ones."""

Declaration = dict[str, Any]
"""A problem and its settings in one, as JSON."""


class OtherStudyError(StorageError):
    """A storage holds another study than the declared one."""

    def __init__(self, storage: str, declared: Declaration, stored: Declaration) -> None:
        self.storage, self.declared, self.stored = storage, declared, stored
        found = several(differences(declared, stored, _difference), _SHOWN)
        super().__init__(
            f"Study: the storage {storage!r} holds another study, in which {found}. Go on with that one by "
            "taut.Study.open(storage), or give another storage for a new study."
        )


def agree(storage: Storage, problem: Problem, settings: Mapping[str, Any]) -> Problem:
    """Declare the study in an empty storage, or check that a used one holds the same study; its problem."""
    if holds(storage, problem, settings):
        return settled(storage, problem)
    try:
        storage.create(*json.loads(json.dumps([problem.to_dict(), settings])))
    except ConflictError:  # somebody declared it at the same moment
        return agree(storage, problem, settings)
    return problem


def holds(storage: Storage, problem: Problem, settings: Mapping[str, Any]) -> bool:
    """Is this study in the storage? False if there is none; raises OtherStudyError if it is another one."""
    there = storage.load()
    if there is None:
        return False
    known = _known(there[0])
    declared, stored = (json.loads(json.dumps(each.to_dict())) for each in (_adopted(problem, known), known))
    declared, stored = declared | json.loads(json.dumps(settings)), stored | there[1]
    if any(differences(declared, stored, _difference)):
        raise OtherStudyError(str(storage), declared, stored)
    return True


def settled(storage: Storage, problem: Problem) -> Problem:
    """A declared problem, with what it leaves open as the study in the storage has it."""
    there = storage.load()
    return problem if there is None else _adopted(problem, _known(there[0]))


def _known(entry: Any) -> Problem:
    """A stored problem in today's form, however old it is; objectives had no scale once."""
    if isinstance(entry, dict) and isinstance(entry.get("objective"), dict):
        entry = {**entry, "objective": {"scale": "linear"} | entry["objective"]}
    return Problem.from_dict(entry)


def _adopted(problem: Problem, known: Problem) -> Problem:
    """The problem with scales that were left open as in the known one: a default that changes changes no old study."""
    logs = {parameter.name: parameter.log for parameter in known.parameters if isinstance(parameter, Real)}
    parameters = [_with_scale(each, logs) for each in problem.parameters]
    objective = problem.objective
    if objective.scale is None:
        objective = replace(objective, scale=known.objective.scale)
    return Problem(parameters, objective, problem.constraints, problem.groups, problem.tables, problem.setups)


def _with_scale(parameter: Parameter, logs: Mapping[str, bool | None]) -> Parameter:
    if not isinstance(parameter, Real) or not parameter.automatic:
        return parameter
    log = logs.get(parameter.name)
    may_be = log is False or (log is True and parameter.low > 0.0)
    return replace(parameter, log=log) if may_be else parameter


def stored(storage: Storage, formulas: Formulas | None = None) -> tuple[Problem, dict[str, Any]]:
    """The problem and the settings of the study in a storage; formulas: those that a storage cannot keep."""
    there = storage.load()
    if there is None:
        way_out = "check the name, or start one with taut.Study(problem, storage=...)"
        raise StorageError.of("Study", f"a study in the storage {str(storage)!r}", "none", way_out)
    try:
        problem, settings = handed_over(_known(there[0]), formulas or {}), there[1]
    except (KeyError, TypeError, AttributeError) as error:
        raise _damaged(storage, f"a problem without {error}") from error
    if not {"method", "seed", "initial"} <= settings.keys() <= SETTINGS:
        raise _damaged(storage, f"settings {', '.join(sorted(settings))}")
    return problem, settings


def _damaged(storage: Storage, got: str) -> StorageError:
    way_out = "the disk or another program changed it, restore it from a copy"
    return StorageError.of(f"Storage {str(storage)!r}", "a whole declaration", got, way_out)


def differences(
    declared: Any, stored: Any, say: Callable[[str, Any, Any], str], between: str = ".", where: str = ""
) -> Iterator[str]:
    """The entries in which two declarations (JSON) differ: say(label, declared, stored) of each.

    The labels are the keys on the way to an entry, with `between` between them, and the indices in lists.
    """
    if isinstance(declared, dict) and isinstance(stored, dict):
        for key in declared | stored:
            label = f"{where}{between}{key}" if where else key
            yield from differences(declared.get(key), stored.get(key), say, between, label)
    elif isinstance(declared, list) and isinstance(stored, list) and len(declared) == len(stored):
        for k, (mine, other) in enumerate(zip(declared, stored, strict=True)):
            yield from differences(mine, other, say, between, f"{where}[{k}]")
    elif declared != stored:
        yield say(where, declared, stored)


def several(found: Iterable[str], most: int) -> str:
    """The first few of them, and how many more there are."""
    texts = list(found)
    more = f" (and {len(texts) - most} more)" if len(texts) > most else ""
    return f"{'; '.join(texts[:most])}{more}"


def _difference(label: str, declared: object, stored: object) -> str:
    return f"{label} is {shown(stored)} there and {shown(declared)} here"
