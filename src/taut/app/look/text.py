"""The words of all views: the state and the answer of a study as lines of text, and their parts."""

from collections.abc import Mapping, Sequence

from taut.app.look.answer import Answer
from taut.app.look.status import Open, Status
from taut.data.results import Prediction, Recommendation, Verdict
from taut.data.rows import Suggestion

LAST = 20
"""Open suggestions shown."""
VERDICTS: dict[Verdict, str] = {"binding": "binds", "irrelevant": "does not matter", "undecided": "not clear yet"}


def status_lines(found: Status) -> list[str]:
    lines = [headline(found), f"method {found.method}, seed {found.seed}, stored in {found.storage}"]
    if not found.started:
        return [*lines, "not started yet: taut run or taut ask begins it"]
    rows = [("function", "cost", "told", "failed", "pending", "added")] + [
        (row.function, f"{row.cost:g}", str(row.told), str(row.failed), str(row.pending), str(row.added))
        for row in found.counts
    ]
    lines += [
        f"{spent(found)}, {found.pending_cost:g} pending; initial design {found.initial_done} of {found.initial_size}",
        "",
        *columns(rows),
    ]
    if found.open:
        lines += ["", "waiting for values:"]
        lines += [f"  {row.suggestion}  {_waiting(row)}  at {point(row.point)}" for row in found.open[:LAST]]
        if len(found.open) > LAST:
            lines.append(f"  and {len(found.open) - LAST} more")
    return lines


def answer_lines(found: Answer) -> list[str]:
    best = found.best
    mean, sd = best.objective
    width = max(map(len, best.point))
    lines = [
        f"{found.study}: best point after spending {found.spent:g}",
        *(f"  {name:<{width}}  {value:.6g}" for name, value in best.point.items()),
        f"{found.objective} = {mean:.6g} +- {sd:.1g}, feasible with probability {probability(best.feasibility)}",
    ]
    judged = {row.constraint: row for row in found.relevance}
    if best.constraints:
        rows = [("constraint", "value there", "holds with", "verdict", "evaluations", "cost")]
        for name, (value, spread, holds) in best.constraints.items():
            row = judged[name]
            there = f"{value:.6g} +- {spread:.1g}"
            rows.append((name, there, probability(holds), VERDICTS[row.verdict], str(row.evaluations), f"{row.cost:g}"))
        lines += ["", *columns(rows)]
    return [*lines, *([f"note: {best.note}"] if best.note else [])]


def prediction_lines(found: Prediction, objective: str) -> list[str]:
    rows = [("function", "value there", "holds with")]
    for name, (mean, sd, holds) in found.functions.items():
        rows.append((name, f"{mean:.6g} +- {sd:.1g}", "" if name == objective else probability(holds)))
    feasible = f"feasible with probability {probability(found.feasibility)}"
    return [
        f"at {point(found.point)}: {feasible}",
        "",
        *columns(rows),
        *([f"note: {found.note}"] if found.note else []),
    ]


def headline(found: Status) -> str:
    subject = f" subject to {', '.join(found.constraints)}" if found.constraints else ""
    return f"{found.name}: {found.goal} {found.objective}{subject}"


def spent(found: Status) -> str:
    """What is spent, of how much."""
    return f"spent {found.spent:g}" + ("" if found.budget is None else f" of {found.budget:g}")


def best_line(objective: str, best: Recommendation) -> str:
    """The objective, its uncertainty, the probability of feasibility and the point."""
    mean, sd = best.objective
    return f"{objective} = {mean:.6g} +- {sd:.1g}, P(feasible) {probability(best.feasibility)}, at {point(best.point)}"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows below each other, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def point(values: Mapping[str, float], digits: int = 6) -> str:
    return ", ".join(f"{name}={value:.{digits}g}" for name, value in values.items())


def why(suggestion: Suggestion) -> str:
    """The note without the names of the functions, which stand beside it."""
    return suggestion.note.removeprefix("+".join(suggestion.functions) + ": ")


def probability(p: float) -> str:
    """Two digits, and never a certainty that was not computed."""
    return "< 0.01" if p < 0.01 else "> 0.99" if p > 0.99 else f"{p:.2f}"


def duration(seconds: float) -> str:
    """In the unit that a person would use."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _waiting(row: Open) -> str:
    return ", ".join(f"{name} (running)" if name in row.running else name for name in row.functions)
