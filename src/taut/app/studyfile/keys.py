"""The keys of a study file: what each table may hold, and the declarations made from them.

TABLES is the list that the checks use and that docs/studyfile.md describes.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from taut.base.errors import StudyFileError, TautError, listed, way_out
from taut.base.numbers import LARGEST, shown
from taut.problem.functions import Constraint, Group, Objective
from taut.problem.parameters import Real
from taut.problem.problem import Problem

MOST = 1000
"""Parameters, or functions: far more than any method here can treat."""
RESERVED = "taut_"
"""How the columns of an export begin that are neither parameters nor functions."""

_STUDY_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")  # programs run in a folder of this name

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Key:
    """One key: what it must be, in words and as a test, and an example to write instead."""

    expected: str
    fits: Callable[[Any], bool]
    example: str
    required: bool = False


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _positive(most: float) -> Callable[[Any], bool]:
    return lambda value: _is_number(value) and 0 < value <= most and math.isfinite(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable() and not value.isspace()


def _is_place(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 2000 and value.isprintable() and not value.isspace()


def _is_command(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(word, str) and "\0" not in word for word in value)
        and bool(value[0].strip())
    )


def _is_names(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in words


_NUMBER = "a number"
_COMMAND = "a list of words, the program and its arguments (they pass through no shell)"
_PROGRAM = {
    "command": Key(_COMMAND, _is_command, 'command = ["python", "stress.py"]'),
    "timeout": Key("a number of seconds above 0", _positive(1e9), "timeout = 3600"),
    "retries": Key("a whole number from 0 to 100", _whole(0, 100), "retries = 1"),
    "slots": Key("a whole number from 1 to 10000", _whole(1, 10_000), "slots = 2"),
}
_FUNCTION = {
    "name": Key("a name", _is_text, 'name = "stress"', required=True),
    "cost": Key(_NUMBER + " above 0", _is_number, "cost = 1"),
    "noise": Key('"learned" or a number', lambda value: value == "learned" or _is_number(value), 'noise = "learned"'),
    **_PROGRAM,
}

TABLES: dict[str, dict[str, Key]] = {
    "study": {
        "name": Key(
            "a name of letters, digits, '_', '.', '-' and spaces, at most 100",
            lambda value: isinstance(value, str) and _STUDY_NAME.fullmatch(value) is not None,
            'name = "bracket"',
            required=True,
        ),
        "method": Key("the name of a method", _is_text, 'method = "dckg"'),
        "budget": Key("a number above 0", _positive(LARGEST), "budget = 120"),
        "seed": Key("a whole number of 0 or more", _whole(0, 2**63 - 1), "seed = 1"),
        "initial": Key("a whole number from 0 to 10000", _whole(0, 10_000), "initial = 6"),
        "initial_design": Key(
            '"coupled" or "independent"', _one_of("coupled", "independent"), 'initial_design = "coupled"'
        ),
        "storage": Key("a path or the URL of a PostgreSQL database", _is_place, 'storage = "bracket.db"'),
        "preset": Key('"default" or "paper"', _one_of("default", "paper"), 'preset = "paper"'),
        "options": Key("a table of options of the method", lambda value: isinstance(value, dict), "[study.options]"),
    },
    "run": {
        "workers": Key("a whole number from 1 to 10000", _whole(1, 10_000), "workers = 2"),
        "keep": Key('"all", "failed" or "none"', _one_of("all", "failed", "none"), 'keep = "failed"'),
        "failures": Key("a whole number from 1 to 1000000", _whole(1, 1_000_000), "failures = 10"),
        "lease": Key("a number of seconds above 0", _positive(1e9), "lease = 60"),
    },
    "parameters": {
        "type": Key('"real"', _one_of("real"), 'type = "real"'),
        "low": Key(_NUMBER, _is_number, "low = 0.0", required=True),
        "high": Key(_NUMBER, _is_number, "high = 1.0", required=True),
        "log": Key("true or false", lambda value: isinstance(value, bool), "log = true"),
    },
    "objective": {
        **_FUNCTION,
        "goal": Key('"minimize" or "maximize"', _one_of("minimize", "maximize"), 'goal = "minimize"', required=True),
    },
    "constraints": {
        **_FUNCTION,
        "at_most": Key(_NUMBER, _is_number, "at_most = 250.0"),
        "at_least": Key(_NUMBER, _is_number, "at_least = 0.0"),
    },
    "groups": {
        "name": Key("a name", _is_text, 'name = "cfd"', required=True),
        "functions": Key("a list of names", _is_names, 'functions = ["drag", "lift"]', required=True),
        "cost": Key(_NUMBER + " above 0", _is_number, "cost = 40", required=True),
        **_PROGRAM,
    },
}


def check(path: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with every table there, each holding only known keys with values of the right kind."""
    for name, value in content.items():
        if name not in TABLES:
            raise StudyFileError(f"{path!r}: {_unknown_table(name, value)}")
    for name, header in (("study", "[study]"), ("parameters", "[parameters.NAME]"), ("objective", "[objective]")):
        if name not in content:
            raise StudyFileError(
                f"{path!r}: expected a table {header}, got none; add it (taut init writes an example)."
            )
    found: dict[str, Any] = {name: _table(path, f"[{name}]", content.get(name, {})) for name in ("study", "run")}
    found["parameters"] = _table(path, "[parameters.NAME]", content["parameters"])
    found["objective"] = _table(path, "[objective]", content["objective"])
    for name in ("constraints", "groups"):
        found[name] = _list(path, f"[[{name}]]", content.get(name, []))
    for name in ("study", "run", "objective"):
        _check_keys(path, f"[{name}]", found[name], TABLES[name])
    for name, entry in found["parameters"].items():
        _check_parameter(path, name, entry)
    for name in ("constraints", "groups"):
        for k, entry in enumerate(found[name], start=1):
            _check_keys(path, _label(name, entry, k), entry, TABLES[name])
    return found


