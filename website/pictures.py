"""Makes the pictures of the documentation from small studies, in some seconds.

    python website/pictures.py docs/pictures

The studies are those of the pages; what a picture shows is what taut.plot draws.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PICTURES = ("boundaries", "convergence", "decisions", "relevance", "slices", "spending")
"""By the names of taut.plot's functions; each becomes NAME.svg."""


def beam() -> Any:
    """The cantilever of the README, with the mass known."""
    import taut

    functions: dict[str, Callable[[dict[str, float]], float]] = {
        "stress": lambda p: 1.2e7 / (p["width"] * p["height"] ** 2),  # MPa
        "deflection": lambda p: 3.81e7 / (p["width"] * p["height"] ** 3),  # mm
        "frequency": lambda p: 0.818 * p["height"],  # Hz
    }
    problem = taut.Problem(
        parameters=[taut.Real("width", 10.0, 60.0), taut.Real("height", 20.0, 80.0)],
        objective=taut.Objective("mass", goal="minimize", formula="7.85e-3 * width * height"),
        constraints=[
            taut.Constraint("stress", at_most=150.0, cost=5),
            taut.Constraint("deflection", at_most=10.0, cost=5),
            taut.Constraint("frequency", at_least=40.0, cost=20),
        ],
    )
    study = taut.Study(problem, seed=0)
    study.run(functions, budget=90)
    return study


def make(folder: Path) -> list[Path]:
    """Draw all pictures into a folder; their paths."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "taut"  # the same names inside each time
    import taut

    folder.mkdir(parents=True, exist_ok=True)
    study = beam()
    made = []
    for name in PICTURES:
        figure = getattr(taut.plot, name)(study).figure
        made.append(folder / f"{name}.svg")
        figure.savefig(made[-1], bbox_inches="tight", metadata={"Date": None})
    return made


if __name__ == "__main__":
    for path in make(Path(sys.argv[1])):
        print(path)
