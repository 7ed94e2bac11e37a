"""A study file (TOML): what is optimised, how, and with which programs; and the stored study that belongs to it.

The keys of each table are listed in keys.toml. Whatever is wrong with a file is a StudyFileError that names the file,
the table and the key, what was expected, what came, and what to write instead.
"""

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from taut.app.studyfile import keys
from taut.app.studyfile.location import changed, place
from taut.app.studyfile.text import refused, tables
from taut.base.errors import StudyFileError
from taut.problem.design import Kind, usual_size
from taut.problem.problem import Problem
from taut.storage import open_storage
from taut.storage.base import Storage
from taut.study.declaration import OtherStudyError, holds
from taut.study.study import Study


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """The table [study]."""

    name: str
    initial: int
    """Size of the initial design, the usual one if the file does not say."""
    storage: str
    """An absolute path inside the folder of the file, or the URL of a PostgreSQL database."""
    method: str = "dckg"
    seed: int = 0
    initial_design: Kind = "coupled"
    budget: float | None = None
    """Cost to spend after the initial design; None if the file does not say."""
    verify: bool = True
    """Keep part of the budget, so that the answer is a design whose functions were all evaluated?"""
    stop: float | None = None
    """End a run when all that is left is expected to gain less than this, in the objective's unit."""
    preset: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The table [run]: how `taut run` runs the programs."""

    workers: int = 1
    """Evaluations under way at the same time."""
    keep: Literal["all", "failed", "none"] = "all"
    """Which working directories to keep when their program has ended."""
    failures: int = 10
    """So many failures in a row of one program stop the run."""
    lease: float = 60.0
    """Seconds after which an evaluation that nobody reports on may be started by somebody else."""


@dataclass(frozen=True, slots=True)
class ProgramEntry:
    """One program of the user: the one of a function, or of a group that returns several."""

    name: str
    """Of the function or group."""
    functions: tuple[str, ...]
    command: tuple[str, ...]
    """As written; `argv` makes it ready to be started."""
    timeout: float | None
    """Seconds."""
    retries: int
    """Further attempts after a failed one."""
    slots: int | None
    """How many of it may run at the same time; None for any number."""
    table: str
    """Where the file declares it, for messages: "[objective]"."""


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study file that was read and found to be right."""

    path: Path
    """Absolute."""
    study: StudyOptions
    run: RunSettings
    problem: Problem
    programs: tuple[ProgramEntry, ...]
    """In declared order. A function without a command has none: its values are told by hand."""
    setups: tuple[ProgramEntry, ...] = ()
    """What several of them share; without a command the first of its programs makes it."""

    @property
    def folder(self) -> Path:
        """Where relative paths begin."""
        return self.path.parent


def load(path: str | os.PathLike[str]) -> StudyFile:
    """Read and check a study file; nothing else is opened and nothing is written."""
    shown = os.fspath(path)
    where, found = Path(shown).absolute(), tables(shown)
    with keys.naming(repr(shown)):
        content = keys.check(found)
        problem = keys.problem(content)
        study = {"initial": usual_size(problem), "storage": f"{where.stem}.db"} | content["study"]
        study["storage"] = place(where, study["storage"])
        for name in ("budget", "stop"):
            if name in study:
                study[name] = float(study[name])
        options = StudyOptions(**study)
        keys.check_method(options.method, options.preset, options.options)
        programs = tuple(ProgramEntry(**entry) for entry in keys.programs(content, problem))
        setups = tuple(ProgramEntry(**entry) for entry in keys.setups(content))
    return StudyFile(where, options, RunSettings(**content["run"]), problem, programs, setups)


def open_study(file: StudyFile, storage: Storage | None = None, must_exist: bool = False) -> Study:
    """The stored study of a file, created if there is none yet, unless it must exist. storage: if it is open."""
    opened = open_storage(file.study.storage) if storage is None else storage
    if must_exist and opened.load() is None:
        raise _none_yet(file, opened)
    try:
        return Study(file.problem, storage=opened, **_settings(file))
    except OtherStudyError as error:
        raise changed(str(file.path), error) from error


def storage_of(file: StudyFile, must_exist: bool = False) -> Storage:
    """The storage of a file, with the study that the file describes or (unless it must exist) with none yet."""
    storage = open_storage(file.study.storage)
    try:
        there = holds(storage, file.problem, _settings(file))
    except OtherStudyError as error:
        raise changed(str(file.path), error) from error
    if must_exist and not there:
        raise _none_yet(file, storage)
    return storage


def require_runnable(file: StudyFile) -> float:
    """The budget. Raises unless the file has one, and a command for every function that needs one."""
    path, budget = str(file.path), file.study.budget
    covered = {name for program in file.programs for name in program.functions}
    for name in file.problem.simulated:
        if name not in covered:
            table = "[objective]" if name == file.problem.objective.name else f"[[constraints]] {name!r}"
            way_out = f'add for example command = ["python", "{name}.py"], or work by hand with taut ask and taut tell'
            raise refused(f"{path!r}: {table}", "a command to run", "none", way_out)
    if budget is None and not file.problem.simulated:
        return 0.0  # nothing is paid for
    if budget is None:
        raise refused(f"{path!r}: [study] budget", "a number", "none", "add for example budget = 120")
    return budget


def argv(file: StudyFile, program: ProgramEntry) -> list[str]:
    """The command to start, from whatever directory.

    Words that name a file in the folder of the study file become its absolute path; of the first word that holds only
    with a slash in it, as in a shell. Where there is no "python", it is the Python that runs taut.
    """
    first, *rest = program.command
    if first in ("python", "python3") and shutil.which(first) is None:
        first = sys.executable or first
    elif "/" in first or os.sep in first:
        first = str(file.folder / first)
    return [first, *(_beside(file.folder, word) for word in rest)]


def _beside(folder: Path, word: str) -> str:
    path = folder / word
    try:
        return str(path) if word not in ("", ".", "..") and path.exists() else word
    except OSError:  # too long for a path: certainly not one
        return word


def _settings(file: StudyFile) -> dict[str, Any]:
    """What a study stores besides its problem."""
    names = ("method", "seed", "initial", "preset", "initial_design", "options")
    return {name: getattr(file.study, name) for name in names}


def _none_yet(file: StudyFile, storage: Storage) -> StudyFileError:
    way_out = "start it with taut run or taut ask"
    return refused(repr(str(file.path)), f"a study in {str(storage)!r}", "none yet", way_out)
