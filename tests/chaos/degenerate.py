"""Studies at the edge of floating point, drawn at random: what is declared, and what its functions return."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import taut
from taut.base.numbers import LARGEST

Generator = np.random.Generator
DENORMAL = 5e-324

# The default method more often than the others; every method in every twelve studies.
METHODS = (
    "dckg", "cei+", "pesc", "ckg", "dckg", "ucb-d", "cmes", "cei", "dckg", "dckg-uncoupled", "pesc-coupled", "random",
)  # fmt: skip
COSTLY = {"pesc": 12, "pesc-coupled": 12, "cmes": 20, "ckg": 24, "dckg": 30, "dckg-uncoupled": 30}
"""Parameters times functions from which on a study with this method is drawn more rarely."""

RANGES: dict[str, tuple[float, float, bool]] = {
    "unit": (0.0, 1.0, False),
    "usual log": (1e-3, 1e3, True),
    "huge": (-1e149, 1e149, False),
    "largest": (-LARGEST, LARGEST, False),
    "far": (9.9e149, 1e150, False),
    "small": (1e-149, 3e-149, False),
    "denormal": (0.0, 40 * DENORMAL, False),
    "two numbers": (1.0, float(np.nextafter(1.0, 2.0)), False),
    "tiny": (1.0, 1.0 + 1e-9, False),
    "tiny and far": (1e149, 1e149 * (1.0 + 1e-15), False),
    "offset": (1e9, 1e9 + 1.0, False),
    "negative": (-3e-12, -1e-12, False),
    "log everything": (1e-149, 1e149, True),
    "log denormal": (DENORMAL, 1e-300, True),
    "log tiny": (1.0, 1.0 + 1e-12, True),
    "log narrow and far": (1e149, 1e149 * (1.0 + 2e-13), True),
}

Value = Callable[[np.ndarray, Generator], float | None]


def _ramp(u: np.ndarray) -> float:
    return float(np.mean((u - 0.37) ** 2))


def _powers(rng: Generator, low: float, high: float) -> float:
    return float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(low, high))


VALUES: dict[str, Value] = {
    "smooth": lambda u, rng: _ramp(u),
    "line": lambda u, rng: float(u[0]) - 0.5,
    "waves": lambda u, rng: math.sin(9.0 * float(u.sum())),
    "zero": lambda u, rng: 0.0,
    "constant": lambda u, rng: 3.0,
    "huge constant": lambda u, rng: -1e150,
    "last digit": lambda u, rng: 1.0 + 2.3e-16 * float(rng.integers(3)),
    "offset": lambda u, rng: 1e9 + 1e-3 * _ramp(u),
    "small": lambda u, rng: 1e-12 * _ramp(u),
    "tiny": lambda u, rng: 1e-300 * _ramp(u),
    "denormal": lambda u, rng: DENORMAL * float(rng.integers(-2, 3)),
    "large": lambda u, rng: 1e12 * _ramp(u),
    "huge": lambda u, rng: 1e149 * _ramp(u),
    "largest": lambda u, rng: float(rng.choice([-1.0, 1.0])) * LARGEST,
    "near the largest": lambda u, rng: 1e150 * (1.0 - 0.1 * float(rng.random())),
    "all sizes": lambda u, rng: _powers(rng, -300.0, 150.0),
    "many sizes": lambda u, rng: math.exp(min(600.0 * _ramp(u), 340.0)),
    "step": lambda u, rng: 1e6 * float(u[0] > 0.5),
    "plateau": lambda u, rng: max(_ramp(u) - 0.1, 0.0),
    "stairs": lambda u, rng: float(round(3.0 * float(u.sum()))),
    "needle": lambda u, rng: -float(np.abs(u - 0.5).max() < 0.05),
    "jumps": lambda u, rng: float(rng.choice([-1e30, 1e30])),
    "outlier": lambda u, rng: 1e150 if rng.random() < 0.1 else _ramp(u),
    "heavy tails": lambda u, rng: float(np.clip(rng.standard_cauchy() ** 3, -1e150, 1e150)),
    "noise": lambda u, rng: float(rng.standard_normal()),
    "often fails": lambda u, rng: None if rng.random() < 0.5 else _ramp(u),
    "always fails": lambda u, rng: None,
    "fails in a half": lambda u, rng: None if u[-1] > 0.5 else _ramp(u),
}
# What a function of a kind may be limited by, besides 0 and what it returns somewhere.
LIMITS = (0.0, 1e-12, -1e-12, DENORMAL, 1e149, -1e149, LARGEST, -LARGEST, 0.1, -0.4, 1e9, 3.0)

EFFORTS: dict[str, dict[str, Any]] = {
    "usual": {},
    "small": {"inner": 32, "raw": 16, "starts": 2, "search_raw": 64, "search_starts": 4, "paths": 4, "vectors": 4},
    "least": {"inner": 1, "raw": 1, "starts": 1, "search_raw": 1, "search_starts": 1, "paths": 1, "vectors": 1},
}
OPTIONS: dict[str, tuple[Any, ...]] = {
    "prior": ("robust", "gamma"), "rho": (1e-300, 1e-14, 1e-6, 0.1, 10.0), "warp": (True, False),
    "tails": (True, False), "exact": (True, False), "quantiles": (1, 2, 5, 9), "vectors": (1, 2, 3, 9),
    "delta": (1e-300, 1e-12, 0.2, 0.99), "subsets": ("paper", "search"), "instalments": (True, False),
    "penalty": (0.0, 1e150, -1e150, -1.0, 1e-300), "draws": (1, 2, 9), "search_raw": (1, 33), "search_starts": (1, 3),
    "inner": (1, 7, 90), "raw": (1, 5, 40), "starts": (1, 3), "paths": (1, 3),
    "width": ("schedule", "theory", "constant"), "width_divisor": (1e-6, 1.0, 1e6),
    "width_constant": (1e-9, 3.0, 1e6), "recommendation": ("value", "certified"),
}  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """A study and how it is played. kinds: what each function returns; copies: functions that repeat another one.

    ahead: suggestions kept under way; limited: how often a budget is given; added: how often values come from
    elsewhere, and how many of them before the first step.
    """

    seed: int
    problem: taut.Problem
    study: dict[str, Any]
    kinds: dict[str, str]
    copies: dict[str, str]
    ahead: int
    limited: float
    added: float
    before: int

    def described(self) -> dict[str, Any]:
        """What it is made of, for the record."""
        ranges = [_described(parameter) for parameter in self.problem.parameters]
        noise = [self.problem.function(name).noise for name in self.problem.functions]
        return {"d": len(ranges), "K": len(noise) - 1, "study": self.study, "kinds": self.kinds, "copies": self.copies,
                "ranges": ranges, "noise": noise, "ahead": self.ahead, "before": self.before}  # fmt: skip


def _described(parameter: Any) -> str:
    if isinstance(parameter, taut.Choice):
        return f"one of {len(parameter.options)}"
    kind = "" if isinstance(parameter, taut.Real) else f" {type(parameter).__name__}"
    return f"{parameter.low!r}..{parameter.high!r}{' log' if parameter.log else ''}{kind}"


DISCRETE: dict[str, Callable[[str], Any]] = {
    "two numbers": lambda name: taut.Integer(name, 0, 1),
    "ribs": lambda name: taut.Integer(name, 1, 12),
    "log": lambda name: taut.Integer(name, 1, 1000, log=True),
    "very many": lambda name: taut.Integer(name, -(2**53), 2**53),
    "catalogue": lambda name: taut.Ordinal(name, (0.207, 0.225, 0.263, 0.283, 0.307, 0.331)),
    "crowded": lambda name: taut.Ordinal(name, (1.0, 1.001, 1.002, 2.0, 1e9)),
    "wide": lambda name: taut.Ordinal(name, (1e-149, 1e-10, 1.0, 1e149)),
    "far": lambda name: taut.Ordinal(name, (-1e150, 0, DENORMAL, 1e150)),
    "yes or no": lambda name: taut.Choice(name, ("yes", "no")),
    "materials": lambda name: taut.Choice(name, ("steel", "aluminium", "oak", 7, 0.5, "-1", "=x")),
    "many options": lambda name: taut.Choice(name, [f"option {k}" for k in range(23)]),
}


def _with_discrete(problem: taut.Problem, seed: int) -> taut.Problem:
    """With some parameters discrete, in a third of the studies; drawn apart, so that the others stay what they were."""
    rng = np.random.default_rng([seed, 3])
    if rng.random() > 1.0 / 3.0:
        return problem
    share = float(rng.choice([0.3, 0.6, 1.0]))
    parameters = [
        DISCRETE[str(rng.choice(list(DISCRETE)))](each.name) if rng.random() < share else each
        for each in problem.parameters
    ]
    return taut.Problem(parameters, problem.objective, problem.constraints, problem.groups)


def recipe(seed: int) -> Recipe:
    """The recipe of a seed; its method is the seed's place in METHODS."""
    rng = np.random.default_rng([seed, 1])
    method = METHODS[seed % len(METHODS)]
    d, K = _size(rng, COSTLY.get(method, 70))
    names = ["f", *(f"c{k}" for k in range(1, K + 1))]
    kinds = {name: str(rng.choice(list(VALUES))) for name in names}
    copies = {}
    if K > 1 and rng.random() < 0.2:  # the same constraint again
        copies[names[-1]] = names[1]
        kinds[names[-1]] = kinds[names[1]]
    settings = {
        "method": method,
        "seed": int(rng.integers(100)),
        "initial": [None, 0, 1, 2, 3, 6][rng.choice(6, p=[0.1, 0.25, 0.2, 0.15, 0.15, 0.15])],
        "initial_design": str(rng.choice(["coupled", "independent"], p=[0.8, 0.2])),
        "preset": "paper" if rng.random() < 0.15 else None,
        "options": _options(rng),
    }
    return Recipe(
        seed,
        _with_discrete(_problem(rng, d, kinds, copies), seed),
        settings,
        kinds,
        copies,
        ahead=int(rng.choice([0, 1, 3, 9], p=[0.55, 0.2, 0.15, 0.1])),
        limited=float(rng.choice([0.0, 0.2, 0.9], p=[0.5, 0.4, 0.1])),
        added=float(rng.choice([0.0, 0.2, 0.5], p=[0.5, 0.35, 0.15])),
        before=int(rng.choice([0, 1, 5, 25], p=[0.7, 0.1, 0.1, 0.1])),
    )


