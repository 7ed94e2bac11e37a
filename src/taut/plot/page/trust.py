"""Can the models be trusted, and is more money worth it?"""

import math

from taut.base.markup import Markup, joined, table, tag
from taut.data.results import FunctionCheck, Outlook
from taut.plot.gather import Beliefs
from taut.plot.limits import outlook_line
from taut.plot.page import charts
from taut.plot.page.words import DASH, number, paid, readable
from taut.plot.state import Facts

NOTE = (
    "Each dot is one prediction, made before its value came: by how many standard deviations the value was off, oldest "
    "first. Shaded: within 1 and 2. Of right predictions 68, 95 and 99.7 % are within 1, 2 and 3."
)


def honesty(facts: Facts, beliefs: Beliefs) -> Markup:
    """How the predictions of each function have fared."""
    tested = facts.problem.simulated
    if not tested:
        return tag("p", "There are none: every function is known by a formula.")
    rows = [_row(each, beliefs, k) for k, each in enumerate(beliefs.checks) if each.function in tested]
    head = [
        "function",
        "errors in standard deviations",
        "predicted",
        "within 1, 2, 3",
        "worst",
        "error bars",
        "noise floor",
    ]
    verdict = _verdict(beliefs.checks)
    return joined(
        tag("p", verdict),
        tag("div", table(head, rows, class_="words long"), class_="scroll"),
        tag("p", NOTE, class_="note"),
    )


def _row(found: FunctionCheck, beliefs: Beliefs, k: int) -> list[object]:
    errors = beliefs.errors.get(found.function, ())
    strip = charts.error_strip(found.function, errors, k) if errors else tag("span", "none tested yet", class_="quiet")
    within = DASH if found.within is None else ", ".join(f"{100.0 * each:.0f} %" for each in found.within)
    worst = DASH if found.worst is None else f"{number(found.worst, 2)} (#{found.worst_suggestion})"
    widened = "as fitted" if found.calibration == 1.0 else f"widened {number(found.calibration, 3)}×"
    floor = found.reason if found.roughness is None else f"{number(found.roughness, 2)}: {found.reason}"
    return [found.function, strip, str(found.predictions), within, worst, widened, floor]


def _verdict(checks: tuple[FunctionCheck, ...]) -> str:
    tested = [each for each in checks if each.within is not None and each.predictions >= 5]
    if not tested:
        return "Too few predictions have been put to the test to say."
    poor = [each.function for each in tested if each.within is not None and each.within[1] < 0.8]
    if poor:
        return f"With care: fewer than 80 % of the values of {', '.join(poor)} were within two standard deviations."
    return "So far yes: at least 80 % of the values of every function were within two standard deviations."


def outlook(facts: Facts, found: Outlook | None) -> Markup:
    """What the next evaluation, the next tenth and all that is left of the budget may bring."""
    if not facts.problem.simulated:
        return tag("p", "Every function is known by a formula: there is nothing to buy.")
    if found is None:
        return _by_decision(facts)
    name = facts.problem.objective.name
    said = outlook_line(found, name, facts.problem.measured).removeprefix("outlook: ")
    made, panel = _gains(facts, found), None
    if any(0.0 < gap < math.inf for gap in found.gaps):
        title = tag("figcaption", "Probability that the recommendation is that close to the best possible")
        panel = tag("figure", title, charts.gap_course(name, found))
    return joined(tag("p", readable(f"{said[:1].upper()}{said[1:]}.")), tag("div", made, panel, class_="panels"))


def _gains(facts: Facts, found: Outlook) -> Markup:
    """A table of what money still buys."""
    if not found.left > 0.0:
        return tag("p", "The budget is spent.")
    unit = "second" if facts.problem.measured else "unit of its cost"
    rows = [[f"next evaluation, for each {unit}", number(found.next, 2)]]
    if found.left < math.inf:
        rows.append(["next tenth of the budget", number(found.tenth, 2)])
        rows.append([f"all that is left ({paid(facts.problem, found.left, 4)}), at most", number(found.rest, 2)])
    else:
        rows.append(["perfect knowledge", number(found.rest, 2)])
    head = ["what is bought", f"expected gain in {facts.problem.objective.name}"]
    return tag("div", table(head, rows), class_="scroll")


def _by_decision(facts: Facts) -> Markup:
    """Without an outlook: what the last decision was expected to bring."""
    last = next((each.chosen for each in facts.decisions if each.chosen is not None and each.chosen.value), None)
    if last is None or last.value is None:
        return tag("p", "Nothing can be said yet.")
    name = facts.problem.objective.name
    gain, cost = number(last.value, 2), paid(facts.problem, last.cost, 4)
    return tag("p", f"The last decision was expected to bring {gain} in {name} for a cost of {cost}.")
