"""Tables of the arena, for the screen and for docs/arena.md."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median

import numpy as np
from store.table import filled, markdown

from coco import pictures, targets
from coco.rivals import TITLES
from coco.words import LOSSES, WORDS
from taut_paper import conduct
from taut_paper.arena import suite
from taut_paper.arena.suite import place
from taut_paper.experiments import ranges

Rows = Sequence[targets.Row]
COSTS = (3.0, 10.0, 30.0)
"""Units for each parameter at which shares are printed."""


def percent(value: float) -> str:
    return "" if np.isnan(value) else f"{100.0 * value:.1f}"


def grid(title: str, columns: Sequence[str], lines: dict[str, list[str]]) -> str:
    return markdown((title, *columns), [[name, *cells] for name, cells in lines.items()])


def by_method(rows: Rows, cells: Callable[[Rows], list[str]]) -> dict[str, list[str]]:
    found = {}
    for method in targets.methods(rows):
        found[TITLES.get(method, method)] = cells([row for row in rows if row["method"] == method])
    return found


def shares(rows: Rows) -> str:
    """Share of targets in percent, by dimension: by the class of K at the end, and of all along the way."""
    parts = []
    for d in targets.dimensions(rows):
        for mine in targets.groups(targets.of_dimension(rows, d)):
            parts += [f"### d = {d}", _runs(mine), by_kind(mine), on_the_way(mine)]
            parts += [by_objective(mine), how_judged(mine)]
    return "\n\n".join(parts)


def _runs(rows: Rows) -> str:
    problems = {row["problem"] for row in rows}
    functions = sorted({place(name).function for name in problems})
    instances = sorted({place(name).instance for name in problems})
    seeds = sorted({row["seed"] for row in rows})
    return (
        f"{len(rows)} runs: {len(targets.methods(rows))} methods on {len(functions)} functions "
        f"({'all' if len(functions) == 54 else ranges(functions)}), "
        f"instance {ranges(instances)}, seed {ranges(seeds)}."
    )


def by_kind(rows: Rows) -> str:
    """At the end of the budget."""
    panels = {title: mine for title, mine in pictures.panels(rows).items() if mine}
    end = max(row["budget"] / place(row["problem"]).dimension for row in rows)

    def cells(mine: Rows) -> list[str]:
        return [percent(targets.share([row for row in panels[title] if row in mine], end)) for title in panels]

    return grid("at the end, %", list(panels), by_method(rows, cells))


def on_the_way(rows: Rows) -> str:
    several = [row for row in rows if targets.kind(row) != "K = 1"]

    def cells(mine: Rows) -> list[str]:
        many = [row for row in several if row in mine]
        return [percent(targets.share(part, units)) for part in (many, mine) for units in (0.0, *COSTS)]

    columns = [f"{name}, {units:g} d units" for name in ("K >= 3", "all") for units in (0.0, *COSTS)]
    return grid("on the way, %", columns, by_method(rows, cells))


def by_objective(rows: Rows) -> str:
    present = [name for name in targets.OBJECTIVES if any(targets.objective(row) == name for row in rows)]
    end = max(row["budget"] / place(row["problem"]).dimension for row in rows)

    def cells(mine: Rows) -> list[str]:
        parts = [[row for row in mine if targets.objective(row) == name] for name in present]
        return [percent(targets.share(part, end)) for part in parts]

    return grid("at the end, %", present, by_method(rows, cells))


def how_judged(rows: Rows) -> str:
    """The same runs judged in other ways, and what they did."""
    end = max(row["budget"] / place(row["problem"]).dimension for row in rows)

    def cells(mine: Rows) -> list[str]:
        ways = [percent(targets.share(mine, end, lambda row, way=way: way)) for way in ("answers", "near", "trials")]
        last = [row["last"][0] if row["last"][1] <= 0.0 else np.inf for row in mine]
        stays = percent(mean(float(np.mean(value <= targets.TARGETS)) for value in last))
        infeasible = f"{sum(row['last'][1] > 0.0 for row in mine)} of {len(mine)}"
        counts = [sum(row["counts"]) for row in mine]
        own = percent(sum(row["counts"][0] for row in mine) / max(sum(counts), 1))
        seconds = f"{median(row['seconds'] for row in mine):.1f}"
        return [*ways, stays, infeasible, own, percent(mean(row["far"] for row in mine)), seconds]

    columns = ["answers, %", "near, %", "trials, %", "last answer, %", "last one infeasible", "of units for f, %"]
    return grid("otherwise", [*columns, "far steps, %", "CPU s a run"], by_method(rows, cells))


def ways(rows: Rows) -> str:
    """By the class of K: how far points go towards the optimum, and when the answer is there."""
    panels = {title: mine for title, mine in list(pictures.panels(rows).items())[:6] if mine}

    def cells(mine: Rows) -> list[str]:
        return [_way([row for row in panels[title] if row in mine]) for title in panels]

    return grid("way; units to 1 %", list(panels), by_method(rows, cells))


def _way(rows: Rows) -> str:
    shares = [row["way"] for row in rows if row["way"] is not None]
    units = median(row["arrived"] if row["arrived"] is not None else np.inf for row in rows)
    said = "never" if np.isinf(units) else f"{units:g}"
    return f"{median(shares):.2f}; {said}" if shares else f"-; {said}"


def worst(rows: Rows, method: str = "dckg", count: int = 12) -> str:
    """Problems on which a method reaches fewer targets than the best other one, the worst first."""
    mine = {(row["problem"], row["seed"]): row for row in rows if row["method"] == method}
    lost = []
    for key, row in mine.items():
        others = [other for other in rows if (other["problem"], other["seed"]) == key and other["method"] != method]
        best = max(others, key=_reached)
        lost.append((_reached(best) - _reached(row), row, best))
    lost.sort(key=lambda each: -each[0])
    lines = {}
    for number, row, best in [each for each in lost if each[0] > 0][:count]:
        where = place(row["problem"])
        name = f"f{where.function}, d = {where.dimension}, {targets.objective(row)}, K = {where.constraints}"
        reached = f"{_reached(row)} and {_reached(best)} ({TITLES.get(best['method'], best['method'])})"
        hit, starts = (int(value) for value in suite.optima()[row["problem"]][2:])
        ends = f"{_best(row):.1e} and {_best(best):.1e}"
        lines[name] = [str(number), reached, ends, f"{row['last'][1]:.0e}", percent(row["far"]), f"{hit} of {starts}"]
    columns = ["targets fewer", "targets of 41", "best precision", "violation at the end", "far steps, %"]
    return grid("problem", [*columns, "local searches that end at f*"], lines)


def _reached(row: targets.Row) -> int:
    return int(np.isfinite(targets.hits(row[targets.curve_of(row)])).sum())


def _best(row: targets.Row) -> float:
    curve = row[targets.curve_of(row)]
    return curve[-1][1] if curve else float("inf")


def behaviour(rows: Rows) -> str:
    """What is counted of single runs; rows of earlier versions of this benchmark do not have it."""

    def cells(mine: Rows) -> list[str]:
        return conduct.cells([conduct.Conduct.read(row["conduct"]) for row in mine])

    return grid("how runs behave", conduct.HEAD, by_method([row for row in rows if "conduct" in row], cells))


def tally(rows: Rows, method: str = "dckg") -> str:
    """Problems on which a method reaches more, as many, fewer targets than each other one."""
    mine = {(row["problem"], row["seed"]): _reached(row) for row in rows if row["method"] == method}

    def cells(others: Rows) -> list[str]:
        gains = [mine[row["problem"], row["seed"]] - _reached(row) for row in others]
        return [str(sum(test)) for test in ([g > 0 for g in gains], [g == 0 for g in gains], [g < 0 for g in gains])]

    found = by_method([row for row in rows if row["method"] != method], cells)
    return grid(f"{method} against", ["more targets", "as many", "fewer"], found)


def page(rows: Rows) -> str:
    """docs/arena.md."""
    parts = []
    for d in targets.dimensions(rows):
        mine, *some = targets.groups(targets.of_dimension(rows, d))
        parts += [f"### d = {d}", f"![Targets reached against cost, d = {d}](arena-d{d}.svg)", _runs(mine)]
        parts += [by_kind(mine), on_the_way(mine), by_objective(mine), how_judged(mine)]
        parts += [ways([row for row in mine if row["method"] in targets.OWN]), tally(mine), worst(mine)]
        if any("conduct" in row for row in targets.of_dimension(rows, d)):
            parts.append(behaviour(targets.of_dimension(rows, d)))
        for rest in some:
            parts += [f"#### All methods, d = {d}", _runs(rest), by_kind(rest), on_the_way(rest), tally(rest)]
            parts.insert(-4, f"![The same, all methods, d = {d}](arena-d{d}-all.svg)")
    found = [value for name, value in suite.optima().items() if any(name == row["problem"] for row in rows)]
    text = WORDS.format(
        runs=len(rows),
        tables="\n\n".join(parts),
        problems=len(suite.optima()),
        below=f"{max(value[1] for value in suite.optima().values()):.0e}",
        confirmed=sum(value[2] > 0 for value in found),
        used=len(found),
        losses=LOSSES,
    )
    return filled(text)


def write(rows: Rows, folder: Path) -> None:
    """The page and its pictures."""
    for d in targets.dimensions(rows):
        for mine, end in zip(targets.groups(targets.of_dimension(rows, d)), ("", "-all"), strict=False):
            pictures.draw(mine, d, folder / f"arena-d{d}{end}.svg")
    (folder / "arena.md").write_text(page(rows), encoding="utf-8")