def _size(rng: Generator, costly: int) -> tuple[int, int]:
    """Parameters and constraints; what takes long is drawn once more, most of the time."""
    while True:
        d = int(rng.choice([1, 2, 3, 4, 5, 6, 8, 10], p=[0.2, 0.2, 0.15, 0.15, 0.1, 0.08, 0.06, 0.06]))
        K = int(rng.choice(7, p=[0.15, 0.25, 0.2, 0.15, 0.1, 0.08, 0.07]))
        if d * (K + 1) <= costly or rng.random() < 0.5:
            return d, K


def _problem(rng: Generator, d: int, kinds: dict[str, str], copies: dict[str, str]) -> taut.Problem:
    usual = rng.random() < 0.4
    ranges = ["unit" if usual else str(rng.choice(list(RANGES))) for _ in range(d)]
    parameters = [taut.Real(f"x{k}", *RANGES[name]) for k, name in enumerate(ranges)]
    powers = float(rng.choice([0.0, 1.0, 6.0, 149.0], p=[0.4, 0.3, 0.2, 0.1]))
    costs = {name: float(10.0 ** rng.uniform(-powers, powers)) for name in kinds}
    goal = "minimize" if rng.random() < 0.5 else "maximize"
    objective = taut.Objective("f", goal=goal, cost=costs["f"], noise=_noise(rng))
    constraints: dict[str, taut.Constraint] = {}
    for name in list(kinds)[1:]:
        one = constraints.get(copies.get(name, ""))
        limits = _limits(rng, kinds[name]) if one is None else {"at_most": one.at_most, "at_least": one.at_least}
        constraints[name] = taut.Constraint(name, cost=costs[name], noise=_noise(rng), **limits)
    groups = []
    if len(kinds) > 1 and rng.random() < 0.25:
        members = rng.permutation(list(kinds))[: rng.integers(1, len(kinds) + 1)]
        groups = [taut.Group("together", [str(name) for name in members], cost=float(10.0 ** rng.uniform(-2, 2)))]
    return taut.Problem(parameters, objective, list(constraints.values()), groups)


