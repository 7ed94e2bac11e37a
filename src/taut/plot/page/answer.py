"""The answer: the best design and its margins, how sure it is, and which constraints matter there."""

import math

from taut.base.markup import Markup, joined, table, tag
from taut.data.results import Recommendation, RelevanceRow
from taut.plot.gather import Beliefs
from taut.plot.limits import limit_lines, two_sided
from taut.plot.page import charts, svg
from taut.plot.page.words import (
    VERDICTS,
    count,
    limit,
    margin,
    number,
    paid,
    percent,
    point,
    price,
    readable,
    uncertain,
)
from taut.plot.state import Facts
from taut.problem.functions import Constraint
from taut.problem.problem import Problem

VERIFIED = "every function was evaluated at this very point and every constraint held"
LEGEND = (
    "✓ measured at this very point. Dot and whisker: mean and two standard deviations, on the scale of what was "
    "measured so far; line: limit; shaded: not allowed."
)
COMPUTED = "every function has a formula"
NOT_YET = "none yet with every function evaluated and every constraint held"
DASHED = "–"
SIGNS = {"binding": "●", "excluding": "◐", "irrelevant": "○", "undecided": "?"}


def now(facts: Facts) -> Markup:
    """What stands at the top: numbers that need no model."""
    problem = facts.problem
    if not problem.simulated:
        return tag("div", _card("To be evaluated", "nothing", COMPUTED), class_="cards")
    best = facts.incumbent
    value = DASHED if best is None else f"{problem.objective.name} = {number(best.objective)}"
    where = NOT_YET if best is None else _where(best.suggestions)
    cards = [
        _card("Best measured design", value, where),
        _card("Spent after the initial design", _spent(facts), _pending(facts), _bar(facts)),
        _card("Evaluations", count(facts.values, "value"), _evaluations(facts)),
    ]
    if facts.latest:
        last = facts.latest[0]
        said = "failed" if last.value is None else number(last.value)
        where = "measured elsewhere" if last.suggestion is None else f"suggestion {last.suggestion}"
        cards.append(_card("Latest value", f"{last.function} {'' if last.value is None else '= '}{said}", where))
    return tag("div", cards, class_="cards")


def _card(label: str, value: str, more: str, extra: Markup | None = None) -> Markup:
    return tag("div", tag("span", label), tag("b", value), extra, tag("small", more), class_="card")


def _where(suggestions: tuple[int, ...]) -> str:
    if not suggestions:
        return "measured elsewhere; every constraint held"
    return f"suggestion{'s' * (len(suggestions) > 1)} {', '.join(map(str, suggestions[-6:]))}; every constraint held"


def _spent(facts: Facts) -> str:
    of = "" if facts.budget is None else f" of {paid(facts.problem, facts.budget)}"
    return (number(facts.spent) if of else paid(facts.problem, facts.spent)) + of


def _pending(facts: Facts) -> str:
    return f"{paid(facts.problem, facts.pending_cost)} under way" if facts.pending_cost else "nothing under way"


def _bar(facts: Facts) -> Markup | None:
    if not facts.budget:
        return None
    done = min(facts.spent / facts.budget, 1.0) * 200.0
    parts = svg.rect(0, 0, 200, 5, class_="track"), svg.rect(0, 0, done, 5, class_="bar s1")
    return tag("svg", parts, viewBox="0 0 200 5", class_="progress", preserveAspectRatio="none", aria_hidden="true")


def _evaluations(facts: Facts) -> str:
    failures = f", {count(facts.failures, 'failure')}" if facts.failures else ""
    return f"{count(facts.suggestions, 'suggestion')}, {facts.chosen} of them by {facts.method}{failures}"


def answer(facts: Facts, beliefs: Beliefs) -> Markup:
    """The recommendation: its objective, how sure it is, the point, and every constraint there."""
    problem, best = facts.problem, beliefs.best
    return joined(
        _headline(problem, best),
        tag("div", _point_table(problem, best), _constraints(facts, best), class_="sides"),
        tag("p", LEGEND, class_="note") if problem.constraints and problem.simulated else None,
        tag("p", f"{beliefs.unverified[:1].upper()}{beliefs.unverified[1:]}.") if beliefs.unverified else None,
        _other(facts, best),
        tag("p", readable(f"Note: {best.note}."), class_="note") if best.note else None,
    )


