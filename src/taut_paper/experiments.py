"""The experiments: which method runs on which problem, at which costs, with which budget and seeds.

They are declared in experiments.toml. A cell is one method on one experiment; with a seed it is one repetition. The
same cell may belong to several parts (the ablation compares with the baseline's runs), and is run once.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from taut.base.errors import UnknownNameError, ValueRefusedError, listed, way_out
from taut.bench.problems import problem as bench_problem
from taut.problem.design import usual_size

CORE = ("dckg", "cei+", "ckg", "cei")
PAPER = (*CORE, "pesc")
"""The methods that the paper compares."""
BEYOND = ("ucb-d", "cmes", "random")
Key = tuple[str, str, str, int]
"""Experiment, method, preset and seed of a repetition."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A test problem with costs. Costs not named are 1."""

    name: str
    title: str
    problem: str
    costs: Mapping[str, float] = field(default_factory=dict)
    units: float = 160.0
    """Budget at the scale `code`."""

    @property
    def coupled_cost(self) -> float:
        """What it costs to evaluate every function once."""
        declared = bench_problem(self.problem, self.costs).problem
        return declared.cost(declared.functions)


@dataclass(frozen=True, slots=True)
class Arm:
    """A method with its preset: one line of a figure."""

    method: str
    preset: str = "default"

    @property
    def label(self) -> str:
        """'dckg', or 'dckg (paper)' if it is not the library default."""
        return self.method if self.preset == "default" else f"{self.method} ({self.preset})"


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the report: arms compared on experiments."""

    name: str
    title: str
    experiments: tuple[str, ...]
    arms: tuple[Arm, ...]
    lead: str = ""
    """What the section begins with."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """Everything that decides the outcome of one run. The initial design is not charged to the budget."""

    experiment: str
    problem: str
    costs: tuple[tuple[str, float], ...]
    method: str
    preset: str
    seed: int
    budget: float
    initial: int

    @property
    def key(self) -> Key:
        return self.experiment, self.method, self.preset, self.seed

    @property
    def label(self) -> str:
        return f"{self.experiment} {Arm(self.method, self.preset).label} seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Scale:
    """How far and how often. coupled: budget in evaluations of everything; units: in cost units; else as declared."""

    seeds: int
    coupled: float | None = None
    units: float | None = None

    def budget(self, experiment: Experiment) -> float:
        if self.coupled is not None:
            return self.coupled * experiment.coupled_cost
        return experiment.units if self.units is None else self.units


def _part(name: str, declared: Mapping[str, Any]) -> Part:
    presets = declared.get("presets", ["default"])
    arms = tuple(Arm(method, preset) for preset in presets for method in declared["methods"])
    return Part(name, declared["title"], tuple(declared["experiments"]), arms, declared.get("lead", ""))


_DECLARED = tomllib.loads(Path(__file__).with_name("experiments.toml").read_text(encoding="utf-8"))
EXPERIMENTS: dict[str, Experiment] = {
    name: Experiment(**{"name": name, "problem": name, **fields}) for name, fields in _DECLARED["experiments"].items()
}
PARTS: dict[str, Part] = {name: _part(name, fields) for name, fields in _DECLARED["parts"].items()}
SCALES: dict[str, Scale] = {name: Scale(**fields) for name, fields in _DECLARED["scales"].items()}


def scale_of(name: str) -> Scale:
    """The scale of that name."""
    if name not in SCALES:
        raise UnknownNameError(f"Scale {name!r} is unknown; expected one of {listed(SCALES)}; {way_out(name, SCALES)}.")
    return SCALES[name]


def plan(
    what: Sequence[str],
    scale: Scale,
    *,
    budget: float | None = None,
    seeds: Sequence[int] | None = None,
    methods: Sequence[str] = (),
    presets: Sequence[str] = (),
) -> list[Repetition]:
    """The repetitions of experiments, parts, or `paper` (all parts), seed by seed so that a stop leaves a balance.

    methods: only these; one that none of the parts has is added to their experiments. presets: only these.
    """
    if budget is not None and not (math.isfinite(budget) and budget > 0.0):
        raise ValueRefusedError(f"budget: expected a positive number of cost units, got {budget!r}.")
    parts = [part for name in what for part in selected(name)]
    extra = _added(parts, methods, presets)
    cells: dict[tuple[str, Arm], None] = {}
    for part in parts:
        arms = [arm for arm in part.arms if (not methods or arm.method in methods)]
        arms = [arm for arm in arms if (not presets or arm.preset in presets)]
        cells.update({(experiment, arm): None for experiment in part.experiments for arm in (*arms, *extra)})
    numbers = range(scale.seeds) if seeds is None else seeds
    made = {name: _repetition(EXPERIMENTS[name], scale, budget) for name, _ in cells}
    return [
        replace(made[name], method=arm.method, preset=arm.preset, seed=seed) for seed in numbers for name, arm in cells
    ]


def selected(what: str) -> list[Part]:
    """The parts that a name stands for; a single experiment is a part of its own with the arms it has anywhere."""
    if what == "paper":
        return list(PARTS.values())
    if what in PARTS:
        return [PARTS[what]]
    if what in EXPERIMENTS:
        arms = [arm for part in PARTS.values() if what in part.experiments for arm in part.arms]
        return [Part(what, EXPERIMENTS[what].title, (what,), tuple(dict.fromkeys(arms)))]
    known = ("paper", *PARTS, *EXPERIMENTS)
    raise UnknownNameError(f"Experiment {what!r} is unknown; expected one of {listed(known)}; {way_out(what, known)}.")


def _added(parts: Sequence[Part], methods: Sequence[str], presets: Sequence[str]) -> list[Arm]:
    """Arms for methods that were named but are in none of the parts."""
    from taut.policy import METHODS
    from taut.policy.options import PRESETS

    for kind, given, known in (("Method", methods, tuple(METHODS)), ("Preset", presets, tuple(PRESETS))):
        for name in given:
            if name not in known:
                raise UnknownNameError(
                    f"{kind} {name!r} is unknown; expected some of {listed(known)}; {way_out(name, known)}."
                )
    present = {arm.method for part in parts for arm in part.arms}
    return [Arm(name, preset) for name in methods if name not in present for preset in presets or ("default",)]


def _repetition(experiment: Experiment, scale: Scale, budget: float | None) -> Repetition:
    declared = bench_problem(experiment.problem, experiment.costs).problem
    return Repetition(
        experiment=experiment.name,
        problem=experiment.problem,
        costs=tuple(sorted(experiment.costs.items())),
        method="",
        preset="default",
        seed=0,
        budget=scale.budget(experiment) if budget is None else float(budget),
        initial=usual_size(declared),
    )


def seed_numbers(text: str) -> list[int]:
    """'5' -> 0..4; '0-3,7' -> 0, 1, 2, 3, 7."""
    if text.isdecimal():
        if int(text) == 0:  # none at all, or the seed 0?
            raise ValueRefusedError(f"seeds: expected a count of at least 1, got {text!r}; for seed 0 alone write 0-0.")
        return list(range(int(text)))
    found: dict[int, None] = {}
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal() and int(last or first) >= int(first)):
            raise ValueRefusedError(f"seeds: expected a count such as 20 or numbers such as 0-3,7, got {text!r}.")
        found.update(dict.fromkeys(range(int(first), int(last or first) + 1)))
    return list(found)


def ranges(numbers: Iterable[int]) -> str:
    """[0, 1, 2, 5] -> '0-2,5', which seed_numbers reads."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
