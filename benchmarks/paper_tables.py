"""Write the tables of docs/paper.md from the published results.

python benchmarks/paper_tables.py            print them
python benchmarks/paper_tables.py --write    put them into the page, between its markers
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from store.table import markdown, put

from taut_paper import statistics
from taut_paper.claims import rules
from taut_paper.curves import title
from taut_paper.report.tables import methods_of, probability, small
from taut_paper.results import load
from taut_paper.traces import Results, Traces

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "paper"
PAGE = ROOT / "docs" / "paper.md"
BEGIN, END = "<!-- table: {name} -->", "<!-- end of table -->"


def by_method(results: Results, cell: Callable[[Traces, float], str]) -> str:
    """One row per experiment, one column per method."""
    methods = [name for name in methods_of(results, "default") if name != "dckg-uncoupled"]
    rows = []
    for experiment in results.experiments:
        arms = [results.traces(experiment, method) for method in methods]
        B = statistics.horizon(*(list(arm.values()) for arm in arms if arm))
        rows.append([title(experiment), f"{B:g}", *(cell(arm, B) if arm else "" for arm in arms)])
    return markdown(["experiment", "budget", *(f"`{method}`" for method in methods)], rows)


def area(arm: Traces, B: float) -> str:
    return f"{np.median([statistics.auc(trace, B) for trace in arm.values()]):.2f} ({len(arm)})"


def final(arm: Traces, B: float) -> str:
    stuck = statistics.stuck_count(arm, B)
    text = small(float(np.median([statistics.at_costs(trace, [B])[0] for trace in arm.values()])))
    return f"{text}, {stuck} stuck" if stuck else text


def at_mystery(results: Results, B: float = 120.0) -> str:
    """Every method on Mystery at 120 units."""
    rows = []
    for method in methods_of(results, "default"):
        arm = results.traces("mystery", method)
        if not arm:
            continue
        end = np.array([statistics.at_costs(trace, [B])[0] for trace in arm.values()])
        quartiles = [small(float(q)) for q in np.quantile(end, [0.5, 0.25, 0.75, 1.0])]
        counts = np.median([list(statistics.counts(trace, B).values()) for trace in arm.values()], axis=0)
        cpu = np.median([statistics.cpu_per_decision(trace) for trace in arm.values()])
        evaluations = f"f {counts[0]:.0f}, c {counts[1]:.0f}"
        stuck = str(statistics.stuck_count(arm, B))
        rows.append([f"`{method}`", str(len(arm)), *quartiles, stuck, evaluations, f"{1000 * cpu:.0f}"])
    head = ["method", "seeds", "median OC", "25 %", "75 %", "largest", "stuck", "evaluations (median)", "CPU ms"]
    return markdown(head, rows)


def judged(results: Results) -> str:
    """All claims with both presets."""
    default, paper = (rules.judge(results, preset) for preset in ("default", "paper"))
    rows = [
        [one.id, one.claim, one.verdict, other.verdict, shortened(one.numbers if one.verdict != "no data" else "")]
        for one, other in zip(default, paper, strict=True)
    ]
    return markdown(["", "claim", "default", "paper's settings", "numbers (default)"], rows)


def shortened(text: str, most: int = 330) -> str:
    text = text.replace("|", "/")
    return text if len(text) <= most else text[: text.rfind(";", 0, most)] + "; ..."


def presets(results: Results) -> str:
    rows = [
        [
            title(row.experiment), f"`{row.method}`", str(row.n),
            f"{row.auc_default:.2f}", f"{row.auc_paper:.2f}", probability(row.auc_p),
            small(row.oc_default), small(row.oc_paper), probability(row.oc_p),
            " / ".join(str(statistics.stuck_count(results.traces(row.experiment, row.method, preset)))
                       for preset in ("default", "paper")),
        ]
        for row in rules.compare_presets(results)
    ]  # fmt: skip
    head = ["experiment", "method", "seeds", "area, default", "paper's", "p", "final OC, default", "paper's", "p"]
    return markdown([*head, "stuck"], rows)


def catching_up(results: Results) -> str:
    """What dckg has spent when its median is where a coupled method ends."""
    rows = []
    for experiment in results.experiments:
        own = results.traces(experiment, "dckg")
        for method in ("cei", "ckg"):
            other = results.traces(experiment, method)
            if not other:
                continue
            mine, theirs = statistics.paired(own, other)
            B = statistics.horizon(mine, theirs)
            grid = np.linspace(0.0, B, int(B) + 1)
            end = statistics.bands(theirs, grid).median[-1]
            there = np.flatnonzero(statistics.bands(mine, grid).median <= end)
            cost = f"{grid[there[0]]:.0f}" if len(there) else "not reached"
            share = f"{grid[there[0]] / B:.2f}" if len(there) else ""
            rows.append([title(experiment), f"`{method}`", str(len(mine)), small(float(end)), cost, share])
    return markdown(["experiment", "against", "seeds", "its median OC at the end", "`dckg` is there at", "share"], rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "areas": lambda results: by_method(results, area),
    "ends": lambda results: by_method(results, final),
    "mystery": at_mystery,
    "coupled": catching_up,
    "claims": judged,
    "presets": presets,
}


def main(arguments: Sequence[str]) -> int:
    results = load(RESULTS)
    made = {name: make(results) for name, make in TABLES.items()}
    if "--write" in arguments:
        for name, table in made.items():
            put(PAGE, BEGIN.format(name=name), table, END)
    else:
        print("\n\n".join(f"{name}\n{table}" for name, table in made.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
