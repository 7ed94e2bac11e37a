"""The answer of a study: the best point according to what is known, and which constraints matter there."""

from dataclasses import asdict, dataclass
from typing import Any

from taut.app.studyfile.file import StudyFile, open_study
from taut.app.studyfile.text import refused
from taut.data.rows import Recommendation, RelevanceRow
from taut.study.study import Study


@dataclass(frozen=True, slots=True)
class Answer:
    """The recommendation, with a judgement of each constraint."""

    study: str
    objective: str
    goal: str
    spent: float
    best: Recommendation
    relevance: tuple[RelevanceRow, ...]

    def to_dict(self) -> dict[str, Any]:
        believed = beliefs(self.best)
        return {
            "study": self.study,
            "spent": self.spent,
            **believed,
            "objective": {"name": self.objective, "goal": self.goal} | believed["objective"],
            "relevance": [asdict(row) for row in self.relevance],
        }


def beliefs(best: Recommendation) -> dict[str, Any]:
    """What is believed of the recommended point, JSON-able."""
    return {
        "point": best.point,
        "objective": dict(zip(("mean", "sd"), best.objective, strict=True)),
        "feasibility": best.feasibility,
        "constraints": {
            name: dict(zip(("mean", "sd", "probability"), belief, strict=True))
            for name, belief in best.constraints.items()
        },
        "note": best.note,
    }


def answer(name: str, study: Study) -> Answer:
    """The answer of a study that has a value. name: what the study is called."""
    objective = study.problem.objective
    best, relevance = study.recommend(), tuple(study.relevance())
    return Answer(name, objective.name, objective.goal, study.spent, best, relevance)


def stored(file: StudyFile) -> Answer:
    """The answer of the study of a file; raises if it has no value yet. Nothing is written."""
    study = open_study(file, must_exist=True)
    if all(row.value is None for row in study.history.observations):
        way_out = "run it with taut run, tell values with taut tell, or add some with taut add"
        raise refused(repr(str(file.path)), "a study with values", "one without any yet", way_out)
    return answer(file.study.name, study)
