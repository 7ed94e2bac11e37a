"""Rivals for the mixed problems of benchmarks/engineers.py: Optuna's GP and TPE samplers, and EGObox.

They evaluate every function at each trial and pay 1 for each that is not known. Where a choice had to be made it was
made in their favour:

- They start with the initial design that the library has for this seed, all functions known there, at no cost.
- Known functions cost them nothing. EGObox is handed known constraints as functions that its search obeys; Optuna,
  which has no place for such, is told their values with the others'.
- A trial that violates a known constraint costs nothing at all, though every value there is told; there may be `FREE`
  times as many trials as the budget pays for.
- Constraints are told in units of their spread over the initial design, and a violation of `SLACK` such units is none.
- What counts is the best trial, whether or not the tool would recommend it.
"""

import importlib.metadata
import math
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import taut
from taut.problem.limits import holds

FREE = 4
SLACK = 1e-6
Point = dict[str, Any]


class SpentError(Exception):
    """Nothing more can be paid for, or the optimum was found."""


@dataclass
class Board:
    """The trials of one run: the initial design first."""

    case: Any
    seed: int
    budget: float
    tolerance: float
    initial: list[Point] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    spent: float = 0.0
    free: int = 0
    reached: float | None = None

    def __post_init__(self) -> None:
        self.initial = design(self.case, self.seed)
        raw = np.array([self._limits(point) for point in self.initial]).reshape(len(self.initial), -1)
        self.scale = np.maximum(np.ptp(raw, axis=0), 1e-12)
        self.losses = [self._loss(point) for point in self.initial]
        self._judge()

    @property
    def price(self) -> float:
        """Of a trial; a problem that is all formula has 1, or there would be no end."""
        return float(max(len(self.case.problem.functions) - len(self.case.known), 1))

    @property
    def most(self) -> int:
        """Trials after the initial design at most."""
        return FREE * int(self.budget / self.price)

    def told(self, point: Point) -> tuple[float, np.ndarray]:
        """The objective, to be minimised, and the constraints [K], met up to 0; costs nothing."""
        value = self.case.functions[self.case.problem.objective.name](point)
        sign = 1.0 if self.case.problem.objective.goal == "minimize" else -1.0
        return sign * value, self._limits(point) / self.scale

    def __call__(self, point: Point) -> tuple[float, np.ndarray]:
        """The same at a trial after the initial design, which is paid; SpentError if it cannot be."""
        violated = any(c > SLACK for c in self._known(point))
        if self.reached is not None or len(self.losses) - len(self.initial) >= self.most:
            raise SpentError
        if not violated and self.spent + self.price > self.budget:
            raise SpentError
        self.spent += 0.0 if violated else self.price
        self.free += violated
        self.losses.append(self._loss(point))
        self._judge()
        return self.told(point)

    def _judge(self) -> None:
        if self.reached is None and min(self.losses) <= self.tolerance:
            self.reached = self.spent

    def _limits(self, point: Point) -> np.ndarray:
        return np.array([self.case.functions[each.name](point) for each in self.case.problem.constraints], dtype=float)

    def _known(self, point: Point) -> list[float]:
        pairs = zip(self.case.problem.constraints, self._limits(point) / self.scale, strict=True)
        return [float(c) for each, c in pairs if each.name in self.case.known]

    def _loss(self, point: Point) -> float:
        """Relative distance from the optimum; inf where a constraint is violated by more than the slack."""
        if np.any(self._limits(point) > SLACK * self.scale):
            return math.inf
        value, goal = self.case.functions[self.case.problem.objective.name](point), self.case.problem.objective.goal
        gap = value - self.case.optimum if goal == "minimize" else self.case.optimum - value
        return float(gap / max(abs(self.case.optimum), 1e-12))


def design(case: Any, seed: int) -> list[Point]:
    """The library's initial design of that seed, with what is known declared; of all formula: as if nothing were."""
    known = case.declared("known")
    problem = known if known.simulated else case.declared("simulated")
    assert all(holds(each, 0.0) and not holds(each, 1e-9) for each in problem.constraints), "met up to 0"
    study, points = taut.Study(problem, method="random", seed=seed), []
    while (row := study.ask()).initial:
        points.append(row.point)
        study.tell(row, {name: case.functions[name](row.point) for name in row.functions})
    return points


def play(case: Any, arm: str, seed: int, budget: float, tolerance: float) -> dict[str, Any]:
    """One run, as a row of the results."""
    board, began = Board(case, seed, budget, tolerance), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            PLAYERS[arm](board)
        except SpentError:
            pass
    best = min(board.losses)
    return {
        "case": case.name, "arm": arm, "seed": seed, "reached": board.reached,
        "best": best if math.isfinite(best) else None, "spent": board.spent,
        "trials": len(board.losses) - len(board.initial), "free": board.free,
        "cpu": round(time.process_time() - began, 1), "version": importlib.metadata.version(arm.partition("-")[0]),
    }  # fmt: skip