def _headline(problem: Problem, best: Recommendation) -> Markup:
    mean, sd = best.objective
    sure: Markup | None
    if not problem.simulated:
        sure = tag("span", "✓ computed", class_="badge good", data_tip=COMPUTED)
    elif not problem.constraints and best.feasibility == 1.0 and not best.verified:
        sure = None  # nothing could be violated
    elif best.verified:
        sure = tag("span", "✓ verified", class_="badge good", data_tip=VERIFIED)
    else:
        kind = "good" if best.feasibility >= charts.SURE else "fair" if best.feasibility >= 0.5 else "poor"
        sure = tag("span", f"feasible with {percent(best.feasibility)}", class_=f"badge {kind}")
    known = "as measured" if problem.objective.name in best.measured else "as predicted"
    known = known if problem.objective.name in problem.simulated else "by its formula"
    value = best.measured.get(problem.objective.name)
    said = number(value) if value is not None else uncertain(mean, sd)
    name = tag("span", f"{problem.objective.name} = ", class_="quiet")
    return tag("p", name, tag("b", said), tag("span", f" {known} ", class_="quiet"), sure, class_="headline")


def _point_table(problem: Problem, best: Recommendation) -> Markup:
    rows = []
    for parameter in problem.parameters:
        value = best.point[parameter.name]
        edge = value in (getattr(parameter, "low", None), getattr(parameter, "high", None))
        shown = tag("b", number(value, _digits(parameter)))
        rows.append([parameter.name, shown, _span(parameter) + (" (at its end)" if edge else "")])
    made = table(["parameter", "recommended", "range"], rows)
    return tag("div", made, class_="scroll")


def _digits(parameter: object) -> int:
    """Significant digits of a value: four of the range, also where that is narrow and far from 0."""
    low, high = getattr(parameter, "low", 0.0), getattr(parameter, "high", 0.0)
    if not low < high:  # a list of values
        return 12
    lost = math.log10(max(abs(low), abs(high))) - math.log10(high - low)  # their quotient may not fit a float
    return min(15, max(6, 5 + math.ceil(lost)))


def _span(parameter: object) -> str:
    options = getattr(parameter, "options", None) or getattr(parameter, "values", None)
    if options is not None:
        shown = ", ".join(number(each) for each in options[:6])
        return shown + (f", … ({len(options)})" if len(options) > 6 else "")
    digits = _digits(parameter)
    low, high = number(parameter.low, digits), number(parameter.high, digits)  # type: ignore[attr-defined]
    return f"{low} … {high}" + (", logarithmic" if getattr(parameter, "log", False) else "")


def _constraints(facts: Facts, best: Recommendation) -> Markup | None:
    problem = facts.problem
    if not problem.constraints:
        return None
    rows = []
    for name, (mean, sd, p) in best.constraints.items():
        value = best.measured.get(name)
        known = name not in problem.simulated
        said = uncertain(mean, sd) if value is None else f"{number(value)}{'' if known else ' ✓'}"
        at, spread = (mean, sd) if value is None else (value, 0.0)
        gap = margin(problem, name, at)
        bar = charts.margin_bar(problem, name, at, spread, facts.typical.get(name, 0.0))
        shown = tag("span", number(gap, 4), class_=None if gap >= 0.0 else "bad")
        rows.append([name, limit(problem, name), said, shown, "known" if known and p else percent(p), bar])
    # The bar comes last: it may be off a telephone.
    head = ["constraint", "limit", "value there", "margin", "holds with", "against the limit"]
    return tag("div", table(head, rows), class_="scroll")


def _other(facts: Facts, best: Recommendation) -> Markup | None:
    """The best measured design, where the recommendation is another."""
    found = facts.incumbent
    if best.verified:
        return None
    if found is None:
        return tag("p", f"Best measured design: {NOT_YET}.")
    said = tag("b", f"{facts.problem.objective.name} = {number(found.objective)}")
    return tag("p", "The best design that was measured whole has ", said, f" at {point(found.point)}.")


