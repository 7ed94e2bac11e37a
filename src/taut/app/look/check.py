"""What taut check found: how each program did in a dry run, and how honest the model of each function has been."""

from dataclasses import asdict, dataclass
from typing import Any

from taut.app.studyfile.file import StudyFile, open_study, storage_of
from taut.data.results import FunctionCheck


@dataclass(frozen=True, slots=True)
class Trial:
    """One program, started once."""

    program: str
    functions: tuple[str, ...]
    started: bool
    exit: int | None
    """Its exit code, or minus the signal that ended it; None if it was not started."""
    values: dict[str, float | None]
    """None where it failed."""
    seconds: float
    note: str
    """What is wrong; empty if nothing is."""
    table: str
    """Of the study file: where it is declared."""


@dataclass(frozen=True, slots=True)
class Check:
    """All that was found."""

    study: str
    point: dict[str, Any] | None
    """Where the programs were started; None without a dry run."""
    programs: tuple[Trial, ...]
    by_hand: tuple[str, ...]
    """Functions without a command."""
    functions: tuple[FunctionCheck, ...]
    """Empty if the study has no values yet."""
    computed: bool = False
    """Does every function have a formula?"""

    @property
    def failed(self) -> list[str]:
        """The programs that did not give what they should."""
        return [trial.program for trial in self.programs if trial.note]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"failed": self.failed}


def records(file: StudyFile) -> tuple[FunctionCheck, ...]:
    """How honest the models of the stored study have been. Nothing is written."""
    storage = storage_of(file)
    if storage.load() is None:
        return ()
    study = open_study(file, storage)
    return tuple(study.check()) if study.history.valued else ()
