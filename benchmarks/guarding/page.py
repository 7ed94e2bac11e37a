"""Tables of the guard, for the screen and for docs/guard.md."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from guarding.cases import CHOOSE, CHOOSE_SEEDS, GROUPS, PAPER
from guarding.figures import LEAST, Row, better, by_case, figures, line, stored
from guarding.landscapes import FAMILIES

PARQUET = Path(__file__).parents[2] / "results" / "paper" / "steps.parquet"
RIVALS = ("pesc", "ucb-d", "cei+")
WORDS = """\
# Does the default get worse anywhere?

Written by `make guard-page` from `benchmarks/results/guard.jsonl`; do not edit. `make guard` measures again.

`dckg` as it is ({label}) against an earlier version ({base}), and on the paper's experiments against the stored runs
of its rivals, on the same seeds: own problems with many bumps, separate feasible sets and steep parameters (a new
instance for every seed; {families}), engineering problems, and the experiments of the paper. Budgets: 60 units for
each parameter of an own problem, 200 for engineering, 80, 100 or 160 for the paper's.

Area: mean of log10 OC over the budget, scored every two units (stored runs: at every step), with {least:g} of the
range of feasible values as the least OC. Stuck: the final OC is no better than another local optimum, or than 1 % of
the range of feasible values. Said sure: infeasible although reported feasible with 0.99 or more. ms: CPU time of a
decision; runs were made side by side with others, so it is rough. Pairs: seeds on which {label} has the lower area by
more than 0.05, and the higher one.

Settings were chosen on {choose} with seeds {seeds}. These runs are in the second table; everything else was only
judged.

## Judged

{judged}

## Took part in choosing

{chosen}
"""
HEAD = """\
| case | version | area: median; mean; worst | final OC: median; worst | stuck | infeasible (said sure) | ms | pairs |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def table(rows: Sequence[Row], label: str, base: str, seeds: Sequence[int] | None = None) -> str:
    """One line per case and version; on the paper's experiments the stored rivals on the same seeds."""
    found = by_case([row for row in rows if seeds is None or row["seed"] in seeds])
    lines = []
    for name in GROUPS["all"]:
        versions = {version: mine for (case, version), mine in found.items() if case == name}
        if label in versions and base in versions:  # the same seeds of both
            both = {row["seed"] for row in versions[label]} & {row["seed"] for row in versions[base]}
            versions = {key: [row for row in mine if row["seed"] in both] for key, mine in versions.items()}
        known = {version: figures(mine) for version, mine in versions.items() if mine}
        if label in known and name in PAPER:
            rivals = by_case(stored(PARQUET, name, RIVALS, list(known[label].areas)))
            known |= {version: figures(mine) for (_, version), mine in rivals.items()}
        for version in sorted(known, key=lambda each: (each != label, each != base, each)):
            pairs = better(known[label], known[version]) if label in known and version != label else ""
            lines.append(f"| {name} | {version} | {line(known[version])} | {pairs} |")
    return HEAD + "\n".join(lines)


def page(rows: Sequence[Row], label: str, base: str) -> str:
    """docs/guard.md: what is kept, apart for what took part in choosing and what did not."""
    chosen = [row for row in rows if row["case"] in CHOOSE and row["seed"] in CHOOSE_SEEDS]
    judged = [row for row in rows if row not in chosen]
    text = WORDS.format(
        label=label,
        base=base,
        choose=", ".join(CHOOSE),
        seeds=f"{CHOOSE_SEEDS[0]} to {CHOOSE_SEEDS[-1]}",
        least=LEAST,
        families="; ".join(f"{name}: {family.words}" for name, family in FAMILIES.items()),
        judged=aligned(table(judged, label, base)),
        chosen=aligned(table(chosen, label, base)),
    )
    parts = text.rstrip().split("\n\n")
    return "\n\n".join(part if part[0] in "#|" else fill(" ".join(part.split()), 118) for part in parts) + "\n"


def aligned(text: str) -> str:
    """A table with columns of one width."""
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines()]
    widths = [max(len(row[i]) for row in cells if set(row[i]) != {"-"}) for i in range(len(cells[0]))]
    lines = [[cell if set(cell) != {"-"} else "-" * w for cell, w in zip(row, widths, strict=True)] for row in cells]
    return "\n".join("| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in lines)