def constraints_that_matter(facts: Facts, beliefs: Beliefs) -> Markup:
    """One row per constraint: does it matter, what its limit costs, and what was paid for it."""
    problem = facts.problem
    if not problem.constraints:
        return tag("p", "This problem has no constraints.")
    priced = any(price(row) for row in beliefs.relevance)
    rows = [_matters(problem, row, priced) for row in beliefs.relevance]
    head = [
        "constraint",
        "verdict",
        "changes the answer",
        "active",
        *PRICED * priced,
        *(PAID if problem.simulated else []),
    ]
    rows = [row[: len(head)] for row in rows]
    said = limit_lines(beliefs.relevance, problem.objective.name, problem.objective.goal, two_sided(problem))
    lines = [tag("li", readable(f"{each[:1].upper()}{each[1:]}.")) for each in said]
    return joined(
        tag("ul", lines, class_="plain") if lines else None,
        tag("div", table(head, rows, class_="second"), class_="scroll"),
        tag("p", NOTE, class_="note") if problem.simulated else None,
    )


PAID = ["evaluations", "paid", "everywhere"]
PRICED = ["gain per unit of the limit"]
NOTE = (
    "Changes the answer: probability that the best design would be another without this constraint. Active: that the "
    "best design lies at its limit. Everywhere: what it would have cost to evaluate it wherever anything was."
)


def _matters(problem: Problem, row: RelevanceRow, priced: bool) -> list[object]:
    said = f"{SIGNS.get(row.verdict, '?')} {VERDICTS.get(row.verdict, row.verdict)}"
    word = tag("span", said, class_=f"verdict {row.verdict}")
    found: list[object] = [row.constraint, word, percent(row.matters), percent(row.binds)]
    if priced:
        found.append(price(row) or DASHED)
    return [*found, str(row.evaluations), number(row.cost, 4), number(row.coupled_cost, 4)]


def what_if(facts: Facts) -> Markup | None:
    """A slider for every limit, for the live page: its script asks the server what would be best then."""
    sides = [(each, side) for each in facts.problem.constraints for side in ("at_most", "at_least")]
    rows = [_slider(facts, each, side) for each, side in sides if getattr(each, side) is not None]
    if not rows or (facts.problem.simulated and not facts.values):
        return None
    lead = "Move a limit to see what would be best then, from what is known now; nothing is stored."
    place = tag("div", id="what-if-answer", aria_live="polite")
    return joined(tag("p", lead, class_="lead"), tag("div", rows, class_="sliders"), place)


def _slider(facts: Facts, constraint: Constraint, side: str) -> Markup:
    at = getattr(constraint, side)
    room = max(facts.typical.get(constraint.name, 0.0), 0.1 * abs(at)) or 1.0
    sign = "≤" if side == "at_most" else "≥"
    key = f"{constraint.name}-{side}"
    span = {"min": repr(at - room), "max": repr(at + room), "step": repr(room / 100.0), "value": repr(at)}
    about = {"data_name": constraint.name, "data_side": side, "data_limit": repr(at)}
    slider = tag("input", type="range", id=f"limit-{key}", autocomplete="off", **span, **about)
    shown = tag("output", number(at), for_=f"limit-{key}")
    return tag("div", tag("label", f"{constraint.name} {sign} ", shown, for_=f"limit-{key}"), slider, class_="slider")


def what_if_answer(problem: Problem, best: Recommendation, before: Recommendation | None) -> Markup:
    """What would be recommended with other limits, against what is recommended now. problem: with those limits."""
    name, (mean, sd) = problem.objective.name, best.objective
    lines = [tag("b", f"{name} = {uncertain(mean, sd)}"), f", feasible with {percent(best.feasibility)}"]
    if before is not None:
        change = mean - before.objective[0]
        better = change < 0.0 if problem.objective.goal == "minimize" else change > 0.0
        word = "no change" if change == 0.0 else f"{number(abs(change), 3)} {'better' if better else 'worse'} than now"
        lines.append(f" ({word})")
    return tag("p", lines, tag("br"), tag("span", f"at {point(best.point)}", class_="quiet"))
