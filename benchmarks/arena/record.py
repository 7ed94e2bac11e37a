"""A run in a few numbers: what tables need of a row, and what is kept of it for good."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, stdtr
from store.rows import Row, rows

THRESHOLDS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 30.0, 100.0)
"""Sizes of standardised errors that are counted."""
TAILS = (3.0, 6.0)
"""The same for the tail probability of each prediction's own Student-t: as improbable as beyond 3 and 6 of a normal."""
SLACK = 1e-9
"""Of the best value: differences below it are rounding."""
GRID = 2.0
"""Units between the points over which areas are averaged."""
RELATIVE = 1e-3
"""Relative opportunity cost to which the cost is counted."""
FLOOR = 1e-8
"""Relative opportunity costs below it are as good as this one, in areas and ratios."""


@dataclass(frozen=True)
class Record:
    """One run. Opportunity costs are relative to the size of the best value of its problem."""

    label: str
    method: str
    verify: bool
    case: str
    seed: int
    problem: str
    predictions: int
    beyond: tuple[int, ...]
    """Predictions with |z| above each of THRESHOLDS."""
    tails: tuple[int, ...]
    """Predictions with a Student-t tail probability below that of a normal beyond TAILS."""
    worst: float
    """Largest |z|."""
    probability: float
    """Of feasibility, as reported with the answer."""
    true: bool
    """Is the answer feasible, everything computable?"""
    covered: bool
    """Is the objective at the answer within 2 reported sd?"""
    known: bool
    """Was the objective known there, so that this is no feat?"""
    oc: float
    """Of the answer."""
    verified: bool
    """Is the answer a design that was evaluated whole and held?"""
    incumbent: bool
    """Does the study name such a design?"""
    held: float | None
    """OC of the verified answer, or else of the design the study names; None if there is none."""
    held_true: bool | None
    """Is that one truly feasible?"""
    possible: bool
    """Was any evaluated place feasible?"""
    area: float
    """Mean of log10 OC over the budget."""
    reached: float | None
    """Cost at which the OC of the recommendation first was RELATIVE; None if never."""
    verification: float
    """Share of the budget spent on verification."""
    ask_ms: float
    """CPU milliseconds a decision."""
    stopped: float
    """Share of the budget that was left at the end."""

    @property
    def variant(self) -> str:
        return self.case.removeprefix("high-").rsplit("-", 1)[0]

    @property
    def high(self) -> bool:
        return self.case.startswith("high-")

    @property
    def rough(self) -> bool:
        return self.variant != "exact"

    @property
    def pair(self) -> tuple[str, str, int]:
        """Runs of two versions with the same are comparable."""
        return self.method, self.case, self.seed


def record(row: dict[str, Any]) -> Record:
    """What is kept of a row."""
    size = abs(row["reference"])
    z = np.abs([each[1] for each in row["z"]])
    said, named = row["answer"], row["incumbent"]
    held = said if said["verified"] else named
    return Record(
        **{name: row[name] for name in ("label", "method", "verify", "case", "seed", "problem", "possible")},
        predictions=len(z),
        beyond=tuple(int(np.sum(z > threshold)) for threshold in THRESHOLDS),
        tails=tail_counts(row["z"]),
        worst=_short(z.max(initial=0.0)),
        probability=_digits(said["probability"]),
        true=said["feasible"],
        covered=covered(row),
        known=said["known"],
        oc=_short(said["oc"] / size),
        verified=said["verified"],
        incumbent=named is not None,
        held=None if held is None else _short(held["oc"] / size),
        held_true=None if held is None else held["feasible"],
        area=_short(area(row["trajectory"], row["budget"], size)),
        reached=next((spent for spent, oc in row["trajectory"] if oc <= RELATIVE * size), None),
        verification=_short(row["verification"]),
        ask_ms=_short(1e3 * row["ask_seconds"] / max(row["asks"], 1)),
        stopped=_short(1.0 - row["spent"] / row["budget"]),
    )


def covered(row: dict[str, Any]) -> bool:
    """Is the objective at the answer within two reported sd? One that cannot be computed there is not."""
    said = row["answer"]
    f = next(iter(said["truth"].values()))
    return f is not None and bool(abs(f - said["mean"]) <= 2.0 * said["sd"] + SLACK * abs(row["reference"]))


def tail_counts(predictions: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """How many are as improbable as a normal number beyond 3, and beyond 6, by their own degrees of freedom."""
    if not predictions:
        return (0,) * len(TAILS)
    found = [(each[3], -abs(each[6 if len(each) > 6 else 1])) for each in predictions]  # once t was z and not kept
    p = np.array([stdtr(nu, t) if nu else ndtr(t) for nu, t in found])
    return tuple(int(np.sum(p < ndtr(-size))) for size in TAILS)


def area(trajectory: Sequence[Sequence[float]], budget: float, size: float) -> float:
    """Mean of log10 relative OC at 0, GRID, ... budget; a recommendation holds until the next one."""
    spent, oc = np.array(trajectory).T
    places = np.searchsorted(spent, np.arange(0.0, budget + 1e-9, GRID) + 1e-9, side="right") - 1
    return float(np.mean(np.log10(np.maximum(oc[places] / size, FLOOR))))


# --- Files


def load(paths: Iterable[Path]) -> list[Record]:
    """Records of files, each run once: rows as they were run, or as they are kept."""
    found = [_read(row) for path in paths for row in rows(path) if "error" not in row]
    return list({(each.label, each.verify, *each.pair): each for each in found}.values())


def _read(row: Row) -> Record:
    if "z" in row:
        return record(row)
    return Record(**{name: tuple(value) if name in ("beyond", "tails") else value for name, value in row.items()})


def _short(number: float) -> float:
    return float(f"{number:.4g}")


def _digits(probability: float) -> float:
    """With four digits of what is missing to 1."""
    return 1.0 - _short(1.0 - probability)
