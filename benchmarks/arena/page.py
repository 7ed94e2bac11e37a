"""docs/trust.md from the kept results."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from store.table import markdown

from arena import pictures, table
from arena.bars import bars
from arena.cases import HIGH, PLANE
from arena.figures import Versions
from arena.record import Record
from arena.variants import TITLES

PAGE = Path("docs/trust.md")
REAL = Path("benchmarks/results/trust-real.md")
"""Tables of the real solvers, printed by `make trust-real`."""
HEAD = """\
# Is certainty true?

Written by `make trust-page` from `benchmarks/results/trust.jsonl`; do not edit. `make trust` measures again.

A simulator is not a formula. It prints four digits, its solver stops at a tolerance, its mesh changes by whole
cells, and in some corners it does not converge at all. Here the test problems are changed in these ways, and
everything that is said before a value is known is compared with the value.
"""
METHOD = """\
## What was run

Problems with two parameters: {plane}.
With three to seven (`high-*`): {high}.
All costs are 1; the usual initial design, then 100 units (150 for `high-*`). A case is a change of all functions,
of the objective or of the constraints; its seeds go round the problems, so that seed s of every version has the
same problem and the same random numbers. {seeds}
Sizes are shares of a function's spread, the width of the central 90 % of its values over the box (`high-*`: over a
fifth of the box around the optimum).

- **Misses.** When a suggestion has been made and before its values are told, `Study.predict` is asked at its point:
  z is (value - mean)/sd, on the scale on which the model is symmetric. "t tail" counts those as improbable as 3 and
  6 standard deviations of a normal by the Student-t distribution that the model states. The initial design is not
  counted.
- **True at >= 0.99**: of the final recommendations that were reported as feasible with a probability of 0.99 or
  more, those for which every function can be computed and every constraint of the changed problem holds (to 1e-6 of
  its range).
- **Verified**: the answer was evaluated whole and held as measured; "possible" are the runs in which any evaluated
  place was feasible. **Within 2 sd**: the objective at the answer.
- **OC** is the opportunity cost relative to the size of the best feasible value of the *changed* problem, which is
  found by brute force, to about 1e-6 with two parameters, less accurately with more; with solver noise it is the
  luckiest of some ten thousand draws, so only differences count there. An infeasible answer, or one that cannot be
  computed, has the penalty of its problem; "none": no verified answer.
- **Area**: mean of log10 OC over the budget. **CPU**: milliseconds of one thread a decision, measured on a shared
  machine.
"""

SOLVERS = """\
## Real solvers

A wing section with XFOIL (drag, lift, moment, stall; it does not converge everywhere) and a ribbed panel with CalculiX
(stress, frequency, buckling), studies of `benchmarks/real` (`make trust-real`). Every final answer was run again,
each solver at it by hand.

"""

FRESH = 5
"""Seed from which on nobody had looked at the runs of earlier versions."""
UNSEEN = """\
## Seeds from {first} on alone

The runs of seeds 0 to {last} were looked at while causes of errors were sought and mended, and are of an earlier
version; those of the others were not, and are of the present one, most of them of the hardest cases (jumps at the
optimum, solver noise, failures in a third of the box). Bars that these can be held to:

"""
BEFORE = '"before" is the version without roughness, verification and a model of failures.\n'


def text(judged: Versions, others: Mapping[str, Versions], real: str = "") -> str:
    """The page. others: further methods by name, in the same tables; real: tables of the real solvers."""
    now, base, plain = judged.now, judged.base, judged.plain
    parts = [HEAD, "## Bars\n", table.bars_table(bars(now, base, plain)), *_unseen(judged)]
    parts += ["![Share of predictions that miss](trust-misses.svg)\n", "![Do answers hold?](trust-answers.svg)\n"]
    parts += [METHOD.format(plane=", ".join(PLANE), high=", ".join(HIGH), seeds=_seeds(now))]
    parts += ["## The changes\n", markdown(("name", "change"), list(TITLES.items()))]
    parts += ["![What the changes add to a constraint](trust-changes.svg)\n"]
    parts += ["## Case by case\n", BEFORE, table.predictions_table(now, base), table.answers_table(now, base)]
    parts += ["## Exact problems\n", table.exact_table(now, base, plain)]
    parts += ["## Failures\n", "Cost to a relative OC of 1e-3, over that of the same seed without failures.\n"]
    parts += [table.failure_table(now, base)]
    parts += [SOLVERS, real] if real else []
    for method, each in others.items():
        parts += [f"## Method {method}\n", table.predictions_table(each.now, each.base)]
        parts += [table.answers_table(each.now, each.base)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _unseen(judged: Versions) -> list[str]:
    """The bars by runs that nobody had looked at; nothing if there are none, or no others."""
    now, plain = ([run for run in runs if run.seed >= FRESH] for runs in (judged.now, judged.plain))
    if not now or len(now) == len(judged.now):
        return []
    found = [bar for bar in bars(now, judged.base, plain) if bar.met is not None]
    return [UNSEEN.format(first=FRESH, last=FRESH - 1), table.bars_table(found)]


def _seeds(now: Sequence[Record]) -> str:
    """How many seeds were run, in words: cases with fewer than the most are counted."""
    counts = Counter(run.case for run in now)
    most = max(counts.values(), default=0)
    fewer = {case: n for case, n in counts.items() if n < most}
    if not fewer:
        return f"Every case has {most} seeds."
    return f"{len(counts) - len(fewer)} cases have {most} seeds, {len(fewer)} have {min(fewer.values())} or more."


def solvers(root: Path) -> str:
    """Tables of the real solvers, if they were run."""
    return (root / REAL).read_text(encoding="utf-8") if (root / REAL).exists() else ""


def write(root: Path, judged: Versions, others: Mapping[str, Versions]) -> None:
    """The page and its pictures."""
    (root / PAGE).write_text(text(judged, others, solvers(root)), encoding="utf-8")
    pictures.draw((root / PAGE).parent, judged.now, judged.base)
