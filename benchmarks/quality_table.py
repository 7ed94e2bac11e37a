"""Tables of stored repetitions (see quality.py): pure functions from traces to numbers to text.

A trace is the JSON object of one repetition; a group is the traces of one (problem, method, label). The
recommendation of a step holds until the next one, so opportunity cost is a step function of the cost spent.
"""

import json
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Trace = dict[str, Any]
Key = tuple[str, str, str]
Groups = dict[Key, list[Trace]]

HORIZONS = (30.0, 60.0, 120.0, 240.0)
BASELINES = ("cei", "ckg")
DOUBTFUL = (0.45, 0.95)
"""Reported probabilities over which calibration is judged: the ones that are neither sure nor hopeless."""


def load(folder: Path, problems: Collection[str] = (), methods: Collection[str] = ()) -> Groups:
    """All stored traces by (problem, method, label); empty selections mean everything."""
    groups: Groups = {}
    for path in sorted(folder.glob("*/*/*/*.json")):
        problem, method, label = path.parts[-4:-1]
        if (not problems or problem in problems) and (not methods or method in methods):
            groups.setdefault((problem, method, label), []).append(json.loads(path.read_text()))
    return groups


# --- Numbers


def scored(trace: Trace) -> list[dict[str, Any]]:
    """The steps after which a recommendation was made."""
    return [step for step in trace["steps"] if "oc" in step]


def final(traces: Iterable[Trace], field: str = "oc") -> np.ndarray:
    """Value of the last recommendation of each trace, [runs]."""
    return np.array([scored(trace)[-1][field] for trace in traces])


def at(trace: Trace, spent: float) -> float:
    """Opportunity cost of the recommendation that stood after this cost."""
    return float([step["oc"] for step in scored(trace) if step["spent"] <= spent + 1e-9][-1])


def median_at(traces: Sequence[Trace], spent: float) -> float:
    return float(np.median([at(trace, spent) for trace in traces]))


def stuck_threshold(problem: str, optimum: float) -> float:
    """Final opportunity cost above which a run counts as stuck away from the optimum."""
    known = {"mystery": 0.5, "constrained_branin": 10.0, "test_function_2": 0.03}
    for name, threshold in known.items():
        if problem.startswith(name):
            return threshold
    return 0.1 * abs(optimum)


def calibration(traces: Iterable[Trace]) -> tuple[int, float, float, float]:
    """Of the doubtful recommendations: count, mean reported probability, true and strictly true share."""
    low, high = DOUBTFUL
    steps = [step for trace in traces for step in scored(trace) if low <= step["probability"] <= high]
    if not steps:
        return 0, math.nan, math.nan, math.nan

    def mean(field: str) -> float:
        return float(np.mean([step[field] for step in steps]))

    return len(steps), mean("probability"), mean("feasible"), mean("feasible_strict")


def evaluations(traces: Sequence[Trace]) -> dict[str, float]:
    """Mean number of evaluations per function after the initial design."""
    names = scored(traces[0])[0]["values"]
    asked = [name for trace in traces for step in trace["steps"] for name in step["functions"]]
    return {name: asked.count(name) / len(traces) for name in names}


def verdicts(traces: Iterable[Trace]) -> tuple[int, int, int]:
    """Verdicts on constraints: right, wrong, undecided. Right = called binding exactly if it binds."""
    right = wrong = undecided = 0
    for trace in traces:
        for row in trace["relevance"]:
            if row["verdict"] == "undecided":
                undecided += 1
            elif (row["verdict"] == "binding") == (row["constraint"] in trace["binding"]):
                right += 1
            else:
                wrong += 1
    return right, wrong, undecided


def cost_to_reach(traces: Sequence[Trace], opportunity_cost: float) -> float:
    """Smallest cost at which the median opportunity cost is at most this; infinite if never."""
    grid = sorted({step["spent"] for trace in traces for step in scored(trace)})
    return next((spent for spent in grid if median_at(traces, spent) <= opportunity_cost), math.inf)


