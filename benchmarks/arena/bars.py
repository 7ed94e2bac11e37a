"""What is expected of the runs, and whether it came."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena import figures as fig
from arena.cases import initial_cost
from arena.record import Record

Runs = Sequence[Record]
TIE = 1e-12
"""Shares this close to a bar meet it: 0.95 of 20 runs is 19."""


@dataclass(frozen=True)
class Bar:
    """An expectation in words, the figure in words, and whether it is met (None: not measured)."""

    what: str
    bar: str
    figure: str
    met: bool | None


def bars(now: Runs, base: Runs, plain: Runs) -> list[Bar]:
    """All bars. now: the version judged, verifying; base: the one it is compared with; plain: now, not verifying."""
    return [
        *_truth(now),
        *_predictions(now),
        *_exact(now, base, plain),
        *_rough(now, base),
        *_failures(now),
        *_cpu(now, base),
    ]


def _truth(now: Runs) -> Iterator[Bar]:
    rough = [run for run in now if run.rough]
    sure = fig.certain(rough)
    yield at_least(f"true answers at >= 0.99, rough cases together ({len(sure)} answers)", fig.true_share(rough), 0.99)
    worst = {name: fig.true_share(runs) for name, runs in fig.grouped(sure, lambda run: run.case).items()}
    name = min(worst, key=worst.__getitem__, default="none")
    yield at_least(f"the same in the worst case ({name})", worst.get(name, math.nan), 0.95)
    yield at_least("verified answers that are true", fig.verified_true(now), 1.0)
    possible = sum(run.possible for run in now)
    yield at_least(
        f"runs that end with a verified answer (of {possible} with a feasible place)", fig.verified_share(now), 0.98
    )


def _predictions(now: Runs) -> Iterator[Bar]:
    count = sum(run.predictions for run in now)
    yield at_most(f"predictions that miss by more than 3 sd (of {count})", fig.beyond(now, 3.0), 0.015)
    yield at_most("predictions that miss by more than 6 sd", fig.beyond(now, 6.0), 0.001)
    known = fig.share(run.known for run in now)
    yield at_least(f"objective at the answer within 2 sd (known there in {percent(known)})", fig.covered(now), 0.93)


def _exact(now: Runs, base: Runs, plain: Runs) -> Iterator[Bar]:
    chosen, how = (plain, "without verification") if plain else (now, "with verification")
    for problem, runs in fig.grouped(
        (run for run in chosen if not run.rough and not run.high), lambda run: run.problem
    ).items():
        pairs = fig.paired(runs, base)
        text = f"exact {problem}, {how}: "
        yield _at_most(
            f"{text}median final OC against before", fig.oc_ratio(pairs), 2.0, f"{fig.oc_ratio(pairs):.2f} times"
        )
        yield _at_most(f"{text}area of log10 OC, difference", fig.area_gain(pairs), 0.1, f"{fig.area_gain(pairs):+.3f}")
    spent = [run.verification for run in now if not run.rough]
    yield Bar(
        "share of the budget spent on verification, exact problems, median",
        "reported",
        percent(fig.quantile(spent, 0.5)),
        None,
    )


def _rough(now: Runs, base: Runs) -> Iterator[Bar]:
    pairs = fig.paired([run for run in now if run.rough], base)
    cases = fig.grouped_pairs(pairs)
    for at, name, bar in ((0.5, "median", "not worse"), (0.75, "75 % quantile", "better")):
        held, before = fig.losses(pairs, at)
        what = f"rough cases: relative OC of verified answers against answers before, {name} ({len(pairs)} pairs)"
        met = None if not pairs else (held <= before if at == 0.5 else held < before)
        yield Bar(what, bar, "-" if met is None else f"{held:.3g} against {before:.3g}", met)
        worse = sorted(case for case, some in cases.items() if fig.losses(some, at)[0] > fig.losses(some, at)[1])
        text = f"{len(cases) - len(worse)} of {len(cases)}" + (f"; worse: {', '.join(worse)}" if worse else "")
        yield Bar(f"rough cases in which that {name} is not worse", "reported", text if cases else "-", None)


def _failures(now: Runs) -> Iterator[Bar]:
    third = [run for run in now if run.variant in ("fail33", "fail33r")]
    exact = [run for run in now if not run.rough]
    ratio, count = fig.failure_cost(third, exact)
    what = f"failures in a third of the box: cost to a relative OC of 1e-3 over that without ({count} pairs)"
    yield _at_most(what, ratio, 1.3, f"{ratio:.2f} times")
    whole = fig.failure_cost(third, exact, lambda run: initial_cost(run.problem))[0]
    text = f"{whole:.2f} times" if count else "-"
    yield Bar("the same with the initial design counted, of which a third fails as well", "reported", text, None)
    yield at_least("failures in a third of the box: objective at the answer within 2 sd", fig.covered(third), 0.93)


def _cpu(now: Runs, base: Runs) -> Iterator[Bar]:
    ratio = fig.cpu_ratio(fig.paired(now, base))
    yield _at_most("CPU a decision against before", ratio, 1.3, f"{ratio:.2f} times")


def at_least(what: str, figure: float, bar: float) -> Bar:
    met = None if math.isnan(figure) else figure >= bar - TIE
    return Bar(what, f"at least {percent(bar)}", percent(figure), met)


def at_most(what: str, figure: float, bar: float) -> Bar:
    return _at_most(what, figure, bar, percent(figure), percent(bar))


def _at_most(what: str, figure: float, bar: float, text: str, limit: str | None = None) -> Bar:
    met = None if math.isnan(figure) else figure <= bar + TIE
    return Bar(what, f"at most {limit or f'{bar:g}'}", text if met is not None else "-", met)


def percent(number: float) -> str:
    """Three digits are enough to see 0.1 % and 99.9 %."""
    return "-" if math.isnan(number) else f"{100.0 * number:.3g} %"
