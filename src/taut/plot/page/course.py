"""The course of a study: progress, money, why the last decisions, what runs, and what failed."""

from taut.base.markup import Markup, joined, table, tag
from taut.data.considered import Considered
from taut.plot.choices import Decision
from taut.plot.page import charts, svg
from taut.plot.page.words import DASH, count, number, paid, point, readable, share
from taut.plot.progress import Convergence
from taut.plot.state import Facts, Running

KNOWN = "Every function is known by a formula: nothing has to be evaluated."
RUNNING = 20
"""Open evaluations shown."""


def progress(facts: Facts, found: Convergence) -> Markup:
    """Two panels: the objective of what was recommended, and how sure it was feasible."""
    problem = facts.problem
    if not problem.simulated:
        return tag("p", KNOWN)
    if not len(found.cost) and not len(found.measured.cost):
        return tag("p", "Nothing was recommended yet.")
    name = f"{problem.objective.name} ({'less' if problem.objective.goal == 'minimize' else 'more'} is better)"
    signs = [("dot s1", "recommended, feasible with 95 % or more"), ("ring s1", "recommended, not sure")]
    signs.append(("line s0", "best measured design"))
    panels = [_figure(name, charts.objective_course(problem, found))]
    if problem.constraints and len(found.cost):
        panels.append(_figure("Probability that it is feasible", charts.feasibility_course(problem, found)))
    lead = "What had been recommended at each cost, judged by what is known now; the band is two standard deviations."
    return joined(tag("p", lead, class_="lead"), tag("div", panels, class_="panels"), svg.legend(signs))


def _figure(title: str, *drawn: Markup) -> Markup:
    return tag("figure", tag("figcaption", title), drawn)


def money(facts: Facts) -> Markup:
    """What each function cost, and what evaluating all of them everywhere would have cost."""
    found = facts.spending
    if not facts.problem.simulated:
        return tag("p", KNOWN)
    if not facts.suggestions:
        return tag("p", "Nothing was evaluated yet.")
    signs = [("bar s0", "paid"), ("bar ghost", "if evaluated everywhere")]
    named = [(k, name) for k, name in enumerate(facts.problem.functions) if name in facts.problem.simulated]
    functions = [(f"line {svg.series(k)}", name) for k, name in named][:12]
    what = "Seconds" if facts.problem.measured else "Cost"
    bars = _figure(f"{what} of each function after the initial design", charts.spending_bars(found), svg.legend(signs))
    course = charts.evaluations_course(facts.problem, found)
    panels = bars, _figure("Evaluations of each function", course, svg.legend(functions))
    return joined(tag("p", _saved(facts)), tag("div", panels, class_="panels"), _accounts(facts))


def _saved(facts: Facts) -> str:
    found, problem = facts.spending, facts.problem
    if not found.coupled > 0.0:
        return "Nothing was evaluated after the initial design yet."
    places, saved = count(found.locations, "place"), found.coupled - found.spent
    said = f"{paid(problem, found.spent)} was paid at {places} after the initial design. "
    said += f"Evaluating every function there would have cost {paid(problem, found.coupled)}"
    return said + (f": {share(saved, found.coupled)} was saved." if saved > 1e-9 * found.coupled else ".")


def _accounts(facts: Facts) -> Markup:
    rows = []
    for row in facts.spending.rows:
        if row.function not in facts.problem.simulated:
            continue
        counts = [str(row.initial), str(row.chosen), str(row.failed), str(row.added)]
        rows.append([row.function, number(row.cost, 4), *counts, number(row.spent, 5), number(row.coupled, 5)])
    head = ["function", "cost of one", "initial", "chosen", "failed", "added", "paid", "everywhere"]
    body = tag("div", table(head, rows), class_="scroll")
    return tag("details", tag("summary", "In numbers"), body, id="accounts")


def decisions(facts: Facts) -> Markup:
    """The latest decisions; each opens to what it was compared with."""
    if not facts.decisions:
        return tag("p", "Nothing was decided yet.")
    lead = "Newest first. Open one to see what it was compared with: each set of functions at its best place."
    return joined(tag("p", lead, class_="lead"), [_decision(each, i == 0) for i, each in enumerate(facts.decisions)])


