"""The stored numbers (benchmarks/results), and the page and the figure that are made from them (docs)."""

import json
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from speed import table

SPEED, QUALITY = Path("benchmarks/results/speed.json"), Path("benchmarks/results/quality-of-decisions.json")
PAGE, FIGURE = Path("docs/speed.md"), Path("docs/speed.svg")
HEAD = """# How long a decision takes, and how good it is

This page is generated: `make bench` measures, `make bench-page` draws it again from the stored numbers.

All times are CPU seconds of one process with one thread, on a machine shared with other work: treat ratios below 1.5
as ties. Contestants took turns on the same data; the cases with two parameters and up to 300 values were measured on
four data sets, because BoTorch's fits take up to a third more or less time on one than on another. taut's decisions are
made with one function changed since the last one, as in a running study. BoTorch fits one SingleTaskGP (Matern-5/2) per
function and maximises log constrained expected improvement (15 restarts, 72 raw samples, double precision), once with
its present priors (length-scales scaled with the dimension, no signal variance) and once with the Gamma priors of its
Matern kernel; its KG is the one-shot Knowledge Gradient of the objective alone (64 fantasies). EGObox makes one
suggestion with its defaults, all constraints declared, from the objective's points with every function's value there.
BoTorch and EGObox propose a point; taut's `dckg` and `cei+` also choose which functions to evaluate there. `-` marks
what was not measured, with the reason.

While a decision is made, NumPy's BLAS is kept to one thread: the matrices are small, and threads that wait for each
other cost several times what they save.
"""
QUALITY_TEXT = """
The choice (x, S) of a decision is valued again by an accurate reference (thousands of inner points with continuous
polish, hundreds of scenarios), and so are the choices of a search 20 times as large, of one with a finer look-ahead,
and of searches with other random numbers on the same data. The share is the decision's value per cost over the best.
The bars are a median of at least 0.98 and a worst case of at least 0.9 over data seeds. The `run` cases are states of
real studies after so many steps. A state is settled if the best value per cost is below a millionth of the objective's
spread: there is nothing left that a decision could win, and the bars do not apply.

The table is about one stream of random numbers, and not the one the search was tuned on. Over six streams, 480
decisions of the eight cases that are not states of runs, the mean share is 0.990; 10 are below 0.9, four of them on
data set 5 of mystery-n100, where the larger search falls short too. With the stream of the version before it was 0.991
and 3. The states of runs are still those of that version.

What is missing in the worst cases is mostly the choice between two maxima that are far apart, in six dimensions for
example on different faces of the cube. States late in a run have narrow peaks that some searches find and others do
not.
"""


def save(root: Path, results: dict[str, Any], source: str) -> None:
    """Store what was measured; a part that was not measured now keeps its numbers."""
    about = {
        "source": source,
        "python": platform.python_version(),
        **{name: _version(name) for name in ("taut", "numpy", "scipy", "torch", "gpytorch", "botorch", "egobox")},
    }
    for path, parts in ((SPEED, ("speed", "steps", "memory")), (QUALITY, ("quality",))):
        old = json.loads((root / path).read_text()) if (root / path).exists() else {}
        fresh = {part: results[part] for part in parts if results.get(part)}
        if fresh:
            content = {"about": about, **{part: old.get(part, []) for part in parts}, **fresh}
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(json.dumps(content, indent=1) + "\n")


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"


def load(root: Path) -> dict[str, Any]:
    """Everything that is stored."""
    results: dict[str, Any] = {}
    for path in (SPEED, QUALITY):
        if (root / path).exists():
            stored = json.loads((root / path).read_text())
            about = {**results.get("about", {}), **stored["about"]}
            results.update(stored)
            results["about"] = about
    return results


def write(root: Path) -> None:
    """Page and figure from the stored numbers."""
    from speed import figure

    results = load(root)
    (root / PAGE).write_text(markdown(results))
    if results.get("speed"):
        figure.draw(results["speed"], root / FIGURE)


def markdown(results: dict[str, Any]) -> str:
    """The page."""
    about = results.get("about", {})
    versions = ", ".join(
        f"{name} {about[name]}" for name in ("numpy", "scipy", "torch", "botorch", "egobox") if name in about
    )
    parts = [HEAD, f"Versions: Python {about.get('python', '?')}, {versions}.\n"]
    for key, title, rows in table.SECTIONS:
        if not results.get(key):
            continue
        parts.append(f"## {title}\n\n{table.markdown(rows(results[key]))}\n")
        if key == "speed":
            parts.append(f"![CPU seconds against the number of values and of constraints]({FIGURE.name})\n")
        if key == "quality":
            parts.append(QUALITY_TEXT.lstrip())
    return "\n".join(parts)
