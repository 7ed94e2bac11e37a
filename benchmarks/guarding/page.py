"""Tables of the guard, for the screen and for docs/guard.md."""

from collections.abc import Sequence
from pathlib import Path

from guarding.cases import GROUPS, PAPER
from guarding.figures import Row, better, by_case, figures, line, stored

PARQUET = Path(__file__).parents[2] / "results" / "paper" / "steps.parquet"
RIVALS = ("pesc", "ucb-d", "cei+")
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
    """docs/guard.md."""
    raise NotImplementedError
