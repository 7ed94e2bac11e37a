"""The answer of a stored study: the best point according to what is known, and which constraints matter there."""

from dataclasses import asdict, dataclass
from typing import Any

from taut.app.studyfile.file import StudyFile, open_study, storage_of
from taut.base.errors import StudyFileError
from taut.data.rows import Recommendation, RelevanceRow


@dataclass(frozen=True, slots=True)
class Best:
    """The recommendation, with a judgement of each constraint."""

    study: str
    objective: str
    goal: str
    spent: float
    answer: Recommendation
    relevance: tuple[RelevanceRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        answer = self.answer
        return {
            "study": self.study,
            "spent": self.spent,
            "point": answer.point,
            "objective": {"name": self.objective, "goal": self.goal} | _named(("mean", "sd"), answer.objective),
            "feasibility": answer.feasibility,
            "constraints": {
                name: _named(("mean", "sd", "probability"), belief) for name, belief in answer.constraints.items()
            },
            "relevance": [asdict(row) for row in self.relevance],
            "note": answer.note,
        }


def best(file: StudyFile) -> Best:
    """The answer of the study of a file; raises if it has no value yet. Nothing is written."""
    study = open_study(file, storage_of(file, must_exist=True))
    if all(row.value is None for row in study.observations):
        raise StudyFileError(
            f"{str(file.path)!r}: expected a study with values, got one without any yet; run it with taut run, tell "
            "values with taut tell, or add some with taut add."
        )
    objective = file.problem.objective
    return Best(
        study=file.study.name,
        objective=objective.name,
        goal=objective.goal,
        spent=study.spent,
        answer=study.recommend(),
        relevance=tuple(study.relevance()),
    )


def _named(names: tuple[str, ...], values: tuple[float, ...]) -> dict[str, float]:
    return dict(zip(names, values, strict=True))
