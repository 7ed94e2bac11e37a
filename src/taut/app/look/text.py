"""The state and the answer of a study as lines of text."""

from collections.abc import Sequence

from taut.app.look.answer import Best
from taut.app.look.status import Open, Overview
from taut.data.rows import Verdict

LAST = 20
"""Open suggestions shown."""
VERDICTS: dict[Verdict, str] = {"binding": "binds", "irrelevant": "does not matter", "undecided": "not clear yet"}


def status_lines(found: Overview) -> list[str]:
    """Where a study stands."""
    subject = f" subject to {', '.join(found.constraints)}" if found.constraints else ""
    of = "" if found.budget is None else f" of {found.budget:g}"
    lines = [
        f"{found.name}: {found.goal} {found.objective}{subject}",
        f"method {found.method}, seed {found.seed}, stored in {found.storage}",
    ]
    if not found.started:
        return [*lines, "not started yet: taut run or taut ask begins it"]
    lines += [
        f"spent {found.spent:g}{of}, {found.pending_cost:g} pending; initial design {found.initial_done} of "
        f"{found.initial_size}",
        "",
        *columns(
            [("function", "cost", "told", "failed", "pending", "added")]
            + [
                (row.function, f"{row.cost:g}", str(row.told), str(row.failed), str(row.pending), str(row.added))
                for row in found.counts
            ]
        ),
    ]
    if found.open:
        lines += ["", "waiting for values:"]
        lines += [f"  {row.suggestion}  {_waiting(row)}  at {_point(row.point)}" for row in found.open[:LAST]]
        if len(found.open) > LAST:
            lines.append(f"  and {len(found.open) - LAST} more")
    return lines


def best_lines(found: Best) -> list[str]:
    """The answer of a study."""
    answer = found.answer
    mean, sd = answer.objective
    width = max(map(len, answer.point))
    lines = [
        f"{found.study}: best point after spending {found.spent:g}",
        *(f"  {name:<{width}}  {value:.6g}" for name, value in answer.point.items()),
        f"{found.objective} = {mean:.6g} +- {sd:.1g}, feasible with probability {probability(answer.feasibility)}",
    ]
    judged = {row.constraint: row for row in found.relevance}
    if answer.constraints:
        rows = [("constraint", "value there", "holds with", "verdict", "evaluations", "cost")]
        for name, (value, spread, holds) in answer.constraints.items():
            row = judged[name]
            there = f"{value:.6g} +- {spread:.1g}"
            rows.append((name, there, probability(holds), VERDICTS[row.verdict], str(row.evaluations), f"{row.cost:g}"))
        lines += ["", *columns(rows)]
    return [*lines, *([f"note: {answer.note}"] if answer.note else [])]


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows below each other, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _waiting(row: Open) -> str:
    return ", ".join(f"{name} (running)" if name in row.running else name for name in row.functions)


def _point(point: dict[str, float]) -> str:
    return ", ".join(f"{name}={value:.6g}" for name, value in point.items())


def probability(p: float) -> str:
    """Two digits, and never a certainty that was not computed."""
    return "< 0.01" if p < 0.01 else "> 0.99" if p > 0.99 else f"{p:.2f}"