def _optuna(board: Board, name: str, **options: Any) -> None:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = getattr(optuna.samplers, name)(seed=board.seed, n_startup_trials=len(board.initial), **options)
    study, parameters = optuna.create_study(sampler=sampler), board.case.problem.parameters
    for point in board.initial:
        study.enqueue_trial({each.name: _coded(each, point[each.name]) for each in parameters})
    for number in range(len(board.initial) + board.most):
        trial = study.ask()
        point = {each.name: _suggested(trial, each) for each in parameters}
        value, limits = board.told(board.initial[number]) if number < len(board.initial) else board(point)
        for k, limit in enumerate(limits):
            trial.set_constraint(f"c{k:02d}", float(limit))
        study.tell(trial, value)


def _coded(parameter: Any, value: Any) -> Any:
    """As Optuna holds it: a catalogue is numbered, which keeps its order."""
    return parameter.values.index(value) if isinstance(parameter, taut.Ordinal) else value


def _suggested(trial: Any, parameter: Any) -> Any:
    if isinstance(parameter, taut.Real):
        return trial.suggest_float(parameter.name, parameter.low, parameter.high, log=bool(parameter.log))
    if isinstance(parameter, taut.Integer):
        return trial.suggest_int(parameter.name, parameter.low, parameter.high, log=parameter.log)
    if isinstance(parameter, taut.Ordinal):
        return parameter.values[trial.suggest_int(parameter.name, 0, len(parameter.values) - 1)]
    return trial.suggest_categorical(parameter.name, list(parameter.options))


def _tpe(board: Board) -> None:
    _optuna(board, "TPESampler", warn_independent_sampling=False)


def _gp(board: Board) -> None:
    _optuna(board, "GPSampler", deterministic_objective=True, warn_independent_sampling=False)


def _ego(board: Board) -> None:
    """By ask and tell where no constraint is known; its minimize takes known ones, but no design with choices."""
    os.environ["EGOBOX_LOG"] = "off"  # it would print the error that ends a run
    import egobox

    problem, known = board.case.problem, board.case.known
    limits = [k for k, each in enumerate(problem.constraints) if each.name not in known]
    formulas = [_formula(board, k) for k, each in enumerate(problem.constraints) if each.name in known]
    X = np.array([_row(problem, point) for point in board.initial])

    def values(x: np.ndarray, told: Callable[[Point], tuple[float, np.ndarray]] = board) -> np.ndarray:
        pairs = [told(_point(problem, row)) for row in np.atleast_2d(x)]
        return np.array([[value, *c[limits]] for value, c in pairs])

    leq = egobox.CstrSpec.leq(0.0, tol=0.0)
    specs, Y = [_spec(egobox, each) for each in problem.parameters], values(X, board.told)
    shared = {"cstr_specs": [leq] * len(limits), "seed": board.seed}
    if formulas:
        engine = egobox.Egor(specs, x_doe=X, y_doe=Y, **shared)
        options = {"fcstrs": formulas, "fcstr_specs": [leq] * len(formulas)}
        engine.minimize(values, max_iters=board.most, stop_on_error=True, **options)
        return
    engine, x = egobox.Egor(specs, **shared), X
    while True:
        new = engine.suggest(x, Y, seed=board.seed + len(x))
        Y, x = np.vstack([Y, values(new)]), np.vstack([x, new])


def _formula(board: Board, k: int) -> Callable[..., Any]:
    name = board.case.problem.constraints[k].name

    def value(x: np.ndarray, return_grad: bool = False) -> float:
        return float(board.case.functions[name](_point(board.case.problem, x)) / board.scale[k])

    return value


def _spec(egobox: Any, parameter: Any) -> Any:
    kind = egobox.XType
    if isinstance(parameter, taut.Choice):
        return egobox.XSpec(kind.ENUM, [len(parameter.options)])
    if isinstance(parameter, taut.Ordinal):
        return egobox.XSpec(kind.ORD, [float(value) for value in parameter.values])
    whole = isinstance(parameter, taut.Integer)
    return egobox.XSpec(kind.INT if whole else kind.FLOAT, [parameter.low, parameter.high])


def _row(problem: taut.Problem, point: Point) -> list[float]:
    return [
        float(each.options.index(point[each.name]) if isinstance(each, taut.Choice) else point[each.name])
        for each in problem.parameters
    ]


def _point(problem: taut.Problem, row: np.ndarray) -> Point:
    return {each.name: _value(each, float(value)) for each, value in zip(problem.parameters, row, strict=True)}


def _value(parameter: Any, value: float) -> Any:
    if isinstance(parameter, taut.Choice):
        return parameter.options[round(value)]
    if isinstance(parameter, taut.Ordinal):
        return min(parameter.values, key=lambda each: abs(each - value))
    return round(value) if isinstance(parameter, taut.Integer) else min(max(value, parameter.low), parameter.high)


PLAYERS: dict[str, Callable[[Board], None]] = {"optuna-gp": _gp, "optuna-tpe": _tpe, "egobox": _ego}
