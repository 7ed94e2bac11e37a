"""What a study has spent and counted, computed from its rows and never stored.

What each suggestion is charged with: charges.py. Those of the initial design are no part of what is spent, and values
measured elsewhere cost nothing.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from taut.data.charges import Part, charge, parts_of
from taut.data.results import Judgement, RelevanceRow
from taut.data.rows import Observation, Suggestion
from taut.problem.bundles import nominal
from taut.problem.problem import Problem

Answers = dict[tuple[int, str], Observation]
Seconds = Mapping[str, tuple[float | None, float | None]]
"""By function: the seconds that it took, and how many of them went into its setup; None if not known."""


def counting(observations: Iterable[Observation]) -> list[Observation]:
    """The rows that count: those that no later one replaced or withdrew."""
    rows = list(observations)
    gone = {row.replaces for row in rows}
    return [row for place, row in enumerate(rows, 1) if place not in gone and not row.withdrawn]


def answers(observations: Iterable[Observation]) -> Answers:
    """The rows that answer a suggestion, by (suggestion number, function)."""
    return {(row.suggestion, row.function): row for row in counting(observations) if row.suggestion is not None}


def missing(suggestion: Suggestion, known: Answers) -> tuple[str, ...]:
    """The functions of a suggestion that were neither told nor failed."""
    return tuple(name for name in suggestion.functions if (suggestion.number, name) not in known)


def told(
    suggestion: Suggestion,
    values: Mapping[str, float | None],
    known: Answers,
    note: str,
    reopened: Mapping[tuple[int, str], int],
    times: Seconds | None = None,
) -> list[Observation]:
    """The rows of those values of a suggestion that are not known yet; the note is why some of them failed.

    reopened: of evaluations whose earlier answer was withdrawn, the place of the row that did so.
    """
    number, taken = suggestion.number, times or {}
    rows = []
    for name, value in values.items():
        if (number, name) not in known:
            why, place = "" if value is not None else note, reopened.get((number, name), 0)
            seconds, setup = taken.get(name, (None, None))
            point = dict(suggestion.point)
            rows.append(Observation(name, point, value, number, why, place, seconds=seconds, setup=setup))
    return rows


def spent(problem: Problem, suggestions: Sequence[Suggestion], observations: Sequence[Observation]) -> float:
    """Cost after the initial design of everything told or failed."""
    known = answers(observations)
    charged = [charge(problem, suggestion, known) for suggestion in suggestions if not suggestion.initial]
    return math.fsum(math.fsum(each.spent.values()) for each in charged)


def committed(suggestions: Sequence[Suggestion]) -> float:
    """What everything asked for after the initial design costs, pending suggestions included."""
    return math.fsum(suggestion.cost for suggestion in suggestions if not suggestion.initial)


def remaining(committed: float, budget: float) -> float:
    """What is left of a budget when everything asked for is paid.

    Rounded to 12 digits of the budget, so that 0.3 - 0.1 - 0.1 still pays for 0.1.
    """
    if math.isinf(budget) or budget == 0.0:
        return budget - committed
    return round(budget - committed, 12 - math.floor(math.log10(budget)))


def counts(problem: Problem, observations: Iterable[Observation]) -> dict[str, int]:
    """Evaluations per function, told or failed, initial design included, values measured elsewhere not."""
    found = dict.fromkeys(problem.functions, 0)
    for _, name in answers(observations):
        found[name] += 1
    return found


def relevance_rows(
    problem: Problem,
    suggestions: Sequence[Suggestion],
    observations: Sequence[Observation],
    judged: Iterable[Judgement],
) -> list[RelevanceRow]:
    """Each judgement with what its constraint cost, and would have cost if evaluated everywhere."""
    known = answers(observations)
    later = [suggestion for suggestion in suggestions if not suggestion.initial]
    evaluated = [suggestion for suggestion in later if len(missing(suggestion, known)) < len(suggestion.functions)]
    charges = [charge(problem, suggestion, known).spent for suggestion in later]
    locations = len({tuple(suggestion.point.values()) for suggestion in evaluated})
    rows = []
    for entry in judged:
        parts = [part for part in parts_of(problem) if entry.constraint in part.functions]
        shares = {
            part: [paid[part.name] / len(part.functions) for paid in charges if part.name in paid] for part in parts
        }
        rows.append(
            RelevanceRow(
                constraint=entry.constraint,
                matters=float(entry.matters),
                binds=float(entry.binds),
                verdict=entry.verdict,
                evaluations=sum((each.number, entry.constraint) in known for each in later),
                cost=math.fsum(amount for paid in shares.values() for amount in paid),
                coupled_cost=math.fsum(_share(part, paid, problem) * locations for part, paid in shares.items()),
                margin=entry.margin,
                price=entry.price,
                valid=entry.valid,
                limit=entry.limit,
            )
        )
    return rows


def _share(part: Part, charged: Sequence[float], problem: Problem) -> float:
    """What one evaluation of a part costs, for each of its functions; where it is measured, on average so far."""
    if problem.measured:
        return math.fsum(charged) / len(charged) if charged else 0.0
    return nominal(part.cost) / len(part.functions)
