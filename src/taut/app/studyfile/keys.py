"""The keys of a study file: what each table may hold, and the declarations made from them.

The keys are listed in keys.toml. Messages here name the table; the caller puts the name of the file before them.
"""

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from taut.app.studyfile.text import refused
from taut.base.errors import StudyFileError, TautError, listed, way_out
from taut.base.numbers import shown
from taut.problem.discrete import KINDS, Parameter
from taut.problem.functions import Constraint, Group, Objective, Setup
from taut.problem.problem import Problem
from taut.problem.tables import checked_tables

MOST = 1000
"""Parameters, or functions: far more than any method here can treat."""
RESERVED = "taut_"
"""How the columns of an export begin that are neither parameters nor functions."""

_STUDY_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")  # programs run in a folder of this name

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Key:
    """One key, as described at the top of keys.toml."""

    expected: str
    kind: str
    example: str
    words: tuple[str, ...] = ()
    least: int = 0
    most: float = math.inf
    required: bool = False

    def fits(self, value: Any) -> bool:
        """May it have this value?"""
        return FITS[self.kind](self, value)


def _is_number(key: Key, value: Any) -> bool:
    return type(value) in (int, float)


def _is_text(key: Key, value: Any) -> bool:
    return isinstance(value, str) and len(value) <= key.most and value.isprintable() and bool(value.strip())


def _is_names(key: Key, value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)


FITS: dict[str, Callable[[Key, Any], bool]] = {
    "flag": lambda key, value: isinstance(value, bool),
    "number": _is_number,
    "integer": lambda key, value: type(value) is int,
    "list": lambda key, value: isinstance(value, list),
    "positive": lambda key, value: _is_number(key, value) and 0 < value <= key.most and value >= key.least,
    "whole": lambda key, value: type(value) is int and key.least <= value <= key.most,
    "cost": lambda key, value: value == "measured" or _is_number(key, value),
    "noise": lambda key, value: value == "learned" or _is_number(key, value),
    "word": lambda key, value: isinstance(value, str) and value in key.words,
    "text": _is_text,
    "name": lambda key, value: isinstance(value, str) and _STUDY_NAME.fullmatch(value) is not None,
    "names": _is_names,
    "command": lambda key, value: _is_names(key, value) and "\0" not in "".join(value) and bool(value[0].strip()),
    "formula": lambda key, value: isinstance(value, str) and len(value) <= key.most,
    "table": lambda key, value: isinstance(value, dict),
}

