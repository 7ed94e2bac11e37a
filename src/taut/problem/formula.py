"""Formulas in text: parsed with Python's `ast`, checked against a short list, never handed to `eval`.

    7.85e-3 * width * height ** 2        density[material] * sqrt(area)        max(0, 3 - ribs) / pi

Known are the parameters by name, numbers, + - * / **, parentheses, `pi`, the functions of FUNCTIONS and tables for
choices. Two readings of the same tree: by Python's own numbers, which says what a formula is at a point, and by arrays
with exact slopes (forward mode), which is what searches climb.
"""

import ast
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from taut.base.errors import ProblemError, listed, way_out
from taut.base.numbers import finite, shown
from taut.problem.names import as_written, dotted, renamed

FUNCTIONS = ("sqrt", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "abs", "min", "max")
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
LONGEST = 10_000
"""Characters of a formula."""
DEEPEST = 200
"""Brackets and operators inside each other; both readings of a formula follow it downwards."""

Tables = Mapping[str, Mapping[str, float]]
"""By name of the table and option of a choice, as text."""
Number = TypeVar("Number")


class Lookup(NamedTuple):
    """table[parameter] in a formula."""

    table: str
    parameter: str


@dataclass(frozen=True)
class Algebra(Generic[Number]):
    """How to compute with one kind of numbers."""

    constant: Callable[[float], Number]
    name: Callable[[str], Number]
    lookup: Callable[[Lookup], Number]
    operators: Mapping[str, Callable[[Number, Number], Number]]
    functions: Mapping[str, Callable[..., Number]]
    negative: Callable[[Number], Number]


@dataclass(frozen=True)
class Formula:
    """A formula that was read; what: whose it is, for messages."""

    what: str
    text: str
    line: str = field(repr=False, compare=False)
    """The text as Python reads it, from its first character that is not blank; see names.py."""
    tree: ast.expr = field(repr=False, compare=False)

    @staticmethod
    def of(what: str, text: str) -> "Formula":
        """The text as a formula; its names are checked later, with the parameters (see check)."""
        if not text.strip():
            raise ProblemError.of(f"{what}: formula", "a text such as '2 * width'", shown(text), "write one")
        if len(text) > LONGEST:
            raise ProblemError.of(
                f"{what}: formula", f"at most {LONGEST} characters", f"{len(text)}", "use a Python function instead"
            )
        plain = dotted(_line(text))
        try:
            return Formula._read(what, text, plain)
        except ProblemError:
            named = renamed(plain)  # keywords are names where Python's grammar has no other use for them
            if named == plain:
                raise
            if not _parses(plain):
                return Formula._read(what, text, named)
            raise

    @staticmethod
    def _read(what: str, text: str, line: str) -> "Formula":
        formula = Formula(what, text, line, _parsed(what, text, line))
        formula._check(formula.tree, 0)
        return formula

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Parameters that the value depends on, each once, in the order of the text; `pi` only if it is no constant."""
        found = [node.id for node in _names(self.tree)] + [each.parameter for each in self.lookups]
        return tuple(dict.fromkeys(found))

    @cached_property
    def lookups(self) -> tuple[Lookup, ...]:
        """What is looked up in tables."""
        return tuple(dict.fromkeys(_lookup(node) for node in _walk(self.tree) if isinstance(node, ast.Subscript)))

    def check(self, numbers: Mapping[str, bool], tables: Tables, options: Mapping[str, tuple[str, ...]]) -> None:
        """Are all names known? numbers: by parameter, are its values numbers; options: of the choices, as text."""
        for node in _names(self.tree):
            if node.id == "pi" and "pi" not in numbers:
                continue
            if node.id not in numbers:
                known = [*numbers, "pi"]
                self._refuse(node, f"one of {listed(known)}", repr(node.id), _other_name(node.id, known))
            if not numbers[node.id]:
                way = f"look a number up in a table, such as density[{node.id}] with tables={{'density': {{...}}}}"
                self._refuse(node, "a number", f"the choice {node.id!r}, whose options are texts", way)
        for each in _walk(self.tree):
            if isinstance(each, ast.Subscript):
                self._check_lookup(each, tables, options)

    def _check_lookup(self, node: ast.Subscript, tables: Tables, options: Mapping[str, tuple[str, ...]]) -> None:
        table, parameter = _lookup(node)
        if table not in tables:
            way = "add it to tables={...} of the problem, [tables.NAME] in a study file"
            there = f"one of the tables {listed(tables)}" if tables else "a table that is declared (there is none)"
            self._refuse(node, there, repr(table), way)
        if parameter not in options:
            known = f"a choice in the brackets ({listed(options) if options else 'this problem has none'})"
            self._refuse(node, known, repr(parameter), "tables are for parameters of type Choice")
        missing = [option for option in options[parameter] if option not in tables[table]]
        if missing:
            way = f"add {missing[0]} = ... to the table {table!r}"
            self._refuse(
                node, f"a number for every option of {parameter!r} in {table!r}", f"none for {listed(missing)}", way
            )

    def value(self, point: Mapping[str, Any], tables: Tables) -> float:
        """What the formula is at a point, as Python's own numbers have it; nan where it cannot be computed."""

        def name(which: str) -> float:
            return float(point[which]) if which in point else math.pi

        def lookup(which: Lookup) -> float:
            return tables[which.table][str(point[which.parameter])]

        plain = Algebra[Any](float, name, lookup, _OPERATORS, _FUNCTIONS, lambda a: -a)
        try:
            number = finite(evaluated(self.tree, plain))
        except (ArithmeticError, ValueError):
            return math.nan
        return math.nan if number is None else number

    def _check(self, node: ast.AST, depth: int) -> None:
        """Only what is on the list, and not too deep."""
        if depth > DEEPEST:
            self._refuse(node, f"at most {DEEPEST} steps inside each other", "more", "use a Python function instead")
        if isinstance(node, ast.Subscript):
            if not (isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Name)):
                self._refuse(node, "table[parameter]", repr(self._part(node)), "write for example density[material]")
            return
        if isinstance(node, ast.Call):
            self._check_call(node)
        elif isinstance(node, ast.BinOp) and type(node.op) not in OPERATORS:
            way = "write ** for a power" if isinstance(node.op, ast.BitXor) else "write it with those"
            self._refuse(node, f"the operators {' '.join(OPERATORS.values())}", repr(self._part(node)), way)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or finite(node.value) is None:
                self._refuse(node, "a number", repr(self._part(node)), "texts and other constants have no value here")
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, (ast.USub, ast.UAdd)):
            self._refuse(node, "+ or - before a number", repr(self._part(node)), "leave it out")
        elif not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Name)):
            way = f"a formula has names, numbers, {' '.join(OPERATORS.values())}, brackets and {', '.join(FUNCTIONS)}"
            self._refuse(node, "a plain formula", repr(self._part(node)), way)
        for child in _operands(node):
            self._check(child, depth + 1)

    def _check_call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in FUNCTIONS:
            close = way_out(name, FUNCTIONS) if name else "write its name before the bracket"
            self._refuse(node, f"one of the functions {', '.join(FUNCTIONS)}", repr(self._part(node.func)), close)
        several = name in ("min", "max")
        fits = len(node.args) >= 2 if several else len(node.args) == 1
        if node.keywords or not fits or any(isinstance(each, ast.Starred) for each in node.args):
            expected = f"{name}(a, b, ...) with two numbers or more" if several else f"{name}(a) with one number"
            self._refuse(node, expected, repr(self._part(node)), "separate arguments by commas")

    def _part(self, node: ast.AST) -> str:
        start, end = (self._column(getattr(node, f"{side}col_offset", 0)) for side in ("", "end_"))
        part = _line(self.text)[start:end]
        return part if len(part) <= 40 else part[:37] + "..."

    def _column(self, offset: int) -> int:
        """From Python's offset, in bytes, to characters."""
        return len(self.line.encode()[:offset].decode())

    def _refuse(self, node: ast.AST, expected: str, got: str, way: str) -> NoReturn:
        column = _indent(self.text) + self._column(getattr(node, "col_offset", 0)) + 1
        raise ProblemError.of(f"{self.what}: formula {shown(self.text)}, column {column}", expected, got, way)


