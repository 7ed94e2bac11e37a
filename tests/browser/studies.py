"""Studies for the browser: a small one that runs, and one with 10,000 evaluations."""

import math
from pathlib import Path

import numpy as np

import taut
from taut.app.studyfile.file import load, open_study
from taut.data.rows import Observation, Suggestion

FILE = """\
[study]
name = "bracket"
method = "dckg"
seed = 1
budget = {budget}
initial = 6
storage = "bracket.db"
[parameters.width]
low = 1.0
high = 20.0
[parameters.height]
low = 10.0
high = 100.0
[objective]
name = "mass"
goal = "minimize"
[[constraints]]
name = "stress"
at_most = 150.0
cost = 5
[[constraints]]
name = "sag"
at_most = 2.0
cost = 4
"""


def values(point: dict[str, float]) -> dict[str, float]:
    width, height = point["width"], point["height"]
    return {"mass": 7.85e-3 * width * height, "stress": 4.5e6 / (width * height**2), "sag": 2.9e6 / (width * height**3)}


def begin(folder: Path, budget: float) -> tuple[Path, taut.Study]:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "study.toml"
    path.write_text(FILE.format(budget=budget))
    return path, open_study(load(path))


def step(study: taut.Study) -> tuple[taut.Suggestion, dict[str, float]]:
    """One decision, evaluated."""
    asked = study.ask()
    found = {name: values(asked.point)[name] for name in asked.functions}
    study.tell(asked, found)
    return asked, found


def large(folder: Path, evaluations: int = 9_999) -> tuple[Path, taut.Study]:
    """Rows written straight into the storage: decisions would take hours."""
    path, study = begin(folder, 1e6)
    rng, rows, storage = np.random.default_rng(0), [], study._storage
    for number in range(1, evaluations // 3 + 1):
        point = {"width": float(rng.uniform(1.0, 20.0)), "height": float(rng.uniform(10.0, 100.0))}
        best = [0.1 + float(rng.normal(0.0, 1.0 / math.sqrt(number + 30.0))) ** 2, 1.0]
        memory = {} if number <= 6 else {"best": [min(each, 1.0) for each in best]}
        asked = Suggestion(number, point, study.problem.functions, 10.0, "", len(rows), number <= 6, None, memory)
        storage.add_suggestion(asked)
        rows += [Observation(name, point, value, number) for name, value in values(point).items()]
    storage.add_observations(rows)
    return path, study