_LISTED = {
    table: {name: Key(**entry) for name, entry in keys.items()}
    for table, keys in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
_PROGRAM = _LISTED["program"]
_FUNCTION = _LISTED["function"] | _PROGRAM
_BY_TYPE = {name: replace(key, required=False) for kind in KINDS for name, key in _LISTED[kind].items()}

TABLES: dict[str, dict[str, Key]] = {
    "study": _LISTED["study"],
    "run": _LISTED["run"],
    "parameters": _LISTED["parameters"] | _BY_TYPE,
    "objective": _FUNCTION | _LISTED["objective"],
    "constraints": _FUNCTION | _LISTED["constraints"],
    "groups": _LISTED["groups"] | _PROGRAM,
    "setups": _LISTED["setups"] | {name: _PROGRAM[name] for name in ("command", "timeout")},
    "tables": {},  # of numbers under any names, for formulas
}
_MANY = ("constraints", "groups", "setups")


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Complaints from within get the name of the place before them."""
    try:
        yield
    except TautError as error:
        raise StudyFileError(f"{place}: {error}") from error


def check(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with every table there, each holding only known keys with values of the right kind."""
    for name, value in content.items():
        if name not in TABLES:
            raise StudyFileError(_unknown_table(name, value))
    for name in ("study", "parameters", "objective"):
        if name not in content:
            raise StudyFileError(f"expected a table {_header(name)}, got none; add it (taut init writes an example).")
    found: dict[str, Any] = {name: _shaped(name, content.get(name, [] if name in _MANY else {})) for name in TABLES}
    for name, known in TABLES.items():
        for label, entry in _entries(found, name) if known else []:
            _check_keys(label, entry, _typed(label, entry) if name == "parameters" else known)
    return found


def problem(content: Mapping[str, Any]) -> Problem:
    """The problem that the checked content declares."""
    if not content["parameters"]:
        raise StudyFileError("expected at least one parameter, got none; add a table [parameters.NAME].")
    for what in ("parameters", *_MANY):
        if len(content[what]) > MOST:
            raise StudyFileError(
                f"expected at most {MOST} {what}, got {len(content[what])}; leave out what matters least."
            )
    named = {_parameter(name): {"name": name} | entry for name, entry in content["parameters"].items()}
    parameters: list[Parameter] = [
        _declared(label, KINDS[entry.get("type", "real")], entry) for label, entry in named.items()
    ]
    objective = _declared("[objective]", Objective, content["objective"])
    constraints = [_declared(label, Constraint, entry) for label, entry in _entries(content, "constraints")]
    _check_names(list(content["parameters"]), [objective.name, *(constraint.name for constraint in constraints)])
    with naming("[tables.NAME]"):
        tables = checked_tables(content["tables"])
    with naming("[objective] and [[constraints]]"):
        alike = [replace(each, cost=1.0) for each in constraints]  # costs are judged with those of the groups
        Problem(parameters, replace(objective, cost=1.0), alike, tables=tables)
    groups = [_declared(label, Group, entry) for label, entry in _entries(content, "groups")]
    setups = [_declared(label, Setup, entry) for label, entry in _entries(content, "setups")]
    where = " and ".join(f"[[{table}]]" for table in ("groups", "setups") if content[table]) or "costs"
    with naming(where):
        return Problem(parameters, objective, constraints, groups, tables, setups)


def programs(content: Mapping[str, Any], declared: Problem) -> list[dict[str, Any]]:
    """For each command: whose it is, the functions it gives, and how to start it."""
    owner = {name: group for group in content["groups"] for name in group["functions"] if "command" in group}
    members = {bundle.name: bundle.functions for bundle in declared.bundles}
    found = []
    for label, entry in (*_entries(content, "objective"), *_entries(content, "constraints")):
        _check_program(label, entry, owner.get(entry["name"]))
        found.append(_program(label, entry, (entry["name"],)))
    for label, entry in _entries(content, "groups"):
        _check_program(label, entry, None)
        found.append(_program(label, entry, members[entry["name"]]))
    order = {name: k for k, name in enumerate(declared.functions)}
    return sorted((entry for entry in found if entry["command"]), key=lambda entry: order[entry["functions"][0]])


def setups(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each setup: the functions that share it, and its command, if it has one."""
    for label, entry in _entries(content, "setups"):
        _check_program(label, entry, None)
    return [_program(label, entry, tuple(entry["functions"])) for label, entry in _entries(content, "setups")]


def check_method(method: str, preset: str | None, options: Mapping[str, Any]) -> None:
    """Is there such a method, with these options?"""
    from taut.policy import METHODS  # the models need SciPy, which is slow to import
    from taut.policy.options import settings

    if method not in METHODS:
        raise refused("[study] method", f"one of {listed(METHODS)}", shown(method), way_out(method, METHODS))
    with naming("[study.options]"):
        settings(preset, options)


def _check_keys(label: str, entry: object, known: Mapping[str, Key]) -> None:
    if not isinstance(entry, dict):
        raise refused(label, "a table of keys", shown(entry), "write key = value lines")
    for name, value in entry.items():
        if name not in known:
            raise refused(label, f"the keys {listed(known)}", shown(name), way_out(name, known))
        key = known[name]
        if not key.fits(value):
            raise refused(f"{label} {name}", key.expected, shown(value), f"write for example {key.example}")
    for name, key in known.items():
        if key.required and name not in entry:
            raise refused(label, f"the key {name!r} ({key.expected})", "none", f"add for example {key.example}")


def _typed(label: str, entry: object) -> dict[str, Key]:
    """The keys of a parameter of its type."""
    given = entry.get("type", "real") if isinstance(entry, dict) else "real"
    key = _LISTED["parameters"]["type"]
    if not key.fits(given):
        raise refused(f"{label} type", key.expected, shown(given), way_out(given, key.words))
    return {"type": key} | _LISTED[given]


def _check_names(parameters: Sequence[str], functions: Sequence[str]) -> None:
    for name in functions:
        if name in parameters:
            raise refused(f"[parameters.{name}]", "a name of its own", "that of a function", "rename one of them")
    for name in (*parameters, *functions):
        if name.startswith(RESERVED):
            raise StudyFileError(
                f"expected names that do not begin with {RESERVED!r}, as exported columns do, got {name!r}; rename it."
            )


def _check_program(label: str, entry: Mapping[str, Any], group: Mapping[str, Any] | None) -> None:
    first = next((name for name in _PROGRAM if name in entry), None)
    if first is not None and "formula" in entry:
        expected = "none, because the formula gives this function"
        raise refused(f"{label} {first}", expected, shown(entry[first]), "leave out one of them")
    if first is not None and group is not None:
        expected = f"none, because the command of the group {group['name']!r} gives this function"
        raise refused(f"{label} {first}", expected, shown(entry[first]), "leave out one of them")
    if first is not None and "command" not in entry:
        way_out = f"add for example {_PROGRAM['command'].example}, or leave out {first}"
        raise refused(f"{label} {first}", "a command that it applies to", "none", way_out)


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


def _shaped(name: str, value: object) -> object:
    """A table or a list of tables, as it must be."""
    many, label = name in _MANY, _header(name)
    if isinstance(value, list if many else dict):
        return value
    what, way_out = ("tables", "with double brackets before each") if many else ("one table", "once")
    raise StudyFileError(f"expected {what} {label}, got {shown(value)}; write {label} {way_out}.")


def _header(table: str) -> str:
    if table in ("parameters", "tables"):
        return f"[{table}.NAME]"
    return f"[[{table}]]" if table in _MANY else f"[{table}]"


def _entries(content: Mapping[str, Any], table: str) -> list[tuple[str, Any]]:
    """The entries of a table, or the table itself, each with a label for messages."""
    found = content[table]
    if table == "parameters":
        return [(_parameter(name), entry) for name, entry in found.items()]
    if isinstance(found, dict):
        return [(f"[{table}]", found)]
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in found]
    labels = (shown(name) if isinstance(name, str) else f"number {k}" for k, name in enumerate(names, start=1))
    return [(f"[[{table}]] {label}", entry) for label, entry in zip(labels, found, strict=True)]


def _parameter(name: str) -> str:
    return f"[parameters.{name if name.isidentifier() else repr(name)}]"


def _declared(label: str, kind: Callable[..., Made], entry: Mapping[str, Any]) -> Made:
    with naming(label):
        return kind(**{key: entry[key] for key in entry if key not in _PROGRAM and key != "type"})
