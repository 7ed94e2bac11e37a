"""A study to look at: as a table, as a page, in a notebook. What is shown is computed elsewhere."""

import os
from pathlib import Path
from typing import Any, Protocol

from taut.base.arrays import Array
from taut.base.markup import Markup, table, tag
from taut.data.history import History
from taut.data.survey import Survey
from taut.problem.problem import Problem
from taut.study import frame
from taut.study.questions import Limits, Question


class _Study(Protocol):
    """What of a study is needed here."""

    problem: Problem
    method: str

    @property
    def history(self) -> History: ...

    def _question(self, limits: Limits | None = None) -> Question: ...


class Views:
    """What a study shows and says of itself; never changes it."""

    def to_pandas(self: _Study, wide: bool = False) -> Any:
        """All values as a table of pandas: one row per evaluation, or (wide) one per point. study.add takes both."""
        return (frame.wide if wide else frame.long)(self.problem, self.history)

    def survey(self: _Study, points: Array) -> Survey | None:
        """What is believed of every function at points [m, d] of the unit cube; None if the method does not say."""
        return self._question().survey(points)

    def gain(self: _Study, limits: Limits) -> tuple[float, float, float] | None:
        """What other limits would bring: mean, low and high (95 %) in the objective's unit, positive if better.

        limits: as in recommend. The optimum next to the recommended point is found again within them, in the models;
        None while there is none. Nothing is stored.
        """
        return self._question().gain(limits)

    def report(self: Any, path: str | os.PathLike[str], name: str = "study", budget: float | None = None) -> Path:
        """Write one page (HTML) that needs nothing but itself; returns its path. name: what the study is called."""
        from taut.plot.page.page import write  # only needed here, and slow to import

        written: Path = write(self, Path(path), name, budget)
        return written

    def _repr_html_(self: _Study) -> str:
        """For notebooks; computed without any model."""
        return overview(self.problem, self.history, self.method)


def overview(problem: Problem, history: History, method: str) -> Markup:
    """What a study is about, what was evaluated and spent, and the best measured design."""
    found = history.designs.incumbent()
    best = "none yet at which every function was evaluated and every constraint held"
    if found is not None:
        where = ", ".join(f"{name} = {_short(value)}" for name, value in found.point.items())
        best = f"{problem.objective.name} = {found.objective:.6g} at {where}"
    rows = []
    for name in problem.functions:
        tally = history.tallies[name]
        rows.append([name, limits(problem, name), _cost(problem, name), tally.told, tally.failed, tally.added])
    spent = f"{history.spent:g}{' s' * problem.measured}"
    return tag(
        "div",
        tag("p", tag("b", "taut.Study"), f" — method {method}, spent {spent} after the initial design"),
        table(["function", "goal or limit", "cost", "told", "failed", "added"], rows),
        tag("p", f"Best measured design: {best}."),
    )


def limits(problem: Problem, name: str) -> str:
    """What is asked of a function, in words."""
    function = problem.function(name)
    goal = getattr(function, "goal", None)
    if goal is not None:
        return str(goal)
    low, high = function.at_least, function.at_most  # type: ignore[union-attr]
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    return f"at most {high:g}" if high is not None else f"at least {low:g}"


def _short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cost(problem: Problem, name: str) -> str:
    return "measured" if problem.measured else f"{problem.cost([name]):g}"