def evaluated(node: ast.expr, by: Algebra[Number]) -> Number:
    """The value of a tree that was checked, in the numbers of an algebra."""
    match node:
        case ast.Constant():
            return by.constant(float(node.value))  # type: ignore[arg-type]
        case ast.Name():
            return by.name(node.id)
        case ast.Subscript():
            return by.lookup(_lookup(node))
        case ast.UnaryOp():
            inside = evaluated(node.operand, by)
            return by.negative(inside) if isinstance(node.op, ast.USub) else inside
        case ast.BinOp():
            return by.operators[OPERATORS[type(node.op)]](evaluated(node.left, by), evaluated(node.right, by))
        case ast.Call(func=ast.Name(id=name)):
            return by.functions[name](*(evaluated(each, by) for each in node.args))
    raise AssertionError(f"checked when it was read: {node!r}")


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in FUNCTIONS if hasattr(math, name)},
    "abs": abs,
    "min": min,
    "max": max,
}


def _parses(line: str) -> bool:
    try:
        _tree(line)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _tree(line: str) -> ast.expr:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python, on things that are refused anyway
        return as_written(ast.parse(line, mode="eval").body)


def _other_name(name: str, known: list[str]) -> str:
    """What to do about a name that no parameter has."""
    hyphened = next((each for each in known if each.startswith(f"{name}-")), None)
    if hyphened is None:
        return way_out(name, known)
    other = hyphened.replace("-", "_")
    return f"a hyphen is a minus in a formula: call {hyphened!r} {other!r}, or use a Python function"


def _parsed(what: str, text: str, line: str) -> ast.expr:
    """The tree of a text; line breaks count as spaces."""
    where = f"{what}: formula {shown(text)}"
    if "#" in text:
        raise ProblemError.of(where, "a formula alone", f"a comment in column {text.index('#') + 1}", "leave it out")
    try:
        return _tree(line)
    except SyntaxError as error:
        column = min(max(_indent(text) + (error.offset or 1), 1), len(text))
        way = "check brackets, operators and commas; a decimal point is a dot"
        raise ProblemError.of(
            f"{where}, column {column}", "a formula", f"text that is none ({error.msg})", way
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ProblemError.of(where, "a formula", "text that cannot be read", "use a Python function") from error


def _line(text: str) -> str:
    """The text as one line, from its first character that is not blank."""
    return " ".join(text.lstrip().splitlines())


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _operands(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Call():
            return list(node.args)
    return []


def _walk(node: ast.expr) -> Iterator[ast.expr]:
    """The node and all below it, from left to right; not into what is looked up."""
    yield node
    for child in _operands(node):
        yield from _walk(child)


def _names(tree: ast.expr) -> list[ast.Name]:
    return [node for node in _walk(tree) if isinstance(node, ast.Name)]


def _lookup(node: ast.Subscript) -> Lookup:
    assert isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Name), "checked when it was read"
    return Lookup(node.value.id, node.slice.id)