def problem(path: str, content: Mapping[str, Any]) -> Problem:
    """The problem that the checked content declares."""
    if not content["parameters"]:
        raise StudyFileError(f"{path!r}: expected at least one parameter, got none; add a table [parameters.NAME].")
    for what in ("parameters", "constraints", "groups"):
        if len(content[what]) > MOST:
            raise StudyFileError(
                f"{path!r}: expected at most {MOST} {what}, got {len(content[what])}; leave out what matters least."
            )
    parameters = [_parameter(path, name, entry) for name, entry in content["parameters"].items()]
    objective = _declared(path, "[objective]", Objective, content["objective"])
    constraints = [
        _declared(path, _label("constraints", entry, k), Constraint, entry)
        for k, entry in enumerate(content["constraints"], start=1)
    ]
    functions = [objective.name, *(constraint.name for constraint in constraints)]
    _check_names(path, [parameter.name for parameter in parameters], functions)
    _make(path, "[[constraints]]", lambda: Problem(parameters, objective, constraints))
    groups = [
        _declared(path, _label("groups", entry, k), Group, entry) for k, entry in enumerate(content["groups"], start=1)
    ]
    return _make(path, "[[groups]]", lambda: Problem(parameters, objective, constraints, groups))


def programs(path: str, content: Mapping[str, Any], declared: Problem) -> list[dict[str, Any]]:
    """For each command: whose it is, the functions it gives, and how to start it."""
    entries = [("[objective]", content["objective"])]
    entries += [(_label("constraints", entry, 1), entry) for entry in content["constraints"]]
    groups = {group["name"]: group for group in content["groups"]}
    owner = {name: group for group in groups.values() for name in group["functions"] if "command" in group}
    found = []
    for label, entry in entries:
        _check_program(path, label, entry, owner.get(entry["name"]))
        if entry["name"] not in owner:
            found.append(_program(label, entry, (entry["name"],)))
    members = {bundle.name: bundle.functions for bundle in declared.bundles}
    for group in groups.values():
        label = _label("groups", group, 1)
        _check_program(path, label, group, None)
        found.append(_program(label, group, members[group["name"]]))
    order = {name: k for k, name in enumerate(declared.functions)}
    return sorted((entry for entry in found if entry["command"]), key=lambda entry: order[entry["functions"][0]])


def check_method(path: str, method: str, preset: str | None, options: Mapping[str, Any]) -> None:
    """Is there such a method, with these options?"""
    from taut.policy import METHODS  # the models need SciPy, which is slow to import
    from taut.policy.options import settings

    if method not in METHODS:
        raise StudyFileError(
            f"{path!r}: [study] method: expected one of {listed(METHODS)}, got {shown(method)}; "
            f"{way_out(method, METHODS)}."
        )
    _make(path, "[study.options]", lambda: settings(preset, options))


