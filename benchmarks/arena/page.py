"""docs/trust.md from the kept results."""

from collections.abc import Sequence
from pathlib import Path

from arena import pictures, table
from arena.bars import bars
from arena.record import Record
from arena.variants import TITLES

PAGE = Path("docs/trust.md")
HEAD = """\
# Is certainty true?

Written by `make trust-page` from `benchmarks/results/trust-*.json`; do not edit. `make trust` measures again.

A simulator is not a formula. It prints four digits, its solver stops at a tolerance, its mesh changes by whole
cells, and in some corners it does not converge at all. Here the test problems are changed in these ways, and
everything that is said before a value is known is compared with the value.
"""
METHOD = """\
## What was run

Problems with two parameters: {plane}; with three to seven: {high} (`high-*`). All costs are 1; the usual initial
design, then 100 units (150 for `high-*`). A case is a change of all functions, of the objective or of the
constraints; its seeds go round the problems, so that seed s of every version has the same problem and the same
random numbers. Exact problems have 20 seeds each. Sizes are shares of a function's spread, the width of the central
90 % of its values over the box (`high-*`: over a fifth of the box around the optimum).

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
  found by brute force; with solver noise that is the luckiest of some ten thousand draws, so only differences count
  there. An infeasible answer, or one that cannot be computed, has the penalty of its problem; "none": no verified
  answer.
- **Area**: mean of log10 OC over the budget. **CPU**: milliseconds of one thread a decision, measured on a shared
  machine.
"""


def text(
    now: Sequence[Record], base: Sequence[Record], plain: Sequence[Record], others: dict[str, Sequence[Record]]
) -> str:
    """The page. others: further methods by name, judged by the same table."""
    parts = [HEAD, "## Bars\n", table.bars_table(bars(now, base, plain))]
    parts += [
        "![Share of predictions that miss](trust-misses.svg)\n",
        "![Do answers hold?](trust-answers.svg)\n",
        METHOD,
    ]
    parts += ["## The changes\n", table.markdown(("name", "change"), list(TITLES.items()))]
    parts += ["![What the changes add to a constraint](trust-changes.svg)\n"]
    parts += ["## Case by case\n", '"before" is the version without roughness, verification and a model of failures.\n']
    parts += [
        table.predictions_table(now, base),
        table.answers_table(now, base),
        "## Exact problems\n",
        table.exact_table(now, base, plain),
    ]
    parts += ["## Failures\n", "Cost to a relative OC of 1e-3, over that of the same seed without failures.\n"]
    parts += [table.failure_table(now, base)]
    for method, runs in others.items():
        mine = [run for run in runs if run.label == now[0].label] if now else []
        theirs = [run for run in runs if base and run.label == base[0].label]
        parts += [f"## Method {method}\n", table.predictions_table(mine, theirs), table.answers_table(mine, theirs)]
    return "\n".join(parts)


def write(
    root: Path,
    now: Sequence[Record],
    base: Sequence[Record],
    plain: Sequence[Record],
    others: dict[str, Sequence[Record]],
) -> None:
    (root / PAGE).write_text(text(now, base, plain, others), encoding="utf-8")
    pictures.draw((root / PAGE).parent, now, base)
