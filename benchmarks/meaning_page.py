"""docs/right.md from the lines of benchmarks/meaning.py."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from store.table import markdown

Line = Mapping[str, Any]

INTRO = """# How often what is said is right

Prices of limits, gains of other limits, verdicts and the rule to stop ([what they are](meaning.md)), measured by
`benchmarks/meaning.py` (`make meaning`; lines in `benchmarks/results/meaning.jsonl`, this page is written from them).
{count} whole studies of {budget:g} units with the default method: {problems} problems, seeds {seeds}; judged
with commit {commits}. {missing}

Truth comes from the formulas: multipliers by KKT at the known solution, and the true problem solved again from many
starts with a limit moved, or without it. The problems are those of `taut.bench`;
`_kept_out` forbids a disc around the best point of one of them, so that its best piece is kept out
(`benchmarks/kept_out.py`).

"""
EXPLAINED = """
A limit is relaxed by 1 % of the median size of its constraint's first values; `study.gain` is compared with solving
the true problem again, and beside it the price times the step, which holds only in the range that is said with it. A
verdict is wrong if it is neither the true one nor `undecided`. For the rule to stop, the same study is run again with
`stop` at {stop:g} of the objective's range (from the penalty of the problem to its optimum); loss is how much worse
its answer is than that of the whole budget, as a share of the range. Verification is part of the rule: judged by the
recommendation alone, without it, an earlier version would have ended 4 of 28 studies (seeds 0 to 4; welded beam and
springs) where nothing was feasible.

