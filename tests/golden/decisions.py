"""Decisions of every method to the last digit: what a change of the code must not change by accident.

    python tests/golden/decisions.py            # compute all and compare with the record
    python tests/golden/decisions.py dckg       # one method, printed as JSON
    python tests/golden/decisions.py dckg --some  # the same in the scenes that the tests play
    python tests/golden/decisions.py --record   # write the record: only when decisions are meant to change

A scene is a small study: a problem, its functions, and how it is played. Each method plays eight suggestions after the
initial design, a slow variant four; kept are point, functions and recommendation of each step, and for dckg the
relevance at the end.
Matrix kernels are chosen by the processor, so the record is made with one fixed choice of them (ENVIRONMENT), in a
process of its own.
"""

import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("decisions.json")
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}
METHODS = ("dckg", "dckg-uncoupled", "cei+", "ucb-d", "cmes", "pesc", "pesc-coupled", "ckg", "cei", "random")
PRESETS = ("dckg@paper", "cei+@paper")
VARIANTS, SLOWEST = ("dckg-uncoupled", "ckg", "cmes", "pesc", "pesc-coupled"), ("five",)
# What the tests play of every method but the default, which plays all: two sides, groups, failures, noise.
TESTED = ("mystery", "failures", "groups", "noise")
STEPS, VARIANT_STEPS = 8, 4


@dataclass(frozen=True)
class Scene:
    """ahead: suggestions kept under way; noise: standard deviation added to f; fails: where a function has no value."""

    problem: Any
    functions: Mapping[str, Callable[[Mapping[str, float]], float]]
    ahead: int = 0
    noise: float = 0.0
    fails: Callable[[str, Mapping[str, float]], bool] = lambda name, point: False
    study: Mapping[str, Any] = field(default_factory=dict)
    budget: float | None = None


def scenes() -> dict[str, Scene]:
    import taut

    x, y = taut.Real("x", 0.0, 5.0), taut.Real("y", -1.0, 2.0)
    hilly: dict[str, Callable[[Mapping[str, float]], float]] = {
        "f": lambda p: math.sin(2.0 * p["x"]) + 0.3 * p["x"] - (p["y"] - 0.4) ** 2,
        "c": lambda p: p["x"] * p["y"] - 2.0,
        "g": lambda p: math.cos(p["x"]) + p["y"],
    }
    plane = taut.Problem([x, y], taut.Objective("f"), [taut.Constraint("c", at_most=0.0)])
    found = {}
    for name in ("mystery", "test_function_2", "constrained_branin"):
        tested = taut.bench.problem(name)
        found[name] = Scene(tested.problem, tested.functions, ahead=2 if name == "constrained_branin" else 0)
    found["failures"] = Scene(
        plane, hilly, fails=lambda name, p: p["x"] > 3.9 if name == "f" else p["y"] < -0.5, study={"seed": 3}
    )
    found["groups"] = Scene(
        taut.Problem(
            [x, y, taut.Real("z", 0.01, 10.0, log=True)],
            taut.Objective("f", goal="minimize", cost=2.0),
            [
                taut.Constraint("c", at_most=0.5, at_least=-1.5, cost=0.5),
                taut.Constraint("g", at_least=-0.5, cost=1.0),
                taut.Constraint("h", at_most=4.0, cost=3.0),
            ],
            [taut.Group("cg", ("c", "g"), cost=1.2)],
        ),
        {
            "f": lambda p: (p["x"] - 3.0) ** 2 + p["y"] * math.log(p["z"]) + 0.1 * math.log(p["z"]) ** 2,
            "c": lambda p: p["x"] * p["y"] - 1.0,
            "g": lambda p: math.cos(p["x"]) + p["y"],
            "h": lambda p: p["x"] + math.log(p["z"]),
        },
        ahead=1,
        study={"initial_design": "independent", "initial": 5, "seed": 1},
        budget=40.0,
    )
    found["noise"] = Scene(
        taut.Problem([x, y], taut.Objective("f", noise="learned"), [taut.Constraint("c", at_most=0.0, noise=0.02)]),
        hilly,
        noise=0.02,
        study={"seed": 5},
    )
    found["from_nothing"] = Scene(plane, hilly, study={"initial": 0, "seed": 2})
    found["five"] = Scene(
        taut.Problem(
            [taut.Real(f"x{i}", -1.0, 1.0) for i in range(5)],
            taut.Objective("f", cost=5.0),
            [taut.Constraint("c", at_most=0.3), taut.Constraint("g", at_least=-0.4, cost=2.0)],
        ),
        {
            "f": lambda p: -sum((v - 0.2 * i) ** 2 for i, v in enumerate(p.values())),
            "c": lambda p: p["x0"] + p["x1"] * p["x2"],
            "g": lambda p: math.sin(3.0 * p["x3"]) - p["x4"],
        },
        study={"seed": 4},
    )
    return found


