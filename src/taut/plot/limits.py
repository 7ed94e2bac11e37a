"""What the limits of a study cost, and what there is left to gain, in sentences."""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from taut.data.results import Outlook, RelevanceRow
from taut.problem.problem import Problem

RELAX = {"at_most": "raising", "at_least": "lowering"}
TIGHTEN = {"at_most": "down", "at_least": "up"}
GAIN = {"minimize": "saves", "maximize": "gains"}
LOSS = {"minimize": "costs", "maximize": "loses"}
WHICH = {"at_most": "upper ", "at_least": "lower "}
END = {"at_most": "up to", "at_least": "down to"}
NO_ROOM = 1e-12
"""Of the limit: a price that holds for less is one of a single point."""
ROOM = 0.1
"""Of the limit: the largest step that is spoken of."""


FEW = 5
"""Constraints that do not matter, of which each has its own line; more are named in one."""


def folded(rows: Iterable[RelevanceRow]) -> tuple[str, ...]:
    """The constraints that do not matter, if they are many."""
    names = tuple(row.constraint for row in rows if row.verdict == "irrelevant")
    return names if len(names) > FEW else ()


def two_sided(problem: Problem) -> tuple[str, ...]:
    """The constraints with two limits."""
    return tuple(c.name for c in problem.constraints if c.at_least is not None and c.at_most is not None)


def limit_lines(rows: Iterable[RelevanceRow], objective: str, goal: str, both: Collection[str] = ()) -> list[str]:
    """A sentence for every constraint of which something can be said, those that cost first; one for many without.

    both: constraints with two limits, of which a sentence says which one it speaks of.
    """
    given = list(rows)
    many = folded(given)
    found = [row for row in given if row.price is not None and row.valid is not None and row.limit is not None]
    costs = [line for row in found for line in _cost(row, objective, goal, _called(row, both))]
    free = [line for row in found if row.constraint not in many for line in _free(row, _called(row, both))]
    return costs + free + ([f"{len(many)} constraints do not matter here: {', '.join(many)}"] if many else [])


def _called(row: RelevanceRow, both: Collection[str]) -> str:
    """The limit of a row, in words."""
    assert row.limit is not None
    return f"the {WHICH[row.limit[0]] if row.constraint in both else ''}{row.constraint} limit"


def to_dict(row: RelevanceRow) -> dict[str, Any]:
    """JSON-able: what has no end is None."""
    found = asdict(row)
    for name in ("price", "valid"):
        if found[name] is not None:
            found[name] = [each if math.isfinite(each) else None for each in found[name]]
    return found


SURE = 0.9
"""Share of posterior samples that is spoken of."""


def outlook_line(found: Outlook, objective: str, measured: bool = False) -> str:
    """How far from the best possible it may be, and what all that is left may bring. measured: costs are seconds."""
    if not found.within(math.inf) or not math.isfinite(found.rest):
        return "outlook: nothing feasible is known well enough to say what there is to gain"
    feasible = found.within(math.inf)
    if feasible >= SURE:
        sure, far = SURE, "within"
    else:  # no more than that can be said
        sure, far = SURE * feasible, "feasible and within"
    gap = found.gaps[math.ceil(sure * len(found.gaps)) - 1]
    line = f"outlook: with probability {sure:.2g} {far} {gap:.2g} of the best possible"
    if not 0.0 < found.left < math.inf:
        return line
    left = f"{found.left:g}{' s' * measured}"
    return f"{line}; the {left} that are left would gain {found.rest:.2g} of {objective} at most"


def gain_line(gain: tuple[float, float, float], objective: str, goal: str) -> str:
    """What other limits bring next to the best point within those of now."""
    mean, low, high = gain if gain[0] >= 0.0 else (-gain[0], -gain[2], -gain[1])
    between = f" ({low:.3g} to {high:.3g})" if math.isfinite(high - low) else ""
    what = f"{GAIN[goal] if gain[0] >= 0.0 else LOSS[goal]} {mean:.3g} of {objective}{between}"
    if not mean:
        what = "changes nothing" + between * (low < high)
    return f"next to the best point within the limits of now, this {what}"


def gain_dict(gain: tuple[float, float, float]) -> dict[str, float | None]:
    """JSON-able: what has no end is None."""
    return {k: v if math.isfinite(v) else None for k, v in zip(("mean", "low", "high"), gain, strict=True)}


def outlook_dict(found: Outlook) -> dict[str, Any]:
    """JSON-able: what has no end is None. gaps: quantiles of the distance from the best possible."""
    ends = {name: getattr(found, name) for name in ("next", "tenth", "rest", "left")}
    if found.gaps:
        ends |= {f"gap_{q:g}": found.gaps[math.ceil(q * len(found.gaps)) - 1] for q in (0.5, 0.9)}
    return {name: value if math.isfinite(value) else None for name, value in ends.items()}


def _cost(row: RelevanceRow, objective: str, goal: str, called: str) -> Iterator[str]:
    """Of a limit that costs: what a step outward brings, and how far that is true."""
    assert row.price is not None and row.valid is not None and row.limit is not None
    (mean, low, high), (side, limit) = row.price, row.limit
    if mean <= 0.0:
        return
    end = row.valid[1 if side == "at_most" else 0]
    if abs(end - limit) <= NO_ROOM * abs(limit):
        yield f"{RELAX[side]} the {row.constraint} limit alone brings nothing: a bound or another limit holds there"
        return
    step = unit_step(abs(end - limit), limit)
    saves = f"{RELAX[side]} {called} by {step:g} {GAIN[goal]} {mean * step:.3g} of {objective}"
    between = f"{low * step:.3g} to {high * step:.3g}" if math.isfinite(high) else f"at least {low * step:.3g}"
    far = f"{END[side]} {end:.4g}" if math.isfinite(end) else "as far as anything is known"
    yield f"{saves} ({between}); true {far}"


def _free(row: RelevanceRow, called: str) -> Iterator[str]:
    """Of a limit that costs nothing here: how far it could be tightened, and whether it keeps something out."""
    assert row.price is not None and row.valid is not None and row.limit is not None
    side = row.limit[0]
    end = row.valid[0 if side == "at_most" else 1]
    if row.price[0] > 0.0:
        return
    if row.verdict == "excluding":
        yield f"the {row.constraint} limit costs nothing here, but keeps out a better region"
    elif row.price[2] == 0.0 and math.isfinite(end):
        yield f"{called} could come {TIGHTEN[side]} to {end:.4g} before it costs anything"


def unit_step(room: float, limit: float) -> float:
    """The largest power of ten within the room for it, and within a tenth of the limit."""
    most = min(room, ROOM * abs(limit)) if limit else min(room, 1.0)
    return float(10.0 ** math.floor(math.log10(most))) if most > 0.0 else 1.0
