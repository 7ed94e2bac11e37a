"""Tables of the guard, for the screen and for docs/guard.md."""

from collections.abc import Sequence
from pathlib import Path

from store.rows import Row
from store.table import filled, markdown

from guarding.cases import CHOOSE, CHOOSE_SEEDS, ENGINEERING, GROUPS, OWN, PAPER
from guarding.figures import LEAST, better, by_case, conduct_of, figures, line, stored
from guarding.landscapes import FAMILIES
from taut_paper import conduct

PUBLISHED = Path(__file__).parents[2] / "results" / "paper"
RIVALS = ("pesc", "ucb-d", "cei+")
WORDS = """\
# Does the default get worse anywhere?

Written by `make guard-page` from `benchmarks/results/guard.jsonl`; do not edit. `make guard` measures again.

`dckg` as it is ({label}) against versions before it ({base}, and `earlier` between the two), and on the paper's
experiments against the stored runs of its rivals, on the same seeds: own problems with many bumps, separate
feasible sets and steep parameters (a new instance for every seed; {families}), engineering problems, and the
experiments of the paper. Budgets: 60 units for each parameter of an own problem, 200 for engineering, 80, 100 or
160 for the paper's.

Area: mean of log10 OC over the budget, scored every two units (stored runs: at every step), with {least:g} of the
range of feasible values as the least OC. Stuck: from the final recommendation a local search on the true functions
does not lead to the optimum. Said sure: infeasible although reported feasible with 0.99 or more. ms: CPU time of a
decision; runs were made side by side with others, so it is rough. Pairs: of the seeds that both have, those on which
{label} has the lower area by more than 0.05, and the higher one.

Settings were chosen on {choose} with seeds {seeds}. These runs are in the second table; everything else was only
judged. When a model has a linear or quadratic part was chosen by predictions of unseen values of the functions of the
paper and of engineering, not by runs.

## Judged

{judged}

## Took part in choosing

{chosen}

## How runs behave

All runs above together, by kind of problem. Promised and true: the probability of feasibility that was reported with
the recommendations of a run, and the share of them that was feasible, without tolerance (how many). Objective: of
feasible recommendations, those whose true value is more than two reported standard deviations away. Near-repeats:
evaluations within 1e-6 of a side of the box of an earlier one of the same function. A dash: not recorded in these
runs.

{conduct}
"""
HEAD = (
    *("case", "version", "area: median; mean; worst", "final OC: median; worst", "stuck", "infeasible (said sure)"),
    *("ms", "pairs"),
)
KINDS = {"paper": PAPER, "engineering": ENGINEERING, "own": OWN}


def table(rows: Sequence[Row], label: str, base: str, seeds: Sequence[int] | None = None) -> str:
    """One line per case and version; on the paper's experiments the stored rivals on the same seeds."""
    found = by_case([row for row in rows if seeds is None or row["seed"] in seeds])
    lines = []
    for name in GROUPS["all"]:
        versions = {version: mine for (case, version), mine in found.items() if case == name}
        if label in versions:  # of others the seeds that it has
            mine = {row["seed"] for row in versions[label]}
            versions = {key: [row for row in each if row["seed"] in mine] for key, each in versions.items()}
        known = {version: figures(mine) for version, mine in versions.items() if mine}
        if label in known and name in PAPER:
            rivals = by_case(stored(PUBLISHED, name, RIVALS, list(known[label].areas)))
            known |= {version: figures(mine) for (_, version), mine in rivals.items()}
        for version in sorted(known, key=lambda each: (each != label, each != base, each)):
            pairs = better(known[label], known[version]) if label in known and version != label else ""
            lines.append([name, version, *line(known[version]), pairs])
    return markdown(HEAD, lines)


def behaviour(rows: Sequence[Row], label: str, base: str) -> str:
    """One line per kind of problem and version."""
    found = by_case(rows)
    lines = []
    for kind, names in KINDS.items():
        versions = sorted({version for _, version in found}, key=lambda each: (each != label, each != base, each))
        for version in versions:
            mine = [row for name in names for row in found.get((name, version), [])]
            if mine:
                lines.append([kind, version, *conduct.cells([conduct_of(row) for row in mine])])
    return markdown(("problems", "version", *conduct.HEAD), lines)


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
        judged=table(judged, label, base),
        chosen=table(chosen, label, base),
        conduct=behaviour(rows, label, base),
    )
    return filled(text)
