"""The experiments as data: which method runs on which problem, at which costs, with which budget and seeds.

A cell is one method on one experiment; with a seed it is one repetition. Parts are the sections of the report; the same
cell may belong to several (the ablation compares with the baseline's runs), and is run once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from taut.base.errors import UnknownNameError, ValueRefusedError, listed, way_out
from taut.bench.problems import problem as bench_problem
from taut.problem.space import usual_size

CORE = ("dckg", "cei+", "ckg", "cei")
BEYOND = ("ucb-d", "cmes", "random")
CODE_UNITS = 160.0
Key = tuple[str, str, str, int]
"""Experiment, method, preset and seed of a repetition."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """A test problem with costs. Costs not named are 1."""

    name: str
    title: str
    problem: str
    costs: Mapping[str, float] = field(default_factory=dict)
    units: float = CODE_UNITS
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


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the report: arms compared on experiments."""

    name: str
    title: str
    experiments: tuple[str, ...]
    arms: tuple[Arm, ...]


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
        preset = "" if self.preset == "default" else f" ({self.preset})"
        return f"{self.experiment} {self.method}{preset} seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Scale:
    """How far and how often. coupled: budget in evaluations of everything; units: in cost units; else as declared."""

    name: str
    seeds: int
    coupled: float | None = None
    units: float | None = None

    def budget(self, experiment: Experiment) -> float:
        if self.coupled is not None:
            return self.coupled * experiment.coupled_cost
        return experiment.units if self.units is None else self.units


def _priced(problem: str, title: str, functions: Sequence[str]) -> list[Experiment]:
    return [
        Experiment(f"{problem}-{name}=5", f"{title}, cost of {name} = 5", problem, {name: 5.0}) for name in functions
    ]


_ALL = (
    Experiment("mystery", "Mystery", "mystery"),
    Experiment("constrained_branin", "Constrained Branin", "constrained_branin"),
    Experiment("test_function_2", "Test Function 2", "test_function_2"),
    Experiment("mystery_redundant8", "Mystery with 8 redundant constraints", "mystery_redundant8", units=240.0),
    *_priced("mystery", "Mystery", ("f", "c")),
    *_priced("constrained_branin", "Constrained Branin", ("f", "c")),
    *_priced("test_function_2", "Test Function 2", ("f", "c1", "c2", "c3")),
    Experiment("welded_beam", "Welded beam", "welded_beam", units=200.0),
    Experiment("pressure_vessel", "Pressure vessel", "pressure_vessel", units=200.0),
    Experiment("spring_narrow", "Spring", "spring_narrow", units=200.0),
    Experiment("speed_reducer", "Speed reducer", "speed_reducer", units=200.0),
)
EXPERIMENTS: dict[str, Experiment] = {each.name: each for each in _ALL}
BASELINE = ("mystery", "constrained_branin", "test_function_2")
COSTS = tuple(name for name, each in EXPERIMENTS.items() if each.costs)
ENGINEERING = ("welded_beam", "pressure_vessel", "spring_narrow", "speed_reducer")


def _arms(methods: Iterable[str], preset: str = "default") -> tuple[Arm, ...]:
    return tuple(Arm(method, preset) for method in methods)


PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        Part("baseline", "Baseline, unit costs", BASELINE, _arms((*CORE, "pesc", *BEYOND))),
        Part("redundant", "Redundant constraints", ("mystery_redundant8",), _arms((*CORE, *BEYOND))),
        Part("costs", "Heterogeneous costs", COSTS, _arms((*CORE, *BEYOND))),
        Part("ablation", "Without the coupled step", ("test_function_2",), _arms(("dckg", "dckg-uncoupled"))),
        Part("engineering", "Engineering problems", ENGINEERING, _arms((*CORE, *BEYOND))),
        Part(
            "presets",
            "Library default and the paper's settings",
            (*BASELINE, "mystery_redundant8"),
            (*_arms(CORE), *_arms(CORE, "paper")),
        ),
        Part(
            "presets-costs",
            "Library default and the paper's settings, heterogeneous costs",
            COSTS,
            (*_arms(("dckg",)), *_arms(("dckg",), "paper")),
        ),
        Part(
            "presets-pesc",
            "Library default and the paper's settings, PESC",
            BASELINE,
            (Arm("pesc"), Arm("pesc", "paper")),
        ),
        Part(
            "presets-ablation",
            "Without the coupled step, the paper's settings",
            ("test_function_2",),
            _arms(("dckg", "dckg-uncoupled"), "paper"),
        ),
    )
}
SCALES: dict[str, Scale] = {
    scale.name: scale
    for scale in (
        Scale("paper-text", seeds=50, coupled=150.0),
        Scale("code", seeds=40),
        Scale("quick", seeds=5, units=60.0),
    )
}


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
