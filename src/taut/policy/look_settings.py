"""Settings of looks, of finishing and coming home: what keeps a run from wasting its end."""

from __future__ import annotations

from dataclasses import dataclass

from taut.base.ascend import AscentOptions
from taut.base.knob import NEVER_TUNED, SPEED, knob
from taut.surrogate.settings import LOOKS

ARENA = "six functions of bbob-constrained in the plane, another instance than docs/arena.md has"

NOISY = "runs on Mystery with 20 % noise on all functions, seeds 0 to 9: "


@dataclass(frozen=True)
class LookSettings:
    """Where to look once nothing is left to gain."""

    sceptical: bool = knob(True, "once nothing is left to gain, explore under a sceptical model", LOOKS)
    nothing_left: tuple[tuple[float, int], ...] = knob(
        ((1e-10, 3), (1e-9, 1)),
        "of the objective's scale: a best value per cost below this is followed by so many looks",
        LOOKS,
    )
    moved: float = knob(0.02, "of the cube: a recommendation that has moved further ends them", NEVER_TUNED)
    worthwhile: float = knob(0.01, "of the objective's scale: an improvement that is worth a look", NEVER_TUNED)
    starts: int = knob(16, "ascents of the expected improvement by the sceptical model", SPEED)
    climb: AscentOptions = knob(
        AscentOptions(tolerance=1e-2, radius=0.03, calls=8, patience=3, apart=0.003), "those ascents", SPEED
    )
    computable: float = knob(
        0.1,
        "probability that each function can be computed at a place, below which it is no place to look",
        "runs with failures in a third of the box: 0.5 keeps looks from an edge behind which the optimum lies",
    )
    unseen_near: float = knob(
        0.02, "of the cube: a function measured this close to the recommendation has been seen there", NEVER_TUNED
    )
    unseen_share: float = knob(
        0.25, "of what is left of the budget that measuring the others there may cost", NEVER_TUNED
    )
    noisy_every: int = knob(
        8,
        "decisions near the recommendation of a problem with noise after which looks may be due",
        NOISY + "4 and 6 were no better on the two where they were tried",
    )
    noisy_promise: float = knob(
        3.0,
        "times the best value per cost that a whole design far away must promise per cost to be looked at",
        NOISY + "without such a bar three of them ended 3 to 9 times as far from the optimum as without looks",
    )
    noisy_designs: int = knob(
        2,
        "whole designs that are looked at then",
        NOISY + "with 1, beside such a bar, the run that was wrong stayed so",
    )
    noisy_far: float = knob(
        0.3,
        "prior correlation of the sceptical objective with x_r below which a place is far enough for that",
        NOISY + "with 0.7 many looks were in the basin of x_r, judged by where they went",
    )


@dataclass(frozen=True)
class FinishSettings:
    """Finishing what has been found (finish.py), and the way on where constraints meet (search/ahead.py)."""

    finish: bool = knob(True, "sure gains near the recommendation come before long shots", LOOKS)
    gate: float = knob(0.01, "of the objective's scale: larger sure gains need no such rule", LOOKS)
    probable: float = knob(0.5, "feasibility of the recommendation from which on it holds", LOOKS)
    unit: float = knob(10.0, "times the sure gain: larger gains count by their logarithm", LOOKS)
    most: float = knob(10.0, "scales of the objective: no gain that comes true is taken for larger", NEVER_TUNED)
    least_hope: float = knob(1e-3, "sds of the objective: gain that news of a constraint opens, at least", NEVER_TUNED)
    better_places: float = knob(
        0.25,
        "places that beat the recommendation, expected by a sceptical model: with more there is no finishing",
        LOOKS,
    )
    near: float = knob(0.9, "prior correlation of the objective with x_r at a place next to it", NEVER_TUNED)
    looks: int = knob(4, "such decisions after which there is a look, or as many as functions if these are more", LOOKS)
    home: bool = knob(True, "a choice near the recommendation that holds the objective is made at it", LOOKS)
    home_share: float = knob(0.3, "of its value that it must have there", LOOKS)
    meet: bool = knob(True, "with many constraints in play, functions are asked at one place", ARENA)
    meet_from: int = knob(4, "constraints in play from which on", NEVER_TUNED)
    meet_share: float = knob(0.2, "of the best value per cost that a function must be worth there", ARENA)
    meet_leaders: int = knob(3, "functions that are valued precisely there", SPEED)
    ahead: bool = knob(True, "candidates where walls stop the objective", LOOKS)
    ahead_sds: tuple[float, ...] = knob((0.3, 1.0, 2.0), "standard deviations from the walls", LOOKS)
    ahead_way: tuple[float, ...] = knob((0.1, 0.3), "shares of the way there", LOOKS)
    ahead_from: int = knob(3, "parameters from which on there are any", LOOKS)
    ahead_settled: float = knob(0.02, "of the cube: after a recommendation that moved further there are none", LOOKS)