def _check_keys(path: str, label: str, entry: object, known: Mapping[str, Key]) -> None:
    if not isinstance(entry, dict):
        raise StudyFileError(
            f"{path!r}: {label}: expected a table of keys, got {shown(entry)}; write key = value lines."
        )
    for name, value in entry.items():
        if name not in known:
            raise StudyFileError(
                f"{path!r}: {label}: expected the keys {listed(known)}, got {shown(name)}; {way_out(name, known)}."
            )
        if not known[name].fits(value):
            raise StudyFileError(
                f"{path!r}: {label} {name}: expected {known[name].expected}, got {shown(value)}; write for example "
                f"{known[name].example}."
            )
    for name, key in known.items():
        if key.required and name not in entry:
            raise StudyFileError(
                f"{path!r}: {label}: expected the key {name!r} ({key.expected}), got none; add for example "
                f"{key.example}."
            )


def _check_parameter(path: str, name: str, entry: object) -> None:
    label = f"[parameters.{name if name.isidentifier() else repr(name)}]"
    kind = entry.get("type") if isinstance(entry, dict) else None
    if isinstance(kind, str) and kind in ("integer", "choice"):
        raise StudyFileError(
            f'{path!r}: {label} type: expected "real", got {kind!r}, which taut does not support yet; use a real '
            "parameter and let the program round it, or make one study for each choice."
        )
    _check_keys(path, label, entry, TABLES["parameters"])


def _check_names(path: str, parameters: Iterable[str], functions: Iterable[str]) -> None:
    taken, others = set(parameters), list(functions)
    for name in others:
        if name in taken:
            raise StudyFileError(
                f"{path!r}: [parameters.{name}]: expected a name of its own, got that of a function; rename one of "
                "them."
            )
    for name in (*taken, *others):
        if name.startswith(RESERVED):
            raise StudyFileError(
                f"{path!r}: expected names that do not begin with {RESERVED!r}, as exported columns do, got {name!r}; "
                "rename it."
            )


def _check_program(path: str, label: str, entry: Mapping[str, Any], group: Mapping[str, Any] | None) -> None:
    given = [name for name in _PROGRAM if name in entry]
    if group is not None and given:
        raise StudyFileError(
            f"{path!r}: {label} {given[0]}: expected none, because the command of the group {group['name']!r} gives "
            f"this function, got {shown(entry[given[0]])}; leave out one of them."
        )
    if given and "command" not in entry:
        raise StudyFileError(
            f"{path!r}: {label} {given[0]}: expected a command that it applies to, got none; add for example "
            f"{_PROGRAM['command'].example}, or leave out {given[0]}."
        )


def _program(label: str, entry: Mapping[str, Any], functions: tuple[str, ...]) -> dict[str, Any]:
    timeout = entry.get("timeout")
    return {
        "name": entry["name"],
        "functions": functions,
        "command": tuple(entry.get("command", ())),
        "timeout": None if timeout is None else float(timeout),
        "retries": entry.get("retries", 0),
        "slots": entry.get("slots"),
        "table": label,
    }


def _unknown_table(name: str, value: object) -> str:
    if not isinstance(value, (dict, list)):
        homes = [table for table, known in TABLES.items() if name in known]
        home = f"it belongs under [{homes[0]}]" if homes else "every key belongs to a table"
        return f"expected tables such as [study], got the key {shown(name)} outside of any table; {home}."
    return f"expected the tables {listed(TABLES)}, got {shown(name)}; {way_out(name, TABLES)}."


def _table(path: str, label: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise StudyFileError(f"{path!r}: expected one table {label}, got {shown(value)}; write {label} once.")
    return dict(value)


def _list(path: str, label: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise StudyFileError(
            f"{path!r}: expected tables {label}, got {shown(value)}; write {label} with double brackets before each."
        )
    return value


def _label(table: str, entry: object, number: int) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return f"[[{table}]] {shown(name)}" if isinstance(name, str) else f"[[{table}]] number {number}"


def _parameter(path: str, name: str, entry: Mapping[str, Any]) -> Real:
    label = f"[parameters.{name if name.isidentifier() else repr(name)}]"
    fields = {key: value for key, value in entry.items() if key != "type"}
    return _make(path, label, lambda: Real(name, **fields))


def _declared(path: str, label: str, kind: Callable[..., Made], entry: Mapping[str, Any]) -> Made:
    return _make(path, label, lambda: kind(**{key: entry[key] for key in entry if key not in _PROGRAM}))


def _make(path: str, label: str, make: Callable[[], Made]) -> Made:
    """What make makes; its complaints get the name of the file and the table."""
    try:
        return make()
    except TautError as error:
        raise StudyFileError(f"{path!r}: {label}: {error}") from error
