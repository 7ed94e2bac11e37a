"""docs/noise.md from the rows of benchmarks/noise.py."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from store.rows import Row
from store.table import markdown

Groups = dict[tuple[str, bool, str], list[Row]]
BINS = (0.0, 0.5, 0.8, 0.95, 0.99, 1.0)
"""Edges of the classes of promised probabilities."""
AT = {0: "120", 1: "240"}
"""Budgets, by position."""
CHOOSING = 10
"""Seeds below were for choosing; the page shows the others."""
NAMES = {"nei": "BoTorch NEI, by value", "nei-probable": "BoTorch NEI, probable"}

INTRO = """\
# Noise

Written by `make noise-page` from `benchmarks/results/noise.jsonl`; do not edit. `make noise` and `make noise-rival`
measure again what is not there.

Mystery and Test Function 2 with normal noise on one constraint or on all functions; its standard deviation is 5 or 20 %
of a function's spread, the width of the central 90 % of its values over the box. Every function costs 1. Each run is a
study of 120 units after the initial design, ended with its answer, and then taken on to 240. Answers are scored by the
functions without noise: opportunity cost (OC), or what an infeasible design costs by the problem's own penalty (41.2 on
Mystery, 4.7 on Test Function 2). The noise is that of the seed, function and count, the same for all methods, as is the
initial design. Settings were chosen on seeds 0 to 9, and none of these is shown.

`dckg` is the default; `ckg` and `cei` evaluate all functions at each step. BoTorch NEI is
`qLogNoisyExpectedImprovement` with constraints, one `SingleTaskGP` for each function, its noise learned or given as to
the library, all functions evaluated and paid for at each trial. It has no recommendation of its own. "Probable" is the
best posterior mean of the evaluated designs that are feasible with a probability of a half or more; "by value" weighs
mean and probability as the library does, M + (mean - M) P(feasible), M the smallest value seen.

Where a row has few runs, read it as a first impression, not as a comparison. An OC of more than 5 on Mystery is an
answer next to another local optimum: few values, some of them by luck, made it look better, and a look ahead of one
noisy value sees little to gain from going back. None of the library's methods is free of that.
"""
UNEVEN = """\
## Noise that is not the same everywhere

Declared as `noise="learned"`, which supposes one size for all places. "Across": from nothing at one side of the box to
twice the share at the other; "size": in proportion to the size of the value. All functions have it.
"""
PROMISES = """\
## What was promised

All answers of the runs above together: the probability of feasibility that was reported against the share of answers
that are feasible, and how often the true objective lies within 1 and 2 of the reported standard deviations.
"""


def groups(found: Sequence[Row]) -> Groups:
    """By case, whether the noise is given, and version and method; a run with two recommendations counts as two."""
    made = defaultdict[tuple[str, bool, str], list[Row]](list)
    for row in found:
        name = f"{row['label']} {row['method']}"
        made[row["case"], row["given"], name].append(row)
        if "probable" in row["scores"][0]:
            other = {**row, "scores": [each["probable"] for each in row["scores"]]}
            made[row["case"], row["given"], f"{name}-probable"].append(other)
    return dict(sorted(made.items()))


def answers(found: Groups) -> str:
    """OC by case."""
    head = ["case", "noise", "method", "runs", "OC at 120: median (mean, worst)", "at 240"]
    return markdown([*head, "infeasible at 120, 240", "repeats", "ms"], _answers(found))


def _answers(found: Groups) -> Iterator[list[str]]:
    for (case, given, name), runs in found.items():
        cells = []
        for mark in AT:
            oc = [row["scores"][mark]["oc"] for row in runs]
            cells.append(f"{np.median(oc):.3g} ({np.mean(oc):.3g}, {np.max(oc):.3g})")
        wrong = ", ".join(str(sum(not row["scores"][mark]["feasible"] for row in runs)) for mark in AT)
        again = f"{np.mean([row['repeated'] for row in runs]):.0%}" if "repeated" in runs[0] else ""
        cpu = 1000.0 * sum(row["ask_seconds"] for row in runs) / max(1, sum(row["asks"] for row in runs))
        yield [case, _said(given), name, str(len(runs)), *cells, wrong, again, f"{cpu:.0f}"]


def promises(found: Groups) -> str:
    """Of all cases together: promised feasibility against how many were feasible, and errors of the objective."""
    head = ["method", "noise", "at", "promised", "answers", "mean promise", "were feasible"]
    return markdown([*head, "objective: within 1, 2 sd"], _promises(found))


def _promises(found: Groups) -> Iterator[list[str]]:
    made = defaultdict[tuple[str, bool], list[Row]](list)
    for (_, given, name), runs in found.items():
        made[name, given] += runs
    for (name, given), runs in sorted(made.items()):
        for mark, units in AT.items():
            scores = [row["scores"][mark] for row in runs]
            p, truth = np.array([s["probability"] for s in scores]), np.array([s["feasible"] for s in scores])
            z = np.abs([s["z"] for s in scores])
            for low, high in [*zip(BINS[:-1], BINS[1:], strict=True), (-1.0, 1.0)]:
                here = (p > low) & (p <= high)
                if here.any():
                    what = "all" if low < 0.0 else f"{low:g} to {high:g}"
                    within = f"{np.mean(z[here] <= 1.0):.0%}, {np.mean(z[here] <= 2.0):.0%}"
                    cells = [str(here.sum()), f"{np.mean(p[here]):.3f}", f"{np.mean(truth[here]):.3f}", within]
                    yield [name, _said(given), units, what, *cells]


def _said(given: bool) -> str:
    return "given" if given else "learned"


def tables(found: Sequence[Row]) -> str:
    made = groups(found)
    return f"{answers(made)}\n\n{promises(made)}"


def text(found: Sequence[Row], uneven: Sequence[str]) -> str:
    """The page; uneven: the targets whose noise is not the same everywhere."""
    shown = groups([row for row in found if row["seed"] >= CHOOSING])
    named = {(*key[:2], _name(key[2])): runs for key, runs in shown.items()}
    here = {key: runs for key, runs in named.items() if key[0].rsplit("-", 2)[1] in uneven}
    plain = {key: runs for key, runs in named.items() if key not in here}
    parts = [INTRO, "## Answers", answers(plain), UNEVEN, answers(here), PROMISES, promises(named)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _name(name: str) -> str:
    """Of a method, without the version that was measured."""
    method = name.split(maxsplit=1)[1]
    return NAMES.get(method, method)