def baseline(groups: Groups, key: Key, method: str) -> list[Trace] | None:
    """The traces of another method on the same problem with the same costs, if possible of the same label."""
    costs = groups[key][0]["settings"]["costs"]
    found = {
        other[2]: traces
        for other, traces in groups.items()
        if other[:2] == (key[0], method) and traces[0]["settings"]["costs"] == costs
    }
    return found.get(key[2]) or next(iter(found.values()), None)


# --- Text


def short(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}"


def quality_row(key: Key, traces: list[Trace]) -> list[str]:
    oc, strict = final(traces), final(traces, "oc_strict")
    stuck = int(np.sum(oc > stuck_threshold(key[0], traces[0]["optimum"])))
    feasible = [np.mean(final(traces, field)) for field in ("feasible", "feasible_strict")]
    numbers = (np.median(oc), np.quantile(oc, 0.75), np.max(oc), np.median(strict), *feasible)
    return [*key, str(len(traces)), *(short(float(number)) for number in numbers), str(stuck)]


def progress_row(key: Key, traces: list[Trace]) -> list[str]:
    budget = min(trace["settings"]["budget"] for trace in traces)
    return [*key, *(short(median_at(traces, h) if h <= budget else math.nan) for h in HORIZONS)]


def calibration_row(key: Key, traces: list[Trace]) -> list[str]:
    count, reported, true, strict = calibration(traces)
    return [*key, str(count), short(reported), short(true), short(strict)]


def work_row(key: Key, traces: list[Trace]) -> list[str]:
    asks = [step["ask_seconds"] for trace in traces for step in trace["steps"] if "ask_seconds" in step]
    recommends = [step["recommend_seconds"] for trace in traces for step in scored(trace)]
    seconds = [short(float(np.median(times))) if times else "-" for times in (asks, recommends)]
    counts = " ".join(f"{name}:{count:.1f}" for name, count in evaluations(traces).items())
    return [*key, *seconds, "/".join(str(count) for count in verdicts(traces)), counts]


def ratio_rows(groups: Groups) -> list[list[str]]:
    """Share of the budget each dckg variant needs to be where a coupled method is at the end of it."""
    rows = []
    for key, traces in groups.items():
        for method in BASELINES:
            other = baseline(groups, key, method)
            if not key[1].startswith("dckg") or other is None:
                continue
            goal, budget = float(np.median(final(other))), other[0]["settings"]["budget"]
            cost = cost_to_reach(traces, goal)
            ratio = "-" if math.isinf(cost) else short(cost / budget)
            rows.append([*key, method, short(goal), short(budget), short(cost), ratio])
    return rows


def layout(title: str, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as aligned text: words to the left, numbers to the right."""
    lines = [("problem", "method", "label", *headers), *rows]
    columns = []
    for cells in zip(*lines, strict=True):
        width = max(len(cell) for cell in cells)
        words = cells[0] in ("problem", "method", "label", "evaluations")
        columns.append([cell.ljust(width) if words else cell.rjust(width) for cell in cells])
    return "\n".join([title, *("  ".join(line).rstrip() for line in zip(*columns, strict=True))])


def tables(groups: Groups) -> str:
    """All tables, or one sentence if there is nothing to show."""
    if not groups:
        return "No finished repetitions in this folder."
    quality = ("runs", "median", "75%", "max", "median strict", "feasible", "strict", "stuck")
    sections: list[tuple[str, Sequence[str], Callable[[Key, list[Trace]], list[str]]]] = [
        ("Final opportunity cost; share of feasible final recommendations", quality, quality_row),
        ("Median opportunity cost after so many units", [f"{h:g}" for h in HORIZONS], progress_row),
        (
            f"Calibration: recommendations reported feasible with probability in {list(DOUBTFUL)}",
            ("count", "reported", "true", "strictly true"),
            calibration_row,
        ),
        (
            "Median CPU seconds; relevance right/wrong/undecided; mean evaluations after the initial design",
            ("ask", "recommend", "relevance", "evaluations"),
            work_row,
        ),
    ]
    texts = [layout(title, heads, [row(k, groups[k]) for k in groups]) for title, heads, row in sections]
    ratios = ratio_rows(groups)
    if ratios:
        heads = ("versus", "its final OC", "its budget", "cost to reach", "ratio")
        texts.append(layout("Cost to reach the median final OC of a coupled method", heads, ratios))
    return "\n\n".join(texts)