## By problem
"""
COLUMNS = (
    *("problem", "studies", "solved", "prices", "gains", "price x step", "verdicts", "undecided", "wrong", "ended at"),
    *("loss", "CPU s"),
)
NOTE = """
Solved: the recommendation is feasible and within 1e-3 of the range of the optimum. Loss: the largest, of the rule to
stop.
"""
FEWEST = 10
"""Seeds that were asked for."""


LOOKED = range(5)
"""Seeds that were looked at to find causes: they count only as long as there are no others."""
WARNING = "These seeds were looked at while what they missed was mended: the figures flatter."


def text(lines: Sequence[Line], budget: float, stop: float) -> str:
    """The whole page."""
    found = [line for line in lines if line["seed"] not in LOOKED] or lines
    names = list(dict.fromkeys(line["problem"] for line in found))
    seeds = sorted({line["seed"] for line in found})
    few = _few({name: sum(line["problem"] == name for line in found) for name in names})
    intro = INTRO.format(
        count=len(found),
        budget=budget,
        problems=len(names),
        seeds=", ".join(map(str, seeds)),
        commits=", ".join(sorted({line["commit"] for line in found})),
        missing=" ".join(each for each in (WARNING if found is lines else "", few) if each),
    )
    rows = [_problem(name, [line for line in found if line["problem"] == name], budget) for name in names]
    parts = [
        *(intro, markdown(("question", "asked for", "result"), _bars(found, budget, stop))),
        *(EXPLAINED.format(stop=stop), markdown(COLUMNS, rows), NOTE, *_misses(found)),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _few(counts: Mapping[str, int]) -> str:
    """Which problems have fewer seeds than were asked for, in words."""
    thin = {name: n for name, n in counts.items() if n < FEWEST}
    if len(thin) == len(counts) and max(thin.values()) - min(thin.values()) <= 1:
        span = " or ".join(str(n) for n in sorted(set(thin.values())))
        return f"Each problem has {span} of the {FEWEST} seeds that were asked for."
    return f"Fewer than {FEWEST} seeds: {', '.join(f'{name} {n}' for name, n in thin.items())}." if thin else ""


def _bars(found: Sequence[Line], budget: float, stop: float) -> list[tuple[str, str, str]]:
    count = counted(found)
    price = "price of a binding limit within 10 % of the truth, or inside its interval"
    gain = "gain of a limit relaxed by 1 % within 10 % of solving the true problem again"
    return [
        (price, "90 %", _of(count, "prices")),
        (gain, "all", f"{_of(count, 'gains')} (price times step: {count['linear']})"),
        (
            "verdict right",
            "98 %, none wrong",
            f"{_of(count, 'right')}; undecided {count['open']}, wrong {count['wrong']}",
        ),
        *_rule([line for line in found if line["stop"]], budget, stop),
    ]


def _rule(found: Sequence[Line], budget: float, stop: float) -> list[tuple[str, str, str]]:
    """Of the studies that were run with the rule to stop."""
    if not found:
        return [("the rule to stop", "", "not measured yet")]
    ends, lost = [end(line, budget) for line in found], [loss(line) for line in found]
    saved = 1.0 - float(np.median(ends)) / budget
    early, worse = sum(each < budget for each in ends), sum(each > 1e-2 for each in lost)
    share = f"{stop:g} of the range: share of the budget saved in the median"
    much = "the same: studies that lose more than 1e-2 of the range"
    return [
        (share, "a third", f"{saved:.0%}; ended early in {early} of {len(ends)}"),
        (much, "none", f"{worse}; largest loss {max(lost):.2g}"),
    ]


def _problem(name: str, found: Sequence[Line], budget: float) -> list[object]:
    count = counted(found)
    solved = sum(line["cost"] <= 1e-3 * line["range"] for line in found)
    return [
        name, len(found), solved, *(f"{count[each]}/{count[f'all {each}']}" for each in ("prices", "gains")),
        f"{count['linear']}/{count['all gains']}", f"{count['right']}/{count['all right']}", count["open"],
        count["wrong"], *_ended([line for line in found if line["stop"]], budget),
        _seconds([line["seconds"] for line in found]),
    ]  # fmt: skip


def _ended(found: Sequence[Line], budget: float) -> tuple[str, str]:
    """Where the rule ended them, and the largest loss."""
    if not found:
        return "", ""
    return f"{np.median([end(line, budget) for line in found]):g}", f"{max(map(loss, found)):.1g}"


def _seconds(known: Sequence[float | None]) -> str:
    told = [each for each in known if each is not None]
    return f"{np.median(told):.0f}" if told else ""


def counted(found: Iterable[Line]) -> dict[str, int]:
    """How many are right, and of how many."""
    rows = [row for line in found for row in line["rows"]]
    priced = [row for row in rows if row["true_price"] > 0.0]
    relaxed = [row for row in priced if row.get("true_gain", 0.0) > 0.0]
    right, open_ = (sum(_word(row) == word for row in rows) for word in ("right", "undecided"))
    return {
        "prices": sum(near(row["price"], row["true_price"]) for row in priced), "all prices": len(priced),
        "gains": sum(close(row["gain"], row["true_gain"]) for row in relaxed), "all gains": len(relaxed),
        "linear": sum(close(linear(row), row["true_gain"]) for row in relaxed),
        "right": right, "all right": len(rows), "open": open_, "wrong": len(rows) - right - open_,
    }  # fmt: skip


def _of(count: Mapping[str, int], what: str) -> str:
    right, all_ = count[what], count[f"all {what}"]
    return f"{right} of {all_}" + (f" ({right / all_:.1%})" if all_ else "")


def _word(row: Line) -> str:
    return "right" if row["verdict"] == row["true_verdict"] else str(row["verdict"])


def near(price: Sequence[float] | None, true: float) -> bool:
    """Within 10 %, or inside the interval."""
    return price is not None and (abs(price[0] - true) <= 0.1 * true or price[1] <= true <= price[2])


def close(gain: Sequence[float] | None, true: float) -> bool:
    """Within 10 %."""
    return gain is not None and abs(gain[0] - true) <= 0.1 * true


def linear(row: Line) -> tuple[float] | None:
    """Price times step."""
    return None if row["price"] is None else (row["price"][0] * row["step"],)


def end(line: Line, budget: float) -> float:
    """Where the rule ended the study."""
    return min(float(line["stop"]["spent"]), budget)


def loss(line: Line) -> float:
    """What that lost against the whole budget, as a share of the range."""
    return max(0.0, line["stop"]["cost"] - line["cost"]) / float(line["range"])


def _misses(found: Sequence[Line]) -> list[str]:
    rows: list[tuple[object, ...]] = []
    for line in found:
        here = line["problem"], line["seed"]
        for row in line["rows"]:
            at, true = (*here, row["constraint"]), row["true_price"]
            if true > 0.0 and not near(row["price"], true):
                rows.append((*at, "price", _shown(row["price"]), f"{true:.4g}"))
            if true > 0.0 and row.get("true_gain", 0.0) > 0.0 and not close(row["gain"], row["true_gain"]):
                rows.append((*at, "gain", _shown(row["gain"]), f"{row['true_gain']:.4g}"))
            if _word(row) != "right":
                rows.append((*at, "verdict", row["verdict"], row["true_verdict"]))
        if line["stop"] and loss(line) > 1e-2:
            rows.append((*here, "", f"loss of stopping at {line['stop']['spent']:g}", f"{loss(line):.2g}", "0"))
    head = ("problem", "seed", "constraint", "what", "said", "true")
    return ["## All misses", markdown(head, rows)] if rows else []


def _shown(interval: Sequence[float] | None) -> str:
    return "nothing" if interval is None else f"{interval[0]:.4g} ({interval[1]:.4g} to {interval[2]:.4g})"