def _noise(rng: Generator) -> Any:
    known = (1e-3, DENORMAL, 1e-200, 1e-100, 1e-9, 1.0, 1e30, LARGEST)
    kind = rng.choice(3, p=[0.6, 0.2, 0.2])
    return (None, "learned", float(rng.choice(known)))[kind]


def _limits(rng: Generator, kind: str) -> dict[str, float | None]:
    """A bound that some values meet, most, none, or only one; two of them, at times as close as numbers get."""
    typical = VALUES[kind](rng.random(2), rng) or 0.0
    level = typical if rng.random() < 0.5 else float(rng.choice(LIMITS))
    case = rng.choice(["at_most", "at_least", "narrow", "band", "wide"], p=[0.4, 0.2, 0.15, 0.15, 0.1])
    if case == "at_most" or case == "at_least":
        return {str(case): level}
    if case == "wide":
        return {"at_least": -LARGEST, "at_most": LARGEST}
    width = {"narrow": 0.0, "band": float(rng.choice([1e-12, 0.1, 1e3])) * max(abs(level), 1e-12)}[str(case)]
    low = float(np.clip(level, -LARGEST, 0.9 * LARGEST))
    return {"at_least": low, "at_most": float(min(max(low + width, np.nextafter(low, np.inf)), LARGEST))}


def _options(rng: Generator) -> dict[str, Any]:
    effort = EFFORTS[str(rng.choice(list(EFFORTS), p=[0.5, 0.4, 0.1]))]
    share = float(rng.choice([0.0, 0.1, 0.4], p=[0.5, 0.35, 0.15]))
    changed = {name: values[rng.integers(len(values))] for name, values in OPTIONS.items() if rng.random() < share}
    return {**effort, **changed}
