"""Numbers, limits and verdicts as people write them; no number here is ever NaN."""

import math
import re
from collections.abc import Mapping
from typing import Any

from taut.data.results import RelevanceRow
from taut.problem.functions import Constraint
from taut.problem.problem import Problem

MINUS, THIN, DASH = "\N{MINUS SIGN}", "\N{NARROW NO-BREAK SPACE}", "\N{EN DASH}"
WHOLE = 1e7
"""Numbers below this are written out."""
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]\d+)\b")
VERDICTS = {
    "binding": "binds",
    "excluding": "excludes a better region",
    "irrelevant": "does not matter",
    "undecided": "not clear yet",
}


def number(value: Any, digits: int = 5) -> str:
    """To so many significant digits; a text as it is, and a dash for what is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return DASH if value is None else str(value)
    if isinstance(value, int):
        return str(value).replace("-", MINUS)
    if not math.isfinite(value):
        return DASH if math.isnan(value) else ("∞" if value > 0.0 else f"{MINUS}∞")
    if 10.0**digits <= abs(value) < WHOLE:
        return f"{value:.0f}".replace("-", MINUS)
    mantissa, _, exponent = f"{value + 0.0:.{digits}g}".partition("e")
    if exponent:
        mantissa += f"·10{str(int(exponent)).translate(_SUPERSCRIPT)}"
    return mantissa.replace("-", MINUS)


def readable(text: str) -> str:
    """A sentence with its powers of ten as they are elsewhere on the page: 2.5e-09 as 2.5·10⁻⁹."""
    return _POWER.sub(lambda found: f"{found[1]}·10{str(int(found[2])).translate(_SUPERSCRIPT)}", text)


def uncertain(mean: float, sd: float) -> str:
    """Mean and standard deviation, to the digits that the latter leaves: 8.21 ± 0.03."""
    if not math.isfinite(mean) or not math.isfinite(sd):
        return number(mean)
    size = max(abs(mean), sd)
    if sd <= 1e-7 * size or not 1e-3 <= size < 1e6:
        return number(mean) if sd <= 1e-7 * size else f"{number(mean, 4)} ± {number(sd, 2)}"
    decimals = max(0, 1 - math.floor(math.log10(sd)))
    return f"{mean:.{decimals}f} ± {sd:.{decimals}f}".replace("-", MINUS)


def percent(p: float) -> str:
    """A probability, and never a certainty that was not computed."""
    if not math.isfinite(p):
        return DASH
    return "< 1 %" if p < 0.01 else "> 99 %" if p > 0.99 else f"{100.0 * p:.0f} %"


def paid(problem: Problem, cost: float, digits: int = 5) -> str:
    """A cost; measured ones are seconds."""
    return number(cost, digits) + f"{THIN}s" * problem.measured


def spent_axis(problem: Problem) -> str:
    return f"{'seconds' if problem.measured else 'cost'} spent after the initial design"


def share(part: float, whole: float) -> str:
    return DASH if not whole > 0.0 else f"{100.0 * part / whole:.0f} %"


def point(values: Mapping[str, Any], digits: int = 5) -> str:
    return ", ".join(f"{name} = {number(value, digits)}" for name, value in values.items())


def limit(problem: Problem, name: str) -> str:
    """What is asked of a function: ≤ 250; or its goal."""
    function = problem.function(name)
    if not isinstance(function, Constraint):
        return goal(problem)
    low, high = function.at_least, function.at_most
    if low is not None and high is not None:
        return f"{number(low)} … {number(high)}"
    return f"≤ {number(high)}" if high is not None else f"≥ {number(low)}"


def goal(problem: Problem) -> str:
    return "minimise" if problem.objective.goal == "minimize" else "maximise"


def headline(problem: Problem) -> str:
    """The problem in a sentence."""
    subject = ", ".join(f"{each.name} {limit(problem, each.name)}" for each in problem.constraints)
    said = f"{goal(problem).capitalize()} {problem.objective.name}"
    return said + (f" subject to {subject}" if subject else "")


def margin(problem: Problem, name: str, mean: float) -> float:
    """Distance to the nearest limit in the constraint's unit, positive inside."""
    function = problem.function(name)
    assert isinstance(function, Constraint), "an objective has no limit"
    sides = [function.at_most - mean] if function.at_most is not None else []
    sides += [mean - function.at_least] if function.at_least is not None else []
    return min(sides)


def price(row: RelevanceRow) -> str:
    """What relaxing the limit by one unit brings, with its interval; empty if it is not known."""
    if row.price is None or not math.isfinite(row.price[0]):
        return ""
    mean, low, high = row.price
    if high == 0.0:
        return "0"
    between = f"{number(low, 2)} to {number(high, 2)}" if math.isfinite(high) else f"at least {number(low, 2)}"
    return f"{number(mean, 3)} ({between})"


def count(n: int, what: str, plural: str | None = None) -> str:
    return f"{n:,} {what if n == 1 else plural or what + 's'}".replace(",", THIN)