def steps_of(method: str) -> int:
    return VARIANT_STEPS if method in VARIANTS else STEPS


def played(scene: Scene, method: str) -> dict[str, Any]:
    """The steps of one method in one scene."""
    import numpy as np

    import taut

    name, _, preset = method.partition("@")
    study = taut.Study(scene.problem, method=name, preset=preset or None, **scene.study)
    rng = np.random.default_rng(7)
    open_rows: list[taut.Suggestion] = []
    steps: list[dict[str, Any]] = []
    while len(steps) < steps_of(method):
        try:
            suggestion = study.ask(budget=scene.budget)
        except taut.StudyError as error:
            steps.append({"refused": str(error)})
            break
        open_rows.append(suggestion)
        while len(open_rows) > (0 if suggestion.initial else scene.ahead):
            row = open_rows.pop(0)
            for function in row.functions:
                value = scene.functions[function](row.point) + scene.noise * rng.normal()
                study.tell(row, {function: None if scene.fails(function, row.point) else value})
        if not suggestion.initial:
            best = study.recommend()
            steps.append(
                {
                    "point": list(suggestion.point.values()),
                    "functions": list(suggestion.functions),
                    "best": list(best.point.values()),
                    "objective": list(best.objective),
                    "feasibility": best.feasibility,
                }
            )
    judged = study.relevance() if method == "dckg" else []
    return {"steps": steps, "relevance": [[row.constraint, row.matters, row.binds] for row in judged]}


def computed(method: str, some: bool = False) -> dict[str, Any]:
    """All scenes of one method, or those the tests play; seven of them for slow methods, two for presets."""
    left_out = SLOWEST if method in VARIANTS else ()
    if some and method != "dckg":
        left_out = tuple(name for name in scenes() if name not in TESTED)
    chosen = {name: scene for name, scene in scenes().items() if name not in left_out}
    if "@" in method:
        chosen = {name: chosen[name] for name in ("mystery", "groups")}
    return {name: played(scene, method) for name, scene in chosen.items()}


def fingerprint() -> dict[str, str]:
    """What the last digits depend on besides the code."""
    import numpy
    import scipy

    return {"numpy": numpy.__version__, "scipy": scipy.__version__, "machine": platform.machine()}


def in_child(method: str, some: bool = False) -> dict[str, Any]:
    """The same in a process with the fixed kernels."""
    command = [sys.executable, "-W", "ignore", __file__, method, *["--some"] * some]
    run = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ) | ENVIRONMENT)
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout))


def differences(method: str, now: Any, then: Any) -> list[str]:
    """Where the decisions of a method differ from the record: the first step of each scene that was played."""
    found = []
    for name in now:
        steps = zip(now[name]["steps"], then[name]["steps"], strict=False)
        first = next((i for i, (a, b) in enumerate(steps, start=1) if a != b), None)
        if first is not None:
            a, b = now[name]["steps"][first - 1], then[name]["steps"][first - 1]
            keys = [key for key in b if a.get(key) != b[key]]
            found.append(f"{method}, {name}, step {first}: " + "; ".join(f"{k} {a.get(k)} was {b[k]}" for k in keys))
        elif now[name] != then[name]:
            found.append(f"{method}, {name}: relevance or number of steps")
    return found


def main(words: list[str]) -> int:
    if words and not words[0].startswith("-"):
        print(json.dumps(computed(words[0], some="--some" in words)))
        return 0
    from concurrent.futures import ThreadPoolExecutor

    methods = METHODS + PRESETS
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(methods, pool.map(in_child, methods), strict=True))
    if "--record" in words:
        text = json.dumps({"made with": fingerprint(), "methods": found}, indent=None, separators=(",", ":"))
        RECORD.write_text(text.replace('},{"point"', '},\n{"point"').replace('"steps"', '\n"steps"') + "\n")
        return 0
    then = json.loads(RECORD.read_text())["methods"]
    lines = [line for method in methods for line in differences(method, found[method], then[method])]
    print("\n".join(lines) or "no decision differs")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
