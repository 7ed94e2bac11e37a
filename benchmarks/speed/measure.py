"""One unit of the speed measurement: all contestants on one case, taking turns."""

from collections.abc import Sequence
from typing import Any

from speed import rivals
from speed.cases import Case, Setting, setting
from speed.ours import Asker
from speed.store import in_child

OURS = ("dckg", "ckg", "cei+", "cei")
RIVALS = ("botorch-cei", "botorch-cei-gamma", "botorch-kg", "egobox")
CAP = 300
"""CPU seconds after which a decision of a rival is given up."""
FANTASY_CASES = ("mystery-n20", "mystery-n100", "test_function_2-n20")
"""One-shot Knowledge Gradient is measured on these only: it takes minutes elsewhere."""


def heavy(case: Case) -> bool:
    """Is one decision of the rivals a matter of minutes? Then it is tried once, in a process with a limit."""
    return case.n >= 1000 or case.K >= 30


def unit(case: Case, seed: int, methods: Sequence[str], asks: int) -> dict[str, Any]:
    """CPU seconds of `asks` decisions of every contestant, by name; skipped: why a contestant has none."""
    where = setting(case, seed)
    askers = {name: Asker(where, name, seed) for name in methods if name in OURS}
    fantasies = case.name in FANTASY_CASES and seed == 0
    others = [name for name in methods if name in RIVALS and (name != "botorch-kg" or fantasies)]
    if heavy(case):
        others = [name for name in others if name not in ("botorch-cei-gamma", "egobox")]
    seconds: dict[str, list[float]] = {name: [] for name in (*askers, *others)}
    skipped = {name: "not measured here: minutes" for name in methods if name in RIVALS and name not in others}
    turns = [name for name in others if not heavy(case)]
    for name in turns:  # not counted: what a library does only once
        rivals.measure(name, where, _rows(where, askers), seed)
    for turn in range(asks):
        for name, asker in askers.items():
            seconds[name].append(asker.ask())
        for name in turns:
            seconds[name].append(rivals.measure(name, where, _rows(where, askers), seed + turn))
    for name in set(others) - set(turns):
        taken = in_child(_alone, CAP, name, where, _rows(where, askers), seed)
        if taken is None:
            skipped[name] = f"more than {CAP} s"
        else:
            seconds[name].append(taken)
    return {"seconds": seconds, "skipped": skipped, "methods": list(methods), "asks": asks}


def _alone(name: str, where: Setting, rows: Any, seed: int) -> float:
    """A rival's decision in a new process, after a small one for what a library does only once."""
    small = setting(Case("mystery", 12), 0)
    rivals.measure(name, small, small.rows, 0)
    return rivals.measure(name, where, rows, seed)


def _rows(where: Setting, askers: dict[str, Asker]) -> Any:
    """The data as it is now: that of the first method of ours, if there is one."""
    first = next(iter(askers.values()), None)
    return where.rows if first is None else first.study.observations
