"""The numbers of the measurement as tables: pure functions from the stored JSON to text and markdown."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

Results = dict[str, Any]
TITLES = {
    "botorch-cei": "BoTorch cEI",
    "botorch-cei-gamma": "BoTorch cEI, Gamma priors",
    "botorch-kg": "BoTorch KG",
    "egobox": "EGObox",
}
RATIOS = ("dckg", "cei+", "cei")
BARS = {"median": 0.98, "worst": 0.9}
SETTLED = 1e-6
"""A best value per cost below this share of the objective's spread is nothing that a decision could still win."""


def seconds(value: float) -> str:
    """Three digits are more than a busy machine can give."""
    return f"{value:.3f}" if value < 0.0995 else f"{value:.2f}" if value < 9.95 else f"{value:.0f}"


def medians(units: Iterable[Results]) -> dict[str, float]:
    """Median over all decisions of each contestant."""
    values: dict[str, list[float]] = {}
    for unit in units:
        for name, taken in unit["seconds"].items():
            values.setdefault(name, []).extend(taken)
    return {name: median(taken) for name, taken in values.items() if taken}


def grouped(units: Sequence[Results]) -> dict[str, list[Results]]:
    """Units by case, in the order in which cases first appear."""
    groups: dict[str, list[Results]] = {}
    for unit in units:
        groups.setdefault(unit["case"], []).append(unit)
    return groups


def speed_rows(units: Sequence[Results]) -> list[list[str]]:
    """One line per case: median CPU seconds of each contestant, and the rivals' relative to ours."""
    names = list(dict.fromkeys(name for unit in units for name in (*unit["seconds"], *unit["skipped"])))
    heads = [f"BoTorch cEI / {name}" for name in RATIOS] + [f"Gamma priors / {name}" for name in RATIOS]
    heads.append("EGObox / dckg")
    rows = [["case", *(TITLES.get(name, name) for name in names), *heads]]
    for case, group in grouped(units).items():
        found = medians(group)
        why = {name: reason for unit in group for name, reason in unit["skipped"].items()}
        absent = {name: f"- ({why[name]})" if name in why else "-" for name in names}
        cells = [seconds(found[name]) if name in found else absent[name] for name in names]
        ratios = [_ratio(found, rival, name) for rival in ("botorch-cei", "botorch-cei-gamma") for name in RATIOS]
        rows.append([case, *cells, *ratios, _ratio(found, "egobox", "dckg")])
    return rows


def _ratio(found: dict[str, float], rival: str, name: str) -> str:
    return f"{found[rival] / found[name]:.1f}" if rival in found and name in found else "-"


def steps_rows(units: Sequence[Results]) -> list[list[str]]:
    rows = [["case", "steps", "first ask", "mean per step", "largest"]]
    for unit in units:
        taken = unit["seconds"]
        rows.append([unit["case"], str(len(taken)), seconds(unit["first"]), seconds(unit["mean"]), seconds(max(taken))])
    return rows


def memory_rows(units: Sequence[Results]) -> list[list[str]]:
    rows = [["case", "peak MiB", "MiB before", "CPU seconds (first ask)"]]
    return rows + [[u["case"], f"{u['peak']:.0f}", f"{u['before']:.0f}", seconds(u["seconds"])] for u in units]


def quality_rows(units: Sequence[Results]) -> list[list[str]]:
    """One line per case: share of the best value per cost that the decision reached, over data seeds.

    Seeds where nothing is left to win are counted apart; their worst share is shown, but no bar applies to it.
    """
    rows = [["case", "seeds", "median", "worst", "worst seed", "bars met", "settled", "worst settled"]]
    for case, group in grouped(units).items():
        without_pending = [unit["share"] for unit in group if unit["gain"] < SETTLED]
        open_units = [unit for unit in group if unit["gain"] >= SETTLED]
        cells = ["-"] * 4
        if open_units:
            shares = [unit["share"] for unit in open_units]
            worst = min(open_units, key=lambda unit: unit["share"])
            met = median(shares) >= BARS["median"] and worst["share"] >= BARS["worst"]
            cells = [f"{median(shares):.3f}", f"{worst['share']:.3f}", str(worst["seed"]), "yes" if met else "no"]
        rows.append(
            [
                case,
                str(len(open_units)),
                *cells,
                str(len(without_pending)),
                f"{min(without_pending):.3f}" if without_pending else "-",
            ]
        )
    return rows


def text(rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [[row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))] for row in rows]
    return "\n".join("  ".join(line) for line in lines)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])


SECTIONS = (
    ("speed", "CPU seconds of one decision (median), with one function changed", speed_rows),
    ("steps", "CPU seconds per step of ask and tell, refits included (dckg)", steps_rows),
    ("memory", "Peak memory of one ask (dckg)", memory_rows),
    ("quality", "Share of the best value per cost that the decision of dckg reaches", quality_rows),
)


def report(results: Results) -> str:
    """All tables that have rows, as text."""
    parts = [f"{title}\n{text(rows(results[key]))}" for key, title, rows in SECTIONS if results.get(key)]
    return "\n\n".join(parts) or "Nothing measured."
