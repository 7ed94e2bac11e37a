"""Tables of numbers for the options of choices, and whether formulas name what there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from taut.base.errors import ProblemError, listed
from taut.base.numbers import FINITE, finite, shown
from taut.problem.formula import Formula, Tables
from taut.problem.functions import Constraint, Objective


def checked_tables(tables: object) -> dict[str, dict[str, float]]:
    """Tables with plain numbers, by name and by option as text."""
    if tables is None:
        return {}
    way = "write for example tables={'density': {'steel': 7.85e-3}}"
    if not isinstance(tables, Mapping) or not all(isinstance(name, str) for name in tables):
        raise ProblemError.of("Problem: tables", "a dict of tables by name", shown(tables), way)
    found: dict[str, dict[str, float]] = {}
    for name, table in tables.items():
        if not isinstance(table, Mapping) or not table or not name.isidentifier():
            raise ProblemError.of(f"Table {name!r}", "a name of letters and numbers for each option", shown(table), way)
        entries = {str(option): finite(number) for option, number in table.items()}
        wrong = [option for option, number in entries.items() if number is None]
        if wrong or len(entries) < len(table):
            got = shown(dict(table)) if not wrong else f"something else for {listed(wrong)}"
            raise ProblemError.of(f"Table {name!r}", f"{FINITE} for every option", got, way)
        found[name] = {option: number for option, number in entries.items() if number is not None}
    return found


def check_formulas(parameters: Sequence[Any], functions: Iterable[Objective | Constraint], tables: Tables) -> None:
    """Do all formulas name parameters and tables that there are?"""
    numbers = {each.name: _numeric(each) for each in parameters}
    options = {each.name: tuple(map(str, each.options)) for each in parameters if hasattr(each, "options")}
    for function in functions:
        if isinstance(function.formula, str):
            what = "Objective" if isinstance(function, Objective) else "Constraint"
            Formula.of(f"{what} {function.name!r}", function.formula).check(numbers, tables, options)


def _numeric(parameter: Any) -> bool:
    return all(not isinstance(option, str) for option in getattr(parameter, "options", ()))