def _decision(found: Decision, newest: bool) -> Markup:
    names = " + ".join(found.functions)
    best = found.chosen
    worth = "" if best is None or best.value_per_cost is None else f"value per cost {number(best.value_per_cost, 3)}"
    head = [
        tag("span", f"#{found.number}", class_="no"),
        tag("b", names),
        tag("span", f"cost {number(found.cost, 4)}", class_="quiet"),
        tag("span", found.purpose or worth, class_="quiet"),
        tag("span", _outcome(found), class_="came"),
    ]
    body = [
        tag("p", f"At {point(found.point)}."),
        tag("p", readable(found.note), class_="quiet") if found.note else None,
        _compared(found),
    ]
    return tag("details", tag("summary", head), body, id=f"decision-{found.number}", class_="decision", open=newest)


def _outcome(found: Decision) -> str:
    if not found.outcome:
        return "under way"
    space = "\N{NO-BREAK SPACE}"
    came = ((name, "failed" if value is None else f"={space}{number(value)}") for name, value in found.outcome.items())
    said = [f"{name}{space}{value}" for name, value in came]
    missing = len(found.functions) - len(found.outcome)
    return ", ".join(said) + (f", {missing} open" if missing else "")


def _compared(found: Decision) -> Markup | None:
    if not found.candidates:
        return None if found.initial else tag("p", "What else was considered was not stored.", class_="note")
    rows = [_candidate(found, each) for each in found.candidates]
    head = ["", "functions", "value", "cost", "value per cost", "at"]
    return tag("div", table(head, rows, class_="words long candidates"), class_="scroll")


def _candidate(found: Decision, each: Considered) -> list[object]:
    rate = number(each.value_per_cost, 3) if each.value_per_cost is not None else DASH
    mark = "chosen" if each.chosen else "runner-up" if each == found.runner_up else ""
    value = DASH if each.value is None else number(each.value, 3)
    functions = " + ".join(each.functions)
    where = point(each.point, 4)
    shown = tag("b", functions) if each.chosen else functions
    rough = "" if each.precise else " (at first sight)"
    return [mark, shown, value + rough, number(each.cost, 4), rate, where]


def running(facts: Facts) -> Markup:
    """What waits for values, and who works on it."""
    if not facts.running:
        return tag("p", "Nothing is under way.")
    rows = []
    for each in facts.running[:RUNNING]:
        rows.append([f"#{each.suggestion}", each.function, _state(each), point(each.point)])
    more = len(facts.running) - RUNNING
    return joined(
        tag("div", table(["suggestion", "function", "state", "at"], rows, class_="words long"), class_="scroll"),
        tag("p", f"and {more} more", class_="note") if more > 0 else None,
    )


def _state(each: Running) -> str:
    """Who works on it, and for how long that is counted on without another sign of life."""
    if each.living:
        lease = "" if each.left is None or each.left <= 0.0 else f", lease for {each.left:.0f} s more unless renewed"
        return f"running, {each.who}{lease}"
    return f"abandoned by {each.who}" if each.who else "waits for its value"


def failures(facts: Facts) -> Markup:
    """What failed, newest first."""
    if not facts.failed:
        return tag("p", "Nothing has failed.")
    shares = [(row.function, row.failed, row.initial + row.chosen) for row in facts.spending.rows if row.failed]
    said = "; ".join(f"{name} failed {failed} of {of} times" for name, failed, of in shares)
    rows = [
        [
            "elsewhere" if row.suggestion is None else f"#{row.suggestion}",
            row.function,
            row.note or DASH,
            point(row.point),
        ]
        for row in facts.failed
    ]
    made = tag("div", table(["suggestion", "function", "why", "at"], rows, class_="words long"), class_="scroll")
    newest = (
        tag("p", f"The latest {len(rows)} of {facts.failures}.", class_="note") if facts.failures > len(rows) else None
    )
    return joined(tag("p", f"{said}." if said else ""), made, newest)
