"""The picture of an example: what the answer was worth at each cost, and what each function cost.

    python examples/picture.py examples/water
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "taut"  # the same study gives the same file

import matplotlib.pyplot as plt  # noqa: E402

import taut  # noqa: E402


def draw(folder: Path) -> Path:
    study = taut.Study.open(folder / f"{folder.name}.db")
    figure, axes = plt.subplots(1, 2, figsize=(11, 4 + 0.12 * max(0, len(study.problem.functions) - 12)))
    taut.plot.convergence(study, ax=axes[0])
    taut.plot.spending(study, ax=axes[1])
    figure.tight_layout()
    picture = folder / "picture.svg"
    figure.savefig(picture, metadata={"Date": None})
    return picture


if __name__ == "__main__":
    print(f"wrote {draw(Path(sys.argv[1]).resolve())}")
