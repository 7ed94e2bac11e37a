"""The words of all views: the state and the answer of a study as lines of text, and their parts."""

from collections.abc import Mapping, Sequence
from typing import Any

from taut.app.look.answer import COMPUTED, Answer
from taut.app.look.check import Check, Trial
from taut.app.look.status import Open, Status
from taut.base.numbers import probability
from taut.base.printable import printable
from taut.data.results import FunctionCheck, Incumbent, Prediction, Recommendation, Verdict
from taut.data.rows import Suggestion
from taut.plot.limits import folded, gain_line, limit_lines, outlook_line

LAST = 20
"""Open suggestions shown."""
NOTHING = 1e-3
"""Of a standard deviation: a mean below this is 0."""
NONE_WHOLE = "none yet at which every function was evaluated and every constraint held"
VERDICTS: dict[Verdict, str] = {
    "binding": "binds",
    "excluding": "keeps out",
    "irrelevant": "does not matter",
    "undecided": "not clear yet",
}


def status_lines(found: Status) -> list[str]:
    lines = [headline(found), f"method {found.method}, seed {found.seed}, stored in {found.storage}"]
    if found.computed:
        lines += [COMPUTED, ""]
        if found.best is None:
            return [*lines, "best  taut best computes it"]
        best = f"best  {found.objective} = {believed(*found.best.objective)}, {feasible(found.best)}"
        lines.append(f"{best}, at {point(found.best.point)}")
        return [*lines, *([""] if found.meaning else []), *found.meaning]
    if not found.started:
        return [*lines, "not started yet: taut run or taut ask begins it"]
    rows = [("function", "cost", "told", "failed", "pending", "added")] + [
        (row.function, price(row.cost), str(row.told), str(row.failed), str(row.pending), str(row.added))
        for row in found.counts
    ]
    lines += [
        f"{spent(found)}, {found.pending_cost:g} pending; initial design {found.initial_done} of {found.initial_size}",
        "",
        *columns(rows),
    ]
    if found.best is not None:
        lines += ["", f"recommended    {best_line(found.objective, found.best)}"]
        lines += [f"best measured  {incumbent_line(found.objective, found.incumbent)}"]
        lines += ["", *found.meaning] if found.meaning else []
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
    after = "" if found.computed else f" after spending {_with_initial(found)}"
    lines = [
        f"{found.study}: best point{after}",
        *(f"  {name:<{width}}  {value_of(value)}" for name, value in best.point.items()),
        ", ".join(filter(None, [f"{found.objective} = {believed(mean, sd)}", feasible(best)])),
        f"trust: {found.trust}",
    ]
    if found.incumbent is not None and not best.verified:
        lines.append(f"best measured design: {incumbent_line(found.objective, found.incumbent)}")
    elif found.incumbent is None and not found.computed and not best.verified:
        lines.append(f"best measured design: {NONE_WHOLE}")
    if found.outlook is not None:
        lines.append(outlook_line(found.outlook, found.objective, found.measured))
    if found.gain is not None:
        lines.append(gain_line(found.gain, found.objective, found.goal))
    if best.constraints:
        rows = _judged(found)
        lines += ["", *columns(rows)] if rows[1:] else []
        costs = limit_lines(found.relevance, found.objective, found.goal, found.two_sided)
        lines += ["", *costs] if costs else []
    return [*lines, *([f"note: {best.note}"] if best.note else [])]


def _judged(found: Answer) -> list[tuple[str, ...]]:
    """The constraints at the best point, below a head; of what is computed nothing is believed or paid for."""
    judged, many = {row.constraint: row for row in found.relevance}, folded(found.relevance)
    rows: list[tuple[str, ...]] = [("constraint", "value there", "holds with", "verdict", "evaluations", "cost")]
    for name, (value, spread, holds) in found.best.constraints.items():
        if name in many:  # limit_lines names them
            continue
        row = judged[name]
        sure = probability(holds) if spread else "known"
        verdict = (VERDICTS[row.verdict], str(row.evaluations), f"{row.cost:g}")
        rows.append((name, believed(value, spread), sure, *verdict))
    return [(*row[:2], row[3]) for row in rows] if found.computed else rows


def _with_initial(found: Answer) -> str:
    unit = " s" * found.measured
    return f"{found.spent:g}{unit} (initial design: {found.initial_cost:g}{unit})"


def prediction_lines(found: Prediction, objective: str) -> list[str]:
    rows = [("function", "value there", "holds with")]
    for name, (mean, sd, holds) in found.functions.items():
        sure = probability(holds) if sd else "known" if holds else "violated"
        rows.append((name, believed(mean, sd), "" if name == objective else sure))
    return [
        ": ".join(filter(None, [f"at {point(found.point)}", feasible(found)])),
        "",
        *columns(rows),
        *([f"note: {found.note}"] if found.note else []),
    ]


