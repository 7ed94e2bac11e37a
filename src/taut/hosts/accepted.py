"""What of a VOCS of gest-api the generator can follow; anything else is refused before a host starts.

Hosts keep points in arrays whose columns have the declared types, so that a type that cannot hold what is suggested, or
nan for what was not asked for, would change numbers on the way.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from gest_api.vocs import VOCS, DiscreteVariable

from taut.base.errors import listed
from taut.base.numbers import shown
from taut.hosts.requests import ID, REQUEST, SECONDS, GestError

DOUBLE = 8
"""Bytes of the numbers that taut suggests."""


def check(vocs: Any) -> None:
    """Raise a GestError that names what cannot be followed."""
    if not isinstance(vocs, VOCS):
        way = "write VOCS(variables=..., objectives=..., constraints=...)"
        raise GestError.of("vocs", "a VOCS of gest_api.vocs", shown(vocs), way)
    if len(vocs.objectives) != 1:
        way = "give the others as constraints" if vocs.objectives else "name what is to be least or largest"
        raise GestError.of("VOCS: objectives", "one", listed(vocs.objectives), way)
    _check_names(vocs)
    for name, each in vocs.variables.items():
        _check_variable(name, each)
    for name, each in (*vocs.objectives.items(), *vocs.constraints.items()):
        _check_output(name, each)


def whole(variable: Any) -> bool:
    """Is a range declared to hold whole numbers?"""
    kind = _type("", variable)
    return kind is not None and kind.kind in "iu"


def _check_names(vocs: Any) -> None:
    both = [name for name in vocs.constraints if name in vocs.objectives]
    if both:
        way = "return it a second time under another name, and limit that"
        raise GestError.of("VOCS: constraints", "names that are no objective", listed(both), way)
    outputs = {**vocs.objectives, **vocs.constraints, **vocs.observables}
    for what, names, others in (
        ("constants", vocs.constants, vocs.variables),
        ("constants", vocs.constants, outputs),
        ("outputs", outputs, vocs.variables),
    ):
        both = [name for name in names if name in others]
        if both:
            way = "a row holds one value of each name: rename one of the two"
            raise GestError.of(f"VOCS: {what}", "names that nothing else has", listed(both), way)
    _check_reserved("variable", vocs.variables, (SECONDS, ID))
    _check_reserved("output", (*vocs.objectives, *vocs.constraints), (SECONDS, REQUEST, ID))
    _check_reserved("observable", vocs.observables, (REQUEST, ID))
    _check_reserved("constant", vocs.constants, (SECONDS, REQUEST, ID))


def _check_reserved(what: str, names: Iterable[str], reserved: tuple[str, ...]) -> None:
    for name in names:
        if name in reserved:
            way = "the generator needs it for itself: take another name"
            raise GestError.of(f"VOCS: {what} {name!r}", "another name", "this one", way)


def _check_variable(name: str, variable: Any) -> None:
    kind = _type(f"VOCS: variable {name!r}", variable)
    if kind is None:
        return
    if kind.shape != ():
        way = "declare a variable for each entry: taut suggests single numbers"
        raise GestError.of(f"VOCS: variable {name!r}: dtype", "one number", f"an array of {kind.shape}", way)
    if isinstance(variable, DiscreteVariable):
        lost = [value for value in variable.values if not _kept(value, kind)]
        if lost:
            way = "leave dtype out, or give values that it can hold"
            expected = f"one that holds {shown(lost[0])}"
            raise GestError.of(f"VOCS: variable {name!r}: dtype", expected, shown(variable.dtype), way)
    elif kind.kind not in "iuO" and not (kind.kind == "f" and kind.itemsize >= DOUBLE):
        way = "leave it out: points would come back as other numbers than were suggested"
        raise GestError.of(f"VOCS: variable {name!r}: dtype", "float or int", shown(variable.dtype), way)


def _check_output(name: str, output: Any) -> None:
    kind = _type(f"VOCS: output {name!r}", output)
    if kind is not None and (kind.shape != () or kind.kind not in "fO"):
        way = "leave it out: it must hold one number, and nan where it was not asked for"
        raise GestError.of(f"VOCS: output {name!r}: dtype", "float", shown(output.dtype), way)


def _type(what: str, declared: Any) -> "np.dtype[Any] | None":
    """The type of a column; None if none is declared."""
    if declared.dtype is None:
        return None
    try:
        kind: np.dtype[Any] = np.dtype(declared.dtype)
    except TypeError as error:
        way = "leave it out, or write float or int"
        raise GestError.of(f"{what}: dtype", "one that NumPy knows", shown(declared.dtype), way) from error
    return kind


def _kept(value: Any, kind: "np.dtype[Any]") -> bool:
    """Does a value come back from a column of this type as it was?"""
    try:
        return bool(np.array([value], dtype=kind)[0] == value)
    except (TypeError, ValueError, OverflowError):
        return False
