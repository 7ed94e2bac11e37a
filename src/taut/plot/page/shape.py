"""The shape of the functions: slices through the recommendation, and boundaries over two parameters."""

from collections.abc import Sequence

from taut.base.markup import Markup, joined, tag
from taut.plot.gather import Beliefs
from taut.plot.page import charts, maps, svg
from taut.plot.page.words import limit
from taut.plot.state import Facts
from taut.plot.surfaces import Slice, effects

PARAMETERS, FUNCTIONS = 6, 6
"""Slices shown: so many parameters and functions, those that matter most here."""
LEAD = (
    "One parameter varies, the others are as recommended. Band: two standard deviations; shaded: not allowed; grey "
    "dots: values measured close by."
)
ORDER = {"binding": 0, "excluding": 1, "undecided": 2, "irrelevant": 3}


def slices(facts: Facts, beliefs: Beliefs) -> Markup:
    """A row of panels for each function, a column for each parameter."""
    problem = facts.problem
    if not beliefs.slices:
        return tag("p", f"The method {facts.method} does not say what it believes elsewhere.")
    shown, functions = _parameters(facts, beliefs.slices), _functions(facts, beliefs)
    rows = []
    for k in functions:
        name = problem.functions[k]
        said = tag("span", limit(problem, name), class_="quiet")
        title = tag("h3", tag("i", class_=f"key line {svg.series(k)}"), f"{name} ", said)
        panels = [tag("figure", charts.slice_panel(problem, each, k)) for each in shown]
        rows.append(tag("div", title, tag("div", panels, class_="small-panels"), class_="row"))
    left = len(problem.functions) - len(functions), len(beliefs.slices) - len(shown)
    more = f"Shown is what matters most; {left[0]} functions and {left[1]} parameters are left out."
    return joined(tag("p", LEAD, class_="lead"), rows, tag("p", more, class_="note") if any(left) else None)


def boundaries(facts: Facts, beliefs: Beliefs) -> Markup:
    """A map for each pair of parameters."""
    problem = facts.problem
    if not beliefs.planes:
        return tag("p", "There are no two numeric parameters to show, or the method does not say what it believes.")
    signs = [("mark", "recommended"), ("dot held", "evaluated, measured constraints held")]
    signs += [
        ("ring soft", "evaluated, no constraint measured"),
        ("cross", "evaluated, a constraint was violated or failed"),
        ("line contour", f"equal {problem.objective.name}"),
    ]
    signs += [(f"line {svg.series(k)}", f"limit of {name}") for k, name in enumerate(problem.functions[1:], 1)][:12]
    lead = (
        "The other parameters are as recommended. The more it is shaded, the less probably all constraints hold there."
    )
    panels = [tag("figure", maps.plane_map(problem, each)) for each in beliefs.planes[:6]]
    return joined(tag("p", lead, class_="lead"), tag("div", panels, class_="maps"), svg.legend(signs))


def _parameters(facts: Facts, found: Sequence[Slice]) -> list[Slice]:
    """In declared order, those with the largest effects."""
    size = effects(facts.problem, found)
    kept = sorted(found, key=lambda each: -size[each.parameter])[:PARAMETERS]
    return [each for each in found if any(each is other for other in kept)]


def _functions(facts: Facts, beliefs: Beliefs) -> list[int]:
    """The objective and the constraints, those that matter first."""
    word = {row.constraint: ORDER.get(row.verdict, 2) for row in beliefs.relevance}
    constraints = sorted(
        range(1, len(facts.problem.functions)), key=lambda k: (word.get(facts.problem.functions[k], 2), k)
    )
    return [0, *sorted(constraints[: FUNCTIONS - 1])]
