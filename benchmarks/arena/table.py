"""Tables of runs, in Markdown, which reads well in a terminal too."""

import math
from collections.abc import Callable, Sequence

from store.table import markdown

from arena import figures as fig
from arena.bars import Bar, Runs, percent
from arena.cases import CASES
from arena.record import Record

Column = tuple[str, Callable[[Runs, Runs], str]]
MET = {True: "yes", False: "**no**", None: ""}


def _counts(runs: Runs) -> str:
    sure = fig.certain(runs)
    return f"{sum(run.true for run in sure)}/{len(sure)}"


def _verified(runs: Runs) -> str:
    found = [run for run in runs if run.verified]
    return f"{sum(bool(run.held_true) for run in found)}/{len(found)}/{sum(run.possible for run in runs)}"


def _shares(runs: Runs) -> str:
    return f"{_tenth(fig.beyond(runs, 3.0))} / {_tenth(fig.beyond(runs, 6.0))}"


def _tails(runs: Runs) -> str:
    return f"{_tenth(fig.improbable(runs, 3.0))} / {_tenth(fig.improbable(runs, 6.0))}"


def _oc(runs: Runs, held: bool = False) -> str:
    return " / ".join(_size(fig.oc_quantile(runs, at, held)) for at in (0.5, 0.75))


def _ms(runs: Runs) -> str:
    return f"{fig.quantile((run.ask_ms for run in runs), 0.5):.0f}" if runs else "-"


PREDICTIONS: tuple[Column, ...] = (
    ("runs", lambda now, base: str(len(now))),
    ("before", lambda now, base: str(len(base))),
    ("beyond 3 / 6 sd, %", lambda now, base: _shares(now)),
    ("before", lambda now, base: _shares(base)),
    ("t tail 3 / 6, %", lambda now, base: _tails(now)),
    ("before", lambda now, base: _tails(base)),
    ("answer within 2 sd", lambda now, base: percent(fig.covered(now))),
    ("before", lambda now, base: percent(fig.covered(base))),
    ("CPU ms", lambda now, base: _ms(now)),
    ("before", lambda now, base: _ms(base)),
)
ANSWERS: tuple[Column, ...] = (
    ("true at >= 0.99", lambda now, base: _counts(now)),
    ("before", lambda now, base: _counts(base)),
    ("verified: true / all / possible", lambda now, base: _verified(now)),
    ("verification, %", lambda now, base: _share_spent(now)),
    ("OC of verified, median / 75 %", lambda now, base: _oc(now, held=True)),
    ("OC of answer", lambda now, base: _oc(now)),
    ("before", lambda now, base: _oc(base)),
)


def predictions_table(now: Runs, base: Runs) -> str:
    """One line a case, and sums: how far values missed their predictions."""
    return _by_case(PREDICTIONS, now, base)


def answers_table(now: Runs, base: Runs) -> str:
    """The same: whether final answers hold, and what they cost."""
    return _by_case(ANSWERS, now, base)


def _by_case(columns: Sequence[Column], now: Runs, base: Runs) -> str:
    ours, theirs = (fig.grouped(runs, lambda run: run.case) for runs in (now, base))
    groups = [(name, ours.get(name, []), theirs.get(name, [])) for name in CASES if name in ours or name in theirs]
    for title, wanted in SUMS.items():
        parts = [[run for run in runs if wanted(run)] for runs in (now, base)]
        if any(parts):
            groups.append((f"**{title}**", *parts))
    lines = [[name, *(show(mine, other) for _, show in columns)] for name, mine, other in groups]
    return markdown(("case", *(title for title, _ in columns)), lines)


SUMS: dict[str, Callable[[Record], bool]] = {
    "rough, two parameters": lambda run: run.rough and not run.high,
    "rough, more parameters": lambda run: run.rough and run.high,
    "rough": lambda run: run.rough,
    "exact": lambda run: not run.rough,
    "all": lambda run: True,
}


def bars_table(found: Sequence[Bar]) -> str:
    return markdown(
        ("what", "bar", "measured", "met"), [(bar.what, bar.bar, bar.figure, MET[bar.met]) for bar in found]
    )


def exact_table(now: Runs, base: Runs, plain: Runs) -> str:
    """Exact problems: final OC and area, with and without verification, against before."""
    lines = []
    for how, runs in (("verifying", now), ("not verifying", plain)):
        for case, group in fig.grouped((run for run in runs if not run.rough), lambda run: run.case).items():
            pairs = fig.paired(group, base)
            if pairs:
                before = [other for _, other in pairs]
                lines.append(
                    (case, how, str(len(pairs)), _oc([run for run, _ in pairs]), _oc(before))
                    + (f"{fig.oc_ratio(pairs):.2f}", f"{fig.area_gain(pairs):+.3f}", _share_spent(group))
                )
    head = (
        "case",
        "",
        "pairs",
        "OC of answer, median / 75 %",
        "before",
        "ratio",
        "area, difference",
        "verification, %",
    )
    return markdown(head, lines)


def _share_spent(runs: Runs) -> str:
    return _tenth(fig.quantile((run.verification for run in runs), 0.5))


def failure_table(now: Runs, base: Runs) -> str:
    """Cost to a relative OC of 1e-3 with failures over that without, by case and problem."""
    lines = []
    for case, group in fig.grouped((run for run in now if run.case.startswith("fail")), lambda run: run.case).items():
        theirs = [run for run in base if run.case == case]
        for problem, runs in {"all": group, **fig.grouped(group, lambda run: run.problem)}.items():
            before = [run for run in theirs if problem in ("all", run.problem)]
            lines.append((case, problem, *_cost(runs, now), *_cost(before, base), percent(fig.covered(runs))))
    return markdown(("case", "problem", "cost, times", "pairs", "before", "pairs", "objective within 2 sd"), lines)


def _cost(runs: Runs, version: Runs) -> tuple[str, str]:
    ratio, count = fig.failure_cost(runs, [run for run in version if not run.rough])
    return ("-" if math.isnan(ratio) else f"{ratio:.2f}"), str(count)


def _tenth(share: float) -> str:
    return "-" if math.isnan(share) else f"{100.0 * share:.2g}"


def _size(oc: float) -> str:
    if math.isnan(oc):
        return "-"
    return "none" if oc >= fig.NONE else f"{oc:.1e}"
