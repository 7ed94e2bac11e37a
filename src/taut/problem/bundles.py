"""What can be bought in one go, and what several functions share: groups and setups, checked and put in order."""

from collections.abc import Sequence
from dataclasses import dataclass

from taut.base.errors import ProblemError, UnknownNameError, listed
from taut.base.numbers import Cost
from taut.problem.functions import Constraint, Group, Objective, Setup


@dataclass(frozen=True, slots=True)
class Bundle:
    """Functions that are bought together. cost: 1 where it is measured, which is then expected by data/prices.py."""

    name: str
    functions: tuple[str, ...]
    cost: float


def bundles(declared: Sequence[Objective | Constraint], groups: Sequence[Group]) -> tuple[Bundle, ...]:
    """The groups, and every other function that has no formula alone, in the order of their first function."""
    order, declared = [function.name for function in declared], [each for each in declared if each.formula is None]
    grouped = {name for group in groups for name in group.functions}
    found = [
        Bundle(group.name, tuple(sorted(group.functions, key=order.index)), nominal(group.cost)) for group in groups
    ]
    found += [Bundle(each.name, (each.name,), nominal(each.cost)) for each in declared if each.name not in grouped]
    return tuple(sorted(found, key=lambda bundle: order.index(bundle.functions[0])))


def nominal(cost: Cost) -> float:
    """A cost as a number: that of a measured one, before anything is measured, is 1."""
    return 1.0 if cost == "measured" else cost


def check(declared: Sequence[Objective | Constraint], groups: Sequence[Group], setups: Sequence[Setup]) -> bool:
    """Do groups and setups fit the functions? Raises if not. Are costs measured?"""
    names, known = [each.name for each in declared], [each.name for each in declared if each.formula is not None]
    _check_members("group", groups, names, known)
    _check_members("setup", setups, names, known)
    for setup in setups:
        if setup.name in {*names, *(group.name for group in groups)}:
            raise ProblemError(f"Setup {setup.name!r}: a function or group has the same name; rename one of them.")
    return _measured(declared, groups, setups)


def _check_members(kind: str, found: Sequence[Group | Setup], names: Sequence[str], known: Sequence[str]) -> None:
    check_unique(f"{kind}s", [each.name for each in found])
    owner: dict[str, str] = {}
    for each in found:
        if each.name in names and each.functions != (each.name,):
            raise ProblemError(f"{kind.capitalize()} {each.name!r}: a function has the same name; rename one of them.")
        for name in each.functions:
            if name not in names:
                raise UnknownNameError(
                    f"{kind.capitalize()} {each.name!r}: function {name!r} is unknown; this problem has "
                    f"{listed(names)}."
                )
            if name in known:
                what = f"{kind.capitalize()} {each.name!r}"
                raise ProblemError(f"{what}: {name!r} has a formula and is never run; leave it out.")
            if name in owner:
                raise ProblemError(
                    f"Function {name!r} may be in one {kind} only, got {owner[name]!r} and {each.name!r}."
                )
            owner[name] = each.name


def _measured(declared: Sequence[Objective | Constraint], groups: Sequence[Group], setups: Sequence[Setup]) -> bool:
    """Are all costs measured, or none? That of a function in a group does not count, unless it says so."""
    grouped = {name for group in groups for name in group.functions}
    run = [each for each in declared if each.formula is None]
    counting = [each for each in run if each.name not in grouped or each.cost == "measured"]
    costs = {each.name: each.cost for each in (*counting, *groups, *setups)}
    measured = [name for name, cost in costs.items() if cost == "measured"]
    fixed = [name for name, cost in costs.items() if cost != "measured"]
    if measured and fixed:
        raise ProblemError(
            f"Problem: costs must be all measured or all given, got cost='measured' for {listed(measured)} and a "
            f"number for {listed(fixed)} (1 where none is given): seconds and other units cannot be compared; give "
            "cost='measured' for all of them, or numbers."
        )
    return bool(measured)


def check_unique(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ProblemError(
                f"Problem: names of {what} must be different, got {name!r} {names.count(name)} times; rename one."
            )
