"""The results as tables in Markdown."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks.real.cases import CASES
from benchmarks.store.table import markdown

Line = dict[str, Any]
SURE = 0.99
SUMMARY = (
    *("case", "taut", "units", "seeds", "answers that hold", "reported at >= 0.99 that hold", "verified that hold"),
    *("incumbents that hold", "objective, median (best to worst that hold)", "failed runs", "solver CPU s a run"),
    "deciding CPU s a study",
)
ANSWERS = ("case", "seed", "objective", "reported", "evaluated whole", "holds", "violated", "largest error, sd")


def summary(lines: Sequence[Line]) -> str:
    """One row for each case, source and budget."""
    kinds = list(dict.fromkeys((line["case"], line["taut"], line["units"]) for line in lines))
    rows = [_row([line for line in lines if (line["case"], line["taut"], line["units"]) == kind]) for kind in kinds]
    return markdown(SUMMARY, rows, right=(2, 3, 4, 5, 6, 7, 9, 10, 11))


def _row(lines: Sequence[Line]) -> list[str]:
    first, answers = lines[0], [line["answer"] for line in lines if line["answer"]]
    objective = CASES[first["case"]].problem.objective
    values = sorted(each["again"][objective.name] for each in answers if each["holds"])  # both cases minimise
    runs, failed = (sum(sum(line[key].values()) for line in lines) for key in ("runs", "failures"))
    cpu = sum(sum(line["solver_cpu"].values()) for line in lines)
    return [
        first["case"], first["taut"], f"{first['units']:g}", str(len(lines)),
        f"{sum(each['holds'] for each in answers)} of {len(lines)}",
        _held(answers, lambda each: each["feasibility"] >= SURE),
        _held(answers, lambda each: each["verified"]),
        _held([line["incumbent"] for line in lines if line["incumbent"]], lambda each: True),
        f"{median(values):.5g} ({values[0]:.5g} to {values[-1]:.5g})" if values else "none",
        f"{failed} of {runs}", f"{cpu / max(runs, 1):.2f}", _deciding(lines),
    ]  # fmt: skip


def _held(answers: Sequence[Line], chosen: Any) -> str:
    some = [each for each in answers if chosen(each)]
    return f"{sum(each['holds'] for each in some)} of {len(some)}"


def _deciding(lines: Sequence[Line]) -> str:
    times = [line["decisions_cpu"] for line in lines if "decisions_cpu" in line]
    return f"{median(times):.1f}" if times else "none"


def answers(lines: Sequence[Line]) -> str:
    """One row for each study."""
    ordered = sorted(lines, key=lambda line: (line["case"], line["seed"]))
    return markdown(ANSWERS, map(_answer, ordered), right=(1, 2, 3, 7))


def _answer(line: Line) -> list[str]:
    answer, head = line["answer"], [line["case"], str(line["seed"])]
    if not answer:
        return [*head, "none", "", "", "no", line["error"], ""]
    value = answer["again"][CASES[line["case"]].problem.objective.name]
    worst = max((abs(error) for error in answer["errors"].values() if error is not None), default=0.0)
    shown = "none" if value is None else f"{value:.5g}"
    whole, holds = ("yes" if answer[key] else "no" for key in ("whole", "holds"))
    said = f"{answer['feasibility']:.4f}" + (" (verified)" if answer["verified"] else "")
    return [*head, shown, said, whole, holds, ", ".join(answer["violated"]), f"{worst:.2g}"]
