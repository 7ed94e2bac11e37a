"""The numbers behind every picture of a study, in the user's units; nothing is drawn here.

| function | numbers |
| --- | --- |
| convergence | what had been recommended at each cost, judged by what is known now, and the best measured design |
| spending | what each function cost, and would have cost if evaluated everywhere |
| slices | all functions along each parameter through the recommendation, with uncertainty |
| boundaries | all functions over pairs of parameters |
| relevance | which constraints matter, and what they cost |
| decisions | the latest decisions, what each was compared with, and what came of it |
| honesty | how the predictions of each function have fared |
| outlook | what more evaluations are expected to bring |
"""

from taut.data.results import FunctionCheck, Outlook, RelevanceRow
from taut.plot import choices, gather, money, progress
from taut.plot.choices import Decision
from taut.plot.money import Spending
from taut.plot.progress import Convergence
from taut.plot.surfaces import Plane, Slice
from taut.study.study import Study


def convergence(study: Study) -> Convergence:
    problem, history = study.problem, study.history
    steps = progress.measured_steps(problem, history)
    best = study.recommend() if history.valued else None
    found = progress.recommended(problem, history, best)
    survey = study.survey(found.points) if history.valued else None
    return progress.convergence(history, steps, found, survey)


def spending(study: Study) -> Spending:
    return money.spending(study.problem, study.history)


def slices(study: Study) -> tuple[Slice, ...]:
    """One for each parameter; none without a value."""
    return gather.shapes(study, study.recommend())[1] if gather.askable(study) else ()


def boundaries(study: Study) -> tuple[Plane, ...]:
    """One for each pair of numeric parameters; of many, those that matter most here. None without a value."""
    return gather.shapes(study, study.recommend())[2] if gather.askable(study) else ()


def relevance(study: Study) -> list[RelevanceRow]:
    return study.relevance() if gather.askable(study) else []


def decisions(study: Study, most: int = choices.RECENT) -> tuple[Decision, ...]:
    """The latest, newest first."""
    return choices.decisions(study.problem, study.history, most)


def honesty(study: Study) -> list[FunctionCheck]:
    return study.check() if study.history.valued else []


def outlook(study: Study, budget: float | None = None) -> Outlook | None:
    """budget: as for study.outlook. None without a value, or if the method does not say."""
    return gather.outlook(study, budget) if study.history.valued else None