def check_lines(found: Check) -> list[str]:
    """The dry run, what to correct, and how the models have fared."""
    lines = []
    if found.point is not None:
        lines = [f"dry run at {point(found.point)} (nothing is recorded)", ""]
        rows = [("program", "exit", "seconds", "gave"), *map(_trial, found.programs)]
        lines += [*columns(rows), *(f"{name}: told by hand" for name in found.by_hand), ""]
        for trial in found.programs:
            if trial.note:
                lines += [f"{trial.program}: {trial.note}", *_what_to_do(trial), ""]
    if found.computed:
        return [f"{COMPUTED}; there is no program to try, and no model to judge"]
    if not found.functions:
        return [*lines, "no values yet: what the models are worth is seen when there are some"]
    head = ("function", "values", "failed", "predicted", "within 1, 2, 3 sd", "worst", "sd times", "noise floor")
    return [*lines, *columns([head, *map(_fared, found.functions)])]


def _what_to_do(trial: Trial) -> list[str]:
    """About a program without a value: one that ran may be right, and the point one that it cannot compute."""
    remedy = f"correct the program, or its command in {trial.table}"
    if not trial.started:
        return [f"  {remedy}"]
    return [
        "  if it cannot be computed at this point (no convergence, no mesh), all is well: a run records such failures",
        "  and avoids their neighbourhood; --at tries another point",
        f"  if there should have been a value, {remedy}",
    ]


def _trial(trial: Trial) -> tuple[str, str, str, str]:
    values = [f"{name} = {value:.6g}" for name, value in trial.values.items() if value is not None]
    failed = [name for name, value in trial.values.items() if value is None]
    gave = ", ".join(values + ([f"FAILED ({', '.join(failed)})"] if failed else []))
    return trial.program, str(trial.exit) if trial.started else "not started", f"{trial.seconds:.3g}", gave


def _fared(row: FunctionCheck) -> tuple[str, ...]:
    within = "" if row.within is None else ", ".join(f"{share:.0%}" for share in row.within)
    worst = "" if row.worst is None else f"{row.worst:.2g} sd (suggestion {row.worst_suggestion})"
    floor = row.reason if row.roughness is None else f"{row.roughness:.2g}: {row.reason}"
    counts = (str(row.values), str(row.failures), str(row.predictions))
    return row.function, *counts, within, worst, f"{row.calibration:.3g}", floor


def headline(found: Status) -> str:
    subject = f" subject to {', '.join(found.constraints)}" if found.constraints else ""
    return f"{found.name}: {found.goal} {found.objective}{subject}"


def spent(found: Status) -> str:
    """What is spent, of how much, and what the initial design took on top."""
    unit = " s" * found.measured
    of = "" if found.budget is None else f" of {found.budget:g}{unit}"
    return f"spent {found.spent:g}{unit if not of else ''}{of} (initial design: {found.initial_cost:g}{unit})"


def best_line(objective: str, best: Recommendation) -> str:
    """The objective, its uncertainty, the probability of feasibility and the point."""
    mean, sd = best.objective
    sure = "verified" if best.verified else f"P(feasible) {probability(best.feasibility)}, not verified"
    sure = sure if best.constraints or best.feasibility < 1.0 or best.verified else "not verified"
    return f"{objective} = {believed(mean, sd)}, {sure}, at {point(best.point)}"


def incumbent_line(objective: str, found: Incumbent | None) -> str:
    """The best design that was measured whole: its objective, the point, and what was evaluated there."""
    if found is None:
        return NONE_WHOLE
    numbers = ", ".join(map(str, found.suggestions))
    plural = "s" * (len(found.suggestions) > 1)
    where = f"suggestion{plural} {numbers}" if numbers else "measured elsewhere"
    return f"{objective} = {found.objective:.6g}, at {point(found.point)} ({where})"


def feasible(found: Recommendation | Prediction) -> str:
    """With what probability; where everything is known it is, or is not, and without constraints and failures it is."""
    if not found.objective[1] and not any(sd for _, sd, _ in found.constraints.values()):
        return "feasible" if found.feasibility else "not feasible"
    if not found.constraints:
        return f"can be computed with probability {probability(found.feasibility)}" if found.feasibility < 1.0 else ""
    return f"feasible with probability {probability(found.feasibility)}"


def believed(mean: float, sd: float) -> str:
    """A value and its uncertainty, that of a known function has none; rounding far below the uncertainty is 0."""
    mean = 0.0 if abs(mean) < NOTHING * sd else mean
    return f"{mean:.6g} +- {sd:.1g}" if sd else f"{mean:.6g}"


def price(cost: float) -> str:
    """What one evaluation costs; what is known costs nothing."""
    return f"{cost:g}" if cost else "known"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows below each other, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def point(values: Mapping[str, Any], digits: int = 6) -> str:
    return ", ".join(f"{name}={value_of(value, digits)}" for name, value in values.items())


def value_of(value: float | str, digits: int = 6) -> str:
    """Of a parameter: whole numbers and texts as they are, others with so many digits."""
    return f"{value:.{digits}g}" if isinstance(value, float) else printable(str(value))


def why(suggestion: Suggestion) -> str:
    """The note without the names of the functions, which stand beside it."""
    return suggestion.note.removeprefix("+".join(suggestion.functions) + ": ")


def duration(seconds: float) -> str:
    """In the unit that a person would use."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _waiting(row: Open) -> str:
    return ", ".join(f"{name} (running)" if name in row.running else name for name in row.functions)
